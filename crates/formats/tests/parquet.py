"""Writes the files that `crates/formats/tests/parquet.rs` reads: python3 parquet.py FOLDER, with pyarrow."""

import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

folder = Path(sys.argv[1])
table = pa.table(
    {
        "t": pa.array([0.0, 0.5, None, 1.5, -2.0], pa.float64()),
        "single": pa.array([0.1, 0.2, 0.3, 0.4, 0.5], pa.float32()),
        "n": pa.array([1, -2, 3, 2**62, 5], pa.int64()),
        "small": pa.array([1, 2, 3, 4, 255], pa.uint8()),
        "wide": pa.array([1, 2, 3, 4, 2**32 - 1], pa.uint32()),
        "on": pa.array([True, False, True, True, False]),
        "gap": pa.array([1, 2, None, 4, 5], pa.int32()),
        "name": pa.array(["a", "b", "c", "d", "e"]),
        "list": pa.array([[1.0], [], [2.0, 3.0], None, [4.0]]),
    }
)
for codec in ["none", "snappy", "gzip", "zstd"]:
    parquet.write_table(table, folder / f"{codec}.parquet", compression=codec, row_group_size=2)
parquet.write_table(table.select(["t", "n"]), folder / "plain.parquet", use_dictionary=False)
parquet.write_table(table.select(["t"]).slice(0, 0), folder / "empty.parquet")
