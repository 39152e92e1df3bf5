//! The YAML reader: no text panics, and what is read lies where it says.

#![no_main]

use accord_wire::yaml::{self, Dialect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for dialect in [Dialect::GoYaml, Dialect::Json] {
        match yaml::first_document(text, dialect) {
            Ok(tree) => {
                let mut nodes: Vec<_> = tree.root().into_iter().collect();
                while let Some(node) = nodes.pop() {
                    let outer = tree.full_range(node);
                    assert!(text.get(outer.bytes()).is_some());
                    for child in tree.children(node) {
                        let inner = tree.full_range(child);
                        assert!(outer.start <= inner.start && inner.end <= outer.end);
                        nodes.push(child);
                    }
                }
            }
            Err(error) => assert!(text.get(error.range.bytes()).is_some()),
        }
    }
    let mut end = 0;
    for document in yaml::documents(text, Dialect::Json) {
        assert!(end <= document.range.start && document.range.start < document.range.end);
        end = document.range.end;
    }
});
