//! Mending files: of all findings, those with one safe fix.
//!
//! ```text
//! read → findings → fixes → text → read again → better? ─ yes → go on from there
//!                     ^                              └─ no ──→ half of them, down to one; that one is left
//! ```
//!
//! What a fix is, and what is better, is decided in `accord_plan::fix`. Whatever cannot be written, or is not better when
//! it is read again, is left as it was.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::fix::{Fix, With};
use accord_model::mapping::SectionName;
use accord_model::observed::StrayKey;
use accord_model::plan::EntryEdit;
use accord_model::reading::AuthMap;
use accord_model::span::{Range, Span};
use accord_model::time::Timestamp;
use accord_plan::fix::{self, Checked};
use accord_wire::config_map::ObjectName;
use accord_wire::edit;
use accord_wire::sources::{Misread, Sources};
use accord_wire::{declaration, state::StateFile};

use crate::examine::{self, Examined};
use crate::input::Input;

/// No file needs more rounds: what one fix brings to light is fixed in the next.
const ROUNDS: usize = 100;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The file as it shall be.
    pub bytes: Vec<u8>,
    /// How many findings were fixed.
    pub count: usize,
}

/// Makes every safe fix in a file of any kind that `check` reads.
///
/// # Errors
/// If the file cannot be read.
pub fn fix(
    input: &Input,
    facts: &[StateFile],
    now: Timestamp,
    sources: &mut Sources,
) -> Result<Fixed, Misread> {
    let mut bench = Bench {
        input: input.clone(),
        facts,
        now,
        tried: BTreeSet::new(),
        count: 0,
    };
    let mut reading = bench.read(input, sources)?;
    for _ in 0..ROUNDS {
        let batch = reading.batch(&bench.tried);
        if batch.is_empty() {
            break;
        }
        bench.mend(&batch, sources);
        reading = bench.read(&bench.input, sources)?;
    }
    Ok(Fixed {
        bytes: bench.input.bytes,
        count: bench.count,
    })
}

/// What a finding is known by while the text around it changes: object, kind, severity and place. An entry that comes
/// to work where it does not belong is still found there, and is less bad.
type Key = (String, FindingKind, Severity, String);

fn key(finding: &Finding) -> Key {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    (
        text(&finding.object),
        finding.kind,
        finding.severity,
        text(&finding.at),
    )
}

/// A file that is worked on.
struct Bench<'f> {
    input: Input,
    facts: &'f [StateFile],
    now: Timestamp,
    tried: BTreeSet<Key>,
    count: usize,
}

/// The file as it was read.
struct Reading {
    examined: Examined,
    findings: Vec<Finding>,
    objects: Vec<Object>,
}

/// One map in the file.
struct Object {
    /// As findings name it.
    label: String,
    /// `None`: a bare list.
    name: Option<ObjectName>,
    map: AuthMap,
    stray: Vec<StrayKey>,
}

impl Bench<'_> {
    fn read(&self, input: &Input, sources: &mut Sources) -> Result<Reading, Misread> {
        let examined = examine::read(input, self.facts, None, self.now, sources)?;
        Ok(Reading {
            findings: examined.findings(None),
            objects: objects(&examined),
            examined,
        })
    }

    /// Fixes these findings, or as many of them as can be.
    fn mend(&mut self, batch: &[Key], sources: &mut Sources) {
        match self.attempt(batch, sources) {
            Some((bytes, count)) => {
                self.input.bytes = bytes;
                self.count += count;
            }
            None if batch.len() > 1 => {
                let (first, second) = batch.split_at(batch.len() / 2);
                self.mend(first, sources);
                return self.mend(second, sources);
            }
            None => {}
        }
        self.tried.extend(batch.iter().cloned());
    }

    /// The file with all these findings fixed, and how many they are; `None` if it cannot be, or is not better.
    fn attempt(&self, batch: &[Key], sources: &mut Sources) -> Option<(Vec<u8>, usize)> {
        let before = self.read(&self.input, sources).ok()?;
        let batch: BTreeSet<&Key> = batch.iter().collect();
        let chosen: Vec<&Finding> = before
            .findings
            .iter()
            .filter(|f| batch.contains(&&key(f)))
            .collect();
        let bytes = before.fixed(&chosen, &self.input, sources)?;
        let input = Input {
            bytes,
            ..self.input.clone()
        };
        let after = self.read(&input, sources).ok()?;
        let is_better = before.objects.iter().all(|object| {
            let fixed: Vec<Finding> = chosen
                .iter()
                .filter(|f| f.object.as_ref() == Some(&object.label))
                .map(|f| (*f).clone())
                .collect();
            fixed.is_empty() || after.is_better(&before, &object.label, &fixed)
        });
        is_better.then_some((input.bytes, chosen.len()))
    }
}

