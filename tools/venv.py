"""Make or refresh a virtual environment with labkit in it.

    python3 tools/venv.py DIRECTORY [EXTRA]

Run by the Python the environment shall have. Does nothing, quickly, when all is as it should be.
Kept to old syntax, so that an old Python can still say that it is too old.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSION = sys.version.split()[0]
OLDEST = (3, 11)


def check_python():
    if sys.version_info < OLDEST:
        sys.exit(
            f"This is Python {VERSION}; labkit needs 3.11 or newer.\n"
            "Name another with PYTHON=, for example: make lab PYTHON=python3.12"
        )
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        sys.exit(
            f"Python at {sys.executable} has no venv module, into which labkit installs itself.\n"
            "On Debian and Ubuntu: sudo apt install python3-venv. Or name another Python with\n"
            "PYTHON=, for example: make lab PYTHON=python3.12"
        )


def wanted(extra):
    """What the environment should be made of, in one line."""
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return f"{VERSION} {extra or '-'} {digest} {ROOT}"


def found(stamp):
    try:
        with open(stamp) as file:
            return file.read()
    except OSError:
        return ""


def make(directory, extra):
    """Make the environment anew if its Python is another one, then install."""
    python = os.path.join(directory, "bin", "python")
    same = found(os.path.join(directory, "labkit-installed")).startswith(VERSION + " ")
    if not (same and os.path.exists(python)):
        print(f"Making {directory} with Python {VERSION}", flush=True)
        subprocess.check_call([sys.executable, "-m", "venv", "--clear", directory])
    print("Installing labkit and what it needs (a minute or two, the first time)", flush=True)
    package = ["--editable", ROOT + (f"[{extra}]" if extra else "")]
    if not quickly(python, package):
        subprocess.check_call([python, "-m", "pip", "install", "-qq", *package])


def quickly(python, package):
    """Install with uv, several times as fast as pip; False if that is not possible here."""
    pip, uv = [python, "-m", "pip"], os.path.join(os.path.dirname(python), "uv")
    try:
        subprocess.check_output([*pip, "install", "-qq", "uv"], stderr=subprocess.STDOUT)
        install = [uv, "pip", "install", "--python", python, "--quiet", "--compile-bytecode"]
        env = with_pips_index(pip)
        subprocess.check_output([*install, *package], stderr=subprocess.STDOUT, env=env)
    except (OSError, subprocess.CalledProcessError):
        print("It does not work with uv here; installing with pip, which takes longer", flush=True)
        return False
    return True


def with_pips_index(pip):
    """The variables of this process, and for uv the index that pip was told to use."""
    told = subprocess.check_output([*pip, "config", "list"], universal_newlines=True)
    lines = [line.partition("=") for line in told.splitlines()]
    index = [value.strip("'") for key, _, value in lines if key.endswith(".index-url")]
    return dict({"UV_DEFAULT_INDEX": index[-1]} if index else {}, **os.environ)


def main(directory, extra=None):
    check_python()
    stamp = os.path.join(directory, "labkit-installed")
    if found(stamp) == wanted(extra):
        return 0
    try:
        make(directory, extra)
    except subprocess.CalledProcessError as failure:
        return f"That did not work; the lines above say why. ({failure})"
    with open(stamp, "w") as file:
        file.write(wanted(extra))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
