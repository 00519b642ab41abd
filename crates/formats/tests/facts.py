"""Writes the bytes that `crates/formats/tests/formats.rs` reads: python3 facts.py FOLDER, with NumPy 2."""

import io
import sys
from pathlib import Path

import numpy

folder = Path(sys.argv[1])
arrays = {
    "t": numpy.array([0.0, 0.5, 1.0]),
    "m": numpy.array([[1, 2, 3], [4, 5, 6]], dtype=numpy.int32),
    "on": numpy.array([True, False]),
    "single": numpy.array(0.1, dtype=numpy.float32),
}
numpy.savez(folder / "stored.npz", **arrays)
numpy.savez_compressed(folder / "deflated.npz", **arrays)
table = io.StringIO()
numpy.savetxt(table, numpy.array([[0.0, 1.5], [0.25, -2.0]]), delimiter=",", header="t,height")
(folder / "savetxt.csv").write_text(table.getvalue())
