#!/usr/bin/env python3
"""Checks the statistics of `crossarc analyze` against scipy and statsmodels on random data.

    python3 scripts/check_statistics.py [--crossarc PATH] [--rounds N] [--seed N]

Installs scipy and statsmodels into an environment of its own (target/check-statistics). Each round
makes a random treebank and three systems with random errors, and compares what crossarc says about
their differences with what the other packages say: the t-test, McNemar's test and Holm's correction to
nine digits, the bootstrap and randomisation within what their samples allow.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import venv

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOME = os.path.join(HERE, "target", "check-statistics")


def environment():
    """Goes on inside the environment, which is made first if there is none."""
    python = os.path.join(HOME, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(HOME):
        return
    if not os.path.exists(python):
        venv.create(HOME, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "scipy", "statsmodels"], check=True)
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


def sentence(rng):
    words = rng.randint(1, 12)
    order = list(range(1, words + 1))
    rng.shuffle(order)
    heads = {}
    for at, word in enumerate(order):
        heads[word] = 0 if at == 0 else rng.choice(order[:at])
    return [(heads[word], rng.choice("abc")) for word in range(1, words + 1)]


def corrupt(rng, sentences, rate):
    """Wrong labels only: the trees stay trees."""
    return [
        [(head, label + "x" if rng.random() < rate else label) for head, label in arcs]
        for arcs in sentences
    ]


def write(path, sentences):
    with open(path, "w", encoding="utf-8") as file:
        for arcs in sentences:
            for word, (head, label) in enumerate(arcs, 1):
                file.write(f"{word}\tw{word}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n")
            file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crossarc", default="crossarc", help="the program")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    environment()
    import numpy
    from scipy import stats
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.multitest import multipletests

    rng = random.Random(options.seed)
    samples = 4000
    worst = {"t-test": 0.0, "McNemar": 0.0, "Holm": 0.0, "bootstrap": 0.0, "interval": 0.0, "randomisation": 0.0}

    def near(name, ours, theirs, tolerance):
        difference = abs(ours - theirs)
        worst[name] = max(worst[name], difference)
        if not difference <= tolerance:
            sys.exit(f"{name}: crossarc says {ours}, the others say {theirs} (round {round_})")

    for round_ in range(options.rounds):
        gold = [sentence(rng) for _ in range(rng.randint(20, 200))]
        rates = [rng.uniform(0.05, 0.4) for _ in range(2)]
        systems = [corrupt(rng, gold, rate) for rate in (*rates, rates[0])]
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("gold", "a", "b", "c")]
            for path, sentences in zip(paths, [gold, *systems]):
                write(path, sentences)
            command = [options.crossarc, "analyze", *paths, "--json", "--only", "significance",
                       "--samples", str(samples), "--seed", str(round_)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        panel = json.loads(output)["panels"][0]
        rows = [dict(zip(panel["columns"], row)) for row in panel["rows"]]
        right = [[[g == s for g, s in zip(*pair)] for pair in zip(gold, system)] for system in systems]
        for row in rows:
            a, b = (right["abc".index(row[name])] for name in ("first", "second"))
            lengths = numpy.array([len(arcs) for arcs in gold])
            counts = [numpy.array([sum(arcs) for arcs in system]) for system in (a, b)]
            scores = [count / lengths for count in counts]
            near("t-test", row["p (t-test)"], stats.ttest_rel(*scores).pvalue, 1e-9)

            words = [[word for arcs in system for word in arcs] for system in (a, b)]
            table = numpy.zeros((2, 2))
            for one, other in zip(*words):
                table[int(one)][int(other)] += 1
            near("McNemar", row["p (McNemar)"], mcnemar(table, exact=True).pvalue, 1e-9)

            generator = numpy.random.default_rng(round_)
            difference = (counts[0].sum() - counts[1].sum()) / lengths.sum()
            swaps = generator.integers(0, 2, (samples, len(gold))) * 2 - 1
            swapped = (swaps * (counts[0] - counts[1])).sum(axis=1) / lengths.sum()
            p = (numpy.sum(abs(swapped) >= abs(difference) - 1e-12) + 1) / (samples + 1)
            noise = 6 * (max(p * (1 - p), 1e-4) / samples) ** 0.5 + 1e-3
            near("randomisation", row["p (randomisation)"], p, noise)

            def statistic(one, other, length, axis=-1):
                return (one.sum(axis=axis) - other.sum(axis=axis)) / length.sum(axis=axis)

            sampled = stats.bootstrap((*counts, lengths), statistic, n_resamples=samples, paired=True,
                                      vectorized=True, method="percentile", rng=generator)
            spread = 100 * sampled.standard_error
            near("interval", row["from"], 100 * sampled.confidence_interval.low, 0.25 * spread + 1e-9)
            near("interval", row["to"], 100 * sampled.confidence_interval.high, 0.25 * spread + 1e-9)
            far = abs(sampled.bootstrap_distribution - difference) >= abs(difference) - 1e-12
            p = (far.sum() + 1) / (samples + 1)
            noise = 6 * (max(p * (1 - p), 1e-4) / samples) ** 0.5 + 1e-3
            near("bootstrap", row["p (bootstrap)"], p, noise)
        corrected = multipletests([row["p (randomisation)"] for row in rows], method="holm")[1]
        for row, p in zip(rows, corrected):
            near("Holm", row["p (corrected)"], p, 1e-9)
    print(f"{options.rounds} rounds agree; largest differences:")
    for name, difference in worst.items():
        print(f"  {name:14} {difference:.2e}")


if __name__ == "__main__":
    main()
