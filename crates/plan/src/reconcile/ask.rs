//! A request as reconcile takes it: which fragments, admissions and suspensions it changes, and what it may touch.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Fragment, Owner};
use accord_model::finding::Finding;
use accord_model::ledger::{Admitted, Line, Origin, Suspension};
use accord_model::mapping::{Mapping, SectionName};
use accord_model::plan::{Holder, Refusal};

/// What a request comes to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    /// Who asks. If one of their principals is refused, nothing of theirs is written.
    pub(crate) askers: BTreeSet<Owner>,
    /// Their fragments as they shall be; `None`: deleted.
    pub(crate) fragments: BTreeMap<Owner, Option<Fragment>>,
    /// What shall be admitted of a fragment; `None`: nothing.
    pub(crate) admitted: BTreeMap<Owner, Option<Admitted>>,
    /// The suspensions as they shall be, if they change.
    pub(crate) suspended: Option<Vec<Suspension>>,
    /// Principals that the askers claimed until now, and give up by this request.
    pub(crate) given_up: BTreeSet<PrincipalKey>,
    /// Principals that the askers take whoever holds them.
    pub(crate) take: BTreeSet<PrincipalKey>,
    /// How entries came to be their owners', where that is put back.
    pub(crate) origins: BTreeMap<PrincipalKey, Origin>,
    /// What nobody claims and is written all the same.
    pub(crate) forced: BTreeMap<PrincipalKey, Forced>,
    /// Claims of the askers that are not in the files.
    pub(crate) pruned: Vec<String>,
    /// Whether they are given up.
    pub(crate) prunes: bool,
    /// What may be touched.
    pub(crate) scope: Scope,
    /// What is refused before anything is decided.
    pub(crate) refusals: Vec<Refusal>,
    /// What is worth saying.
    pub(crate) findings: Vec<Finding>,
}

/// What a request may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every principal.
    #[default]
    All,
    /// Only what is missing.
    Missing,
    /// No entry.
    Nothing,
    /// Every principal that is not the askers' alone.
    Others,
}

/// An entry as it shall be although nobody claims it.
#[derive(Clone, Debug)]
pub(crate) struct Forced {
    /// The section it belongs in.
    pub(crate) section: SectionName,
    /// The principal as it is printed.
    pub(crate) principal: String,
    /// The entry; `None`: none.
    pub(crate) entry: Option<Mapping>,
    /// The ledger's line.
    pub(crate) line: Option<Line>,
    /// Whose it is.
    pub(crate) holder: Holder,
    /// Why.
    pub(crate) reason: String,
}

impl Ask {
    /// The same request once it is refused: nothing of the askers' is touched, and the rest goes on.
    pub(crate) fn refused(&self) -> Self {
        Self {
            askers: self.askers.clone(),
            pruned: self.pruned.clone(),
            prunes: self.prunes,
            findings: self.findings.clone(),
            scope: match self.scope {
                Scope::All | Scope::Others => Scope::Others,
                Scope::Missing => Scope::Missing,
                Scope::Nothing => Scope::Nothing,
            },
            ..Self::default()
        }
    }
}
