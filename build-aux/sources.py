# SPDX-License-Identifier: GPL-3.0-or-later
"""The sources of a folder of folders, <family>/<name>.c, for meson, which lists none of them by hand."""
import os
import pathlib
import sys


def find(root):
    """Relative to the root, sorted."""
    return sorted(str(path.relative_to(root)) for path in pathlib.Path(root).glob('*/*.c'))


def check(root, output, depfile, given, what):
    """Fails, and has meson run again, when other sources are there than those that it was given."""
    # Ninja accepts folders in a depfile: a new or removed file makes this step run again.
    folders = [root, *sorted(str(folder) for folder in pathlib.Path(root).iterdir() if folder.is_dir())]
    pathlib.Path(depfile).write_text(f'{output}: {" ".join(folders)}\n', encoding='utf-8')
    changed = {os.path.relpath(g, root) for g in given} ^ set(find(root))
    if changed:
        os.utime(os.path.join(root, 'meson.build'))
        sys.exit(f'{what} changed ({", ".join(sorted(changed))}): build again')
