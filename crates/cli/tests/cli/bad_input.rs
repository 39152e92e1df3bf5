//! Whatever is handed in: a clear error within seconds, the documented exit code, no panic, and nothing written.

use std::time::{Duration, Instant};

use crate::common::{Output, World, repository};

/// Ends within seconds, with an exit code of the table and a message, and leaves the file as it was.
#[track_caller]
fn fails_cleanly(world: &World, arguments: &str, file: &str) -> Output {
    let before = std::fs::read(world.path(file)).unwrap_or_default();
    let started = Instant::now();
    let out = world.accord(arguments);
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{arguments}: too slow"
    );
    assert!(
        matches!(out.code, Some(1 | 2 | 4 | 5)),
        "accord {arguments}: {out}"
    );
    assert!(!out.stderr.contains("panicked"), "{out}");
    let after = std::fs::read(world.path(file)).unwrap_or_default();
    assert_eq!(before, after, "accord {arguments} wrote");
    out
}

fn every_reader(world: &World, file: &str) {
    for arguments in [
        "explain arn:aws:iam::111122223333:role/a --state",
        "status --state",
        "history --state",
        "check",
        "plan -f payments.yaml --owner payments --state",
        "apply -f payments.yaml --owner payments --yes --state",
        "sync --yes --state",
        "restore --yes --state",
        "rollback --yes --state",
    ] {
        let _ = fails_cleanly(world, &format!("{arguments} {file}"), file);
    }
}

fn world(file: &str, content: impl AsRef<[u8]>) -> World {
    let world = World::with("payments.yaml", repository("examples/payments.yaml"));
    world.write(file, content);
    world
}

#[test]
fn a_missing_file_is_named() {
    let world = World::new();
    let out = world
        .accord("explain arn:aws:iam::111122223333:role/a --state none.yaml")
        .exits(1);
    insta::assert_snapshot!(out, @r"
    exit 1
    --- stderr
    error: could not read `none.yaml`
      because No such file or directory (os error 2)
    ");
}

#[test]
fn a_missing_declaration_is_named() {
    let world = World::with("cluster.yaml", repository("examples/cluster.yaml"));
    let out = world
        .accord("apply --state cluster.yaml -f none.yaml --owner a --yes")
        .exits(1);
    insta::assert_snapshot!(out, @r"
    exit 1
    --- stderr
    error: could not read `none.yaml`
      because No such file or directory (os error 2)
    ");
}

#[test]
fn a_folder_is_no_state_file() {
    let world = World::new();
    std::fs::create_dir(world.path("folder")).unwrap();
    let out = world.accord("status --state folder").exits(1);
    insta::assert_snapshot!(out, @r"
    exit 1
    --- stderr
    error: could not read `folder`
      because Is a directory (os error 21)
    ");
}

#[test]
fn binary_junk_is_no_state_file() {
    // A xorshift generator: the same junk each time.
    let mut x: u32 = 2_463_534_242;
    let junk: Vec<u8> = std::iter::repeat_with(|| {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x.to_le_bytes()[0]
    })
    .take(100_000)
    .collect();
    let world = world("junk.yaml", junk);
    every_reader(&world, "junk.yaml");
    let out = world.accord("status --state junk.yaml").exits(1);
    insta::assert_snapshot!(out, @r"
    exit 1
    --- stderr
    error: the file is not text in UTF-8 from here on
    --> junk.yaml:1:3
    ");
}

#[test]
fn nul_bytes_are_no_state_file() {
    every_reader(&world("nul.yaml", [0; 4096]), "nul.yaml");
}

#[test]
fn a_million_levels_are_too_deep() {
    for opening in ["[", "{a: ", "- ", "{\"a\":["] {
        let world = world("deep.yaml", opening.repeat(1_000_000));
        let _ = fails_cleanly(&world, "status --state deep.yaml", "deep.yaml");
        let _ = fails_cleanly(&world, "check deep.yaml", "deep.yaml");
    }
}

#[test]
fn a_million_levels_in_a_section_lose_the_section() {
    let map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: aws-auth, namespace: kube-system}}\ndata:\n  mapRoles: |\n    {}\n",
        "[".repeat(1_000_000)
    );
    let world = world("deep.yaml", map);
    let out = world.accord("check deep.yaml -o json").exits(4);
    let report = out.json();
    let mut findings = report["findings"].as_array().unwrap().iter();
    assert!(findings.any(|f| f["kind"] == "section-unparseable"));
    let out = world
        .accord("apply -f payments.yaml --owner payments --yes --state deep.yaml -o json")
        .exits(5);
    assert_eq!(out.json()["refusals"][0]["kind"], "section-unparseable");
}

#[test]
fn aliases_that_multiply_do_not_take_the_memory() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for i in 1..30 {
        let aliases = vec![format!("*a{}", i - 1); 10].join(", ");
        bomb.push_str(&format!("a{i}: &a{i} [{aliases}]\n"));
    }
    let world = world("bomb.yaml", &bomb);
    let _ = fails_cleanly(&world, "status --state bomb.yaml", "bomb.yaml");
    let indented = bomb.replace('\n', "\n    ");
    let map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: aws-auth, namespace: kube-system}}\ndata:\n  mapRoles: |\n    {indented}\n"
    );
    let world = World::with("map.yaml", map);
    let _ = fails_cleanly(&world, "check map.yaml", "map.yaml");
}

