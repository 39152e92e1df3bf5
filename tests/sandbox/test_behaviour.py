"""What EKS does, in each authentication mode and at each switch."""

import unittest

import yaml
from botocore.exceptions import ClientError

from emulator import ACCOUNT, Sandbox, cluster, role, trust

NODES = {"system:bootstrappers", "system:nodes"}
PODS = NODES | {"system:node-proxier"}
POLICY = "arn:aws:eks::aws:cluster-access-policy/"


class World(unittest.TestCase):
    """Each test has a sandbox of its own, whose clock stands still."""

    def setUp(self):
        self.sandbox = Sandbox("--frozen")
        self.addCleanup(self.sandbox.close)
        self.iam, self.eks = self.sandbox.client("iam"), self.sandbox.client("eks")

    def tearDown(self):
        self.assertEqual(self.sandbox.seen.faults, [])

    def switch(self, **switches):
        named = {name.replace("_", "-"): value for name, value in switches.items()}
        self.sandbox.control("POST", "settings", {"switches": named})

    def fails(self, code, call, *words, **parameters):
        with self.assertRaises(ClientError) as caught:
            call(**parameters)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)
        for word in words:
            self.assertIn(word, caught.exception.response["Error"]["Message"])

    def nodegroup(self, name, arn, **more):
        self.eks.create_nodegroup(
            clusterName="demo", nodegroupName=name, nodeRole=arn, subnets=["subnet-1"], **more
        )

    def profile(self, name, arn):
        self.eks.create_fargate_profile(
            clusterName="demo", fargateProfileName=name, podExecutionRoleArn=arn, selectors=[{"namespace": name}]
        )

    def mappings(self):
        """What aws-auth maps: username and groups by role."""
        world = self.sandbox.control("GET", "world")
        objects = world["clusters"][f"{ACCOUNT}/eu-west-1/demo"]["kubernetes"]["objects"]
        aws_auth = objects.get("configmaps/kube-system/aws-auth")
        if aws_auth is None:
            return None
        entries = yaml.safe_load(aws_auth["data"]["mapRoles"]) or []
        return {e["rolearn"]: (e["username"], set(e["groups"])) for e in entries}

    def entries(self):
        return self.eks.list_access_entries(clusterName="demo", maxResults=100)["accessEntries"]


