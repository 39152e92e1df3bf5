//! (crate essay)

pub mod authenticator;
pub mod aws_auth;
mod claims;
pub mod config_map;
pub mod declaration;
pub mod edit;
pub mod fragment;
pub mod journal;
pub mod ledger;
pub mod quote;
pub mod report;
pub mod saved;
pub mod sources;
pub mod state;
mod stored;
pub mod teeth;
pub mod time;
mod view;
pub mod yaml;
