//! Watches of the Kubernetes API: answers that go on.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Shared, lock};
use crate::kubernetes::api::Selection;

/// Begins a watch. It ends when the client goes, or after the time that the client set.
pub(super) fn begin(
    shared: Arc<Shared>,
    key: String,
    selection: Selection,
) -> mpsc::Receiver<Bytes> {
    let (sender, receiver) = mpsc::channel(16);
    let limit = Duration::from_secs(selection.timeout.unwrap_or(3600));
    tokio::spawn(async move {
        let _ = tokio::time::timeout(limit, run(shared, key, selection, sender)).await;
    });
    receiver
}

/// One event in one line.
fn line(event: &Value) -> Bytes {
    format!("{event}\n").into()
}

async fn run(shared: Arc<Shared>, key: String, selection: Selection, sender: mpsc::Sender<Bytes>) {
    let mut changes = shared.changed.subscribe();
    let mut since = selection.since;
    let beginning = selection.beginning(&lock(&shared.world));
    for event in &beginning {
        if sender.send(line(event)).await.is_err() {
            return;
        }
    }
    if selection.bookmarks && sender.send(line(&selection.bookmark(since))).await.is_err() {
        return;
    }
    loop {
        let found = selection.events(&lock(&shared.world), &key, since);
        let Some((events, version)) = found else {
            let status = json!({
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Failure",
                "message": "too old resource version",
                "reason": "Expired",
                "code": 410,
            });
            let _ = sender
                .send(line(&json!({"type": "ERROR", "object": status})))
                .await;
            return;
        };
        since = version;
        for event in &events {
            if sender.send(line(event)).await.is_err() {
                return;
            }
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = sender.closed() => return,
        }
    }
}
