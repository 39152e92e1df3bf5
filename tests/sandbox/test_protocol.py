"""Pages, waiters, faults, the clock, other accounts and regions, saving, bad requests."""

import json
import os
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from botocore.exceptions import ClientError

from emulator import ACCOUNT, Sandbox, cluster, role


class Protocol(unittest.TestCase):
    def setUp(self):
        self.sandbox = Sandbox("--frozen")
        self.addCleanup(self.sandbox.close)

    def fails(self, code, call, **parameters):
        with self.assertRaises(ClientError) as caught:
            call(**parameters)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)

    def test_every_page_once(self):
        self.sandbox.control("POST", "settings", {"page-size": 7})
        iam, eks = self.sandbox.client("iam"), cluster(self.sandbox)
        arns = {role(iam, f"role-{n}") for n in range(30)}
        for arn in arns:
            eks.create_access_entry(clusterName="demo", principalArn=arn)
        pages = list(eks.get_paginator("list_access_entries").paginate(clusterName="demo"))
        self.assertEqual([len(p["accessEntries"]) for p in pages], [7, 7, 7, 7, 3])
        listed = [arn for page in pages for arn in page["accessEntries"]]
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual(set(listed) - arns, {f"arn:aws:iam::{ACCOUNT}:user/sandbox-admin"})
        roles = list(iam.get_paginator("list_roles").paginate())
        self.assertEqual(len([r for page in roles for r in page["Roles"]]), 31)
        self.assertEqual(len(roles), 5)
        self.fails("InvalidParameterException", eks.list_clusters, nextToken="nonsense")

    def test_a_page_is_right_though_items_go(self):
        eks = cluster(self.sandbox)
        iam = self.sandbox.client("iam")
        arns = sorted(role(iam, f"role-{n}") for n in range(4))
        for arn in arns:
            eks.create_access_entry(clusterName="demo", principalArn=arn)
        first = eks.list_access_entries(clusterName="demo", maxResults=2)
        eks.delete_access_entry(clusterName="demo", principalArn=first["accessEntries"][1])
        rest = eks.list_access_entries(clusterName="demo", nextToken=first["nextToken"])
        self.assertEqual(rest["accessEntries"][:2], arns[2:])

    def test_waiters_wait(self):
        self.sandbox.control("POST", "clock", {"frozen": False})
        self.sandbox.control("POST", "settings", {"delays": dict.fromkeys(
            ["cluster", "nodegroup", "fargate-profile", "addon", "deletion"], 300)})
        eks, iam = self.sandbox.client("eks"), self.sandbox.client("iam")
        quick = {"WaiterConfig": {"Delay": 0.1, "MaxAttempts": 100}}
        arn = role(iam, "cluster", "eks.amazonaws.com")
        eks.create_cluster(name="demo", roleArn=arn, resourcesVpcConfig={})
        eks.get_waiter("cluster_active").wait(name="demo", **quick)
        group = {"clusterName": "demo", "nodegroupName": "a"}
        eks.create_nodegroup(nodeRole=role(iam, "nodes"), subnets=["s"], **group)
        eks.get_waiter("nodegroup_active").wait(**group, **quick)
        profile = {"clusterName": "demo", "fargateProfileName": "a"}
        pods = role(iam, "pods", "eks-fargate-pods.amazonaws.com")
        eks.create_fargate_profile(podExecutionRoleArn=pods, selectors=[{"namespace": "a"}], **profile)
        eks.get_waiter("fargate_profile_active").wait(**profile, **quick)
        addon = {"clusterName": "demo", "addonName": "coredns"}
        eks.create_addon(**addon)
        eks.get_waiter("addon_active").wait(**addon, **quick)
        for delete, waiter, which in (
            (eks.delete_addon, "addon_deleted", addon),
            (eks.delete_fargate_profile, "fargate_profile_deleted", profile),
            (eks.delete_nodegroup, "nodegroup_deleted", group),
            (eks.delete_cluster, "cluster_deleted", {"name": "demo"}),
        ):
            delete(**which)
            eks.get_waiter(waiter).wait(**which, **quick)
        iam.get_waiter("role_exists").wait(RoleName="nodes", **quick)

    def test_faults(self):
        eks = cluster(self.sandbox)
        denied = {"code": "AccessDeniedException", "status": 403, "message": "not you"}
        self.sandbox.control("POST", "settings", {"faults": {
            "ListClusters": {"error": denied, "times": 1},
            "eks:DescribeCluster": {"per-second": 2},
            "sts:*": {"latency": 250},
        }})
        self.fails("AccessDeniedException", eks.list_clusters)
        eks.list_clusters()
        eks.describe_cluster(name="demo")
        eks.describe_cluster(name="demo")
        self.fails("ThrottlingException", eks.describe_cluster, name="demo")
        self.sandbox.advance(1)
        eks.describe_cluster(name="demo")
        begin = time.monotonic()
        self.sandbox.client("sts").get_caller_identity()
        self.assertGreater(time.monotonic() - begin, 0.25)
        self.sandbox.control("POST", "settings", {"faults": None})
        self.assertEqual(self.sandbox.control("GET", "settings")["faults"], {})

    def test_throttled_clients_get_through_by_trying_again(self):
        cluster(self.sandbox)
        self.sandbox.control("POST", "clock", {"frozen": False})
        self.sandbox.control("POST", "settings", {"faults": {"DescribeCluster": {"per-second": 1}}})
        patient = self.sandbox.client("eks", retries=8)
        for _ in range(3):
            patient.describe_cluster(name="demo")

    def test_accounts_and_regions_are_apart(self):
        cluster(self.sandbox)
        self.assertEqual(self.sandbox.client("eks", region="us-east-1").list_clusters()["clusters"], [])
        other = self.sandbox.client("eks", key="444455556666")
        self.fails("ResourceNotFoundException", other.describe_cluster, name="demo")
        self.fails("NoSuchEntity", self.sandbox.client("iam", key="444455556666").get_role, RoleName="cluster-demo")

    def test_assumed_roles_call_as_themselves_until_they_expire(self):
        arn = role(self.sandbox.client("iam"), "ops", path="/team/")
        given = self.sandbox.client("sts").assume_role(RoleArn=arn, RoleSessionName="kim", DurationSeconds=900)
        sts = self.sandbox.client("sts", key=given["Credentials"]["AccessKeyId"])
        self.assertEqual(sts.get_caller_identity()["Arn"], f"arn:aws:sts::{ACCOUNT}:assumed-role/ops/kim")
        self.sandbox.advance(901)
        self.fails("ExpiredToken", sts.get_caller_identity)

    def test_unknown_keys_can_be_refused(self):
        self.sandbox.control("POST", "settings", {"switches": {"any-access-key": False}})
        self.fails("UnrecognizedClientException", self.sandbox.client("eks").list_clusters)
        self.fails("InvalidClientTokenId", self.sandbox.client("sts").get_caller_identity)

    def raw(self, method, path, body=None, **headers):
        request = urllib.request.Request(self.sandbox.url + path, data=body, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def test_malformed_requests_get_errors_of_the_service(self):
        signed = {"Authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20261102/eu-west-1/eks/aws4_request, Signature=0"}
        for method, path, body, code in (
            ("GET", "/clusters", None, "MissingAuthenticationTokenException"),
            ("POST", "/clusters", b"{", "SerializationException"),
            ("POST", "/clusters", b"{}", "InvalidParameterException"),
            ("POST", "/clusters", b'{"name": 1, "roleArn": [], "resourcesVpcConfig": {}}', "InvalidParameterException"),
            ("GET", "/clusters?maxResults=many", None, "SerializationException"),
            ("GET", "/clusters?maxResults=0", None, "InvalidParameterException"),
            ("GET", "/nothing", None, "UnknownOperationException"),
            ("GET", "/clusters/%ff%fe", None, "ResourceNotFoundException"),
        ):
            with self.subTest(path=path, body=body):
                headers = {} if code.startswith("Missing") else signed
                status, answered, text = self.raw(method, path, body, **headers)
                self.assertEqual(answered["x-amzn-errortype"], code, text)
                self.assertEqual(json.loads(text)["__type"], code)
                self.assertGreaterEqual(status, 400)
        signed = {"Authorization": signed["Authorization"].replace("/eks/", "/iam/")}
        for form, code in ((b"", b"MissingAction"), (b"Action=Nothing", b"InvalidAction"),
                           (b"Action=GetRole", b"ValidationError"), (b"Action=GetRole&RoleName=x", b"NoSuchEntity")):
            _, _, text = self.raw("POST", "/", form, **signed, **{"Content-Type": "application/x-www-form-urlencoded"})
            self.assertIn(b"<Code>" + code + b"</Code>", text)
        self.assertEqual(self.raw("POST", "/clusters", b"x" * (5 << 20), **signed)[0], 413)

    def test_a_signed_url_is_a_call(self):
        sts = self.sandbox.client("sts")
        url = sts.generate_presigned_url("get_caller_identity")
        with urllib.request.urlopen(url, timeout=30) as answer:
            self.assertIn(b"user/sandbox-admin", answer.read())
        self.assertNotIn("Signature", str(self.sandbox.control("GET", "log")))

    def test_the_same_seed_gives_the_same_world(self):
        worlds = []
        for _ in range(2):
            with Sandbox("--frozen", "--seed", "7") as sandbox:
                sandbox.control("POST", "clock", {"set": "2030-01-01T00:00:00Z"})
                cluster(sandbox)
                world = sandbox.control("GET", "world")
                port = sandbox.url.rsplit(":", 1)[1]
                text = json.dumps(world).replace(port, "PORT")
                authority = world["clusters"][f"{ACCOUNT}/eu-west-1/demo"]["about"]["certificateAuthority"]["data"]
                worlds.append(text.replace(authority, "AUTHORITY"))
        first, second = (json.loads(world) for world in worlds)
        for world in (first, second):
            # Made when the process began, before the clock was set.
            world["accounts"][ACCOUNT]["users"].clear()
        self.assertEqual(first, second)

    def test_a_saved_world_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "world.json")
            with Sandbox("--save", path) as sandbox:
                cluster(sandbox)
                made = sandbox.client("eks").describe_cluster(name="demo")["cluster"]
            with Sandbox("--save", path) as sandbox:
                again = sandbox.client("eks").describe_cluster(name="demo")["cluster"]
                self.assertTrue(again["endpoint"].startswith("https://" + sandbox.url.split("//")[1]))
            self.assertEqual({k: v for k, v in made.items() if k not in ("endpoint", "certificateAuthority")},
                             {k: v for k, v in again.items() if k not in ("endpoint", "certificateAuthority")})
