"""labkit's own source, read as text: which module imports what, how long functions are."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "labkit"


@cache
def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def name_of(path: Path) -> str:
    """`labkit.text.arrays` for labkit/text/arrays.py."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path, types: bool = True) -> frozenset[str]:
    """Full names of the modules a file imports, wherever in it, relative ones resolved.

    Without ``types``, those under ``if TYPE_CHECKING:`` are left out: nothing is loaded there.
    """
    found, waiting = set(), [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= set(imported_from(path, node))
        elif types or not is_type_checking(node):
            waiting += ast.iter_child_nodes(node)
    return frozenset(found)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imported_from(path: Path, node: ast.ImportFrom) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        package = path.relative_to(ROOT).parent.parts
        base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
    for alias in node.names:  # `from labkit import facts` imports labkit.facts
        whole = f"{base}.{alias.name}"
        yield whole if whole in names() else base


@cache
def names() -> frozenset[str]:
    """The full names of all modules."""
    return frozenset(map(name_of, modules()))


@cache
def defined(path: Path) -> frozenset[str]:
    """The names a module has: what it defines, sets and imports, and a package's modules."""
    found = {other.stem for other in path.parent.iterdir()} if path.name == "__init__.py" else set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif not isinstance(node, ast.If):
            found |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            found |= set(named_in_all(node))
    return frozenset(found)


def named_in_all(node: ast.AST) -> list[str]:
    """What ``__all__ = [...]`` lists; nothing for another statement."""
    given = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    return [each.value for each in node.value.elts] if given else []


def code_lines(path: Path) -> int:
    """How many lines of a file are neither blank, nor comment, nor docstring."""
    text = path.read_text(encoding="utf-8")
    documented = {line for node in ast.walk(ast.parse(text)) for line in docstring_lines(node)}
    lines = enumerate((line.strip() for line in text.splitlines()), start=1)
    return sum(bool(line) and line[0] != "#" and n not in documented for n, line in lines)


def docstring_lines(node: ast.AST) -> range:
    """The lines of a node that its docstring takes up."""
    owners = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    if not isinstance(node, owners) or ast.get_docstring(node) is None:
        return range(0)
    return range(node.body[0].lineno, node.body[0].end_lineno + 1)


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """(name, lines without the docstring) of every function in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1 - len(docstring_lines(node))
            yield f"{name_of(path)}.{node.name}", lines
