#!/usr/bin/env python3
"""Makes what a release consists of: notes from CHANGELOG.md, wheels, the archive and the site, in dist/.

    scripts/release.py VERSION [--check] [--date YYYY-MM-DD] [--output dist]

--check only says what is missing and prints the notes. Otherwise the section's heading in CHANGELOG.md gets the date, and the
wheels, the archive and the site are built. Nothing is committed, tagged or uploaded: the commands for that are printed. docs/versions.md
says what the numbers promise.
"""

import argparse
import datetime
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNRELEASED = "(not released yet)"
NUMBERS = re.compile(r"\d+\.\d+\.\d+")


def order(version):
    return tuple(int(number) for number in version.split("."))


def git(root, *arguments):
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def section(changelog, version):
    """The heading of a version's section, and the text below it; None where there is none."""
    match = re.search(rf"^## {re.escape(version)}\b.*$", changelog, re.MULTILINE)
    if not match:
        return None
    end = re.search(r"^## ", changelog[match.end() :], re.MULTILINE)
    text = changelog[match.end() : match.end() + end.start() if end else len(changelog)]
    return match.group(0), text.strip() + "\n"


def project_version(root):
    match = re.search(r"^project\(Tenon VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return match.group(1) if match else ""


def c_version(root):
    """MAJOR.MINOR of the C interface."""
    text = (root / "include/tenon/c/tenon.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define TENON_C_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR"))


def missing(root, version):
    """Why this tree cannot be released as that version."""
    if not NUMBERS.fullmatch(version):
        return [f"'{version}' is not three numbers"]
    found = []
    if project_version(root) != version:
        found.append(f"CMakeLists.txt says version {project_version(root)}")
    if c_version(root) != version.rpartition(".")[0]:
        found.append(f"include/tenon/c/tenon.h says version {c_version(root)}")
    if git(root, "status", "--porcelain"):
        found.append("there are changes that are not committed")
    tags = [tag.removeprefix("v") for tag in git(root, "tag", "--list", "v*").split() if NUMBERS.fullmatch(tag.removeprefix("v"))]
    if tags and order(max(tags, key=order)) >= order(version):
        found.append(f"the last tag is v{max(tags, key=order)}")
    notes = section((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if notes is None:
        found.append(f"CHANGELOG.md has no section '## {version} {UNRELEASED}'")
    elif UNRELEASED not in notes[0]:
        found.append(f"CHANGELOG.md says of it: {notes[0].removeprefix('## ')}")
    elif len(notes[1]) < 2:
        found.append(f"the section of {version} in CHANGELOG.md is empty")
    return found


def dated(changelog, version, date):
    heading, _ = section(changelog, version)
    return changelog.replace(heading, heading.replace(UNRELEASED, f"({date})"), 1)


def write(root, version, date, output):
    output.mkdir(parents=True, exist_ok=True)
    changelog = root / "CHANGELOG.md"
    changelog.write_text(dated(changelog.read_text(encoding="utf-8"), version, date), encoding="utf-8")
    notes = output / f"notes-{version}.md"
    notes.write_text(section(changelog.read_text(encoding="utf-8"), version)[1], encoding="utf-8")
    subprocess.run([sys.executable, root / "scripts/build_wheel.py", "--output", output], check=True)
    subprocess.run([sys.executable, root / "scripts/build_wheel.py", "--portable", "--output", output], check=True)
    subprocess.run([sys.executable, root / "scripts/build_archive.py", "--output", output], check=True)
    subprocess.run([sys.executable, root / "scripts/build_site.py", "--output", root / "build/site"], check=True)
    with tarfile.open(output / f"tenon-{version}-site.tar.gz", "w:gz") as archive:
        archive.add(root / "build/site", arcname=f"tenon-{version}-site")
    print(f"{output} has the notes, the wheels, the archive and the site. What is left:")
    print(f"  git commit -m 'release: {version}' CHANGELOG.md && git tag -a v{version} -F {notes} && git push --follow-tags")
    print(f"  twine upload {output}/*.whl")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "dist")
    options = parser.parse_args()
    found = missing(ROOT, options.version)
    if options.check:
        notes = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), options.version)
        print(notes[1] if notes else "")
    if found:
        sys.exit("\n".join(f"{options.version} cannot be released: {reason}" for reason in found))
    if not options.check:
        write(ROOT, options.version, options.date, options.output)


if __name__ == "__main__":
    main()
