"""Records, data, and structures of them."""

import dataclasses
from collections import namedtuple

import numpy as np
import pytest

import cotan

PROGRAM = """
type Ball = { x: Real, v: [2]Real }
data Shape = Circle(Real) | Rectangle(Real, Real) | Point
data Tree = Leaf(Real) | Fork(Tree, Tree)

def energy(b: Ball): Real = b.x + 0.5 * dot(b.v, b.v)
def moved(b: Ball): Ball = Ball { x: b.x + 1.0, ..b }
def all_moved(bs: [n]Ball): [n]Ball = map(moved, bs)
def area(s: Shape): Real = match s { Circle(r) => pi * r * r, Rectangle(w, h) => w * h, Point => 0.0 }
def total(ss: [n]Shape): Real = sum(map(area, ss))
def shapes(r: Real): [3]Shape = [Circle(r), Rectangle(r, 2.0), Point]
def leaves(t: Tree): Real = match t { Leaf(x) => x * x, Fork(a, b) => leaves(a) * leaves(b) }
"""


@pytest.fixture(scope="module", params=["auto", "interp"])
def m(request):
    return cotan.compile(PROGRAM, backend=request.param)


def test_records(m):
    ball = m.Ball(x=1.0, v=np.array([3.0, 4.0]))
    assert m.energy(ball) == 13.5
    found = m.moved(ball)
    assert isinstance(found, m.Ball) and found.x == 2.0 and found["x"] == 2.0
    assert found == m.Ball(2.0, np.array([3.0, 4.0]))
    assert found.replace(x=1.0) == ball and dict(found)["x"] == 2.0
    assert repr(m.Ball(1.0, 2.0)) == "Ball(x=1.0, v=2.0)"
    match found:
        case m.Ball(x=x, v=v):
            assert (x, v.tolist()) == (2.0, [3.0, 4.0])
        case _:
            pytest.fail("a record matches its class")


def test_what_stands_for_a_record(m):
    @dataclasses.dataclass
    class Own:
        v: list
        x: float

    Named = namedtuple("Named", ["x", "v"])
    for it in ({"x": 1.0, "v": [3.0, 4.0]}, Own([3.0, 4.0], 1.0), Named(1.0, [3.0, 4.0])):
        assert m.energy(it) == 13.5


def test_records_do_not_change(m):
    ball = m.Ball(1.0, [0.0, 0.0])
    with pytest.raises(AttributeError):
        ball.x = 2.0
    for wrong in ({"x": 1.0}, {"x": 1.0, "v": [], "w": 0}):
        with pytest.raises(TypeError):
            m.Ball(**wrong)


def test_arrays_of_records_are_records_of_arrays(m):
    columns = m.Ball(x=np.array([1.0, 2.0]), v=np.array([[0.0, 1.0], [2.0, 3.0]]))
    found = m.all_moved(columns)
    assert found.x.tolist() == [2.0, 3.0] and found.v.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    rows = [m.Ball(1.0, [0.0, 1.0]), {"x": 2.0, "v": [2.0, 3.0]}]
    assert m.all_moved(rows) == found
    table = np.array([(1.0, (0.0, 1.0)), (2.0, (2.0, 3.0))], dtype=[("x", "f8"), ("v", "f8", (2,))])
    assert m.all_moved(table) == found
    assert m.all_moved([]).x.shape == (0,)


def test_data(m):
    assert m.area(m.Rectangle(2.0, 3.0)) == 6.0 and m.area(m.Point()) == 0.0
    assert m.total([m.Rectangle(2.0, 3.0), m.Point(), m.Rectangle(1.0, 1.0)]) == 7.0
    found = m.shapes(1.5)
    assert found == [m.Circle(1.5), m.Rectangle(1.5, 2.0), m.Point()]
    assert all(isinstance(it, m.Shape) for it in found) and repr(found[1]) == "Rectangle(1.5, 2.0)"

    def name(shape):
        match shape:
            case m.Circle(r):
                return f"circle {r}"
            case m.Rectangle(w, h):
                return f"rectangle {w} {h}"
            case m.Point():
                return "point"

    assert [name(it) for it in found] == ["circle 1.5", "rectangle 1.5 2.0", "point"]
    with pytest.raises(TypeError):
        m.Circle()
    with pytest.raises(TypeError):
        m.Shape()


def test_derivatives_by_records_and_data(m):
    by_ball = cotan.grad(m.energy)(m.Ball(1.0, np.array([3.0, 4.0])))
    assert by_ball == m.Ball(1.0, np.array([3.0, 4.0]))
    assert cotan.grad(m.area)(m.Rectangle(2.0, 3.0)) == m.Rectangle(3.0, 2.0)
    tree = m.Fork(m.Leaf(2.0), m.Fork(m.Leaf(3.0), m.Leaf(5.0)))
    assert cotan.grad(m.leaves)(tree) == m.Fork(m.Leaf(900.0), m.Fork(m.Leaf(600.0), m.Leaf(360.0)))


def test_ravel_of_structures(m):
    given = {"ball": m.Ball(1.0, np.array([2.0, 3.0])), "shape": (m.Circle(4.0), 7, "text"), "list": [5.0, 6.0]}
    vector, unravel = cotan.ravel(given)
    assert vector.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    back = unravel(vector * 2.0)
    assert back["ball"] == m.Ball(2.0, np.array([4.0, 6.0]))
    assert back["shape"] == (m.Circle(8.0), 7, "text") and back["list"].tolist() == [10.0, 12.0]
    with pytest.raises(cotan.Error, match="6 numbers"):
        unravel(np.zeros(5))
    assert cotan.ravel(())[0].shape == (0,)
    single, unravel = cotan.ravel(np.float64(3.0))
    assert single.tolist() == [3.0] and unravel([4.0]) == 4.0
