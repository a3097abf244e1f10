import numpy as np
import pytest

from labkit import rows


@pytest.fixture
def path(tmp_path):
    return rows.write(tmp_path, "numbers", 12)


def test_a_row_says_where_it_comes_from(path):
    table = np.load(path)
    assert table.shape == (12, rows.COLUMNS)
    assert table[7, 1] == 701


@pytest.mark.parametrize("wanted", [slice(2, 5), slice(None), 3, np.array([9, 0, 9]), slice(0, 0)])
def test_a_reader_gives_what_the_file_holds_and_counts_it(path, wanted):
    data, table = rows.Rows(path), np.load(path)
    expected = table[wanted]
    np.testing.assert_array_equal(data[wanted], expected)
    assert data.read.tolist() == np.atleast_1d(np.arange(12)[wanted]).tolist()
    assert data.nbytes == expected.nbytes


def test_what_is_read_again_is_counted_again(path):
    data = rows.Rows(path)
    data[:2], data[1:3]
    assert data.read.tolist() == [0, 1, 1, 2]
    assert data.nbytes == 4 * rows.COLUMNS * 4


def test_the_bytes_come_from_the_file_at_that_time(path):
    data = rows.Rows(path)
    np.save(path, -np.load(path))
    assert data[7].tolist() == [-700, -701]


def test_a_reader_of_the_first_rows_has_no_others(path):
    data = rows.Rows(path, 8)
    assert len(data) == 8
    assert len(data[:]) == 8


def test_digits_are_those_of_scikit_learn(tmp_path):
    from sklearn.datasets import load_digits

    table = np.load(rows.write(tmp_path, "digits", 24))
    np.testing.assert_array_equal(table, load_digits().data[:24])
    assert table.dtype == "uint8"
    assert len({row.tobytes() for row in table}) == 24  # so that a row is known by its contents


def test_another_data_set_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected one of numbers, digits"):
        rows.write(tmp_path, "letters", 3)
