//! For which service and region a call is signed, and by whom.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use percent_encoding::percent_decode_str;

use super::Request;

/// What a credential scope says: `KEY/DATE/REGION/SERVICE/aws4_request`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(super) access_key: Option<String>,
    pub(super) region: Option<String>,
    service: Option<&'static str>,
}

impl Scope {
    /// The scope of a request: of its header, of its query if it is pre-signed; else only the service is known, by the
    /// version of the API.
    pub(super) fn of(request: &Request, form: &[(String, String)]) -> Self {
        let parameter = |name: &str| {
            let found = form.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        let credential = request
            .header("authorization")
            .and_then(|header| header.split_once("Credential="))
            .and_then(|(_, rest)| rest.split([',', ' ']).next())
            .or_else(|| parameter("X-Amz-Credential"));
        if let Some(scope) = credential.map(Self::parse) {
            return scope;
        }
        let service = match parameter("Version") {
            Some("2010-05-08") => "iam",
            Some(_) => "sts",
            None => "eks",
        };
        Self {
            service: Some(service),
            ..Self::default()
        }
    }

    fn parse(credential: &str) -> Self {
        let mut parts = credential.split('/');
        let access_key = parts.next().map(str::to_owned);
        let region = parts.nth(1).map(str::to_owned);
        let service = match parts.next() {
            Some("iam") => Some("iam"),
            Some("sts") => Some("sts"),
            _ => Some("eks"),
        };
        Self {
            access_key,
            region,
            service,
        }
    }

    pub(super) fn service(&self) -> &'static str {
        self.service.unwrap_or("eks")
    }
}

/// The access key that signed a Kubernetes token `k8s-aws-v1.…`; `None` if it is no such token.
pub(crate) fn access_key_of_token(token: &str) -> Option<String> {
    let encoded = token.strip_prefix("k8s-aws-v1.")?;
    let bytes = BASE64_URL_SAFE_NO_PAD
        .decode(encoded.trim_end_matches('='))
        .ok()?;
    let url = String::from_utf8(bytes).ok()?;
    let (_, query) = url.split_once('?')?;
    form_urlencoded::parse(query.as_bytes())
        .find(|(key, _)| key == "X-Amz-Credential")
        .and_then(|(_, value)| Scope::parse(&value).access_key)
}

/// A part of a path without its percent signs.
pub(crate) fn decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_and_a_signed_url_say_the_same() {
        let header = Request {
            headers: vec![(
                "authorization".into(),
                "AWS4-HMAC-SHA256 Credential=AKIA1/20261102/eu-west-1/sts/aws4_request, SignedHeaders=host, \
                 Signature=0"
                    .into(),
            )],
            ..Request::default()
        };
        let signed = [(
            "X-Amz-Credential".to_owned(),
            "AKIA1/20261102/eu-west-1/sts/aws4_request".to_owned(),
        )];
        let by_header = Scope::of(&header, &[]);
        assert_eq!(by_header, Scope::of(&Request::default(), &signed));
        assert_eq!(
            (by_header.access_key.as_deref(), by_header.service()),
            (Some("AKIA1"), "sts")
        );
    }

    #[test]
    fn a_token_tells_who_signed_it() {
        let url = "https://sts.eu-west-1.amazonaws.com/?Action=GetCallerIdentity&X-Amz-Credential=AKIA1%2F20261102%2Feu-west-1%2Fsts%2Faws4_request&X-Amz-Signature=0";
        let token = format!("k8s-aws-v1.{}", BASE64_URL_SAFE_NO_PAD.encode(url));
        assert_eq!(access_key_of_token(&token).as_deref(), Some("AKIA1"));
        assert_eq!(access_key_of_token("k8s-aws-v1.???"), None);
        assert_eq!(access_key_of_token("abc"), None);
    }
}
