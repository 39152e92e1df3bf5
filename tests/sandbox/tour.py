"""The tour: every operation once, with boto3. What is seen on it pins the keys of every answer."""

import base64
import json

from emulator import ACCOUNT, role, trust

# Set by run.py --update-golden.
UPDATE = False


def run(sandbox):
    sandbox.control("POST", "settings", {"page-size": 3})
    iam, sts, eks = (sandbox.client(service) for service in ("iam", "sts", "eks"))
    identity(iam, sts)
    policies(iam)
    providers(iam, sts)
    profiles(iam)
    clusters(sandbox, iam, eks)
    compute(sandbox, iam, eks)
    entries(iam, eks)
    software(sandbox, iam, eks)
    end(sandbox, iam, eks)


def identity(iam, sts):
    sts.get_caller_identity()
    iam.get_user()
    iam.create_user(UserName="kim", Tags=[{"Key": "team", "Value": "a"}])
    iam.create_access_key(UserName="kim")
    iam.list_users()
    iam.create_user(UserName="lee")
    iam.get_user(UserName="kim")
    iam.delete_user(UserName="lee")
    iam.create_role(
        RoleName="Admins",
        Path="/sso/",
        AssumeRolePolicyDocument=trust("ec2.amazonaws.com"),
        Description="people",
        Tags=[{"Key": "team", "Value": "a"}],
    )
    iam.get_role(RoleName="Admins")
    iam.update_role(RoleName="Admins", Description="more people", MaxSessionDuration=7200)
    iam.update_role_description(RoleName="Admins", Description="people")
    iam.update_assume_role_policy(RoleName="Admins", PolicyDocument=trust("ec2.amazonaws.com"))
    iam.tag_role(RoleName="Admins", Tags=[{"Key": "cost", "Value": "b"}])
    iam.list_role_tags(RoleName="Admins")
    iam.untag_role(RoleName="Admins", TagKeys=["cost"])
    iam.create_service_linked_role(AWSServiceName="batch.amazonaws.com")
    for number in range(5):
        role(iam, f"role-{number}")
    iam.list_roles()
    iam.list_roles(PathPrefix="/sso/")
    sts.assume_role(
        RoleArn=f"arn:aws:iam::{ACCOUNT}:role/sso/Admins", RoleSessionName="kim", SourceIdentity="kim"
    )


def policies(iam):
    document = json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}]}
    )
    arn = iam.create_policy(PolicyName="read", PolicyDocument=document)["Policy"]["Arn"]
    iam.create_policy(
        PolicyName="tagged", PolicyDocument=document, Description="x", Tags=[{"Key": "team", "Value": "a"}]
    )
    iam.get_policy(PolicyArn=f"arn:aws:iam::{ACCOUNT}:policy/tagged")
    iam.create_policy_version(PolicyArn=arn, PolicyDocument=document, SetAsDefault=True)
    iam.get_policy_version(PolicyArn=arn, VersionId="v2")
    iam.list_policy_versions(PolicyArn=arn)
    iam.set_default_policy_version(PolicyArn=arn, VersionId="v1")
    iam.delete_policy_version(PolicyArn=arn, VersionId="v2")
    iam.list_policies(Scope="Local")
    iam.attach_role_policy(RoleName="Admins", PolicyArn=arn)
    iam.attach_role_policy(RoleName="Admins", PolicyArn="arn:aws:iam::aws:policy/ReadOnlyAccess")
    iam.list_attached_role_policies(RoleName="Admins")
    iam.put_role_policy(RoleName="Admins", PolicyName="inline", PolicyDocument=document)
    iam.get_role_policy(RoleName="Admins", PolicyName="inline")
    iam.list_role_policies(RoleName="Admins")
    iam.delete_role_policy(RoleName="Admins", PolicyName="inline")
    iam.detach_role_policy(RoleName="Admins", PolicyArn=arn)
    iam.delete_policy(PolicyArn=arn)


def providers(iam, sts):
    issuer = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
    made = iam.create_open_id_connect_provider(
        Url=f"https://{issuer}",
        ClientIDList=["sts.amazonaws.com"],
        ThumbprintList=["0" * 40],
        Tags=[{"Key": "team", "Value": "a"}],
    )
    arn = made["OpenIDConnectProviderArn"]
    iam.tag_open_id_connect_provider(OpenIDConnectProviderArn=arn, Tags=[{"Key": "cost", "Value": "b"}])
    iam.add_client_id_to_open_id_connect_provider(OpenIDConnectProviderArn=arn, ClientID="other")
    iam.remove_client_id_from_open_id_connect_provider(OpenIDConnectProviderArn=arn, ClientID="other")
    iam.update_open_id_connect_provider_thumbprint(OpenIDConnectProviderArn=arn, ThumbprintList=["1" * 40])
    iam.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
    iam.list_open_id_connect_providers()
    workload = iam.create_role(RoleName="workload", AssumeRolePolicyDocument=web_trust(arn, issuer))
    sts.assume_role_with_web_identity(
        RoleArn=workload["Role"]["Arn"],
        RoleSessionName="pod",
        WebIdentityToken=web_token(issuer, "system:serviceaccount:shop:api"),
    )
    iam.delete_open_id_connect_provider(OpenIDConnectProviderArn=arn)


