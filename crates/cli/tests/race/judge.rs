//! What must never happen, looked for in everything that was ever stored.
//!
//! A write of the map rests on some version of it; the API server has made sure that it was the one before (or else the
//! program is broken, which shows). So each version that Accord made is compared with the one before it, and with what
//! was claimed between the two: whoever wrote has read the map after the earlier one was stored, and the claims after
//! that.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::claims::{Claims, Identity, Ledger};
use crate::history::{History, Version, Writer, writer};
use crate::roles::{self, Piece};

/// The manager under which Accord writes.
const ACCORD: &str = "accord";

/// A rule that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// Accord took out an entry that was claimed all the while.
    ClaimedStays,
    /// Accord wrote the map, and left a claim out that was stored before the map that it read.
    EveryClaimCounts,
    /// Accord took out or changed an entry that it had not written, or that nobody had given up.
    ForeignStays,
    /// Accord changed other bytes: a comment, the order, another key.
    BytesStay,
    /// Accord wrote a principal twice.
    OneEntryEach,
    /// Somebody deleted the map, which nobody does in these tests.
    MapStays,
    /// It is not known who wrote.
    WriterKnown,
    /// A `sync` that nobody disturbed left a claim without effect.
    SyncHeals,
}

/// Where a rule was broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    pub(crate) rule: Rule,
    /// The revision of the version that shows it.
    pub(crate) revision: u64,
    /// The principal, or the place.
    pub(crate) what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {}: {}", self.rule, self.revision, self.what)
    }
}

/// Everything that is wrong in a history.
pub(crate) fn judge(history: &History) -> Vec<Violation> {
    let mut judge = Judge {
        claims: Claims::of(history),
        ledger: Ledger::of(history),
        ours: BTreeSet::new(),
        found: Vec::new(),
    };
    let mut before: Option<&Version> = None;
    for after in history.maps() {
        match writer(before, after) {
            _ if after.object.is_none() => {
                judge.break_rule(Rule::MapStays, after.revision, &after.name);
            }
            Writer::Known(ACCORD) => judge.write(before, after),
            Writer::Known(_) | Writer::Nobody => {}
            Writer::Unknown => judge.break_rule(Rule::WriterKnown, after.revision, &after.name),
        }
        before = Some(after);
    }
    for &revision in &history.synced {
        judge.synced(history, revision);
    }
    judge.found
}

struct Judge {
    claims: Claims,
    ledger: Ledger,
    /// The principals whose entries Accord has ever written.
    ours: BTreeSet<String>,
    found: Vec<Violation>,
}

impl Judge {
    fn break_rule(&mut self, rule: Rule, revision: u64, what: &str) {
        self.found.push(Violation {
            rule,
            revision,
            what: what.to_owned(),
        });
    }

    /// Judges a version that Accord made.
    fn write(&mut self, before: Option<&Version>, after: &Version) {
        let (from, to) = (before.map_or(0, |b| b.revision), after.revision);
        let old = roles::pieces(before.map_or("", Version::roles));
        let new = roles::pieces(after.roles());
        for (who, what) in self.claims.throughout(from, to) {
            if is_in_effect(&new, &who, &what) {
                continue;
            }
            let was_there = find(&old, &who).is_some();
            let is_there = find(&new, &who).is_some();
            let rule = match was_there && !is_there {
                true => Rule::ClaimedStays,
                false => Rule::EveryClaimCounts,
            };
            self.break_rule(rule, to, &who);
        }
        self.foreign(&old, &new, from, to);
        for who in principals(&new) {
            let count = |pieces| principals(pieces).filter(|p| *p == who).count();
            if count(&new) > count(&old).max(1) {
                self.break_rule(Rule::OneEntryEach, to, who);
            }
        }
        let [mut others, mut then] = [
            before.and_then(|b| b.object.as_ref()),
            after.object.as_ref(),
        ]
        .map(all_but_roles);
        if before.is_none_or(|b| b.object.is_none()) {
            // It was made: what the API server adds is not Accord's doing.
            others = Value::Null;
            then = Value::Null;
        }
        if others != then {
            self.break_rule(Rule::BytesStay, to, "outside of mapRoles");
        }
        for who in principals(&new).filter(|who| find(&old, who) != find(&new, who)) {
            self.ours.insert(who.to_owned());
        }
    }

