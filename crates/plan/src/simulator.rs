//! A cluster for tests: plans are applied to what was observed, wholly or up to a crash.

use accord_model::claim::{Admission, Fragment};
use accord_model::observed::{AwsAuth, LedgerRead, Observed};
use accord_model::plan::{EntryEdit, Plan, Step};
use accord_model::reading::{AuthMap, Item, Kept, Section, SectionState};
use accord_model::span::Range;
use accord_model::time::Timestamp;

use crate::checker;
use crate::reconcile::decide;
use crate::request::{Intent, Request};

/// The whole plan is carried out, once it is checked.
pub(crate) fn apply(observed: &mut Observed, plan: &Plan) {
    if let Err(broken) = checker::check(observed, plan) {
        panic!("{broken} in\n{}", self::plan(plan));
    }
    crash(observed, plan, usize::MAX);
}

/// The first `writes` writes of the plan are carried out. All edits of the map are one write.
pub(crate) fn crash(observed: &mut Observed, plan: &Plan, writes: usize) {
    let mut done = 0;
    let mut edits_done = false;
    for step in &plan.steps {
        if let Step::Edit(_) = step
            && edits_done
        {
            continue;
        }
        if done == writes {
            return;
        }
        done += 1;
        match step {
            Step::Edit(_) => {
                edit(observed, &plan.edits().cloned().collect::<Vec<_>>());
                edits_done = true;
            }
            Step::WriteFragment(fragment) => write_fragment(observed, fragment.clone()),
            Step::DeleteFragment(owner) => {
                observed.fragments.items.retain(|f| f.owner != *owner);
            }
            Step::WriteLedger(ledger) => observed.ledger = LedgerRead::Present((**ledger).clone()),
        }
    }
}

/// How many writes a plan has.
pub(crate) fn writes(plan: &Plan) -> usize {
    let others = plan.steps.iter().filter(|s| !matches!(s, Step::Edit(_)));
    others.count() + usize::from(plan.edits().next().is_some())
}

/// Decides and carries it out; the plan.
pub(crate) fn run(observed: &mut Observed, intent: Intent) -> Plan {
    let plan = decide(observed, &Request::new(intent)).unwrap();
    apply(observed, &plan);
    plan
}

fn write_fragment(observed: &mut Observed, mut fragment: Fragment) {
    let items = &mut observed.fragments.items;
    let old = items.iter().position(|f| f.owner == fragment.owner);
    match old {
        Some(at) => items[at] = fragment,
        None => {
            fragment.created = Some(Timestamp {
                millis: observed.now.millis + items.len() as u64,
            });
            if let Admission::Asked { uid } = &mut fragment.admission {
                *uid = Some(format!("uid-{}", observed.now.millis));
            }
            items.push(fragment);
        }
    }
}

/// Somebody edits the map by hand.
pub(crate) fn edit(observed: &mut Observed, edits: &[EntryEdit]) {
    let aws_auth = observed.aws_auth.get_or_insert_with(|| AwsAuth {
        map: AuthMap::empty(),
        immutable: false,
        stray_keys: vec![],
        size: 0,
        managers: vec![],
        span: None,
    });
    let mut gone = Vec::new();
    for edit in edits {
        match edit {
            EntryEdit::Add { section, mapping } => {
                let section = aws_auth.map.section_mut(*section);
                let kept = match section.name.arn_field() {
                    Some(_) => Kept::Mapping(mapping.clone()),
                    None => Kept::Account(mapping.arn.clone()),
                };
                add(section, kept);
            }
            EntryEdit::Update { id, mapping } => {
                let item = &mut aws_auth.map.section_mut(id.section).items[id.index];
                item.kept = Some(Kept::Mapping(mapping.clone()));
            }
            EntryEdit::Remove { id, .. } => gone.push(*id),
        }
    }
    gone.sort_unstable();
    for id in gone.into_iter().rev() {
        aws_auth.map.section_mut(id.section).items.remove(id.index);
    }
}

fn add(section: &mut Section, kept: Kept) {
    assert!(section.is_writable(), "{} is written to", section.name);
    section.state = SectionState::Read;
    section.items.push(Item {
        range: Range::new(0, 0),
        written: vec![],
        kept: Some(kept),
        meant: None,
        remarks: vec![],
    });
}

/// The map in words: an entry a line.
pub(crate) fn told(observed: &Observed) -> String {
    let sections = observed.aws_auth.iter().flat_map(|a| a.map.sections());
    let lines = sections.flat_map(|section| {
        section.kept().map(|(id, kept)| match kept {
            Kept::Mapping(m) => {
                let name = m.arn.rsplit(':').next().unwrap_or_default();
                format!(
                    "{id} {name} {} {:?}",
                    m.identity.username, m.identity.groups
                )
            }
            Kept::Account(account) => format!("{id} {account}"),
        })
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A plan in words: who changes, what is written, what is refused.
pub(crate) fn plan(plan: &Plan) -> String {
    let short = |p: &str| p.rsplit(':').next().unwrap_or_default().to_owned();
    let changes = plan.changes.iter().map(|c| {
        let admin = if c.admin { " (admin)" } else { "" };
        format!(
            "{} {}{admin}, {}: {}",
            short(&c.principal),
            c.kind(),
            c.owner,
            c.reason
        )
    });
    let steps = plan.steps.iter().map(|s| format!("  {}", s.name()));
    let refusals = plan.refusals.iter().map(|r| {
        let who = if r.askers { "" } else { "other: " };
        let principal = r.principal.as_deref().map(short).unwrap_or_default();
        let held = r
            .held_by
            .as_ref()
            .map(|h| format!(", held by {h}"))
            .unwrap_or_default();
        format!("! {who}{} {principal}{held}", r.kind)
    });
    let findings = plan.findings.iter().map(|f| {
        let principal = f.principal.as_deref().map(short).unwrap_or_default();
        format!("? {} {principal}", f.kind)
    });
    let all = changes.chain(steps).chain(refusals).chain(findings);
    all.map(|l| l.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}
