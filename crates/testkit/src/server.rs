//! One etcd and one kube-apiserver.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::grant::Grant;
use crate::process::Process;
use crate::proxy::Upstream;
use crate::user::{self, ADMIN, User};
use crate::wait::until;
use crate::{assets, kubeconfig};

/// How often a port that the kernel called free may turn out to be taken.
const ATTEMPTS: usize = 5;

/// How long an API server may take to be ready: some three seconds, on an idle machine.
const START: Duration = Duration::from_secs(60);

/// A running API server with its etcd. Dropping it stops both and removes what they stored.
#[derive(Debug)]
pub struct ApiServer {
    folder: PathBuf,
    users: Vec<User>,
    api_port: u16,
    etcd_port: u16,
    api: Mutex<Option<Process>>, // dropped before etcd, without which it would only complain
    etcd: Mutex<Process>,
    grants: Mutex<Vec<Grant>>,
    upstream: OnceLock<Upstream>,
}

impl ApiServer {
    /// Starts one whose users are [`ADMIN`], in `system:masters`, and `user-0` to `user-59`, in no group.
    pub fn start() -> Self {
        Self::with_users(&[])
    }

    /// Starts one that knows these users too.
    pub fn with_users(more: &[User]) -> Self {
        let mut users = user::defaults();
        users.extend_from_slice(more);
        let mut attempt = 1;
        loop {
            match Self::attempt(&users) {
                Ok(server) => return server,
                Err(why) if attempt < ATTEMPTS && is_port_taken(&why) => attempt += 1,
                Err(why) => panic!("the API server does not start; {why}"),
            }
        }
    }

    fn attempt(users: &[User]) -> Result<Self, String> {
        let folder = tempfile::Builder::new()
            .prefix("accord-testkit-")
            .tempdir()
            .expect("a temporary folder can be made");
        let [api_port, etcd_port] = free_ports();
        let etcd = Process::start(
            &assets::program("etcd"),
            &etcd_arguments(folder.path(), etcd_port),
            &folder.path().join("etcd.log"),
            Some(folder.path()),
        );
        let server = Self {
            folder: folder.keep(),
            users: users.to_vec(),
            api_port,
            etcd_port,
            api: Mutex::new(None),
            etcd: Mutex::new(etcd),
            grants: Mutex::default(),
            upstream: OnceLock::new(),
        };
        server.write("tokens.csv", &user::token_file(users));
        let api = server.launch()?;
        *server.api() = Some(api);
        Ok(server)
    }

    /// Kills the API server as a crash would. What it has stored stays.
    pub fn stop_api(&self) {
        *self.api() = None;
    }

    /// Starts the API server again, at the same port and with what was stored. Returns when it is ready.
    pub fn start_api(&self) {
        let mut api = self.api();
        *api = None;
        let mut attempt = 1;
        *api = loop {
            match self.launch() {
                Ok(process) => break Some(process),
                // Some client's connection may have the port for a moment.
                Err(why) if attempt < ATTEMPTS && is_port_taken(&why) => attempt += 1,
                Err(why) => panic!("the API server does not start again; {why}"),
            }
        };
    }

    /// Whether the API server runs.
    pub fn is_running(&self) -> bool {
        self.api()
            .as_mut()
            .is_some_and(|process| !process.has_ended())
    }

