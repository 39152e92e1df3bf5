"""The AWS CLI, as a program."""

import json
import subprocess
import sys
import unittest

from emulator import ACCOUNT, Sandbox, trust


class Cli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sandbox = Sandbox()
        cls.sandbox.control("POST", "settings", {"page-size": 2, "delays": {"cluster": 100, "update": 100}})

    @classmethod
    def tearDownClass(cls):
        cls.sandbox.close()

    def aws(self, *words, fails=None, key="AKIAEXAMPLE000000001"):
        done = subprocess.run(
            [sys.executable, "-m", "awscli", *words, "--output", "json"],
            env=self.sandbox.environment(key),
            capture_output=True,
            text=True,
            timeout=120,
        )
        if fails:
            self.assertNotEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"({fails})", done.stderr)
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout) if done.stdout.strip() else None

    def test_a_cluster_from_its_creation_to_a_kubeconfig(self):
        role = self.aws(
            "iam", "create-role", "--role-name", "cli", "--assume-role-policy-document", trust("eks.amazonaws.com")
        )["Role"]["Arn"]
        self.aws(
            "eks", "create-cluster", "--name", "cli", "--role-arn", role,
            "--resources-vpc-config", "subnetIds=subnet-1,subnet-2",
            "--access-config", "authenticationMode=API_AND_CONFIG_MAP",
        )
        self.aws("eks", "wait", "cluster-active", "--name", "cli")
        described = self.aws("eks", "describe-cluster", "--name", "cli")["cluster"]
        self.assertEqual(described["status"], "ACTIVE")
        # All pages together, as the CLI fetches them.
        for name in ("one", "two", "three"):
            arn = self.aws(
                "iam", "create-role", "--role-name", name, "--path", "/team/",
                "--assume-role-policy-document", trust("ec2.amazonaws.com"),
            )["Role"]["Arn"]
            self.assertEqual(arn, f"arn:aws:iam::{ACCOUNT}:role/team/{name}")
            self.aws("eks", "create-access-entry", "--cluster-name", "cli", "--principal-arn", arn)
        entries = self.aws("eks", "list-access-entries", "--cluster-name", "cli")["accessEntries"]
        self.assertEqual(len(entries), 4, entries)
        self.aws(
            "eks", "associate-access-policy", "--cluster-name", "cli", "--principal-arn", arn,
            "--policy-arn", "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
            "--access-scope", "type=namespace,namespaces=shop",
        )
        token = self.aws("eks", "get-token", "--cluster-name", "cli")["status"]["token"]
        self.assertTrue(token.startswith("k8s-aws-v1."))

    def test_errors_are_aws_errors(self):
        self.aws("eks", "describe-cluster", "--name", "nowhere", fails="ResourceNotFoundException")
        self.aws("iam", "get-role", "--role-name", "nobody", fails="NoSuchEntity")
        self.aws("sts", "assume-role", "--role-arn", f"arn:aws:iam::{ACCOUNT}:role/nobody",
                 "--role-session-name", "me", fails="AccessDenied")
        self.aws("eks", "list-insights", "--cluster-name", "cli", fails="UnknownOperationException")
        self.aws("iam", "list-groups", fails="InvalidAction")

    def test_twelve_digits_are_an_account(self):
        me = self.aws("sts", "get-caller-identity", key="444455556666")
        self.assertEqual(me["Account"], "444455556666")
        self.assertEqual(self.aws("eks", "list-clusters", key="444455556666")["clusters"], [])

