"""Telling is bounded in bytes, copies nothing else, and needs no other process."""

import pickle

import numpy as np
import pytest
import xxhash

from tests.processes import harness
from tests.processes.cases import CASES

FULL = np.arange(1024 * 2048, dtype=np.float32).reshape(1024, 2048)
NAMES = [*CASES, "own", "keys", "key", "host", "diverged", "deleted"]


def big():
    from tests.processes import holdings

    return holdings.big()


def off_the_cpu():
    from tests.processes import holdings

    return holdings.off_the_cpu(NAMES)


def one_alone():
    from tests.processes import holdings

    return holdings.one_alone([*NAMES, "params", "grid"])


@pytest.fixture(scope="module")
def told():
    return harness.run(big, processes=2, devices=2)


def test_a_big_array_is_told_in_a_few_thousand_bytes(told):
    for said in told:
        assert len(pickle.dumps(said["told"]["none"])) < 3 * 2048 + 2000


@pytest.mark.parametrize("name", ["x", "y"])
def test_a_preview_is_the_leading_block(told, name):
    for said in told:
        for shard in said["told"]["none"][name]["shards"]:
            rows, columns = shard["value"].shape
            assert np.array_equal(shard["value"], FULL[:rows, :columns])
            assert 1024 <= shard["value"].nbytes <= 2048
            assert min(rows, columns) >= 8
            assert not shard["complete"]
            assert shard["shape"] == FULL.shape


@pytest.mark.parametrize("digests", ["none", "one", "all"])
def test_nothing_is_copied_beyond_the_preview(told, digests):
    for said in told:
        assert said["peaks"][digests] < FULL.nbytes / 16


@pytest.mark.parametrize(("digests", "hashed"), [("none", 0), ("one", 1), ("all", 3)])
def test_hashing_stops_at_its_limit(told, digests, hashed):
    digest = xxhash.xxh3_128_hexdigest(FULL.tobytes())
    for said in told:
        records = said["told"][digests].values()
        found = [shard["digest"] for record in records for shard in record["shards"]]
        assert found == [digest] * hashed + [""] * (3 - hashed)


def test_previews_are_the_same_where_they_are_cut_on_the_device():
    for near, far in harness.run(off_the_cpu, processes=2, devices=2):
        for name in NAMES:
            pairs = zip(near[name]["shards"], far[name]["shards"], strict=True)
            for here, there in pairs:
                assert here["value"].dtype == there["value"].dtype
                assert np.array_equal(here["value"], there["value"])
                assert here["complete"] == there["complete"]


def test_one_process_alone_can_tell_everything_it_holds():
    nobody, told = harness.run(one_alone, processes=2, devices=2)
    assert nobody is None
    assert all(told[name] is not None for name in NAMES)
