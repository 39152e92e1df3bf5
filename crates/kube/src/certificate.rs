//! What is wrong with a server's certificate, in words.

use std::error::Error;
use std::io;

use jiff::Timestamp;
use rustls::CertificateError;
use rustls::pki_types::UnixTime;

use crate::error::{Cause, KubeError};

/// What is wrong with a certificate.
pub(crate) enum Fault {
    /// It is of another time.
    Time(Cause),
    /// It cannot be believed for another reason.
    Trust(Cause),
}

impl Fault {
    /// As an error about the certificate of `server`.
    pub(crate) fn of(self, server: String) -> KubeError {
        match self {
            Self::Time(cause) => KubeError::Clock { server, cause },
            Self::Trust(cause) => KubeError::Certificate { server, cause },
        }
    }
}

/// What is wrong with a certificate, if that is what the error, without those behind it, is about.
pub(crate) fn fault(error: &(dyn Error + 'static)) -> Option<Fault> {
    // The TLS library's error is inside errors of I/O, which do not count it among their causes.
    let mut inside = error;
    while let Some(error) = inside.downcast_ref::<io::Error>() {
        inside = error.get_ref()?;
    }
    let rustls::Error::InvalidCertificate(error) = inside.downcast_ref()? else {
        return None;
    };
    let time = |words: &str| Fault::Time(Cause(words.to_owned()));
    let moment = |words: &str, at: &UnixTime| {
        let at = i64::try_from(at.as_secs()).ok();
        let at = at.and_then(|seconds| Timestamp::from_second(seconds).ok());
        let at = at.map_or_else(|| "a time out of reach".to_owned(), |at| at.to_string());
        Fault::Time(Cause(format!("{words} {at}")))
    };
    let trust = |words: &str| Fault::Trust(Cause(words.to_owned()));
    Some(match error {
        CertificateError::Expired => time("it has expired"),
        CertificateError::ExpiredContext { not_after, .. } => {
            moment("it was valid until", not_after)
        }
        CertificateError::NotValidYet => time("it is not valid yet"),
        CertificateError::NotValidYetContext { not_before, .. } => {
            moment("it is not valid before", not_before)
        }
        CertificateError::UnknownIssuer => {
            trust("it is signed by another authority than the one that the kubeconfig names")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            trust("it is for another name than this address")
        }
        other => trust(&other.to_string()),
    })
}
