//! Certificates of the proxy's own.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;

/// When a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// Now, and for centuries.
    Now,
    /// Until the end of the year 2000.
    Expired,
    /// From the year 3000.
    NotYet,
}

/// What a server shows, and what its clients believe.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    config: Arc<ServerConfig>,
    /// The authority's certificate: PEM in base64, as a kubeconfig has it.
    pub(crate) authority: String,
}

impl Identity {
    pub(crate) fn new(validity: Validity) -> Self {
        Self::make(validity).expect("a certificate can be made")
    }

    fn make(validity: Validity) -> Result<Self, rcgen::Error> {
        let authority_key = KeyPair::generate()?;
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_certificate = authority.self_signed(&authority_key)?;
        let issuer = Issuer::new(authority, authority_key);

        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()])?;
        let (from, to) = match validity {
            Validity::Now => (1975, 4096),
            Validity::Expired => (1975, 2000),
            Validity::NotYet => (3000, 4096),
        };
        params.not_before = rcgen::date_time_ymd(from, 1, 1);
        params.not_after = rcgen::date_time_ymd(to, 12, 31);
        let certificate = params.signed_by(&key, &issuer)?;

        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("the key is in PKCS 8");
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows the usual versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("the key is the certificate's");
        let pem = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
            STANDARD.encode(authority_certificate.der())
        );
        Ok(Self {
            config: Arc::new(config),
            authority: STANDARD.encode(pem),
        })
    }

    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }
}
