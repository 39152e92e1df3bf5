//! What a decision rests on.

use std::borrow::Cow;

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Fragment, Owner};
use accord_model::facts::AuthenticationMode;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::ledger::{Ledger, Suspension};
use accord_model::mapping::SectionName;
use accord_model::observed::{LedgerRead, Observed};
use accord_model::plan::Refusal;
use accord_model::reading::SectionState;

use crate::access::Access;
use crate::caller::Caller;
use crate::holder;
use crate::lint::{self, World};
use crate::request::Allow;

/// The object that keeps the ledger.
const LEDGER: &str = "ConfigMap/kube-system/accord-ledger";

/// What was observed, read once.
pub(crate) struct Situation<'a> {
    pub(crate) observed: &'a Observed,
    pub(crate) world: World<'a>,
    pub(crate) access: Access<'a>,
    /// The ledger as far as it counts.
    pub(crate) ledger: Cow<'a, Ledger>,
    /// Who asks, if known.
    pub(crate) caller: Option<Caller>,
    /// Hazards that may pass.
    pub(crate) allow: &'a [Allow],
}

impl<'a> Situation<'a> {
    /// What was observed, for `caller`, letting pass what `allow` names.
    pub(crate) fn of(observed: &'a Observed, caller: Option<Caller>, allow: &'a [Allow]) -> Self {
        Self {
            observed,
            world: World::of(observed),
            access: Access::of(observed),
            ledger: holder::ledger(observed),
            caller,
            allow,
        }
    }

    /// An owner's fragment as it is now.
    pub(crate) fn fragment(&self, owner: &Owner) -> Option<&'a Fragment> {
        self.observed
            .fragments
            .items
            .iter()
            .find(|f| f.owner == *owner)
    }

    /// Whether the ledger may be written.
    pub(crate) fn keeps_ledger(&self) -> bool {
        !matches!(self.observed.ledger, LedgerRead::Unreadable(_))
    }

    /// Why no entry of `section` can be written, by name and in words; `None` if one can.
    pub(crate) fn closed(&self, section: SectionName) -> Option<(FindingKind, String)> {
        if self.access.mode() == Some(AuthenticationMode::Api) {
            return Some((
                FindingKind::AwsAuthIgnored,
                "The authentication mode is API: aws-auth is not read, and a mapping in it lets nobody in. Claims must \
                 become access entries, which this version does not write."
                    .to_owned(),
            ));
        }
        let aws_auth = self.observed.aws_auth.as_ref()?;
        if aws_auth.immutable {
            return Some((
                FindingKind::Immutable,
                "The ConfigMap aws-auth is immutable, so no entry can be changed. Nothing is deleted and created to get \
                 around that: in between no node, pod or person would get in. Somebody has to do it knowingly, with \
                 the new map at hand."
                    .to_owned(),
            ));
        }
        let section = aws_auth.map.section(section);
        match &section.state {
            SectionState::Lost(loss) if !section.is_writable() => Some((
                FindingKind::SectionUnparseable,
                format!(
                    "{} cannot be read: {}. It is not written to before it is mended.",
                    section.name, loss.message
                ),
            )),
            _ => None,
        }
    }

    /// Whether the entries of `section` cannot be told.
    pub(crate) fn is_lost(&self, section: SectionName) -> bool {
        let map = self.observed.aws_auth.as_ref().map(|a| &a.map);
        map.is_some_and(|map| !map.section(section).is_readable())
    }

    /// The suspension under which a principal's entry is not put back.
    pub(crate) fn suspension(&self, key: &PrincipalKey) -> Option<&Suspension> {
        self.ledger
            .suspended
            .iter()
            .find(|s| s.until > self.observed.now && s.principal.as_ref().is_none_or(|p| p == key))
    }

    /// What is worth saying of the observation itself.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut findings = self.observed.findings.clone();
        findings.extend(lint::lint_sections(
            self.observed,
            self.access.rules(),
            &self.world,
        ));
        match &self.observed.ledger {
            LedgerRead::Unreadable(why) => findings.push(
                Finding::new(
                    FindingKind::LedgerUnreadable,
                    Severity::Warning,
                    format!(
                        "The ledger cannot be read: {why}. Without it nobody knows whose an entry is: nothing is removed, \
                         and the ledger is not overwritten. Mend it from a backup, or delete it to begin anew."
                    ),
                )
                .in_object(LEDGER),
            ),
            LedgerRead::Present(ledger) if holder::is_foreign(ledger, self.observed) => findings
                .push(
                    Finding::new(
                        FindingKind::LedgerOfOtherCluster,
                        Severity::Warning,
                        "The ledger belongs to another cluster, as after restoring a backup: it counts as absent, so \
                         nothing is removed by it, and what is claimed as it stands is taken for found.",
                    )
                    .in_object(LEDGER),
                ),
            LedgerRead::Present(_) | LedgerRead::Absent => {}
        }
        findings
    }

    /// The refusal of whatever needs the ledger, if it cannot be read.
    pub(crate) fn needs_ledger(&self, what: &str) -> Option<Refusal> {
        let LedgerRead::Unreadable(why) = &self.observed.ledger else {
            return None;
        };
        Some(Refusal {
            kind: FindingKind::LedgerUnreadable,
            principal: None,
            message: format!("{what} needs the ledger, and it cannot be read: {why}."),
            held_by: None,
            allow: None,
            askers: true,
        })
    }
}
