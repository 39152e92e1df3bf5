//! Which cluster, and as whom: found as kubectl finds it.
//!
//! In this order: `--kubeconfig`; the files of `$KUBECONFIG`, those that exist, merged; `~/.kube/config`; the service
//! account of the pod that this runs in
//! (<https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/>). Exec plugins, client
//! certificates, token files, `proxy-url` and `HTTPS_PROXY` are the client library's.

use std::path::PathBuf;

use kube::Config;
use kube::client::AuthError;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};

use crate::connection::Connection;
use crate::error::{Cause, KubeError};

/// Which cluster, and as whom, as it is given on a command line.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The only kubeconfig to be read.
    pub kubeconfig: Option<PathBuf>,
    /// The context; else the current one.
    pub context: Option<String>,
    /// The user to act as.
    pub as_user: Option<String>,
    /// The groups to act as.
    pub as_groups: Vec<String>,
}

/// A connection to the cluster that is meant. An exec plugin runs now; the API server is not asked yet.
///
/// # Errors
/// If no cluster is named, the kubeconfig cannot be used, or signing in fails.
pub fn connect(target: &Target) -> Result<Connection, KubeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| KubeError::Setup(Cause(error.to_string())))?;
    let _inside = runtime.enter();
    let (cluster, mut config) = match kubeconfig(target)? {
        Some(kubeconfig) => from_kubeconfig(&runtime, kubeconfig, target)?,
        None => in_cluster()?,
    };
    if target.as_user.is_some() {
        config.auth_info.impersonate.clone_from(&target.as_user);
        config.auth_info.impersonate_groups = Some(target.as_groups.clone());
    }
    config.default_retry = false; // what may be asked again, and for how long, is said in `connection`
    let server = address(&config.cluster_url);
    let client = kube::Client::try_from(config).map_err(of_client)?;
    Ok(Connection::new(runtime, client, server, cluster))
}

/// The kubeconfig, if there is one.
fn kubeconfig(target: &Target) -> Result<Option<Kubeconfig>, KubeError> {
    if let Some(path) = &target.kubeconfig {
        return Kubeconfig::read_from(path).map(Some).map_err(of_kubeconfig);
    }
    let listed = std::env::var_os("KUBECONFIG").filter(|value| !value.is_empty());
    let paths: Vec<PathBuf> = match &listed {
        Some(value) => std::env::split_paths(value).collect(),
        None => {
            let home = std::env::home_dir();
            home.map(|home| home.join(".kube").join("config"))
                .into_iter()
                .collect()
        }
    };
    let mut merged: Option<Kubeconfig> = None;
    for path in paths.iter().filter(|path| path.is_file()) {
        let next = Kubeconfig::read_from(path).map_err(of_kubeconfig)?;
        merged = Some(match merged {
            Some(first) => first.merge(next).map_err(of_kubeconfig)?,
            None => next,
        });
    }
    // A file without any context is as good as none.
    let merged = merged.filter(|it| target.context.is_some() || !it.contexts.is_empty());
    match (merged, &target.context) {
        (None, Some(context)) => Err(KubeError::Kubeconfig(Cause(format!(
            "there is no kubeconfig that could hold the context `{context}`"
        )))),
        (merged, _) => Ok(merged),
    }
}

/// The cluster's name in the kubeconfig, which is its ARN where `aws eks update-kubeconfig` has written it.
fn from_kubeconfig(
    runtime: &tokio::runtime::Runtime,
    kubeconfig: Kubeconfig,
    target: &Target,
) -> Result<(String, Config), KubeError> {
    let name = target
        .context
        .as_ref()
        .or(kubeconfig.current_context.as_ref());
    let context = kubeconfig
        .contexts
        .iter()
        .find(|context| Some(&context.name) == name);
    let Some(context) = context else {
        let there: Vec<&str> = kubeconfig
            .contexts
            .iter()
            .map(|c| c.name.as_str())
            .collect();
        return Err(KubeError::Kubeconfig(Cause(match name {
            Some(name) => format!("it has no context `{name}`; it has {}", listed(&there)),
            None => format!("it has no current context; it has {}", listed(&there)),
        })));
    };
    let cluster = context
        .context
        .as_ref()
        .map_or_else(String::new, |context| context.cluster.clone());
    let options = KubeConfigOptions {
        context: Some(context.name.clone()),
        ..KubeConfigOptions::default()
    };
    let config = runtime
        .block_on(Config::from_custom_kubeconfig(kubeconfig, &options))
        .map_err(of_kubeconfig)?;
    Ok((cluster, config))
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => format!("`{}`", names.join("`, `")),
    }
}

fn in_cluster() -> Result<(String, Config), KubeError> {
    if std::env::var_os("KUBERNETES_SERVICE_HOST").is_none() {
        return Err(KubeError::NoCluster);
    }
    let config =
        Config::incluster().map_err(|error| KubeError::Kubeconfig(Cause(error.to_string())))?;
    Ok((address(&config.cluster_url), config))
}

/// Where the API server is, without anything that could be a secret.
fn address(url: &http::Uri) -> String {
    let host = url.host().unwrap_or_default();
    let port = url.port_u16().map_or_else(String::new, |p| format!(":{p}"));
    format!("{}://{host}{port}", url.scheme_str().unwrap_or("https"))
}

fn of_kubeconfig(error: KubeconfigError) -> KubeError {
    KubeError::Kubeconfig(match &error {
        KubeconfigError::ReadConfig(cause, path) => {
            Cause(format!("`{}` cannot be read: {cause}", path.display()))
        }
        // The parser quotes the lines around the place, and these may hold a token.
        KubeconfigError::Parse(_) => Cause("it is not a kubeconfig in YAML".to_owned()),
        other => Cause(other.to_string()),
    })
}

/// From setting up the client, where an exec plugin may have run.
fn of_client(error: kube::Error) -> KubeError {
    match &error {
        kube::Error::Auth(cause) => of_auth(cause),
        other => KubeError::Setup(Cause::root(other)),
    }
}

/// From signing in. What a plugin prints on standard output may be a credential; its standard error is for people.
pub(crate) fn of_auth(error: &AuthError) -> KubeError {
    KubeError::SignIn(match error {
        AuthError::AuthExecRun { cmd, out, .. } => {
            let said = String::from_utf8_lossy(&out.stderr);
            Cause(format!(
                "`{}` failed ({}): {}",
                program(cmd),
                out.status,
                said.trim()
            ))
        }
        AuthError::AuthExecStart(cause) => Cause(format!(
            "the program that signs in could not be started: {cause}"
        )),
        AuthError::AuthExecParse(_) => {
            Cause("the program that signs in did not print an ExecCredential".to_owned())
        }
        AuthError::AuthExec(_) => Cause("the program that signs in failed".to_owned()),
        AuthError::InvalidBearerToken(_) | AuthError::InvalidBasicAuth(_) => {
            Cause("the credentials have characters that no header may have".to_owned())
        }
        other => Cause(other.to_string()),
    })
}

/// The program of a command line in quotes; its arguments may be long, or secret.
fn program(command: &str) -> &str {
    let mut words = command.split(['"', ' ']).filter(|word| !word.is_empty());
    words.find(|word| !word.contains('=')).unwrap_or(command)
}
