//! What somebody asks for, and what cannot be answered.

use std::collections::BTreeSet;
use std::str::FromStr;

use accord_model::claim::{Fragment, Owner};
use accord_model::finding::FindingKind;
use accord_model::ledger::{Ledger, Suspension};
use accord_model::observed::{LedgerRead, Observed};
use accord_model::reading::AuthMap;

use crate::caller::NotAnIdentity;
use crate::holder::key_of;

/// A request for a plan.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is wanted.
    pub intent: Intent,
    /// Principals that the asker claims although somebody else, or nobody, holds them with another identity.
    pub take_over: Vec<String>,
    /// Hazards that may pass.
    pub allow: Vec<Allow>,
    /// Who asks, as `aws sts get-caller-identity` prints it; `None`: whom the observation names, if anybody.
    pub caller: Option<String>,
}

impl Request {
    /// A request with this intent, which takes nothing over and lets nothing pass.
    pub fn new(intent: Intent) -> Self {
        Self {
            intent,
            take_over: Vec::new(),
            allow: Vec::new(),
            caller: None,
        }
    }
}

/// What is wanted.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Put every admitted claim into effect, with no change of claims.
    Sync,
    /// These are the owners' claims now.
    Declare {
        /// One or more fragments per owner; several of one owner count as one.
        fragments: Vec<Fragment>,
        /// Give up what the owners claimed before and is not in the fragments; else it stays claimed.
        prune: bool,
    },
    /// Give up everything that the owner claims.
    Remove(Owner),
    /// Claim what is live, as it is.
    Adopt {
        /// For whom.
        owner: Owner,
        /// ARNs or accounts, in any letter case.
        principals: Vec<String>,
    },
    /// Accept a proposed fragment as it is now.
    Admit(Owner),
    /// Stop putting entries back for a while.
    Suspend(Suspension),
    /// Add what is missing, and change nothing that is there.
    Restore {
        /// An older state to take entries from that nobody claims.
        backup: Option<Box<Observed>>,
    },
    /// Undo an applied plan.
    Rollback(Box<Undo>),
}

/// What a plan did, from its journal entry: the objects that it wrote, as they were and became.
#[derive(Clone, Debug)]
pub struct Undo {
    /// The journal entry's id.
    pub id: String,
    /// The fragments that it wrote or deleted.
    pub fragments: Vec<FragmentChange>,
    /// The map; of a plan that did not write it, `None`.
    pub map: Option<(AuthMap, AuthMap)>,
    /// The ledger; of a plan that did not write it, `None`.
    pub ledger: Option<(Ledger, Ledger)>,
}

/// One owner's fragment before and after a plan; `None`: it was not there.
#[derive(Clone, Debug)]
pub struct FragmentChange {
    /// The owner.
    pub owner: Owner,
    /// Before.
    pub before: Option<Fragment>,
    /// After.
    pub after: Option<Fragment>,
}

/// One hazard that may pass: `KIND=PRINCIPAL`, as the refusal names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    /// The hazard.
    pub kind: FindingKind,
    /// For whom, as written.
    pub principal: String,
}

impl Allow {
    /// Whether it lets `kind` pass for `principal`.
    pub fn covers(&self, kind: FindingKind, principal: &str) -> bool {
        self.kind == kind && key_of(&self.principal) == key_of(principal)
    }
}

/// Why a text is no [`Allow`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAllowance {
    /// No `=`.
    #[error("`{0}` is not of the form KIND=PRINCIPAL")]
    Form(String),
    /// No such kind.
    #[error("there is no hazard `{0}`")]
    Kind(String),
}

impl FromStr for Allow {
    type Err = NotAnAllowance;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || NotAnAllowance::Form(text.to_owned());
        let (kind, principal) = text.split_once('=').ok_or_else(form)?;
        if principal.is_empty() {
            return Err(form());
        }
        Ok(Self {
            kind: kind
                .parse()
                .map_err(|_| NotAnAllowance::Kind(kind.to_owned()))?,
            principal: principal.to_owned(),
        })
    }
}

/// A request that cannot be answered with a plan: a mistake in asking.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Nothing gives this principal access, so it cannot be adopted.
    #[error("there is no entry for {0}")]
    NotThere(String),
    /// Which of several entries gives it access is random.
    #[error("which entry decides for {principal} is random: {entries}")]
    Ambiguous {
        /// The principal as asked for.
        principal: String,
        /// The entries, in words.
        entries: String,
    },
    /// No fragment and no ledger line has this owner.
    #[error("there is no owner `{name}`: {known}")]
    UnknownOwner {
        /// As asked for.
        name: String,
        /// Who there is, in words.
        known: String,
    },
    /// A short name that several owners have.
    #[error("`{name}` may be any of {owners}")]
    AmbiguousOwner {
        /// As asked for.
        name: String,
        /// The owners, in words.
        owners: String,
    },
    /// The caller that the request names is none.
    #[error("{}: {}", .0.shown, .0.reason)]
    Caller(#[from] NotAnIdentity),
    /// A fragment that cannot be admitted, and why.
    #[error("{owner} cannot be admitted: {reason}")]
    NotAdmissible {
        /// The fragment.
        owner: String,
        /// Why.
        reason: &'static str,
    },
}

/// The owner that `name` means: `namespace/name`, a name given to `--owner`, or an object's name that no other has.
///
/// # Errors
/// If nobody, or more than one, is meant.
pub fn owner_named(observed: &Observed, name: &str) -> Result<Owner, RequestError> {
    let known = owners(observed);
    let whole = name.split_once('/').map(|(namespace, name)| Owner {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    });
    let exact = whole.unwrap_or_else(|| Owner::named(name));
    if known.contains(&exact) {
        return Ok(exact);
    }
    let alike: Vec<&Owner> = known.iter().filter(|o| o.name == name).collect();
    match alike.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(unknown(name, &known)),
        several => Err(RequestError::AmbiguousOwner {
            name: name.to_owned(),
            owners: listed(several.iter().copied()),
        }),
    }
}

/// That somebody of that name claims something.
pub(crate) fn known(observed: &Observed, owner: &Owner) -> Result<(), RequestError> {
    let known = owners(observed);
    match known.contains(owner) {
        true => Ok(()),
        false => Err(unknown(&owner.to_string(), &known)),
    }
}

fn unknown(name: &str, known: &BTreeSet<Owner>) -> RequestError {
    RequestError::UnknownOwner {
        name: name.to_owned(),
        known: match known.is_empty() {
            true => "nobody claims anything here".to_owned(),
            false => format!("known are {}", listed(known)),
        },
    }
}

/// Everybody who claims something, or did so when the ledger was last written.
pub fn owners(observed: &Observed) -> BTreeSet<Owner> {
    let fragments = observed.fragments.items.iter().map(|f| f.owner.clone());
    let mut owners: BTreeSet<Owner> = fragments.collect();
    if let LedgerRead::Present(ledger) = &observed.ledger {
        owners.extend(ledger.lines.values().flat_map(|l| l.owners.clone()));
        owners.extend(ledger.admitted.keys().cloned());
    }
    owners
}

fn listed<'a>(owners: impl IntoIterator<Item = &'a Owner>) -> String {
    let names: Vec<String> = owners.into_iter().map(Owner::to_string).collect();
    names.join(", ")
}
