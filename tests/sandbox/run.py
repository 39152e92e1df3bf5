#!/usr/bin/env python3
"""Runs the tests of the sandbox with real clients, and adds them up: `cargo xtask sandbox`.

    run.py [--update-golden] [NAME...]     only test files whose name holds one of these
"""

import pathlib
import sys
import unittest

import tour


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    tour.UPDATE = "--update-golden" in sys.argv
    folder = pathlib.Path(__file__).parent
    suite = unittest.TestSuite()
    for file in sorted(folder.glob("test_*.py")):
        if not names or any(name in file.stem for name in names):
            suite.addTests(unittest.defaultTestLoader.loadTestsFromName(file.stem))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    sys.exit(main())
