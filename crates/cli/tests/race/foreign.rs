//! The map before anybody uses Accord.

use accord_testkit::ApiServer;
use serde_json::{Value, json};

/// The map as others wrote it: none of it is Accord's to change.
const FOREIGN: &str = "# node groups, do not touch
- rolearn: arn:aws:iam::111122223333:role/nodes
  username: system:node:{{EC2PrivateDNSName}}
  groups:
  - system:bootstrappers
  - system:nodes

-   groups:
      - system:masters   # break glass
    rolearn: arn:aws:iam::111122223333:role/platform
    username: platform
- rolearn: arn:aws:iam::111122223333:role/pods
  username: system:node:{{SessionName}}
  groups: [ system:bootstrappers, system:nodes, system:node-proxier ]
# the end
";

/// Makes the map, and returns it.
pub(crate) fn make(server: &ApiServer) -> Value {
    let map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "aws-auth", "namespace": "kube-system"},
        // Without data it would have no managers, and it could not be told who wrote it.
        "data": {"mapRoles": FOREIGN, "note": "keep me\n"},
    });
    let create = ["create", "-f", "-"];
    server.kubectl_with_input(&create, &map.to_string()).ok();
    map
}
