//! `AssumeRoleWithWebIdentity`: a service account's token for a role (IRSA).
//!
//! The token's signature is not checked. Its issuer must be a provider of the account, its audience one of the
//! provider's, and the role's trust policy must let that subject in.

use accord_model::arn::Arn;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::credentials;
use crate::iam::trust;
use crate::world::{Answer, AwsError, Call, World};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Assume {
    role_arn: String,
    role_session_name: String,
    web_identity_token: String,
    duration_seconds: Option<String>,
}

/// What a token says.
struct Claims {
    /// Without `https://`.
    issuer: String,
    subject: String,
    audience: Vec<String>,
    /// Seconds since 1970.
    expires: Option<u64>,
}

impl Claims {
    fn of(token: &str) -> Result<Self, AwsError> {
        let invalid = || {
            let message = "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)";
            AwsError::new("InvalidIdentityToken", 400, message)
        };
        let body = token.split('.').nth(1).ok_or_else(invalid)?;
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(body.trim_end_matches('='));
        let claims = bytes
            .ok()
            .and_then(|b| serde_json::from_slice::<Value>(&b).ok());
        let claims = claims.ok_or_else(invalid)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let issuer = text("iss").ok_or_else(invalid)?;
        Ok(Self {
            issuer: issuer.strip_prefix("https://").unwrap_or(issuer).to_owned(),
            subject: text("sub").ok_or_else(invalid)?.to_owned(),
            audience: trust::texts(claims.get("aud")),
            expires: claims.get("exp").and_then(Value::as_u64),
        })
    }

    /// Whether the conditions of a trust policy hold for this token. Of the operators those that IRSA uses are known;
    /// any other does not hold.
    fn satisfy(&self, conditions: &Value) -> bool {
        let operators = conditions.as_object().into_iter().flatten();
        operators.into_iter().all(|(operator, keys)| {
            keys.as_object().is_some_and(|keys| {
                keys.iter().all(|(key, wanted)| {
                    let given = match key.strip_prefix(&self.issuer) {
                        Some(":sub") => std::slice::from_ref(&self.subject),
                        Some(":aud") => self.audience.as_slice(),
                        _ => return false,
                    };
                    let wanted = trust::texts(Some(wanted));
                    let fits = |given: &String| match operator.as_str() {
                        "StringEquals" => wanted.contains(given),
                        "StringLike" => wanted.iter().any(|w| trust::matches(w, given)),
                        _ => false,
                    };
                    given.iter().any(fits)
                })
            })
        })
    }
}

pub(super) fn assume(world: &mut World, call: &Call) -> Answer {
    let input: Assume = call.query()?;
    credentials::check_name(&input.role_session_name)?;
    let claims = Claims::of(&input.web_identity_token)?;
    if claims
        .expires
        .is_some_and(|at| at * 1000 <= world.now().millis)
    {
        return Err(AwsError::new("ExpiredTokenException", 400, "Token expired"));
    }
    let account = Arn::parse(&input.role_arn).map(|arn| arn.account.to_owned());
    let account =
        account.ok_or_else(|| AwsError::validation(format!("{} is invalid", input.role_arn)))?;
    let provider_arn = format!(
        "arn:{}:iam::{account}:oidc-provider/{}",
        world.settings.partition, claims.issuer
    );
    let iam = world.account(&account);
    let Some(provider) = iam.providers.get(&provider_arn) else {
        return Err(AwsError::new(
            "InvalidIdentityToken",
            400,
            format!(
                "No OpenIDConnect provider found in your account for https://{}",
                claims.issuer
            ),
        ));
    };
    let audience = claims
        .audience
        .iter()
        .find(|a| provider.client_ids.contains(a));
    let Some(audience) = audience.cloned() else {
        return Err(AwsError::new(
            "InvalidIdentityToken",
            400,
            "Incorrect token audience",
        ));
    };
    let role = iam
        .roles
        .values()
        .find(|role| role.arn == input.role_arn)
        .cloned();
    let trusted = role.filter(|role| {
        trust::allows(
            &role.assume_role_policy_document,
            "Federated",
            &provider_arn,
            &["sts:AssumeRoleWithWebIdentity"],
            |conditions| claims.satisfy(conditions),
        )
    });
    let Some(role) = trusted else {
        return Err(AwsError::access_denied(
            "Not authorized to perform sts:AssumeRoleWithWebIdentity",
        ));
    };
    let seconds = credentials::duration(input.duration_seconds.as_deref(), &role)?;
    let (keys, user) = credentials::give(world, &account, &role, &input.role_session_name, seconds);
    Ok(json!({
        "Credentials": keys,
        "SubjectFromWebIdentityToken": claims.subject,
        "AssumedRoleUser": user,
        "Provider": provider_arn,
        "Audience": audience,
    }))
}
