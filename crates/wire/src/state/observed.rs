//! A state file, and further files of facts, as one observation.

use std::collections::BTreeMap;

use accord_model::claim::{Fragment, Owner};
use accord_model::facts::{ComputeFacts, FargateProfile, Listing, NodeGroup};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::journal::JournalEntry;
use accord_model::observed::{AwsAuth, LedgerRead, Observed};
use accord_model::span::Range;
use accord_model::time::Timestamp;

use super::StateFile;
use super::facts::{Facts, called, is_same};
use crate::config_map::{ConfigMap, ObjectName};
use crate::sources::{Misread, Sources};
use crate::{aws_auth, fragment, journal, ledger};

impl StateFile {
    /// What the file says at the moment `now`, together with `others`, which are only read. An edited file is read
    /// anew.
    ///
    /// ConfigMaps are known completely, since the file is where they are kept. Node groups and the like are as far as
    /// a list of them is there.
    ///
    /// # Errors
    /// If the files contradict each other: several clusters, or one ConfigMap in two of them.
    pub fn observed(
        &self,
        now: Timestamp,
        others: &[Self],
        sources: &mut Sources,
    ) -> Result<Observed, Misread> {
        if self.edited {
            let current = Self::parse(&self.name, self.text.as_bytes(), sources)?;
            return current.observed(now, others, sources);
        }
        let facts = self.merged(others, sources)?;
        let mut findings = Vec::new();
        let fragments = fragments(&facts, sources, &mut findings);
        let journal = journal(&facts, &mut findings);
        let heading = facts.cluster.as_ref().and_then(|c| c.arn.clone());
        Ok(Observed {
            now,
            heading: heading.unwrap_or_else(|| self.name.clone()),
            cluster_uid: facts.cluster_uid.clone(),
            aws_auth: facts
                .config_maps
                .get(&ObjectName::aws_auth())
                .map(aws_auth::read),
            fragments,
            ledger: ledger(&facts),
            compute: compute(&facts),
            access_entries: facts.entries(),
            roles: facts.roles.clone(),
            caller: facts.caller.clone(),
            journal,
            findings,
            cluster: facts.cluster,
        })
    }

    /// The fragments, each read as the authenticator would read it if it were `aws-auth`, for pointing out mistakes.
    pub fn fragment_maps(&self) -> Vec<(Owner, AwsAuth)> {
        fragment_objects(&self.facts)
            .map(|object| (owner(object), aws_auth::read(object)))
            .collect()
    }

    /// All files' facts, after making sure that they are of one cluster.
    fn merged(&self, others: &[Self], sources: &Sources) -> Result<Facts, Misread> {
        let mut facts = self.facts.clone();
        for other in others {
            let fault =
                |range: Range, message: String| sources.misread(range.of(other.id), message);
            let start = Range::new(0, 0);
            if let (Some(one), Some(two)) = (&facts.cluster, &other.facts.cluster)
                && !is_same(one, two)
            {
                return Err(fault(
                    start,
                    format!(
                        "this file is of the cluster `{}`, and `{}` of `{}`",
                        called(two),
                        self.name,
                        called(one)
                    ),
                ));
            }
            let mut objects = other.facts.config_maps.iter();
            let twice =
                objects.find_map(|(name, object)| Some((object, facts.config_maps.get(name)?)));
            if let Some((object, known)) = twice {
                let first = known.span.and_then(|s| sources.locate(s));
                let first = first.map_or_else(String::new, |p| {
                    format!("{}:{}", p.file.unwrap_or_default(), p.line)
                });
                return Err(fault(
                    object.span.map_or(start, |s| s.range),
                    format!(
                        "{} is in two files; the other one is at {first}",
                        object.name
                    ),
                ));
            }
            facts.append(&other.facts);
        }
        if let Some(cluster) = &facts.cluster {
            for file in std::iter::once(self).chain(others) {
                if let Some(stranger) = file.facts.stranger(cluster) {
                    return Err(sources.misread(stranger.range.of(file.id), stranger.message));
                }
            }
        }
        Ok(facts)
    }
}

fn compute(facts: &Facts) -> ComputeFacts {
    ComputeFacts {
        node_groups: facts.node_groups.listing(
            |g| &g.name,
            |name| NodeGroup {
                name,
                role: None,
                windows: false,
                instance_profile: None,
            },
        ),
        fargate_profiles: facts.fargate_profiles.listing(
            |p| &p.name,
            |name| FargateProfile {
                name,
                arn: None,
                role: None,
            },
        ),
        nodes: facts.nodes.clone(),
    }
}

fn owner(object: &ConfigMap) -> Owner {
    Owner {
        namespace: object.name.namespace.clone(),
        name: object.name.name.clone(),
    }
}

/// The ConfigMaps with the fragments' label. `aws-auth` and the ledger are none, whatever their labels.
fn fragment_objects(facts: &Facts) -> impl Iterator<Item = &ConfigMap> {
    let reserved = [ObjectName::aws_auth(), ObjectName::system(ledger::NAME)];
    facts
        .config_maps
        .values()
        .filter(move |c| fragment::is_labelled(&c.labels) && !reserved.contains(&c.name))
}

/// How many problems of one namespace's fragments are told one by one. Outside kube-system, where strangers may write,
/// any number could be made, to bury what else is said.
const TOLD: usize = 10;

fn fragments(
    facts: &Facts,
    sources: &mut Sources,
    findings: &mut Vec<Finding>,
) -> Listing<Fragment> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut items = Vec::new();
    for object in fragment_objects(facts) {
        let (fragment, problems) = fragment::read(object, sources);
        items.push(fragment);
        let namespace = object.name.namespace.as_str();
        let count = counts.entry(namespace).or_default();
        let room = match namespace {
            "kube-system" => problems.len(),
            _ => TOLD.saturating_sub(*count),
        };
        *count += problems.len();
        findings.extend(problems.into_iter().take(room));
    }
    let more = counts
        .into_iter()
        .filter(|(namespace, count)| *namespace != "kube-system" && *count > TOLD);
    findings.extend(more.map(|(namespace, count)| {
        let message = format!(
            "Fragments in {namespace} have {} more problems.",
            count - TOLD
        );
        Finding::new(FindingKind::ObjectMalformed, Severity::Warning, message)
    }));
    Listing {
        items,
        complete: true,
    }
}

fn ledger(facts: &Facts) -> LedgerRead {
    let name = ObjectName::system(ledger::NAME);
    let Some(object) = facts.config_maps.get(&name) else {
        return LedgerRead::Absent;
    };
    match object.text(ledger::KEY) {
        None => LedgerRead::Unreadable(format!("it has no text under `{}`", ledger::KEY)),
        Some(text) => match ledger::parse(text) {
            Ok(ledger) => LedgerRead::Present(ledger),
            Err(error) => LedgerRead::Unreadable(chain(&error)),
        },
    }
}

/// The entries that can be read, oldest first; the others become findings.
fn journal(facts: &Facts, findings: &mut Vec<Finding>) -> Vec<JournalEntry> {
    let objects = facts
        .config_maps
        .values()
        .filter(|c| journal::id(&c.name).is_some());
    let mut entries: Vec<JournalEntry> = Vec::new();
    for object in objects {
        match journal::read(object) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                let message = format!("The journal entry is passed over: {}.", chain(&error));
                let finding =
                    Finding::new(FindingKind::ObjectMalformed, Severity::Warning, message)
                        .in_object(object.name.to_string());
                findings.push(Finding {
                    span: object.span,
                    ..finding
                });
            }
        }
    }
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    entries
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |e| e.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}
