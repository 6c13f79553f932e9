#!/usr/bin/env python3
"""Checks the files of a release: released.py CLONE, after the commands of CONTRIBUTING.md have written target/release."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

clone = Path(sys.argv[1])
group = clone / "target/release/dev/jwarp"
legal = {name: (clone / name).read_bytes() for name in ("LICENSE", "NOTICE")}
jar_command = os.path.join(os.environ["JAVA_HOME"], "bin/jar") if "JAVA_HOME" in os.environ else "jar"
faults = []


def expect(right, file, what):
    if not right:
        faults.append(f"{file}: {what}")


def plain(pom):
    """The pom as elements without a namespace."""
    return xml.fromstring(re.sub(r' xmlns="[^"]*"', "", pom.read_text(encoding="utf-8"), count=1))


def about(project):
    """The facts about the project that must be the same in each pom."""
    keys = ("url", "licenses/license/name", "licenses/license/url", "developers/developer/name", "scm/connection", "scm/developerConnection", "scm/url")
    return {key: project.findtext(key) for key in keys}


def judge_pom(pom):
    project = plain(pom)
    for key, text in {**about(project), "name": project.findtext("name"), "description": project.findtext("description")}.items():
        expect(text, pom.name, f"has no {key}")
    expect(about(project) == said, pom.name, f"differs from the BOM: {about(project)}")
    for key in ("parent", "build", "profiles", "repositories") if pom.name != bom_file.name else ("parent",):
        expect(project.find(key) is None, pom.name, f"has <{key}>")
    for dependency in project.iter("dependency"):
        expect(dependency.findtext("scope") != "test", pom.name, f"has a dependency for tests: {dependency.findtext('artifactId')}")
        expect(dependency.findtext("version"), pom.name, f"has a dependency without a version: {dependency.findtext('artifactId')}")
    text = pom.read_text(encoding="utf-8")
    expect("-SNAPSHOT" not in text, pom.name, "has a SNAPSHOT")
    expect(pom.name == bom_file.name or "${" not in text, pom.name, "has a property that is not resolved")
    return project


def judge_jar(file, *some):
    """Opens the jar; each of the patterns must match a name in it."""
    if not file.is_file():
        faults.append(f"{file.name}: is missing")
        return None
    jar = zipfile.ZipFile(file)
    for name, text in legal.items():
        # Compares lines: the jar with the whole command has lines of other libraries between them.
        inside = jar.read(f"META-INF/{name}") if f"META-INF/{name}" in jar.namelist() else b""
        expect(set(text.splitlines()) <= set(inside.splitlines()), file.name, f"has no META-INF/{name}, or another one")
    for pattern in some:
        expect(any(re.fullmatch(pattern, name) for name in jar.namelist()), file.name, f"has nothing like {pattern}")
    return jar


def judge_sbom(jar, file, artifact, project):
    """Checks that the bill of materials in the jar equals the file beside it, and lists all dependencies of the pom."""
    inside = f"META-INF/sbom/{artifact}.cdx.json"
    if inside not in jar.namelist():
        faults.append(f"{file.name}: has no {inside}")
        return
    beside = file.with_name(file.name.replace(".jar", "-cyclonedx.json"))
    expect(beside.is_file() and beside.read_bytes() == jar.read(inside), beside.name, f"is missing, or differs from {inside}")
    sbom = json.loads(jar.read(inside))
    expect(sbom["bomFormat"] == "CycloneDX", file.name, f"{inside} is not in CycloneDX format")
    expect(sbom["metadata"]["component"]["purl"].startswith(f"pkg:maven/dev.jwarp/{artifact}@{version}?"), file.name, f"{inside} belongs to another artifact")
    listed = {f"{component.get('group')}:{component['name']}" for component in sbom["components"]}
    for dependency in project.iter("dependency"):
        name = f"{dependency.findtext('groupId')}:{dependency.findtext('artifactId')}"
        expect(name in listed, file.name, f"{inside} does not list {name}")
    for component in sbom["components"]:
        expect(component.get("licenses"), file.name, f"{inside} has no licence of {component['name']}")


def module_name(file):
    said = subprocess.run([jar_command, "--describe-module", "--file", file], capture_output=True, text=True, check=True).stdout
    if "No module descriptor found" in said:
        automatic = re.search(r"^Automatic-Module-Name: (\S+)", zipfile.ZipFile(file).read("META-INF/MANIFEST.MF").decode(), re.MULTILINE)
        return automatic and automatic.group(1)
    return said.split()[0].split("@")[0]


[bom_file] = group.glob("jwarp-bom/*/*.pom")
bom = plain(bom_file)
version = bom.findtext("version")
said = about(bom)
artifacts = [dependency.findtext("artifactId") for dependency in bom.iter("dependency")]
names = []
published = []
for pom in sorted(group.glob("*/*/*.pom")):
    project = judge_pom(pom)
    artifact = project.findtext("artifactId")
    if project.findtext("packaging", "jar") != "jar":
        continue
    published.append(artifact)
    file = pom.with_suffix(".jar")
    judge_jar(file.with_name(f"{artifact}-{version}-sources.jar"), r"dev/jwarp/.*\.java")
    judge_jar(file.with_name(f"{artifact}-{version}-javadoc.jar"), r"index\.html", r".*/package-summary\.html")
    jar = judge_jar(file, r"dev/jwarp/.*\.class")
    if jar:
        judge_sbom(jar, file, artifact, project)
        name = module_name(file)
        expect(name and name.startswith("dev.jwarp.") and name not in names, file.name, f"has the module name {name}, which is outside of dev.jwarp or used twice")
        names.append(name)
expect(published == sorted(artifacts), "packaging/bom/pom.xml", f"lists {sorted(artifacts)}, but the published artifacts are {published}")

command = judge_jar(clone / "tools/target/jwarp.jar")
for artifact in artifacts if command else ():
    if artifact not in ("jwarp-metrics", "jwarp-zookeeper", "jwarp-sockets-netty", "jwarp-disni"):  # The command does not need them.
        expect(f"META-INF/sbom/{artifact}.cdx.json" in command.namelist(), "jwarp.jar", f"has no bill of materials of {artifact}")

for fault in faults:
    print(f"FAIL {fault}")
if not faults:
    print(f"ok   {len(names)} artifacts and the BOM: licence, notice, sources, Javadoc, bill of materials, poms; modules {', '.join(names)}")
sys.exit(bool(faults))
