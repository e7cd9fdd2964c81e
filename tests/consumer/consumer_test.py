#!/usr/bin/env python3
"""Programs outside of the tree, built against an installed copy: the README's own lines and the C example, by CMake and
by pkg-config, with the shared and the static library, where the copy was installed and after it was moved to a path with
a space in it."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("PODIUM_BUILD", ROOT / "build" / "release")).resolve()
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
QUERY = "how do I reset my router"
DOCUMENTS = ["Choose a channel with less traffic.", "Hold the reset button for ten seconds."]


def run(*words, **options):
  words = [str(word) for word in words]
  done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
  if done.returncode:
    raise AssertionError(f"{words}\nended with {done.returncode}:\n{done.stdout}")
  return done.stdout


def readme_block(language):
  section = re.search(r"\n## Use it as a library\n(.*?)\n## ", (ROOT / "README.md").read_text(), re.DOTALL).group(1)
  return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL).group(1)


class Consumer(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    folder = tempfile.TemporaryDirectory(dir=BUILD)
    cls.addClassCleanup(folder.cleanup)
    cls.work = Path(folder.name)
    cls.readme = cls.work / "readme"
    cls.readme.mkdir()
    (cls.readme / "main.cc").write_text(readme_block("cpp"))
    (cls.readme / "CMakeLists.txt").write_text(readme_block("cmake"))
    installed = cls.work / "installed"
    run("cmake", "--install", BUILD, "--prefix", installed)
    cls.before_move = cls.work / "before"
    cls.build_by_cmake(cls.readme, cls.before_move, installed)
    cls.prefix = cls.work / "moved to a path with spaces"
    shutil.move(installed, cls.prefix)
    cls.model = cls.prefix / "share/podium/models/podium-mini-zh-en"
    cls.libraries = next(cls.prefix.rglob("libpodium.so")).parent

  @staticmethod
  def build_by_cmake(source, build, prefix, *options):
    flags = " ".join(STRICT)
    run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={CC}",
        f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}",
        "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-DCMAKE_BUILD_TYPE=Release", "--no-warn-unused-cli", *options)
    run("cmake", "--build", build)

  def build_by_pkg_config(self, compiler, source, program, libraries, *options):
    words = run("pkg-config", "--cflags", "--libs", *options, "podium",
                env=os.environ | {"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}).strip()
    standard = "-std=c11" if Path(source).suffix == ".c" else "-std=c++20"
    # The shell takes the words apart, as it does in a makefile: a space in a path must have been quoted.
    run("sh", "-c", f'"$0" {standard} {" ".join(STRICT)} "$1" -o "$2" {words}', compiler, source, program)

  def check(self, program, shared):
    """It ranks; it is linked to the library of the moved prefix, or to none."""
    out = run(program, self.model, QUERY, *DOCUMENTS, env=os.environ | {"LD_LIBRARY_PATH": str(self.libraries)})
    order = [line.split(maxsplit=1)[1] for line in out.splitlines()]
    if "consumer" in Path(program).name:  # the C example prints score and text
      self.assertEqual(order, [DOCUMENTS[1], DOCUMENTS[0]])
    else:
      self.assertEqual([line.split()[0] for line in out.splitlines()], ["1", "0"])
    needed = re.findall(r"NEEDED.*\[(libpodium.*)\]", run("readelf", "-d", program))
    self.assertEqual(needed, [soname()] if shared else [])

  def test_readme_by_cmake(self):
    self.check(self.before_move / "ranking", shared=True)
    for kind in ("shared", "static"):
      with self.subTest(kind):
        build = self.work / f"readme {kind}"
        self.build_by_cmake(self.readme, build, self.prefix, f"-Dpodium_USE_STATIC_LIBS={kind == 'static'}")
        self.check(build / "ranking", shared=kind == "shared")

  def test_c_by_cmake(self):
    for kind in ("shared", "static"):
      with self.subTest(kind):
        build = self.work / f"c {kind}"
        self.build_by_cmake(ROOT / "tests/consumer/c", build, self.prefix, f"-DEXAMPLE={ROOT}/examples/rank.c",
                            f"-Dpodium_USE_STATIC_LIBS={kind == 'static'}")
        self.check(build / "consumer", shared=kind == "shared")

  def test_by_pkg_config(self):
    for compiler, source, name in ((CXX, self.readme / "main.cc", "ranking"), (CC, ROOT / "examples/rank.c", "consumer")):
      with self.subTest(name):
        self.build_by_pkg_config(compiler, source, self.work / f"{name} shared", self.libraries)
        self.check(self.work / f"{name} shared", shared=True)
        # Where there is only the archive. Models and headers are found through the .pc file's own place.
        alone = self.work / f"archive for {name}"
        shutil.copytree(self.libraries.parent, alone, symlinks=True,
                        ignore=lambda _, names: [n for n in names if n.startswith("libpodium.so") or n == "models"])
        self.build_by_pkg_config(compiler, source, self.work / f"{name} static",
                                 alone / self.libraries.name, "--static")
        self.check(self.work / f"{name} static", shared=False)

  def test_versions_agree(self):
    want = re.search(r"project\(podium VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    environment = os.environ | {"PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
    self.assertEqual(run("pkg-config", "--modversion", "podium", env=environment).strip(), want)
    self.assertIn(want, run(self.prefix / "bin/podium", "--version"))
    self.assertTrue((self.libraries / f"libpodium.so.{want}").is_file())
    self.assertEqual(run("pkg-config", "--variable=modelsdir", "podium", env=environment).strip().replace("\\", ""),
                     str(self.libraries / "pkgconfig" / "../.." / "share/podium/models"))
    for asked, found in (("0.1", True), ("0.2", False), ("1.0", False)):
      source = self.work / f"asks {asked}"
      source.mkdir()
      (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.24)\nproject(asks NONE)\n"
                                             f"find_package(podium {asked} REQUIRED)\n")
      configure = ["cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
      self.assertEqual(subprocess.run(configure, capture_output=True).returncode == 0, found, asked)

  def test_headers_are_public_and_whole(self):
    headers = sorted(str(path.relative_to(self.prefix / "include")) for path in (self.prefix / "include").rglob("*")
                     if path.is_file())
    self.assertEqual(headers, sorted(f"podium/{path.name}" for path in (ROOT / "include/podium").iterdir()))
    for header in headers:
      source = self.work / "header.cc"
      source.write_text(f"#include <{header}>\n#include <{header}>\n")
      run(CXX, "-std=c++20", *STRICT, "-fsyntax-only", "-I", self.prefix / "include", source)
    source = self.work / "header.c"
    source.write_text("#include <podium/podium.h>\n#include <podium/podium.h>\nint main(void) { return 0; }\n")
    for standard in ("c99", "c11", "c2x"):
      run(CC, f"-std={standard}", *STRICT, "-Wstrict-prototypes", "-fsyntax-only", "-I", self.prefix / "include", source)

  def test_program_finds_the_model_beside_it(self):
    environment = {k: v for k, v in os.environ.items() if k != "PODIUM_MODEL"}
    out = run(self.prefix / "bin/podium", "rank", "-q", QUERY, *DOCUMENTS, "--format", "json", env=environment)
    self.assertIn('"results":[{"index":1', out)
    self.assertIn(str(self.prefix), run(self.prefix / "bin/podium", "inspect", env=environment))

  def test_exports_are_what_the_headers_declare(self):
    headers = "".join(path.read_text() for path in sorted((ROOT / "include/podium").glob("*.h")))
    c_names = set(re.findall(r"PODIUM_API\s[^;(]*?\b(podium_\w+)\(", headers))
    cpp_names = set(re.findall(r"(?:class|struct)(?: \[\[nodiscard\]\])? PODIUM_EXPORT (\w+)", headers))
    cpp_names |= set(re.findall(r"^PODIUM_EXPORT [^;(]*?\b(\w+)\(", headers, re.MULTILINE))
    self.assertGreater(min(len(c_names), len(cpp_names)), 4)
    lines = run("nm", "-DC", "--defined-only", self.libraries / "libpodium.so").splitlines()
    exported = {line.split(maxsplit=2)[2].split("@@")[0] for line in lines if " A " not in line}
    c_exported = {name for name in exported if re.fullmatch(r"podium_\w+", name)}
    self.assertEqual(c_exported, c_names)
    rest = {match.group(1) if (match := re.match(r"podium::(\w+)\b", name)) else name for name in exported - c_exported}
    self.assertEqual(rest, cpp_names)


def soname():
  version = re.search(r"project\(podium VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
  return f"libpodium.so.{version}"


if __name__ == "__main__":
  sys.exit(unittest.main())
