"""Run every oracle and compare its facts with the tests of the example of the same name.

    python3 examples/oracle/check.py [NAME...]      all examples, or those named; about a minute

Those of the programs in `examples/whole` need NumPy, SciPy and JAX.
"""

import contextlib
import io
import pathlib
import re
import runpy
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import differences

NUMBER = re.compile(r"(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:[eE]-?\d+)?")


def tests_of(path):
    """The tests of an example: name and numbers on the right of the last `~=` or `==`."""
    text = re.sub(r"--.*", "", path.read_text())
    parts = re.split(r'^(test|def|data|type|bench|plot)\b', text, flags=re.M)
    found = {}
    for kind, body in zip(parts[1::2], parts[2::2]):
        if kind == "test":
            name, _, expression = body.strip()[1:].partition('" =')
            right = re.split(r"~=|==", expression)[-1]
            found[name] = [float(x) for x in NUMBER.findall(right)]
    return found


def differs(stated, wanted):
    """Whether two lists of numbers disagree by more than the tests allow."""
    if len(stated) != len(wanted):
        return True
    return any(abs(a - b) > 1e-9 * max(1e-3, abs(b)) for a, b in zip(stated, wanted))


def main():
    """Check the examples named on the command line; the exit status says whether all agree."""
    wrong = checked = 0
    for example in sorted(HERE.parent.glob("*.cot")) + sorted(HERE.parent.glob("whole/*.cot")):
        if sys.argv[1:] and example.stem not in sys.argv[1:]:
            continue
        oracle = HERE / f"{example.stem}.py"
        differences.FACTS.clear()
        if not oracle.exists():
            print(f"{example.name}: no oracle")
            wrong += 1
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(oracle))
        tests = tests_of(example)
        for name, value in differences.FACTS:
            checked += 1
            wanted = [float(x) for x in differences.flat(value)]
            if name not in tests:
                print(f"{example.name}: no test {name!r}")
                wrong += 1
            elif differs(tests[name], wanted):
                print(f"{example.name}: {name!r} states {tests[name]}, the oracle gives\n  {differences.show(value)}")
                wrong += 1
    print(f"{checked} facts, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
