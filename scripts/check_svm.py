#!/usr/bin/env python3
"""Checks the support vector machines of crates/svm against libsvm, as it is in scikit-learn.

    python3 scripts/check_svm.py [--solve PATH] [--seed N]

Installs scikit-learn into an environment of its own (target/check-svm) and builds the example `solve` of
the crate unless a path is given. On each data set all machines, one for every two classes, are trained by
libsvm and by both solvers: the value of the function that is minimised must be the same to one part in a
thousand, and the exact solver must find the same support vectors with the same multipliers, but for
examples that are alike and may share a multiplier in any way. The expansion must decide as the kernel does.
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
HOME = os.path.join(HERE, "target", "check-svm")


def environment():
    """Goes on inside the environment, which is made first if there is none."""
    python = os.path.join(HOME, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(HOME):
        return
    if not os.path.exists(python):
        venv.create(HOME, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "scikit-learn"], check=True)
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


def binarised(table, target):
    """Every column cut into four parts at its quartiles, one feature for each part."""
    import numpy

    cuts = [numpy.quantile(column, [0.25, 0.5, 0.75]) for column in table.T]
    rows = []
    for row in table:
        rows.append([10 * at + int(numpy.searchsorted(cut, value)) for at, (cut, value) in enumerate(zip(cuts, row))])
    return rows, [int(label) for label in target]


def like_a_parser(rng, count, classes):
    """One value for each of twelve templates, skewed as words are; classes depend on pairs."""
    rows, labels = [], []
    for _ in range(count):
        values = [min(rng.randrange(40), rng.randrange(40)) for _ in range(12)]
        label = (values[0] % 2 ^ values[1] % 2) + 2 * (values[2] % 3 == values[3] % 3) + values[4] % 2
        labels.append(rng.randrange(classes) if rng.random() < 0.1 else label % classes)
        rows.append([100 * at + value for at, value in enumerate(values)])
    return rows, labels


def data_sets(rng):
    from sklearn import datasets

    for name in ["iris", "wine", "breast_cancer", "digits"]:
        loaded = getattr(datasets, "load_" + name)()
        yield name, *binarised(loaded.data, loaded.target), 0.2, 0.4, 0.5
    yield "parser, small", *like_a_parser(rng, 300, 2), 0.2, 0.4, 0.5
    yield "parser, four classes", *like_a_parser(rng, 1500, 4), 0.2, 0.4, 0.5
    yield "parser, r = 0", *like_a_parser(rng, 1000, 3), 0.2, 0.0, 0.5
    yield "parser, high cost", *like_a_parser(rng, 800, 3), 0.1, 1.0, 20.0
    rows, labels = like_a_parser(rng, 1500, 2)
    yield "parser, one rare class", rows, [int(label and rng.random() < 0.05) for label in labels], 0.2, 0.4, 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solve", help="the example program, built")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    environment()
    import numpy
    from sklearn.svm import SVC

    solve = options.solve
    if not solve:
        subprocess.run(["cargo", "build", "--release", "-p", "crossarc-svm", "--example", "solve"], check=True, cwd=HERE)
        target = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "target"))
        solve = os.path.join(target, "release", "examples", "solve")

    def ours(path, solver, gamma, r, cost, tolerance):
        command = [solve, path, solver, "one-versus-one", *map(str, [gamma, r, cost, tolerance])]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        *machines, last = map(json.loads, output.splitlines())
        return machines, last

    bad = 0

    def expect(right, message):
        nonlocal bad
        if not right:
            bad += 1
            print("WRONG:", message)

    for name, rows, labels, gamma, r, cost in data_sets(random.Random(options.seed)):
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
            for row, label in zip(rows, labels):
                file.write(" ".join(map(str, [label, *row])) + "\n")
        numbers = {feature: at for at, feature in enumerate(sorted({f for row in rows for f in row}))}
        matrix = numpy.zeros((len(rows), len(numbers)))
        for at, row in enumerate(rows):
            matrix[at, [numbers[feature] for feature in row]] = 1
        labels = numpy.array(labels)
        exact, last = ours(file.name, "exact", gamma, r, cost, 1e-4)
        expanded, last_expanded = ours(file.name, "expanded", gamma, r, cost, 1e-3)
        os.unlink(file.name)
        worst_objective, worst_alpha, worst_expanded, vectors, different = 0.0, 0.0, 0.0, 0, 0
        for machine, other in zip(exact, expanded):
            members = numpy.flatnonzero((labels == machine["positive"]) | (labels == machine["negative"]))
            y = numpy.where(labels[members] == machine["positive"], 1, -1)
            x = matrix[members]
            theirs = SVC(kernel="poly", degree=2, gamma=gamma, coef0=r, C=cost, tol=1e-4, cache_size=500).fit(x, y)
            kernel = (gamma * x @ x.T + r) ** 2
            factors = numpy.zeros(len(members))
            factors[theirs.support_] = theirs.dual_coef_[0]
            objective = factors @ kernel @ factors / 2 - abs(factors).sum()
            of_ours = numpy.zeros(len(rows))
            for at, factor in machine["support"]:
                of_ours[at] = factor
            of_ours = of_ours[members]
            worst_objective = max(worst_objective, abs(machine["objective"] - objective) / abs(objective))
            worst_expanded = max(worst_expanded, abs(other["objective"] - objective) / abs(objective))
            # Examples with the same features and the same side may share a multiplier in any way.
            _, group = numpy.unique(numpy.c_[x, y], axis=0, return_inverse=True)
            group = group.ravel()
            mine, libsvm = (numpy.bincount(group, weights) for weights in (of_ours, factors))
            worst_alpha = max(worst_alpha, abs(mine - libsvm).max())
            least = 0.01 * cost
            vectors += (abs(libsvm) > least).sum()
            different += ((abs(mine) > least) != (abs(libsvm) > least)).sum()
            direction = (kernel @ of_ours + machine["bias"], theirs.decision_function(x))
            expect(abs(direction[0] - direction[1]).max() < 0.01, f"{name}: values differ")
        same = numpy.mean(numpy.array(last["kernel"]) == numpy.array(last["expanded"]))
        agree = numpy.mean(numpy.array(last["kernel"]) == numpy.array(last_expanded["kernel"]))
        expect(all(machine["converged"] for machine in exact + expanded), f"{name}: a solver gave up")
        expect(worst_objective < 1e-3, f"{name}: objective of the exact solver")
        expect(worst_expanded < 1e-3, f"{name}: objective of the explicit solver")
        expect(different <= 0.005 * vectors, f"{name}: {different} of {vectors} support vectors")
        expect(same >= 0.999, f"{name}: the expansion decides otherwise")
        expect(agree >= 0.99, f"{name}: the solvers decide otherwise")
        print(
            f"{name}: {len(rows)} examples, {len(exact)} machines, {vectors} support vectors, {different} different; "
            f"objective differs by {worst_objective:.1e} (exact) and {worst_expanded:.1e} (explicit), "
            f"multipliers by {worst_alpha:.1e}; expansion decides alike on {100 * same:.2f} %, "
            f"solvers on {100 * agree:.2f} %"
        )
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
