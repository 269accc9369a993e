# SPDX-License-Identifier: GPL-3.0-or-later
"""Every function that a header of src declares is used outside the file that defines it: what only its own file needs is
static, and what nothing needs is deleted.

Looked at in the sources: a name in another file, tests and benchmarks included, in a macro or inline function of its own
header, or made by joining tokens (kg_##kind##_equal) is a use.
"""
import collections
import glob
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
import tap  # noqa: E402  (beside the folder of this file)

SOURCE = os.environ['KG_SOURCE']

# Part of an interface that would be incomplete without them, although nothing calls them yet.
EXCEPTIONS = {
    'box_tree_get_n': 'the range of the indices that a visit of the tree reports',
    'chain_pose_get_angles': 'the angles of a joint without its limits, beside chain_pose_get_free_angles',
    'convex_get_bounds': 'the box of a shape, for broad phases',
    'convex_move': 'the place of a moving shape at the time of a collision',
    'mesh_count_open_edges': 'whether a mesh is closed, before it is used as a solid',
    'skeleton_get_place': 'points of a figure as the solver sees them, in the plane or in space',
    'symmetric_matrix_invert': 'the inverse of a tensor of inertia',
}

COMMENT = re.compile(r'/\*.*?\*/', re.S)
DECLARATION = re.compile(r'^(?!static|typedef|return|else|#)[A-Za-z_][\w \t*]*?[ *](\w+) \(', re.M)
DEFINITION = re.compile(r'^(\w+) \(', re.M)
NAME = re.compile(r'[A-Za-z_]\w*')
JOINED = re.compile(r'(?:\w+ ?## ?)+\w*')


def read_sources():
    """The text without comments, by path."""
    files = {}
    for folder in ('src', 'tests', 'bench'):
        for path in glob.glob(f'{SOURCE}/{folder}/**/*.[ch]', recursive=True):
            with open(path, encoding='utf-8') as file:
                files[os.path.relpath(path, SOURCE)] = COMMENT.sub('', file.read())
    return files


def find_joined(files):
    """A pattern of all names that macros make of several parts: each part is a word of the name or stands for one."""
    patterns = set()
    for text in files.values():
        for joined in JOINED.findall(text):
            parts = [part.strip() for part in joined.split('##')]
            patterns.add(''.join(part if part.startswith('_') or part.endswith('_') else r'\w+' for part in parts))
    return re.compile('|'.join(sorted(pattern for pattern in patterns if pattern.strip(r'\w+'))) or '$^')


def find_unused(files):
    homes = collections.defaultdict(collections.Counter)
    for path, text in files.items():
        for name, times in collections.Counter(NAME.findall(text)).items():
            homes[name][path] = times
    defined = {name: path for path, text in files.items() if path.startswith('src/') and path.endswith('.c')
               for name in DEFINITION.findall(text)}
    joined, declared, unused = find_joined(files), set(), []
    for path, text in files.items():
        if path.startswith('src/') and path.endswith('.h'):
            for name in DECLARATION.findall(text):
                declared.add(name)
                elsewhere = homes[name].keys() - {path, defined.get(name)}
                if name in defined and not elsewhere and homes[name][path] == 1 and not joined.fullmatch(name):
                    unused.append(f'{path}: {name}')
    return declared, sorted(unused)


class UnusedTest(unittest.TestCase):
    def test_public_functions_are_used(self):
        declared, unused = find_unused(read_sources())
        self.assertGreater(len(declared), 1500)
        self.assertEqual([line for line in unused if line.split(': ')[1] not in EXCEPTIONS], [])

    def test_an_unused_function_is_found(self):
        files = {'src/a.h': 'int used (void);\nint unused (void);\nKgA *made_get (void);\n#define M(x) x##_get\n',
                 'src/a.c': 'int\nused (void)\n{\n}\nint\nunused (void)\n{\n  unused ();\n}\nKgA *\nmade_get (void)\n{\n}\n',
                 'src/b.c': 'static void\nb (void)\n{\n  used ();\n}\n'}
        self.assertEqual(find_unused(files)[1], ['src/a.h: unused'])


if __name__ == '__main__':
    tap.main()
