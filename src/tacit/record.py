"""`Record`: what `typing.NamedTuple` does, without its cost at import.

`typing.NamedTuple` compiles a constructor from source text and resolves every annotation. That takes .15 to .24 ms for
each class, and a hook loads dozens of them. `Record` copies a constructor that is compiled already and renames its
parameters, which takes about .02 ms (ADR 4). Type checkers see `NamedTuple` itself, and instances behave alike: tuples
with named fields, defaults, `_replace`, `_asdict` and pattern matching.
"""

from __future__ import annotations

__all__ = ["Record"]

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    from _collections import _tuplegetter  # the descriptor that `collections.namedtuple` uses
    from types import FunctionType

    _new = tuple.__new__

    # One constructor for each number of fields; `_constructor` gives the parameters their real names.
    _CONSTRUCTORS = (
        lambda _cls: _new(_cls, ()),
        lambda _cls, a: _new(_cls, (a,)),
        lambda _cls, a, b: _new(_cls, (a, b)),
        lambda _cls, a, b, c: _new(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h)),
        lambda _cls, a, b, c, d, e, f, g, h, i: _new(_cls, (a, b, c, d, e, f, g, h, i)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j: _new(_cls, (a, b, c, d, e, f, g, h, i, j)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, l: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, l)),  # noqa: E741
    )

    def _constructor(name, fields, defaults):
        if len(fields) < len(_CONSTRUCTORS):
            code = _CONSTRUCTORS[len(fields)].__code__.replace(co_varnames=("_cls", *fields), co_name="__new__")
            new = FunctionType(code, {"_new": _new}, "__new__", defaults)
        else:
            from collections import namedtuple

            new = namedtuple(name, fields, defaults=defaults).__new__
        new.__qualname__ = f"{name}.__new__"
        return new

    class _Named(tuple):
        """What all records share. Their constructors and fields are their own."""

        __slots__ = ()

        def __repr__(self):
            values = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({values})"

        def __getnewargs__(self):
            return tuple(self)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, /, **changes):
            made = _new(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

    class _Meta(type):
        """Turns each class with the base `Record` into a plain subclass of `tuple` with named fields."""

        def __new__(mcs, name, bases, namespace):
            if not bases:
                return super().__new__(mcs, name, bases, namespace)
            fields = tuple(namespace["__annotations__"])
            defaults = {field: namespace[field] for field in fields if field in namespace}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one with a default")
            namespace.update(
                {field: _tuplegetter(number, field) for number, field in enumerate(fields)},
                __slots__=(),
                __new__=_constructor(name, fields, tuple(defaults.values())),
                __match_args__=fields,
                _fields=fields,
                _field_defaults=defaults,
            )
            return type(name, (_Named,), namespace)

    class Record(metaclass=_Meta):
        """The base to name in `class Point(Record):`."""
