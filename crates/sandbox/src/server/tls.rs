//! TLS for the Kubernetes API: kubectl sends no credentials without it. The port is the same; the first byte of a
//! connection tells whether the client begins with TLS.

use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// An authority and a certificate of this process alone.
#[derive(Clone)]
pub(super) struct Tls {
    acceptor: TlsAcceptor,
    /// The authority's certificate: PEM in base64, as EKS and a kubeconfig have it.
    pub(super) authority: String,
}

impl Tls {
    pub(super) fn new() -> io::Result<Self> {
        let authority_key = KeyPair::generate().map_err(io::Error::other)?;
        let mut authority = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority
            .distinguished_name
            .push(DnType::CommonName, "accord sandbox");
        let certificate = authority
            .self_signed(&authority_key)
            .map_err(io::Error::other)?;
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let own = CertificateParams::new(names).map_err(io::Error::other)?;
        let own = own.signed_by(&key, &issuer).map_err(io::Error::other)?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(io::Error::other)?;
        let mut config =
            ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(io::Error::other)?
                .with_no_client_auth()
                .with_single_cert(vec![own.der().clone()], key)
                .map_err(io::Error::other)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            authority: BASE64_STANDARD.encode(pem(certificate.der())),
        })
    }

    /// Whether the client begins with TLS.
    pub(super) async fn is_wanted(stream: &TcpStream) -> bool {
        const HANDSHAKE: u8 = 0x16;
        let mut first = [0; 1];
        matches!(stream.peek(&mut first).await, Ok(1)) && first == [HANDSHAKE]
    }

    pub(super) async fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<tokio_rustls::server::TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }
}

fn pem(der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    let lines = text.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let lines: Vec<_> = lines.collect();
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines.join("\n")
    )
}
