//! What etcd has stored, asked without the API server in between.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::net::{Ipv4Addr, TcpStream};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::proxy::{Request, Response};
use crate::server::ApiServer;

impl ApiServer {
    /// How often each key under a prefix was written since it was made: `/registry/configmaps/default/a` was 3 times.
    ///
    /// Whoever claims to have seen every version of an object can be held to it.
    pub fn times_written(&self, prefix: &str) -> BTreeMap<String, usize> {
        let mut end = prefix.as_bytes().to_vec();
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        let body = json!({
            "key": BASE64_STANDARD.encode(prefix),
            "range_end": BASE64_STANDARD.encode(end),
            "keys_only": true,
        });
        let answer = self.ask_etcd("/v3/kv/range", &body);
        let keys = answer["kvs"].as_array().into_iter().flatten();
        keys.map(|kept| {
            let key = kept["key"].as_str().unwrap_or_default();
            let key = BASE64_STANDARD.decode(key).expect("etcd writes base64");
            let times = kept["version"]
                .as_str()
                .and_then(|times| times.parse().ok());
            (
                String::from_utf8_lossy(&key).into_owned(),
                times.expect("etcd counts"),
            )
        })
        .collect()
    }

    fn ask_etcd(&self, path: &str, body: &Value) -> Value {
        let answer =
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.etcd_port())).and_then(|mut stream| {
                let mut request = Request::new("POST", path, &body.to_string());
                request
                    .headers
                    .push(("host".to_owned(), "127.0.0.1".to_owned()));
                request.send(&mut stream)?;
                Response::read(&mut BufReader::new(stream))
            });
        let answer = answer.unwrap_or_else(|error| panic!("etcd does not answer: {error}"));
        serde_json::from_slice(&answer.body)
            .unwrap_or_else(|error| panic!("etcd: {error}: {}", answer.text()))
    }
}
