# SPDX-License-Identifier: GPL-3.0-or-later
"""The techniques: every src/techniques/<family>/<name>.c.

find-techniques.py list ROOT                             the sources, one a line (for meson)
find-techniques.py watch ROOT OUTPUT DEPFILE SOURCE...   fails, and has meson run again, when there are others now
"""
import os
import pathlib
import sys


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


if sys.argv[1] == 'list':
    print('\n'.join(find_sources(pathlib.Path(sys.argv[2]))))
else:
    watch(pathlib.Path(sys.argv[2]), *sys.argv[3:])
