#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tree to law.txt and to the habits that a reader can't see kept.

    law.py layers      every #include goes where law.txt lets it go
    law.py foreign     a foreign library's header only where law.txt puts it
    law.py own         a source includes its own header first, which so compiles alone
    law.py mirror      every source has its test, every test its source (mirror.txt: the exceptions)
    law.py names       no utils, common, misc, helpers, manager
    law.py licence     one SPDX line on top of every source
    law.py once        no type is defined twice under one full name, which no compiler notices
    law.py private     nothing of the machine it was written on in the tree
    law.py size        files over 350 lines, as a question (never fails)

Prints one line a finding, FILE:LINE: WHAT, and exits with 1 if there is any.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

SOURCE = (".h", ".cpp", ".cu", ".cuh", ".c")
MODULES = ("base", "topo", "mapping", "quota", "kernels", "bench", "launcher")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


class Tree:
    """The tracked files of a checkout (all files where git can't be asked), and its law."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        git = subprocess.run(["git", "-C", str(self.root), "ls-files", "-z"], capture_output=True)
        if git.returncode == 0 and git.stdout:
            names = git.stdout.decode().split("\0")
        else:
            names = []
            for folder, folders, files in os.walk(self.root):
                folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
                names += [os.path.relpath(os.path.join(folder, f), self.root) for f in files]
        self.files = sorted(n for n in names if n and (self.root / n).is_file())
        self.may_use, self.only, self.foreign = {}, {}, []
        self._read_law()

    def _read_law(self):
        path = self.root / "law.txt"
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            if line.startswith("<"):
                header, _, places = line.partition(">")
                self.foreign.append((header[1:], places.split()))
                continue
            folder, colon, used = line.partition(":")
            if not colon:
                sys.exit(f"law.txt:{number}: neither FOLDER: FOLDERS nor <HEADER> PLACES")
            names = []
            for word in used.split():
                # bench[measure]: of bench only the headers of its module `measure`
                match = re.fullmatch(r"(\w+)(?:\[(\w+)\])?", word)
                if not match:
                    sys.exit(f"law.txt:{number}: can't read {word!r}")
                names.append(match[1])
                if match[2]:
                    self.only[folder, match[1]] = match[2]
            self.may_use[folder] = set(names)
        for folder, used in self.may_use.items():
            for name in used - {f.split("/")[0] for f in self.may_use}:
                sys.exit(f"law.txt: {folder} may use {name}, which has no line of its own")

    def law_of(self, name):
        """The longest folder of law.txt that `name` lies in, or None."""
        fitting = [f for f in self.may_use if name.startswith(f + "/")]
        return max(fitting, key=len, default=None)

    def sources(self):
        return [f for f in self.files if f.endswith(SOURCE)]

    def lines(self, name):
        return (self.root / name).read_text(errors="replace").splitlines()

    def includes(self, name):
        """(line, text between quotes or None, text between angle brackets or None)"""
        for number, line in enumerate(self.lines(name), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match[1], match[2]

    def module_headers(self, folder, module):
        """HEADERS of topolaunch_module(MODULE ...) in FOLDER/CMakeLists.txt."""
        cmake = self.root / folder / "CMakeLists.txt"
        text = re.sub(r"#.*", "", cmake.read_text()) if cmake.is_file() else ""
        call = re.search(r"topolaunch_module\(\s*%s\b(.*?)\)" % module, text, re.S)
        headers, inside = set(), False
        for word in (call[1].split() if call else []):
            if word.isupper():
                inside = word == "HEADERS"
            elif inside:
                headers.add(f"{folder}/{word}")
        return headers


def layers(tree):
    for name in tree.sources():
        # The most particular line of the law: "bench/perf/solver" before "bench".
        above = [str(p) for p in pathlib.PurePath(name).parents]
        folder = next((p for p in above if p in tree.may_use), None)
        if folder is None:
            continue
        for number, quoted, angled in tree.includes(name):
            used = (quoted or angled).split("/")[0]
            if quoted and "/" not in quoted:
                beside = (tree.root / name).parent / quoted
                if beside.is_file():
                    yield f'{name}:{number}: "{quoted}" is not written from the root of the project'
                continue
            if used not in tree.may_use or used == folder.split("/")[0]:
                continue
            if used not in tree.may_use[folder]:
                yield f"{name}:{number}: {folder} may not use {used} ({quoted or angled})"
                continue
            module = tree.only.get((folder, used))
            if module and quoted not in tree.module_headers(used, module):
                yield (f"{name}:{number}: of {used}, {folder} may use only what "
                       f"{used}/CMakeLists.txt lists in {module} ({quoted})")


def foreign(tree):
    for name in tree.sources():
        if name.split("/")[0] == "tests":
            continue  # a test may look at whatever it tests against
        for number, quoted, angled in tree.includes(name):
            header = angled or quoted
            for pattern, places in tree.foreign:
                if fnmatch.fnmatch(header, pattern):
                    if not any(fnmatch.fnmatch(name, place) for place in places):
                        yield f"{name}:{number}: <{header}> belongs in {' '.join(places)} alone"
                    break


def own(tree):
    present = set(tree.files)
    for name in tree.sources():
        header = name.rsplit(".", 1)[0] + ".h"
        if not name.endswith((".cpp", ".c")) or header not in present:
            continue
        first = next(iter(tree.includes(name)), (1, None, None))
        if first[1] != header:
            yield f'{name}:{first[0]}: the first include is not "{header}"'


def mirror(tree):
    exceptions = {}
    listed = tree.root / "tests/law/mirror.txt"
    for number, line in enumerate(listed.read_text().splitlines() if listed.is_file() else [], 1):
        line = line.split("#")[0].strip()
        if line:
            path, colon, reason = line.partition(":")
            if not colon or not reason.strip():
                yield f"tests/law/mirror.txt:{number}: an exception without its reason"
            for word in reason.replace(",", " ").split():
                if word.startswith("tests/") and not (tree.root / word).exists():
                    yield f"tests/law/mirror.txt:{number}: {word} is not there"
            exceptions[path.strip()] = number
    present = set(tree.files)
    used = set()
    for name in tree.sources():
        folder = name.split("/")[0]
        stem = name.rsplit(".", 1)[0]
        if folder in MODULES and not name.endswith((".h", ".cuh")):
            if f"tests/{stem}_test.cpp" in present:
                continue
            if name in exceptions:
                used.add(name)
            else:
                yield f"{name}:1: has no tests/{stem}_test.cpp, and tests/law/mirror.txt says no reason"
        if name.endswith("_test.cpp") and name.split("/")[1] in MODULES:
            source = stem[len("tests/"):-len("_test")]
            if not any(source + end in present for end in SOURCE):
                if name in exceptions:
                    used.add(name)
                else:
                    yield f"{name}:1: tests no file of that name ({source}.h or .cpp)"
    for path, number in exceptions.items():
        if path not in used:
            yield f"tests/law/mirror.txt:{number}: {path} needs no exception"


def names(tree):
    for name in tree.files:
        for part in pathlib.PurePath(name).parts:
            if re.fullmatch(r"(utils?|common|misc|helpers?|manager)", part.split(".")[0]):
                yield f"{name}:1: '{part}' says nothing; name the noun"


TYPE = re.compile(r"(?:template <[^>]*> ?)?(?:struct|class|union|enum(?: class| struct)?) (\w+)\b"
                  r"(?! *::)[^;()]*\{")


def once(tree):
    """Two definitions of one name in different sources are undefined behaviour; each source sees
    only one of them. Types at the beginning of a line, in named namespaces; tests are programs of
    their own, a folder each, and may have a fake of the same name as another's."""
    first = {}
    for name in tree.sources():
        if name.split("/")[0] not in MODULES:
            continue
        spaces = []
        for number, line in enumerate(tree.lines(name), 1):
            opened = re.match(r"(?:inline )?namespace ?([\w:]*) ?\{", line)
            if opened:
                spaces.append(opened[1])
            elif line.startswith("}  // namespace") and spaces:
                spaces.pop()
            found = TYPE.match(line)
            if not found or "" in spaces:
                continue
            full = "::".join([*spaces, found[1]])
            place = first.setdefault(full, f"{name}:{number}")
            if place != f"{name}:{number}":
                yield f"{name}:{number}: {full} is defined in {place}, too"


