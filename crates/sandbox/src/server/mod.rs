//! Serving a world: sockets, the machine's clock, the log, the file it is kept in.
//!
//! One thread answers everything. A request locks the world, is answered by a function, and lets it go; only then is
//! anything waited for. What happens by itself in the world happens when the clock gets there.

mod clock;
mod control;
mod http;
mod log;
mod save;
mod tls;
mod watch;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::sync::watch as signal;

use crate::world::World;
use clock::Clock;
use log::Log;
use tls::Tls;

pub use clock::machine_time;
pub use save::{SaveError, load};

/// How a world is served.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The port on loopback; 0 takes one that is free.
    pub port: u16,
    /// The file in which the world is kept.
    pub save: Option<PathBuf>,
    /// Each call is printed on standard error.
    pub verbose: bool,
    /// The clock stands still until it is moved.
    pub frozen: bool,
}

/// What all connections share.
struct Shared {
    world: Mutex<World>,
    clock: Mutex<Clock>,
    log: Mutex<Log>,
    /// Counts requests that may have changed something: watchers wait for the next.
    changed: signal::Sender<u64>,
    /// Somebody moved the clock, or something new will happen.
    wake: Notify,
    options: Options,
}

/// A lock that nobody can have poisoned: a panic ends the process.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// The world at this moment: whatever is due has happened.
    fn world(&self) -> MutexGuard<'_, World> {
        let now = lock(&self.clock).now();
        let mut world = lock(&self.world);
        world.advance_to(now);
        world
    }

    /// Something may have changed.
    fn touch(&self) {
        self.changed.send_modify(|count| *count += 1);
        self.wake.notify_one();
    }
}

/// Serves a world on loopback until the process is interrupted. `ready` is told the address, `http://127.0.0.1:PORT`.
///
/// # Errors
/// If the port cannot be had, or the world cannot be saved at the end.
pub fn run(
    mut world: World,
    options: Options,
    ready: impl FnOnce(&mut World, &str),
) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = TcpListener::bind(address).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let tls = Tls::new()?;
        world.serve_at(&url, &tls.authority);
        ready(&mut world, &url);
        let shared = Arc::new(Shared {
            clock: Mutex::new(Clock::new(world.now(), options.frozen)),
            world: Mutex::new(world),
            log: Mutex::new(Log::default()),
            changed: signal::channel(0).0,
            wake: Notify::new(),
            options,
        });
        tokio::spawn(tick(shared.clone()));
        tokio::spawn(save::keep(shared.clone()));
        tokio::select! {
            () = http::accept(listener, tls, shared.clone()) => {}
            () = interrupted() => {}
        }
        save::now(&shared)
    })
}

/// Waits for Ctrl-C or a request to end.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Lets things happen when they are due, so that watchers see them without asking.
async fn tick(shared: Arc<Shared>) {
    loop {
        let next = lock(&shared.world).next_due();
        let wait = next.and_then(|at| lock(&shared.clock).until(at));
        let slept = match wait {
            Some(wait) => tokio::time::timeout(wait, shared.wake.notified())
                .await
                .is_err(),
            None => {
                shared.wake.notified().await;
                false
            }
        };
        if slept {
            drop(shared.world());
            shared.changed.send_modify(|count| *count += 1);
            // The next thing may be due at the same moment: others get their turn first.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
