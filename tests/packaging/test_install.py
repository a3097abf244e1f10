"""What pip makes of the project: these ask the package index, so they are long runs."""

import json
import subprocess
import sys
import zipfile

import pytest
import yaml

from tests.source import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


def pip(*arguments: str) -> str:
    command = [sys.executable, "-m", "pip", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    [path] = folder.glob("labkit-*.whl")
    return zipfile.ZipFile(path)


@pytest.mark.one_end
def test_the_wheel_holds_every_module_and_what_they_read(wheel):
    files = [path for path in (ROOT / "labkit").rglob("*") if path.is_file()]
    wanted = {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}
    assert wanted <= set(wheel.namelist())
    assert any(name.endswith(".css") for name in wanted)


@pytest.mark.one_end
def test_the_wheel_holds_no_lessons_and_no_tests(wheel):
    roots = {name.split("/")[0] for name in wheel.namelist()}
    assert {root for root in roots if not root.endswith(".dist-info")} == {"labkit"}


@pytest.mark.one_end
def test_the_wheel_brings_the_command_and_the_licence(wheel):
    [entry] = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "labkit = labkit.cli.command:main" in wheel.read(entry).decode()
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_the_environments_list_resolves_to_the_jax_this_python_is_tested_with():
    *_, listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    quiet = ("--dry-run", "--ignore-installed", "--quiet", "--report", "-")
    report = json.loads(pip("install", *quiet, *listed["pip"]))
    chosen = {item["metadata"]["name"]: item["metadata"]["version"] for item in report["install"]}
    wanted = "0.10." if sys.version_info < (3, 12) else "0.12."
    assert chosen["jax"].startswith(wanted)
    assert chosen["jaxlib"].startswith(wanted)
