//! Templates as the authenticator's own server fills them: `filled.jsonl` is made by `go run ./render` in `oracle/`.

use accord_plan::caller::Caller;
use accord_plan::template::Filling;
use serde_json::Value;

#[test]
fn templates_are_filled_as_the_server_fills_them() {
    let mut denied = 0;
    for line in include_str!("filled.jsonl").lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let word = |name: &str| question[name].as_str().unwrap();
        let (account, session) = (word("account"), word("session"));
        let arn = format!("arn:aws:sts::{account}:assumed-role/R/{session}");
        let filling = Filling {
            caller: &Caller::parse(&arn).unwrap(),
            ec2_private_dns: Some(word("dns")).filter(|name| !name.is_empty()),
        };
        let mut unfilled = Vec::new();
        let ours = filling.fill(word("template"), &mut unfilled);
        // What we do not know is named; the server, which has to ask EC2, denies where EC2 does not know.
        let ours = ours.ok().filter(|_| unfilled.is_empty());
        assert_eq!(ours.as_deref(), question["filled"].as_str(), "{line}");
        denied += usize::from(ours.is_none());
    }
    assert!(denied > 10, "{denied}");
}