def web_trust(arn, issuer):
    equals = {f"{issuer}:aud": "sts.amazonaws.com", f"{issuer}:sub": "system:serviceaccount:shop:api"}
    statement = {
        "Effect": "Allow",
        "Principal": {"Federated": arn},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {"StringEquals": equals},
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def web_token(issuer, subject, audience="sts.amazonaws.com"):
    claims = {"iss": f"https://{issuer}", "sub": subject, "aud": [audience]}
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return f"eyJhbGciOiJub25lIn0.{body}.c2lnbmF0dXJl"


def profiles(iam):
    iam.create_instance_profile(InstanceProfileName="nodes", Tags=[{"Key": "team", "Value": "a"}])
    iam.create_instance_profile(InstanceProfileName="plain")
    iam.add_role_to_instance_profile(InstanceProfileName="nodes", RoleName="role-0")
    iam.get_instance_profile(InstanceProfileName="nodes")
    iam.list_instance_profiles()
    iam.list_instance_profiles_for_role(RoleName="role-0")
    iam.remove_role_from_instance_profile(InstanceProfileName="nodes", RoleName="role-0")
    iam.delete_instance_profile(InstanceProfileName="nodes")


def clusters(sandbox, iam, eks):
    arn = role(iam, "cluster", "eks.amazonaws.com")
    eks.describe_cluster_versions()
    for name in ("demo", "b", "c", "d"):
        eks.create_cluster(
            name=name,
            roleArn=arn,
            version="1.32",
            resourcesVpcConfig={"subnetIds": ["subnet-1"]},
            accessConfig={"authenticationMode": "CONFIG_MAP"},
            tags={"team": "a"},
        )
    eks.describe_cluster(name="demo")
    sandbox.advance(60)
    described = eks.describe_cluster(name="demo")["cluster"]
    assert described["status"] == "ACTIVE", described
    eks.list_clusters()
    begun = eks.update_cluster_config(
        name="demo", accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"}
    )["update"]
    eks.describe_update(name="demo", updateId=begun["id"])
    sandbox.advance(60)
    eks.update_cluster_config(name="demo", logging={"clusterLogging": [{"types": ["api"], "enabled": True}]})
    sandbox.advance(60)
    eks.update_cluster_config(name="demo", resourcesVpcConfig={"endpointPrivateAccess": True})
    sandbox.advance(60)
    eks.update_cluster_version(name="demo", version="1.33")
    sandbox.advance(60)
    eks.list_updates(name="demo")
    eks.describe_cluster(name="demo")
    eks.tag_resource(resourceArn=described["arn"], tags={"cost": "b"})
    eks.untag_resource(resourceArn=described["arn"], tagKeys=["cost"])
    eks.list_tags_for_resource(resourceArn=described["arn"])
    eks.delete_cluster(name="d")
    sandbox.advance(60)


def compute(sandbox, iam, eks):
    nodes, pods = role(iam, "nodes"), role(iam, "pods", "eks-fargate-pods.amazonaws.com")
    for name in ("a", "b", "c", "d"):
        eks.create_nodegroup(
            clusterName="demo",
            nodegroupName=name,
            nodeRole=nodes,
            subnets=["subnet-1"],
            labels={"pool": name},
            taints=[{"key": "dedicated", "value": name, "effect": "NO_SCHEDULE"}],
            tags={"team": "a"},
        )
    sandbox.advance(60)
    eks.describe_nodegroup(clusterName="demo", nodegroupName="a")
    eks.list_nodegroups(clusterName="demo")
    begun = eks.update_nodegroup_config(
        clusterName="demo", nodegroupName="a", scalingConfig={"desiredSize": 1}
    )["update"]
    eks.describe_update(name="demo", nodegroupName="a", updateId=begun["id"])
    sandbox.advance(60)
    eks.update_nodegroup_version(clusterName="demo", nodegroupName="b")
    sandbox.advance(60)
    eks.delete_nodegroup(clusterName="demo", nodegroupName="d")
    for name in ("a", "b", "c", "d"):
        eks.create_fargate_profile(
            clusterName="demo",
            fargateProfileName=name,
            podExecutionRoleArn=pods,
            subnets=["subnet-1"],
            selectors=[{"namespace": name, "labels": {"app": "x"}}],
            tags={"team": "a"},
        )
        sandbox.advance(60)
    eks.describe_fargate_profile(clusterName="demo", fargateProfileName="a")
    eks.list_fargate_profiles(clusterName="demo")
    eks.delete_fargate_profile(clusterName="demo", fargateProfileName="d")
    sandbox.advance(60)


def entries(iam, eks):
    eks.list_access_policies()
    admins = f"arn:aws:iam::{ACCOUNT}:role/sso/Admins"
    eks.create_access_entry(
        clusterName="demo", principalArn=admins, kubernetesGroups=["admins"], tags={"team": "a"}
    )
    eks.create_access_entry(clusterName="demo", principalArn=f"arn:aws:iam::{ACCOUNT}:role/role-1")
    eks.describe_access_entry(clusterName="demo", principalArn=admins)
    eks.update_access_entry(clusterName="demo", principalArn=admins, username="ops:{{SessionName}}")
    for policy in ("AdminView", "View", "Edit", "Admin"):
        eks.associate_access_policy(
            clusterName="demo",
            principalArn=admins,
            policyArn=f"arn:aws:eks::aws:cluster-access-policy/AmazonEKS{policy}Policy",
            accessScope={"type": "namespace", "namespaces": ["shop"]},
        )
    eks.list_associated_access_policies(clusterName="demo", principalArn=admins)
    eks.disassociate_access_policy(
        clusterName="demo",
        principalArn=admins,
        policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
    )
    eks.list_access_entries(clusterName="demo")
    eks.delete_access_entry(clusterName="demo", principalArn=f"arn:aws:iam::{ACCOUNT}:role/role-1")


def software(sandbox, iam, eks):
    csi, irsa = role(iam, "csi", "pods.eks.amazonaws.com"), role(iam, "irsa")
    eks.describe_addon_versions(kubernetesVersion="1.33")
    newest = eks.describe_addon_versions(addonName="aws-ebs-csi-driver")["addons"][0]["addonVersions"][0]
    eks.describe_addon_configuration(
        addonName="aws-ebs-csi-driver", addonVersion=newest["addonVersion"]
    )
    eks.create_addon(
        clusterName="demo",
        addonName="aws-ebs-csi-driver",
        podIdentityAssociations=[{"serviceAccount": "ebs-csi-controller-sa", "roleArn": csi}],
        configurationValues='{"replicaCount": 2}',
        tags={"team": "a"},
    )
    for name in ("vpc-cni", "coredns", "kube-proxy"):
        eks.create_addon(clusterName="demo", addonName=name, resolveConflicts="OVERWRITE")
    sandbox.advance(60)
    eks.describe_addon(clusterName="demo", addonName="aws-ebs-csi-driver")
    eks.list_addons(clusterName="demo")
    begun = eks.update_addon(
        clusterName="demo", addonName="vpc-cni", serviceAccountRoleArn=irsa, resolveConflicts="PRESERVE"
    )["update"]
    eks.describe_update(name="demo", addonName="vpc-cni", updateId=begun["id"])
    sandbox.advance(60)
    eks.describe_addon(clusterName="demo", addonName="vpc-cni")
    made = []
    for name in ("a", "b", "c"):
        made.append(
            eks.create_pod_identity_association(
                clusterName="demo", namespace="shop", serviceAccount=name, roleArn=csi, tags={"team": "a"}
            )["association"]["associationId"]
        )
    eks.create_pod_identity_association(
        clusterName="demo", namespace="shop", serviceAccount="d", roleArn=csi, targetRoleArn=irsa
    )
    eks.describe_pod_identity_association(clusterName="demo", associationId=made[0])
    eks.update_pod_identity_association(clusterName="demo", associationId=made[0], disableSessionTags=True)
    eks.list_pod_identity_associations(clusterName="demo")
    eks.list_pod_identity_associations(clusterName="demo", namespace="kube-system")
    eks.delete_pod_identity_association(clusterName="demo", associationId=made[0])
    eks.delete_addon(clusterName="demo", addonName="kube-proxy")
    sandbox.advance(60)


def end(sandbox, iam, eks):
    iam.delete_role(RoleName="role-4")
    for name in eks.list_nodegroups(clusterName="demo", maxResults=100)["nodegroups"]:
        eks.delete_nodegroup(clusterName="demo", nodegroupName=name)
    for name in eks.list_fargate_profiles(clusterName="demo", maxResults=100)["fargateProfileNames"]:
        eks.delete_fargate_profile(clusterName="demo", fargateProfileName=name)
        sandbox.advance(60)
    eks.delete_cluster(name="demo")
