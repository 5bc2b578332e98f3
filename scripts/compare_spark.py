#!/usr/bin/env python3
"""Whether Spark gives the rows that the program gives, and how fast: words a second of processor time.

    scripts/compare_spark.py target/release/crossarc TEXTS [--sentences 100000] [--master 'local-cluster[2,1,1024]']

TEXTS has a document on each line; they are taken again and again until there are so many sentences. The program
parses them as JSON Lines to CoNLL-U on one thread, Spark with one worker for each core. Compared are
words, lemmas, tags, features, heads and labels of all sentences in their order. Needs pyspark, pandas and
pyarrow, and Java.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def of_program(options, lines, folder):
    out = os.path.join(folder, "parsed.conllu")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    command = [options.program, "parse", "-q", "--from", "jsonl", "--threads", "1", lines, "-o", out]
    subprocess.run(command, check=True)
    seconds, after = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sentences, words, document = {}, [], None
    with open(out, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# newdoc id = "):
                document = line[14:-1]
            elif line == "\n":
                sentences.setdefault(document, []).append(words)
                words = []
            elif line[0] != "#":
                cells = line.split("\t")
                if cells[0].isdigit():
                    words.append(tuple(cells[1:6]) + (int(cells[6]), cells[7]))
    return sentences, seconds, used


def of_spark(options, lines, folder):
    from pyspark.sql import SparkSession

    import crossarc.spark

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(options.master).appName("compare")
    for key, value in {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    out, times = os.path.join(folder, "rows"), os.path.join(folder, "times")
    os.mkdir(times)
    parse = crossarc.spark.parser(id="id")

    def timed(batches):
        """Parses, and leaves a file with the processor time of it."""
        start = time.process_time()
        yield from parse(batches)
        with tempfile.NamedTemporaryFile("w", dir=times, delete=False) as file:
            file.write(str(time.process_time() - start))

    start = time.time()
    texts = spark.read.schema("id string, text string").json(lines).repartition(8)
    rows = texts.mapInArrow(timed, crossarc.spark.SCHEMA)
    rows.write.parquet(out)
    seconds = time.time() - start
    spark.stop()
    used = 0
    for name in os.listdir(times):
        with open(os.path.join(times, name)) as file:
            used += float(file.read())
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(out).sort_by([("doc_id", "ascending"), ("sent_index", "ascending")])
    sentences = {}
    names = ["form", "lemma", "upos", "xpos", "feats"]
    for batch in table.to_batches():
        for row in batch.to_pylist():
            assert row["error"] is None, row
            columns = [[value or "_" for value in row[name]] for name in names] + [row["head"], row["deprel"]]
            sentences.setdefault(row["doc_id"], []).append(list(zip(*columns)))
    return sentences, seconds, used


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("texts")
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--master", default="local[2]")
    options = parser.parse_args()
    import crossarc

    with open(options.texts, encoding="utf-8") as file:
        texts = [line.strip() for line in file if line.strip()]
    sizes = [len(doc) for doc in crossarc.load().pipe(texts)]
    with tempfile.TemporaryDirectory() as folder:
        lines, at, sentences = os.path.join(folder, "texts.jsonl"), 0, 0
        with open(lines, "w", encoding="utf-8") as file:
            while sentences < options.sentences:
                file.write(json.dumps({"id": f"d{at:07}", "text": texts[at % len(texts)]}) + "\n")
                sentences += sizes[at % len(texts)]
                at += 1
        wanted, seconds, used = of_program(options, lines, folder)
        words = sum(len(sentence) for document in wanted.values() for sentence in document)
        print(f"{at:,} documents, {sentences:,} sentences, {words:,} words")
        print(f"the program, 1 thread: {seconds:.1f} s, {words / seconds:,.0f} words/s, {words / used:,.0f} by CPU time", flush=True)
        found, seconds, used = of_spark(options, lines, folder)
        print(f"Spark, {options.master}: {seconds:.1f} s, {words / seconds:,.0f} words/s, {words / used:,.0f} by CPU time of its workers")
        differing = [name for name in wanted if wanted[name] != found.get(name)]
        print(f"documents that differ: {len(differing)} of {len(wanted)} {differing[:3]}")
        return bool(differing or len(found) != len(wanted))


if __name__ == "__main__":
    sys.exit(main())
