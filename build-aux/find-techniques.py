# SPDX-License-Identifier: GPL-3.0-or-later
"""The techniques: every src/techniques/<family>/<name>.c.

find-techniques.py list ROOT                             the sources, one a line (for meson)
find-techniques.py watch ROOT OUTPUT DEPFILE SOURCE...   fails, and has meson run again, when there are others now
"""
import pathlib
import sys

import sources


def watch(root, output, depfile, *given):
    sources.check(root, output, depfile, given, 'techniques')
    pathlib.Path(output).touch()


if sys.argv[1] == 'list':
    print('\n'.join(sources.find(sys.argv[2])))
else:
    watch(*sys.argv[2:])
