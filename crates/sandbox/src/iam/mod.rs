//! The part of IAM that EKS and its tools use: roles with paths and unique ids, users, policies, OpenID Connect providers
//! and instance profiles.

pub(crate) mod caller;
pub(crate) mod instance_profile;
pub(crate) mod oidc_provider;
mod page;
pub(crate) mod policy;
pub(crate) mod role;
mod role_policy;
mod tag;
pub(crate) mod trust;
pub(crate) mod user;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::protocol::Operation;
use crate::world::World;

pub(crate) use tag::{Tag, tags};

/// What one account holds. Roles, users and instance profiles by name, policies and providers by ARN.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) roles: BTreeMap<String, role::Role>,
    pub(crate) users: BTreeMap<String, user::User>,
    pub(crate) policies: BTreeMap<String, policy::Policy>,
    pub(crate) providers: BTreeMap<String, oidc_provider::Provider>,
    pub(crate) instance_profiles: BTreeMap<String, instance_profile::InstanceProfile>,
    /// Long-lived access keys, and the user of each.
    pub(crate) access_keys: BTreeMap<String, String>,
}

impl World {
    /// What IAM holds of an account; an account that nobody has used yet is empty.
    pub(crate) fn account(&mut self, account: &str) -> &mut Account {
        self.accounts.entry(account.to_owned()).or_default()
    }
}

/// The implementation of an operation.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "CreateRole" => role::create,
        "GetRole" => role::get,
        "ListRoles" => role::list,
        "UpdateRole" => role::update,
        "UpdateRoleDescription" => role::update_description,
        "UpdateAssumeRolePolicy" => role::update_trust,
        "DeleteRole" => role::delete,
        "CreateServiceLinkedRole" => role::create_service_linked,
        "TagRole" => role::tag,
        "UntagRole" => role::untag,
        "ListRoleTags" => role::list_tags,
        "AttachRolePolicy" => role_policy::attach,
        "DetachRolePolicy" => role_policy::detach,
        "ListAttachedRolePolicies" => role_policy::list_attached,
        "PutRolePolicy" => role_policy::put,
        "GetRolePolicy" => role_policy::get,
        "DeleteRolePolicy" => role_policy::delete,
        "ListRolePolicies" => role_policy::list,
        "CreatePolicy" => policy::create,
        "GetPolicy" => policy::get,
        "ListPolicies" => policy::list,
        "DeletePolicy" => policy::delete,
        "CreatePolicyVersion" => policy::create_version,
        "GetPolicyVersion" => policy::get_version,
        "ListPolicyVersions" => policy::list_versions,
        "DeletePolicyVersion" => policy::delete_version,
        "SetDefaultPolicyVersion" => policy::set_default_version,
        "CreateUser" => user::create,
        "GetUser" => user::get,
        "ListUsers" => user::list,
        "DeleteUser" => user::delete,
        "CreateAccessKey" => user::create_access_key,
        "CreateOpenIDConnectProvider" => oidc_provider::create,
        "GetOpenIDConnectProvider" => oidc_provider::get,
        "ListOpenIDConnectProviders" => oidc_provider::list,
        "DeleteOpenIDConnectProvider" => oidc_provider::delete,
        "AddClientIDToOpenIDConnectProvider" => oidc_provider::add_client,
        "RemoveClientIDFromOpenIDConnectProvider" => oidc_provider::remove_client,
        "UpdateOpenIDConnectProviderThumbprint" => oidc_provider::update_thumbprints,
        "TagOpenIDConnectProvider" => oidc_provider::tag,
        "CreateInstanceProfile" => instance_profile::create,
        "GetInstanceProfile" => instance_profile::get,
        "ListInstanceProfiles" => instance_profile::list,
        "ListInstanceProfilesForRole" => instance_profile::list_for_role,
        "DeleteInstanceProfile" => instance_profile::delete,
        "AddRoleToInstanceProfile" => instance_profile::add_role,
        "RemoveRoleFromInstanceProfile" => instance_profile::remove_role,
        _ => return None,
    })
}
