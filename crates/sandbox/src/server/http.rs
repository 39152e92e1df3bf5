//! Connections: HTTP in and out, and to whom a request goes by its path.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use accord_wire::time;

use super::log::Entry;
use super::tls::Tls;
use super::{Shared, control, lock, watch};
use crate::eks::cluster::KUBERNETES;
use crate::kubernetes::api::{self, Reply};
use crate::protocol::{self, Request, Response};

/// The largest body that is taken.
const MAX_BODY: usize = 4 << 20;

/// With what the paths of the sandbox's own endpoints begin.
const CONTROL: &str = "/_sandbox/";

/// Takes connections for ever.
pub(super) async fn accept(listener: TcpListener, tls: Tls, shared: Arc<Shared>) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Out of file descriptors, perhaps: others may be closed meanwhile.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let (shared, tls) = (shared.clone(), tls.clone());
        tokio::spawn(async move {
            // A client that goes away in the middle is its own affair.
            if Tls::is_wanted(&stream).await {
                if let Ok(stream) = tls.accept(stream).await {
                    serve(stream, shared).await;
                }
            } else {
                serve(stream, shared).await;
            }
        });
    }
}

async fn serve<S>(stream: S, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request| respond(shared.clone(), request));
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// A body that is there, or one that goes on.
pub(super) enum Answer {
    /// All of it.
    Whole(Full<Bytes>),
    /// Piece by piece, until nobody sends any more.
    Pieces(mpsc::Receiver<Bytes>),
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(body) => Pin::new(body).poll_frame(context),
            Self::Pieces(pieces) => pieces
                .poll_recv(context)
                .map(|piece| piece.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Pieces(_) => false,
        }
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Pieces(_) => hyper::body::SizeHint::default(),
        }
    }
}

type Result<T, E = hyper::http::Error> = std::result::Result<T, E>;

async fn respond(
    shared: Arc<Shared>,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Answer>> {
    let Some(request) = read(request).await else {
        return whole(Response {
            status: 413,
            headers: Vec::new(),
            body: Vec::new(),
        });
    };
    if let Some(path) = request.path.strip_prefix(CONTROL) {
        return whole(control::answer(&shared, path, &request));
    }
    if let Some(path) = request.path.strip_prefix(KUBERNETES) {
        let path = path.to_owned();
        return kubernetes(&shared, &path, &request).await;
    }
    let answered = {
        let mut world = shared.world();
        protocol::answer(&mut world, &request)
    };
    if request.method != "GET" {
        shared.touch();
    }
    let entry = Entry {
        time: time::print(lock(&shared.clock).now()),
        service: answered.service.to_owned(),
        operation: answered.operation,
        caller: answered.caller,
        status: answered.response.status,
        error: answered.error,
    };
    note(&shared, entry);
    if answered.latency > 0 {
        tokio::time::sleep(Duration::from_millis(answered.latency)).await;
    }
    whole(answered.response)
}

/// Answers a call of the Kubernetes API of a cluster.
async fn kubernetes(
    shared: &Arc<Shared>,
    path: &str,
    request: &Request,
) -> Result<hyper::Response<Answer>> {
    let key: String = path.split('/').take(3).collect::<Vec<_>>().join("/");
    let path = path.get(key.len()..).unwrap_or_default();
    let answered = {
        let mut world = shared.world();
        api::answer(&mut world, &key, path, request)
    };
    if request.method != "GET" {
        shared.touch();
    }
    let status = match &answered.reply {
        Reply::Whole(response) => response.status,
        Reply::Watch(_) => 200,
    };
    let entry = Entry {
        time: time::print(lock(&shared.clock).now()),
        service: "kubernetes".to_owned(),
        operation: answered.operation,
        caller: answered.caller,
        status,
        error: None,
    };
    note(shared, entry);
    if answered.latency > 0 {
        tokio::time::sleep(Duration::from_millis(answered.latency)).await;
    }
    match answered.reply {
        Reply::Whole(response) => whole(response),
        Reply::Watch(selection) => hyper::Response::builder()
            .header("content-type", "application/json")
            .body(Answer::Pieces(watch::begin(
                shared.clone(),
                key,
                *selection,
            ))),
    }
}

/// Puts a call into the log.
fn note(shared: &Shared, entry: Entry) {
    if shared.options.verbose {
        let error = entry.error.as_deref().unwrap_or_default();
        eprintln!(
            "{} {} {} {} {error}",
            entry.time, entry.service, entry.operation, entry.status
        );
    }
    lock(&shared.log).add(entry);
}

/// The request as a value; `None` if its body is too large or breaks off.
async fn read(request: hyper::Request<Incoming>) -> Option<Request> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, MAX_BODY)
        .collect()
        .await
        .ok()?
        .to_bytes();
    let headers = head.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    Some(Request {
        method: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: headers.collect(),
        body: body.to_vec(),
    })
}

fn whole(response: Response) -> Result<hyper::Response<Answer>> {
    let mut builder = hyper::Response::builder().status(response.status);
    for (name, value) in response.headers {
        builder = builder.header(name, value);
    }
    builder.body(Answer::Whole(Full::new(response.body.into())))
}
