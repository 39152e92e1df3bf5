//! Connections of clients, a thread for each.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use rustls::{ServerConnection, StreamOwned};

use crate::proxy::certificate::Identity;
use crate::proxy::fault::{Fault, Reply};
use crate::proxy::message::{Request, Response};
use crate::proxy::{State, lock};

/// Serves clients until it is over.
pub(crate) fn listen(
    listener: &TcpListener,
    state: &Arc<Mutex<State>>,
    identity: Option<&Identity>,
) {
    for socket in listener.incoming() {
        let Ok(socket) = socket else { continue };
        if lock(state).is_over {
            return;
        }
        let (state, config) = (Arc::clone(state), identity.map(Identity::config));
        std::thread::spawn(move || {
            // A client that goes away is not the proxy's fault.
            let _ = socket.set_nodelay(true);
            let _ = match config.map(ServerConnection::new) {
                None => serve(socket, &state),
                Some(Ok(tls)) => serve(StreamOwned::new(tls, socket), &state),
                Some(Err(error)) => Err(io::Error::other(error.to_string())),
            };
        });
    }
}

/// Serves one client until one of both has had enough.
fn serve(stream: impl Read + Write, state: &Mutex<State>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = Request::read(&mut stream)? {
        let mut held = lock(state);
        let number = held.requests.len();
        held.requests.push(request.clone());
        let fault = (held.rule)(number, &request);
        let upstream = held.upstream.clone();
        drop(held);
        let fault = fault.unwrap_or(Fault::after(Reply::Whole));
        let answer = match upstream {
            Some(upstream) if fault.reaches => Some(upstream.ask(&request)?),
            _ => None,
        };
        if answer.is_some() {
            lock(state).answered.insert(number);
        }
        let goes_on = reply(stream.get_mut(), answer, fault.reply)?;
        if !goes_on {
            return Ok(());
        }
    }
    Ok(())
}

/// Answers, and says whether the connection stays.
fn reply(to: &mut (impl Read + Write), answer: Option<Response>, reply: Reply) -> io::Result<bool> {
    let whole = match (reply, answer) {
        (Reply::Other(other), _) => other,
        (Reply::Whole, Some(answer)) => answer,
        (Reply::Short, Some(mut answer)) => {
            answer.body.truncate(answer.body.len() / 2);
            answer
        }
        (Reply::Half, Some(answer)) => {
            let (half, _) = answer.body.split_at(answer.body.len() / 2);
            to.write_all(&[&answer.head(answer.body.len()), half].concat())?;
            to.flush()?;
            return Ok(false);
        }
        (Reply::Drip(pause), Some(answer)) => {
            to.write_all(&answer.head(answer.body.len()))?;
            for byte in &answer.body {
                std::thread::sleep(pause);
                to.write_all(&[*byte])?;
                to.flush()?;
            }
            return Ok(true);
        }
        (Reply::Silence, _) => {
            to.read_exact(&mut [0])?; // until the client goes, or asks again, which it should not
            return Ok(false);
        }
        // Without an answer of the API server there is nothing that could be passed on.
        (Reply::Cut, _) | (_, None) => return Ok(false),
    };
    to.write_all(&[whole.head(whole.body.len()), whole.body].concat())?;
    to.flush()?;
    Ok(true)
}
