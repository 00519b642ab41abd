"""Compares the names of the collected cases with the tests in this folder.

    python3 coverage.py ../../../../shared/cases/*.json

A case is covered by a test of its name or by its name in NOT_EXPRESSED.md.
"""

import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
tests = [
    (name, file.name)
    for file in sorted(here.glob("*.cot"))
    for name in re.findall(r'^test "([^"]+)"', file.read_text(), re.M)
]
names = [case["name"] for path in sys.argv[1:] for case in json.load(open(path))]
tested = {name for name, _ in tests}
mentioned = re.findall(r"`([^`]+)`", (here / "NOT_EXPRESSED.md").read_text())
listed = [name for name in names if name in mentioned and name not in tested]
missing = [name for name in names if name not in tested and name not in listed]
print(f"{len(names)} cases: {sum(n in tested for n in names)} tested, {len(listed)} listed, {len(missing)} missing")
print(f"{len(tests)} tests, {len(tested - set(names))} of them our own")
for name in missing:
    print("missing", name)
sys.exit(bool(missing))
