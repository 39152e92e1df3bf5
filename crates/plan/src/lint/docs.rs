//! The documentation of each kind of finding, a page each under `docs/`.

use accord_model::finding::FindingKind;

/// The page of a kind, in Markdown: its meaning, what happens, an example, what to do, and its severity.
pub const fn page(kind: FindingKind) -> &'static str {
    macro_rules! page {
        ($name:literal) => {
            include_str!(concat!("docs/", $name, ".md"))
        };
    }
    match kind {
        FindingKind::SectionUnparseable => page!("section-unparseable"),
        FindingKind::SectionNotAList => page!("section-not-a-list"),
        FindingKind::SectionWrongType => page!("section-wrong-type"),
        FindingKind::SectionKeyCase => page!("section-key-case"),
        FindingKind::SectionInBinaryData => page!("section-in-binarydata"),
        FindingKind::SectionDoubleEncoded => page!("section-double-encoded"),
        FindingKind::MultiDocumentIgnored => page!("multi-document-ignored"),
        FindingKind::TrailingContentIgnored => page!("trailing-content-ignored"),
        FindingKind::EntryWrongType => page!("entry-wrong-type"),
        FindingKind::MissingArn => page!("missing-arn"),
        FindingKind::UnknownField => page!("unknown-field"),
        FindingKind::DuplicateKey => page!("duplicate-key"),
        FindingKind::GroupsWrongType => page!("groups-wrong-type"),
        FindingKind::GroupWrongType => page!("group-wrong-type"),
        FindingKind::GroupSuspicious => page!("group-suspicious"),
        FindingKind::UsernameWrongType => page!("username-wrong-type"),
        FindingKind::UsernameMissing => page!("username-missing"),
        FindingKind::UnquotedTemplate => page!("unquoted-template"),
        FindingKind::TemplateUnknown => page!("template-unknown"),
        FindingKind::AccountBadFormat => page!("account-bad-format"),
        FindingKind::AccountWrongType => page!("account-wrong-type"),
        FindingKind::AccountAmbiguousNumber => page!("account-ambiguous-number"),
        FindingKind::ByteOrderMark => page!("byte-order-mark"),
        FindingKind::ArnMalformed => page!("arn-malformed"),
        FindingKind::ArnInvisibleCharacter => page!("arn-invisible-character"),
        FindingKind::ArnWildcard => page!("arn-wildcard"),
        FindingKind::PlaceholderLeft => page!("placeholder-left"),
        FindingKind::UnknownPartition => page!("unknown-partition"),
        FindingKind::PartitionMismatch => page!("partition-mismatch"),
        FindingKind::ArnHasPath => page!("arn-has-path"),
        FindingKind::ArnAssumedRole => page!("arn-assumed-role"),
        FindingKind::ArnNotAPrincipal => page!("arn-not-a-principal"),
        FindingKind::WrongSection => page!("wrong-section"),
        FindingKind::DuplicateArn => page!("duplicate-arn"),
        FindingKind::DuplicateArnCaseOnly => page!("duplicate-arn-case-only"),
        FindingKind::ShadowedByAccessEntry => page!("shadowed-by-access-entry"),
        FindingKind::UsernameReserved => page!("username-reserved"),
        FindingKind::UsernameCallerControlled => page!("username-caller-controlled"),
        FindingKind::NodeTemplateOnHumanRole => page!("node-template-on-human-role"),
        FindingKind::SsoInvalid => page!("sso-invalid"),
        FindingKind::SsoMatcherInactive => page!("sso-matcher-inactive"),
        FindingKind::SsoPrefixOvermatch => page!("sso-prefix-overmatch"),
        FindingKind::SsoPartitionNeverMatches => page!("sso-partition-never-matches"),
        FindingKind::AwsAuthIgnored => page!("aws-auth-ignored"),
        FindingKind::FargateGroupsIncomplete => page!("fargate-groups-incomplete"),
        FindingKind::WindowsGroupMissing => page!("windows-group-missing"),
        FindingKind::FargateRoleNotMapped => page!("fargate-role-not-mapped"),
        FindingKind::FargateRoleNotInAwsAuth => page!("fargate-role-not-in-aws-auth"),
        FindingKind::NodeRoleNotInMap => page!("node-role-not-in-map"),
        FindingKind::RoleSharedByEc2AndFargate => page!("role-shared-by-ec2-and-fargate"),
        FindingKind::PrincipalPathMissing => page!("principal-path-missing"),
        FindingKind::PrincipalNotFound => page!("principal-not-found"),
        FindingKind::UsernameNeedsColon => page!("username-needs-colon"),
        FindingKind::PrincipalServiceLinked => page!("principal-service-linked"),
        FindingKind::EntryGroupReserved => page!("entry-group-reserved"),
        FindingKind::FieldNotAllowedForType => page!("field-not-allowed-for-type"),
        FindingKind::NonStandardEntryUpdate => page!("non-standard-entry-update"),
        FindingKind::EntryInvalid => page!("entry-invalid"),
        FindingKind::EntryNeedsMode => page!("entry-needs-mode"),
        FindingKind::ModeChangeRefused => page!("mode-change-refused"),
        FindingKind::AccessScopeInvalid => page!("access-scope-invalid"),
        FindingKind::DuplicatePolicy => page!("duplicate-policy"),
        FindingKind::EntryWithoutRights => page!("entry-without-rights"),
        FindingKind::EntryDiffers => page!("entry-differs"),
        FindingKind::EntryNotMigrated => page!("entry-not-migrated"),
        FindingKind::AccountNotMigratable => page!("account-not-migratable"),
        FindingKind::CrossAccountPathUnknown => page!("cross-account-path-unknown"),
        FindingKind::StalePrincipal => page!("stale-principal"),
        FindingKind::CreatorEntryReplaced => page!("creator-entry-replaced"),
        FindingKind::ReplacementGap => page!("replacement-gap"),
        FindingKind::ReplacementSamePrincipal => page!("replacement-same-principal"),
        FindingKind::MovedEntryWillBeDeleted => page!("moved-entry-will-be-deleted"),
        FindingKind::LastAdminRemoved => page!("last-admin-removed"),
        FindingKind::CallerLosesAccess => page!("caller-loses-access"),
        FindingKind::RemovalOfEksOwnedEntry => page!("removal-of-eks-owned-entry"),
        FindingKind::RoleStillInUse => page!("role-still-in-use"),
        FindingKind::ShadowedEntryRevived => page!("shadowed-entry-revived"),
        FindingKind::MapDestroyed => page!("map-destroyed"),
        FindingKind::MapContentUnknown => page!("map-content-unknown"),
        FindingKind::SectionOwnedByOtherManager => page!("section-owned-by-other-manager"),
        FindingKind::WholeMapWriter => page!("whole-map-writer"),
        FindingKind::DuplicateAddon => page!("duplicate-addon"),
        FindingKind::TrustMissingPodIdentity => page!("trust-missing-pod-identity"),
        FindingKind::TrustMissingIrsa => page!("trust-missing-irsa"),
        FindingKind::AddonConflict => page!("addon-conflict"),
        FindingKind::AddonCannotAdoptAssociation => page!("addon-cannot-adopt-association"),
        FindingKind::AssociationCrossAccount => page!("association-cross-account"),
        FindingKind::AddonServiceAccountUnknown => page!("addon-service-account-unknown"),
        FindingKind::PodIdentityAgentMissing => page!("pod-identity-agent-missing"),
        FindingKind::TwoCredentialSources => page!("two-credential-sources"),
        FindingKind::UnknownAttribute => page!("unknown-attribute"),
        FindingKind::OrphanedGrant => page!("orphaned-grant"),
        FindingKind::EditedSince => page!("edited-since"),
        FindingKind::LedgerOfOtherCluster => page!("ledger-of-other-cluster"),
        FindingKind::LedgerUnreadable => page!("ledger-unreadable"),
        FindingKind::ObjectMalformed => page!("object-malformed"),
        FindingKind::ListingIncomplete => page!("listing-incomplete"),
        FindingKind::CannotBeKnown => page!("cannot-be-known"),
        FindingKind::SizeNearLimit => page!("size-near-limit"),
        FindingKind::HeldByOther => page!("held-by-other"),
        FindingKind::NotClaimed => page!("not-claimed"),
        FindingKind::EditedByTwo => page!("edited-by-two"),
        FindingKind::Proposed => page!("proposed"),
        FindingKind::TooManyRemovals => page!("too-many-removals"),
        FindingKind::WrongCluster => page!("wrong-cluster"),
        FindingKind::PlanOutdated => page!("plan-outdated"),
        FindingKind::Immutable => page!("immutable"),
        FindingKind::TooLarge => page!("too-large"),
        FindingKind::PoliciesNeedAccessEntry => page!("policies-need-access-entry"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_page_with_all_its_parts() {
        for kind in FindingKind::ALL {
            let page = page(*kind);
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(page.starts_with(&format!("# {kind}\n\n")), "{kind}");
            assert!(
                words(page).contains(&words(kind.meaning())),
                "{kind}: the meaning"
            );
            for part in ["## Example", "## What to do", "## Severity"] {
                let (_, behind) = page.split_once(part).unwrap_or_default();
                let text = behind.split("## ").next().unwrap_or_default();
                assert!(text.trim().len() > 5, "{kind}: {part}");
            }
            assert!(
                page.lines().all(|l| l.chars().count() <= 120),
                "{kind}: long lines"
            );
        }
    }
}
