"""Tests of the options and of the cache of the backend, which need no PyTorch."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spyre_mlir.torch.cache import Cache, content_key
from spyre_mlir.torch.options import Options


def write_often(directory: str, seed: int) -> None:
    """Writes the same entries as other processes do."""
    cache = Cache(Path(directory))
    for number in range(50):
        cache.write(content_key(str(number).encode()), f"{number} of some process".encode() * 200)
        if (content := cache.read(content_key(str((number * seed) % 50).encode()))) is not None:
            assert len(content) % 200 == 0


class OptionsTest(unittest.TestCase):
    def test_have_defaults(self) -> None:
        options = Options.parse(None)
        self.assertEqual((options.floats, options.strict), ("auto", False))
        self.assertIsNotNone(options.cache)

    def test_refuse_unknown_names_with_the_list(self) -> None:
        with self.assertRaisesRegex(ValueError, "no option 'flaots'.*'floats', 'strict' and 'cache'"):
            Options.parse({"flaots": "dl16"})

    def test_refuse_other_values(self) -> None:
        for options in ({"floats": "f16"}, {"strict": 1}, {"cache": 3}):
            with self.subTest(options), self.assertRaises(ValueError):
                Options.parse(options)

    def test_find_the_directory_of_the_cache(self) -> None:
        with mock.patch.dict(os.environ, {"SPYRE_CACHE_DIR": "", "XDG_CACHE_HOME": "/home/cache"}):
            self.assertEqual(Options.parse({}).cache, Path("/home/cache/spyre-mlir"))
        with mock.patch.dict(os.environ, {"SPYRE_CACHE_DIR": "/elsewhere"}):
            self.assertEqual(Options.parse({"cache": True}).cache, Path("/elsewhere"))
        self.assertIsNone(Options.parse({"cache": False}).cache)
        self.assertEqual(Options.parse({"cache": "here"}).cache, Path("here"))


class CacheTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = Path(folder.name) / "cache"

    def test_returns_what_was_written(self) -> None:
        cache = Cache(self.directory)
        self.assertIsNone(cache.read("ab"))
        cache.write("ab", b"content")
        self.assertEqual(Cache(self.directory).read("ab"), b"content")

    def test_removes_the_least_recently_used_entries(self) -> None:
        cache = Cache(self.directory, limit=25)
        for age, key in enumerate(("aa", "bb")):
            cache.write(key, b"x" * 10)
            os.utime(cache.directory / key / f"{key}.spyre", (1000 + age, 1000 + age))
        self.assertIsNotNone(cache.read("aa"))
        cache.write("cc", b"x" * 10)
        self.assertEqual([cache.read(key) is not None for key in ("aa", "bb", "cc")], [True, False, True])

    def test_is_a_miss_where_the_directory_cannot_be_written(self) -> None:
        self.directory.write_text("a file")
        cache = Cache(self.directory)
        with self.assertLogs("spyre_mlir.torch.cache", "WARNING"):
            cache.write("ab", b"content")
            self.assertIsNone(cache.read("ab"))

    def test_reads_whole_entries_while_others_write(self) -> None:
        context = multiprocessing.get_context("spawn")
        writers = [context.Process(target=write_often, args=(str(self.directory), seed)) for seed in (3, 7, 11)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        self.assertEqual([writer.exitcode for writer in writers], [0, 0, 0])
        self.assertEqual(list(self.directory.glob("*/*.tmp")), [])

    def test_keys_distinguish_lists_of_parts(self) -> None:
        self.assertNotEqual(content_key(b"ab", b"c"), content_key(b"a", b"bc"))


if __name__ == "__main__":
    unittest.main()
