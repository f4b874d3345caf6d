"""A record behaves as a named tuple does."""

from __future__ import annotations

import copy
import pickle
from typing import NamedTuple

import pytest

from tacit.record import Record


class Plain(NamedTuple):
    name: str
    size: int = 1
    tags: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.name}/{self.size}"


class Lean(Record):
    name: str
    size: int = 1
    tags: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.name}/{self.size}"


class Wide(Record):
    """More fields than there are constructors for."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int
    j: int
    k: int
    m: int
    n: int
    o: int = 15


class Narrow(Record):
    only: str


def test_it_is_a_tuple_with_the_same_fields_defaults_and_methods() -> None:
    plain, lean = Plain("x", tags=("a",)), Lean("x", tags=("a",))

    assert tuple(plain) == tuple(lean) and isinstance(lean, tuple) and hash(plain) == hash(lean)
    assert (lean.name, lean.size, lean.tags, lean.label) == ("x", 1, ("a",), "x/1")
    assert Lean._fields == Plain._fields and Lean._field_defaults == Plain._field_defaults
    assert lean._asdict() == plain._asdict()
    assert tuple(lean._replace(size=3)) == tuple(plain._replace(size=3))
    assert repr(lean) == repr(plain).replace("Plain", "Lean")
    assert Lean._make(["x", 1, ("a",)]) == lean
    assert tuple(Lean(size=2, name="y")) == ("y", 2, ())


def test_it_can_be_matched_copied_and_pickled() -> None:
    lean = Lean("x", 2)

    match lean:
        case Lean(name, size=2):
            assert name == "x"
        case _:
            pytest.fail("not matched")
    assert copy.copy(lean) == lean and type(copy.deepcopy(lean)) is Lean
    assert pickle.loads(pickle.dumps(lean)) == lean


def test_it_may_have_one_field_or_many() -> None:
    wide = Wide(*range(13))

    assert Narrow("x") == ("x",)
    assert (wide.a, wide.n, wide.o) == (0, 12, 15)
    assert wide._replace(n=40)[-2:] == (40, 15)


def test_wrong_fields_are_refused_and_nothing_can_be_set() -> None:
    lean = Lean("x")

    with pytest.raises(TypeError, match=r"Lean.__new__\(\) missing 1 required positional argument: 'name'"):
        Lean()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        Lean("x", colour="red")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="Lean has no field colour"):
        lean._replace(colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Lean has 3 fields, not 1"):
        Lean._make(["x"])
    with pytest.raises(AttributeError):
        lean.name = "y"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        lean.colour = "red"  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="a field without a default follows one with a default"):

        class Wrong(Record):
            a: int = 1
            b: str  # type: ignore[misc]
