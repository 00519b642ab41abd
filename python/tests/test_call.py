"""Calls: numbers and arrays of every kind, in and out."""

import array as stdarray

import numpy as np
import pytest

import cotan

PROGRAM = """
def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0
def affine(a: [n][m]Real, x: [m]Real, b: [n]Real): [n]Real = matvec(a, x) + b
def count(k: Int, b: Bool): Int = if b then k + 1 else k
def positive(x: [n]Real): [n]Bool = x > 0.0
def twice(k: [n]Int): [n]Int = k * 2
def flip(b: [n]Bool): [n]Bool = map(\\it => !it, b)
def pair(p: (Real, [n]Real)): (Int, (Real, [n]Real)) = (n, (p.0 * 2.0, p.1 * 2.0))
def answer = 42
def shout(s: String): String = s
"""


@pytest.fixture(scope="module", params=["auto", "interp"])
def m(request):
    return cotan.compile(PROGRAM, backend=request.param)


def test_numbers_and_arrays(m):
    found = m.loss(np.array([1.0, 2.0]), 4.0)
    assert type(found) is float and found == 1.0
    a = np.arange(6.0).reshape(2, 3)
    x, b = np.array([1.0, -1.0, 2.0]), np.array([0.5, 0.25])
    np.testing.assert_array_equal(m.affine(a, x, b), a @ x + b)


def test_names_and_order(m):
    assert m.loss(y=4.0, w=np.array([1.0, 2.0])) == 1.0
    assert m.loss(np.array([1.0, 2.0]), y=4.0) == 1.0


def test_integers_and_truth_values(m):
    assert m.count(3, True) == 4 and type(m.count(3, True)) is int
    assert m.count(np.int32(3), np.bool_(False)) == 3
    found = m.positive(np.array([1.0, -1.0]))
    assert found.dtype == bool and found.tolist() == [True, False]
    found = m.twice(np.array([1, 2, 3]))
    assert found.dtype == np.int64 and found.tolist() == [2, 4, 6]
    assert m.flip([True, False]).tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u1", ">f8", ">i2"])
def test_every_kind_of_number_is_a_real(m, dtype):
    assert m.loss(np.array([1, 2], dtype=dtype), 4) == 1.0


@pytest.mark.parametrize("dtype", ["i8", "i4", "u2", ">i4"])
def test_every_kind_of_integer_is_an_int(m, dtype):
    assert m.twice(np.array([1, 2], dtype=dtype)).tolist() == [2, 4]


def test_arrays_in_any_order(m):
    a = np.arange(12.0).reshape(3, 4)
    for it in (a.T, a[::-1], a[:, ::2], np.asfortranarray(a), a[1:, 1:]):
        x, b = np.linspace(1.0, 2.0, it.shape[1]), np.zeros(it.shape[0])
        np.testing.assert_allclose(m.affine(it, x, b), it @ x, rtol=1e-14)


def test_arrays_that_are_not_aligned(m):
    raw = np.zeros(8 * 2 + 1, dtype=np.uint8)
    odd = raw[1:].view(np.float64)
    odd[:] = [1.0, 2.0]
    assert not odd.flags.aligned
    assert m.loss(odd, 4.0) == 1.0


def test_an_argument_that_cannot_be_written(m):
    w = np.array([1.0, 2.0])
    w.flags.writeable = False
    assert m.loss(w, 4.0) == 1.0


def test_nothing_and_one(m):
    assert m.loss(np.zeros(0), 2.0) == 4.0
    assert m.positive(np.zeros(0)).shape == (0,)
    assert m.twice(np.zeros(0, dtype=int)).dtype == np.int64
    assert m.affine(np.zeros((0, 3)), np.zeros(3), np.zeros(0)).shape == (0,)
    assert m.affine(np.ones((1, 1)), [2.0], [1.0]).tolist() == [3.0]


def test_what_says_that_it_is_an_array(m):
    class Own:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    class Exchanged:
        def __init__(self):
            self.array = np.array([1.0, 2.0])

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    for it in (Own(), Exchanged(), [1.0, 2.0], [1, 2.0]):
        assert m.loss(it, 4.0) == 1.0
    assert m.loss(np.asarray(stdarray.array("d", [1.0, 2.0])), 4.0) == 1.0
    assert m.loss(np.array([1.0, 2.0]), np.array(4.0)) == 1.0
    assert m.loss(np.array([1.0, 2.0]), np.float32(4.0)) == 1.0


def test_results_own_their_memory(m):
    x = np.array([1.0, 2.0])
    first = m.pair((1.0, x))[1][1]
    second = m.pair((1.0, x))[1][1]
    first[:] = 0.0
    assert second.tolist() == [2.0, 4.0] and x.tolist() == [1.0, 2.0]
    assert first.flags.owndata or first.base is not None


def test_tuples_constants_and_texts(m):
    n, (a, b) = m.pair((1.0, np.array([1.0, 2.0])))
    assert (n, a, b.tolist()) == (2, 2.0, [2.0, 4.0])
    assert m.answer() == 42
    assert m.shout("ä") == "ä"


def test_single_precision():
    m = cotan.compile(PROGRAM, real="f32")
    found = m.affine(np.eye(2, dtype="f4"), np.array([0.1, 0.2], dtype="f4"), np.zeros(2))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.array([0.1, 0.2], dtype="f4"))


def test_expressions():
    f = cotan.expr("\\w => sum(w * w)")
    assert f(np.array([3.0, 4.0])) == 25.0
    m = cotan.compile("def f(x: Real): Real = x * x")
    assert m.expr("\\x => f(x) + 1.0")(3.0) == 10.0


def test_load(tmp_path):
    path = tmp_path / "program.cot"
    path.write_text("def f(x: Real): Real = 2.0 * x\n")
    assert cotan.load(path).f(4.0) == 8.0
