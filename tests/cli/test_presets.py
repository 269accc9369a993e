# SPDX-License-Identifier: GPL-3.0-or-later
"""kineo presets: from nodes to a preset, to its use in another graph, to a newer version, and back to nodes."""
import json
import os

from support import KineoTest, main

GRAPH = {
    'kineograph': 1,
    'nodes': {
        'in': {'type': 'value/number', 'inputs': {'value': 6}},
        'twice': {'type': 'value/math', 'inputs': {'operation': 'multiply', 'a': {'link': 'in.output'}, 'b': 2}},
        'sum': {'type': 'value/math', 'inputs': {'operation': 'add', 'a': {'link': 'twice.result'}, 'b': 1}},
    },
    'display': 'sum.result',
}


def preset(name='test/double', version=1, **more):
    definition = {
        'kineograph_preset': 1, 'id': name, 'version': version, 'title': 'Double', 'summary': 'Twice a number',
        'help': 'Twice a number, and one more.', 'author': 'A', 'license': 'CC0-1.0', 'tags': 'twice',
        'interface': {
            'inputs': {'x': {'drives': ['twice.a'], 'label': 'X', 'help': 'What is doubled.', 'min': 0, 'max': 10}},
            'outputs': {'y': {'from': 'twice.result', 'label': 'Y', 'help': 'Twice x.'}},
        },
        'graph': {'nodes': {'twice': {'type': 'value/math', 'inputs': {'operation': 'multiply', 'a': 3, 'b': 2}}}},
    }
    definition.update(more)
    return definition


