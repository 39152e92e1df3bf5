//! One call of one operation: who, where, and with what.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{AwsError, ClusterKey};

/// What an operation answers.
pub(crate) type Answer = Result<Value, AwsError>;

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The account, twelve digits.
    pub(crate) account: String,
    /// As `GetCallerIdentity` prints it.
    pub(crate) arn: String,
    /// As `GetCallerIdentity` prints it: `AIDA…`, `AROA…:session`.
    pub(crate) user_id: String,
    /// The role or user itself, with its path: what an access entry would be for.
    pub(crate) principal: String,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Who.
    pub(crate) caller: Caller,
    /// In which region.
    pub(crate) region: String,
    /// Path, query and body together, by the names of the service's model.
    pub(crate) input: Map<String, Value>,
}

impl Call {
    /// The input as the operation needs it.
    ///
    /// # Errors
    /// If something is missing or of another type.
    pub(crate) fn input<T: DeserializeOwned>(&self) -> Result<T, AwsError> {
        T::deserialize(Value::Object(self.input.clone()))
            .map_err(|error| AwsError::invalid_parameter(error.to_string()))
    }

    /// The same for IAM and STS, which name their errors differently.
    pub(crate) fn query<T: DeserializeOwned>(&self) -> Result<T, AwsError> {
        T::deserialize(Value::Object(self.input.clone()))
            .map_err(|error| AwsError::validation(error.to_string()))
    }

    /// The key of the caller's cluster of that name.
    pub(crate) fn cluster_key(&self, name: &str) -> ClusterKey {
        format!("{}{name}", self.cluster_prefix())
    }

    /// With what the keys of all the caller's clusters in this region begin.
    pub(crate) fn cluster_prefix(&self) -> String {
        format!("{}/{}/", self.caller.account, self.region)
    }
}