class Compute(World):
    def test_config_map_mode_writes_the_map(self):
        cluster(self.sandbox, mode="CONFIG_MAP")
        nodes = role(self.iam, "nodes", path="/team/")
        pods = role(self.iam, "pods", "eks-fargate-pods.amazonaws.com")
        self.assertIsNone(self.mappings())
        self.nodegroup("a", nodes)
        self.profile("b", pods)
        self.assertEqual(
            self.mappings(),
            {
                f"arn:aws:iam::{ACCOUNT}:role/nodes": ("system:node:{{EC2PrivateDNSName}}", NODES),
                pods: ("system:node:{{SessionName}}", PODS),
            },
        )

    def test_windows_nodes_get_their_group(self):
        cluster(self.sandbox, mode="CONFIG_MAP")
        nodes = role(self.iam, "nodes")
        self.nodegroup("a", nodes, amiType="WINDOWS_CORE_2022_x86_64")
        self.assertEqual(self.mappings()[nodes][1], NODES | {"eks:kube-proxy-windows"})

    def test_entry_modes_make_entries(self):
        for mode in ("API_AND_CONFIG_MAP", "API"):
            with self.subTest(mode=mode):
                self.setUp()
                cluster(self.sandbox, mode=mode)
                nodes, pods = role(self.iam, "nodes"), role(self.iam, "pods", "eks-fargate-pods.amazonaws.com")
                self.nodegroup("a", nodes)
                self.profile("b", pods)
                self.assertIsNone(self.mappings())
                kinds = {
                    arn: self.eks.describe_access_entry(clusterName="demo", principalArn=arn)["accessEntry"]["type"]
                    for arn in self.entries()
                }
                creator = f"arn:aws:iam::{ACCOUNT}:user/sandbox-admin"
                self.assertEqual(kinds, {nodes: "EC2_LINUX", pods: "FARGATE_LINUX", creator: "STANDARD"})

    def test_a_switch_writes_the_map_in_the_mixed_mode(self):
        self.switch(compute_gets_entries=False)
        cluster(self.sandbox)
        nodes = role(self.iam, "nodes")
        self.nodegroup("a", nodes)
        self.assertEqual(list(self.mappings()), [nodes])
        self.assertNotIn(nodes, self.entries())

    def test_a_shared_mapping_goes_with_the_first_group(self):
        cluster(self.sandbox, mode="CONFIG_MAP")
        nodes = role(self.iam, "nodes")
        for name in ("a", "b"):
            self.nodegroup(name, nodes)
        self.sandbox.advance(60)
        self.eks.delete_nodegroup(clusterName="demo", nodegroupName="a")
        self.sandbox.advance(60)
        self.assertEqual(self.mappings(), {})

    def test_a_switch_keeps_it_until_the_last(self):
        self.switch(shared_mapping_goes_first=False)
        cluster(self.sandbox, mode="CONFIG_MAP")
        nodes = role(self.iam, "nodes")
        for name in ("a", "b"):
            self.nodegroup(name, nodes)
        self.sandbox.advance(60)
        for name, left in (("a", [nodes]), ("b", [])):
            self.eks.delete_nodegroup(clusterName="demo", nodegroupName=name)
            self.sandbox.advance(60)
            self.assertEqual(list(self.mappings()), left)

    def test_entries_stay_unless_switched(self):
        cluster(self.sandbox)
        nodes = role(self.iam, "nodes")
        for goes in (False, True):
            self.switch(node_entry_goes=goes)
            self.nodegroup("a", nodes)
            self.sandbox.advance(60)
            self.eks.delete_nodegroup(clusterName="demo", nodegroupName="a")
            self.sandbox.advance(60)
            self.assertEqual(nodes in self.entries(), not goes)

    def test_fargate_access_stays_unless_switched(self):
        cluster(self.sandbox, mode="CONFIG_MAP")
        pods = role(self.iam, "pods", "eks-fargate-pods.amazonaws.com")
        for goes in (False, True):
            self.switch(fargate_access_goes=goes)
            self.profile("b", pods)
            self.sandbox.advance(60)
            self.eks.delete_fargate_profile(clusterName="demo", fargateProfileName="b")
            self.sandbox.advance(60)
            self.assertEqual(pods in self.mappings(), not goes)

    def test_one_fargate_change_at_a_time(self):
        cluster(self.sandbox)
        pods = role(self.iam, "pods", "eks-fargate-pods.amazonaws.com")
        self.profile("a", pods)
        self.fails(
            "ResourceInUseException", self.eks.create_fargate_profile, "CREATING",
            clusterName="demo", fargateProfileName="b", podExecutionRoleArn=pods, selectors=[{"namespace": "b"}],
        )
        self.sandbox.advance(60)
        self.eks.delete_fargate_profile(clusterName="demo", fargateProfileName="a")
        self.fails(
            "ResourceInUseException", self.eks.create_fargate_profile, "DELETING",
            clusterName="demo", fargateProfileName="b", podExecutionRoleArn=pods, selectors=[{"namespace": "b"}],
        )

    def test_roles_must_trust_the_service(self):
        cluster(self.sandbox)
        wrong = role(self.iam, "wrong", "lambda.amazonaws.com")
        self.fails(
            "InvalidParameterException", self.eks.create_fargate_profile, "eks-fargate-pods.amazonaws.com",
            clusterName="demo", fargateProfileName="a", podExecutionRoleArn=wrong, selectors=[{"namespace": "b"}],
        )
        self.fails("InvalidParameterException", self.nodegroup, "ec2.amazonaws.com", name="a", arn=wrong)
        self.fails(
            "InvalidParameterException", self.nodegroup, name="a", arn=f"arn:aws:iam::{ACCOUNT}:role/nobody"
        )

    def test_nodes_that_do_not_get_in_fail_their_group(self):
        self.switch(compute_gets_entries=False)
        cluster(self.sandbox)
        nodes = role(self.iam, "nodes")
        self.eks.create_access_entry(clusterName="demo", principalArn=nodes, username="somebody")
        self.nodegroup("a", nodes)
        self.sandbox.advance(60)
        group = self.eks.describe_nodegroup(clusterName="demo", nodegroupName="a")["nodegroup"]
        self.assertEqual(group["status"], "CREATE_FAILED")
        self.assertEqual(group["health"]["issues"][0]["code"], "NodeCreationFailure")


