//! The manners in which a request can go wrong.

use std::time::Duration;

use accord_testkit::{Fault, Reply, Response};

/// Where a manner is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// At every request.
    Usual,
    /// It takes seconds: at some, and in a soak at all.
    Slow,
    /// It goes the way of another one: in a soak only.
    Rare,
}

/// A manner.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) name: &'static str,
    pub(crate) fault: Fault,
    /// From the request on, and not for it alone.
    pub(crate) lasts: bool,
    pub(crate) cost: Cost,
}

fn once(name: &'static str, fault: Fault) -> Manner {
    Manner {
        name,
        fault,
        lasts: false,
        cost: Cost::Usual,
    }
}

fn from_now_on(name: &'static str, fault: Fault) -> Manner {
    Manner {
        lasts: true,
        ..once(name, fault)
    }
}

fn slowly(manner: Manner) -> Manner {
    Manner {
        cost: Cost::Slow,
        ..manner
    }
}

fn rarely(manner: Manner) -> Manner {
    Manner {
        cost: Cost::Rare,
        ..manner
    }
}

/// All of them.
pub(crate) fn all() -> Vec<Manner> {
    let told = |response: Response| Fault::before(Reply::Other(response));
    let lied = |response: Response| Fault::after(Reply::Other(response));
    let busy = || {
        Response::status(
            429,
            "TooManyRequests",
            "the server has received too many requests",
        )
    };
    let conflict = || Response::status(409, "Conflict", "the object has been modified");
    let unavailable = || Response::status(503, "ServiceUnavailable", "apiserver not ready");
    let broken = || Response::status(500, "InternalError", "etcdserver: request timed out");
    let moved =
        || Response::new(302, "text/html", "").with("location", "https://127.0.0.1:1/login");
    vec![
        once("cut before", Fault::before(Reply::Cut)),
        once("cut after", Fault::after(Reply::Cut)),
        once("cut half way", Fault::after(Reply::Half)),
        rarely(from_now_on("gone before", Fault::before(Reply::Cut))),
        from_now_on("gone after", Fault::after(Reply::Cut)),
        rarely(from_now_on("gone half way", Fault::after(Reply::Half))),
        once("409", told(conflict())),
        once("409 although done", lied(conflict())),
        slowly(once("429", told(busy().with("retry-after", "1")))),
        slowly(from_now_on(
            "429 from now on",
            told(busy().with("retry-after", "1")),
        )),
        from_now_on(
            "429 for ever",
            told(busy().with("retry-after", "18446744073709551615")),
        ),
        rarely(once("500", told(broken()))),
        rarely(once("500 although done", lied(broken()))),
        rarely(from_now_on("500 from now on", told(broken()))),
        from_now_on("500 from now on although done", lied(broken())),
        rarely(from_now_on("503 from now on", told(unavailable()))),
        from_now_on("503 as a page from now on", told(Response::html(503))),
        rarely(once("a page", told(Response::html(200)))),
        once("a page although done", lied(Response::html(200))),
        rarely(once("a page that says 404", told(Response::html(404)))),
        once("half an object", Fault::after(Reply::Short)),
        rarely(once("a redirect", told(moved()))),
        once(
            "401",
            told(Response::status(401, "Unauthorized", "Unauthorized")),
        ),
        rarely(once(
            "nothing at all",
            told(Response::new(200, "application/json", "")),
        )),
        slowly(once("silence", Fault::before(Reply::Silence))),
        slowly(once("silence although done", Fault::after(Reply::Silence))),
        slowly(once(
            "drop by drop",
            Fault::after(Reply::Drip(Duration::from_millis(50))),
        )),
    ]
}
