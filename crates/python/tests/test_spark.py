"""Spark, on this machine: threads of one process, a cluster of two, and an executor that is killed.

Run by `scripts/test_python.sh --spark`, which installs pyspark; it needs Java.
"""

import os
import shutil
import signal
import sys
import time

import pytest

import crossarc

pyspark = pytest.importorskip("pyspark", reason="scripts/test_python.sh --spark installs pyspark")
pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("there is no Java on this machine", allow_module_level=True)

from pyspark.sql import SparkSession  # noqa: E402

TEXTS = [("Birds sing. " * (1 + at % 3)).strip() if at % 50 else None for at in range(400)]


def session(master):
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("crossarc")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
        "spark.sql.shuffle.partitions": "4",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def wanted(small):
    import pyarrow

    table = pyarrow.table({"id": list(range(len(TEXTS))), "text": TEXTS})
    batches = crossarc.arrow.parse_batches(table.to_batches(), small, id="id")
    return sorted(pyarrow.Table.from_batches(batches).to_pylist(), key=order)


def order(row):
    return row["doc_id"], row["sent_index"] or 0


def parsed(spark, parser, partitions):
    rows = list(enumerate(TEXTS))
    frame = spark.createDataFrame(rows, "id long, text string").repartition(partitions)
    found = frame.mapInArrow(parser, crossarc.spark.SCHEMA).collect()
    return sorted((row.asDict(recursive=True) for row in found), key=order)


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,1024]"])
def test_rows_are_those_of_the_kernel(small, master):
    import crossarc.spark

    spark = session(master)
    try:
        for partitions in (1, 5):
            parser = crossarc.spark.parser(small, id="id")
            assert parsed(spark, parser, partitions) == wanted(small)
    finally:
        spark.stop()


def test_an_executor_may_be_killed(small, tmp_path):
    import crossarc.spark

    parser = crossarc.spark.parser(small, id="id")
    flag = tmp_path / "killed"

    def murderous(batches):
        for at, batch in enumerate(parser(batches)):
            yield batch
            try:
                os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            # The parent of the worker's daemon is the executor of this worker alone.
            daemon = os.getppid()
            with open(f"/proc/{daemon}/stat") as stat:
                executor = int(stat.read().rsplit(")", 1)[1].split()[1])
            os.kill(executor, signal.SIGKILL)
            time.sleep(1)

    spark = session("local-cluster[2,1,1024]")
    try:
        assert parsed(spark, murderous, 6) == wanted(small)
        assert flag.exists()
    finally:
        spark.stop()
