//! The published schemas are those of the types: `UPDATE_SCHEMAS=1 cargo test -p accord-wire` writes them anew.

#![allow(
    clippy::disallowed_methods,
    reason = "a test may read files and the environment"
)]

use std::path::Path;

#[test]
fn published_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    for (name, schema) in accord_wire::report::schemas() {
        let path = folder.join(format!("{name}.json"));
        let mut text = serde_json::to_string_pretty(&schema).unwrap();
        text.push('\n');
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            published, text,
            "docs/schemas/{name}.json is out of date: UPDATE_SCHEMAS=1 cargo test -p accord-wire"
        );
    }
}

#[test]
fn fields_that_are_always_written_are_required() {
    let schemas = accord_wire::report::schemas();
    let (_, plan) = schemas.iter().find(|(name, _)| *name == "plan").unwrap();
    let change = &plan.as_value()["$defs"]["Change"];
    let required: Vec<&str> = change["required"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|v| v.as_str())
        .collect();
    assert!(required.contains(&"before") && required.contains(&"after"));
    assert!(!plan.as_value()["required"].to_string().contains("journal"));
}
