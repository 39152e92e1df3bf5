//! Who an identity would be, by which entry, and why; for a denial, what is nearest.

use accord_model::arn::{self, Arn};
use accord_model::explanation::{Explanation, Granted, Near, Outcome};
use accord_model::facts::AuthenticationMode;
use accord_model::mapping::SectionName;
use accord_model::observed::Observed;
use accord_model::plan::{Holder, Rights};
use accord_model::reading::SectionState;

use crate::access::{Access, Answer, Resolution, Via};
use crate::caller::{Caller, Session};
use crate::near;
use crate::subject::{self, Subject};
use crate::template::{Filling, NotAnInstance, Placeholder};
use crate::usage::{Usage, Use};

/// What the observation does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The private DNS name that EC2 has for the instance asked about.
    pub ec2_private_dns: Option<String>,
    /// The authenticator's feature gate `SSORoleMatch` is on. On EKS it is off.
    pub sso_matcher: bool,
}

/// Explains identities, one after the other.
pub struct Explainer<'a> {
    observed: &'a Observed,
    access: Access<'a>,
    usage: Usage,
    options: &'a Options,
    holder: &'a dyn Fn(Via) -> Holder,
}

impl<'a> Explainer<'a> {
    /// For what was observed; `holder` tells whose an entry is.
    pub fn new(
        observed: &'a Observed,
        options: &'a Options,
        holder: &'a dyn Fn(Via) -> Holder,
    ) -> Self {
        Self {
            observed,
            access: Access::of(observed).sso_matcher(options.sso_matcher),
            usage: Usage::of(&observed.compute),
            options,
            holder,
        }
    }

    /// Explains `asked`: an identity as `aws sts get-caller-identity` prints it, a role's ARN, `node/NAME`,
    /// `fargate-profile/NAME`, or the text of an event that names a Fargate profile.
    pub fn explain(&self, asked: &str) -> Explanation {
        match subject::of(asked, self.observed) {
            Ok(subject) => self.answer(&subject),
            Err(refused) => Explanation {
                asked: refused.shown,
                canonical: None,
                outcome: Outcome::Invalid,
                shadows: Vec::new(),
                unfilled: Vec::new(),
                near: Vec::new(),
                reason: Some(refused.reason),
                notes: Vec::new(),
            },
        }
    }

    fn answer(&self, subject: &Subject) -> Explanation {
        let caller = &subject.caller;
        let found = self.access.resolve(caller);
        let filling = Filling {
            caller,
            ec2_private_dns: self
                .options
                .ec2_private_dns
                .as_deref()
                .or(subject.private_dns.as_deref()),
        };
        let mut unfilled = Vec::new();
        let mut granted = Vec::new();
        let mut refused = Vec::new();
        for answer in &found.answers {
            match self.fill(answer, &filling, &mut unfilled) {
                Ok(identity) => granted.push(identity),
                Err(NotAnInstance) => refused.push(answer.via),
            }
        }
        let near = match (found.answers.is_empty(), &self.observed.aws_auth) {
            (true, Some(aws_auth)) if self.access.reads_map() => near::near(aws_auth, caller),
            _ => Vec::new(),
        };
        let reason = match (granted.as_slice(), refused.as_slice()) {
            ([], []) => Some(self.why_unknown(caller, &near)),
            ([], [via, ..]) => Some(why_no_instance(*via, caller)),
            ([_], []) => None,
            _ => Some(why_random(&found, refused.len())),
        };
        let mut notes = self.notes(caller, &found, &filling);
        notes.splice(0..0, subject.note.clone());
        let outcome = match (granted.pop(), granted.len() + refused.len()) {
            (None, _) => Outcome::Denied,
            (Some(one), 0) => Outcome::Mapped(one),
            (Some(last), _) => {
                granted.push(last);
                Outcome::Ambiguous(granted)
            }
        };
        Explanation {
            asked: subject.asked.clone(),
            canonical: Some(caller.canonical.clone()),
            outcome,
            shadows: found.shadows.iter().map(Via::to_string).collect(),
            unfilled: unfilled.iter().map(|p| p.name()).collect(),
            near,
            reason,
            notes,
        }
    }

