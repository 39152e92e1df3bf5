//! The map after a tool has written it, or let go of what it wrote.

use accord_model::deploy::{MapWrite, MapWriter};
use accord_model::mapping::SectionName;
use accord_model::observed::{AwsAuth, Observed};
use accord_model::reading::{AuthMap, Section, SectionState};

/// Sections that are not known keep what is in them now: whether anybody in them is lost cannot be said.
pub(super) fn write(observed: &mut Observed, write: &MapWrite) {
    let Some(new) = &write.map else {
        return;
    };
    let mut new = new.clone();
    let old = observed.aws_auth.as_ref().map(|a| &a.map);
    for name in SectionName::ALL {
        let is_unknown = write.unknown.iter().any(|u| u.value == name.key());
        let is_absent = new.map.section(name).state == SectionState::Absent;
        let kept = matches!(write.how, MapWriter::Keys { .. }) && is_absent;
        if is_unknown || kept {
            let old = old.map_or_else(|| Section::absent(name), |map| map.section(name).clone());
            *new.map.section_mut(name) = old;
        }
    }
    if let (MapWriter::Keys { .. }, Some(old)) = (write.how, &observed.aws_auth) {
        new.stray_keys.extend(old.stray_keys.iter().cloned());
        new.immutable = old.immutable;
    }
    observed.aws_auth = Some(new);
}

/// What is left when a tool deletes what it wrote.
pub(super) fn unwrite(observed: &mut Observed, write: &MapWrite) {
    let MapWriter::Keys { .. } = write.how else {
        observed.aws_auth = None;
        return;
    };
    let Some(aws_auth) = &mut observed.aws_auth else {
        return;
    };
    for name in sections(write) {
        *aws_auth.map.section_mut(name) = Section::absent(name);
    }
}

/// The sections that a write names.
pub(super) fn sections(write: &MapWrite) -> Vec<SectionName> {
    let named = |map: &AuthMap, name: SectionName| map.section(name).state != SectionState::Absent;
    let is_written = |name: &SectionName| {
        write
            .map
            .as_ref()
            .is_none_or(|m: &AwsAuth| named(&m.map, *name))
            || write.unknown.iter().any(|u| u.value == name.key())
    };
    SectionName::ALL.into_iter().filter(is_written).collect()
}
