use accord_model::facts::AuthenticationMode::ApiAndConfigMap;
use accord_model::facts::Role;
use accord_model::observed::Observed;

use super::migrate;
use crate::testing::{entry, in_mode, map, observed};

/// A cluster in which both sources are read, with a role of each kind and a mapped account.
fn seen(account: bool) -> Observed {
    let nodes = ["system:bootstrappers", "system:nodes"];
    let mut map = map()
        .role("role/nodes", "system:node:{{EC2PrivateDNSName}}", &nodes)
        .role("role/boss", "admin", &["system:masters", "ops"])
        .role("role/old", "system:old", &["g"])
        .role("role/there", "there", &["g"]);
    if account {
        map = map.account("444455556666");
    }
    let mut seen = in_mode(observed(map.build()), Some(ApiAndConfigMap));
    seen.access_entries.complete = true;
    let mut there = entry("role/there", "STANDARD", Some("other"));
    there.policies = Some(Vec::new());
    seen.access_entries.items = vec![there];
    seen.roles.items = ["nodes", "team/boss", "old", "there"]
        .map(|path| Role {
            arn: format!("arn:aws:iam::111122223333:role/{path}"),
            id: None,
            created: None,
        })
        .into();
    seen
}

#[test]
fn each_mapping_has_its_fate_and_each_difference_is_listed() {
    let decided = migrate(&seen(true), true);
    let fates = decided.fates.iter().map(|fate| {
        let entry = fate.entry.as_ref();
        let entry = entry.map_or(String::new(), |e| format!(" {} {}", e.kind, e.principal));
        format!("{} {}{entry}", fate.id, fate.verdict.name())
    });
    let fates: Vec<String> = fates.collect();
    assert_eq!(
        fates,
        [
            "mapRoles[0] create EC2_LINUX arn:aws:iam::111122223333:role/nodes",
            "mapRoles[1] create STANDARD arn:aws:iam::111122223333:role/team/boss",
            "mapRoles[2] stays",
            "mapRoles[3] stays",
            "mapAccounts[0] stays",
        ]
    );
    let blockers = decided.blockers.iter();
    let blockers: Vec<&str> = blockers.map(|b| b.finding.kind.name()).collect();
    assert_eq!(
        blockers,
        [
            "username-reserved",
            "entry-differs",
            "account-not-migratable"
        ]
    );
    assert_eq!(decided.final_mode, Some(ApiAndConfigMap));
    let differences = decided.differences.iter();
    let differences: Vec<bool> = differences.map(|d| d.accepted.is_some()).collect();
    assert_eq!(differences, [true, true], "nodes and boss");
    assert!(decided.is_equal());
}