    fn fill(
        &self,
        answer: &Answer,
        filling: &Filling<'_>,
        unfilled: &mut Vec<Placeholder>,
    ) -> Result<Granted, NotAnInstance> {
        let username = filling.fill(&answer.username, unfilled)?;
        let groups: Vec<String> = answer
            .groups
            .iter()
            .map(|group| filling.fill(group, unfilled))
            .collect::<Result<_, _>>()?;
        let rights = Rights {
            username,
            groups,
            policies: answer.policies.clone(),
        };
        let admin = rights.is_admin();
        let span = match answer.via {
            Via::Entry(_) => None,
            Via::Map(id) => self.observed.aws_auth.as_ref().and_then(|a| {
                let item = a.map.item(id)?;
                a.map.section(id.section).span(item.range)
            }),
        };
        Ok(Granted {
            username: rights.username,
            groups: rights.groups,
            policies: rights.policies,
            admin,
            via: answer.via.to_string(),
            span,
            owner: (self.holder)(answer.via),
        })
    }

    /// Why nothing maps the caller.
    fn why_unknown(&self, caller: &Caller, near: &[Near]) -> String {
        let mut told = vec![match (self.access.mode(), &self.observed.aws_auth) {
            (Some(AuthenticationMode::Api), _) => format!(
                "No access entry is for {}; the authentication mode is API, so aws-auth is not read.",
                caller.canonical
            ),
            (_, None) => "There is no aws-auth ConfigMap in kube-system.".to_owned(),
            (Some(AuthenticationMode::ApiAndConfigMap), Some(_)) => format!(
                "Neither an access entry nor an entry of aws-auth is for {}.",
                caller.canonical
            ),
            (_, Some(_)) => format!("No entry of aws-auth is for {}.", caller.canonical),
        }];
        told.extend(self.lost_sections());
        told.extend(near.iter().map(|n| near::told(n, &caller.canonical)));
        told.extend(self.entry_without_effect(caller));
        if caller.session.is_instance() == Some(true) {
            told.extend(self.about_instances());
        }
        told.join(" ")
    }

    fn lost_sections(&self) -> Vec<String> {
        let map = self.observed.aws_auth.as_ref().map(|a| &a.map);
        let sections = map.into_iter().flat_map(|m| m.sections());
        sections
            .filter(|_| self.access.reads_map())
            .filter_map(|section| match &section.state {
                SectionState::Lost(loss) => Some(format!(
                    "{} cannot be read because {}, so none of its entries is in effect.",
                    section.name, loss.message
                )),
                SectionState::Absent | SectionState::Empty | SectionState::Read => None,
            })
            .collect()
    }

    /// An access entry that is there and does not let the caller in.
    fn entry_without_effect(&self, caller: &Caller) -> Option<String> {
        let mut entries = self.observed.access_entries.items.iter();
        entries.find(|e| arn::same_identity(&e.principal, &caller.canonical))?;
        Some(match self.access.mode() {
            None => "There is an access entry for it, but the authentication mode is not known.".into(),
            Some(mode) if !mode.reads_entries() => {
                format!("There is an access entry for it, which the authentication mode {} does not read.", mode.name())
            }
            Some(_) => "There is an access entry for it, but the role was made after the entry, which is bound to the \
                        old role: delete the entry and create it again."
                .into(),
        })
    }

    /// What the session of an EC2 instance should have been mapped by.
    fn about_instances(&self) -> Vec<String> {
        let mut told = vec![
            "The session is named after an EC2 instance: the role of its instance profile must be mapped.".to_owned(),
        ];
        let on_ec2 =
            |users: &[crate::usage::RoleUser]| users.iter().any(|u| u.used_for != Use::FargatePods);
        let roles = self.usage.roles().filter(|r| on_ec2(&r.users));
        let roles: Vec<String> = roles.map(|r| format!("{} ({})", r.arn, r.told())).collect();
        if !roles.is_empty() {
            told.push(format!("The node groups' roles are {}.", roles.join(", ")));
        }
        let rules = self.access.rules();
        let profiles = rules.mappings().filter(|(_, m)| {
            Arn::parse(&m.arn).is_some_and(|a| a.resource_type() == "instance-profile")
        });
        told.extend(profiles.map(|(id, m)| {
            format!(
                "{id} maps the instance profile {}, which nobody authenticates as.",
                m.arn
            )
        }));
        told
    }