#[test]
fn a_half_written_state_file_never_panics_and_is_never_made_worse() {
    let whole = repository("examples/cluster.yaml");
    let world = world("cluster.yaml", "");
    for end in (0..whole.len())
        .step_by(97)
        .filter(|end| whole.is_char_boundary(*end))
    {
        world.write("cluster.yaml", &whole[..end]);
        let out = world
            .accord("apply -f payments.yaml --owner payments --yes --state cluster.yaml -o json");
        assert!(
            matches!(out.code, Some(0 | 1 | 5)) && !out.stderr.contains("panicked"),
            "cut at {end}: {out}"
        );
        let after = world.read("cluster.yaml");
        if out.code != Some(0) {
            assert_eq!(after, whole[..end], "cut at {end}");
        }
    }
    assert_eq!(world.files(), ["cluster.yaml", "payments.yaml"]);
}

#[test]
fn a_read_only_state_file_is_left() {
    let world = world("cluster.yaml", repository("examples/cluster.yaml"));
    let path = world.path("cluster.yaml");
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let out = fails_cleanly(
        &world,
        "apply -f payments.yaml --owner payments --yes --state cluster.yaml",
        "cluster.yaml",
    )
    .exits(1);
    insta::assert_snapshot!(out, @r"
    exit 1
    --- stderr
    error: `cluster.yaml` is read-only
    hint: make it writable, or work on a copy
    ");
}

#[test]
fn a_locked_state_file_is_waited_for_and_then_left() {
    let world = world("cluster.yaml", repository("examples/cluster.yaml"));
    let holder = std::fs::File::open(world.path("cluster.yaml")).unwrap();
    holder.lock().unwrap();
    let out = fails_cleanly(
        &world,
        "apply -f payments.yaml --owner payments --yes --state cluster.yaml",
        "cluster.yaml",
    )
    .exits(1);
    insta::assert_snapshot!(out, @r"
    exit 1
    --- stderr
    error: `cluster.yaml` is locked by another program
    hint: wait until it is done, then run it again
    ");
}

/// A limit on the size of files stands for a full disk: the write fails the same way.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let world = world("cluster.yaml", repository("examples/cluster.yaml"));
    let program = env!("CARGO_BIN_EXE_accord");
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec '{program}' apply -f payments.yaml --owner payments --yes --state cluster.yaml"
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(world.path("."))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("what was there is unchanged"), "{stderr}");
    assert_eq!(
        world.read("cluster.yaml"),
        repository("examples/cluster.yaml")
    );
    assert_eq!(world.files(), ["cluster.yaml", "payments.yaml"]);
}

#[test]
fn without_a_state_file_nothing_pretends_to_be_a_cluster() {
    let out = World::new().accord("sync --yes").exits(2);
    insta::assert_snapshot!(out, @r"
    exit 2
    --- stderr
    error: no cluster is named: there is no kubeconfig, and this is no pod
    hint: say where the cluster is: `aws eks update-kubeconfig --name CLUSTER`, `--kubeconfig FILE`, or `--state FILE` for a state file
    ");
}

#[test]
fn without_a_terminal_nothing_is_written_unasked() {
    let world = world("cluster.yaml", repository("examples/cluster.yaml"));
    let out = fails_cleanly(
        &world,
        "apply -f payments.yaml --owner payments --state cluster.yaml",
        "cluster.yaml",
    )
    .exits(5);
    insta::assert_snapshot!(out, @r"
    exit 5
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      gains    arn:aws:iam::111122223333:role/payments-deploy  claimed by payments
               as payments-deploy in payments-editors
      gains    arn:aws:iam::111122223333:role/payments-oncall  claimed by payments
               as payments:{{SessionName}} in payments-viewers

    2 gain access. 2 mappings, 1 fragment and the ledger would be written.
    --- stderr
    refused: nobody can be asked, because this is no terminal; nothing was written
    hint: look at the plan, then give `--yes`
    ");
}