    /// The API server's address: `https://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("https://{}:{}", Ipv4Addr::LOCALHOST, self.api_port)
    }

    /// Etcd's address, without TLS: `http://127.0.0.1:PORT`.
    pub fn etcd_url(&self) -> String {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, self.etcd_port)
    }

    /// The certificate authority of the API server's certificate, as PEM.
    pub fn ca_pem(&self) -> String {
        self.read(kubeconfig::CA)
    }

    /// The bearer token of a user, whom the server must know.
    pub fn token(&self, user: &str) -> String {
        self.user(user).token()
    }

    /// A kubeconfig file for a user, whom the server must know.
    pub fn kubeconfig(&self, user: &str) -> PathBuf {
        self.folder.join(kubeconfig::file_name(self.user(user)))
    }

    /// The folder of the server's files, which goes with it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The users and their tokens.
    pub(crate) fn tokens(&self) -> Vec<(String, String)> {
        let users = self.users.iter();
        users
            .map(|user| (user.name.clone(), user.token()))
            .collect()
    }

    /// The way to the API server without kubectl.
    pub(crate) fn upstream(&self) -> Upstream {
        self.upstream.get_or_init(|| Upstream::of(self)).clone()
    }

    pub(crate) const fn api_port(&self) -> u16 {
        self.api_port
    }

    pub(crate) const fn etcd_port(&self) -> u16 {
        self.etcd_port
    }

    fn user(&self, name: &str) -> &User {
        let known = self.users.iter().find(|user| user.name == name);
        known.unwrap_or_else(|| panic!("the server knows no user {name}"))
    }

    /// Starts the API server and waits until it is ready; the error is what it wrote before it ended.
    fn launch(&self) -> Result<Process, String> {
        let mut process = Process::start(
            &assets::program("kube-apiserver"),
            &self.api_arguments(),
            &self.folder.join("kube-apiserver.log"),
            None,
        );
        let start = Instant::now();
        until("the API server to be ready", || {
            let mut etcd = self.etcd.lock().unwrap_or_else(PoisonError::into_inner);
            for process in [&mut process, &mut etcd] {
                if process.has_ended() {
                    return Some(Err(process.last_words()));
                }
            }
            if start.elapsed() > START {
                return Some(Err(process.last_words()));
            }
            self.is_ready().then_some(Ok(()))
        })?;
        Ok(process)
    }

    /// Whether it answers, and has made the namespaces that every cluster has.
    fn is_ready(&self) -> bool {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, self.api_port)).is_err() {
            return false;
        }
        self.write_kubeconfigs();
        let timeout = "--request-timeout=10s";
        self.kubectl(&["get", "--raw=/readyz", timeout]).succeeded()
            && self
                .kubectl(&["get", "namespaces", "default", "kube-system", timeout])
                .succeeded()
    }

    /// Writes the kubeconfigs, once the server has made its certificate.
    fn write_kubeconfigs(&self) {
        if self.kubeconfig(ADMIN).exists() {
            return;
        }
        let chain = self.read("certificates/apiserver.crt");
        self.write(kubeconfig::CA, kubeconfig::authority(&chain));
        for user in &self.users {
            let authority = self.folder.join(kubeconfig::CA);
            let cluster = format!(
                "server: \"{}\", certificate-authority: \"{}\"",
                self.url(),
                authority.display()
            );
            let text = kubeconfig::text(&cluster, &user.name, &user.token());
            self.write(&kubeconfig::file_name(user), &text);
        }
    }

    fn api_arguments(&self) -> Vec<String> {
        let path = |name: &str| self.folder.join(name).display().to_string();
        // Any key will do for service accounts: the one of the server's own certificate is at hand.
        let key = path("certificates/apiserver.key");
        vec![
            format!("--etcd-servers={}", self.etcd_url()),
            "--bind-address=127.0.0.1".to_owned(),
            "--advertise-address=127.0.0.1".to_owned(),
            // A loopback address cannot be an endpoint, which would be said again and again.
            "--endpoint-reconciler-type=none".to_owned(),
            format!("--secure-port={}", self.api_port),
            format!("--cert-dir={}", path("certificates")),
            format!("--service-account-issuer={}", self.url()),
            format!("--service-account-key-file={key}"),
            format!("--service-account-signing-key-file={key}"),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            format!("--token-auth-file={}", path("tokens.csv")),
            // Nobody makes the service accounts that it would ask for.
            "--disable-admission-plugins=ServiceAccount".to_owned(),
        ]
    }

    fn api(&self) -> MutexGuard<'_, Option<Process>> {
        self.api.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What users were given.
    pub(crate) fn grants(&self) -> MutexGuard<'_, Vec<Grant>> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, name: &str) -> String {
        let path = self.folder.join(name);
        fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::write(&path, text)
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }
}

fn etcd_arguments(folder: &Path, port: u16) -> Vec<String> {
    let url = format!("http://127.0.0.1:{port}");
    vec![
        "--name=testkit".to_owned(),
        format!("--data-dir={}", folder.join("etcd").display()),
        "--unsafe-no-fsync".to_owned(), // no test outlives the machine
        format!("--listen-client-urls={url}"),
        format!("--advertise-client-urls={url}"),
        "--listen-peer-urls=http://127.0.0.1:0".to_owned(), // there are no peers
        "--log-level=warn".to_owned(),
    ]
}

/// Two ports that nobody uses now.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
    listeners.map(|listener| {
        let address = listener.and_then(|listener| listener.local_addr());
        address.expect("loopback has free ports").port()
    })
}

fn is_port_taken(why: &str) -> bool {
    why.contains("address already in use")
}
