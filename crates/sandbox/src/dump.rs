//! A cluster of the world as a state file: what `accord snapshot` would write of it.

use accord_wire::report::yaml;
use accord_wire::time;
use serde_json::{Value, json};

use crate::kubernetes::resource::Resource;
use crate::world::{Stamp, World};

/// Which documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All.
    Whole,
    /// What AWS knows: to be given as `--facts` beside a live cluster.
    Aws,
}

/// The cluster of that name (the first, whatever its account and region) as a state file; `None` if there is none.
pub fn dump(world: &World, name: Option<&str>, part: Part) -> Option<String> {
    let mut clusters = world.clusters.values();
    let cluster = clusters.find(|c| name.is_none_or(|name| c.about.name == name))?;
    let mut documents = vec![
        json!({"cluster": cluster.about}),
        json!({"nodegroups": cluster.nodegroups.keys().collect::<Vec<_>>()}),
        json!({"fargateProfileNames": cluster.fargate_profiles.keys().collect::<Vec<_>>()}),
    ];
    documents.extend(cluster.nodegroups.values().map(|n| json!({"nodegroup": n})));
    documents.extend(
        cluster
            .fargate_profiles
            .values()
            .map(|p| json!({"fargateProfile": p})),
    );
    if cluster.mode().reads_entries() {
        documents.push(json!({"accessEntries": cluster.access_entries.keys().collect::<Vec<_>>()}));
    }
    for entry in cluster.access_entries.values() {
        documents.push(json!({"accessEntry": entry.shown()}));
        documents.push(json!({
            "clusterName": cluster.about.name,
            "principalArn": entry.principal_arn,
            "associatedAccessPolicies": entry.hidden.policies,
        }));
    }
    documents.push(json!({"addons": cluster.addons.keys().collect::<Vec<_>>()}));
    documents.extend(cluster.addons.values().map(|a| json!({"addon": a.about})));
    documents.extend(
        cluster
            .associations
            .values()
            .map(|a| json!({"association": a})),
    );
    if let Some(account) = world.accounts.get(cluster.account()) {
        let roles = account.roles.values().map(|role| role.as_printed());
        documents.push(json!({"Roles": roles.collect::<Vec<_>>()}));
    }
    for resource in Resource::ALL {
        if part == Part::Aws {
            break;
        }
        let items: Vec<&Value> = cluster.kubernetes.list(resource, None).collect();
        documents.push(json!({
            "apiVersion": resource.api_version(),
            "kind": format!("{}List", resource.kind()),
            "items": items,
        }));
    }
    let texts = documents.iter_mut().map(|document| {
        dates(document);
        yaml::document(document)
    });
    Some(texts.collect::<Vec<_>>().join("---\n"))
}

/// Times as the AWS CLI prints them.
fn dates(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(dates),
        Value::Object(fields) => {
            for (name, field) in fields {
                let is_date = matches!(name.as_str(), "createdAt" | "modifiedAt" | "associatedAt");
                if let (true, Ok(stamp)) = (is_date, serde_json::from_value::<Stamp>(field.clone()))
                {
                    *field = time::print(stamp.0).into();
                } else {
                    dates(field);
                }
            }
        }
        _ => {}
    }
}
