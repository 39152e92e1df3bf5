//! Where the programs are.

use std::path::PathBuf;

/// The path of a program of `$KUBEBUILDER_ASSETS`.
pub(crate) fn program(name: &str) -> PathBuf {
    const ADVICE: &str = "run `cargo xtask test`, or first `eval \"$(cargo xtask envtest)\"`";
    let folder = std::env::var_os("KUBEBUILDER_ASSETS").filter(|folder| !folder.is_empty());
    let Some(folder) = folder else {
        panic!(
            "this test needs kube-apiserver, etcd and kubectl, and KUBEBUILDER_ASSETS is not set: {ADVICE}"
        );
    };
    let program = PathBuf::from(folder).join(name);
    assert!(
        program.is_file(),
        "this test needs {}, which is missing: {ADVICE}",
        program.display()
    );
    program
}
