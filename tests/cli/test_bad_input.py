# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong in a file, a value or a path: said with the node, the value and what to do, with the right exit status,
nothing but results on standard output, and everything that does not need it still evaluated."""
import json
import os
import subprocess
import unittest

from support import KINEO, KineoTest, main


def link(target):
    return {'link': target}


def number(value):
    return {'type': 'value/number', 'inputs': {'value': value}}


class BadInputTest(KineoTest):
    def graph(self, nodes, **more):
        self.write('a.json', {'kineograph': 1, 'nodes': dict(nodes, good=number(4)), **more})

    def values(self, *targets, status=0, arguments=()):
        """Evaluates at the first frame, beside a node that is good.  Returns the values and the messages."""
        result = self.kineo('eval', 'a.json', *targets, 'good', *arguments)
        self.assertEqual(result.status, status, result.err)
        values = result.lines()[0]['values']
        self.assertEqual(values['good.output'], 4)
        return values, result.err

    def invalid(self, message, content=None, **more):
        """A file that no command takes: exactly this on standard error."""
        if content is not None:
            self.write('a.json', content)
        for command in [['check', 'a.json'], ['eval', 'a.json', 'a'], ['render', 'a.json', 'a', '-o', 'x%d.png'],
                        ['render', 'a.json', 'a', '-o', '-'], ['info', 'a.json'], ['dot', 'a.json']]:
            with self.subTest(command):
                self.bad(3, message + '\n', *command, **more)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith('.png')], [])


class FileTest(BadInputTest):
    def test_cycle(self):
        self.graph({'a': number(link('b.output')), 'b': number(link('c.output')), 'c': number(link('a.output'))})
        result = self.kineo('check', 'a.json')
        self.assertEqual(result.status, 3)
        self.assertIn('/nodes/c/inputs/value: c.value would depend on itself: c.value → b.value → a.value → c.value',
                      result.err)

    def test_self(self):
        for source in [link('a.output'), {'expr': 'a.output + 1'}]:
            self.graph({'a': number(source)})
            column = self.read('a.json').index(json.dumps(source).encode()) + 1
            self.invalid(f'a.json:1:{column}: /nodes/a/inputs/value: a.value would depend on itself: a.value → a.value')

    def test_link_to_nothing(self):
        for target, message in [('gone.output', 'unknown node "gone": did you mean "good"?'), ('nothing.output', 'unknown node "nothing"'),
                                ('good.gone', 'good has no output "gone" (it has: output)')]:
            self.graph({'a': number(link(target))})
            column = self.read('a.json').index(b'{"link"') + 1
            self.invalid(f'a.json:1:{column}: /nodes/a/inputs/value: {message}')

    def test_wrong_kind(self):
        for source, message in [
                (link('c.geometry'), 'c.geometry is a geometry, which cannot be converted to a number'),
                ('three', 'expected a number, found a string')]:
            self.graph({'a': number(source), 'c': {'type': 'geometry/circle'}})
            column = self.read('a.json').index(json.dumps(source).encode()) + 1
            self.invalid(f'a.json:1:{column}: /nodes/a/inputs/value: {message}')

    def test_twice(self):
        self.invalid('a.json:1:73: /nodes/a/inputs/value: the name "value" occurs twice',
                     '{"kineograph":1,"nodes":{"a":{"type":"value/number","inputs":{"value":1,"value":2}}}}')
        self.invalid('a.json:1:54: /nodes/a: the name "a" occurs twice',
                     '{"kineograph":1,"nodes":{"a":{"type":"value/number"},"a":{"type":"value/number"}}}')

    def test_links_to_a_name_that_occurs_twice_are_not_judged(self):
        self.invalid('a.json:1:122: /nodes/a: the name "a" occurs twice',
                     '{"kineograph":1,"nodes":{"a":{"type":"geometry/grid"},'
                     '"b":{"type":"value/number","inputs":{"value":{"link":"a.output"}}},"a":{"type":"value/number"}}}')
        self.invalid('a.json:1:124: /nodes/a: the name "a" occurs twice',
                     '{"kineograph":1,"nodes":{"a":{"type":"geometry/grid"},'
                     '"b":{"type":"value/number","inputs":{"value":{"link":"a.geometry"}}},"a":{"type":"value/number"}}}')

    def test_truncated(self):
        whole = '{"kineograph":1,"nodes":{"a":{"type":"value/number","inputs":{"value":1}}}}'
        for length in range(len(whole)):
            self.write('a.json', whole[:length])
            result = self.kineo('check', 'a.json')
            self.assertEqual((result.status, result.out), (3, ''))
            self.assertRegex(result.err, r'^a\.json:1:\d+: ')
        self.invalid('a.json:1:38: /nodes/a/type: an unterminated string', whole[:44])

    def test_not_utf8(self):
        self.invalid('a.json:1:26: not UTF-8 (byte 0xff)', b'{"kineograph":1,"title":"\xff\xfe","nodes":{}}')

    def test_too_large_a_number(self):
        self.invalid('a.json:1:71: /nodes/a/inputs/value: 1e999 is too large for a number (the largest is about 1.8e308)',
                     '{"kineograph":1,"nodes":{"a":{"type":"value/number","inputs":{"value":1e999}}}}')

    def test_a_number_or_a_name_too_many_hides_nothing(self):
        self.invalid('a.json:1:71: /nodes/a/inputs/value: 1e999 is too large for a number (the largest is about 1.8e308)\n'
                     'a.json:1:79: /nodes/a: the name "a" occurs twice\n'
                     'a.json:1:131: /nodes/b/inputs/value: expected a number, found a string',
                     '{"kineograph":1,"nodes":{"a":{"type":"value/number","inputs":{"value":1e999}},"a":{},'
                     '"b":{"type":"value/number","inputs":{"value":"x"}}}}')

    def test_frames_backwards(self):
        self.invalid('a.json:1:26: /frames: frames 10 to 1: the last must not be before the first, and both must be within ±10^9',
                     '{"kineograph":1,"frames":{"start":10,"end":1,"rate":24},"nodes":{}}')

    def test_folder(self):
        os.mkdir(self.path('a.json'))
        self.invalid('a.json: Is a directory')

    def test_missing(self):
        self.invalid('a.json: No such file or directory')

    def test_unreadable(self):
        self.graph({'a': number(1)})
        os.chmod(self.path('a.json'), 0)
        os.chmod(self.folder, 0o755)
        # Root may read everything: another user stands in for the one who may not.
        other = {'user': 65534} if os.geteuid() == 0 else {}
        try:
            done = subprocess.run([KINEO, 'eval', 'a.json', 'a'], capture_output=True, cwd=self.folder, check=False,
                                  env=self.environment(), timeout=300, **other)
        except PermissionError:
            raise unittest.SkipTest('the program is not there for other users') from None
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, b'', b'a.json: Permission denied\n'))


class ValueTest(BadInputTest):
    def test_division_by_zero(self):
        self.graph({'a': number({'expr': '1 / (frame - 1)'}), 'b': number({'expr': '0 / 0'})})
        values, err = self.values('a', 'b', status=1)
        self.assertEqual((values['a.output'], values['b.output']), (None, None))
        self.assertIn('kineo: frame 1: a: value: column 1: the result is infinite: look for a division by zero', err)
        self.assertIn('kineo: frame 1: b: value: column 1: ', err)
        values, err = self.values('a', status=0, arguments=['--frame', '2'])
        self.assertEqual((values['a.output'], err), (1, ''))

    def test_expression_of_itself(self):
        self.graph({'a': number(1)})
        self.usage('--set a.value={"expr": "a.output"}: a.value would depend on itself: a.value → a.value', 'eval', 'a.json',
                   'a', '--set', 'a.value={"expr": "a.output"}')

    def test_keys_at_the_same_time(self):
        self.graph({'a': number({'keys': [[1, 0], [3, 2], {'frame': 3, 'value': 8, 'interpolation': 'linear'}, [5, 10]]})})
        result = self.kineo('eval', 'a.json', 'a', '--frames', '1-5')
        self.assertEqual((result.status, result.err), (0, ''))
        values = [line['values']['a.output'] for line in result.lines()]
        self.assertEqual(values[2:], [8, 9, 10])  # a jump to the later one

    def test_curve_without_length(self):
        self.graph({'dot': {'type': 'curve/spline', 'inputs': {'points': '1 2\n1 2'}},
                    'on': {'type': 'curve/evaluate', 'inputs': {'geometry': link('dot.geometry'), 'parameter': 0.5}},
                    'one': {'type': 'curve/spline', 'inputs': {'points': '1 2'}},
                    'none': {'type': 'curve/spline', 'inputs': {'points': ''}}})
        values, err = self.values('dot.length', 'on.point', 'on.tangent', 'one.length', 'one.segments', 'none',
                                  status=1)
        self.assertEqual((values['dot.length'], values['on.point']), (0, [1, 2, 0]))
        self.assertEqual(sum(x * x for x in values['on.tangent']), 1)
        self.assertEqual((values['one.length'], values['one.segments']), (0, 1))
        self.assertIsNone(values['none.geometry'])
        self.assertEqual(err, 'kineo: frame 1: none: no points: a curve needs at least 2\n'
                              'kineo: frame 1: warning: dot: segment 0 of the curve is a single point: its speed is '
                              'zero\n'
                              'kineo: frame 1: warning: one: a curve needs at least 2 points: the single point is '
                              'used as a curve that stays there\n')

    def test_collapsed_lattice(self):
        self.graph({'l': {'type': 'deform/ffd_lattice', 'inputs': {'s': [0, 0, 0]}}, 'b': {'type': 'geometry/box'},
                    'f': {'type': 'deform/ffd', 'inputs': {'geometry': link('b.geometry'), 'lattice': link('l.lattice')}}})
        values, err = self.values('f', status=1)
        self.assertIsNone(values['f.deformed'])
        self.assertEqual(err, 'kineo: frame 1: l: the frame of the lattice is flat: give it an extent in all three directions\n')

    def test_goal_at_the_base(self):
        for method in ['damped-least-squares', 'ccd', 'fabrik']:
            for lengths, nearest in [('1\n1\n1', 0), ('2', 2), ('3\n1', 2)]:
                with self.subTest(method=method, lengths=lengths):
                    self.graph({'c': {'type': 'rig/chain', 'inputs': {'lengths': lengths}},
                                'ik': {'type': 'rig/ik', 'inputs': {'skeleton': link('c.skeleton'), 'goal': [0, 0, 0],
                                                                    'max_iterations': 1000, 'method': method}}})
                    values, err = self.values('ik.end', 'ik.residual')
                    self.assertEqual(err, '')
                    self.assertAlmostEqual(values['ik.residual'], nearest, delta=2e-3)
                    self.assertAlmostEqual(sum(x * x for x in values['ik.end']) ** 0.5, values['ik.residual'], places=9)

    def test_no_such_joint(self):
        self.graph({'c': {'type': 'rig/chain'},
                    'ik': {'type': 'rig/ik', 'inputs': {'skeleton': link('c.skeleton'), 'end_joint': 'hand'}},
                    'arm': {'type': 'rig/ik_two_bone', 'inputs': {'limb': link('c.skeleton'), 'end_joint': 'joint2'}},
                    'many': {'type': 'rig/chain', 'inputs': {'lows': [-1, -2]}}})
        values, err = self.values('ik', 'arm', 'many', 'c', status=1)
        self.assertIsNotNone(values['c.skeleton'])
        self.assertEqual(err, 'kineo: frame 1: ik: the skeleton has no joint "hand"\n'
                              'kineo: frame 1: arm: joint "joint2" has 1 joints above it: the end of two bones needs '
                              'at least 2\n'
                              'kineo: frame 1: many: lows has 2 values for 4 joints: give one for all, or one per '
                              'joint (the end can be left out)\n')

    def test_no_particles(self):
        self.graph({'p': {'type': 'sim/particles', 'inputs': {'rate': 0}},
                    'd': {'type': 'render/draw', 'inputs': {'geometries': [link('p.geometry')], 'width': 8, 'height': 8}}})
        values, err = self.values('p', 'd', arguments=['--frame', '9'])
        self.assertEqual((values['p.geometry']['points']['P'], err), ([], ''))
        self.assertEqual(values['d.image']['width'], 8)

    def test_empty_mesh(self):
        nodes = {'m': {'type': 'geometry/merge'},
                 't': {'type': 'geometry/transform', 'inputs': {'geometry': link('m.geometry')}},
                 'p': {'type': 'sim/particles', 'inputs': {'shape': 'surface', 'emitter': link('m.geometry')}},
                 'd': {'type': 'render/draw', 'inputs': {'geometries': [link('t.transformed')], 'width': 8, 'height': 8}},
                 'l': {'type': 'deform/ffd_lattice', 'inputs': {'geometry': link('m.geometry')}},
                 'e': {'type': 'curve/evaluate', 'inputs': {'geometry': link('m.geometry')}}}
        self.graph(nodes)
        values, _ = self.values('t', 'd', 'e', status=1)
        self.assertEqual(values['t.transformed']['points']['P'], [])
        self.assertIsNotNone(values['d.image'])
        self.assertIsNone(values['e.point'])
        for target in ['p', 'l', 'e']:
            result = self.kineo('eval', 'a.json', target, 'good')
            self.assertEqual(result.lines()[0]['values']['good.output'], 4)
            if result.status != 0:
                self.assertEqual(result.status, 1)
                self.assertRegex(result.err, rf'^kineo: frame 1: {target}: .{{10}}')

    def test_sizes_of_pictures(self):
        self.graph({'none': {'type': 'image/constant', 'inputs': {'width': 0, 'height': -3}},
                    'large': {'type': 'image/constant', 'inputs': {'width': 100000, 'height': 100000}},
                    'moved': {'type': 'image/transform', 'inputs': {'image': link('none.image')}}})
        values, err = self.values('none', 'large', 'moved', status=1)
        self.assertEqual((values['none.image']['width'], values['none.image']['height']), (1, 1))
        self.assertEqual(values['moved.transformed']['width'], 1)
        self.assertIsNone(values['large.image'])
        self.assertEqual(err, 'kineo: frame 1: large: an image of 65535 × 65535 pixels: use 1 to 65535 per side and '
                              'at most 268435456 in all\n'
                              'kineo: frame 1: warning: none: width: 0 is outside 1 to 65535: 1 is used\n'
                              'kineo: frame 1: warning: none: height: -3 is outside 1 to 65535: 1 is used\n'
                              'kineo: frame 1: warning: large: width: 100000 is outside 1 to 65535: 65535 is used\n'
                              'kineo: frame 1: warning: large: height: 100000 is outside 1 to 65535: 65535 is used\n')

    def test_warnings_of_nodes_upstream_are_told_once(self):
        self.graph({'none': {'type': 'image/constant', 'inputs': {'width': {'expr': 'frame < 3 ? 0 : 5'}, 'height': 1}},
                    'moved': {'type': 'image/transform', 'inputs': {'image': link('none.image')}}})
        result = self.kineo('eval', 'a.json', 'moved', '--frames', '1-4')
        self.assertEqual(result.status, 0)
        self.assertEqual(result.err, 'kineo: frames 1-2: warning: none: width: 0 is outside 1 to 65535: 1 is used\n')

    def test_missing_asset(self):
        os.mkdir(self.path('folder.obj'))
        self.write('text.obj', 'this is no mesh')
        self.graph({'gone': {'type': 'geometry/import', 'inputs': {'path': 'gone.obj'}},
                    'folder': {'type': 'geometry/import', 'inputs': {'path': 'folder.obj'}},
                    'empty': {'type': 'geometry/import'}, 'text': {'type': 'geometry/import', 'inputs': {'path': 'text.obj'}}})
        values, err = self.values('gone', 'folder', 'empty', 'text', status=1)
        lines = err.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[0], r'^kineo: frame 1: gone: .*gone\.obj: No such file or directory$')
        self.assertRegex(lines[1], r'^kineo: frame 1: folder: .*folder\.obj is a folder, not a mesh$')
        self.assertRegex(lines[2], r'^kineo: frame 1: empty: path is empty: choose a file')
        self.assertRegex(lines[3], r'^kineo: frame 1: text: .*text\.obj')
        self.assertEqual([values[f'{name}.geometry'] for name in ('gone', 'folder', 'empty', 'text')], [None] * 4)

    def test_unknown_type(self):
        """It evaluates to an error, as the target itself and as what feeds it; the others are evaluated."""
        self.graph({'k': {'type': 'nobody/knows'}, 'r': number(link('k.out'))}, display='k')
        for name in ['k', 'k.out']:
            values, err = self.values(name, 'r', status=1)
            self.assertEqual((values[name], values['r.output']), (None, None))
            self.assertRegex(err, r'^kineo: frame 1: k: unknown node type "nobody/knows".*\n$')
        for target in [[], ['k'], ['k.out']]:
            result = self.kineo('render', 'a.json', *target, '-o', 'x%d.png')
            self.assertEqual((result.status, result.out), (1, ''))
            self.assertRegex(result.err, r'^kineo: k: unknown node type "nobody/knows".*\n$')
        result = self.kineo('eval', 'a.json')
        self.assertEqual((result.status, result.lines()[0]['values']), (1, {'k': None}))

    def test_frame_range_backwards(self):
        self.graph({})
        for command in ['eval', 'render']:
            self.usage('--frames: the frames 9-1 are reversed: write 1-9', command, 'a.json', 'good', '--frames', '9-1')
        graph = {'p': {'type': 'image/constant', 'inputs': {'width': 4, 'height': 4}},
                 'f': {'type': 'render/file', 'inputs': {'image': link('p.image'), 'path': 'x%d.png', 'first': 9, 'last': 1}}}
        self.graph(graph)
        why = 'f: the frames 9-1 are reversed: write 1-9'
        self.bad(1, f'kineo: {why}\nkineo: 1 of 1 files were not rendered: {why}\n', 'render', 'a.json')


class FullDiskTest(BadInputTest):
    def setUp(self):
        super().setUp()
        self.graph({'p': {'type': 'image/constant', 'inputs': {'width': 64, 'height': 64}}}, display='p.image')

    def test_every_command_that_prints(self):
        preset = os.path.join(os.environ['KG_SOURCE'], 'data', 'presets', 'clock.preset.json')
        for command in [['check', 'a.json'], ['eval', 'a.json', 'good'], ['info', 'a.json'], ['dot', 'a.json'], ['nodes'],
                        ['schema'], ['new'], ['--help'], ['render', '--help'], ['presets', 'list'],
                        ['presets', 'check', preset], ['presets', 'upgrade', 'a.json']]:
            with self.subTest(command), open('/dev/full', 'wb') as full:
                result = self.kineo(*command, stdout=full)
                self.assertEqual((result.status, result.err),
                                 (1, 'kineo: cannot write to standard output: No space left on device\n'))

    def test_pictures(self):
        for name in ['full.png', 'full.exr']:
            with self.subTest(name):
                os.symlink('/dev/full', self.path(name))
                result = self.kineo('render', 'a.json', '-o', name, '--frames', '1')
                self.assertEqual((result.status, result.out), (1, ''))
                self.assertRegex(result.err, rf'^kineo: frame 1: {name} cannot be written: No space left on device\n')
                self.assertEqual(os.readlink(self.path(name)), '/dev/full')

    def test_old_pictures_survive(self):
        self.write('new.json', {'kineograph': 1, 'display': 'p.image', 'nodes': {
            'p': {'type': 'image/constant', 'inputs': {'width': 64, 'height': 64, 'color': [1, 0.5, 0.25, 1]}}}})
        for name in ['a.png', 'a.exr']:
            for limit in [0, 200]:
                with self.subTest((name, limit)):
                    self.good('render', 'a.json', '-o', name, '--frames', '1', '--progress', 'none')
                    old, names = self.read(name), os.listdir(self.folder)
                    result = self.kineo('render', 'new.json', '-o', name, '--frames', '1', limit=limit)
                    self.assertEqual(result.status, 1)
                    self.assertRegex(result.err, rf'^kineo: frame 1: {name} cannot be written: File too large\n')
                    self.assertEqual((self.read(name), sorted(os.listdir(self.folder))), (old, sorted(names)))

    def test_links_stay_links(self):
        for name in ['a.png', 'a.exr']:
            with self.subTest(name):
                os.symlink('real-' + name, self.path(name))
                self.write('real-' + name, b'old')
                os.chmod(self.path('real-' + name), 0o640)
                self.good('render', 'a.json', '-o', name, '--frames', '1', '--progress', 'none')
                self.assertEqual(os.readlink(self.path(name)), 'real-' + name)
                self.assertGreater(len(self.read('real-' + name)), 100)
                self.assertEqual(os.stat(self.path('real-' + name)).st_mode & 0o777, 0o640)

    def test_exr_into_a_pipe(self):
        os.mkfifo(self.path('p.exr'))
        with open(os.open(self.path('p.exr'), os.O_RDONLY | os.O_NONBLOCK), 'rb'):
            result = self.kineo('render', 'a.json', '-o', 'p.exr', '--frames', '1')
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r'p\.exr cannot be written: OpenEXR needs to seek in its file, which a pipe cannot do: name a file\n')
        self.assertTrue(os.path.exists(self.path('p.exr')))

    def test_convert(self):
        self.good('render', 'a.json', '-o', 'a.png', '--frames', '1', '--progress', 'none')
        os.symlink('/dev/full', self.path('full.png'))
        self.bad(1, 'kineo: full.png cannot be written: No space left on device\n', 'convert', 'a.png', 'full.png')


main()
