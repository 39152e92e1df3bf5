//! A first look: a cluster to play with, what to set, and what to try.

use serde_json::json;

use crate::World;
use crate::kubernetes::api::ADMINISTRATOR;
use crate::seed::{SeedError, seed};

/// Puts the demo's cluster into the world.
///
/// # Errors
/// If the cluster of that name is there already in a form that the demo's cannot replace; never with a new world.
pub fn furnish(world: &mut World) -> Result<(), SeedError> {
    seed(world, "demo.yaml", include_bytes!("demo.yaml"))
}

/// A kubeconfig for every cluster that is up, with the AWS CLI making the tokens; the first is the current one. A
/// context `…-admin` beside each needs no token.
pub fn kubeconfig(world: &World) -> String {
    let up = world.clusters.values().filter_map(|cluster| {
        let endpoint = cluster.about.endpoint.as_ref()?;
        Some((
            cluster.about.name.clone(),
            cluster.region().to_owned(),
            endpoint.clone(),
        ))
    });
    let up: Vec<(String, String, String)> = up.collect();
    let clusters = up.iter().map(|(name, _, endpoint)| {
        json!({"name": name, "cluster": {
            "server": endpoint,
            "certificate-authority-data": world.authority,
        }})
    });
    let users = up.iter().map(|(name, region, _)| {
        let exec = json!({
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "command": "aws",
            "args": ["eks", "get-token", "--cluster-name", name, "--region", region, "--output", "json"],
            "interactiveMode": "Never",
        });
        json!({"name": name, "user": {"exec": exec}})
    });
    let admin = json!({"name": "admin", "user": {"token": ADMINISTRATOR}});
    let contexts = up.iter().flat_map(|(name, ..)| {
        [
            json!({"name": name, "context": {"cluster": name, "user": name}}),
            json!({"name": format!("{name}-admin"), "context": {"cluster": name, "user": "admin"}}),
        ]
    });
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": clusters.collect::<Vec<_>>(),
        "users": users.chain([admin]).collect::<Vec<_>>(),
        "contexts": contexts.collect::<Vec<_>>(),
        "current-context": up.first().map(|(name, ..)| name),
    });
    accord_wire::report::yaml::document(&config)
}

/// What to set, and a tour, for people. `kubeconfig` is where the kubeconfig was written.
pub fn tour(world: &World, url: &str, kubeconfig: &str) -> String {
    let region = &world.settings.region;
    format!(
        r#"Set this in another terminal:

export AWS_ENDPOINT_URL={url}
export AWS_ACCESS_KEY_ID=AKIASANDBOX000000001
export AWS_SECRET_ACCESS_KEY=none
export AWS_REGION={region}
export AWS_DEFAULT_REGION={region}
export KUBECONFIG={kubeconfig}

Then look around:

aws sts get-caller-identity
aws eks describe-cluster --name demo --query cluster.accessConfig
kubectl get nodes
kubectl get configmap aws-auth -n kube-system -o yaml

See Fargate stop, as it does when a tool writes aws-auth without EKS's entries:

kubectl run web -n shop --image nginx && kubectl get pods -n shop
kubectl get configmap aws-auth -n kube-system -o yaml > before.yaml
kubectl patch configmap aws-auth -n kube-system --type merge -p '{{"data":{{"mapRoles":"[]"}}}}'
kubectl run late -n shop --image nginx && kubectl get events -n shop
kubectl get nodes                                  # NotReady after a moment
curl -s '{url}/_sandbox/state?of=aws' > facts.yaml # what EKS knows, as a state file
accord explain fargate-profile/shop --facts facts.yaml

and heal it:

accord restore --from before.yaml --facts facts.yaml --yes
kubectl get pods -n shop

Move to access entries:

aws eks update-cluster-config --name demo --access-config authenticationMode=API_AND_CONFIG_MAP
aws eks list-access-entries --cluster-name demo

The clock, faults and the log are at {url}/_sandbox/; Ctrl-C ends it.
"#
    )
}
