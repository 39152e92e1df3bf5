//! The server that the tests of one binary share.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::server::ApiServer;

static SERVER: OnceLock<ApiServer> = OnceLock::new();
static TURN: Mutex<()> = Mutex::new(());

/// The shared server, while it is this test's turn.
#[derive(Debug)]
pub struct Turn {
    server: &'static ApiServer,
    _turn: MutexGuard<'static, ()>,
}

/// Waits until no other test of this binary uses the shared server, and hands it out running and
/// [reset](ApiServer::reset), also if the test before has failed. It is started when it is first asked for.
pub fn server() -> Turn {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let server = SERVER.get_or_init(ApiServer::start);
    if !server.is_running() {
        server.start_api();
    }
    server.reset();
    Turn {
        server,
        _turn: turn,
    }
}

impl Deref for Turn {
    type Target = ApiServer;

    fn deref(&self) -> &ApiServer {
        self.server
    }
}