    /// What is not claimed must be the same before and after, but for what Accord wrote and its owner gave up, as the
    /// ledger knows.
    fn foreign(&mut self, old: &[Piece<'_>], new: &[Piece<'_>], from: u64, to: u64) {
        let mut kept = Vec::new();
        for piece in old {
            let Some(entry) = &piece.entry else {
                kept.push(piece.text);
                continue;
            };
            let who = entry.principal;
            let is_same = find(new, who) == Some(piece.text);
            let is_ours = self.ours.contains(who) && self.ledger.named(who, from, to);
            let is_given_up = is_ours && self.claims.was_free(who, from, to);
            let is_claimed = self.claims.was_claimed(who, from, to);
            match find(new, who) {
                _ if is_same => kept.push(piece.text),
                None if is_given_up => {}
                // Told by another rule, if its claim was there all the while.
                None if is_claimed && !self.claims.was_free(who, from, to) => {}
                Some(_) if is_claimed => {}
                _ => self.break_rule(Rule::ForeignStays, to, who),
            }
        }
        let stayed: Vec<&str> = new.iter().map(|piece| piece.text).collect();
        let mut rest = stayed.iter();
        let in_order = kept.iter().all(|text| rest.any(|other| other == text));
        let new_lines = new.iter().filter(|piece| piece.entry.is_none()).count();
        let old_lines = old.iter().filter(|piece| piece.entry.is_none()).count();
        if !in_order || new_lines != old_lines {
            self.break_rule(Rule::BytesStay, to, "mapRoles");
        }
    }

    /// Judges what a `sync` left behind.
    fn synced(&mut self, history: &History, revision: u64) {
        let last = history.maps().filter(|map| map.revision <= revision).last();
        let pieces = roles::pieces(last.map_or("", Version::roles));
        for (who, what) in self.claims.at(revision).clone() {
            if !is_in_effect(&pieces, &who, &what) {
                self.break_rule(Rule::SyncHeals, revision, &who);
            }
        }
    }
}

fn principals<'p>(pieces: &'p [Piece<'_>]) -> impl Iterator<Item = &'p str> {
    let entries = pieces.iter().filter_map(|piece| piece.entry.as_ref());
    entries.map(|entry| entry.principal)
}

/// The bytes of the entry that decides for a principal: the last one.
fn find<'t>(pieces: &[Piece<'t>], who: &str) -> Option<&'t str> {
    let is_it = |piece: &&Piece<'_>| piece.entry.as_ref().is_some_and(|e| e.principal == who);
    pieces.iter().rfind(is_it).map(|piece| piece.text)
}