impl Reading {
    /// Findings to fix next: all that write into sections, else one that writes elsewhere.
    fn batch(&self, tried: &BTreeSet<Key>) -> Vec<Key> {
        let fixable = self
            .findings
            .iter()
            .filter(|f| !tried.contains(&key(f)))
            .filter_map(|f| Some((f, self.fix(f)?)));
        let (inside, outside): (Vec<_>, Vec<_>) =
            fixable.partition(|(_, fix)| self.section_of(fix).is_some());
        let keys = inside.iter().map(|(f, _)| key(f));
        match inside.is_empty() {
            true => outside.first().map(|(f, _)| key(f)).into_iter().collect(),
            false => keys.collect(),
        }
    }

    fn object(&self, label: &str) -> Option<&Object> {
        self.objects.iter().find(|o| o.label == label)
    }

    fn fix(&self, finding: &Finding) -> Option<Fix> {
        let object = self.object(finding.object.as_deref()?)?;
        fix::fix(&object.checked(&self.findings), finding)
    }

    /// The section that a fix writes into, with the place.
    fn section_of<'f>(&self, fix: &'f Fix) -> Option<(&Object, SectionName, Range, &'f With)> {
        let Fix::Write { at, with } = fix else {
            return None;
        };
        self.objects.iter().find_map(|object| {
            let mut sections = object.map.sections();
            let section = sections.find(|s| s.text == Some(at.text))?;
            Some((object, section.name, at.range, with))
        })
    }

    fn is_better(&self, before: &Self, label: &str, fixed: &[Finding]) -> bool {
        let of = |reading: &Self| -> Vec<Finding> {
            let all = reading.findings.iter();
            all.filter(|f| f.object.as_deref() == Some(label))
                .cloned()
                .collect()
        };
        let (old, new) = (of(before), of(self));
        match (before.object(label), self.object(label)) {
            (Some(before), Some(after)) => {
                fix::is_better(&before.checked(&old), &after.checked(&new), fixed)
            }
            _ => false,
        }
    }

    /// The file with these findings fixed.
    fn fixed(&self, findings: &[&Finding], input: &Input, sources: &Sources) -> Option<Vec<u8>> {
        let fixes: Vec<Fix> = findings.iter().filter_map(|f| self.fix(f)).collect();
        let mut file = File::of(self, input)?;
        let mut writes: BTreeMap<(&str, SectionName), BTreeMap<Range, &With>> = BTreeMap::new();
        for (finding, fix) in findings.iter().zip(&fixes) {
            match (fix, self.section_of(fix)) {
                (_, Some((object, section, range, with))) => {
                    let section = writes.entry((&object.label, section)).or_default();
                    section.entry(range).or_insert(with);
                }
                (Fix::Write { at, with }, None) => file.write(*at, with, self)?,
                (Fix::Move { .. }, None) => {
                    let object = self.object(finding.object.as_deref()?)?;
                    file.relocate(object, fix, sources)?;
                }
            }
        }
        for ((label, section), writes) in writes {
            let object = self.object(label)?;
            let text = sources.text(object.map.section(section).text?)?;
            let writes: Vec<(Range, &With)> = writes.into_iter().collect();
            file.set(object, section, &edit::write(text, &writes))?;
        }
        Some(file.text().into())
    }
}

