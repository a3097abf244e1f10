import json

import pytest

from labkit.cli import working_copy
from labkit.errors import LabError


def write(path, *sources, outputs=()):
    cells = [
        {"cell_type": "code", "source": [source], "outputs": list(outputs)} for source in sources
    ]
    path.write_text(json.dumps({"cells": cells}))


def text(path):
    return [cell["source"][0] for cell in json.loads(path.read_text())["cells"]]


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "notebooks"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "a.svg").write_text("<svg/>")
    write(folder / "00_start.ipynb", "hello")
    write(folder / "01_psum.ipynb", "psum")
    return folder


@pytest.fixture
def work(source, tmp_path):
    assert working_copy.refresh(source, tmp_path / "work") == []
    return tmp_path / "work"


def test_the_first_copy_has_every_file(work):
    assert text(work / "00_start.ipynb") == ["hello"]
    assert (work / "images" / "a.svg").read_text() == "<svg/>"


def test_an_unedited_lesson_follows_the_project(source, work):
    write(source / "01_psum.ipynb", "better")
    assert working_copy.refresh(source, work) == []
    assert text(work / "01_psum.ipynb") == ["better"]


def test_running_a_lesson_is_not_editing_it(source, work):
    write(work / "01_psum.ipynb", "psum", outputs=[{"text": "56"}])
    write(source / "01_psum.ipynb", "better")
    assert working_copy.refresh(source, work) == []
    assert text(work / "01_psum.ipynb") == ["better"]


def test_without_news_a_lesson_keeps_its_outputs(source, work):
    write(work / "01_psum.ipynb", "psum", outputs=[{"text": "56"}])
    assert working_copy.refresh(source, work) == []
    assert "56" in (work / "01_psum.ipynb").read_text()


def test_an_edited_lesson_is_never_overwritten(source, work):
    write(work / "01_psum.ipynb", "mine")
    write(source / "01_psum.ipynb", "better")
    [words] = working_copy.refresh(source, work)
    assert "01_psum.new-1.ipynb" in words
    assert text(work / "01_psum.ipynb") == ["mine"]
    assert text(work / "01_psum.new-1.ipynb") == ["better"]


def test_a_new_version_is_told_once(source, work):
    write(work / "01_psum.ipynb", "mine")
    write(source / "01_psum.ipynb", "better")
    working_copy.refresh(source, work)
    assert working_copy.refresh(source, work) == []
    assert text(work / "01_psum.ipynb") == ["mine"]


def test_a_new_version_that_was_edited_is_not_overwritten_either(source, work):
    write(work / "01_psum.ipynb", "mine")
    write(source / "01_psum.ipynb", "better")
    working_copy.refresh(source, work)
    write(work / "01_psum.new-1.ipynb", "merged")
    write(source / "01_psum.ipynb", "best")
    working_copy.refresh(source, work)
    assert text(work / "01_psum.new-1.ipynb") == ["merged"]
    assert text(work / "01_psum.new-2.ipynb") == ["best"]


def test_a_file_of_the_learners_own_is_not_overwritten(source, work):
    write(work / "02_mine.ipynb", "my own")
    write(source / "02_mine.ipynb", "a new lesson of the same name")
    assert len(working_copy.refresh(source, work)) == 1
    assert text(work / "02_mine.ipynb") == ["my own"]


def test_a_broken_notebook_counts_as_edited(source, work):
    (work / "01_psum.ipynb").write_text("not JSON")
    write(source / "01_psum.ipynb", "better")
    working_copy.refresh(source, work)
    assert (work / "01_psum.ipynb").read_text() == "not JSON"


def test_a_deleted_lesson_comes_back(source, work):
    (work / "00_start.ipynb").unlink()
    working_copy.refresh(source, work)
    assert text(work / "00_start.ipynb") == ["hello"]


def test_a_fresh_lesson_keeps_the_edited_one(source, work):
    for mine in ("mine", "mine again"):
        write(work / "01_psum.ipynb", mine)
        working_copy.fresh(source, work, "01")
    assert text(work / "01_psum.ipynb") == ["psum"]
    assert text(work / "01_psum.mine-1.ipynb") == ["mine"]
    assert text(work / "01_psum.mine-2.ipynb") == ["mine again"]


def test_a_fresh_lesson_that_was_not_edited_leaves_no_backup(source, work):
    working_copy.fresh(source, work, "01")
    assert sorted(path.name for path in work.glob("*.ipynb")) == ["00_start.ipynb", "01_psum.ipynb"]


def test_after_a_fresh_lesson_updates_arrive_again(source, work):
    write(work / "01_psum.ipynb", "mine")
    working_copy.fresh(source, work, "01")
    write(source / "01_psum.ipynb", "better")
    assert working_copy.refresh(source, work) == []
    assert text(work / "01_psum.ipynb") == ["better"]


@pytest.mark.parametrize("beginning", ["7", "0", "", "psum"])
def test_a_name_that_is_no_lesson_is_answered_with_the_list(source, work, beginning):
    with pytest.raises(LabError, match="00_start, 01_psum"):
        working_copy.fresh(source, work, beginning)


def test_a_folder_without_lessons_says_where_they_are(tmp_path):
    with pytest.raises(LabError, match="make lab"):
        working_copy.refresh(tmp_path, tmp_path / "work")
    assert not (tmp_path / "work").exists()
