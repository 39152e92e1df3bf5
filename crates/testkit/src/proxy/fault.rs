//! What goes wrong with a request.

use std::time::Duration;

use crate::proxy::message::Response;

/// What goes wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whether the API server gets the request, and does what it asks for.
    pub reaches: bool,
    /// What the client gets.
    pub reply: Reply,
}

/// What the client gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The API server's answer, as it is.
    Whole,
    /// The end of the connection.
    Cut,
    /// Half of the API server's answer, and then the end of the connection.
    Half,
    /// Half of the API server's answer as if it were all of it.
    Short,
    /// The API server's answer, byte by byte, with a pause before each.
    Drip(Duration),
    /// Nothing, and the connection stays until the client closes it.
    Silence,
    /// Another answer.
    Other(Response),
}

impl Fault {
    /// The API server never gets the request.
    pub const fn before(reply: Reply) -> Self {
        Self {
            reaches: false,
            reply,
        }
    }

    /// The API server does what the request asks for.
    pub const fn after(reply: Reply) -> Self {
        Self {
            reaches: true,
            reply,
        }
    }
}