class PresetsTest(KineoTest):
    def environment(self, **more):
        """Presets of the folder "library", and none of the user who runs the tests."""
        return super().environment(**{'KINEOGRAPH_PRESET_PATH': self.path('library'), 'KINEOGRAPH_DATA': self.path('data'),
                                      'XDG_DATA_HOME': self.path('home'), **more})

    def setUp(self):
        super().setUp()
        os.mkdir(self.path('library'))
        os.makedirs(self.path('data/presets'))  # in place of those that come with the program

    def library(self, name, content):
        self.write(os.path.join('library', name + '.preset.json'), content)

    def test_carried_presets_are_made_of_those_of_the_library(self):
        """Only what a graph is made of is read, through as many definitions as there are."""
        def around(name, inner, **more):
            return preset(name, graph={'nodes': {'twice': {'type': 'value/math', 'inputs': {'a': 3}},
                                                 'in': {'type': inner}}}, **more)

        self.library('inner', preset('test/inner'))
        self.library('outer', around('test/outer', 'test/middle', presets={
            'test/middle': around('test/middle', 'test/inner')}))
        self.library('unused', '{ "kineograph_preset": 1, "id": "test/unused", "graph": 7 }')
        self.write('g.json', {'kineograph': 1, 'nodes': {'x': {'type': 'test/outer'}}, 'display': 'x.y'})
        self.assertEqual(self.good('eval', 'g.json', 'x.y').splitlines(), [json.dumps(
            {'frame': 1, 'time': 0, 'values': {'x.y': 4}}, separators=(',', ':'))])
        # Commands that may add any node report all problems.
        self.assertIn('unused.preset.json', self.kineo('presets', 'list').err)

    def value(self, graph, target, *options):
        return json.loads(self.good('eval', graph, target, *options))['values'][target]

    def test_pack_use_unpack(self):
        self.write('g.json', GRAPH)
        text = self.good('presets', 'pack', 'g.json', 'twice', 'sum', '--id', 'my/thing', '--title', 'Thing')
        self.library('thing', text)
        self.write('use.json', {'kineograph': 1, 'nodes': {
            'n': {'type': 'value/number', 'inputs': {'value': 20}},
            't': {'type': 'my/thing', 'inputs': {'a': {'link': 'n.output'}}}}, 'display': 't.result'})
        self.assertEqual(self.value('use.json', 't.result'), 41)
        self.good('presets', 'unpack', 'use.json', 't', '-o', 'flat.json')
        flat = json.loads(self.read('flat.json'))
        self.assertEqual({n['type'] for n in flat['nodes'].values()}, {'value/number', 'value/math'})
        self.assertNotIn('presets', flat)
        self.assertEqual(self.value('flat.json', 'sum.result'), 41)

    def test_defaults_survive_unpacking(self):
        self.library('double', preset())
        self.write('use.json', {'kineograph': 1, 'nodes': {'d': {'type': 'test/double'}}})
        self.assertEqual(self.value('use.json', 'd.y'), 6)
        self.good('presets', 'unpack', 'use.json', 'd', '-o', 'flat.json')
        self.assertEqual(self.value('flat.json', 'twice.result'), 6)

    def test_list_and_show(self):
        self.library('double', preset())
        # Beside those that come with the program.
        lines = [line.split() for line in self.good('presets', 'list').splitlines()]
        self.assertIn(['test/double', '1', 'Twice', 'a', 'number'], lines)
        listed = json.loads(self.good('presets', 'list', '--json'))
        self.assertIn(('test/double', 1, 'Double'), [(p['id'], p['version'], p['title']) for p in listed])
        page = self.good('presets', 'show', 'test/double')
        for part in ('test/double - Twice a number', 'x', '(number, default 3, 0 to 10)', 'What is doubled.', 'CC0-1.0'):
            self.assertIn(part, page)
        missing = self.kineo('presets', 'show', 'test/gone')
        self.assertEqual(missing.status, 1)
        self.assertIn(self.path('library'), missing.err)

    def test_check(self):
        self.library('double', preset())
        self.assertIn('0 warnings', self.good('presets', 'check', 'library/double.preset.json'))
        poor = preset(help='')
        poor['interface']['inputs']['idle'] = {'drives': [], 'label': 'Idle', 'help': 'Nothing.'}
        poor['interface']['inputs']['x']['default'] = 99
        poor['interface']['inputs']['place'] = {'drives': ['disc.center'], 'min': -1, 'max': 1, 'default': [0, 5, 0]}
        poor['graph']['nodes']['disc'] = {'type': 'geometry/circle'}
        poor['graph']['nodes']['mesh'] = {'type': 'geometry/import', 'inputs': {'path': 'gone.obj'}}
        self.write('poor.preset.json', poor)
        result = self.kineo('presets', 'check', 'poor.preset.json')
        for part in ('help is missing', 'idle drives nothing', '99 of x is outside 0 to 10', '5 of place is outside -1 to 1',
                     'gone.obj is missing'):
            self.assertIn(part, result.err)
        self.assertEqual(result.status, 0)
        for name, wrong in (('node', {'graph': {'nodes': {'n': {'type': 'no/such'}}}}),
                            ('from', {'interface': {'outputs': {'y': {'from': 'gone.y'}}}}),
                            ('newer', {'minimum': '99.1'}), ('id', {'id': 'No Id'})):
            self.write(name + '.preset.json', preset(**wrong))
            self.assertEqual(self.kineo('presets', 'check', name + '.preset.json').status, 3, name)

    def test_new_is_valid(self):
        self.write('new.preset.json', self.good('presets', 'new', 'my/empty', '--title', 'Empty'))
        result = self.kineo('presets', 'check', 'new.preset.json')
        self.assertEqual(result.status, 0)
        self.assertIn('no output', result.err)
        title = 'Say "hello" \\ and\tgo'
        self.assertEqual(json.loads(self.good('presets', 'new', 'my/empty', '--title', title))['title'], title)

    def test_new_refuses_what_is_no_id(self):
        for name in ('a"b', 'a', 'a/', '/b', 'a/b/c', 'My/thing', 'a/b c', 'a/b\n', 'a/' + 'b' * 200):
            result = self.kineo('presets', 'new', name)
            self.assertEqual((result.status, result.out), (1, ''), name)
            self.assertIn('is not an id: write namespace/name in small letters', result.err)

    def test_carried_by_the_graph(self):
        self.library('double', preset())
        self.write('use.json', {'kineograph': 1, 'nodes': {'d': {'type': 'test/double', 'inputs': {'x': 4}}},
                                'display': 'd.y'})
        self.good('presets', 'unpack', 'use.json', 'd', '-o', 'away.json')
        definition = preset()
        self.write('carry.json', {'kineograph': 1, 'presets': {'test/double': definition},
                                  'nodes': {'d': {'type': 'test/double', 'inputs': {'x': 4}}}})
        os.remove(self.path('library/double.preset.json'))
        self.assertEqual(self.value('carry.json', 'd.y'), 8)

    def test_beside_the_graph(self):
        os.mkdir(self.path('presets'))
        self.write('presets/double.preset.json', preset())
        self.write('use.json', {'kineograph': 1, 'nodes': {'d': {'type': 'test/double'}}})
        self.assertEqual(self.value('use.json', 'd.y'), 6)

    def test_missing(self):
        self.write('use.json', {'kineograph': 1, 'nodes': {
            'd': {'type': 'test/double', 'inputs': {'x': 4}}, 'n': {'type': 'value/number', 'inputs': {'value': 5}}}})
        result = self.kineo('check', 'use.json')
        self.assertEqual(result.status, 1)
        self.assertIn('test/double', result.err)
        self.assertEqual(self.value('use.json', 'n.output'), 5)
        failed = self.kineo('eval', 'use.json', 'd.y')
        self.assertNotEqual(failed.status, 0)
        self.assertIn(self.path('library'), failed.err)

    def test_newer_instance_is_kept(self):
        self.library('double', preset())
        self.write('use.json', {'kineograph': 1, 'nodes': {'d': {'type': 'test/double', 'version': 7, 'inputs': {'z': 1}}}})
        result = self.kineo('check', 'use.json')
        self.assertEqual(result.status, 1)
        for text in (result.err, self.kineo('eval', 'use.json', 'd.y').err):
            self.assertIn('version 7 of the preset "test/double"', text)
            self.assertIn('version 1 (' + self.path('library/double.preset.json') + ')', text)
            self.assertIn(f'put version 7 or later into {self.path("library")}', text)
            self.assertNotIn('no preset of that name', text)

    def test_no_regular_files(self):
        self.library('double', preset())
        os.mkfifo(self.path('library/pipe.preset.json'))
        os.mkdir(self.path('library/folder.preset.json'))
        self.library('long', '{}')
        os.truncate(self.path('library/long.preset.json'), (256 << 20) + 1)
        result = self.kineo('presets', 'list')
        self.assertEqual(result.status, 0)
        self.assertIn('test/double', result.out)
        for name, said in (('pipe', 'is a pipe'), ('folder', 'is a folder'), ('long', 'is longer than 268435456 bytes')):
            self.assertRegex(result.err, rf'(?m)^warning: [^:]*{name}\.preset\.json {said}')
            self.assertIn(said, self.kineo('presets', 'check', f'library/{name}.preset.json').err)

    def test_recursion(self):
        self.library('a', preset('test/a', graph={'nodes': {'n': {'type': 'test/b'}}}, interface={}))
        self.library('b', preset('test/b', graph={'nodes': {'n': {'type': 'test/a'}}}, interface={}))
        result = self.kineo('presets', 'list')
        self.assertEqual(result.status, 0)
        self.assertIn('test/a → test/b → test/a', result.err)

    def test_two_of_one_id(self):
        self.library('one', preset())
        self.library('two', preset())
        result = self.kineo('presets', 'list')
        self.assertIn('the id "test/double" is also the id of', result.err)
        self.assertEqual(result.out.count('test/double'), 1)

    def test_a_folder_named_twice(self):
        self.library('double', preset())
        twice = os.pathsep.join([self.path('library'), self.path('library') + '/', self.path('library/../library')])
        listed = self.good('presets', 'list', KINEOGRAPH_PRESET_PATH=twice)
        self.assertEqual(listed.count('test/double'), 1)

    def test_upgrade(self):
        newer = preset(version=2, renamed={'x': 'amount'})
        newer['interface']['inputs'] = {'amount': {'drives': ['twice.a'], 'label': 'Amount', 'help': 'What is doubled.'},
                                        'factor': {'drives': ['twice.b'], 'label': 'Factor', 'help': 'How often.'}}
        old = preset()
        old['interface']['inputs']['gone'] = {'drives': [], 'kind': 'number', 'label': 'Gone', 'help': 'Nothing.'}
        self.library('double', newer)
        self.write('use.json', {'kineograph': 1, 'presets': {'test/double': old}, 'nodes': {
            'd': {'type': 'test/double', 'inputs': {'x': 5, 'gone': 3}}}, 'display': 'd.y'})
        self.assertEqual(self.value('use.json', 'd.y'), 10)
        before = self.read('use.json')
        changes = self.good('presets', 'upgrade', 'use.json')
        for part in ('test/double 1 → 2', 'x is now amount', 'gone was removed', '+ factor'):
            self.assertIn(part, changes)
        self.assertEqual(self.read('use.json'), before)
        self.good('presets', 'upgrade', 'use.json', '--apply')
        node = json.loads(self.read('use.json'))['nodes']['d']
        self.assertEqual(node['inputs'], {'amount': 5})
        self.assertEqual(node['aside'], {'gone': {'kind': 'number', 'value': 3}})
        self.assertNotIn('comment', node)
        self.assertEqual(self.value('use.json', 'd.y'), 10)
        self.assertIn('up to date', self.good('presets', 'upgrade', 'use.json'))

    def test_upgrade_without_all_presets(self):
        """Presets that cannot be read are not reported as up to date."""
        self.write('use.json', {'kineograph': 1, 'presets': {'test/double': preset()},
                                'nodes': {'d': {'type': 'test/double'}}, 'display': 'd.y'})
        self.library('double', preset(version=2))
        path = self.path(os.path.join('library', 'double.preset.json'))
        with open(path, 'ab') as f:
            f.write(b'}')
        failed = self.kineo('presets', 'upgrade', 'use.json', '--apply')
        self.assertEqual(failed.status, 1)
        self.assertIn('not all could be read', failed.err)
        self.assertNotIn('up to date', failed.out)

    def test_upgrade_in_subgraphs_from_beside(self):
        os.mkdir(self.path('presets'))
        self.write('presets/double.preset.json', preset(version=2))
        self.write('use.json', {'kineograph': 1, 'presets': {'test/double': preset()}, 'nodes': {
            'box': {'type': 'graph/subnet', 'graph': {'nodes': {'d': {'type': 'test/double', 'inputs': {'x': 4}}}}}}})
        self.assertIn('box/d: test/double 1 → 2', self.good('presets', 'upgrade', 'use.json'))
        self.good('presets', 'upgrade', 'use.json', '--apply')
        graph = json.loads(self.read('use.json'))
        self.assertEqual(graph['nodes']['box']['graph']['nodes']['d'], {'type': 'test/double', 'version': 2,
                                                                       'inputs': {'x': 4}})
        self.assertEqual(graph['presets']['test/double']['version'], 2)

    def test_upgrade_of_one(self):
        """One of three instances; the file has both definitions, and opens where no library is."""
        self.library('double', preset(version=2, graph={'nodes': {'twice': {
            'type': 'value/math', 'inputs': {'operation': 'multiply', 'a': 3, 'b': 20}}}}))
        self.write('use.json', {'kineograph': 1, 'presets': {'test/double': preset()}, 'nodes': {
            name: {'type': 'test/double', 'inputs': {'x': 4}} for name in 'abc'}})
        output = self.good('presets', 'upgrade', 'use.json', 'b')
        self.assertIn('b: test/double 1 → 2', output)
        self.assertNotIn('a: test/double', output)
        self.good('presets', 'upgrade', 'use.json', 'b', '--apply')
        os.remove(self.path('library/double.preset.json'))
        graph = json.loads(self.read('use.json'))
        self.assertEqual({key: value['version'] for key, value in graph['presets'].items()},
                         {'test/double': 2, 'test/double@1': 1})
        self.assertEqual([self.value('use.json', name + '.y') for name in 'abc'], [8, 80, 8])
        self.library('double', preset(version=3))
        self.good('presets', 'upgrade', 'use.json', '--apply')
        self.assertEqual(list(json.loads(self.read('use.json'))['presets']), ['test/double'])
        self.assertEqual([self.value('use.json', name + '.y') for name in 'abc'], [8, 8, 8])
        for wrong in ('nobody', 'a.x'):
            failed = self.kineo('presets', 'upgrade', 'use.json', wrong)
            self.assertNotEqual(failed.status, 0)
            self.assertIn(f'{wrong} is not an instance of a preset', failed.err)

    def test_nodes_describes_it(self):
        moving = preset()
        moving['graph']['nodes']['twice']['inputs']['b'] = {'keys': [[1, 2], [9, 5]]}
        moving['interface']['inputs']['by'] = {'drives': ['twice.b'], 'help': 'How many times.'}
        self.library('double', moving)
        output = self.good('nodes', 'test/double')
        self.assertIn('  x                number = 3, 0..10\n', output)
        self.assertIn('  by               number, animated inside\n', output)
        self.assertIn('  y                number\n', output)
        described = json.loads(self.good('nodes', 'test/double', '--json'))
        self.assertEqual([(slot['name'], slot.get('default'), slot.get('moves')) for slot in described['inputs']],
                         [('x', 3, None), ('by', None, True)])
        self.assertEqual([slot['name'] for slot in described['outputs']], ['y'])
        self.write('use.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 9}, 'nodes': {
            'd': {'type': 'test/double'}, 'e': {'type': 'test/double'}}})
        self.assertEqual([self.value('use.json', 'd.by', '--frame', str(frame)) for frame in (1, 9)], [2, 5])
        # An instance is one node, however much is inside.
        self.assertEqual(self.good('check', 'use.json'), 'use.json: valid, 2 nodes, 0 warnings\n')
        info = json.loads(self.good('info', 'use.json', '--json'))
        self.assertEqual((info['nodes'], info['types'], info['keyed']), (2, {'test/double': 2}, 0))

    def test_values_come_back(self):
        """What a version does not have is kept, reported by check, and returns with a later version."""
        without = preset(version=2)
        without['interface']['inputs'] = {}
        self.library('double', without)
        self.write('use.json', {'kineograph': 1, 'presets': {'test/double': preset()}, 'nodes': {
            'd': {'type': 'test/double', 'inputs': {'x': 4}}}})
        self.good('presets', 'upgrade', 'use.json', '--apply')
        self.assertIn('no longer has the input x', self.kineo('check', 'use.json').err)
        self.assertEqual(self.value('use.json', 'd.y'), 6)
        self.library('double', preset(version=3))
        self.good('presets', 'upgrade', 'use.json', '--apply')
        self.assertEqual(self.value('use.json', 'd.y'), 8)
        self.assertNotIn('aside', json.loads(self.read('use.json'))['nodes']['d'])

    def test_missing_beside_names_all_folders(self):
        os.mkdir(self.path('presets'))
        self.write('use.json', {'kineograph': 1, 'nodes': {'d': {'type': 'test/double'}}})
        failed = self.kineo('eval', 'use.json', 'd.y')
        for folder in (self.path('library'), self.path('home'), 'presets'):
            self.assertIn(folder, failed.err)

    def test_thumbnail(self):
        drawn = preset(graph={'nodes': {'disc': {'type': 'geometry/circle'}, 'picture': {
            'type': 'render/draw', 'inputs': {'geometries': [{'link': 'disc.geometry'}]}}}, 'display': 'picture.image'},
            interface={'outputs': {'g': {'from': 'disc.geometry', 'help': 'A disc.'}}})
        self.write('disc.preset.json', drawn)
        self.good('presets', 'render-thumbnail', 'disc.preset.json', '--size', '64x36')
        self.assertEqual(self.read('disc.png')[:8], b'\x89PNG\r\n\x1a\n')
        # A file of that name that the definition does not call its own stays.
        self.write('disc.png', 'a painting')
        refused = self.kineo('presets', 'render-thumbnail', 'disc.preset.json')
        self.assertEqual(refused.status, 1)
        self.assertIn('disc.png already exists', refused.err)
        self.assertEqual(self.read('disc.png'), b'a painting')
        self.write('disc.preset.json', dict(drawn, thumbnail='seen.png'))
        self.write('seen.png', 'an older picture')
        self.good('presets', 'render-thumbnail', 'disc.preset.json', '--size', '64x36')
        self.assertEqual(self.read('seen.png')[:8], b'\x89PNG\r\n\x1a\n')
        self.write('none.preset.json', preset())
        self.assertEqual(self.kineo('presets', 'render-thumbnail', 'none.preset.json').status, 1)

    def test_usage(self):
        for arguments in (['presets'], ['presets', 'dance'], ['presets', 'show'], ['presets', 'pack', 'g.json', 'n']):
            self.write('g.json', GRAPH)
            self.assertEqual(self.kineo(*arguments).status, 2, arguments)

    def test_numbers(self):
        """A number that is followed by anything else, or that no image has, is refused."""
        self.write('p.preset.json', preset())
        for size in ('32x18abc', '32', 'x18', '32x', '32x0', '-32x18', '32 x18', ' 32x18', '32x+18', '32x18x2', '99999x9'):
            self.usage(f'--size: "{size}" is not a size: write WIDTHxHEIGHT in pixels, as in 1920x1080 (at most 65535 each)',
                       'presets', 'render-thumbnail', 'p.preset.json', '--size', size)
        for frame in ('1.5', '2x', '', ' 3', '0x10', '1e300', 'inf', '99999999999999999999'):
            self.usage(f'--frame {frame}: write a whole number', 'presets', 'render-thumbnail', 'p.preset.json',
                       f'--frame={frame}')


main()
