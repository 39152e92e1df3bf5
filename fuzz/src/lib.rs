//! How the targets take a section of `aws-auth` from their input.

use accord_model::mapping::SectionName;

/// The section that the input's first letter names (`r`, `u` or `a`), and its text.
pub fn section(input: &str) -> Option<(SectionName, &str)> {
    let (name, text) = input.split_at_checked(1)?;
    let name = match name {
        "r" => SectionName::Roles,
        "u" => SectionName::Users,
        "a" => SectionName::Accounts,
        _ => return None,
    };
    Some((name, text))
}
