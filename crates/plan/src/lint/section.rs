//! Whole sections that are not read, and what is lost behind the end of one.

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, SectionName};
use accord_model::observed::StrayKey;
use accord_model::reading::{Item, Loss, LossCause, Salvaged, Section, SectionState, What};
use accord_model::span::Range;

use super::purpose::{self, Purpose};
use super::{Look, World, listed};

pub(super) fn look(look: &Look<'_>, stray: &[StrayKey]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = stray.iter().map(|key| stray_key(key, look.world)).collect();
    for section in look.map.sections() {
        if let SectionState::Lost(loss) = &section.state {
            findings.push(lost(section, loss, look.world));
        }
        for remark in &section.remarks {
            let finding = match &remark.what {
                What::SecondDocument { lost } => behind(
                    FindingKind::MultiDocumentIgnored,
                    "The section goes on behind `---` or `...`, and only its first document is read",
                    lost,
                    look.world,
                ),
                What::TrailingContent { lost } => behind(
                    FindingKind::TrailingContentIgnored,
                    "The list ends before this line, which is indented less than the first entry or stands behind the \
                     closing bracket; what follows is not read, without any error",
                    lost,
                    look.world,
                ),
                What::ByteOrderMark => Finding::new(
                    FindingKind::ByteOrderMark,
                    Severity::Info,
                    "The section begins with a byte order mark. The authenticator drops it; other tools may not.",
                ),
                // Remarks on items are told with their items.
                _ => continue,
            };
            findings.push(finding.at(section.name.key(), section.span(remark.range)));
        }
    }
    findings
}

fn behind(kind: FindingKind, what: &str, lost: &[Salvaged], world: &World<'_>) -> Finding {
    let toll = Toll::of(world, lost);
    match toll.names.is_empty() {
        true => Finding::new(
            kind,
            Severity::Warning,
            format!("{what}. No entries seem to be lost by it."),
        ),
        false => toll.about(Finding::new(
            kind,
            toll.severity,
            format!("{what}: {} lost.", toll.are()),
        )),
    }
}

fn stray_key(key: &StrayKey, world: &World<'_>) -> Finding {
    let toll = Toll::of(world, &key.lost);
    let (kind, why) = match key.binary {
        true => (
            FindingKind::SectionInBinaryData,
            format!(
                "`{}` stands under `binaryData`, which the authenticator does not read; put it under `data`",
                key.key
            ),
        ),
        false => (
            FindingKind::SectionKeyCase,
            format!(
                "The authenticator reads `{}` and ignores `{}`",
                key.meant, key.key
            ),
        ),
    };
    let message = match toll.names.is_empty() {
        true => format!("{why}."),
        false => format!("{why}: {} lost.", toll.are()),
    };
    let finding = Finding::new(kind, toll.severity, message).at(key.key.clone(), key.span);
    toll.about(match key.binary {
        true => finding,
        false => finding.suggest(key.meant.key()),
    })
}

