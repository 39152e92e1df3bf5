//! Reading compared with what the authenticator's own packages answered (v0.7.18), and what is remarked.

mod examples;
