"""A sandbox as a process, and clients of it that look at every answer."""

import atexit
import json
import os
import subprocess
import urllib.request

import boto3
import botocore.config

import shapes

ACCORD = os.environ.get("ACCORD", "target/debug/accord")
REGION = "eu-west-1"
ACCOUNT = "111122223333"


class Sandbox:
    """`accord sandbox` on a free port. Every answer to its clients is walked against botocore's model."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [ACCORD, "sandbox", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        # Whatever becomes of a test, its sandbox does not outlive it.
        atexit.register(self.process.kill)
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(f"the sandbox did not start: {line!r}")
        self.url = "http://" + line.split("http://")[1].split()[0]
        self.seen = shapes.Seen()

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()
        atexit.unregister(self.process.kill)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def client(self, service, key="AKIAEXAMPLE000000001", region=REGION, retries=0, **more):
        client = boto3.client(
            service,
            region_name=region,
            endpoint_url=self.url,
            aws_access_key_id=key,
            aws_secret_access_key="any",
            config=botocore.config.Config(retries={"total_max_attempts": retries + 1}),
            **more,
        )
        client.meta.events.register("before-parse", self.seen.look)
        return client

    def environment(self, key="AKIAEXAMPLE000000001"):
        """For programs that are to talk to it."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        return kept | {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_PAGER": "",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def control(self, method, path, body=None):
        """One of the sandbox's own endpoints."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_sandbox/{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def advance(self, seconds):
        """Moves the clock; whatever is due until then has happened when this returns."""
        self.control("POST", "clock", {"advance": int(seconds * 1000)})


TRUST = {
    "nodes": "ec2.amazonaws.com",
    "fargate": "eks-fargate-pods.amazonaws.com",
    "cluster": "eks.amazonaws.com",
    "pods": "pods.eks.amazonaws.com",
}


def trust(service, actions=("sts:AssumeRole", "sts:TagSession")):
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions)}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def role(iam, name, service="ec2.amazonaws.com", path="/"):
    """Makes a role and tells its ARN."""
    made = iam.create_role(RoleName=name, Path=path, AssumeRolePolicyDocument=trust(service))
    return made["Role"]["Arn"]


def cluster(sandbox, name="demo", mode="API_AND_CONFIG_MAP", **more):
    """Makes a cluster that is active."""
    iam, eks = sandbox.client("iam"), sandbox.client("eks")
    try:
        arn = role(iam, f"cluster-{name}", "eks.amazonaws.com")
    except iam.exceptions.EntityAlreadyExistsException:
        arn = f"arn:aws:iam::{ACCOUNT}:role/cluster-{name}"
    eks.create_cluster(
        name=name,
        roleArn=arn,
        resourcesVpcConfig={"subnetIds": ["subnet-1", "subnet-2"]},
        accessConfig={"authenticationMode": mode},
        **more,
    )
    sandbox.advance(60)
    return eks
