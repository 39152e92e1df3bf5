//! Accounts: compared exactly, so anything but twelve digits never matches.

use accord_model::arn;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, SectionName};
use accord_model::reading::{Item, What};

use super::Look;

pub(super) fn look(look: &Look<'_>) -> Vec<Finding> {
    let section = &look.map.accounts;
    let mut findings = Vec::new();
    if !section.is_readable() {
        return findings;
    }
    // From there on all are empty, which is told once.
    let is_voided = |item: &&Item| {
        let mut remarks = item.remarks.iter();
        remarks.any(|r| r.what == What::AccountsVoidedFromHere)
    };
    let items = section.items.iter().take_while(|item| !is_voided(item));
    for (index, item) in items.enumerate() {
        let account = item.kept.as_ref().and_then(|k| k.account());
        let Some(account) = account.filter(|a| !arn::is_account(a)) else {
            continue;
        };
        let meant = meant(account);
        let message = match (&meant, account) {
            (_, "") => "This item is empty, and no account is.".to_owned(),
            (Some(meant), _) => {
                format!(
                    "`{account}` is compared as it stands, and never matches. Perhaps `{meant}` is meant."
                )
            }
            (None, _) => format!("`{account}` is not twelve digits, and never matches."),
        };
        let at = EntryId::new(SectionName::Accounts, index).to_string();
        let finding = Finding::new(
            FindingKind::AccountBadFormat,
            Severity::SilentWrong,
            message,
        )
        .at(at, section.span(item.range));
        findings.push(match meant {
            Some(meant) => finding.suggest(format!("\"{meant}\"")),
            None => finding,
        });
    }
    findings
}

/// Twelve digits that are meant: with what separates groups of them taken out, or a lost leading zero put back.
fn meant(account: &str) -> Option<String> {
    let separator = |c: char| c.is_whitespace() || matches!(c, '-' | '_' | '.' | '\'' | '"');
    let digits: String = account.chars().filter(|c| !separator(*c)).collect();
    if arn::is_account(&digits) {
        return Some(digits);
    }
    let padded = format!("0{digits}");
    (digits == account && arn::is_account(&padded)).then_some(padded)
}
