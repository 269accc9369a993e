# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether src/techniques and src/nodes include only what they may.

check-techniques.py SOURCE [--graph]      SOURCE: the folder src; --graph: prints which family includes which

Techniques know the errors, mathematics and values of the core and nothing above them; families of techniques, and of
nodes, include each other in no circle.
"""
import pathlib
import re
import sys

CORE = {f'kg-{name}.h' for name in (
    'buffer channel error expression field geometry hash image json kernel math motion progress random scene skeleton '
    'types value').split()}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def read(folder):
    """(file, what it includes) for each source below the folder."""
    return [(path.relative_to(folder), INCLUDE.findall(path.read_text(encoding='utf-8')))
            for path in sorted(folder.glob('*/*.[ch]'))]


def find_arrows(folder, sources):
    arrows = {path.parent.name: set() for path, _ in sources}
    for path, included in sources:
        arrows[path.parent.name] |= {i.split('/')[0] for i in included if '/' in i and (folder / i).exists()}
        arrows[path.parent.name].discard(path.parent.name)
    return arrows


def find_circle(arrows):
    """Takes away families that include no other, again and again; what stays is in a circle, or leads to one."""
    left = dict(arrows)
    while ends := [family for family in left if not left[family] & left.keys()]:
        for family in ends:
            del left[family]
    return sorted(left)


root = pathlib.Path(sys.argv[1])
problems = []
for name in ('techniques', 'nodes'):
    folder = root / name
    sources = read(folder)
    arrows = find_arrows(folder, sources)
    if '--graph' in sys.argv:
        for family, others in sorted(arrows.items()):
            print(f'{name}/{family} -> {" ".join(sorted(others)) or "none"}')
    if circle := find_circle(arrows):
        problems.append(f'src/{name}: families include each other in a circle: {", ".join(circle)}')
    if name == 'techniques':
        problems += [f'src/techniques/{path}: includes {i}; techniques know only values and what is below them'
                     for path, included in sources for i in included
                     if i not in CORE and not (folder / i).exists()]
print('\n'.join(problems), file=sys.stderr)
sys.exit(1 if problems else 0)
