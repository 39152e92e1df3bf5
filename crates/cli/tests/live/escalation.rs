//! A user with rights in one namespace only tries to get an entry into the map, by what others run.
//!
//! Everything is written by that user, with the real kubectl; everything is run by the administrator. What must not
//! happen is told by the map's bytes.

use accord_testkit::{ApiServer, server};
use serde_json::{Value, json};

use crate::world::World;

/// Where the user may write ConfigMaps, and nothing else.
const THEIRS: &str = "escalation-theirs";
const USER: &str = "user-1";
const ROLE: &str = "arn:aws:iam::111122223333:role/";

const MAP: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: aws-auth, namespace: kube-system}
data:
  mapRoles: |
    - rolearn: arn:aws:iam::111122223333:role/platform
      username: platform
      groups: [system:masters]
";

struct Scene<'s> {
    server: &'s ApiServer,
    world: World<'s>,
}

impl<'s> Scene<'s> {
    /// A map, team-a with one claim, and the user's namespace.
    fn set(server: &'s ApiServer) -> Self {
        let scene = Self {
            server,
            world: World::of(server),
        };
        server.kubectl_with_input(&["create", "-f", "-"], MAP).ok();
        let there = server.kubectl(&["get", "namespace", THEIRS]);
        if !there.succeeded() {
            server.kubectl(&["create", "namespace", THEIRS]).ok();
        }
        let verbs = ["get", "list", "create", "update", "patch", "delete"];
        server.grant(USER, Some(THEIRS), &verbs, &["configmaps"]);
        scene.world.write("team-a.yaml", entry("a", "viewers"));
        scene.apply("team-a", "team-a.yaml", 0);
        scene
    }

    fn apply(&self, owner: &str, file: &str, code: i32) -> Value {
        self.world.json(
            &["apply", "--yes", "--owner", owner, "-f", file, "-o", "json"],
            &[code],
        )
    }

    fn sync(&self) -> Value {
        self.world.json(&["sync", "--yes", "-o", "json"], &[0])
    }

    /// What the user writes with kubectl.
    fn write(&self, verb: &str, manifest: &Value) {
        let file = self.world.path("theirs.json");
        std::fs::write(&file, manifest.to_string()).unwrap();
        let file = file.display().to_string();
        self.server.kubectl_as(USER, &[verb, "-f", &file]).ok();
    }

    fn kubectl(&self, arguments: &[&str]) {
        let arguments = [arguments, &["--namespace", THEIRS]].concat();
        self.server.kubectl_as(USER, &arguments).ok();
    }

    fn roles(&self) -> String {
        let path = [
            "get",
            "configmap",
            "aws-auth",
            "-n",
            "kube-system",
            "-o",
            "jsonpath={.data.mapRoles}",
        ];
        self.server.kubectl(&path).ok()
    }

    /// Everybody's next runs change nothing for the user: `sync` does nothing, and an owner's `apply` adds that owner's
    /// entry and no other.
    #[track_caller]
    fn nobody_gets_in(&self) {
        let before = self.roles();
        let sync = self.sync();
        assert_eq!(sync["changes"], json!([]), "{sync:#}");
        assert_eq!(self.roles(), before);
        self.world.write("team-z.yaml", entry("z", "viewers"));
        let applied = self.apply("team-z", "team-z.yaml", 0);
        assert_eq!(applied["outcome"], "done", "{applied:#}");
        let gained: Vec<&Value> = applied["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["principal"])
            .collect();
        assert_eq!(gained, [&json!(format!("{ROLE}z"))]);
        self.world
            .json(&["remove", "team-z", "--yes", "-o", "json"], &[0]);
        assert_eq!(self.roles(), before);
    }

    /// The states of the entries and claims of a principal, with their owners.
    fn states(&self, name: &str) -> Vec<String> {
        let status = self.world.json(&["status", "-o", "json"], &[0]);
        let entries = status["entries"].as_array().unwrap().iter();
        let of = entries.filter(|entry| entry["principal"] == format!("{ROLE}{name}"));
        let told = of.map(|entry| {
            let groups = entry["groups"].as_array().unwrap().iter();
            let groups: Vec<&str> = groups.map(|group| group.as_str().unwrap()).collect();
            let [owner, state] = [&entry["owner"], &entry["state"]].map(|v| v.as_str().unwrap());
            format!("{owner}: {} {state}", groups.join(","))
        });
        told.collect()
    }

    fn admit(&self, name: &str) {
        let owner = format!("{THEIRS}/{name}");
        let admitted = self
            .world
            .json(&["admit", &owner, "--yes", "-o", "json"], &[0]);
        assert_eq!(admitted["outcome"], "done", "{admitted:#}");
    }
}

fn entry(name: &str, group: &str) -> String {
    format!("- rolearn: {ROLE}{name}\n  username: {name}\n  groups: [{group}]\n")
}

/// A fragment of the user's.
fn fragment(name: &str, roles: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": THEIRS, "labels": {"accord.dev/aws-auth": "fragment"}},
        "data": {"mapRoles": roles},
    })
}

