//! Whether what is there now gives exactly the access that was planned.

use std::collections::BTreeMap;

use accord_model::arn::PrincipalKey;
use accord_model::observed::Observed;
use accord_model::plan::{Change, Rights};
use accord_plan::access::Access;

/// Access that is not as planned: a fault of this program, or somebody who wrote at the same time.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{principal} would have {found}, and {planned} was planned")]
pub struct Deviation {
    principal: String,
    planned: String,
    found: String,
}

/// Compares the access before and after with the plan's changes, for every principal that has, had or should have any.
///
/// # Errors
/// The first deviation.
pub fn access(before: &Observed, after: &Observed, changes: &[Change]) -> Result<(), Deviation> {
    let found = all(&Access::of(after));
    let mut planned = all(&Access::of(before));
    for change in changes {
        let key = PrincipalKey::of(&change.principal);
        match &change.after {
            Some(rights) => planned.insert(key, vec![rights.clone()]),
            None => planned.remove(&key),
        };
    }
    let principals = planned.keys().chain(found.keys());
    for key in principals {
        let (wanted, is) = (planned.get(key), found.get(key));
        if !same(wanted, is) {
            return Err(Deviation {
                principal: key.to_string(),
                planned: show(wanted),
                found: show(is),
            });
        }
    }
    Ok(())
}

/// What everybody may be. More than one answer is a random choice.
fn all(access: &Access<'_>) -> BTreeMap<PrincipalKey, Vec<Rights>> {
    access
        .principals()
        .into_iter()
        .map(|principal| {
            let answers = access.answers(&principal);
            let rights = answers.iter().map(|answer| answer.rights()).collect();
            (PrincipalKey::of(&principal), rights)
        })
        .collect()
}

fn same(a: Option<&Vec<Rights>>, b: Option<&Vec<Rights>>) -> bool {
    let (a, b) = (
        a.map_or(&[][..], Vec::as_slice),
        b.map_or(&[][..], Vec::as_slice),
    );
    let within = |a: &[Rights], b: &[Rights]| {
        a.iter()
            .all(|one| b.iter().any(|other| one.means_same(other)))
    };
    within(a, b) && within(b, a)
}

fn show(rights: Option<&Vec<Rights>>) -> String {
    match rights.map(Vec::as_slice) {
        None | Some([]) => "no access".to_owned(),
        Some(answers) => answers
            .iter()
            .map(|r| format!("`{}` in {:?}", r.username, r.groups))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}