fn lost(section: &Section, loss: &Loss, world: &World<'_>) -> Finding {
    let meant: Vec<Salvaged> = section.items.iter().map(purpose::meant).collect();
    let mut toll = Toll::of(world, &meant);
    if toll.names.is_empty()
        && loss.cause == LossCause::Unparseable
        && section.name == SectionName::Roles
    {
        // Nothing can be told of what was in it, and node roles usually are.
        toll.severity = Severity::BreaksCluster;
    }
    let name = section.name;
    let all = match toll.names.is_empty() {
        true => "None of its entries is in effect.".to_owned(),
        false => format!(
            "The whole section is void, not just this line: {} lost.",
            toll.are()
        ),
    };
    let span = section.span(loss.range);
    let finding =
        |kind, message: String| Finding::new(kind, toll.severity, message).at(name.key(), span);
    let finding = match loss.cause {
        LossCause::Unparseable => finding(
            FindingKind::SectionUnparseable,
            format!("{name} cannot be read: {}. {all}", loss.message),
        ),
        LossCause::UnquotedTemplate => {
            let (at, template) = template(section, loss.range);
            let message = format!(
                "A value that begins with `{{{{` must be in quotes, else it is a mapping used as a key, and {name} cannot \
                 be read. {all}"
            );
            let finding =
                Finding::new(FindingKind::UnquotedTemplate, toll.severity, message).at(at, span);
            match template {
                Some(text) => finding.suggest(format!("\"{text}\"")),
                None => finding,
            }
        }
        LossCause::NotAList | LossCause::EmptyMapping => {
            let message = format!(
                "{name} cannot be read: {}. {all} Write {}.",
                loss.message,
                list_form(name, &meant)
            );
            let finding = finding(FindingKind::SectionNotAList, message);
            match loss.cause == LossCause::EmptyMapping {
                true => Finding {
                    severity: Severity::Warning,
                    ..finding
                },
                false => finding,
            }
        }
        LossCause::DoubleEncoded => finding(
            FindingKind::SectionDoubleEncoded,
            format!(
                "{name} is a quoted string that holds the YAML once more. {all} Take one layer of quotes away."
            ),
        ),
        LossCause::NotText => finding(
            FindingKind::SectionWrongType,
            format!(
                "`data.{name}` must be a string, and this is a list or mapping: the API server refuses the object, and \
                 what is in the cluster stays as it is. Write `{name}: |` and the same lines below it."
            ),
        ),
    };
    toll.about(finding)
}

/// Where a template without quotes stands, and its text as far as it is known.
fn template(section: &Section, range: Range) -> (String, Option<String>) {
    let within = |outer: Range| outer.start <= range.start && range.start <= outer.end;
    let items = section.items.iter().enumerate();
    let Some((index, item)) = items.rev().find(|(_, item)| within(item.range)) else {
        return (section.name.key().to_owned(), None);
    };
    let id = EntryId::new(section.name, index);
    let field = item.written.iter().rev().find(|f| within(f.value_range));
    match field {
        Some(field) => {
            let text = value_of(item, &field.key);
            (
                format!("{id}.{}", field.key),
                text.filter(|t| t.starts_with("{{")),
            )
        }
        None => (id.to_string(), None),
    }
}

/// The value of a scalar field of a salvaged item.
fn value_of(item: &Item, key: &str) -> Option<String> {
    let meant = purpose::meant(item);
    match key.to_ascii_lowercase().as_str() {
        "username" => Some(meant.username),
        "rolearn" | "userarn" => Some(meant.arn),
        _ => None,
    }
}

fn list_form(name: SectionName, meant: &[Salvaged]) -> String {
    let first = meant.iter().map(|m| m.arn.as_str()).find(|a| !a.is_empty());
    match name.arn_field() {
        Some(field) => format!(
            "each entry behind a dash, `- {field}: {}`",
            first.unwrap_or("arn:aws:iam::ACCOUNT:…")
        ),
        None => "each account as an item in quotes, `- \"111122223333\"`".to_owned(),
    }
}

/// Who is lost, and how bad that is.
struct Toll {
    names: Vec<String>,
    severity: Severity,
}

impl Toll {
    fn of(world: &World<'_>, lost: &[Salvaged]) -> Self {
        let named = lost.iter().filter(|l| !l.arn.is_empty());
        let worst = lost.iter().map(|l| Purpose::of_lost(world, l)).max();
        Self {
            names: named.map(|l| l.arn.clone()).collect(),
            severity: worst.unwrap_or(Purpose::Other).if_broken(),
        }
    }

    /// `A is`, `A and B are`.
    fn are(&self) -> String {
        let verb = match self.names.len() {
            1 => "is",
            _ => "are",
        };
        format!("{} {verb}", listed(&self.names))
    }

    /// The finding about the one principal that is lost, if it is one.
    fn about(&self, finding: Finding) -> Finding {
        match self.names.as_slice() {
            [one] => finding.about(accord_model::arn::display_form(one)),
            _ => finding,
        }
    }
}
