# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/expressions.md: every example has the stated result, and every function and operator has an example."""
import json
import os
import re

from support import KineoTest, main

SOURCE = os.environ['KG_SOURCE']
with open(os.path.join(SOURCE, 'docs', 'expressions.md'), encoding='utf-8') as document:
    MANUAL = document.read()
TYPES = {1: 'value/number', 3: 'value/vector', 4: 'value/color'}


def cells(line):
    """Of a row of a table; \\| is no border."""
    return [cell.strip().replace('\\|', '|') for cell in re.split(r'(?<!\\)\|', line)[1:-1]]


def rows(width):
    return [row for row in map(cells, MANUAL.split('\n')) if len(row) == width and row[-2].startswith('`')]


class ExpressionsTest(KineoTest):
    def test_examples(self):
        nodes = {'ball': {'type': 'value/vector', 'inputs': {'value': [1, 2, 3]}},
                 'size': {'type': 'value/number', 'inputs': {'value': 4}}}
        wanted = []
        for _, _, example, value in rows(4):
            value = json.loads(value.strip('`'))
            kind = TYPES[len(value) if isinstance(value, list) else 1]
            name = f'n{len(wanted)}'
            nodes[name] = {'type': kind, 'inputs': {'value': {'expr': example.strip('`')}}}
            wanted.append((name, example, value))
        self.assertGreater(len(wanted), 70)
        self.write('g.json', json.dumps({'kineograph': 1, 'frames': {'start': 1, 'end': 100, 'rate': 24}, 'nodes': nodes}))
        out = json.loads(self.good('eval', '--frame=13', 'g.json', *(name for name, _, _ in wanted)))['values']
        for name, example, value in wanted:
            with self.subTest(example):
                found = out[f'{name}.output']
                for a, b in zip(found if isinstance(value, list) else [found],
                                value if isinstance(value, list) else [value], strict=True):
                    self.assertAlmostEqual(a, b, places=12)

    def test_everything_is_there(self):
        with open(os.path.join(SOURCE, 'src', 'graph', 'value', 'kg-expression-functions.c'), encoding='utf-8') as source:
            table = source.read().partition('static const KgFunction functions[]')[2].partition('};')[0]
        functions = re.findall(r'(?:ONE|MANY) \("(\w+)"|\{ "(\w+)"', table)
        documented = ' '.join(row[0] for row in rows(4))
        self.assertGreater(len(functions), 50)
        for names in functions:
            self.assertRegex(documented, rf'`{names[0] or names[1]} \(')
        with open(os.path.join(SOURCE, 'src', 'graph', 'value', 'kg-expression.c'), encoding='utf-8') as source:
            for operator in re.findall(r'\{ "([^"]+)", (?:BINARY|UNARY|CONDITION)', source.read()):
                self.assertIn(operator, documented)

    def test_refused(self):
        refused = [row[0].strip('`') for row in rows(2)]
        self.assertGreater(len(refused), 4)
        for example in refused:
            with self.subTest(example):
                self.write('g.json', json.dumps({'kineograph': 1, 'nodes': {
                    'a': {'type': 'value/vector', 'inputs': {'value': {'expr': example}}}}}))
                done = self.kineo('eval', 'g.json', 'a')
                self.assertNotEqual(done.status, 0)
                self.assertIn('column', done.err)


if __name__ == '__main__':
    main()
