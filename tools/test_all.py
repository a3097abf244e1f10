"""Run every test, the long ones too, on the oldest and the newest JAX that labkit supports.

python3 tools/test_all.py [PYTEST ARGUMENTS]

Python 3.11 gets the oldest JAX, 3.13 the newest. The Python that runs this file is one end; the
other is found by running it, because a `python3.13` on the path may only be a pointer to nothing.
Tests marked `one_end` run on the newest alone, or on the only one.
"""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The tests of a file share a lab, so they stay together; and the order of folders stays.
PARALLEL = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
ALL, ON_BOTH = "not bench", "not bench and not one_end"


def main(arguments: list[str]) -> int:
    """Test the Python at hand, then the other end if this machine has it."""
    this, other = ("3.11", "3.13") if sys.version_info < (3, 12) else ("3.13", "3.11")
    found = {this: sys.executable, other: find(other)}
    *older, newest = [found[end] for end in sorted(found) if found[end]]
    # Both at once: most of a test's time is spent waiting for processes, on purpose or not.
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(test, python, ON_BOTH, arguments) for python in older]
        runs.append(pool.submit(test, newest, ALL, arguments))
        ended = [run.result() for run in runs]
    if not older:
        print(f"\nThere is no Python {other} on this machine: the other JAX end was not tested.")
    for words, _ in ended:
        print(words)
    return int(any(code for _, code in ended))


def find(version: str) -> str | None:
    """The path of a Python of this version that really runs, or None."""
    name = f"python{version}"
    for prefix in ([], ["env", f"PYENV_VERSION={version}"], *pyenv(version)):
        answer = ask([*prefix, name, "-c", "import sys; print(sys.executable)"])
        if answer:
            return answer
    return None


def pyenv(version: str) -> list[list[str]]:
    """One prefix for each pyenv installation of this version; none without pyenv."""
    installed = (ask(["pyenv", "versions", "--bare"]) or "").split()
    return [["env", f"PYENV_VERSION={v}"] for v in installed if v.startswith(version + ".")]


def ask(command: list[str]) -> str | None:
    """What a command prints, or None when it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def test(python: str, marks: str, arguments: list[str]) -> tuple[str, int]:
    """Run the tests with such marks under one Python, in an environment of its own."""
    version = ask([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
    venv = ROOT / f".venv-test-{version}"
    code = subprocess.call([python, str(ROOT / "tools" / "venv.py"), str(venv), "test"])
    if code:
        return f"Python {version}: could not be installed (ended with {code})", code
    jax = ask([str(venv / "bin" / "pip"), "list", "--format=freeze"]) or ""
    jax = next((line for line in jax.splitlines() if line.startswith("jax==")), "no jax")
    print(f"Python {version}, {jax}: begins", flush=True)
    command = [str(venv / "bin" / "python"), "-m", "pytest", *PARALLEL, "-m", marks]
    began = time.monotonic()
    code = call([*command, *arguments], f"{version} | ")
    minutes = (time.monotonic() - began) / 60
    words = "all passed" if code == 0 else "FAILED"
    return f"Python {version}, {jax}: {words} in {minutes:.0f} min", code


def call(command: list[str], mark: str) -> int:
    """Run a command, each line it writes marked."""
    merged = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=ROOT, text=True, **merged) as running:
        for line in running.stdout:
            print(mark + line, end="", flush=True)
    return running.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
