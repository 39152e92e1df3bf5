//! What becomes of each mapping.

use accord_model::arn::{self, PrincipalKey};
use accord_model::facts::{AccessEntry, AuthenticationMode};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, Mapping};
use accord_model::migration::{Blocker, EntryRequest, Fate, Stage, Verdict};

use super::ground::Ground;
use super::{proof, request};
use crate::access::{entry_answer, rights};
use crate::lint::AWS_AUTH;

/// A fate, and what is in its way.
pub(super) struct Judged {
    pub(super) fate: Fate,
    pub(super) blocker: Option<Blocker>,
}

/// Every mapping and mapped account, in the order of the map.
pub(super) fn all(ground: &Ground<'_>) -> Vec<Judged> {
    let mappings = ground.mappings().into_iter();
    let mappings = mappings.map(|(id, mapping)| of_mapping(ground, id, mapping));
    let accounts = ground.access.rules().accounts();
    let accounts = accounts.map(|(id, account)| of_account(ground, id, account));
    mappings.chain(accounts).collect()
}

fn of_mapping(ground: &Ground<'_>, id: EntryId, mapping: &Mapping) -> Judged {
    let teller = Teller {
        ground,
        id,
        mapping,
    };
    if ground.mode() == Some(AuthenticationMode::Api) {
        return teller.ignored("The authentication mode is API: the map is not read.");
    }
    if !arn::is_presentable(&mapping.arn) {
        return teller.ignored("It lets nobody in: no caller has this ARN.");
    }
    let deciding = ground
        .access
        .rules()
        .deciding(&PrincipalKey::of(&mapping.arn));
    match deciding.ids() {
        [only] if *only == id => {}
        [other] => {
            return teller.ignored(format!("{other} decides for the same principal."));
        }
        ids if ids.contains(&id) => {
            return teller.stays(
                FindingKind::DuplicateArn,
                "",
                Stage::CreateEntries,
                "Which of several entries decides for it is random: keep one of them first.",
            );
        }
        _ => return teller.ignored("Another entry decides for the same principal."),
    }
    if let Some(entry) = ground.entry(&mapping.arn) {
        return teller.beside(entry);
    }
    match request::of(ground, mapping) {
        Ok(entry) => {
            let reason = match entry.kind.as_str() {
                "STANDARD" => "An access entry gives the same.".to_owned(),
                kind => format!("It has the shape that EKS gives to {kind}."),
            };
            teller.fate(Verdict::Create, Some(entry), reason)
        }
        Err(no) => teller.stays(no.kind, &no.field, Stage::FinalMode, no.why),
    }
}

fn of_account(ground: &Ground<'_>, id: EntryId, account: &str) -> Judged {
    let teller = Teller {
        ground,
        id,
        mapping: &Mapping {
            arn: account.to_owned(),
            ..Mapping::default()
        },
    };
    if ground.mode() == Some(AuthenticationMode::Api) {
        teller.ignored("The authentication mode is API: the map is not read.")
    } else if !arn::is_account(account) {
        teller.ignored("It lets nobody in: it is no account.")
    } else {
        teller.stays(
            FindingKind::AccountNotMigratable,
            "",
            Stage::FinalMode,
            "No access entry stands for a whole account. Find out who uses it (the authenticator's log names each), map \
             these roles one by one, then remove the account.",
        )
    }
}

/// Tells the fate of one mapping.
struct Teller<'g> {
    ground: &'g Ground<'g>,
    id: EntryId,
    mapping: &'g Mapping,
}

impl Teller<'_> {
    fn fate(
        &self,
        verdict: Verdict,
        entry: Option<EntryRequest>,
        reason: impl Into<String>,
    ) -> Judged {
        Judged {
            fate: Fate {
                id: self.id,
                principal: arn::display_form(&self.mapping.arn).into_owned(),
                verdict,
                entry,
                reason: reason.into(),
            },
            blocker: None,
        }
    }

    fn ignored(&self, reason: impl Into<String>) -> Judged {
        self.fate(Verdict::Ignored, None, reason)
    }

    /// It stays, because of something at `field` (`.username`, or empty for the whole mapping).
    fn stays(
        &self,
        kind: FindingKind,
        field: &str,
        forbids: Stage,
        why: impl Into<String>,
    ) -> Judged {
        let why = why.into();
        let mut judged = self.fate(Verdict::Stays, None, why.clone());
        let finding = Finding::new(kind, Severity::LocksOut, why)
            .in_object(AWS_AUTH)
            .at(format!("{}{field}", self.id), self.ground.span(self.id))
            .about(judged.fate.principal.clone());
        judged.blocker = Some(Blocker { finding, forbids });
        judged
    }

    /// There is an access entry already.
    fn beside(&self, entry: &AccessEntry) -> Judged {
        // Without the map the entry alone decides, and in CONFIG_MAP the first change of mode does that too.
        let forbids = match self.ground.mode() {
            Some(AuthenticationMode::ApiAndConfigMap | AuthenticationMode::Api) => {
                Stage::RemoveMappings
            }
            Some(AuthenticationMode::ConfigMap) | None => Stage::SetMode,
        };
        if self.ground.is_stale(entry) {
            return self.stays(
                FindingKind::StalePrincipal,
                "",
                forbids,
                "Its access entry is bound to a role of this name that is gone, and lets nobody in: delete the entry first.",
            );
        }
        if entry.kind.is_empty() || entry.policies.is_none() {
            return self.stays(
                FindingKind::ListingIncomplete,
                "",
                forbids,
                "There is an access entry for it, and it is not known what that gives.",
            );
        }
        let given = entry_answer(0, entry).rights();
        let wanted = rights(&self.mapping.identity);
        if proof::compare(&wanted, &given) == proof::Comparison::Differs {
            let why = format!(
                "There is an access entry for it, which gives username `{}`, groups {:?} and policies {:?}: not what the \
                 mapping gives. Make them one first.",
                given.username,
                given.groups,
                given.policies.iter().map(|p| &p.policy).collect::<Vec<_>>(),
            );
            return self.stays(FindingKind::EntryDiffers, "", forbids, why);
        }
        let request = EntryRequest {
            principal: entry.principal.clone(),
            kind: entry.kind.clone(),
            username: entry.username.clone().filter(|_| entry.kind == "STANDARD"),
            groups: match entry.kind.as_str() {
                "STANDARD" => entry.groups.clone(),
                _ => Vec::new(),
            },
            policies: given.policies,
        };
        self.fate(
            Verdict::Exists,
            Some(request),
            "An access entry gives the same already.",
        )
    }
}
