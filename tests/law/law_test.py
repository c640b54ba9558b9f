#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every check of law.py finds what it is for: a planted violation, and nothing in a clean tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import law

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
CLEAN = {
    "law.txt": "base:\ntopo: base\nbench: base\nlauncher: base topo bench[measure]\n"
               "<hwloc.h> topo/source/hwloc.cpp\n",
    "base/units.h": SPDX,
    "topo/model.h": SPDX + '#include "base/units.h"\n#include <vector>\n',
    "topo/model.cpp": SPDX + '#include "topo/model.h"\n',
    "topo/source/hwloc.cpp": SPDX + "#include <hwloc.h>\n",
    "bench/CMakeLists.txt": "topolaunch_module(measure\n  HEADERS measurement.h  # values\n"
                            "  SOURCES m.cpp)\n",
    "bench/measurement.h": SPDX,
    "bench/subject.h": SPDX,
    "launcher/run.h": SPDX + '#include "bench/measurement.h"\n#include "topo/model.h"\n',
    "tests/topo/model_test.cpp": SPDX,
    "tests/law/mirror.txt": "topo/source/hwloc.cpp: needs a machine\n",
}


class Planted(unittest.TestCase):
    def law(self, check, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace("@ROOT@", str(pathlib.Path(folder).resolve())))
            try:
                found = list(law.CHECKS[check](law.Tree(folder)))
            except SystemExit as refused:
                return 2, str(refused)
            failed = found and check != "size"
            return int(bool(failed)), "\n".join(found)

    def assert_clean(self, check):
        self.assertEqual(self.law(check, {}), (0, ""))

    def assert_found(self, check, place, changes):
        status, output = self.law(check, changes)
        self.assertEqual(status, 1, output)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertTrue(output.startswith(place), output)

    def test_nothing_is_found_in_a_clean_tree(self):
        for check in ("layers", "foreign", "own", "mirror", "names", "licence", "once", "private"):
            with self.subTest(check):
                self.assert_clean(check)

    def test_the_program_itself_fails_on_a_finding(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "law.txt").write_text("base:\n")
            pathlib.Path(folder, "x.py").write_text("pass\n")
            ran = subprocess.run([sys.executable, law.__file__, "licence", "--root", folder],
                                 capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1, ran)
        self.assertTrue(ran.stdout.startswith("x.py:1:"), ran)

    def test_an_upward_include(self):
        self.assert_found("layers", "base/units.h:2: base may not use topo",
                          {"base/units.h": SPDX + '#include "topo/model.h"\n'})

    def test_an_upward_include_in_angle_brackets(self):
        self.assert_found("layers", "base/units.h:2:",
                          {"base/units.h": SPDX + "#  include <topo/model.h>\n"})

    def test_a_sideways_include(self):
        self.assert_found("layers", "bench/subject.h:2: bench may not use topo",
                          {"bench/subject.h": SPDX + '#include "topo/model.h"\n'})

    def test_a_folder_inside_with_a_law_of_its_own(self):
        law = CLEAN["law.txt"] + "bench/perf: base topo\n"
        self.assertEqual(self.law("layers", {
            "law.txt": law, "bench/perf/x.cpp": SPDX + '#include "topo/model.h"\n'}), (0, ""))
        self.assert_found("layers", "bench/perf/x.cpp:2: bench/perf may not use launcher", {
            "law.txt": law, "bench/perf/x.cpp": SPDX + '#include "launcher/run.h"\n'})

    def test_more_of_bench_than_measure(self):
        self.assert_found("layers", "launcher/run.h:2: of bench",
                          {"launcher/run.h": SPDX + '#include "bench/subject.h"\n'})

    def test_an_include_beside_the_file(self):
        self.assert_found("layers", "topo/model.cpp:2:",
                          {"topo/model.cpp": SPDX + '#include "model.h"\n'})

    def test_a_foreign_header_elsewhere(self):
        self.assert_found("foreign", "topo/model.cpp:2: <hwloc.h>",
                          {"topo/model.cpp": SPDX + "#include <hwloc.h>\n"})

    def test_an_own_header_that_is_not_the_first(self):
        self.assert_found("own", "topo/model.cpp:2:", {
            "topo/model.cpp": SPDX + '#include <vector>\n#include "topo/model.h"\n'})

    def test_a_source_without_its_test(self):
        self.assert_found("mirror", "topo/more.cpp:1:", {"topo/more.cpp": SPDX})

    def test_a_test_without_its_source(self):
        self.assert_found("mirror", "tests/topo/gone_test.cpp:1:",
                          {"tests/topo/gone_test.cpp": SPDX})

    def test_an_exception_that_is_not_needed(self):
        self.assert_found("mirror", "tests/law/mirror.txt:2:",
                          {"tests/law/mirror.txt":
                           CLEAN["tests/law/mirror.txt"] + "topo/model.cpp: too hard\n"})

    def test_an_exception_without_a_reason(self):
        self.assert_found("mirror", "tests/law/mirror.txt:1:",
                          {"tests/law/mirror.txt": "topo/source/hwloc.cpp:\n"})

    def test_an_exception_that_names_a_test_that_is_gone(self):
        self.assert_found("mirror", "tests/law/mirror.txt:1: tests/topo/gone_test.cpp is not there",
                          {"tests/law/mirror.txt":
                           "topo/source/hwloc.cpp: in tests/topo/gone_test.cpp\n"})

    def test_a_name_that_says_nothing(self):
        self.assert_found("names", "topo/utils.h:1:", {"topo/utils.h": SPDX})
        self.assert_found("names", "topo/common/x.h:1:", {"topo/common/x.h": SPDX})

    def test_a_source_without_its_licence_line(self):
        self.assert_found("licence", "topo/model.h:1:", {"topo/model.h": "#pragma once\n"})

    def test_a_type_that_is_defined_twice(self):
        type_ = "namespace a::topo {\nstruct Model {\n  struct Inner {};\n};\n}  // namespace a::topo\n"
        self.assert_found("once", "topo/more.h:3: a::topo::Model is defined in topo/model.h:3, too",
                          {"topo/model.h": SPDX + type_, "topo/more.h": SPDX + type_})

    def test_types_that_only_look_as_if_defined_twice(self):
        type_ = "struct Model {\n};\n"
        self.assertEqual(self.law("once", {
            "topo/model.h": SPDX + "namespace a {\nstruct Other;\n" + type_ + "}  // namespace a\n",
            "topo/a.h": SPDX + "namespace b {\n" + type_ + "}  // namespace b\n",
            "topo/b.cpp": SPDX + "namespace a {\nnamespace {\n" + type_ + "}  // namespace\n"
                          "struct Other::Model {\n};\n}  // namespace a\n"}), (0, ""))

    def test_a_path_of_this_machine(self):
        self.assert_found("private", "README.md:2:", {"README.md": "x\ncd @ROOT@/build\n"})

    def test_a_private_key(self):
        # Written in two parts, or this file itself would be found.
        self.assert_found("private", "key.pem:1:", {"key.pem": "-----BEGIN " + "PRIVATE KEY-----\n"})

    def test_a_long_file_is_a_question_and_no_failure(self):
        status, output = self.law("size", {"topo/model.cpp": SPDX + "//\n" * 400})
        self.assertEqual(status, 0)
        self.assertIn("topo/model.cpp:1: 401 lines", output)

    def test_a_law_that_names_an_unknown_folder(self):
        status, output = self.law("layers", {"law.txt": "base: nowhere\n"})
        self.assertNotEqual(status, 0)
        self.assertIn("nowhere", output)


if __name__ == "__main__":
    unittest.main()