    fn notes(&self, caller: &Caller, found: &Resolution, filling: &Filling<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        let mut used: Vec<Placeholder> = Vec::new();
        for answer in &found.answers {
            for text in std::iter::once(&answer.username).chain(&answer.groups) {
                used.extend(Placeholder::in_text(text));
            }
            if let Via::Map(id) = answer.via
                && id.section == SectionName::Accounts
            {
                notes.push(format!(
                    "The whole account {} is mapped: there are no groups, and RBAC must bind exactly this username.",
                    caller.account
                ));
            }
            if let Via::Entry(index) = answer.via {
                let entry = self.observed.access_entries.items.get(index);
                if entry.is_some_and(|e| e.policies.is_none()) {
                    notes.push(
                        "The access entry's policies are not known: they were not listed.".into(),
                    );
                }
            }
        }
        used.sort_unstable();
        used.dedup();
        notes.extend(used.into_iter().filter_map(|p| how_filled(p, filling)));
        if self.access.mode().is_none() {
            notes.push(
                "The authentication mode is not known: this speaks for aws-auth only, and an access entry may decide \
                 otherwise."
                    .into(),
            );
        }
        notes
    }
}

fn how_filled(placeholder: Placeholder, filling: &Filling<'_>) -> Option<String> {
    let text = placeholder.text();
    let session = &filling.caller.session;
    match (placeholder, session) {
        (Placeholder::Ec2PrivateDnsName, _) => {
            match (filling.ec2_private_dns, session.is_instance()) {
                (Some(_), _) | (None, Some(false)) => None,
                (None, Some(true) | None) => Some(format!(
                    "{text} is the private DNS name that EC2 has for the instance: give it with --ec2-private-dns."
                )),
            }
        }
        (Placeholder::AccessKeyId, _) => Some(format!(
            "{text} is the caller's access key id, which is not known here."
        )),
        (Placeholder::SessionName | Placeholder::SessionNameRaw, Session::Unknown) => {
            Some(format!(
                "{text} is the session's name, and a role was asked for: ask for a session of it."
            ))
        }
        (Placeholder::SessionName | Placeholder::SessionNameRaw, Session::None) => {
            Some(format!("{text} is empty, since only roles have sessions."))
        }
        (Placeholder::SessionName, Session::Named(name)) if name.contains('@') => Some(format!(
            "{text} is the session's name `{name}` with `@` written as `-`."
        )),
        (Placeholder::SessionName | Placeholder::SessionNameRaw, Session::Named(_)) => {
            Some(format!("{text} is the session's name."))
        }
        (Placeholder::AccountId, _) => Some(format!("{text} is the caller's account.")),
    }
}

fn why_no_instance(via: Via, caller: &Caller) -> String {
    let session = match caller.session.name() {
        Some("") | None => "this identity has no session".to_owned(),
        Some(name) => format!("this session is named `{name}`"),
    };
    format!(
        "{via} is for it, but needs {}, for which the session must be named after an EC2 instance (i- and 8 or 17 \
         characters): {session}, so the authenticator denies it.",
        Placeholder::Ec2PrivateDnsName.text()
    )
}