#[test]
fn a_labelled_fragment_is_only_a_proposal() {
    let server = server();
    let scene = Scene::set(&server);
    scene.write(
        "create",
        &fragment("mine", &entry("evil", "system:masters")),
    );
    scene.nobody_gets_in();
    assert_eq!(
        scene.states("evil"),
        [format!("{THEIRS}/mine: system:masters proposed")]
    );
}

#[test]
fn a_label_that_comes_later_a_reference_and_an_annotation_prove_nothing() {
    let server = server();
    let scene = Scene::set(&server);
    let mut manifest = fragment("mine", &entry("evil", "system:masters"));
    manifest["metadata"]["labels"] = json!({});
    let ledger = [
        "get",
        "configmap",
        "accord-ledger",
        "-n",
        "kube-system",
        "-o",
        "jsonpath={.metadata.uid}",
    ];
    let uid = server.kubectl(&ledger).ok();
    manifest["metadata"]["ownerReferences"] = json!([
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "accord-ledger", "uid": uid},
    ]);
    manifest["metadata"]["annotations"] = json!({
        "accord.dev/admitted": "true",
        "accord.dev/owner": "kube-system/accord-team-a",
        "kubectl.kubernetes.io/last-applied-configuration": fragment("x", &entry("evil", "system:masters")).to_string(),
    });
    scene.write("create", &manifest);
    scene.nobody_gets_in();
    assert_eq!(scene.states("evil"), [] as [&str; 0]);
    scene.kubectl(&["label", "configmap", "mine", "accord.dev/aws-auth=fragment"]);
    scene.nobody_gets_in();
    assert_eq!(
        scene.states("evil"),
        [format!("{THEIRS}/mine: system:masters proposed")]
    );
}

#[test]
fn what_was_admitted_stays_as_it_was_when_it_is_edited() {
    let server = server();
    let scene = Scene::set(&server);
    scene.write("create", &fragment("mine", &entry("good", "viewers")));
    scene.admit("mine");
    assert_eq!(
        scene.states("good"),
        [format!("{THEIRS}/mine: viewers in-effect")]
    );
    let edited = entry("good", "system:masters") + &entry("evil", "system:masters");
    scene.write("apply", &fragment("mine", &edited));
    scene.nobody_gets_in();
    assert_eq!(
        scene.states("good"),
        [
            format!("{THEIRS}/mine: viewers in-effect"),
            format!("{THEIRS}/mine: system:masters proposed")
        ]
    );
    assert_eq!(
        scene.states("evil"),
        [format!("{THEIRS}/mine: system:masters proposed")]
    );
    // Spoiled, it claims what was admitted; back as it was, it is admitted still.
    for spoiled in ["{", "- rolearn: [", "- {rolearn: 7}", &"[".repeat(5000)] {
        scene.write("apply", &fragment("mine", spoiled));
        scene.nobody_gets_in();
        assert_eq!(
            scene.states("good"),
            [format!("{THEIRS}/mine: viewers in-effect")]
        );
    }
    scene.write("apply", &fragment("mine", &entry("good", "viewers")));
    scene.nobody_gets_in();
    assert_eq!(
        scene.states("good"),
        [format!("{THEIRS}/mine: viewers in-effect")]
    );
}

#[test]
fn an_object_of_the_same_name_is_not_the_one_that_was_admitted() {
    let server = server();
    let scene = Scene::set(&server);
    scene.write("create", &fragment("mine", &entry("good", "viewers")));
    scene.admit("mine");
    // Made anew with the same content: what was admitted is gone with its object.
    scene.kubectl(&["delete", "configmap", "mine"]);
    scene.write("create", &fragment("mine", &entry("good", "viewers")));
    let sync = scene.sync();
    assert_eq!(sync["changes"][0]["change"], "loses", "{sync:#}");
    scene.nobody_gets_in();
    assert_eq!(
        scene.states("good"),
        [format!("{THEIRS}/mine: viewers proposed")]
    );

    // The whole namespace made anew, by somebody else perhaps.
    scene.admit("mine");
    scene.kubectl(&["delete", "configmap", "mine"]);
    remove_namespace(&server, THEIRS);
    server.kubectl(&["create", "namespace", THEIRS]).ok();
    server.revoke_grants();
    let verbs = ["get", "list", "create", "update", "patch", "delete"];
    server.grant(USER, Some(THEIRS), &verbs, &["configmaps"]);
    scene.write(
        "create",
        &fragment("mine", &entry("evil", "system:masters")),
    );
    let sync = scene.sync();
    assert_eq!(
        sync["changes"][0]["principal"],
        format!("{ROLE}good"),
        "{sync:#}"
    );
    scene.nobody_gets_in();
    assert_eq!(
        scene.states("evil"),
        [format!("{THEIRS}/mine: system:masters proposed")]
    );
}

