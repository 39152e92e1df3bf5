//! EKS's own add-ons: the service accounts that an association of theirs can name.
//!
//! Sources: the EKS user guide ("AWS add-ons", "Community add-ons"), and AWS's end-to-end tests of add-ons. What differs from
//! version to version (cert-manager), and what nobody documents, is left out.

/// An add-on, as far as identity is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Its namespace, unless another one is asked for.
    pub namespace: &'static str,
    /// The service accounts that take an association; none if it needs no AWS rights.
    pub service_accounts: &'static [&'static str],
}

/// The agent that Pod Identity needs on every node, outside Auto Mode.
pub const POD_IDENTITY_AGENT: &str = "eks-pod-identity-agent";

const KNOWN: &[Known] = &[
    of("vpc-cni", "kube-system", &["aws-node"]),
    of("coredns", "kube-system", &[]),
    of("kube-proxy", "kube-system", &[]),
    of(
        "aws-ebs-csi-driver",
        "kube-system",
        &["ebs-csi-controller-sa"],
    ),
    of(
        "aws-efs-csi-driver",
        "kube-system",
        &["efs-csi-controller-sa"],
    ),
    of(
        "aws-fsx-csi-driver",
        "kube-system",
        &["fsx-csi-controller-sa"],
    ),
    of(
        "aws-mountpoint-s3-csi-driver",
        "kube-system",
        &["s3-csi-driver-sa"],
    ),
    of(
        "amazon-cloudwatch-observability",
        "amazon-cloudwatch",
        &["cloudwatch-agent"],
    ),
    of(
        "adot",
        "opentelemetry-operator-system",
        &[
            "adot-col-prom-metrics",
            "adot-col-otlp-ingest",
            "adot-col-container-logs",
        ],
    ),
    of("external-dns", "external-dns", &["external-dns"]),
    of(
        "aws-privateca-connector-for-kubernetes",
        "aws-privateca-issuer",
        &["aws-privateca-issuer"],
    ),
    of(
        "aws-network-flow-monitoring-agent",
        "amazon-network-flow-monitor",
        &["aws-network-flow-monitor-agent-service-account"],
    ),
];

const fn of(
    name: &'static str,
    namespace: &'static str,
    service_accounts: &'static [&'static str],
) -> Known {
    Known {
        name,
        namespace,
        service_accounts,
    }
}

/// What is known of an add-on.
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}