fn why_random(found: &Resolution, refused: usize) -> String {
    let vias: Vec<String> = found.answers.iter().map(|a| a.via.to_string()).collect();
    let denied = match refused {
        0 => "",
        _ => " Some of them deny, because the session is not an EC2 instance's.",
    };
    format!(
        "{} fit alike, and which of them answers is random, from one request to the next.{denied} Keep only one.",
        vias.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, entry, map, observed};
    use accord_model::facts::{FargateProfile, Node, NodeGroup};
    use std::fmt::Write;

    fn told(seen: &Observed, options: &Options, asked: &[&str]) -> String {
        let holder = |_: Via| Holder::Unclaimed;
        let explainer = Explainer::new(seen, options, &holder);
        let mut out = String::new();
        for asked in asked {
            let e = explainer.explain(asked);
            let _ = match &e.outcome {
                Outcome::Mapped(g) => writeln!(
                    out,
                    "mapped {:?} {:?} by {} admin {}",
                    g.username, g.groups, g.via, g.admin
                ),
                Outcome::Denied => writeln!(out, "denied"),
                Outcome::Ambiguous(all) => {
                    let all: Vec<String> = all
                        .iter()
                        .map(|g| format!("{} by {}", g.username, g.via))
                        .collect();
                    writeln!(out, "ambiguous {}", all.join(", "))
                }
                Outcome::Invalid => writeln!(out, "invalid"),
            };
            if !e.shadows.is_empty() {
                let _ = writeln!(out, "  shadows {}", e.shadows.join(" "));
            }
            for line in e.reason.iter().chain(&e.notes) {
                let _ = writeln!(out, "  {line}");
            }
        }
        out
    }

    fn plain(seen: &Observed, asked: &[&str]) -> String {
        told(seen, &Options::default(), asked)
    }

    fn in_config_map_mode(map: accord_model::reading::AuthMap) -> Observed {
        testing::in_mode(observed(map), Some(AuthenticationMode::ConfigMap))
    }

    const NODE: &str = "system:node:{{EC2PrivateDNSName}}";

    #[test]
    fn a_mapping_is_told_with_how_it_was_filled() {
        let seen = in_config_map_mode(
            map()
                .role(
                    "role/dev",
                    "dev:{{SessionName}}",
                    &["raw:{{SessionNameRaw}}", "acct:{{AccountID}}"],
                )
                .user("user/dana", "{{SessionName}}", &["system:masters"])
                .account("444455556666")
                .build(),
        );
        insta::assert_snapshot!(plain(&seen, &[
            "arn:aws:sts::111122223333:assumed-role/dev/kim@example.com",
            "arn:aws:iam::111122223333:role/team/dev",
            "arn:aws:iam::111122223333:user/dana",
            "arn:aws:iam::444455556666:user/ops/Lee",
        ]), @r#"
        mapped "dev:kim-example.com" ["raw:kim@example.com", "acct:111122223333"] by mapRoles[0] admin false
          {{AccountID}} is the caller's account.
          {{SessionName}} is the session's name `kim@example.com` with `@` written as `-`.
          {{SessionNameRaw}} is the session's name.
        mapped "dev:{{SessionName}}" ["raw:{{SessionNameRaw}}", "acct:111122223333"] by mapRoles[0] admin false
          {{AccountID}} is the caller's account.
          {{SessionName}} is the session's name, and a role was asked for: ask for a session of it.
          {{SessionNameRaw}} is the session's name, and a role was asked for: ask for a session of it.
        mapped "" ["system:masters"] by mapUsers[0] admin true
          {{SessionName}} is empty, since only roles have sessions.
        mapped "arn:aws:iam::444455556666:user/ops/Lee" [] by mapAccounts[0] admin false
          The whole account 444455556666 is mapped: there are no groups, and RBAC must bind exactly this username.
        "#);
    }

    #[test]
    fn a_node_is_told_by_its_instance() {
        let mut seen = in_config_map_mode(map().role("role/ng", NODE, &["system:nodes"]).build());
        seen.compute.node_groups.items = vec![NodeGroup {
            name: "one".into(),
            role: Some("arn:aws:iam::111122223333:role/eks/ng".into()),
            windows: false,
            instance_profile: None,
        }];
        seen.compute.nodes.items = vec![Node {
            name: "ip-10-0-1-23.ec2.internal".into(),
            node_group: Some("one".into()),
            windows: false,
            fargate: false,
            instance: Some("i-0abc1234def567890".into()),
        }];
        insta::assert_snapshot!(plain(&seen, &[
            "arn:aws:sts::111122223333:assumed-role/ng/i-0abc1234def567890",
            "arn:aws:sts::111122223333:assumed-role/ng/my-laptop",
            "node/ip-10-0-1-23.ec2.internal",
            "node/other",
            "arn:aws:sts::111122223333:assumed-role/other/i-0abc1234def567890",
        ]), @r#"
        mapped "system:node:{{EC2PrivateDNSName}}" ["system:nodes"] by mapRoles[0] admin false
          {{EC2PrivateDNSName}} is the private DNS name that EC2 has for the instance: give it with --ec2-private-dns.
        denied
          mapRoles[0] is for it, but needs {{EC2PrivateDNSName}}, for which the session must be named after an EC2 instance (i- and 8 or 17 characters): this session is named `my-laptop`, so the authenticator denies it.
        mapped "system:node:ip-10-0-1-23.ec2.internal" ["system:nodes"] by mapRoles[0] admin false
          Node ip-10-0-1-23.ec2.internal belongs to node group one and has the role arn:aws:iam::111122223333:role/eks/ng.
        invalid
          There is no node `other`: known are ip-10-0-1-23.ec2.internal.
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:role/other. The session is named after an EC2 instance: the role of its instance profile must be mapped. The node groups' roles are arn:aws:iam::111122223333:role/ng (node group one).
        "#);
    }

    #[test]
    fn a_denial_names_what_is_nearest() {
        let seen = in_config_map_mode(
            map()
                .role("role/ci/runner", "", &[])
                .role("instance-profile/ng", "", &[])
                .meant("user/dana")
                .build(),
        );
        insta::assert_snapshot!(plain(&seen, &[
            "arn:aws:sts::111122223333:assumed-role/runner/job-1",
            "arn:aws:iam::111122223333:user/dana",
            "arn:aws:sts::111122223333:assumed-role/ng/i-0abc1234def567890",
        ]), @r"
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:role/runner. mapRoles[0] holds the role's ARN with its path, which STS does not show; write `arn:aws:iam::111122223333:role/runner`.
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:user/dana. mapRoles[2] names it, but is not in effect.
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:role/ng. The session is named after an EC2 instance: the role of its instance profile must be mapped. mapRoles[1] maps the instance profile arn:aws:iam::111122223333:instance-profile/ng, which nobody authenticates as.
        ");
    }

    #[test]
    fn the_mode_is_part_of_the_answer() {
        let asked = ["arn:aws:sts::111122223333:assumed-role/ops/kim"];
        let mut seen = observed(map().build());
        seen.access_entries.items = vec![entry("role/ops", "STANDARD", None)];
        let mut out = plain(&seen, &asked);
        for mode in [
            AuthenticationMode::ConfigMap,
            AuthenticationMode::ApiAndConfigMap,
        ] {
            out += &plain(&testing::in_mode(seen.clone(), Some(mode)), &asked);
        }
        seen.aws_auth = None;
        seen.access_entries.items.clear();
        out += &plain(&seen, &asked);
        out += &plain(
            &testing::in_mode(seen, Some(AuthenticationMode::Api)),
            &asked,
        );
        insta::assert_snapshot!(out, @r#"
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:role/ops. There is an access entry for it, but the authentication mode is not known.
          The authentication mode is not known: this speaks for aws-auth only, and an access entry may decide otherwise.
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:role/ops. There is an access entry for it, which the authentication mode CONFIG_MAP does not read.
        mapped "arn:aws:sts::111122223333:assumed-role/ops/kim" [] by accessEntry admin false
          The access entry's policies are not known: they were not listed.
          {{SessionName}} is the session's name.
        denied
          There is no aws-auth ConfigMap in kube-system.
          The authentication mode is not known: this speaks for aws-auth only, and an access entry may decide otherwise.
        denied
          No access entry is for arn:aws:iam::111122223333:role/ops; the authentication mode is API, so aws-auth is not read.
        "#);
    }

    #[test]
    fn a_random_answer_lists_all() {
        let seen = in_config_map_mode(
            map()
                .user("user/u", "one", &[])
                .user("user/U", NODE, &[])
                .user("user/ü", "u", &[])
                .user("user/Ü", "U", &[])
                .sso("Admin", "")
                .role("role/AWSReservedSSO_Admin_0123456789abcdef", "plain", &[])
                .build(),
        );
        let on = Options {
            sso_matcher: true,
            ..Options::default()
        };
        insta::assert_snapshot!(told(&seen, &on, &[
            "arn:aws:iam::111122223333:user/u",
            "arn:aws:iam::111122223333:user/ü",
            "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_0123456789abcdef/kim",
        ]), @r"
        ambiguous one by mapUsers[0]
          mapUsers[0] and mapUsers[1] fit alike, and which of them answers is random, from one request to the next. Some of them deny, because the session is not an EC2 instance's. Keep only one.
        ambiguous u by mapUsers[2], U by mapUsers[3]
          mapUsers[2] and mapUsers[3] fit alike, and which of them answers is random, from one request to the next. Keep only one.
        ambiguous Admin by mapRoles[0], plain by mapRoles[1]
          mapRoles[0] and mapRoles[1] fit alike, and which of them answers is random, from one request to the next. Keep only one.
        ");
    }

    #[test]
    fn a_fargate_profile_is_found_by_name_and_in_an_event() {
        let mut seen = in_config_map_mode(map().build());
        seen.compute.fargate_profiles.items = vec![FargateProfile {
            name: "jobs".into(),
            arn: None,
            role: Some("arn:aws:iam::111122223333:role/eks/pods".into()),
        }];
        insta::assert_snapshot!(plain(&seen, &[
            "fargate-profile/jobs",
            "fargate-profile/other",
            "Misconfigured Fargate Profile: fargate profile jobs blocked for new launches due to: Pod execution role is \
             not found in auth config",
        ]), @r"
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:role/pods.
          Fargate profile jobs runs pods under the role arn:aws:iam::111122223333:role/eks/pods.
        invalid
          There is no Fargate profile `other`: known are jobs.
        denied
          No entry of aws-auth is for arn:aws:iam::111122223333:role/pods.
          Fargate profile jobs runs pods under the role arn:aws:iam::111122223333:role/eks/pods.
        ");
    }
}
