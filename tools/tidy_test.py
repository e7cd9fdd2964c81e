#!/usr/bin/env python3
"""Every rule of tools/tidy finds what is planted for it, and is silent about a clean tree."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOOL = Path(__file__).resolve().parent / "tidy"
LOADER = importlib.machinery.SourceFileLoader("tidy", str(TOOL))
tidy = importlib.util.module_from_spec(importlib.util.spec_from_loader("tidy", LOADER))
LOADER.exec_module(tidy)

TABLE = """
<!-- include-table -->
| folder | may include | third parties | pure |
|---|---|---|---|
| `base` | | | |
| `text` | `base` | `utf8proc.h` | yes |
| `kernels` | | | yes |
| `engine` | `kernels` `base` | | |
<!-- /include-table -->
"""

HEADER = """// Text.
//
// text/ may include base/.
#ifndef PODIUM_TEXT_TEXT_H_
#define PODIUM_TEXT_TEXT_H_

#include <string>

#include "base/status.h"

#endif  // PODIUM_TEXT_TEXT_H_
"""

CLEAN = {
    "docs/architecture.md": TABLE,
    "src/text/text.h": HEADER,
    "src/text/text.cc": '#include "text/text.h"\n\n#include <utf8proc.h>\n#include <sys/stat.h>\n',
    "src/text/text_test.cc": '#include <gtest/gtest.h>\n#include <thread>\n',
    "src/text/CMakeLists.txt": "podium_folder(text SOURCES text.cc FOLDERS base)\n"
                               "podium_test(text_test SOURCES text_test.cc FOLDERS text)\n",
}


class TidyTest(unittest.TestCase):

  def findings(self, changes):
    with tempfile.TemporaryDirectory() as root:
      for name, text in {**CLEAN, **changes}.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
      return [f"{name}:{line}: {wrong}" for name, line, wrong in tidy.check_tree(root)]

  def expect(self, changes, *words):
    found = self.findings(changes)
    self.assertEqual(len(found), 1, found)
    for word in words:
      self.assertIn(word, found[0])

  def test_clean(self):
    self.assertEqual(self.findings({}), [])

  def test_includes(self):
    for name, line, words in (
        ("src/text/text.cc", '#include "engine/engine.h"', ["src/text may not include engine/"]),
        ("src/text/text.cc", '  #  include "kernels/kernels.h"', ["may not include kernels/"]),
        ("src/text/text.cc", '#include "text.h"', ["name the folder"]),
        ("src/text/text.cc", "#include <mutex>", ["is pure", "mutex"]),
        ("src/text/text.cc", "#include <boost/json.hpp>", ["is no third party of src/text"]),
        ("src/text/text.cc", "#include <gtest/gtest.h>", ["belongs into tests"]),
        ("tests/golden/x_test.cc", "#include <utf8proc.h>", ["may be named in src/text only"]),
        ("include/podium/x.cc", '#include "base/status.h"', ["a public header"]),
    ):
      with self.subTest(line):
        text = CLEAN.get(name, "")
        self.expect({name: text + line + "\n"}, f"{name}:{text.count(chr(10)) + 1}:", *words)

  def test_only_tests_use_test_support(self):
    line = '#include "tests/support/temp_folder.h"\n'
    self.assertEqual(self.findings({"src/text/text_test.cc": line}), [])
    self.expect({"src/text/text.cc": line}, "src/text may not include tests/")

  def test_private_folder(self):
    engine = {"src/engine/CMakeLists.txt": "podium_folder(engine SOURCES a.cc FOLDERS kernels)\n"}
    self.assertEqual(self.findings({**engine, "src/engine/a.cc": '#include "engine/native/lane.h"\n'}), [])
    self.assertEqual(self.findings({"src/text/text_test.cc": '#include "base/fake/clock.h"\n'}), [])
    self.expect({**engine, "src/engine/a.cc": '#include "kernels/avx2/vec.h"\n'}, "kernels/avx2/ is private")

  def test_kernels_include_nothing(self):
    kernels = {"src/kernels/CMakeLists.txt": "podium_folder(kernels SOURCES a.cc)\n"}
    self.expect({**kernels, "src/kernels/a.cc": '#include "podium/status.h"\n'}, "kernels includes nothing of ours")
    self.expect({**kernels, "src/kernels/a.cc": '#include "base/status.h"\n'}, "may not include base/")

  def test_guards(self):
    self.expect({"src/text/text.h": HEADER.replace("TEXT_TEXT_H_", "TEXT_H_")}, "must be PODIUM_TEXT_TEXT_H_")
    self.expect({"src/text/text.h": HEADER.replace("#endif  //", "#endif //")}, "must end with")
    self.expect({"include/podium/a.h": "#pragma once\n"}, "must be PODIUM_A_H_")

  def test_lengths(self):
    line = "int x;\n"
    self.assertEqual(self.findings({"src/text/text.cc": line * 400}), [])
    self.expect({"src/text/text.cc": line * 401}, "401 lines", "needs a comment")
    reason = "// Over 400 lines because it is one table.\n"
    self.assertEqual(self.findings({"src/text/text.cc": reason + line * 400}), [])
    self.expect({"src/text/text.cc": reason + line * 800}, "more than 800")

  def test_leftovers(self):
    for line, word in (("// TO" "DO: later", "a leftover"), ("int\tx;", "a tab"), ("int x; ", "space at the end"),
                       ('"/ho' 'me/someone/x"', "a path of one machine"), ("https://pypi" ".org/", "a registry's host")):
      with self.subTest(line):
        self.expect({"src/text/text.cc": line + "\n"}, "src/text/text.cc:1:", word)
    self.expect({"src/text/text.cc": "int x;"}, "no newline")

  def test_folders(self):
    self.expect({"src/text/text.h": HEADER.replace("// text/ may include base/.\n", "")}, "no header of src/text opens")
    self.expect({"src/text/lost.cc": "int x;\n"}, "src/text/lost.cc", "never built")
    self.expect({"src/text/CMakeLists.txt": CLEAN["src/text/CMakeLists.txt"].replace("FOLDERS base", "FOLDERS engine")},
                "may not use the folder engine")
    self.expect({"src/utils/CMakeLists.txt": ""}, "src/utils is not in the include table")

  def test_limits(self):
    header = HEADER.replace("#endif", "constexpr size_t kBytesMax = size_t{2} << 20;\n  int length_max = 0;\n\n#endif")
    row = "| `kBytesMax` | 2 MiB | `src/text/text.h` | refused |\n"
    self.assertEqual(self.findings({"src/text/text.h": header, "docs/limits.md": row}), [])
    self.expect({"src/text/text.h": header, "docs/limits.md": "# Limits\n"}, "kBytesMax is not listed")
    self.expect({"src/text/text.h": header, "docs/limits.md": row.replace("2 MiB", "3 MiB")}, "kBytesMax is 3 MiB here")
    self.expect({"docs/limits.md": row}, "src/text/text.h has no limit kBytesMax")

  def test_objects(self):
    sources = {"good": 'extern "C" int table() { return 1; }',
               "two": 'extern "C" int table() { return 1; } extern "C" int other() { return 2; }',
               "weak": 'template <class T> T f(T x) { return x; } template int f(int); '
                       'extern "C" int table() { return f(1); }'}
    for name, text in sources.items():
      with self.subTest(name), tempfile.TemporaryDirectory() as build:
        self.assertEqual(len(tidy.check_objects(build)), 1)
        folder = Path(build) / "podium_kernels.dir" / "avx2"
        folder.mkdir(parents=True)
        subprocess.run(["c++", "-x", "c++", "-c", "-", "-o", folder / "table.cc.o"], input=text, text=True, check=True)
        found = tidy.check_objects(build)
        self.assertEqual(len(found), 0 if name == "good" else 1, found)
        if name == "weak":
          self.assertIn("weak symbol (W): int f<int>(int)", found[0][2])


if __name__ == "__main__":
  unittest.main()
