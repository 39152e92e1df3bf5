//! Errors as AWS answers them.

/// An error: its code, the status of the answer, a message, and the further fields that some codes have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
pub(crate) struct AwsError {
    /// `ResourceNotFoundException`
    pub(crate) code: String,
    /// The HTTP status.
    pub(crate) status: u16,
    /// For people.
    pub(crate) message: String,
    /// Such as `clusterName`.
    pub(crate) fields: Vec<(String, String)>,
}

impl AwsError {
    pub(crate) fn new(code: &str, status: u16, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            status,
            message: message.into(),
            fields: Vec::new(),
        }
    }

    /// EKS: a parameter cannot be what it is.
    pub(crate) fn invalid_parameter(message: impl Into<String>) -> Self {
        Self::new("InvalidParameterException", 400, message)
    }

    /// EKS: the parameters are right, and the state of the resource forbids it.
    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new("InvalidRequestException", 400, message)
    }

    /// EKS: there is no such thing.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new("ResourceNotFoundException", 404, message)
    }

    /// EKS: it is there already, or something else is going on.
    pub(crate) fn in_use(message: impl Into<String>) -> Self {
        Self::new("ResourceInUseException", 409, message)
    }

    /// IAM: there is no such thing.
    pub(crate) fn no_such_entity(message: impl Into<String>) -> Self {
        Self::new("NoSuchEntity", 404, message)
    }

    /// IAM: it is there already.
    pub(crate) fn already_exists(message: impl Into<String>) -> Self {
        Self::new("EntityAlreadyExists", 409, message)
    }

    /// IAM: other things depend on it.
    pub(crate) fn delete_conflict(message: impl Into<String>) -> Self {
        Self::new("DeleteConflict", 409, message)
    }

    /// IAM and STS: a parameter cannot be what it is.
    pub(crate) fn validation(message: impl Into<String>) -> Self {
        Self::new("ValidationError", 400, message)
    }

    /// Not allowed.
    pub(crate) fn access_denied(message: impl Into<String>) -> Self {
        Self::new("AccessDenied", 403, message)
    }

    /// The same with the cluster that it is about.
    #[must_use]
    pub(crate) fn of_cluster(self, name: &str) -> Self {
        self.with("clusterName", name)
    }

    /// The same with a further field.
    #[must_use]
    pub(crate) fn with(mut self, field: &str, value: &str) -> Self {
        self.fields.push((field.to_owned(), value.to_owned()));
        self
    }

    /// Whether it is the caller's fault.
    pub(crate) const fn is_senders(&self) -> bool {
        self.status < 500
    }
}