class Modes(World):
    def test_only_forward_and_one_step(self):
        ways = {
            "CONFIG_MAP": ["API_AND_CONFIG_MAP"],
            "API_AND_CONFIG_MAP": ["API"],
            "API": [],
        }
        for start, allowed in ways.items():
            for wanted in ways:
                with self.subTest(start=start, wanted=wanted):
                    name = f"{start}-{wanted}".replace("_", "-")
                    cluster(self.sandbox, name, start)
                    change = {"name": name, "accessConfig": {"authenticationMode": wanted}}
                    if wanted in allowed:
                        self.eks.update_cluster_config(**change)
                        mode = lambda: self.eks.describe_cluster(name=name)["cluster"]["accessConfig"]
                        self.assertEqual(mode()["authenticationMode"], start)
                        self.fails("ResourceInUseException", self.eks.update_cluster_config, **change)
                        self.sandbox.advance(60)
                        self.assertEqual(mode()["authenticationMode"], wanted)
                    else:
                        self.fails("InvalidParameterException", self.eks.update_cluster_config, **change)

    def test_leaving_the_map_makes_entries_for_what_eks_wrote(self):
        cluster(self.sandbox, mode="CONFIG_MAP")
        nodes = role(self.iam, "nodes")
        self.nodegroup("a", nodes)
        self.fails("InvalidRequestException", self.eks.list_access_entries, "API", clusterName="demo")
        self.eks.update_cluster_config(name="demo", accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"})
        self.sandbox.advance(60)
        self.assertEqual(sorted(self.entries()), [nodes, f"arn:aws:iam::{ACCOUNT}:user/sandbox-admin"])
        # The map stays as it is.
        self.assertEqual(list(self.mappings()), [nodes])

    def test_without_bootstrap_nobody_gets_in(self):
        iam = self.iam
        arn = role(iam, "cluster", "eks.amazonaws.com")
        parameters = {"name": "demo", "roleArn": arn, "resourcesVpcConfig": {}}
        config = {"bootstrapClusterCreatorAdminPermissions": False}
        self.fails("InvalidParameterException", self.eks.create_cluster, accessConfig=config, **parameters)
        self.eks.create_cluster(accessConfig=config | {"authenticationMode": "API"}, **parameters)
        self.sandbox.advance(60)
        self.assertEqual(self.entries(), [])


class Entries(World):
    def setUp(self):
        super().setUp()
        cluster(self.sandbox)
        self.arn = role(self.iam, "Admins", path="/sso/")

    def create(self, arn=None, **more):
        return self.eks.create_access_entry(clusterName="demo", principalArn=arn or self.arn, **more)["accessEntry"]

    def refused(self, *words, code="InvalidParameterException", arn=None, **more):
        self.fails(
            code, self.eks.create_access_entry, *words, clusterName="demo", principalArn=arn or self.arn, **more
        )

    def test_what_eks_fills_in(self):
        made = self.create()
        self.assertEqual(made["username"], f"arn:aws:sts::{ACCOUNT}:assumed-role/Admins/{{{{SessionName}}}}")
        self.assertRegex(made["accessEntryArn"], f":access-entry/demo/role/{ACCOUNT}/Admins/[0-9a-f-]{{36}}$")
        user = self.iam.create_user(UserName="kim", Path="/ops/")["User"]["Arn"]
        self.assertEqual(self.create(user)["username"], user)
        nodes = self.create(role(self.iam, "nodes"), type="EC2_LINUX")
        self.assertEqual((nodes["username"], nodes["kubernetesGroups"]), ("system:node:{{EC2PrivateDNSName}}", ["system:nodes"]))

    def test_one_entry_for_each_principal(self):
        self.create()
        self.refused("already in use", code="ResourceInUseException")

    def test_principals_that_cannot_be(self):
        for arn in (
            f"arn:aws:iam::{ACCOUNT}:role/nobody",
            f"arn:aws:iam::{ACCOUNT}:group/admins",
            f"arn:aws:sts::{ACCOUNT}:assumed-role/Admins/kim",
            f"arn:aws:iam::{ACCOUNT}:role/Admins",
            "Admins",
        ):
            with self.subTest(arn=arn):
                self.refused("principal", arn=arn)
        linked = self.iam.create_service_linked_role(AWSServiceName="batch.amazonaws.com")["Role"]["Arn"]
        self.refused("Service Linked Role", arn=linked)
        # Of another account nothing can be checked; an account's root is taken, and lets nobody in.
        self.create("arn:aws:iam::444455556666:role/Partner")
        self.create(f"arn:aws:iam::{ACCOUNT}:root")

    def test_rights_that_cannot_be(self):
        self.refused("system:", kubernetesGroups=["system:masters"])
        for prefix in ("system:", "eks:", "aws:", "amazon:", "iam:"):
            self.refused(prefix, username=f"{prefix}x")
        self.refused("colon", username="{{SessionName}}")
        self.refused(type="EC2_LINUX", kubernetesGroups=["a"])
        self.refused(type="FARGATE_LINUX", username="a")
        self.refused("not supported", type="WHATEVER")
        self.refused(arn="arn:aws:iam::444455556666:role/Partner", type="EC2_LINUX")
        self.create(username="ops:{{SessionName}}")

    def test_other_types_cannot_be_updated(self):
        self.create(type="EC2_LINUX")
        self.fails(
            "InvalidRequestException", self.eks.update_access_entry, clusterName="demo", principalArn=self.arn
        )

    def test_policies_and_their_scopes(self):
        self.create()
        associate = lambda policy, scope, arn=self.arn: self.eks.associate_access_policy(
            clusterName="demo", principalArn=arn, policyArn=POLICY + policy, accessScope=scope
        )
        refused = lambda code, *given: self.fails(code, lambda: associate(*given))
        refused("InvalidParameterException", "Nothing", {"type": "cluster"})
        refused("InvalidParameterException", "AmazonEKSViewPolicy", {"type": "namespace"})
        refused("InvalidParameterException", "AmazonEKSViewPolicy", {"type": "cluster", "namespaces": ["a"]})
        refused("ResourceNotFoundException", "AmazonEKSViewPolicy", {"type": "cluster"}, self.arn + "x")
        associate("AmazonEKSViewPolicy", {"type": "namespace", "namespaces": ["dev-*"]})
        associate("AmazonEKSViewPolicy", {"type": "cluster"})
        listed = self.eks.list_associated_access_policies(clusterName="demo", principalArn=self.arn)
        scopes = [p["accessScope"] for p in listed["associatedAccessPolicies"]]
        self.assertEqual(scopes, [{"type": "cluster", "namespaces": []}])
        nodes = role(self.iam, "auto")
        self.create(nodes, type="EC2")
        refused("InvalidRequestException", "AmazonEKSViewPolicy", {"type": "cluster"}, nodes)
        associate("AmazonEKSAutoNodePolicy", {"type": "cluster"}, nodes)

    def test_the_filter_by_policy(self):
        self.create()
        self.assertEqual(
            self.eks.list_access_entries(clusterName="demo", associatedPolicyArn=POLICY + "AmazonEKSClusterAdminPolicy")[
                "accessEntries"
            ],
            [f"arn:aws:iam::{ACCOUNT}:user/sandbox-admin"],
        )


class Software(World):
    def setUp(self):
        super().setUp()
        cluster(self.sandbox)
        self.role = role(self.iam, "csi", "pods.eks.amazonaws.com")

    def associate(self, account="api", **more):
        return self.eks.create_pod_identity_association(
            clusterName="demo", namespace="shop", serviceAccount=account, roleArn=self.role, **more
        )

    def test_a_pod_identity_role_needs_both_actions(self):
        self.iam.update_assume_role_policy(
            RoleName="csi", PolicyDocument=trust("pods.eks.amazonaws.com", ["sts:AssumeRole"])
        )
        self.fails("InvalidParameterException", self.associate, "sts:TagSession")

    def test_one_association_for_each_service_account(self):
        self.associate()
        self.fails("ResourceInUseException", self.associate, "Association already exists")

    def csi(self, **more):
        pair = {"serviceAccount": "ebs-csi-controller-sa", "roleArn": self.role}
        return self.eks.create_addon(
            clusterName="demo", addonName="aws-ebs-csi-driver", podIdentityAssociations=[pair], **more
        )

    def test_an_addon_cannot_adopt_an_association(self):
        self.eks.create_pod_identity_association(
            clusterName="demo", namespace="kube-system", serviceAccount="ebs-csi-controller-sa", roleArn=self.role
        )
        self.fails("ResourceInUseException", self.csi, "Association already exists: a-")

    def test_an_addon_takes_only_its_own_service_accounts_and_versions(self):
        pair = {"serviceAccount": "somebody", "roleArn": self.role}
        create = self.eks.create_addon
        self.fails(
            "InvalidParameterException", create,
            clusterName="demo", addonName="aws-ebs-csi-driver", podIdentityAssociations=[pair],
        )
        self.fails("InvalidParameterException", self.csi, "Pod Identity", addonVersion="v1.25.0-eksbuild.1")
        self.fails("InvalidParameterException", self.csi, "version", addonVersion="v0")
        self.fails("InvalidParameterException", create, clusterName="demo", addonName="nothing")
        self.fails("InvalidParameterException", self.csi, configurationValues='{"nothing": 1}')
        self.csi()
        self.fails("ResourceInUseException", self.csi, "Addon already exists")

    def test_deleting_preserves_if_asked(self):
        for preserve in (True, False):
            self.csi()
            self.sandbox.advance(60)
            self.eks.delete_addon(clusterName="demo", addonName="aws-ebs-csi-driver", preserve=preserve)
            self.sandbox.advance(60)
            left = self.eks.list_pod_identity_associations(clusterName="demo")["associations"]
            self.assertEqual(len(left), int(preserve))
            if preserve:
                # Still owned by the add-on that is gone, so the next one of that name cannot take it.
                self.fails("ResourceInUseException", self.csi)
                self.setUp()

    def test_coredns_needs_compute(self):
        self.eks.create_addon(clusterName="demo", addonName="coredns")
        self.sandbox.advance(60)
        addon = self.eks.describe_addon(clusterName="demo", addonName="coredns")["addon"]
        self.assertEqual(addon["status"], "DEGRADED")
        self.assertEqual(addon["health"]["issues"][0]["code"], "InsufficientNumberOfReplicas")

    def test_preserve_on_creation_is_a_switch(self):
        self.csi(resolveConflicts="PRESERVE")
        self.switch(preserve_on_create_refused=True)
        self.fails(
            "InvalidParameterException", self.eks.create_addon, "PRESERVE",
            clusterName="demo", addonName="coredns", resolveConflicts="PRESERVE",
        )
