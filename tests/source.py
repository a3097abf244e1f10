"""labkit's own source, read as text: which module imports what, how long functions are."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "labkit"


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """`labkit.draw.text` for labkit/draw/text.py."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """Full names of the modules a file imports, wherever in it, relative ones resolved."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= set(imported_from(path, node))
    return found


def imported_from(path: Path, node: ast.ImportFrom) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        package = path.relative_to(ROOT).parent.parts
        base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
    known = {name_of(module) for module in modules()}
    for alias in node.names:  # `from labkit import facts` imports labkit.facts
        whole = f"{base}.{alias.name}"
        yield whole if whole in known else base


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """(name, lines without the docstring) of every function in a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node):
                lines -= node.body[0].end_lineno - node.body[0].lineno + 1
            yield f"{name_of(path)}.{node.name}", lines