#[test]
fn an_owners_name_in_another_namespace_is_another_owner() {
    let server = server();
    let scene = Scene::set(&server);
    for name in ["accord-team-a", "team-a", "aws-auth", "accord-ledger"] {
        let mut manifest = fragment(name, &entry("evil", "system:masters"));
        manifest["data"]["ledger.json"] = json!("{\"version\": 1}");
        scene.write("create", &manifest);
        scene.nobody_gets_in();
    }
    // The short name is still the one that it was.
    let changed = scene.apply("team-a", "team-a.yaml", 0);
    assert_eq!(changed["outcome"], "nothing", "{changed:#}");
    assert_eq!(scene.states("a"), ["team-a: viewers in-effect"]);
    let removed = scene
        .world
        .json(&["remove", "team-a", "--yes", "-o", "json"], &[0]);
    assert_eq!(
        removed["changes"][0]["principal"],
        format!("{ROLE}a"),
        "{removed:#}"
    );
    assert_eq!(scene.states("a"), [] as [&str; 0]);
    // The user can show nothing in kube-system.
    let mut there = fragment("accord-team-q", &entry("evil", "system:masters"));
    there["metadata"]["namespace"] = json!("kube-system");
    scene.world.write("theirs.json", there.to_string());
    let path = scene.world.path("theirs.json").display().to_string();
    let refused = server.kubectl_as(USER, &["create", "-f", &path]).err();
    assert!(refused.contains("forbidden"), "{refused}");
}

#[test]
fn somebody_elses_principal_stays_theirs_however_it_is_spelled() {
    let server = server();
    let scene = Scene::set(&server);
    let before = scene.roles();
    let spellings = [
        "a",
        "A",
        "some/path/a",
        "platform",
        "PLATFORM",
        "x/Platform",
    ];
    for (number, spelling) in spellings.into_iter().enumerate() {
        let name = format!("mine-{number}");
        scene.write("create", &fragment(&name, &entry(spelling, "editors")));
        scene.nobody_gets_in();
        // Even admitted, it takes nothing from anybody.
        let owner = format!("{THEIRS}/{name}");
        let admitted = scene
            .world
            .json(&["admit", &owner, "--yes", "-o", "json"], &[5]);
        let refusal = &admitted["refusals"][0]["kind"];
        assert!(
            refusal == "held-by-other" || refusal == "not-claimed",
            "{spelling}: {admitted:#}"
        );
        assert_eq!(scene.roles(), before);
    }
    // As an account, or through the session that the role would have.
    for odd in [
        json!({"mapAccounts": "- '111122223333'"}),
        json!({"mapUsers": "- userarn: arn:aws:iam::111122223333:role/a\n  username: evil\n  groups: [system:masters]"}),
        json!({"mapRoles": "- rolearn: arn:aws:sts::111122223333:assumed-role/a/x\n  username: evil\n  groups: [system:masters]"}),
        json!({"maproles": entry("a", "system:masters"), "MAPROLES": entry("evil", "system:masters")}),
    ] {
        let mut manifest = fragment("odd", "");
        manifest["data"] = odd;
        scene.write("apply", &manifest);
        scene.nobody_gets_in();
        assert_eq!(scene.roles(), before);
    }
}

