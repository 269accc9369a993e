# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of node types: finds, checks and lists every src/nodes/<family>/<name>.c.

node-table.py list ROOT                              the sources, one per line (for meson)
node-table.py write ROOT OUTPUT DEPFILE SOURCE...    the table in C
"""
import os
import re
import sys

import sources

MARKER = re.compile(r'^KG_(?:NODE|NODE_WITH_DEMAND|SIMULATION) \(\s*(\w+), (\w+),', re.M)


def write(root, output, depfile, *given):
    sources.check(root, output, depfile, given, 'node files')
    nodes = []
    for source in sources.find(root):
        path = os.path.join(root, source)
        family, name = source[:-2].split('/')
        with open(path, encoding='utf-8') as f:
            found = MARKER.findall(f.read())
        if found != [(family, name)]:
            sys.exit(f'src/nodes/{source}: expected one node type, KG_NODE ({family}, {name}, ...), found '
                     f'{", ".join("/".join(f) for f in found) or "none"} (other code belongs in src/techniques)')
        nodes.append(f'kg_node_{family}_{name}')
    with open(output, 'w', encoding='utf-8') as f:
        f.write('#include "kg-type.h"\n\n')
        f.writelines(f'extern const KgNodeType {n};\n' for n in nodes)
        f.write('\nconst KgNodeType *const kg_node_table[] = {\n')
        f.writelines(f'  &{n},\n' for n in nodes)
        f.write('  NULL\n};\n')


if sys.argv[1] == 'list':
    print('\n'.join(sources.find(sys.argv[2])))
else:
    write(*sys.argv[2:])
