//! Who owns which field: `metadata.managedFields`.
//!
//! Fields are told apart where owners of maps quarrel: the keys of `data`, `binaryData`, labels and annotations. Anything
//! else counts as one field by its first name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::kubernetes::store::set_meta;

/// A field: `["data", "mapRoles"]`.
type Field = Vec<String>;

/// One element of `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owner {
    manager: String,
    /// `Apply` or `Update`.
    operation: String,
    time: String,
    fields: BTreeSet<Field>,
}

/// Who writes, how and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'w> {
    pub(crate) manager: &'w str,
    pub(crate) now: &'w str,
}

/// The fields of an object, and their values.
fn fields(object: &Value) -> BTreeMap<Field, &Value> {
    let mut fields = BTreeMap::new();
    let mut add_map = |path: &[&str], map: &'_ Value| {
        for (key, _) in map.as_object().into_iter().flatten() {
            let field: Field = path
                .iter()
                .copied()
                .chain([key.as_str()])
                .map(str::to_owned)
                .collect();
            fields.insert(field, ());
        }
    };
    for name in ["data", "binaryData"] {
        add_map(&[name], &object[name]);
    }
    for name in ["labels", "annotations"] {
        add_map(&["metadata", name], &object["metadata"][name]);
    }
    for (name, _) in object.as_object().into_iter().flatten() {
        let apart = [
            "apiVersion",
            "kind",
            "metadata",
            "data",
            "binaryData",
            "status",
        ];
        if !apart.contains(&name.as_str()) {
            fields.insert(vec![name.clone()], ());
        }
    }
    let value = |field: Field| {
        let value = field
            .iter()
            .fold(object, |value, part| &value[part.as_str()]);
        (field, value)
    };
    fields.into_keys().map(value).collect()
}

fn read(object: &Value) -> Vec<Owner> {
    let elements = object["metadata"]["managedFields"].as_array();
    let elements = elements.into_iter().flatten();
    elements
        .map(|element| {
            let text = |name: &str| element[name].as_str().unwrap_or_default().to_owned();
            let mut fields = BTreeSet::new();
            collect(&element["fieldsV1"], &mut Vec::new(), &mut fields);
            Owner {
                manager: text("manager"),
                operation: text("operation"),
                time: text("time"),
                fields,
            }
        })
        .collect()
}

fn collect(value: &Value, path: &mut Field, fields: &mut BTreeSet<Field>) {
    for (key, below) in value.as_object().into_iter().flatten() {
        let Some(name) = key.strip_prefix("f:") else {
            continue;
        };
        path.push(name.to_owned());
        if below
            .as_object()
            .is_none_or(|below| below.keys().all(|k| k == "."))
        {
            fields.insert(path.clone());
        } else if path.len() < 4 {
            collect(below, path, fields);
        }
        path.pop();
    }
}

fn write(object: &mut Value, owners: &[Owner], api_version: &Value) {
    let elements = owners
        .iter()
        .filter(|owner| !owner.fields.is_empty())
        .map(|owner| {
            let mut tree = Map::new();
            for field in &owner.fields {
                let mut here = &mut tree;
                for part in field {
                    let below = here.entry(format!("f:{part}")).or_insert_with(|| json!({}));
                    let Some(map) = below.as_object_mut() else {
                        break;
                    };
                    here = map;
                }
            }
            json!({
                "manager": owner.manager,
                "operation": owner.operation,
                "apiVersion": api_version,
                "time": owner.time,
                "fieldsType": "FieldsV1",
                "fieldsV1": tree,
            })
        });
    let elements: Vec<Value> = elements.collect();
    set_meta(object, "managedFields", elements.into());
}

fn owner<'o>(owners: &'o mut Vec<Owner>, writer: Writer<'_>, operation: &str) -> &'o mut Owner {
    let place = owners
        .iter()
        .position(|o| o.manager == writer.manager && o.operation == operation);
    let place = place.unwrap_or_else(|| {
        owners.push(Owner {
            manager: writer.manager.to_owned(),
            operation: operation.to_owned(),
            time: String::new(),
            fields: BTreeSet::new(),
        });
        owners.len() - 1
    });
    &mut owners[place]
}

/// After an update: what the writer changed is the writer's alone, and what is gone is nobody's.
pub(crate) fn updated(before: Option<&Value>, after: &mut Value, writer: Writer<'_>) {
    let mut owners = before.map(read).unwrap_or_default();
    let api_version = after["apiVersion"].clone();
    let old = before.map(fields).unwrap_or_default();
    let new = fields(after);
    let changed: BTreeSet<Field> = new
        .iter()
        .filter(|(field, value)| old.get(*field) != Some(*value))
        .map(|(field, _)| field.clone())
        .collect();
    for owner in &mut owners {
        owner
            .fields
            .retain(|field| new.contains_key(field) && !changed.contains(field));
    }
    if !changed.is_empty() {
        let own = owner(&mut owners, writer, "Update");
        own.fields.extend(changed);
        writer.now.clone_into(&mut own.time);
    }
    write(after, &owners, &api_version);
}

