"""Writes the components of an archive of `cargo xtask dist` as CycloneDX 1.5, and copies their licences.

    sbom.py --output FILE --licenses DIR --package NAME... --library PATH...

Crates are those that the packages link, by the resolution of Cargo.lock: no build scripts, no tests. Libraries are files of
Debian packages, or files without a package. It needs no network and the standard library alone.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import uuid

LICENCE_FILES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "UNLICENSE*")


def output(*command):
    """Returns the standard output of a command."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def link_closure(metadata, names):
    """Returns the packages that the named ones link, each with its dependencies, and the named packages."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    roots = [id for id in metadata["workspace_members"] if packages[id]["name"] in names]
    if len(roots) != len(names):
        sys.exit(f"sbom: not all of {' '.join(names)} are packages of the workspace")
    edges, waiting = {}, list(roots)
    while waiting:
        id = waiting.pop()
        if id in edges:
            continue
        # A procedural macro runs in the compiler, and no part of it is in a binary.
        kinds = {kind for target in packages[id]["targets"] for kind in target["kind"]}
        if "proc-macro" in kinds:
            continue
        normal = lambda dep: any(kind["kind"] is None for kind in dep["dep_kinds"])
        edges[id] = [dep["pkg"] for dep in nodes[id]["deps"] if normal(dep)]
        waiting += edges[id]
    ids = sorted(edges, key=lambda id: (packages[id]["name"], packages[id]["version"]))
    dependencies = {id: sorted({reference(packages[edge]) for edge in edges[id] if edge in edges}) for id in ids}
    return [(packages[id], dependencies[id]) for id in ids], [packages[id] for id in roots]


def reference(package):
    """Returns the URL of a crate, which is its name in the file: ids of cargo have paths of this machine."""
    return f"pkg:cargo/{package['name']}@{package['version']}"


def crate(package):
    """Returns the component of a crate."""
    name, version = package["name"], package["version"]
    component = {
        "type": "library",
        "bom-ref": reference(package),
        "name": name,
        "version": version,
        "purl": reference(package),
    }
    if package["license"]:
        # Old manifests have a slash for "or".
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["repository"]:
        component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return component


def static_libraries(package):
    """Returns the components of the libraries that a crate of the workspace links statically, by its manifest."""
    libraries = ((package["metadata"] or {}).get("components") or {}) if package["source"] is None else {}
    return [
        {
            "type": "library",
            "bom-ref": f"{reference(package)}#{name}",
            "name": name,
            "licenses": [{"expression": licence}],
        }
        for name, licence in sorted(libraries.items())
    ]


def debian(path):
    """Returns the name, version and architecture of the Debian package of a file; None without one."""
    # Since /lib is a link to /usr/lib, the database has one of both paths.
    paths = [str(path), str(path.resolve()), str(path).removeprefix("/usr"), str(path.resolve()).removeprefix("/usr")]
    for candidate in paths:
        query = subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True) if shutil.which("dpkg") else None
        if query and query.returncode == 0:
            name = query.stdout.split(": ")[0].split(",")[0]
            return output("dpkg-query", "--show", "--showformat=${Package} ${Version} ${Architecture}", name).split()
    return None


def library(path):
    """Returns the component of a shared library, and the file with its licence."""
    component = {"type": "library", "bom-ref": f"file:{path.name}", "name": path.name}
    package = debian(path)
    if not package:
        return component, None
    name, version, architecture = package
    component["version"] = version
    component["purl"] = f"pkg:deb/debian/{name}@{version}?arch={architecture}"
    return component, pathlib.Path(f"/usr/share/doc/{name}/copyright")


def copy_licences(crates, libraries, directory):
    """Copies the licences of crates from other repositories, of libraries in crates and of shared libraries."""
    for package, _ in crates:
        folder = pathlib.Path(package["manifest_path"]).parent
        if package["source"] is None:
            # The licences of static libraries; the crate has the licence of the archive.
            for file in folder.glob("LICENSE.*"):
                target = directory / package["name"]
                target.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target / file.name)
            continue
        files = sorted({file for pattern in LICENCE_FILES for file in folder.glob(pattern) if file.is_file()})
        target = directory / f"{package['name']}-{package['version']}"
        target.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copyfile(file, target / file.name)
        if not files:
            # The manifest names a licence, and the crate has no text of it.
            (target / "LICENSE").write_text(f"{package['license']}\n{package['repository'] or ''}\n")
    for component, licence in libraries:
        if licence and licence.exists():
            target = directory / component["name"]
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(licence, target / "copyright")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--licenses", type=pathlib.Path, required=True)
    parser.add_argument("--package", nargs="+", required=True)
    parser.add_argument("--library", nargs="*", type=pathlib.Path, default=[])
    options = parser.parse_args()

    triple = next(line.split()[1] for line in output("rustc", "-vV").splitlines() if line.startswith("host:"))
    cargo = os.environ.get("CARGO", "cargo")
    metadata = json.loads(output(cargo, "metadata", "--format-version=1", "--locked", f"--filter-platform={triple}"))
    crates, roots = link_closure(metadata, options.package)
    libraries = [library(path) for path in options.library]
    version = roots[0]["version"]
    # The time of the commit, so that the same tree makes the same file.
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    components = [crate(package) for package, _ in crates] + [component for component, _ in libraries]
    static = {reference(package): static_libraries(package) for package, _ in crates}
    components += [component for parts in static.values() for component in parts]
    root = f"pkg:generic/spyre-mlir@{version}"
    dependencies = [{"ref": root, "dependsOn": sorted(map(reference, roots))}]
    dependencies[0]["dependsOn"] += sorted(component["bom-ref"] for component, _ in libraries)
    for package, edges in crates:
        parts = [component["bom-ref"] for component in static[reference(package)]]
        dependencies.append({"ref": reference(package), "dependsOn": edges + parts})
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, sort_keys=True))}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": root, "name": "spyre-mlir", "version": version, "purl": root},
        },
        "components": components,
        "dependencies": dependencies,
    }
    options.output.write_text(json.dumps(bom, indent=1) + "\n")
    copy_licences(crates, libraries, options.licenses)
    print(f"sbom: {len(crates)} crates, {len(libraries)} libraries")


if __name__ == "__main__":
    main()
