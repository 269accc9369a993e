# SPDX-License-Identifier: GPL-3.0-or-later
"""kineo run, and docs/script.md: its examples run, and its verbs are those that there are (30-120, 30-121)."""
import json
import math
import os
import re
import shutil

from support import KineoTest, main

with open(os.path.join(os.environ['KG_SOURCE'], 'docs', 'script.md'), encoding='utf-8') as document:
    MANUAL = document.read()


class ScriptTest(KineoTest):
    def test_manual_examples(self):
        examples = re.findall(r'```script\n(.*?)```', MANUAL, re.S)
        self.assertGreater(len(examples), 6)
        made = []
        for example in examples:
            with self.subTest(example):
                out = self.good('run', '-', stdin=example.encode())
                self.assertEqual(out, self.good('run', '-', stdin=example.encode()))
                self.write('made.json', out)
                self.good('info', 'made.json')
                made.append(json.loads(out))
        # What the text beside them says.
        self.assertEqual(made[0]['display'], 'angle.output')
        self.assertEqual(list(made[1]['nodes']), ['slow', 'slow1', 'speed1', 'gust', 'storm'])
        self.assertEqual(made[2]['nodes']['choose']['inputs'], {'values': [{'link': 'b.output'}]})
        lamps = next(graph for graph in made if 'lamp1' in graph['nodes'])['nodes']
        self.assertEqual([name for name in lamps if name.startswith('lamp')], [f'lamp{i}' for i in range(1, 6)])
        self.assertEqual(lamps['lamp1']['comment'], 'number 1 of 5, worth $5')
        self.assertEqual(lamps['lamp5']['color'], '#ffcc00')
        self.assertAlmostEqual(lamps['here']['inputs']['value'][0],
                               lamps['lamp1']['inputs']['value'] + lamps['lamp2']['inputs']['value'])

    def test_ani_in_nodes(self):
        """Catalogue 20-093: the script of the manual that translates Ani has the hips of the falling man where the motion itself has
        them, at the frames of the table of 20-121."""
        script, = (e for e in re.findall(r'```script\n(.*?)```', MANUAL, re.S) if 'The falling man, in nodes' in e)
        self.write('man.json', self.good('run', '-', stdin=script.encode()))
        facts = {1: (0, 27.3, -6), 5: (0, 27.0943633, -4.8533022), 9: (0, 25.0176343, -2.8608248), 10: (0, 20.7, -2.7),
                 20: (0, 0, -2.7)}
        for frame, hips in facts.items():
            line = json.loads(self.good('eval', 'man.json', 'hips.applied', 'turning.value', 'twisting.value', '--frame', str(frame)))
            for a, b in zip(line['values']['hips.applied'], hips):
                self.assertAlmostEqual(a, b, delta=1e-6)
            if frame in (5, 10):
                self.assertAlmostEqual(270 * line['values']['turning.value'], {5: 20.3335126, 10: 88.2329209}[frame], delta=1e-6)
            if frame == 9:
                self.assertAlmostEqual(-180 - 180 * line['values']['twisting.value'], -182.3102679, delta=1e-6)

    def test_manual_names_every_verb(self):
        documented = set(re.findall(r'`([a-z]+)[ `]', MANUAL)) | {'end', 'else'}
        # A verb that needs an argument says how to use it; the others are known by not being unknown.
        for verb in ['add', 'aside', 'bypass', 'call', 'cell', 'collapse', 'color', 'comment', 'default', 'display', 'duplicate', 'enter',
                     'expand', 'frames', 'group', 'if', 'kineograph', 'leave', 'let', 'link', 'lock', 'match', 'move',
                     'paste', 'preset', 'procedure', 'redo', 'remove', 'rename', 'repeat', 'reset', 'set', 'stage', 'title',
                     'transaction', 'undo', 'unknown', 'unlink', 'unlock', 'upgrade', 'cancel', 'else', 'end']:
            with self.subTest(verb):
                self.assertIn(verb, documented)
                self.assertRegex(MANUAL, rf'(?m)```script\n(?:(?!```).*\n)*? *{verb}\b')
                self.assertNotIn('there is no verb', self.kineo('run', '-', stdin=verb.encode()).err)
        with open(os.path.join(os.environ['KG_SOURCE'], 'src', 'graph', 'file', 'kg-script.c'), encoding='utf-8') as source:
            for verb in re.findall(r'\{ "([a-z]+)", VERB_', source.read()):
                self.assertIn(verb, documented)

    def test_preset_that_is_none(self):
        self.bad(3, 'standard input:1:8: expected an object, found a number\n', 'run', '-', stdin=b'preset 5')

    def test_run_on_a_graph(self):
        self.write('a.json', {'kineograph': 1, 'nodes': {'n': {'type': 'value/number'}}})
        self.write('s.kgs', 'set n.value 5\n')
        before = self.read('a.json')
        out = self.good('run', 's.kgs', 'a.json')
        self.assertEqual(json.loads(out)['nodes']['n']['inputs']['value'], 5)
        self.assertEqual(self.read('a.json'), before)
        self.assertEqual(self.good('run', 's.kgs', 'a.json', '-o', 'a.json'), '')
        self.assertEqual(self.read('a.json').decode(), out)

    def test_cells(self):
        out = self.good('run', '-', stdin=b'add value/number a\nadd curve/spline s\nset s.points [[0, 0], [1, 1]]\n'
                        b'cell s.points 2 y {"expr": "a.value"}\ncell s.points 1 3 {"keys": [[1, 0], [9, 2]]}\n'
                        b'cell s.points 1 x 7\nrename a b\nundo\nredo\n')
        self.assertEqual(json.loads(out)['nodes']['s']['inputs']['points'],
                         [[7, 0, {'keys': [[1, 0], [9, 2]]}], [1, {'expr': 'b.value'}, 0]])
        self.write('cells.json', out)
        self.assertIn('2', self.good('info', 'cells.json'))
        for line, problem in [('cell s.points 0 y 1', 'rows are counted from 1, so there is no row 0'),
                              ('cell s.points 3 y 1', 'row 3, column 2: the table of s.points has 2 rows and 3 columns'),
                              ('cell s.points 1 w 1', 's.points has no column "w"'),
                              ('cell b.value 1 x 1', 'b.value has no column "x"'),
                              ('cell s.points 1 y {"expr": "s.length"}', 'would depend on itself')]:
            with self.subTest(line):
                self.assertIn(problem, self.kineo('run', '-', 'cells.json', stdin=line.encode()).err)

    def test_components(self):
        """One component of a vector; keys of the others stay."""
        out = self.good('run', '-', stdin=b'add value/vector v\nset v.value {"keys": [[1, [0, 1, 2]], [9, [3, 4, 5]]]}\n'
                        b'cell v.value 1 y {"expr": "t"}\nadd value/random n\nadd value/vector w\n'
                        b'cell w.value 1 z {"link": "n.number"}\n')
        nodes = json.loads(out)['nodes']
        self.assertEqual(nodes['v']['inputs']['value'],
                         [{'keys': [[1, 0], [9, 3]]}, {'expr': 't'}, {'keys': [[1, 2], [9, 5]]}])
        self.assertEqual(nodes['w']['inputs']['value'], [0, 0, {'link': 'n.number'}])
        self.write('parts.json', out)
        self.good('check', 'parts.json')
        self.assertIn('row 1, column 4', self.kineo('run', '-', 'parts.json', stdin=b'cell v.value 1 4 1\n').err)
        self.assertIn('v.value has no column "w"', self.kineo('run', '-', 'parts.json', stdin=b'cell v.value 1 w 1\n').err)

    def test_cells_of_a_default_inside(self):
        out = self.good('run', '-', stdin=b'add graph/subnet g\nenter g\nadd graph/input i\nset i.kind "table"\n'
                        b'set i.value {"columns": ["x", "y"], "rows": [[1, {"keys": [[1, 0], [9, 2]]}], [3, 4]]}\nleave\n'
                        b'cell g.i 2 x {"expr": "frame"}\n')
        self.assertEqual(json.loads(out)['nodes']['g']['inputs']['i'],
                         {'columns': ['x', 'y'], 'rows': [[1, {'keys': [[1, 0], [9, 2]]}], [{'expr': 'frame'}, 4]]})

    def test_variables(self):
        script = b'default x = 1\nadd value/number n\nset n.value $x\n'
        self.assertEqual(json.loads(self.good('run', '-', stdin=script))['nodes']['n']['inputs']['value'], 1)
        self.assertEqual(
            json.loads(self.good('run', '-', '--set', 'x=4', stdin=script))['nodes']['n']['inputs']['value'], 4)
        for bad in ['x', '=3', '1x=3', 'a b=3']:
            self.usage(f'--set {bad}: write NAME=VALUE', 'run', '-', '--set', bad)

    def test_language(self):
        """Catalogue 20-085: procedures with parameters, variables and conditions make the graph; expressions run in it."""
        script = b'''kineograph 1
frames 1 48 24
default legs = 4
let apart = 0.5
procedure leg name k
  let phase = mod (k, 2)
  add value/number $name
  if phase == 0
    set $name.value {"expr": "sin (2*pi*t)"}
  else
    set $name.value {"expr": "-sin (2*pi*t)"}
  end
  add value/vector foot_$name
  set foot_$name.value {"expr": "${apart * k} + 0.2*$name.value, 0, 0"}
end
repeat legs as k
  call leg leg$k $k
end
if legs > 4
  comment "an insect"
else
  comment "a beast"
end
display foot_leg1
'''
        for legs, word in ((4, 'a beast'), (6, 'an insect')):
            made = self.good('run', '-', '--set', f'legs={legs}', stdin=script)
            self.assertEqual(json.loads(made)['comment'], word)
            self.assertEqual(len(json.loads(made)['nodes']), 2 * legs)
            self.write('legs.json', made)
            for frame in (1, 7, 20):
                values = json.loads(self.good('eval', 'legs.json', *(f'foot_leg{k}.output' for k in range(1, legs + 1)), '--frame',
                                              str(frame)))['values']
                for k in range(1, legs + 1):
                    swing = math.sin(2 * math.pi * (frame - 1) / 24) * (1 if k % 2 == 0 else -1)
                    self.assertAlmostEqual(values[f'foot_leg{k}.output'][0], 0.5 * k + 0.2 * swing, 12)

    def test_replay(self):
        """Catalogue 20-083: a log of edits is a script, and makes the same bytes each time, also on what it made before."""
        self.write('log.kgs', 'kineograph 1\nadd geometry/circle disc at 40 40\nset disc.radius {"keys": [[1, 0.5], [24, 2]]}\n'
                   'add value/random luck\nundo\nadd render/draw picture\nlink disc.geometry picture.geometries\n'
                   'display picture.image\nmove disc 60 80\n')
        first = self.good('run', 'log.kgs')
        self.assertEqual(self.good('run', 'log.kgs'), first)
        self.assertEqual(list(json.loads(first)['nodes']), ['disc', 'picture'])
        self.write('first.json', first)
        self.write('nothing.kgs', 'kineograph 1\n')
        self.assertEqual(self.good('run', 'nothing.kgs', 'first.json'), first)

    def test_bad_line(self):
        """Line and column; nothing is written, nothing is half done."""
        self.write('a.json', {'kineograph': 1, 'nodes': {'n': {'type': 'value/number'}}})
        self.write('s.kgs', '# a comment\nset n.value 5\nset n.vlaue 6\n')
        before = self.read('a.json')
        self.bad(3, 's.kgs:3:5: n has no input "vlaue": did you mean "value"?\n', 'run', 's.kgs', 'a.json', '-o', 'a.json')
        self.assertEqual(self.read('a.json'), before)
        result = self.kineo('run', 's.kgs', 'a.json', '--keep-going')
        self.assertEqual((result.status, result.err), (3, 's.kgs:3:5: n has no input "vlaue": did you mean "value"?\n'))
        self.assertEqual(json.loads(result.out)['nodes']['n']['inputs']['value'], 5)
        self.bad(3, 'standard input:1:1: there is no verb "frob": lines begin with a verb such as add, set or link\n',
                 'run', '-', stdin=b'frob')
        self.bad(3, 'missing.kgs: No such file or directory\n', 'run', 'missing.kgs')
        self.usage('only one of the script and the graph can be standard input', 'run', '-', '-')
        self.assertEqual(self.kineo('run', '-', '-o', 'no/such/folder.json', stdin=b'title "x"').status, 1)

    def test_emit_away(self):
        """30-121: the emitter of the sample script points along its own position, at every frame."""
        example = next(e for e in re.findall(r'```script\n(.*?)```', MANUAL, re.S) if 'emit_away' in e)
        # What an emitter reads is looked at by nodes that read the same.
        example += ''.join(f'add value/vector {slot}\nset {slot}.value {{"expr": "emitAway2.{slot}.x, emitAway2.{slot}.y, '
                           f'emitAway2.{slot}.z"}}\n' for slot in ('position', 'direction'))
        self.write('made.json', self.good('run', '-', stdin=example.encode()))
        with open(self.path('made.json'), encoding='utf-8') as made:
            self.assertEqual(list(json.load(made)['nodes'])[:2], ['emitAway1', 'emitAway2'])
        lines = self.good('eval', 'made.json', 'position', 'direction', '--frames', '1-48x5').splitlines()
        seen = set()
        for line in lines:
            values = list(json.loads(line)['values'].values())
            self.assertEqual(values[0], values[1])
            seen.add(str(values[0]))
        self.assertEqual(len(seen), 10)
        self.good('eval', 'made.json', 'emitAway1', '--frame', '5')

    def test_endless(self):
        self.write('s.kgs', 'procedure p\n  call p\nend\ncall p\n')
        result = self.kineo('run', 's.kgs')
        self.assertEqual(result.status, 3)
        self.assertIn('does it call itself?', result.err)
        self.write('s.kgs', 'repeat 10000000\n  repeat 10000000\n  end\nend\n')
        self.assertIn('more than 10000000 steps', self.kineo('run', 's.kgs').err)

    def test_unknown_is_checked_as_in_files(self):
        folder = os.path.join(os.environ['KG_SOURCE'], 'tests', 'data', 'hostile')
        for name, message in [('unknown-without-type.kgs', '"type" is missing: every node needs one'),
                              ('unknown-wrong-types.kgs', '"type" must be "weather/storm", as in front of the name')]:
            shutil.copy(os.path.join(folder, name), self.path(name))
            self.bad(3, f'{name}:2:29: {message}\n', 'run', name, '-o', 'x.json')
            self.assertFalse(os.path.exists(self.path('x.json')))


if __name__ == '__main__':
    main()