/// Server-side apply: the object that comes of `config`.
///
/// # Errors
/// If others own fields with other values, and `force` is not given: each of them, and the field.
pub(crate) fn applied(
    before: Option<&Value>,
    config: &Value,
    writer: Writer<'_>,
    force: bool,
) -> Result<Value, Vec<(String, String)>> {
    let mut owners = before.map(read).unwrap_or_default();
    let old = before.map(fields).unwrap_or_default();
    let wanted = fields(config);
    let is_own = |o: &Owner| o.manager == writer.manager && o.operation == "Apply";
    let differs =
        |field: &Field, value: &Value| old.get(field).is_some_and(|there| *there != value);
    let mut conflicts = Vec::new();
    for owner in owners.iter().filter(|o| !is_own(o)) {
        for (field, value) in &wanted {
            if owner.fields.contains(field) && differs(field, value) {
                conflicts.push((owner.manager.clone(), format!(".{}", field.join("."))));
            }
        }
    }
    if !conflicts.is_empty() && !force {
        return Err(conflicts);
    }
    let mut result = before.cloned().unwrap_or_else(|| config.clone());
    // What the writer applied before and does not any more goes, unless somebody else wants it too.
    let dropped: Vec<Field> = owners
        .iter()
        .filter(|o| is_own(o))
        .flat_map(|o| &o.fields)
        .filter(|field| !wanted.contains_key(*field))
        .filter(|field| {
            !owners
                .iter()
                .any(|o| !is_own(o) && o.fields.contains(*field))
        })
        .cloned()
        .collect();
    for field in dropped {
        remove(&mut result, &field);
    }
    super::patch::merge(&mut result, config);
    for owner in owners.iter_mut().filter(|o| !is_own(o)) {
        owner
            .fields
            .retain(|field| wanted.get(field).is_none_or(|value| !differs(field, value)));
    }
    let changed = before.is_none_or(|before| fields(before) != fields(&result));
    let own = owner(&mut owners, writer, "Apply");
    let same = own.fields.iter().eq(wanted.keys());
    own.fields = wanted.into_keys().collect();
    if changed || !same {
        writer.now.clone_into(&mut own.time);
    }
    let api_version = config["apiVersion"].clone();
    write(&mut result, &owners, &api_version);
    Ok(result)
}

fn remove(object: &mut Value, field: &Field) {
    let Some((last, path)) = field.split_last() else {
        return;
    };
    let mut here = object;
    for part in path {
        let Some(below) = here.get_mut(part.as_str()) else {
            return;
        };
        here = below;
    }
    if let Some(map) = here.as_object_mut() {
        map.shift_remove(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(data: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
    }

    const fn by(manager: &str) -> Writer<'_> {
        Writer {
            manager,
            now: "2026-11-02T08:00:00Z",
        }
    }

    #[test]
    fn whoever_changes_a_key_owns_it() {
        let mut first = map(json!({"mapRoles": "a", "mapUsers": "b"}));
        updated(None, &mut first, by("kubectl"));
        let mut second = first.clone();
        second["data"]["mapRoles"] = "c".into();
        updated(Some(&first), &mut second, by("eks"));
        let owners: Vec<(String, BTreeSet<Field>)> = read(&second)
            .into_iter()
            .map(|o| (o.manager, o.fields))
            .collect();
        let field = |key: &str| BTreeSet::from([vec!["data".to_owned(), key.to_owned()]]);
        assert_eq!(
            owners,
            [
                ("kubectl".into(), field("mapUsers")),
                ("eks".into(), field("mapRoles"))
            ]
        );
    }

    #[test]
    fn apply_refuses_what_others_own_and_drops_its_own() {
        let mut first = map(json!({"mapRoles": "a"}));
        updated(None, &mut first, by("eks"));
        let config = map(json!({"mapRoles": "b", "x": "1"}));
        let conflicts = applied(Some(&first), &config, by("Terraform"), false).unwrap_err();
        assert_eq!(conflicts, [("eks".to_owned(), ".data.mapRoles".to_owned())]);
        let forced = applied(Some(&first), &config, by("Terraform"), true).unwrap();
        assert_eq!(forced["data"], json!({"mapRoles": "b", "x": "1"}));
        let less = applied(
            Some(&forced),
            &map(json!({"mapRoles": "b"})),
            by("Terraform"),
            false,
        )
        .unwrap();
        assert_eq!(less["data"], json!({"mapRoles": "b"}));
        let again = applied(
            Some(&less),
            &map(json!({"mapRoles": "b"})),
            by("Terraform"),
            false,
        )
        .unwrap();
        assert_eq!(less, again);
    }
}
