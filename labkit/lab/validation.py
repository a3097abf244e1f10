"""What a learner gives, checked before anything is sent to the processes or started."""

from __future__ import annotations

import ast
import inspect
import operator
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from labkit.errors import LabError


def whole(name: str, value: Any) -> int:
    """A whole number of at least 1.

    Raises:
        LabError: it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise LabError(
            f"{name}={value!r} was given; expected a whole number of at least 1, "
            f"for example {name}=2."
        )
    return value


def one_of(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """One of several choices.

    Raises:
        LabError: it is anything else.
    """
    if value not in choices:
        raise LabError(
            f"{name}={value!r} was given; expected one of {', '.join(map(repr, choices))}."
        )
    return value


def expression(value: Any) -> str:
    """A Python expression as text, on one line.

    Raises:
        LabError: it is anything else.
    """
    try:
        tree = ast.parse(value.strip(), mode="eval")
    except (AttributeError, SyntaxError, ValueError):
        raise LabError(
            f'{value!r} was given; expected an expression as text, for example "total(x)".'
        ) from None
    return ast.unparse(tree) if "\n" in value.strip() else value.strip()


def seconds(value: Any) -> float:
    """A positive number of seconds.

    Raises:
        LabError: it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise LabError(f"deadline={value!r} was given; expected seconds, for example deadline=25.")
    return float(value)


def window(value: Any) -> tuple[int, int]:
    """From when to when, in nanoseconds.

    Args:
        value: the same as two numbers of seconds.

    Raises:
        LabError: it is anything else, or ends before it begins.
    """
    try:
        start, end = (float(second) for second in value)
    except (TypeError, ValueError):
        start, end = 0.0, 0.0
    if not 0 <= start < end < float("inf"):
        raise LabError(
            f"window={value!r} was given; expected from when to when in seconds, "
            "for example window=(0, 0.5)."
        )
    return round(start * 1e9), round(end * 1e9)


def chosen(on: int | str | Iterable[int] | None, count: int) -> tuple[int, ...]:
    """The processes that ``on`` names, in order; all for None.

    Args:
        on: an index, several, or text such as ``"0,1"``.
        count: how many processes there are.

    Raises:
        LabError: an index that is not there, or no index at all.
    """
    if on is None:
        return tuple(range(count))
    wanted = _indices(on)
    if not wanted or not wanted <= set(range(count)):
        raise LabError(
            f"on={on!r} was given; this lab has processes {', '.join(map(str, range(count)))}. "
            'Name some of them, for example on=0 or on="0,1".'
        )
    return tuple(sorted(wanted))


def _indices(on: int | str | Iterable[int]) -> set[int]:
    try:
        items = on.split(",") if isinstance(on, str) else on if isinstance(on, Iterable) else [on]
        return {_index(item) for item in items}
    except (TypeError, ValueError):
        return set()


def _index(item: int | str) -> int:
    if isinstance(item, bool):  # a mask is not a list of indices
        raise TypeError
    return int(item) if isinstance(item, str) else operator.index(item)


def complete(found: list[tuple[int, str]], chosen: tuple[int, ...]) -> None:
    """Refuse a cell that some processes run alone and that needs the others.

    Args:
        found: (line, what) pairs of calls that need others.
        chosen: the processes that would run it.

    Raises:
        LabError: there are some.
    """
    if found:
        calls = "".join(f"\n  line {line}: {what}" for line, what in found)
        raise LabError(
            f"Only process {', '.join(map(str, chosen))} would run this cell, and it seems to need "
            f"the others too, for which it would wait:{calls}\nRun it in all processes, or all the "
            "same with --anyway (lab.run: anyway=True). No such warning proves nothing."
        )


def source_of(code: str | Callable[[], Any]) -> str:
    """The source text to run: a cell's, or a function's with a call of it at the end.

    Raises:
        LabError: not Python, or a function whose source cannot stand alone.
    """
    if isinstance(code, str):
        source = textwrap.dedent(code)
    elif inspect.isfunction(code):
        source = _function_source(code)
    else:
        raise LabError(
            f"{type(code).__name__} was given; expected a cell's source as text, or a function."
        )
    _parses(source)
    return source


def expression_of(code: Any) -> tuple[str, str]:
    """A cell that ends in an expression, and that expression.

    Raises:
        LabError: it is no text, no Python, or ends in something else.
    """
    if not isinstance(code, str):
        raise LabError(
            f"{type(code).__name__} was given; expected an expression as text, as it is to be "
            'evaluated in every process, for example lab.step("f(x)").'
        )
    source = textwrap.dedent(code).strip("\n")
    _parses(source)
    body = ast.parse(TransformerManager().transform_cell(source)).body
    if not body or not isinstance(body[-1], ast.Expr):
        last = f"It ends in {ast.unparse(body[-1]).splitlines()[0]!r}." if body else "It is empty."
        raise LabError(f'Only an expression can be recorded, such as "f(x)". {last}')
    return source, ast.unparse(body[-1])


def _parses(source: str) -> None:
    try:
        ast.parse(TransformerManager().transform_cell(source))
    except SyntaxError as error:
        raise LabError(
            f"This is not Python yet, and was not sent: {error.msg} in line {error.lineno}:\n"
            f"    {(error.text or '').strip()}"
        ) from None


def _function_source(function: Callable[[], Any]) -> str:
    name = function.__name__
    if name == "<lambda>" or inspect.signature(function).parameters or function.__closure__:
        raise LabError(
            f"{name} was given; expected a def without arguments or outer variables: its source "
            "runs in every process, and the names in it are looked up there."
        )
    source = _written(function)
    if source is None:
        raise LabError(f"The source of {name} is not to be found; give it as text.")
    return f"{source}\n{name}()"


def _written(function: Callable[[], Any]) -> str | None:
    """The text of a function, None where it is not to be found.

    What ``exec`` made has another's: from Python 3.13 on, that of the command line's ``-c``.
    """
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except OSError:
        return None
    begins = rf"^(async )?def {function.__code__.co_name}\b"
    return source if re.search(begins, source, re.MULTILINE) else None
