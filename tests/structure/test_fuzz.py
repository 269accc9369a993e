# SPDX-License-Identifier: GPL-3.0-or-later
"""Every fuzz target is built, run by make fuzz and has seeds, and every program that reads foreign files has one."""
import glob
import importlib.util
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
import tap  # noqa: E402  (beside the folder of this file)

SOURCE = os.environ['KG_SOURCE']
FOLDER = os.path.join(SOURCE, 'tests', 'fuzz')


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding='utf-8') as file:
        return file.read()


def load_runner():
    specification = importlib.util.spec_from_file_location('fuzz', os.path.join(SOURCE, 'build-aux', 'fuzz.py'))
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.targets = sorted(os.path.basename(path)[5:-2] for path in glob.glob(os.path.join(FOLDER, 'fuzz-*.c')))

    def test_all_are_run(self):
        self.assertEqual(self.targets, sorted(load_runner().SEEDS))

    def test_all_are_built(self):
        built = read('tests', 'meson.build').split("'-fsanitize=fuzzer-no-link'")[1].split('endif')[0]
        for target in self.targets:
            self.assertRegex(built, f"'{re.escape(target)}'", f'libfuzzer-{target} is not built')

    def test_all_have_seeds(self):
        for target in self.targets:
            self.assertTrue(os.listdir(os.path.join(FOLDER, 'corpus-' + target)), target)
        seeded = {name[7:] for name in os.listdir(FOLDER) if name.startswith('corpus-')}
        self.assertEqual(seeded, set(self.targets), 'seeds that no target reads')

    def test_all_readers_have_one(self):
        """Of foreign files; those of our own files are named in docs/trust.md."""
        # Its requests come from us, and it opens no file: tests/nodes/gegl.c tries its values.
        no_files = 'import-gegl.c'
        sources = ''.join(read('tests', 'fuzz', f'fuzz-{target}.c') for target in self.targets) + read('tests', 'meson.build')
        for path in glob.glob(os.path.join(SOURCE, 'src', 'media', 'import', 'import-*.c')):
            if os.path.basename(path) != no_files:
                self.assertIn(os.path.basename(path), sources, f'{path} has no fuzz target')

    def test_texts_of_the_examples_are_seeds(self):
        texts = list(load_runner().read_texts({'nodes': {'a': {'type': 'x/y', 'inputs': {'rows': '1 2', 'n': 3}, 'graph': {
            'nodes': {'b': {'type': 'x/z', 'inputs': {'text': 'words'}}}}}}}))
        self.assertEqual(texts, [('x/y.rows', '1 2'), ('x/z.text', 'words')])


if __name__ == '__main__':
    tap.main()