#[test]
fn a_huge_or_malformed_fragment_stops_only_itself() {
    let server = server();
    let scene = Scene::set(&server);
    let many: String = (0..9_000)
        .map(|n| entry(&format!("evil-{n}"), "system:masters"))
        .collect();
    let deep = "[".repeat(400_000);
    let bomb: String = (1..20).fold("- &a0 [x]\n".to_owned(), |text, n| {
        format!(
            "{text}- &a{n} [{}]\n",
            vec![format!("*a{}", n - 1); 9].join(",")
        )
    });
    let forged = "\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: accord-x\n  namespace: kube-system\n  labels: {accord.dev/aws-auth: fragment}\ndata:\n  mapRoles: |\n    - {rolearn: 'arn:aws:iam::111122223333:role/evil', username: evil, groups: [system:masters]}\n";
    for roles in [
        many.as_str(),
        &deep,
        &bomb,
        &"x".repeat(1_000_000),
        &"\n".repeat(1_000_000),
        forged,
        "\u{feff}- rolearn: \u{0}\u{1b}[2J\u{85}\u{2028}\r\n",
    ] {
        scene.write("create", &fragment("mine", roles));
        scene.nobody_gets_in();
        scene.kubectl(&["delete", "configmap", "mine"]);
    }
    // Keys that YAML reads otherwise, and bytes that are no text.
    let mut manifest = fragment("mine", &entry("evil", "system:masters"));
    for key in [
        "null", "true", "1e3", "---", "-", "0x1", ".inf", "kind", "metadata",
    ] {
        manifest["data"][key] = json!(forged);
    }
    manifest["binaryData"] = json!({"mapUsers": "/////w==", ".x": "AA=="});
    manifest["metadata"]["annotations"] = json!({"a/b": forged, "c": "\u{1b}]0;x\u{7}"});
    scene.write("create", &manifest);
    scene.nobody_gets_in();
    let state = scene.world.accord(&["snapshot"], &[0]);
    scene.world.write("state.yaml", &state);
    let planned = scene.world.json(
        &["sync", "--state", "state.yaml", "--yes", "-o", "json"],
        &[0],
    );
    assert_eq!(planned["changes"], json!([]), "{planned:#}");
}

#[test]
fn any_number_of_proposals_buries_nothing() {
    let server = server();
    let scene = Scene::set(&server);
    let good: String = (0..13_000)
        .map(|n| format!("- {{rolearn: {ROLE}evil-{n}}}\n"))
        .collect();
    let bad = "- {rolern: x}\n".repeat(13_000);
    for (name, roles) in [
        ("a", &good),
        ("b", &good),
        ("c", &good),
        ("d", &bad),
        ("e", &bad),
    ] {
        scene.write("create", &fragment(name, roles));
    }
    let sync = scene.sync();
    let told = |what: &str| sync[what].as_array().unwrap().len();
    assert_eq!((told("refusals"), told("findings")), (11, 11));
    assert_eq!(
        sync["refusals"][10]["message"],
        format!(
            "Fragments in {THEIRS} claim 38990 more, which nobody has admitted; `accord status` lists them."
        )
    );
    assert_eq!(
        sync["findings"][10]["message"],
        format!("Fragments in {THEIRS} have 25990 more problems.")
    );
    scene.nobody_gets_in();
}

#[test]
fn what_a_stranger_writes_cannot_act_on_a_terminal_or_forge_a_line() {
    let server = server();
    let scene = Scene::set(&server);
    let forged = json!([{
        "rolearn": format!("{ROLE}mine"),
        "username": "me\u{1b}[2K\r\nmapRoles[9]  in-effect  unclaimed",
        "groups": ["viewers\u{1b}]0;owned\u{7}", "a\nb", "\u{202e}sretsam:metsys"],
    }]);
    scene.write("create", &fragment("mine", &forged.to_string()));
    let odd = json!([{"rolearn": format!("{ROLE}\u{1b}[31mred"), "username": "x"}]);
    scene.write("create", &fragment("other", &odd.to_string()));
    let file = scene.world.path("team-a.yaml").display().to_string();
    for arguments in [
        &["status"][..],
        &["plan", "--owner", "team-a", "-f", &file],
        &["sync", "--yes"],
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_accord"));
        command
            .args(arguments)
            .env("KUBECONFIG", server.kubeconfig(accord_testkit::ADMIN))
            .env("CLICOLOR_FORCE", "1"); // as on a terminal
        let output = accord_testkit::Output::of(&mut command, "");
        let shown = output.stdout + &output.stderr;
        assert!(shown.contains("mine"), "{shown}");
        for odd in [
            "\u{1b}[2K",
            "\u{1b}]",
            "\u{1b}[31mred",
            "\u{7}",
            "\r",
            "\u{202e}",
        ] {
            assert!(!shown.contains(odd), "{arguments:?}: {shown:?}");
        }
        let forged = shown
            .lines()
            .find(|line| line.starts_with("mapRoles[9]") || *line == "b");
        assert_eq!(forged, None, "{shown}");
    }
}

/// Deletes a namespace for good, which a controller would do.
fn remove_namespace(server: &ApiServer, name: &str) {
    server
        .kubectl(&["delete", "namespace", name, "--wait=false"])
        .ok();
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}});
    let path = format!("/api/v1/namespaces/{name}/finalize");
    let answer = server.request("PUT", &path, &body.to_string());
    assert_eq!(answer.code, 200, "{}", answer.text());
    let gone = || {
        server
            .request("GET", &format!("/api/v1/namespaces/{name}"), "")
            .code
            == 404
    };
    accord_testkit::until("the namespace to be gone", || gone().then_some(()));
}
