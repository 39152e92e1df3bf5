//! Moving a cluster from `aws-auth` to access entries: what becomes of each mapping, and the proof that nobody loses
//! access.

use crate::claim::PolicyGrant;
use crate::facts::AuthenticationMode;
use crate::finding::Finding;
use crate::mapping::EntryId;
use crate::plan::Rights;

/// What becomes of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// An access entry is created for it.
    Create,
    /// An access entry is there that gives the same.
    Exists,
    /// It stays in `aws-auth`, since no access entry can stand for it.
    Stays,
    /// It lets nobody in, so there is nothing to move.
    Ignored,
}

impl Verdict {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Exists => "exists",
            Self::Stays => "stays",
            Self::Ignored => "ignored",
        }
    }

    /// Whether the mapping can go once its access entry is there.
    pub const fn moves(self) -> bool {
        matches!(self, Self::Create | Self::Exists)
    }
}

/// An access entry as it is asked for, `create-access-entry` and `associate-access-policy` in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRequest {
    /// `principalArn`, with the role's real path.
    pub principal: String,
    /// `type`
    pub kind: String,
    /// `username`; `None` leaves it to EKS, as the types for compute demand.
    pub username: Option<String>,
    /// `kubernetesGroups`
    pub groups: Vec<String>,
    /// The policies to associate.
    pub policies: Vec<PolicyGrant>,
}

/// One mapping, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// Which one.
    pub id: EntryId,
    /// Its principal, in canonical form where there is one.
    pub principal: String,
    /// What becomes of it.
    pub verdict: Verdict,
    /// The access entry that stands for it.
    pub entry: Option<EntryRequest>,
    /// Why, in a sentence.
    pub reason: String,
}

/// A step of the migration. They come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// To `API_AND_CONFIG_MAP`, where both are read. It cannot be taken back.
    SetMode,
    /// The access entries are created. From then on they decide.
    CreateEntries,
    /// Effective access is compared, for every principal.
    Prove,
    /// The mappings that have an access entry are removed.
    RemoveMappings,
    /// To `API`, where `aws-auth` is not read any more. It cannot be taken back.
    FinalMode,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Self; 5] = [
        Self::SetMode,
        Self::CreateEntries,
        Self::Prove,
        Self::RemoveMappings,
        Self::FinalMode,
    ];

    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SetMode => "set-mode",
            Self::CreateEntries => "create-entries",
            Self::Prove => "prove",
            Self::RemoveMappings => "remove-mappings",
            Self::FinalMode => "final-mode",
        }
    }
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageState {
    /// There is nothing left to do.
    Done,
    /// It can be done.
    Pending,
    /// Something is in the way.
    Blocked,
}

impl StageState {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Pending => "pending",
            Self::Blocked => "blocked",
        }
    }
}

/// Something in the way, and of which stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// What it is.
    pub finding: Finding,
    /// The first stage that it forbids; it forbids all later ones too.
    pub forbids: Stage,
}

/// A principal whose effective access is not the same before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Who.
    pub principal: String,
    /// What it has.
    pub before: Option<Rights>,
    /// What it would have.
    pub after: Option<Rights>,
    /// Why that is as good; `None`: it is not.
    pub accepted: Option<String>,
}

/// The migration of a cluster, decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The mode it begins in; `None` if it is not known.
    pub mode: Option<AuthenticationMode>,
    /// Every mapping, in the order of the map.
    pub fates: Vec<Fate>,
    /// Everybody whose access is not exactly the same afterwards. Nobody else's changes.
    pub differences: Vec<Difference>,
    /// What is in the way.
    pub blockers: Vec<Blocker>,
    /// How far each stage is.
    pub stages: [(Stage, StageState); 5],
    /// Where a run that may go to the end would end.
    pub final_mode: Option<AuthenticationMode>,
    /// What is worth saying beside it.
    pub findings: Vec<Finding>,
}

impl Migration {
    /// Whether everybody keeps what they have, but for accepted differences.
    pub fn is_equal(&self) -> bool {
        self.differences.iter().all(|d| d.accepted.is_some())
    }

    /// What forbids a stage.
    pub fn blockers_of(&self, stage: Stage) -> impl Iterator<Item = &Blocker> {
        self.blockers.iter().filter(move |b| b.forbids <= stage)
    }

    /// The access entries that are still to be created.
    pub fn to_create(&self) -> impl Iterator<Item = &EntryRequest> {
        let created = self.fates.iter().filter(|f| f.verdict == Verdict::Create);
        created.filter_map(|fate| fate.entry.as_ref())
    }
}