impl Object {
    fn checked<'a>(&'a self, findings: &'a [Finding]) -> Checked<'a> {
        Checked {
            map: &self.map,
            stray: &self.stray,
            findings,
        }
    }
}

fn objects(examined: &Examined) -> Vec<Object> {
    let (observed, file) = match examined {
        Examined::Bare(map) => {
            return vec![Object {
                label: examine::BARE.to_owned(),
                name: None,
                map: (**map).clone(),
                stray: Vec::new(),
            }];
        }
        Examined::Documents(observed, file) => (observed, file),
        // Nothing is mended in what another tool makes.
        Examined::Deploy(_) => return Vec::new(),
    };
    let aws_auth = observed
        .aws_auth
        .clone()
        .map(|a| (ObjectName::aws_auth(), a));
    let fragments = file.fragment_maps().into_iter();
    let fragments = fragments.map(|(owner, map)| (ObjectName::from(&owner), map));
    aws_auth
        .into_iter()
        .chain(fragments)
        .filter(|(name, _)| file.config_map(name).is_some())
        .map(|(name, aws_auth)| Object {
            label: name.to_string(),
            name: Some(name),
            map: aws_auth.map,
            stray: aws_auth.stray_keys,
        })
        .collect()
}

/// A file's text while it is written.
enum File {
    Bare(String),
    State(Box<StateFile>),
    /// Written as plain text.
    Text(String),
}

impl File {
    fn of(reading: &Reading, input: &Input) -> Option<Self> {
        Some(match &reading.examined {
            Examined::Bare(_) => Self::Bare(String::from_utf8(input.bytes.clone()).ok()?),
            Examined::Documents(_, file) => Self::State(file.clone()),
            Examined::Deploy(_) => return None,
        })
    }

    fn text(&self) -> &str {
        match self {
            Self::Bare(text) | Self::Text(text) => text,
            Self::State(file) => file.text(),
        }
    }

    /// Another text of one section.
    fn set(&mut self, object: &Object, section: SectionName, new: &str) -> Option<()> {
        match (self, &object.name) {
            (Self::Bare(text), None) => *text = declaration::with_section(text, section, new)?,
            (Self::State(file), Some(name)) => {
                file.set_data(name, section.key(), Some(new)).ok()?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Something else at a place of the file itself.
    fn write(&mut self, at: Span, with: &With, reading: &Reading) -> Option<()> {
        let Examined::Documents(_, file) = &reading.examined else {
            return None;
        };
        (file.id() == at.text).then(|| {
            *self = Self::Text(edit::write(file.text(), &[(at.range, with)]));
        })
    }

    /// An entry in another section; `None` if a comment would go.
    fn relocate(&mut self, object: &Object, fix: &Fix, sources: &Sources) -> Option<()> {
        let Fix::Move { entry, to, mapping } = fix else {
            return None;
        };
        let text = |section: SectionName| match object.map.section(section).text {
            Some(id) => sources.text(id).map_or("", |text| text),
            None => "",
        };
        let remove = EntryEdit::Remove {
            id: *entry,
            principal: mapping.arn.clone(),
        };
        let add = EntryEdit::Add {
            section: *to,
            mapping: mapping.clone(),
        };
        let rest = edit::edit_section(entry.section, text(entry.section), &[remove]).ok()?;
        let comments = |text: &str| text.matches('#').count();
        if comments(&rest) != comments(text(entry.section)) {
            return None;
        }
        let longer = edit::edit_section(*to, text(*to), &[add]).ok()?;
        self.set(object, entry.section, &rest)?;
        self.set(object, *to, &longer)
    }
}
