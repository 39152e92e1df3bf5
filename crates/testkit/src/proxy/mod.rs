//! A proxy on loopback between a client and the API server, which does to requests what it is told.
//!
//! ```no_run
//! use accord_testkit::{ADMIN, Fault, Proxy, Reply};
//!
//! let server = accord_testkit::server();
//! let proxy = Proxy::before(&server);
//! let kubeconfig = proxy.kubeconfig(ADMIN);
//! proxy.rule(|number, request| (request.is_write() && number == 9).then_some(Fault::after(Reply::Cut)));
//! // … a client that uses the kubeconfig …
//! assert_eq!(proxy.requests().len(), 14);
//! ```

mod certificate;
mod fault;
mod message;
mod serve;
mod upstream;

use std::collections::BTreeSet;
use std::fmt;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

use crate::kubeconfig;
use crate::server::ApiServer;
use crate::user::ADMIN;

pub use certificate::Validity;
pub use fault::{Fault, Reply};
pub use message::{Headers, Request, Response};
pub(crate) use upstream::Upstream;

/// Decides what goes wrong with a request, by its number since the rule was given (from 0).
type Rule = Box<dyn FnMut(usize, &Request) -> Option<Fault> + Send>;

/// The proxy. It stops when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    /// The certificate of its authority in base64, if it talks TLS.
    authority: Option<String>,
    folder: PathBuf,
    /// The folder, where it is not the server's.
    own: Option<TempDir>,
    tokens: Vec<(String, String)>,
    state: Arc<Mutex<State>>,
}

struct State {
    upstream: Option<Upstream>,
    rule: Rule,
    requests: Vec<Request>,
    /// The numbers of those that the API server has answered.
    answered: BTreeSet<usize>,
    is_over: bool,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("requests", &self.requests.len())
            .finish_non_exhaustive()
    }
}

impl Proxy {
    /// A proxy with TLS, which passes everything on until it is told otherwise.
    pub fn before(server: &ApiServer) -> Self {
        Self::with_certificate(server, Validity::Now)
    }

    /// One without an API server behind it: it answers what the rule says, and otherwise ends the connection.
    pub fn alone() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut proxy = Self::start(None, None);
        proxy.folder = folder.path().to_owned();
        proxy.own = Some(folder);
        proxy.tokens = vec![(ADMIN.to_owned(), "token-of-admin".to_owned())];
        proxy
    }

    /// The same without TLS; some clients, such as kubectl, then keep their token to themselves.
    pub fn without_tls(server: &ApiServer) -> Self {
        Self::start(Some(server), None)
    }

    /// The same with a certificate that is valid then.
    pub fn with_certificate(server: &ApiServer, validity: Validity) -> Self {
        Self::start(Some(server), Some(certificate::Identity::new(validity)))
    }

    fn start(server: Option<&ApiServer>, identity: Option<certificate::Identity>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a port");
        let port = listener.local_addr().expect("it is bound").port();
        let state = Arc::new(Mutex::new(State {
            upstream: server.map(ApiServer::upstream),
            rule: Box::new(|_, _| None),
            requests: Vec::new(),
            answered: BTreeSet::new(),
            is_over: false,
        }));
        let authority = identity.as_ref().map(|identity| identity.authority.clone());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || serve::listen(&listener, &shared, identity.as_ref()));
        Self {
            port,
            authority,
            folder: server.map_or_else(PathBuf::new, |server| server.folder().to_owned()),
            own: None,
            tokens: server.map_or_else(Vec::new, ApiServer::tokens),
            state,
        }
    }

    /// From now on this rule holds, and requests are counted anew.
    pub fn rule(&self, rule: impl FnMut(usize, &Request) -> Option<Fault> + Send + 'static) {
        let mut state = lock(&self.state);
        state.rule = Box::new(rule);
        state.requests.clear();
        state.answered.clear();
    }

    /// From now on nothing goes wrong, and requests are counted anew.
    pub fn heal(&self) {
        self.rule(|_, _| None);
    }

    /// The requests since the last rule, those that something was done to too.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// Whether the API server has answered the request of that number, whatever the client got.
    pub fn answered(&self, number: usize) -> bool {
        lock(&self.state).answered.contains(&number)
    }

    /// Those of them that ask for a change.
    pub fn writes(&self) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(Request::is_write);
        requests
    }

    /// Where it is.
    pub fn url(&self) -> String {
        let scheme = if self.authority.is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }

    /// A kubeconfig that leads through the proxy, for a user whom the server knows.
    pub fn kubeconfig(&self, user: &str) -> PathBuf {
        let token = self.tokens.iter().find(|(name, _)| name == user);
        let token = token.unwrap_or_else(|| panic!("the server knows no user {user}"));
        self.kubeconfig_with(user, &token.1)
    }

    /// The same with any token.
    pub fn kubeconfig_with(&self, user: &str, token: &str) -> PathBuf {
        let path = self.folder.join(format!("proxy-{}-{user}.yaml", self.port));
        let authority = self.authority.as_ref().map_or_else(String::new, |data| {
            format!(", certificate-authority-data: {data}")
        });
        let cluster = format!("server: \"{}\"{authority}", self.url());
        let text = kubeconfig::text(&cluster, user, token);
        std::fs::write(&path, text)
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
        path
    }
}

/// Listens no more. A connection ends with its client.
impl Drop for Proxy {
    fn drop(&mut self) {
        lock(&self.state).is_over = true;
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)); // wakes the listener
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
