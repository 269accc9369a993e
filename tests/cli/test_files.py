# SPDX-License-Identifier: GPL-3.0-or-later
"""kineo check, info, dot, new, schema, nodes, convert: and files that are not what they should be."""
import base64
import copy
import json
import os
import shutil
import struct
import subprocess
import unittest
import zlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

from support import KINEO, NUMBERS, KineoTest, main


def png(width, height, pixel):
    """An 8-bit RGB picture of one colour."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = (b'\0' + bytes(pixel) * width) * height
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


class CheckTest(KineoTest):
    def problems(self, text):
        """The lines that check prints for an invalid file."""
        self.write('a.json', text)
        result = self.kineo('check', 'a.json')
        self.assertEqual((result.status, result.out), (3, ''), result.err)
        lines = result.err.splitlines()
        for line in lines:
            self.assertRegex(line, r'^a\.json:(\d+:\d+:)? .*\S')
        return lines

    def test_valid(self):
        self.write('a.json', NUMBERS)
        self.assertEqual(self.good('check', 'a.json'), 'a.json: valid, 3 nodes, 0 warnings\n')
        self.assertEqual(self.good('check', '-', stdin=self.read('a.json')), 'standard input: valid, 3 nodes, 0 warnings\n')

    def test_several(self):
        self.write('a.json', NUMBERS)
        self.write('b.json', '[')
        result = self.kineo('check', 'a.json', 'b.json', 'a.json')
        self.assertEqual(result.status, 3)
        self.assertEqual(result.out, 'a.json: valid, 3 nodes, 0 warnings\n' * 2)
        self.assertTrue(result.err.startswith('b.json:1:'))

    def test_missing_and_folder(self):
        self.bad(3, 'nothing.json: No such file or directory\n', 'check', 'nothing.json')
        self.bad(3, '/: Is a directory\n', 'check', '/')

    def test_not_json(self):
        for text in ['', '[', '{', '{"kineograph": 1', 'x', '{"kineograph": 1,}', '[' * 100000, b'{"kineograph": 1, "title": "\xff"}',
                     '{"kineograph": 1e999}', '{"kineograph": 1} 2', '\ufeff{"kineograph": 1}', 'null', '[]', '3']:
            with self.subTest(text[:40]):
                self.problems(text)

    def test_pointer_of_unknown_names(self):
        for text, pointer in [('{"kineograph": 1, "extra": 1}', '/extra'), ('{"kineograph": 1, "a/b~": 1}', '/a~1b~0'),
                              ('{"kineograph": 1, "frames": {"stop": 1}}', '/frames/stop'),
                              ('{"kineograph": 1, "nodes": {"x": {"type": "value/number", "size": 1}}}', '/nodes/x/size')]:
            with self.subTest(text):
                self.assertIn(f': {pointer}: unknown name', self.problems(text)[0])

    def test_huge(self):
        """Texts that are long in one thing only: one message, soon, and little more memory than the text itself."""
        n = 100_000_000
        texts = {
            'nested more than 512 levels deep': (b'', b'[', n, b''),
            'nested more than  512 levels deep': (b'', b'{"a":', n // 5, b''),
            'a number of more than 4096 characters': (b'{"kineograph": ', b'1', n, b''),
            'longer than 16777216 bytes': (b'{"kineograph": 1, "title": "', b'x', n, b'"}'),
            'longer than 4096 bytes': (b'{"', b'x', n, b'": 1}'),
            'more than 20000000 values': (b'[', b'0,', n // 2, b''),
        }
        for message, (head, unit, times, tail) in texts.items():
            with self.subTest(message):
                # In parts: the memory of this program would be counted as that of its child.
                with open(self.path('a.json'), 'wb') as f:
                    f.write(head)
                    for _ in range(times // 100_000):
                        f.write(unit * 100_000)
                    f.write(tail)
                self.check_huge(' '.join(message.split()), n)

    def test_many_problems(self):
        with open(self.path('a.json'), 'wb') as f:
            f.write(b'{"kineograph": 1')
            for i in range(300_000):
                f.write(b',"%x":0' % i)
            f.write(b'}')
        self.check_huge('more than 1000 problems: the others are not shown', 3_000_000)

    def check_huge(self, message, size):
        with subprocess.Popen([KINEO, 'check', self.path('a.json')], stderr=subprocess.PIPE) as process:
            err = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 3)
        self.assertIn(message, err.decode('utf-8'))
        self.assertLess(len(err), 1_000_000)
        if os.environ['KG_SANITIZE'] == 'none':
            self.assertLess(usage.ru_maxrss * 1024, size + (450 << 20))

    def test_everything_at_once(self):
        graph = copy.deepcopy(NUMBERS)
        graph['nodes']['a']['inputs']['nothing'] = 1
        graph['nodes']['b']['inputs']['index'] = 'three'
        graph['nodes']['c']['inputs']['value'] = {'link': 'nobody.value'}
        graph['extra'] = 1
        lines = '\n'.join(self.problems(graph))
        for pointer in ['/nodes/a/inputs/nothing', '/nodes/b/inputs/index', '/nodes/c/inputs/value']:
            self.assertIn(f' {pointer}: ', lines)
        self.assertIn('"extra"', lines)

    def test_cycles(self):
        for source in [{'link': 'c.shifted'}, {'link': 'b.value'}, {'link': 'a.shifted'}, {'expr': 'c.shifted'}]:
            with self.subTest(source):
                graph = copy.deepcopy(NUMBERS)
                graph['nodes']['a']['inputs']['value'] = source
                self.problems(graph)

    def test_duplicate_names(self):
        lines = self.problems('{"kineograph": 1, "nodes": {"a": {"type": "graph/note"}, "a": {"type": "graph/note"}}}')
        self.assertEqual(len(lines), 1)
        self.assertIn('a.json:1:', lines[0])

    def test_position(self):
        lines = self.problems('{\n  "kineograph": 1,\n  "nodes": {\n    "ä": 3\n  }\n}')
        self.assertTrue(lines[0].startswith('a.json:4:'), lines)

    def test_unknown_type_is_a_warning(self):
        graph = copy.deepcopy(NUMBERS)
        graph['nodes']['z'] = {'type': 'future/thing', 'inputs': {'x': 1}}
        self.write('a.json', graph)
        result = self.kineo('check', 'a.json')
        self.assertEqual((result.status, result.out), (1, 'a.json: valid, 4 nodes, 1 warning\n'))
        self.assertEqual(result.err, 'a.json: warning: z: unknown type "future/thing" (the node is kept, but cannot '
                                     'be evaluated)\n')

    def warnings(self, nodes, *options, **more):
        self.write('w.json', {'kineograph': 1, 'nodes': nodes, **more})
        result = self.kineo('check', 'w.json', *options)
        lines = [line.removeprefix('w.json: warning: ') for line in result.err.splitlines()]
        self.assertEqual(result.status, 1 if lines else 0, result.err)
        self.assertIn(f'{len(lines)} warning' + ('s' if len(lines) != 1 else ''), result.out)
        return lines

    def test_out_of_range(self):
        nodes = {'c': {'type': 'geometry/circle', 'inputs': {'radius': -1}},
                 'k': {'type': 'geometry/circle', 'inputs': {'radius': {'keys': [[1, 2], [9, -3]]}}}}
        self.assertEqual(self.warnings(nodes, '--quick'), ['c: radius: -1 is outside 0 to inf: 0 is used',
                                                           'k: radius: -3 is outside 0 to inf: 0 is used'])
        # Each is reported once, by the file and by the node.
        self.assertEqual(len(self.warnings(nodes)), 2)

    def test_what_contradicts_itself(self):
        nodes = {'e': {'type': 'motion/ease', 'inputs': {'shape': 'sine-linear', 'k1': 0.9, 'k2': 0.3}},
                 'm': {'type': 'value/math', 'inputs': {'a': {'link': 'e'}}},
                 'p': {'type': 'rig/wire_figure', 'inputs': {'bodies': '0 1 zero'}}}
        lines = self.warnings(nodes)
        self.assertEqual([line.split(':')[0] for line in lines], ['e', 'p'], lines)
        self.assertIn('k1 is 0.9 and k2 is 0.3', lines[0])
        self.assertIn('zero', lines[1])
        # What holds images, simulations, and what reads them, is not tried; files are missed all the same.
        lines = self.warnings({'i': {'type': 'image/import', 'inputs': {'path': 'gone.png'}},
                               'o': {'type': 'image/transform', 'inputs': {'image': {'link': 'i'}}}})
        self.assertEqual([line.split(':')[0] for line in lines], ['i'], lines)
        self.assertIn('gone.png', lines[0])

    def test_mistyped(self):
        lines = self.warnings({'x': {'type': 'motion/esae'}, 'ring': {'type': 'geometry/circle'},
                               'r': {'type': 'geometry/circle', 'inputs': {'radius': {'expr': 'rnig.radius'}}}})
        self.assertEqual(lines, ['x: unknown type "motion/esae" (the node is kept, but cannot be evaluated): did you mean '
                                 '"motion/ease"?', 'r: radius: column 1: rnig.radius does not exist: did you mean "ring"?'])
        for source, message in [({'link': 'rnig.geometry'}, 'unknown node "rnig": did you mean "ring"?'),
                                ({'link': 'ring.geometri'}, 'ring has no output "geometri" (it has: geometry): did you mean '
                                                            '"geometry"?')]:
            self.write('w.json', {'kineograph': 1, 'nodes': {
                'ring': {'type': 'geometry/circle'}, 't': {'type': 'geometry/transform', 'inputs': {'geometry': source}}}})
            result = self.kineo('check', 'w.json')
            self.assertEqual(result.status, 3)
            self.assertTrue(result.err.rstrip().endswith(message), result.err)
        self.write('scene.json', NUMBERS)
        self.bad(3, 'scnee.json: No such file or directory: did you mean "scene.json"?\n', 'check', 'scnee.json')

    def test_link_to_a_node_alone(self):
        self.write('w.json', {'kineograph': 1, 'nodes': {
            't': {'type': 'geometry/transform', 'inputs': {'geometry': {'link': 'ring'}}},
            'm': {'type': 'geometry/merge', 'inputs': {'geometries': [{'link': 'ring'}, {'link': 't'}]}},
            'ring': {'type': 'geometry/circle'}, 'none': {'type': 'graph/note'}}})
        self.good('check', 'w.json')
        self.assertIn('"points"', self.good('eval', 'w.json', 'm', '--set', 't.geometry={"link": "ring"}'))
        self.write('w.json', {'kineograph': 1, 'nodes': {
            't': {'type': 'geometry/transform', 'inputs': {'geometry': {'link': 'none'}}}, 'none': {'type': 'graph/note'}}})
        self.assertIn('none cannot be linked: it has no outputs at all', self.kineo('check', 'w.json').err)

    def test_lost_display_is_a_warning(self):
        graph = copy.deepcopy(NUMBERS)
        graph['display'] = 'gone.value'
        self.write('a.json', graph)
        result = self.kineo('check', 'a.json')
        self.assertIn('gone', result.err)

    def test_invalid_file_for_every_command(self):
        self.write('a.json', '{')
        for command in [['eval', 'a.json', 'a'], ['render', 'a.json', '-o', 'a.%d.png'], ['info', 'a.json'], ['dot', 'a.json']]:
            with self.subTest(command):
                result = self.kineo(*command)
                self.assertEqual((result.status, result.out), (3, ''))
                self.assertTrue(result.err.startswith('a.json:1:'))


class InfoTest(KineoTest):
    def test_text(self):
        self.write('a.json', NUMBERS)
        self.assertEqual(self.good('info', 'a.json'),
                         'title:   Numbers\nframes:  1-48 at 24 per second, 2.00 seconds\ndisplay: c.shifted\n'
                         'nodes:   3 (2 links, 1 expressions, 0 keyed inputs)\n'
                         '       1 graph/switch\n       2 graph/time_shift\n')

    def test_json(self):
        graph = copy.deepcopy(NUMBERS)
        graph['title'] = 'a "b" \\ \n ä'
        graph['nodes']['z'] = {'type': 'future/thing'}
        self.write('a.json', graph)
        info = json.loads(self.good('info', 'a.json', '--json'))
        self.assertEqual(info['title'], graph['title'])
        self.assertEqual(info['frames'], {'start': 1, 'end': 48, 'rate': 24})
        self.assertEqual(info['types'], {'future/thing': 1, 'graph/switch': 1, 'graph/time_shift': 2})
        self.assertEqual(info['unknown_types'], ['future/thing'])
        self.assertEqual((info['nodes'], info['links'], info['expressions'], info['keyed']), (4, 2, 1, 0))


class DotTest(KineoTest):
    def test_edges(self):
        graph = copy.deepcopy(NUMBERS)
        graph['title'] = 'a "b" \\'
        graph['nodes']['c']['inputs']['offset'] = {'expr': 'a.shifted + b.value'}
        self.write('a.json', graph)
        out = self.good('dot', 'a.json')
        self.assertTrue(out.startswith('digraph "a \\"b\\" \\\\" {\n'))
        self.assertIn('  "a" -> "b" [label="shifted → values"];\n', out)
        self.assertIn('  "b" -> "c" [label="value"];\n', out)
        self.assertIn('  "a" -> "c" [label="shifted → offset", style=dashed];\n', out)
        graph['nodes']['b'] = {'type': 'other/thing', 'inputs': {}}
        graph['nodes']['d'] = {'type': 'value/math', 'inputs': {'a': {'link': 'b.one'}}}
        self.write('a.json', graph)
        out = self.good('dot', 'a.json')
        self.assertIn('  "b" -> "d" [label="one → a"];\n', out)
        if shutil.which('dot'):
            subprocess.run(['dot', '-Tsvg'], input=out.encode(), stdout=subprocess.DEVNULL, check=True)


class NewTest(KineoTest):
    def test_empty_graph_is_valid(self):
        self.write('a.json', self.good('new'))
        self.assertEqual(self.good('check', 'a.json'), 'a.json: valid, 0 nodes, 0 warnings\n')

    def test_options(self):
        graph = json.loads(self.good('new', '--title', 'Nöd', '--frames', '10-58', '--rate', '25'))
        self.assertEqual(graph['title'], 'Nöd')
        self.assertEqual(graph['frames'], {'start': 10, 'end': 58, 'rate': 25})

    def test_bad_options(self):
        self.assertEqual(self.kineo('new', '--rate=-3').status, 2)
        self.assertEqual(self.kineo('new', '--rate', '0').status, 2)
        for rate in ('x', '24x', ' 24', '0x18', 'inf'):
            self.usage(f'--rate: "{rate}" is not a number', 'new', '--rate', rate)
        self.usage('--frames: the frames 9-1 are reversed: write 1-9', 'new', '--frames', '9-1')


class NodesTest(KineoTest):
    def test_list(self):
        ids = [line.split()[0] for line in self.good('nodes').splitlines()]
        self.assertEqual(ids, sorted(ids))
        self.assertIn('graph/switch', ids)
        family = [line.split()[0] for line in self.good('nodes', 'graph').splitlines()]
        self.assertEqual(family, [name for name in ids if name.startswith('graph/')])

    def test_one(self):
        out = self.good('nodes', 'graph/switch')
        self.assertTrue(out.startswith('graph/switch: Switch\n\n'))
        for part in ['\nInputs:\n', '\nOutputs:\n', '  index            integer = 0, 0..65535\n']:
            self.assertIn(part, out)

    def test_conditions_and_choices(self):
        out = self.good('nodes', 'motion/ease')
        self.assertRegex(out, r'\n  k1 .*\n.*\n +Used when shape is sine-linear or parabolic\.\n')
        self.assertRegex(out, r'\n +sine-linear +[A-Z].*\n')
        ease = {slot['name']: slot for slot in json.loads(self.good('nodes', 'motion/ease', '--json'))['inputs']}
        self.assertEqual(ease['k1']['shown_when'], 'shape=sine-linear|parabolic')
        self.assertTrue(ease['k1']['used_when'].startswith('Shape is '), ease['k1']['used_when'])
        self.assertEqual(len(ease['shape']['choices']), len(ease['shape']['choice_labels']))
        self.assertIn('Used when like is not linked.', self.good('nodes', 'image/constant'))

    def test_json_agrees_with_itself(self):
        types = json.loads(self.good('nodes', '--json'))
        for node in types:
            if node['id'].startswith('graph/'):
                self.assertEqual(json.loads(self.good('nodes', node['id'], '--json')), node)
            names = [slot['name'] for slot in node['inputs'] + node['outputs']]
            self.assertEqual(len(names), len(set(names)), node['id'])
            self.assertTrue(node['help'], node['id'])

    def test_unknown(self):
        self.usage('unknown node type or family "grph" ("kineo nodes" lists them): did you mean "graph"?', 'nodes', 'grph')


def shape(value):
    """A value without its numbers, and without what links and expressions say; lengths of lists count, up to more than any
    limit.  So limits of numbers are tried by the first node of each shape."""
    if isinstance(value, dict):
        return tuple((name, None if name in ('link', 'expr') else shape(value[name])) for name in sorted(value))
    if isinstance(value, list):
        return (min(len(value), 17), *sorted({shape(item) for item in value}, key=repr))
    return type(value) if isinstance(value, (int, float)) else value


def drop_known_nodes(document, known):
    """Without the nodes whose shape is known: the validator, which takes its time, need not see them again."""
    if isinstance(document, list):
        return [drop_known_nodes(item, known) for item in document]
    if not isinstance(document, dict):
        return document
    result = {name: drop_known_nodes(value, known) for name, value in document.items()}
    if isinstance(result.get('nodes'), dict):
        for name, node in document['nodes'].items():
            what = shape({key: value for key, value in node.items() if key not in ('at', 'comment')})
            if what in known:
                del result['nodes'][name]
            known.add(what)
    return result


# Under a sanitizer the validator, which is not ours, would only take its time.
VALIDATES = jsonschema is not None and os.environ['KG_SANITIZE'] == 'none'


class SchemaTest(KineoTest):
    made = None

    def test_is_json_and_knows_the_types(self):
        text = self.good('schema')
        schema = json.loads(text)
        self.assertEqual(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema')
        for node in json.loads(self.good('nodes', '--json')):
            self.assertIn(f'"{node["id"]}"', text)

    @unittest.skipUnless(VALIDATES, 'python3-jsonschema is not installed, or a sanitizer is at work')
    def test_accepts_what_is_right(self):
        validator = self.validator()
        graphs, known = os.environ['KG_GRAPHS'], set()
        for folder in (graphs, os.path.join(graphs, 'presets'), os.path.join(graphs, os.pardir, 'data', 'presets')):
            for name in sorted(os.listdir(folder)):
                if name.endswith('.json'):
                    with self.subTest(name), open(os.path.join(folder, name), encoding='utf-8') as f:
                        document = drop_known_nodes(json.load(f), known)
                        self.assertEqual([e.message for e in validator.iter_errors(document)], [])
        self.assertTrue(validator.is_valid(NUMBERS))
        box = {'type': 'geometry/box', 'inputs': {'size': [{'expr': 't'}, 1, {'keys': [[1, 0], [9, 2]]}]}}
        self.assertTrue(validator.is_valid({'kineograph': 1, 'nodes': {'a': box}}), 'components have sources')

    @unittest.skipUnless(VALIDATES, 'python3-jsonschema is not installed, or a sanitizer is at work')
    def test_refuses_what_is_wrong(self):
        validator = self.validator()
        node = {'type': 'geometry/box'}
        for bad in [3, [], {}, {'kineograph': 0}, {'kineograph': 'one'}, {'kineograph': 1, 'extra': 1},
                    {'kineograph': 1, 'title': 3}, {'kineograph': 1, 'frames': {'start': 'x'}},
                    {'kineograph': 1, 'frames': {'stop': 3}}, {'kineograph': 1, 'nodes': []},
                    {'kineograph': 1, 'nodes': {'a': 3}}, {'kineograph': 1, 'nodes': {'a': {}}},
                    {'kineograph': 1, 'nodes': {'a': {'type': 3}}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, at=[1])}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, size=3)}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, inputs={'nothing': 3})}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, inputs={'size': 'large'})}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, inputs={'size': [1, 2, 'x']})}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, inputs={'size': {'link': 3}})}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, inputs={'size': [1, {'link': 3}, 2]})}},
                    {'kineograph': 1, 'nodes': {'a': dict(node, inputs={'size': [{'expr': '1'}]})}}]:
            with self.subTest(json.dumps(bad)):
                self.assertFalse(validator.is_valid(bad))
                self.write('a.json', bad)
                self.assertEqual(self.kineo('check', 'a.json').status, 3)

    def validator(self):
        """Made once: the schema itself is checked, which takes as long as a hundred graphs."""
        if SchemaTest.made is None:
            schema = json.loads(self.good('schema'))
            jsonschema.Draft202012Validator.check_schema(schema)
            SchemaTest.made = jsonschema.Draft202012Validator(schema)
        return SchemaTest.made


class ConvertTest(KineoTest):
    def test_picture(self):
        self.write('a.png', png(5, 3, (255, 128, 0)))
        self.good('convert', 'a.png', 'b.png', '--bits', '16')
        self.assertEqual(self.read('b.png')[16:25], struct.pack('>IIB', 5, 3, 16))
        self.good('convert', 'b.png', 'c.exr')
        self.assertEqual(self.read('c.exr')[:4], b'\x76\x2f\x31\x01')

    def test_bad_input(self):
        self.write('a.png', b'not an image')
        for name in ['a.png', 'missing.png']:
            with self.subTest(name):
                result = self.kineo('convert', name, 'b.png')
                self.assertEqual((result.status, result.out), (3, ''))
                self.assertTrue(result.err.startswith('kineo: '), result.err)
        self.assertFalse(os.path.exists(self.path('b.png')))

    def test_streams(self):
        self.write('a.png', png(5, 3, (255, 128, 0)))
        self.good('convert', 'a.png', 'a.exr')
        for name in ['a.png', 'a.exr']:
            with self.subTest(name):
                self.good('convert', name, 'b.png')
                for arguments in [[name, '-'], ['-', '-']]:
                    result = self.kineo('convert', *arguments, stdin=self.read(name))
                    self.assertEqual((result.status, result.err, result.data), (0, '', self.read('b.png')))
                self.good('convert', '-', 'c.png', stdin=self.read(name))
                self.assertEqual(self.read('c.png'), self.read('b.png'))
        self.assertEqual(self.kineo('convert', 'a.png', '-', '--bits', '16').data[16:25], struct.pack('>IIB', 5, 3, 16))

    def test_bad_streams(self):
        self.write('a.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')
        self.usage('a.obj is a mesh: only images can be written to standard output', 'convert', 'a.obj', '-')
        self.usage('standard input is read as an image, but b.obj is a mesh: name a file', 'convert', '-', 'b.obj')
        self.usage('--bits 32 is not possible for -: PNG has 8 or 16, EXR 16 or 32', 'convert', '-', '-', '--bits', '32')
        result = self.kineo('convert', '-', 'b.png', stdin=b'not an image')
        self.assertEqual((result.status, result.out), (3, ''))
        self.assertRegex(result.err, r'^kineo: standard input: .')
        self.assertNotIn('/', result.err, 'no name of a temporary file')
        self.write('a.png', png(5, 3, (255, 128, 0)))
        with open('/dev/full', 'wb') as full:
            result = self.kineo('convert', 'a.png', '-', stdout=full)
        self.assertEqual((result.status, result.err),
                         (1, 'kineo: cannot write to standard output: No space left on device\n'))

    def test_pipes_are_not_waited_for(self):
        for name, kind in [('a.png', 'an image'), ('a.exr', 'an image'), ('a.obj', 'a mesh')]:
            with self.subTest(name):
                os.mkfifo(self.path(name))
                to = 'b.ply' if kind == 'a mesh' else 'b.png'
                self.bad(3, f'kineo: {name} is a pipe, a socket or a device, not {kind}: name a regular file\n', 'convert',
                         name, to)

    def test_bad_output(self):
        self.write('a.png', png(2, 2, (1, 2, 3)))
        result = self.kineo('convert', 'a.png', 'no-such-folder/b.png')
        self.assertEqual((result.status, result.out), (1, ''))
        self.usage('--bits 12 is not possible for b.png: PNG has 8 or 16, EXR 16 or 32', 'convert', 'a.png', 'b.png',
                   '--bits', '12')
        self.assertEqual(self.kineo('convert', 'a.png', 'b.xyz').status, 2)


class MeshTest(KineoTest):
    SUFFIXES = ['obj', 'ply', 'glb', 'gltf']

    def setUp(self):
        super().setUp()
        self.grid('small.obj', 3)
        self.grid('big.obj', 60)

    def grid(self, name, n):
        """n by n points with the squares between them."""
        points = ''.join(f'v {x} {y} {x * y / n}\n' for y in range(n) for x in range(n))
        faces = ''.join(f'f {i} {i + 1} {i + n + 1} {i + n}\n' for y in range(n - 1) for i in range(y * n + 1, y * n + n))
        self.write(name, points + faces)

    def tree(self):
        """Every file of the folder with its bytes."""
        return {os.path.relpath(os.path.join(folder, name), self.folder): self.read(os.path.join(folder, name))
                for folder, _, names in os.walk(self.folder) for name in names}

    def count(self, name):
        """The numbers of points and faces of an .obj, and the sum of the heights."""
        lines = [line.split() for line in self.read(name).decode().splitlines()]
        heights = [float(line[3]) for line in lines if line[:1] == ['v']]
        return len(heights), sum(line[:1] == ['f'] for line in lines), round(sum(heights), 2)

    def test_round_trip(self):
        os.mkdir(self.path('sub.folder'))
        points, faces, heights = self.count('big.obj')
        for suffix in self.SUFFIXES:
            for name in [f'a.{suffix}', f'sub.folder/b.c.{suffix}', self.path(f'd e.{suffix}')]:
                with self.subTest(name):
                    before = set(self.tree())
                    self.good('convert', 'big.obj', name)
                    made = set(self.tree()) - before
                    self.assertEqual(len(made), 2 if suffix == 'gltf' else 1, made)
                    if suffix == 'gltf':
                        base = os.path.relpath(self.path(name), self.folder)
                        uris = [buffer['uri'] for buffer in json.loads(self.read(base))['buffers']]
                        self.assertEqual({base} | {os.path.join(os.path.dirname(base), uri) for uri in uris}, made)
                    self.good('convert', name, 'back.obj')
                    self.assertEqual(self.count('back.obj'), (points, faces * 2 if suffix.startswith('gl') else faces, heights))
                    os.remove(self.path('back.obj'))

    def test_full_disk(self):
        for suffix in self.SUFFIXES:
            self.good('convert', 'small.obj', f'a.{suffix}')
            self.write(f'a.part.{suffix}', b'somebody else\'s')
        before = self.tree()
        self.assertIn('a.bin', before)
        for suffix in self.SUFFIXES:
            # Nothing fits; the beginning does; of a .gltf all does but its numbers, which are in a file of their own.
            for limit in [0, 500, 16 << 10]:
                with self.subTest((suffix, limit)):
                    result = self.kineo('convert', 'big.obj', f'a.{suffix}', limit=limit)
                    name = 'a.bin' if suffix == 'gltf' and limit > 500 else f'a.{suffix}'
                    self.assertEqual((result.status, result.out, result.err),
                                     (1, '', f'kineo: {name} cannot be written: File too large\n'))
                    self.assertEqual(self.tree(), before)

    def test_full_device(self):
        for suffix in self.SUFFIXES:
            with self.subTest(suffix):
                name = f'full.{suffix}'
                os.symlink('/dev/full', self.path(name))
                self.bad(1, f'kineo: {name} cannot be written: No space left on device\n', 'convert', 'big.obj', name)
                self.assertEqual(os.readlink(self.path(name)), '/dev/full')
                self.assertEqual(sorted(os.listdir(self.folder)), sorted(['big.obj', 'small.obj', name]))
                os.remove(self.path(name))

    def test_links_and_modes(self):
        for suffix in self.SUFFIXES:
            with self.subTest(suffix):
                os.mkdir(self.path(suffix))
                self.write(f'{suffix}/real.{suffix}', b'old')
                os.chmod(self.path(f'{suffix}/real.{suffix}'), 0o640)
                os.symlink(f'real.{suffix}', self.path(f'{suffix}/link.{suffix}'))
                self.good('convert', 'small.obj', f'{suffix}/link.{suffix}')
                self.assertEqual(os.readlink(self.path(f'{suffix}/link.{suffix}')), f'real.{suffix}')
                self.assertEqual(os.stat(self.path(f'{suffix}/real.{suffix}')).st_mode & 0o777, 0o640)
                self.good('convert', f'{suffix}/link.{suffix}', 'back.obj')
                self.assertEqual(self.count('back.obj')[2], self.count('small.obj')[2])

    def test_folders(self):
        for suffix in self.SUFFIXES:
            with self.subTest(suffix):
                os.mkdir(self.path(f'folder.{suffix}'))
                self.bad(1, f'kineo: folder.{suffix} cannot be written: Is a directory\n', 'convert', 'small.obj', f'folder.{suffix}')
                self.bad(1, f'kineo: no/a.{suffix} cannot be written: cannot create a temporary file beside it: No '
                            f'such file or directory\n', 'convert', 'small.obj', f'no/a.{suffix}')


# Two triangles that share an edge, at right angles to each other: normal, then corners.
FACETS = [((0, 0, 1), (0, 0, 0), (2, 0, 0), (0, 3, 0)), ((0, -1, 0), (0, 0, 0), (2, 0, 0), (0, 0, -4))]


def ascii_stl(facets):
    text = ''.join('facet normal {} {} {}\n outer loop\n'.format(*normal) +
                   ''.join('  vertex {} {} {}\n'.format(*corner) for corner in corners) + ' endloop\nendfacet\n'
                   for normal, *corners in facets)
    return f'solid two\n{text}endsolid two\n'.encode()


def binary_stl(facets, n=None):
    """n: the number of facets that the file declares."""
    return (b'two'.ljust(80, b'\0') + struct.pack('<I', len(facets) if n is None else n) +
            b''.join(struct.pack('<12fH', *sum(facet, ()), 0) for facet in facets))


def fbx(up_axis=1, unit=100, corners='0,1,-3,0,1,3,-3', **more):
    """A triangle and a square moved by (10, 20, 30); the last corner of a face is written as its complement.  unit: in
    centimetres; more: FrontAxis ..., whole numbers too."""
    others = ''.join(f'\t\tP: "{name}", "int", "Integer", "",{value}\n' for name, value in more.items())
    return f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}}
GlobalSettings:  {{
	Version: 1000
	Properties70:  {{
		P: "UpAxis", "int", "Integer", "",{up_axis}
		P: "UnitScaleFactor", "double", "Number", "",{unit}
{others}	}}
}}
Objects:  {{
	Geometry: 1001, "Geometry::two", "Mesh" {{
		Vertices: *12 {{
			a: 0,0,0,2,0,0,0,3,0,2,3,4
		}}
		PolygonVertexIndex: *7 {{
			a: {corners}
		}}
		GeometryVersion: 124
	}}
	Model: 1002, "Model::two", "Mesh" {{
		Version: 232
		Properties70:  {{
			P: "Lcl Translation", "Lcl Translation", "", "A",10,20,30
		}}
	}}
}}
Connections:  {{
	C: "OO",1002,0
	C: "OO",1001,1002
}}
""".encode()