def licence(tree):
    for name in tree.files:
        scripts = name.endswith((".py", ".sh")) or name in ("bootstrap", ".ci/run")
        if not (name.endswith(SOURCE) or scripts):
            continue
        head = tree.lines(name)[:2]
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in head):
            yield f"{name}:1: no SPDX-License-Identifier line on top"


def configured_hosts():
    """Host names that this machine's package tools are configured with; well-known ones left out."""
    known = re.compile(r"(^|\.)(debian\.org|debian\.net|ubuntu\.com|pypi\.org|pythonhosted\.org|"
                       r"nvidia\.com|github\.com|githubusercontent\.com|localhost)$|^[0-9.]+$")
    places = [pathlib.Path("/etc/apt/sources.list"), pathlib.Path("/etc/pip.conf"),
              pathlib.Path.home() / ".config/pip/pip.conf", pathlib.Path.home() / ".pip/pip.conf"]
    for pattern in ("sources.list.d/*", "apt.conf.d/*"):
        places += pathlib.Path("/etc/apt").glob(pattern)
    texts = [value for key, value in os.environ.items()
             if re.fullmatch(r"(?i)(https?|all)_proxy|pip_\w*index_url|goproxy|\w*registry\w*", key)]
    for place in places:
        try:
            texts.append(place.read_text(errors="replace"))
        except OSError:
            pass
    hosts = set()
    for text in texts:
        for host in re.findall(r"https?://(?:[^@/\s]*@)?([A-Za-z0-9.-]+)", text):
            if "." in host and not known.search(host):
                hosts.add(host)
    return hosts


def private(tree):
    # The checkout's own path is looked for, too: whoever writes one down breaks every other place.
    patterns = {str(tree.root) + "/": "the path of a checkout"}
    patterns.update({host: "an address that this machine is configured with"
                     for host in configured_hosts()})
    key = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
    for name in tree.files:
        if name.endswith((".png", ".gz", ".xz")):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            for text, what in patterns.items():
                if text in line:
                    yield f"{name}:{number}: {what} ({text})"
            if key.search(line):
                yield f"{name}:{number}: a private key"


def size(tree):
    for name in tree.sources():
        lines = len(tree.lines(name))
        if lines > 350:
            yield f"{name}:1: {lines} lines: more than one noun?"


CHECKS = {f.__name__: f for f in (layers, foreign, own, mirror, names, licence, once, private, size)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("check", choices=sorted(CHECKS))
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    findings = list(CHECKS[arguments.check](Tree(arguments.root)))
    for finding in findings:
        print(finding)
    if arguments.check == "size":
        print(f"{len(findings)} files over 350 lines")
        return 0
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
