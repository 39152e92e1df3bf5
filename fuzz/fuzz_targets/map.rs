//! The authenticator's reading of a section: no text panics, and everything said of it lies in it.

#![no_main]

use accord_fuzz::section;
use accord_wire::authenticator;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let Some((name, text)) = section(input) else {
        return;
    };
    let section = authenticator::read_section(name, None, text);
    assert!(section.is_readable() || section.kept().next().is_none());
    for item in &section.items {
        assert!(text.get(item.range.bytes()).is_some());
        for field in &item.written {
            assert!(text.get(field.key_range.bytes()).is_some());
            assert!(text.get(field.value_range.bytes()).is_some());
        }
        for remark in &item.remarks {
            assert!(text.get(remark.range.bytes()).is_some());
        }
    }
    for remark in &section.remarks {
        assert!(text.get(remark.range.bytes()).is_some());
    }
});
