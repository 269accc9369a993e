# SPDX-License-Identifier: GPL-3.0-or-later
"""The direction of dependencies, looked at in the sources and in the compiled objects.

Sources: a file includes only headers of its own folder and of those that ALLOWED names for it.  Objects: what a unit
uses of another one follows the same table, so that a forward declaration hides nothing; no circle leaves a folder, and
none within a folder of the core ties more than KNOT units.
"""
import collections
import glob
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
import tap  # noqa: E402  (beside the folder of this file)

SOURCE = os.environ['KG_SOURCE']
BUILD = os.environ['KG_BUILD']

BASE = ['graph/base']
VALUE = [*BASE, 'graph/value']
TYPE = [*VALUE, 'graph/type']
MODEL = [*TYPE, 'graph/model']
CORE = ['graph', *MODEL, 'graph/preset', 'graph/file', 'graph/evaluate']
# What each folder of src may include besides itself.
ALLOWED = {
    'graph/base': [],
    'graph/value': BASE,
    'graph/type': VALUE,
    'graph/model': TYPE,
    'graph/preset': MODEL,
    'graph/file': [*MODEL, 'graph/preset'],
    'graph/evaluate': MODEL,
    'graph': CORE,  # the header for programs
    'media': [*CORE, 'media/import'],  # SHARED only
    'media/import': [*VALUE, 'media'],  # SHARED only
    'techniques': VALUE,
    'nodes': [*CORE, 'media', 'techniques'],
    'gegl': [*CORE, 'media', 'nodes', 'techniques'],
    'cli': [*CORE, 'media', 'nodes', 'gegl'],
    'ui/document': [*CORE, 'media', 'nodes', 'gegl', 'techniques'],
    'ui/widgets': [*CORE, 'ui/document'],
    'ui/handles': [*CORE, 'nodes', 'techniques', 'ui/document'],
    **{f'ui/{pane}': [*CORE, 'media', 'nodes', 'ui/document', 'ui/widgets']
       for pane in ('canvas', 'timeline', 'spreadsheet', 'presets', 'render')},
    'ui/inspector': [*CORE, 'media', 'nodes', 'techniques', 'ui/document', 'ui/widgets'],
    'ui/viewport': [*CORE, 'media', 'nodes', 'techniques', 'ui/document', 'ui/widgets', 'ui/handles'],
}
# What media and the programs that read foreign files share: requests and replies, and declarations without functions.
SHARED = {'kg-import-message.h', 'kg-exr-private.h', 'kg-mesh-file.h'}
# Most units of one folder of the core that may need each other.
KNOT = 3


def folder_of(path):
    """graph/base of .../src/graph/base/kg-json.c; nodes of everything in src/nodes."""
    folder = os.path.dirname(os.path.relpath(path, os.path.join(SOURCE, 'src')))
    return folder if folder in ALLOWED else folder.split('/')[0]


def sources():
    return glob.glob(f'{SOURCE}/src/**/*.[ch]', recursive=True)


def find_circles(arrows):
    """Strongly connected components of more than one vertex (Tarjan 1972)."""
    index, low, stack, circles = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(arrows.get(v, ())):
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            circle = stack[stack.index(v):]
            del stack[stack.index(v):]
            if len(circle) > 1:
                circles.append(sorted(circle))

    for v in sorted(arrows):
        if v not in index:
            visit(v)
    return circles


def read_objects():
    """(folder of a unit, units that it uses symbols of) by unit, for the libraries of the core."""
    defined, used, folder = {}, collections.defaultdict(set), {}
    for path in glob.glob(f'{BUILD}/src/graph/*/lib*.a.p/*.o'):
        unit = os.path.basename(path)[:-len('.c.o')]
        folder[unit] = 'graph/' + os.path.relpath(path, f'{BUILD}/src/graph').split('/')[0]
        for line in subprocess.run(['nm', path], capture_output=True, text=True, check=True).stdout.splitlines():
            fields = line.split()
            if fields[0] == 'U':
                used[unit].add(fields[1])
            elif len(fields) == 3 and fields[1] in 'TDRBVW':
                defined[fields[2]] = unit
    arrows = {u: {defined[s] for s in used[u] if defined.get(s, u) != u} for u in folder}
    return folder, arrows


class FloorsTest(unittest.TestCase):
    def test_includes(self):
        homes = {os.path.basename(path): folder_of(path) for path in sources() if path.endswith('.h')}
        wrong = []
        for path in sources():
            here = folder_of(path)
            if here not in ALLOWED:
                continue
            with open(path, encoding='utf-8') as file:
                for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M):
                    home = homes.get(os.path.basename(name))
                    if home is not None and home != here and home not in ALLOWED[here]:
                        wrong.append(f'{os.path.relpath(path, SOURCE)} includes {name} of {home}')
        self.assertEqual(wrong, [])

    def test_importers_know_no_graph(self):
        """Beyond what they share, a program that reads foreign files and the code that starts it know nothing of each other."""
        for here, other in (('media', 'media/import'), ('media/import', 'media')):
            headers = {os.path.basename(path) for path in sources() if path.endswith('.h') and folder_of(path) == other}
            used = set()
            for path in sources():
                if folder_of(path) == here:
                    with open(path, encoding='utf-8') as file:
                        used |= {os.path.basename(name) for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M)}
            self.assertEqual(sorted((used & headers) - SHARED), [], here)

    def test_no_circle_of_families(self):
        for part in ('techniques', 'nodes'):
            arrows = collections.defaultdict(set)
            for path in glob.glob(f'{SOURCE}/src/{part}/*/*.[ch]'):
                family = os.path.basename(os.path.dirname(path))
                with open(path, encoding='utf-8') as file:
                    for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M):
                        if os.path.exists(f'{SOURCE}/src/{part}/{name}') and os.path.dirname(name) != family:
                            arrows[family].add(os.path.dirname(name))
            self.assertEqual(find_circles(arrows), [], part)

    def test_core_knows_no_node_type_by_its_header(self):
        for path in glob.glob(f'{SOURCE}/src/graph/**/*.[ch]', recursive=True):
            with open(path, encoding='utf-8') as file:
                self.assertNotIn('nodes/', ''.join(re.findall(r'^#include.*$', file.read(), re.M)), path)

    def test_symbols(self):
        folder, arrows = read_objects()
        self.assertGreater(len(arrows), 40)
        wrong = [f'{folder[u]}/{u} uses {folder[v]}/{v}' for u in arrows for v in arrows[u]
                 if folder[u] != folder[v] and folder[v] not in ALLOWED[folder[u]]]
        self.assertEqual(wrong, [])

    def test_no_circle_leaves_a_folder(self):
        folder, arrows = read_objects()
        for circle in find_circles(arrows):
            self.assertEqual(len({folder[u] for u in circle}), 1, circle)

    def test_knots_are_small(self):
        _, arrows = read_objects()
        self.assertEqual([circle for circle in find_circles(arrows) if len(circle) > KNOT], [])


if __name__ == '__main__':
    tap.main()
