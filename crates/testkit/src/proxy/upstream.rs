//! The way to the API server: one connection for each request.

use std::io::{self, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::proxy::message::{Request, Response};
use crate::server::ApiServer;

/// An API server's address, and how to believe it.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    port: u16,
    config: Arc<ClientConfig>,
}

impl Upstream {
    pub(crate) fn of(server: &ApiServer) -> Self {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_slice(server.ca_pem().as_bytes());
        roots
            .add(authority.expect("the server's authority is in PEM"))
            .expect("the server's authority is one");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows the usual versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self {
            port: server.api_port(),
            config: Arc::new(config),
        }
    }

    /// The API server's answer.
    pub(crate) fn ask(&self, request: &Request) -> io::Result<Response> {
        let name = ServerName::from(std::net::IpAddr::from(Ipv4Addr::LOCALHOST));
        let connection = ClientConnection::new(Arc::clone(&self.config), name)
            .map_err(|error| io::Error::other(error.to_string()))?;
        let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        socket.set_nodelay(true)?;
        let mut stream = StreamOwned::new(connection, socket);
        request.send(&mut stream)?;
        Response::read(&mut BufReader::new(stream))
    }
}

impl ApiServer {
    /// Asks the API server as the administrator: faster than kubectl, for a test that asks a thousand times.
    pub fn request(&self, method: &str, path: &str, body: &str) -> Response {
        self.send(Request::new(method, path, body))
    }

    /// The same for any request, such as a patch with its content type.
    pub fn send(&self, mut request: Request) -> Response {
        let token = format!("Bearer {}", self.token(crate::ADMIN));
        let more = [("host", "127.0.0.1"), ("authorization", &token)];
        let more = more.map(|(name, value)| (name.to_owned(), value.to_owned()));
        request.headers.extend(more);
        let answer = self.upstream().ask(&request);
        answer.unwrap_or_else(|error| panic!("{} {}: {error}", request.method, request.path))
    }
}
