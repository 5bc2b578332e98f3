#!/usr/bin/env python3
"""What is inside the program: every crate with version, licence, source and checksum.

    scripts/bill_of_materials.py > crossarc.cdx.json   # CycloneDX 1.5
    scripts/bill_of_materials.py --check               # licences, sources and reasons, exit code 1 if one is wrong

The check asks, of the crates in Cargo.lock: is the licence one that deny.toml allows? Does the crate come from
crates.io, with a checksum? Has every crate that a manifest of ours names a line with its reason in ARCHITECTURE.md?
Is fuzz/Cargo.lock in step with Cargo.lock? Needs cargo and Python 3.11.
"""
import json
import os
import re
import subprocess
import sys
import tomllib

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def load(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def checksums(path="Cargo.lock"):
    return {(one["name"], one["version"]): one.get("checksum") for one in load(path)["package"]}


def bill(facts):
    """Everything that the program and the Python package are made of, without what only tests need."""
    known = checksums()
    nodes = {node["id"]: node for node in facts["resolve"]["nodes"]}
    packages = {package["id"]: package for package in facts["packages"]}
    roots = [id for id in facts["workspace_members"] if packages[id]["name"] in ("crossarc-cli", "crossarc-python")]
    inside, waiting = set(), list(roots)
    while waiting:
        id = waiting.pop()
        if id in inside:
            continue
        inside.add(id)
        waiting += [one["pkg"] for one in nodes[id]["deps"] if any(kind["kind"] != "dev" for kind in one["dep_kinds"])]

    def reference(id):
        return f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"
    components = []
    for id in sorted(inside, key=reference):
        package = packages[id]
        component = {"type": "library", "bom-ref": reference(id), "name": package["name"],
                     "version": package["version"], "purl": reference(id),
                     "licenses": [{"expression": expression(package["license"])}]}
        checksum = known.get((package["name"], package["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    dependencies = [{"ref": reference(id),
                     "dependsOn": sorted({reference(one["pkg"]) for one in nodes[id]["deps"] if one["pkg"] in inside})}
                    for id in sorted(inside, key=reference)]
    version = next(packages[id]["version"] for id in roots)
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {"type": "application", "bom-ref": "crossarc", "name": "crossarc", "version": version}},
            "components": components, "dependencies": dependencies}


def expression(licence):
    return (licence or "").replace("/", " OR ")


def allowed(licence, known):
    """Whether an expression can be met: of alternatives one, of joined ones all."""
    text = expression(licence).replace("(", " ( ").replace(")", " ) ").replace(" WITH ", "_WITH_")
    names = re.sub(r"[^\s()]+", lambda found: found[0] if found[0] in ("AND", "OR") else
                   str(found[0].replace("_WITH_", " WITH ") in known), text)
    return bool(licence) and eval(names.replace("AND", "and").replace("OR", "or"))


def check(facts):
    wrong = []
    deny = load("deny.toml")
    known = checksums()
    exceptions = {one["crate"]: one["allow"] for one in deny["licenses"]["exceptions"]}
    for package in facts["packages"]:
        name, version = package["name"], package["version"]
        if not allowed(package["license"], deny["licenses"]["allow"] + exceptions.get(name, [])):
            wrong.append(f"{name} {version}: the licence {package['license']} is not in deny.toml")
        if package["source"] is None:
            continue
        if package["source"] != REGISTRY:
            wrong.append(f"{name} {version}: it comes from {package['source']}")
        if not known.get((name, version)):
            wrong.append(f"{name} {version}: Cargo.lock has no checksum")
    with open("ARCHITECTURE.md", encoding="utf-8") as file:
        rows = re.findall(r"^\| ([^|]*) \|", file.read().split("## Dependencies")[1].split("\n## ")[0], re.M)
    reasons = {name.split(" ")[0].strip() for row in rows for name in re.sub(r"\([^)]*\)", "", row).split(",") for name in [name.strip()]}
    for package in facts["packages"]:
        if package["source"] is None:
            for one in package["dependencies"]:
                if not one.get("path") and one["name"] not in reasons:
                    wrong.append(f"{one['name']}: {package['name']} depends on it, and ARCHITECTURE.md has no reason")
    for crate, checksum in checksums("fuzz/Cargo.lock").items():
        same = [version for name, version in known if name == crate[0]]
        if checksum and same and crate not in known:
            wrong.append(f"{crate[0]}: fuzz/Cargo.lock has {crate[1]}, Cargo.lock {', '.join(same)}")
    for line in sorted(set(wrong)):
        print(line)
    print(f"{len(facts['packages'])} crates, {len(set(wrong))} things are wrong")
    return 1 if wrong else 0


def main():
    facts = metadata()
    if sys.argv[1:] == ["--check"]:
        sys.exit(check(facts))
    json.dump(bill(facts), sys.stdout, indent=1)
    print()


main()
