//! What is said about something that was read, or about a change.

use std::fmt;

use crate::span::{Place, Span};

/// What happens if nobody acts, the worst that applies. Ordered from harmless to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing: an odd place or form that works.
    Info,
    /// In effect as written, but a trap.
    Warning,
    /// What is in effect differs from what is written, and nothing says so.
    SilentWrong,
    /// A workload would lose its AWS rights or not start.
    BreaksWorkload,
    /// Somebody has, or would get, more than was written.
    PrivilegeGain,
    /// An administrator or the caller has, or would have, no access.
    LocksOut,
    /// A role that nodes, Fargate pods or the control plane use has, or would have, no working mapping.
    BreaksCluster,
}

impl Severity {
    /// All, from harmless to worst.
    pub const ALL: [Self; 7] = [
        Self::Info,
        Self::Warning,
        Self::SilentWrong,
        Self::BreaksWorkload,
        Self::PrivilegeGain,
        Self::LocksOut,
        Self::BreaksCluster,
    ];

    /// The name used in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::SilentWrong => "silent-wrong",
            Self::BreaksWorkload => "breaks-workload",
            Self::PrivilegeGain => "privilege-gain",
            Self::LocksOut => "locks-out",
            Self::BreaksCluster => "breaks-cluster",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! kinds {
    ($($variant:ident = $name:literal: $meaning:literal,)*) => {
        /// One kind stands for one meaning. Kinds are stable, like a compiler's codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FindingKind {
            $(#[doc = $meaning] $variant,)*
        }

        impl FindingKind {
            /// Every kind, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name used in JSON and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

kinds! {
    // Reading a map
    SectionUnparseable = "section-unparseable": "The section's text is not YAML to the authenticator: every entry in it is lost.",
    SectionNotAList = "section-not-a-list": "The section is a mapping or a scalar instead of a list: every entry in it is lost.",
    SectionWrongType = "section-wrong-type": "The ConfigMap holds a real list or mapping instead of text: the API server refuses the object.",
    SectionKeyCase = "section-key-case": "A data key that differs from `mapRoles`, `mapUsers` or `mapAccounts` only in spelling: it is not read at all.",
    SectionInBinaryData = "section-in-binarydata": "The section is under binaryData: it is not read.",
    SectionDoubleEncoded = "section-double-encoded": "The section is a quoted string that holds the YAML once more: every entry in it is lost.",
    MultiDocumentIgnored = "multi-document-ignored": "A document separator inside the section: what follows is not read.",
    TrailingContentIgnored = "trailing-content-ignored": "The list ends early: what follows is not read.",
    EntryWrongType = "entry-wrong-type": "A list item is not a mapping: it is skipped.",
    MissingArn = "missing-arn": "Neither `rolearn`/`userarn` nor `sso`: the entry is skipped.",
    UnknownField = "unknown-field": "A field that the authenticator ignores.",
    DuplicateKey = "duplicate-key": "The same key twice in one entry.",
    GroupsWrongType = "groups-wrong-type": "`groups` is not a list: the entry has no groups.",
    GroupWrongType = "group-wrong-type": "One group is not text: it is read as an empty group.",
    GroupSuspicious = "group-suspicious": "A group that nobody means: two joined by a stray space, invisible characters.",
    UsernameWrongType = "username-wrong-type": "The username is not text: it is read as empty.",
    UsernameMissing = "username-missing": "There is no username: it is empty.",
    UnquotedTemplate = "unquoted-template": "A value that begins with `{{` without quotes: every entry of the section is lost.",
    TemplateUnknown = "template-unknown": "A placeholder that the authenticator does not know: it stays as literal text.",
    AccountBadFormat = "account-bad-format": "An account id that is not 12 digits never matches.",
    AccountWrongType = "account-wrong-type": "An account that is not text: it is dropped.",
    AccountAmbiguousNumber = "account-ambiguous-number": "Unquoted digits that other tools read as a number.",
    ByteOrderMark = "byte-order-mark": "The section begins with a byte order mark, which the authenticator drops.",
    // Meaning of a map
    ArnMalformed = "arn-malformed": "Not an ARN that the authenticator can match.",
    ArnInvisibleCharacter = "arn-invisible-character": "An ARN with white space or an invisible character in it never matches.",
    ArnWildcard = "arn-wildcard": "`*` and `?` in an ARN are literal characters: they match nobody.",
    PlaceholderLeft = "placeholder-left": "A placeholder that was never filled in.",
    UnknownPartition = "unknown-partition": "A partition that does not exist.",
    PartitionMismatch = "partition-mismatch": "A partition that differs from the cluster's.",
    ArnHasPath = "arn-has-path": "A role ARN with a path never matches, because STS shows none.",
    ArnAssumedRole = "arn-assumed-role": "A session's ARN where the role's belongs.",
    ArnNotAPrincipal = "arn-not-a-principal": "Nobody authenticates as that: an instance profile, an IAM group, a Fargate profile, …",
    WrongSection = "wrong-section": "A user among roles, or the reverse.",
    DuplicateArn = "duplicate-arn": "The same principal twice: which entry wins.",
    DuplicateArnCaseOnly = "duplicate-arn-case-only": "Two users that differ only in case: which one wins is random.",
    ShadowedByAccessEntry = "shadowed-by-access-entry": "An access entry for the same principal decides instead.",
    UsernameReserved = "username-reserved": "An access entry's username under a reserved prefix.",
    UsernameCallerControlled = "username-caller-controlled": "A username that the caller can choose.",
    NodeTemplateOnHumanRole = "node-template-on-human-role": "A node's username template on a role that people assume.",
    SsoInvalid = "sso-invalid": "An `sso` block that the authenticator drops.",
    SsoMatcherInactive = "sso-matcher-inactive": "An `sso` block does nothing on EKS.",
    SsoPrefixOvermatch = "sso-prefix-overmatch": "An `sso` block admits more permission sets than it names.",
    SsoPartitionNeverMatches = "sso-partition-never-matches": "An `sso` block with a partition never matches.",
    AwsAuthIgnored = "aws-auth-ignored": "The authentication mode does not read `aws-auth`.",
    FargateGroupsIncomplete = "fargate-groups-incomplete": "Groups or the username that a Fargate profile's pods need are missing.",
    WindowsGroupMissing = "windows-group-missing": "The group that Windows nodes need is missing.",
    FargateRoleNotMapped = "fargate-role-not-mapped": "A Fargate profile's pod execution role has no working mapping.",
    FargateRoleNotInAwsAuth = "fargate-role-not-in-aws-auth": "A Fargate profile's pod execution role has an access entry, but no mapping in `aws-auth`.",
    NodeRoleNotInMap = "node-role-not-in-map": "A node group's role has no working mapping.",
    RoleSharedByEc2AndFargate = "role-shared-by-ec2-and-fargate": "One role serves EC2 nodes and Fargate pods: one of the two usernames wins for both.",
    // Access entries and migration
    PrincipalPathMissing = "principal-path-missing": "The access entry's ARN lacks the role's real path.",
    PrincipalNotFound = "principal-not-found": "The account's roles are listed completely and this one is not among them.",
    UsernameNeedsColon = "username-needs-colon": "`{{SessionName}}` in an access entry's username needs a colon before it.",
    PrincipalServiceLinked = "principal-service-linked": "A service-linked role cannot have an access entry made by a caller.",
    EntryGroupReserved = "entry-group-reserved": "A `system:` group in an access entry.",
    FieldNotAllowedForType = "field-not-allowed-for-type": "A field that the access entry's type forbids.",
    NonStandardEntryUpdate = "non-standard-entry-update": "An access entry of this type cannot be updated.",
    EntryInvalid = "entry-invalid": "An access entry or association that EKS would refuse.",
    EntryNeedsMode = "entry-needs-mode": "An access entry on a cluster whose mode is CONFIG_MAP.",
    ModeChangeRefused = "mode-change-refused": "A change of the authentication mode that EKS never makes.",
    AccessScopeInvalid = "access-scope-invalid": "A namespace scope without namespaces, or a cluster scope with them.",
    DuplicatePolicy = "duplicate-policy": "The same access policy twice on one entry.",
    EntryWithoutRights = "entry-without-rights": "An access entry with neither groups nor policies.",
    EntryDiffers = "entry-differs": "An access entry exists and would give something else than the map.",
    EntryNotMigrated = "entry-not-migrated": "A mapping still without an access entry when the mode changes.",
    AccountNotMigratable = "account-not-migratable": "`mapAccounts` has no counterpart among access entries.",
    CrossAccountPathUnknown = "cross-account-path-unknown": "The role's path cannot be looked up from here.",
    StalePrincipal = "stale-principal": "The role was made anew: the access entry is bound to the old one.",
    CreatorEntryReplaced = "creator-entry-replaced": "The cluster creator's own entry would be dropped or replaced.",
    ReplacementGap = "replacement-gap": "A replacement deletes before it creates.",
    ReplacementSamePrincipal = "replacement-same-principal": "A replacement collides with what it replaces.",
    MovedEntryWillBeDeleted = "moved-entry-will-be-deleted": "A resource that was only moved would be deleted.",
    // Changes (hazards)
    LastAdminRemoved = "last-admin-removed": "Nobody would be an administrator any more.",
    CallerLosesAccess = "caller-loses-access": "Whoever makes the change would lose access.",
    RemovalOfEksOwnedEntry = "removal-of-eks-owned-entry": "An entry that EKS wrote and that is in use would go.",
    RoleStillInUse = "role-still-in-use": "A role that nodes or profiles still use would lose its mapping or a group it needs.",
    ShadowedEntryRevived = "shadowed-entry-revived": "Removing an entry would bring another one for the same principal to life.",
    MapDestroyed = "map-destroyed": "The whole map would be deleted.",
    MapContentUnknown = "map-content-unknown": "What will be written to the map is not known before the deploy.",
    SectionOwnedByOtherManager = "section-owned-by-other-manager": "Another field manager owns the whole section.",
    WholeMapWriter = "whole-map-writer": "A tool writes the whole map and erases what others put there.",
    // Workloads
    DuplicateAddon = "duplicate-addon": "The same add-on declared twice.",
    TrustMissingPodIdentity = "trust-missing-pod-identity": "The role does not trust `pods.eks.amazonaws.com` with AssumeRole and TagSession.",
    TrustMissingIrsa = "trust-missing-irsa": "The role trusts no OpenID Connect provider with AssumeRoleWithWebIdentity.",
    AddonConflict = "addon-conflict": "The add-on would meet an object or field that another manager owns.",
    AddonCannotAdoptAssociation = "addon-cannot-adopt-association": "An association for that service account exists: the add-on cannot take it over.",
    AssociationCrossAccount = "association-cross-account": "The association's role is in another account than the cluster.",
    AddonServiceAccountUnknown = "addon-service-account-unknown": "The add-on has no such service account.",
    PodIdentityAgentMissing = "pod-identity-agent-missing": "A Pod Identity association on a cluster without the agent.",
    TwoCredentialSources = "two-credential-sources": "IRSA and Pod Identity on one service account.",
    UnknownAttribute = "unknown-attribute": "An attribute that its reader ignores.",
    // Ownership
    OrphanedGrant = "orphaned-grant": "An entry that Accord wrote for somebody, or took away, and that no owner claims.",
    EditedSince = "edited-since": "An entry was edited by somebody else after Accord wrote it, and is left alone.",
    LedgerOfOtherCluster = "ledger-of-other-cluster": "The ledger belongs to another cluster and is not used.",
    LedgerUnreadable = "ledger-unreadable": "The ledger cannot be read; it is not overwritten.",
    ObjectMalformed = "object-malformed": "An object that cannot be read is skipped; the rest goes on.",
    ListingIncomplete = "listing-incomplete": "Not everything could be listed, so nothing is removed on the strength of it.",
    CannotBeKnown = "cannot-be-known": "Something that cannot be restored from what is known.",
    SizeNearLimit = "size-near-limit": "The map is larger than what `kubectl apply` can hold in its annotation.",
    // Refusals
    HeldByOther = "held-by-other": "The principal is held by EKS or by another owner, with another identity.",
    NotClaimed = "not-claimed": "The entry is there, nobody claims it, and it differs.",
    EditedByTwo = "edited-by-two": "The entry was edited, and so was the claim.",
    Proposed = "proposed": "The fragment has not been admitted.",
    TooManyRemovals = "too-many-removals": "More would be removed at once than is plausible.",
    WrongCluster = "wrong-cluster": "The plan or declaration is for another cluster.",
    PlanOutdated = "plan-outdated": "The cluster has changed since the plan was kept, and it would now do something else.",
    Immutable = "immutable": "The ConfigMap is immutable.",
    TooLarge = "too-large": "The map would exceed the API server's limit of 1 MiB.",
    PoliciesNeedAccessEntry = "policies-need-access-entry": "Only an access entry can hold access policies.",
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for FindingKind {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .iter()
            .copied()
            .find(|k| k.name() == s)
            .ok_or_else(|| UnknownName(s.to_owned()))
    }
}

impl std::str::FromStr for Severity {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|k| k.name() == s)
            .ok_or_else(|| UnknownName(s.to_owned()))
    }
}

/// A name that stands for nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not known")]
pub struct UnknownName(pub String);

/// Something wrong or risky, with its place, severity, reason and fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// What is the case, in whole sentences without the place.
    pub message: String,
    /// The object: `ConfigMap/kube-system/aws-auth`.
    pub object: Option<String>,
    /// Where it stands.
    pub span: Option<Span>,
    /// The place inside the object: `mapRoles[2].rolearn`; a section's name for the whole section.
    pub at: Option<String>,
    /// The principal concerned.
    pub principal: Option<String>,
    /// The exact text to write instead.
    pub suggest: Option<String>,
    /// What made it, where that is another program's output.
    pub source: Option<Origin>,
}

/// From where in a program something comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The construct that made it: `Platform/Cluster/AwsAuth/manifest`.
    pub construct: String,
    /// Where the program makes that, if it is told.
    pub place: Option<Place>,
}

impl Finding {
    /// A finding without a place.
    pub fn new(kind: FindingKind, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            kind,
            severity,
            message: message.into(),
            object: None,
            span: None,
            at: None,
            principal: None,
            suggest: None,
            source: None,
        }
    }

    /// The same, in `object`.
    #[must_use]
    pub fn in_object(mut self, object: impl Into<String>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// The same, at a place in the object, and where that stands.
    #[must_use]
    pub fn at(mut self, at: impl Into<String>, span: Option<Span>) -> Self {
        self.at = Some(at.into());
        self.span = span;
        self
    }

    /// The same, about `principal`.
    #[must_use]
    pub fn about(mut self, principal: impl Into<String>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// The same, with the exact text to write instead.
    #[must_use]
    pub fn suggest(mut self, text: impl Into<String>) -> Self {
        self.suggest = Some(text.into());
        self
    }
}