fn is_in_effect(pieces: &[Piece<'_>], who: &str, what: &Identity) -> bool {
    let entry = pieces
        .iter()
        .filter_map(|piece| piece.entry.as_ref())
        .rfind(|entry| entry.principal == who);
    entry.is_some_and(|entry| Identity::of(entry) == *what)
}

/// What of an object is nobody's entry: the other data, labels, annotations.
fn all_but_roles(object: Option<&Value>) -> Value {
    let mut object = object.cloned().unwrap_or_default();
    if let Some(data) = object["data"].as_object_mut() {
        data.remove("mapRoles");
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("resourceVersion");
        metadata.remove("managedFields");
    }
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::history::{LEDGER, MAP};

    fn entry(name: &str) -> String {
        format!("- rolearn: arn:{name}\n  username: {name}\n  groups:\n  - viewers\n")
    }

    fn text(names: &[&str]) -> String {
        names.iter().map(|name| entry(name)).collect()
    }

    fn map(revision: u64, manager: &str, roles: &str) -> Version {
        let object = json!({
            "metadata": {"managedFields": [
                {"manager": "somebody", "fieldsV1": {"f:data": {"f:note": {}}}},
                {"manager": manager, "fieldsV1": {"f:data": {"f:mapRoles": {}}}},
            ]},
            "data": {"mapRoles": roles, "note": "n"},
        });
        version(revision, MAP, Some(object))
    }

    fn fragment(revision: u64, owner: &str, names: &[&str]) -> Version {
        let object = json!({"data": {"mapRoles": text(names)}});
        version(
            revision,
            &format!("kube-system/accord-{owner}"),
            Some(object),
        )
    }

    fn ledger(revision: u64, names: &[&str]) -> Version {
        let lines = names.iter().map(|name| (format!("arn:{name}"), json!({})));
        let lines: serde_json::Map<_, _> = lines.collect();
        let text = json!({"mapRoles": lines}).to_string();
        version(
            revision,
            LEDGER,
            Some(json!({"data": {"ledger.json": text}})),
        )
    }

    fn version(revision: u64, name: &str, object: Option<Value>) -> Version {
        Version {
            revision,
            name: name.to_owned(),
            object,
        }
    }

    fn told(versions: Vec<Version>, synced: Vec<u64>) -> Vec<String> {
        let history = History { versions, synced };
        judge(&history).iter().map(ToString::to_string).collect()
    }

    fn roles(head: &str, names: &[&str]) -> String {
        head.to_owned() + &text(names)
    }

    #[test]
    fn claims_come_and_go_and_all_is_well() {
        let foreign = "# mine\n- rolearn: arn:x\n\n";
        let versions = vec![
            map(1, "kubectl-create", foreign),
            fragment(2, "a", &["a"]),
            map(3, ACCORD, &roles(foreign, &["a"])),
            fragment(4, "b", &["b", "c"]),
            ledger(4, &["a", "b", "c"]),
            map(5, ACCORD, &roles(foreign, &["a", "b", "c"])),
            fragment(6, "b", &["b"]),
            map(7, ACCORD, &roles(foreign, &["a", "b"])),
        ];
        assert_eq!(told(versions, vec![3, 5, 7]), [""; 0]);
    }

    #[test]
    fn what_somebody_else_does_is_not_accords_fault_until_a_sync_leaves_it() {
        let versions = vec![
            fragment(1, "a", &["a"]),
            map(2, ACCORD, &text(&["a"])),
            map(3, "kubectl-replace", &text(&["old"])),
        ];
        assert_eq!(told(versions.clone(), vec![]), [""; 0]);
        assert_eq!(told(versions, vec![4]), ["SyncHeals at 4: arn:a"]);
    }

    #[test]
    fn a_claimed_entry_stays_unless_its_claim_was_given_up_meanwhile() {
        let mut versions = vec![
            fragment(1, "a", &["a"]),
            fragment(2, "b", &["b"]),
            map(3, ACCORD, &text(&["a", "b"])),
            map(9, ACCORD, &text(&["b"])),
        ];
        assert_eq!(told(versions.clone(), vec![]), ["ClaimedStays at 9: arn:a"]);
        versions.insert(3, ledger(3, &["a", "b"]));
        versions.insert(4, fragment(4, "a", &[]));
        assert_eq!(told(versions.clone(), vec![]), [""; 0]);
        // Claimed anew when somebody was already taking it out: that owner's own run puts it back.
        versions.insert(5, fragment(5, "a", &["a"]));
        assert_eq!(told(versions, vec![]), [""; 0]);
    }

    #[test]
    fn whoever_writes_applies_every_claim_that_was_there_before_the_map_was_read() {
        let versions = |late| {
            vec![
                fragment(1, "a", &["a"]),
                fragment(if late { 4 } else { 2 }, "b", &["b"]),
                map(3, "kubectl-create", ""),
                map(5, ACCORD, &text(&["a"])),
            ]
        };
        assert_eq!(
            told(versions(false), vec![]),
            ["EveryClaimCounts at 5: arn:b"]
        );
        let mut late = versions(true);
        late.sort_by_key(|version| version.revision);
        assert_eq!(
            told(late, vec![]),
            [""; 0],
            "it may have come after the list"
        );
    }

    #[test]
    fn what_accord_did_not_write_stays_also_when_nobody_claims_it() {
        let before = map(1, "kubectl-create", &text(&["x", "y"]));
        let taken = map(3, ACCORD, &text(&["y", "a"]));
        let changed = map(
            3,
            ACCORD,
            &text(&["x", "y", "a"]).replace("username: x", "username: z"),
        );
        for after in [taken, changed] {
            let versions = vec![before.clone(), fragment(2, "a", &["a"]), after];
            assert_eq!(told(versions, vec![]), ["ForeignStays at 3: arn:x"]);
        }
    }

    #[test]
    fn what_comes_back_from_an_old_map_after_it_was_given_up_is_nobodys() {
        let mut versions = vec![
            ledger(1, &["a", "b"]),
            fragment(1, "a", &["a", "b"]),
            map(2, ACCORD, &text(&["a", "b"])),
            fragment(3, "a", &["a"]),
            map(4, ACCORD, &text(&["a"])),
            ledger(5, &["a"]),
            map(6, "kubectl-patch", &text(&["a", "b"])),
            map(7, ACCORD, &text(&["a"])),
        ];
        assert_eq!(told(versions.clone(), vec![]), ["ForeignStays at 7: arn:b"]);
        // While the ledger still has its line it is taken for one that was never taken out.
        versions.remove(5);
        assert_eq!(told(versions, vec![]), [""; 0]);
    }

    #[test]
    fn comments_order_and_other_keys_stay() {
        let before = map(
            1,
            "kubectl-create",
            &format!("# one\n{}# two\n", text(&["x", "y"])),
        );
        let claim = fragment(2, "a", &["a"]);
        for wrong in [
            format!("{}# two\n{}", text(&["x", "y"]), entry("a")),
            format!("# one\n{}# two\n{}", text(&["y", "x"]), entry("a")),
            format!("# one\n{}# two\n\n{}", text(&["x", "y"]), entry("a")),
        ] {
            let versions = vec![before.clone(), claim.clone(), map(3, ACCORD, &wrong)];
            assert_eq!(
                told(versions, vec![]),
                ["BytesStay at 3: mapRoles"],
                "{wrong}"
            );
        }
        let mut after = map(
            3,
            ACCORD,
            &format!("# one\n{}# two\n{}", text(&["x", "y"]), entry("a")),
        );
        after.object.as_mut().unwrap()["data"]["note"] = json!("other");
        assert_eq!(
            told(vec![before, claim, after], vec![]),
            ["BytesStay at 3: outside of mapRoles"]
        );
    }

    #[test]
    fn nothing_is_written_twice_and_the_map_is_not_deleted() {
        let versions = vec![
            fragment(1, "a", &["a"]),
            map(2, ACCORD, &text(&["a", "a"])),
            version(3, MAP, None),
        ];
        let told = told(versions, vec![]);
        assert!(
            told.contains(&"OneEntryEach at 2: arn:a".to_owned()),
            "{told:?}"
        );
        assert!(told.contains(&format!("MapStays at 3: {MAP}")), "{told:?}");
    }

    #[test]
    fn who_wrote_is_told_by_who_holds_what_differs() {
        let before = map(1, "kubectl-create", "a");
        let after = map(2, ACCORD, "b");
        assert_eq!(writer(Some(&before), &after), Writer::Known(ACCORD));
        assert_eq!(writer(Some(&after), &after), Writer::Nobody);
        let mut unnoted = after.clone();
        unnoted.object.as_mut().unwrap()["metadata"]["managedFields"] = json!([]);
        assert_eq!(writer(Some(&before), &unnoted), Writer::Unknown);
        assert_eq!(
            told(vec![before, unnoted], vec![]),
            [format!("WriterKnown at 2: {MAP}")]
        );
    }
}