def dae(up_axis='Y_UP', unit=1):
    """The triangle of the FBX file, in the same place.  unit: in metres."""
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01</created><modified>2020-01-01</modified><unit name="u" meter="{unit}"/>
<up_axis>{up_axis}</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 2 0 0 0 3 0</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>10 20 30</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
""".encode()


class ImportTest(KineoTest):
    """Meshes of other programs through geometry/import."""

    def evaluate(self, status, inputs, version=2):
        """The geometries of import nodes with these inputs, by name, and the messages about them."""
        self.write('a.json', {'kineograph': 1, 'nodes': {
            name: {'type': 'geometry/import', 'version': version, 'inputs': values} for name, values in inputs.items()}})
        result = self.kineo('eval', 'a.json', *inputs)
        self.assertEqual(result.status, status, result.err)
        values = result.lines()[0]['values']
        return {name: values[f'{name}.geometry'] for name in inputs}, result.err

    def load(self, path, **inputs):
        values, err = self.evaluate(0, {'mesh': dict(inputs, path=path)})
        self.assertEqual(err, '')
        return values['mesh']

    def corners(self, mesh):
        """Of each face, the places of its corners."""
        return [[mesh['points']['P'][i] for i in face['points']] for face in mesh['primitives']]

    def test_stl(self):
        for name, content in [('a.stl', ascii_stl(FACETS)), ('b.STL', binary_stl(FACETS))]:
            with self.subTest(name):
                self.write(name, content)
                mesh = self.load(name)
                self.assertEqual(self.corners(mesh), [[list(corner) for corner in facet[1:]] for facet in FACETS])
                self.assertEqual([mesh['points']['N'][face['points'][0]] for face in mesh['primitives']],
                                 [list(facet[0]) for facet in FACETS])
                self.assertEqual(mesh['primitive_attributes']['object'], [0, 0])
                # Corners are one point where their normals are the same too.
                self.write(name, content.replace(b'0 -1 0', b'0 0 1') if name == 'a.stl' else
                           binary_stl([FACETS[0], FACETS[0][:1] + FACETS[1][1:]]))
                self.assertEqual([len(self.load(name, join=join)['points']['P']) for join in [True, False]], [4, 6])

    def test_fbx(self):
        square = [[10, 20, 30], [12, 20, 30], [12, 23, 34], [10, 23, 30]]
        self.write('a.fbx', fbx())
        mesh = self.load('a.fbx')
        self.assertEqual(self.corners(mesh), [[[10, 20, 30], [12, 20, 30], [10, 23, 30]], square])

    def check_corners(self, mesh, expected):
        corners = self.corners(mesh)
        self.assertEqual([len(face) for face in corners], [len(face) for face in expected])
        for face, wanted in zip(corners, expected):
            for point, place in zip(face, wanted):
                for x, y in zip(point, place):
                    self.assertAlmostEqual(x, y, delta=1e-6 * max(1, abs(y)))

    # Where (x, y, z) of a file goes, by what it declares; what another program makes of it is physics, not choice: the
    # axis called up is up, that called right is to the right.
    AXES = [
        ({}, lambda x, y, z: [x, y, z]),
        # As most programs with z up write it.
        ({'up_axis': 2, 'FrontAxis': 1, 'FrontAxisSign': -1}, lambda x, y, z: [x, z, -y]),
        ({'up_axis': 0, 'CoordAxis': 1, 'CoordAxisSign': -1}, lambda x, y, z: [-y, x, z]),
        ({'up_axis': 1, 'UpAxisSign': -1, 'FrontAxisSign': -1}, lambda x, y, z: [x, -y, -z]),
        ({'up_axis': 2, 'UpAxisSign': -1, 'FrontAxis': 1}, lambda x, y, z: [x, -z, y]),
        ({'up_axis': 2, 'CoordAxis': 1, 'FrontAxis': 0}, lambda x, y, z: [y, z, x]),
    ]
    FACES = [[[10, 20, 30], [12, 20, 30], [10, 23, 30]], [[10, 20, 30], [12, 20, 30], [12, 23, 34], [10, 23, 30]]]

    def test_fbx_axes_and_units(self):
        """Upright and in metres, only upright, or the numbers of the file: by what it declares."""
        for number, (declared, turn) in enumerate(self.AXES):
            for unit in [100, 1, 2.54]:
                name = f'{number}-{unit}.fbx'
                self.write(name, fbx(unit=unit, **declared))
                for space, scale in [('metres', unit / 100), ('axes', 1)]:
                    with self.subTest(name, space=space):
                        expected = [[[scale * x for x in turn(*corner)] for corner in face] for face in self.FACES]
                        self.check_corners(self.load(name, space=space), expected)
                        self.check_corners(self.load(name, space=space, scale=3),
                                           [[[3 * x for x in corner] for corner in face] for face in expected])
                self.assertEqual(self.corners(self.load(name, space='file')), self.FACES)
        self.assertEqual(self.load('1-1.fbx'), self.load('1-1.fbx', space='metres'))

    def test_fbx_left_handed(self):
        """A face shows the same side to the same place: seen from there its corners go round the other way."""
        self.write('a.fbx', fbx(CoordAxisSign=-1))
        self.assertEqual(self.corners(self.load('a.fbx')), [[[-x, y, z] for x, y, z in face[:1] + face[:0:-1]]
                                                            for face in self.FACES])

    def test_fbx_without_axes(self):
        """The defaults are centimetres and y up."""
        self.write('a.fbx', fbx().replace(b'GlobalSettings', b'OtherSettings'))
        self.check_corners(self.load('a.fbx'), [[[x / 100 for x in corner] for corner in face] for face in self.FACES])

    def test_fbx_of_older_graphs(self):
        """Graphs made before files were turned keep what was turned and scaled by hand, also when they are saved again."""
        self.write('a.fbx', fbx(up_axis=2, unit=1, FrontAxis=1, FrontAxisSign=-1))
        values, err = self.evaluate(0, {'mesh': {'path': 'a.fbx', 'scale': 0.01}}, version=1)
        self.assertEqual(err, '')
        self.check_corners(values['mesh'], [[[x / 100 for x in corner] for corner in face] for face in self.FACES])
        self.write('nothing.kgs', 'kineograph 1\n')
        self.good('run', 'nothing.kgs', 'a.json', '-o', 'b.json')
        node = json.loads(self.read('b.json'))['nodes']['mesh']
        self.assertEqual(node, {'type': 'geometry/import', 'version': 2,
                                'inputs': {'path': 'a.fbx', 'space': 'file', 'scale': 0.01}})

    def test_fbx_declares_what_cannot_be(self):
        metres, upright = 'its lengths are not converted', 'does not specify which of its axes points up'
        for name, content, turn, message in [
                ('seven.fbx', fbx(up_axis=7), lambda x, y, z: [x, y, z], upright),
                ('minus.fbx', fbx(up_axis=-1), lambda x, y, z: [x, y, z], upright),
                ('sign.fbx', fbx(UpAxisSign=0), lambda x, y, z: [x, y, z], upright),
                # The one that points up is the one that matters.
                ('twice.fbx', fbx(up_axis=2), lambda x, y, z: [x, z, -y], 'contradicts itself about its axes'),
                ('down.fbx', fbx(up_axis=2, UpAxisSign=-1), lambda x, y, z: [x, -z, y], 'contradicts itself about'),
                ('side.fbx', fbx(up_axis=0), lambda x, y, z: [-y, x, z], 'contradicts itself about its axes'),
                ('front.fbx', fbx(UpAxisSign=-1, FrontAxis=9), lambda x, y, z: [x, -y, -z], 'contradicts itself about'),
                ('nan.fbx', fbx(unit='nan'), lambda x, y, z: [x, y, z], 'declares a unit of nan cm, .*' + metres),
                ('inf.fbx', fbx(unit='1e300'), lambda x, y, z: [x, y, z], 'declares a unit of inf cm, .*' + metres),
                ('back.fbx', fbx(unit=-5), lambda x, y, z: [x, y, z], 'declares a unit of -5 cm, .*' + metres)]:
            with self.subTest(name):
                self.write(name, content)
                values, err = self.evaluate(0, {'mesh': {'path': name}})
                self.assertRegex(err, rf'^kineo: .*mesh: .*{name} .*{message}')
                self.assertEqual(err.count('\n'), 1)
                self.check_corners(values['mesh'], [[turn(*corner) for corner in face] for face in self.FACES])
                # Who takes the numbers as they are is not bothered.
                self.assertEqual(self.corners(self.load(name, space='file')), self.FACES)
        # Assimp itself refuses a unit of no length; one that makes places too large for numbers is an error.
        for name, content, message in [('zero.fbx', fbx(unit=0), 'UnitScaleFactor must be non-zero'),
                                       ('huge.fbx', fbx(unit='3e38', corners='0,1,-3').replace(b'10,20,30', b'1e5,0,0'),
                                        'attribute P is inf at element')]:
            with self.subTest(name):
                self.write(name, content)
                values, err = self.evaluate(1, {'mesh': {'path': name}})
                self.assertIsNone(values['mesh'])
                self.assertRegex(err, rf'^kineo: frame 1: mesh: \./{name}.*{message}')

    def test_collada(self):
        """What these files declare is applied in every space."""
        triangle = self.FACES[:1]
        for name, content, turn in [
                ('y.dae', dae(), lambda x, y, z: [x, y, z]),
                ('z.dae', dae('Z_UP', 0.01), lambda x, y, z: [x / 100, z / 100, -y / 100]),
                ('x.dae', dae('X_UP', 0.0254), lambda x, y, z: [-0.0254 * y, 0.0254 * x, 0.0254 * z])]:
            self.write(name, content)
            for space in ['metres', 'axes', 'file']:
                with self.subTest(name, space=space):
                    self.check_corners(self.load(name, space=space),
                                       [[turn(*corner) for corner in face] for face in triangle])
        for unit in ['0', 'nan', 'inf']:
            with self.subTest(unit):
                self.write('bad.dae', dae(unit=unit))
                values, err = self.evaluate(0, {'mesh': {'path': 'bad.dae'}})
                self.assertRegex(err, rf'^kineo: .*mesh: .*bad.dae declares a unit, .* of -?{unit}, which is impossible')
                self.check_corners(values['mesh'], triangle)

    def test_convert_fbx(self):
        """What another program reads next is upright and in metres too."""
        self.write('a.fbx', fbx(up_axis=2, unit=1, FrontAxis=1, FrontAxisSign=-1))
        self.good('convert', 'a.fbx', 'a.glb')
        self.check_corners(self.load('a.glb'), self.corners(self.load('a.glb', space='file')))
        self.check_corners({**self.load('a.glb'), 'primitives': self.load('a.glb')['primitives'][:1]},
                           [[[x / 100, z / 100, -y / 100] for x, y, z in self.FACES[0]]])
        self.write('b.fbx', fbx(unit='nan'))
        result = self.kineo('convert', 'b.fbx', 'b.obj')
        self.assertEqual(result.status, 0)
        self.assertRegex(result.err, '^kineo: b.fbx declares a unit of nan cm')

    def test_gltf(self):
        self.write('a.stl', ascii_stl(FACETS))
        for suffix in ['glb', 'gltf']:
            with self.subTest(suffix):
                self.good('convert', 'a.stl', f'a.{suffix}')
                before, after = self.load('a.stl'), self.load(f'a.{suffix}')
                self.assertEqual(self.corners(after), self.corners(before))
                self.assertEqual(after['points']['N'], before['points']['N'])

    def test_damaged(self):
        for name, content, message in [
                ('text.stl', b'this is no mesh', 'Failed to determine STL storage representation'),
                ('empty.stl', b'', 'File is empty'),
                ('none.stl', binary_stl([]), 'There are no facets defined'),
                ('many.stl', binary_stl(FACETS, 4000000000), 'Failed to determine STL storage representation'),
                ('words.stl', ascii_stl([((0, 0, 'one'), *FACETS[0][1:])]), 'Cannot parse string'),
                ('solid.stl', b'solid two\n', 'has no readable mesh, or is damaged'),
                ('nan.stl', binary_stl([((0, 0, 1), (float('nan'), 0, 0), (2, 0, 0), (0, 3, 0))]),
                 'attribute P is nan at element 0: every number must be finite; write the file again'),
                ('text.fbx', b'this is no mesh', 'FBX-Parser'),
                ('binary.fbx', b'Kaydara FBX Binary  \0\x1a\0' + struct.pack('<I', 7400) + 40 * b'\xff', 'FBX-Tokenize'),
                ('index.fbx', fbx(corners='0,1,99,-3'), 'has no readable mesh, or is damaged')]:
            with self.subTest(name):
                self.write(name, content)
                values, err = self.evaluate(1, {'mesh': {'path': name}})
                self.assertIsNone(values['mesh'])
                self.assertRegex(err, rf'^kineo: frame 1: mesh: \./{name}.*{message}')

    def test_cut_short(self):
        """A prefix of a file is read, or refused with a reason; if it is read, the mesh has points.

        Every seventh, because each takes a reader of its own; fuzz/mesh tries the others.
        """
        self.write('a.stl', ascii_stl(FACETS))
        self.good('convert', 'a.stl', 'a.glb')
        for name, content, least in [('a.stl', ascii_stl(FACETS), 75), ('b.stl', binary_stl(FACETS), 184),
                                     ('a.fbx', fbx(), 600), ('a.glb', self.read('a.glb'), 700)]:
            with self.subTest(name):
                inputs = {}
                for n in range(0, len(content), 7):
                    self.write(f'{n}.{name}', content[:n])
                    inputs[f'mesh{n}'] = {'path': f'{n}.{name}'}
                values, err = self.evaluate(1, inputs)
                for n in range(0, len(content), 7):
                    if values[f'mesh{n}'] is not None:
                        self.assertGreaterEqual(n, least)
                        self.assertGreaterEqual(len(values[f'mesh{n}']['points']['P']), 3)
                self.assertEqual(err.count('\n'), sum(mesh is None for mesh in values.values()))


class OrientationTest(KineoTest):
    # 24 by 16 pixels of dark grey, of which 8 by 8 in the upper left corner are bright.
    JPEG = base64.b64decode(
        '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDg'
        'sLEBYQERMUFRUVDA8XGBYUGBIUFRT/wAALCAAQABgBAREA/8QAFgABAQEAAAAAAAAAAAAAAAAAAAgK/8QAFBABAAAA'
        'AAAAAAAAAAAAAAAAAP/aAAgBAQAAPwC9WeoAf//Z')

    def test_40_c07_upright(self):
        """A photograph is upright, however the camera was held: its first row and column are where EXIF says."""
        for orientation, where in [(1, 'upper left'), (2, 'upper right'), (3, 'lower right'), (4, 'lower left'),
                                   (5, 'upper left'), (6, 'upper right'), (7, 'lower right'), (8, 'lower left')]:
            with self.subTest(orientation):
                exif = b'Exif\0\0MM\0*' + struct.pack('>IHHHIHHI', 8, 1, 0x112, 3, 1, orientation, 0, 0)
                self.write('photo.jpg', self.JPEG[:2] + b'\xff\xe1' + struct.pack('>H', len(exif) + 2) + exif + self.JPEG[2:])
                self.write('g.json', {'kineograph': 1, 'nodes': {'i': {'type': 'image/import', 'inputs': {'path': 'photo.jpg'}}}})
                done = self.kineo('eval', 'g.json', 'i')
                self.assertEqual((done.status, done.err), (0, ''))
                image = done.lines()[0]['values']['i.image']
                width, height = image['width'], image['height']
                self.assertEqual((width, height), (24, 16) if orientation < 5 else (16, 24))
                bright = [i for i, pixel in enumerate(image['pixels']) if pixel[0] > 0.3]
                self.assertEqual(len(bright), 64)
                self.assertEqual(where, ('upper' if min(bright) // width == 0 else 'lower') + ' ' +
                                 ('left' if min(i % width for i in bright) == 0 else 'right'))


main()
