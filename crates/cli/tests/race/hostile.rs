//! Writers of whole maps: the real kubectl, with what the map was some time ago.

use accord_testkit::ApiServer;
use serde_json::{Value, json};

/// A way to write a whole map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// `kubectl apply`
    Apply,
    /// `kubectl replace`
    Replace,
    /// `kubectl patch`
    Patch,
}

impl Tool {
    pub(crate) const ALL: [Self; 3] = [Self::Apply, Self::Replace, Self::Patch];

    /// Writes the data of an old version over whatever is there now.
    pub(crate) fn overwrite(self, server: &ApiServer, old: &Value) {
        let manifest = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "aws-auth", "namespace": "kube-system"},
            "data": old["data"],
        });
        // `replace` reads the version itself, and somebody may write between.
        for _ in 0..100 {
            let output = match self {
                Self::Apply => {
                    server.kubectl_with_input(&["apply", "-f", "-"], &manifest.to_string())
                }
                Self::Replace => {
                    server.kubectl_with_input(&["replace", "-f", "-"], &manifest.to_string())
                }
                Self::Patch => {
                    let patch = json!({"data": old["data"]}).to_string();
                    let object = ["patch", "configmap", "aws-auth", "--namespace=kube-system"];
                    let how = ["--type=merge", "--patch", &patch];
                    server.kubectl(&[&object[..], &how[..]].concat())
                }
            };
            if output.succeeded() {
                return;
            }
            let is_conflict = output.stderr.contains("the object has been modified");
            assert!(is_conflict, "{self:?}: {}", output.stderr);
        }
        panic!("{self:?} never came through");
    }
}
