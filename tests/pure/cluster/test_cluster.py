from pathlib import Path

import psutil

from labkit.cluster.cluster import Cluster


def test_a_cluster_that_was_not_started_has_no_process_and_leaves_no_folder():
    before = psutil.Process().children()
    cluster = Cluster(2, 1, "cpu", "plain")
    assert psutil.Process().children() == before
    assert cluster.gone() == {}
    assert Path(cluster.folder).is_dir()
    cluster.stop()
    assert not Path(cluster.folder).exists()
