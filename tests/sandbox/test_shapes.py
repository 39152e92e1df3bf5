"""Every key of every answer on the tour is one of AWS's, and none is lost."""

import unittest

import shapes
import tour
from emulator import Sandbox


class Tour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with Sandbox("--frozen") as sandbox:
            tour.run(sandbox)
            cls.seen = sandbox.seen
            cls.log = sandbox.control("GET", "log")
        if tour.UPDATE:
            shapes.write_golden(cls.seen.keys)

    def test_no_answer_has_a_field_that_aws_does_not_have(self):
        self.assertEqual(self.seen.faults, [])

    def test_nothing_on_the_tour_fails(self):
        self.assertEqual(dict(self.seen.errors), {})

    def test_every_field_that_was_there_is_there(self):
        golden = shapes.golden()
        self.assertEqual(sorted(self.seen.keys), sorted(golden))
        for name, keys in self.seen.keys.items():
            self.assertEqual(sorted(keys), golden[name], name)

    def test_the_log_names_every_call_and_no_secret(self):
        logged = {f"{entry['service']}.{entry['operation']}" for entry in self.log}
        self.assertEqual(sorted(logged), sorted(self.seen.keys))
        for secret in ("Signature", "Credential", "AKIA", "ASIA", "eyJ"):
            self.assertNotIn(secret, str(self.log))
