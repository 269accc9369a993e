# SPDX-License-Identifier: GPL-3.0-or-later
"""The techniques, found and checked: every src/techniques/<family>/<name>.c.

check-techniques.py list SRC                             the sources, one a line (for meson)
check-techniques.py watch SRC OUTPUT DEPFILE SOURCE...   fails, and has meson run again, when there are others now
check-techniques.py check SRC [--graph]                  whether techniques and nodes include only what they may; --graph
                                                         prints which family includes which

SRC is the folder src.  Techniques know the errors, mathematics and values of the core and nothing above them; families
of techniques, and of nodes, include each other in no circle.
"""
import os
import pathlib
import re
import sys

CORE = {f'kg-{name}.h' for name in (
    'buffer channel error expression field geometry hash image json kernel math motion progress random scene skeleton '
    'types value').split()}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def find_sources(root):
    return sorted(str(path.relative_to(root)) for path in root.glob('*/*.c'))


def watch(root, output, depfile, *given):
    # Ninja accepts folders in a depfile: a new or removed file makes this step run again.
    folders = [str(root)] + [str(folder) for folder in sorted(root.iterdir()) if folder.is_dir()]
    pathlib.Path(depfile).write_text(f'{output}: {" ".join(folders)}\n', encoding='utf-8')
    changed = {os.path.relpath(g, root) for g in given} ^ set(find_sources(root))
    if changed:
        os.utime(root / 'meson.build')
        sys.exit(f'techniques changed ({", ".join(sorted(changed))}): build again')
    pathlib.Path(output).touch()


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


def check(src, graph):
    problems = []
    for name in ('techniques', 'nodes'):
        folder = src / name
        sources = [(path.relative_to(folder), INCLUDE.findall(path.read_text(encoding='utf-8')))
                   for path in sorted(folder.glob('*/*.[ch]'))]
        arrows = find_arrows(folder, sources)
        if graph:
            for family, others in sorted(arrows.items()):
                print(f'{name}/{family} -> {" ".join(sorted(others)) or "none"}')
        if circle := find_circle(arrows):
            problems.append(f'src/{name}: families include each other in a circle: {", ".join(circle)}')
        if name == 'techniques':
            problems += [f'src/techniques/{path}: includes {i}; techniques know only values and what is below them'
                         for path, included in sources for i in included
                         if i not in CORE and not (folder / i).exists()]
    if problems:
        sys.exit('\n'.join(problems))


source = pathlib.Path(sys.argv[2])
if sys.argv[1] == 'list':
    print('\n'.join(find_sources(source / 'techniques')))
elif sys.argv[1] == 'watch':
    watch(source / 'techniques', *sys.argv[3:])
else:
    check(source, '--graph' in sys.argv)
