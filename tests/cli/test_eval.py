# SPDX-License-Identifier: GPL-3.0-or-later
"""kineo eval: values, moments, --set, errors, statistics, interruption."""
import copy
import json
import os
import signal
import subprocess
import unittest

from support import KINEO, NUMBERS, KineoTest, main


class EvalTest(KineoTest):
    def setUp(self):
        super().setUp()
        self.write('a.json', NUMBERS)

    def values(self, *arguments):
        return [line['values'] for line in (json.loads(text) for text in self.good('eval', 'a.json', *arguments).splitlines())]

    def test_exact_line(self):
        self.assertEqual(self.good('eval', 'a.json', 'a.shifted', '--frame', '12'),
                         '{"frame":12,"time":0.4583333333333333,"values":{"a.shifted":24}}\n')

    def test_first_output_and_first_frame(self):
        self.assertEqual(self.good('eval', 'a.json', 'b', 'a'),
                         '{"frame":1,"time":0,"values":{"b.value":2,"a.shifted":2}}\n')

    def test_display(self):
        self.assertEqual(self.values(), [{'c.shifted': 6}])

    def test_frames(self):
        self.assertEqual(self.values('a', '--frames', '1-10x4'), [{'a.shifted': 2}, {'a.shifted': 10}, {'a.shifted': 18}])
        self.assertEqual(self.values('a', '--frames', '5'), [{'a.shifted': 10}])
        self.assertEqual(self.values('a', '--frames=-3--2'), [{'a.shifted': -6}, {'a.shifted': -4}])

    def test_lists_of_frames(self):
        self.assertEqual([line['frame'] for line in self.kineo('eval', 'a.json', 'a', '-f', '1,30,2.5,7-9,1-21x10').lines()],
                         [1, 30, 2.5, 7, 8, 9, 1, 11, 21])
        for text in ['1,', ',1', '1,,2', '1,x', '1,2.5x', '3-1,2']:
            self.assertEqual(self.kineo('eval', 'a.json', 'a', '--frames', text).status, 2, text)

    def test_repeated_options(self):
        self.usage('--frame is given more than once: give it once', 'eval', 'a.json', 'a', '--frame=1', '--frame', '2')
        for options in [['--frames', '1', '-f', '2'], ['-f1', '-f2']]:
            self.usage('--frames is given more than once: give it once', 'eval', 'a.json', 'a', *options)
        # What follows is the value of --set, not an option.
        self.usage('Unknown option --frmaes: did you mean "frames"?', 'eval', 'a.json', '--frmaes', '1')
        self.usage('--set a.value=2: the input is set twice: give it one value', 'eval', 'a.json', 'a', '--set', 'a.value=1',
                   '--set', 'a.value=2')

    def test_between_frames(self):
        self.assertEqual(self.values('a', '--frame', '1.5'), [{'a.shifted': 3}])

    def test_alone(self):
        graph = {'kineograph': 1, 'nodes': {
            'n': {'type': 'value/number', 'inputs': {'value': {'expr': '2*frame'}}},
            'v': {'type': 'value/vector', 'inputs': {'value': [1, 2, 3]}},
            't': {'type': 'value/text', 'inputs': {'value': 'two\nlines "quoted"'}},
            'bad': {'type': 'edit/shots', 'inputs': {'shots': []}}}}
        self.write('alone.json', graph)
        self.assertEqual(self.good('eval', 'alone.json', '--alone', 't', 'n', 'v', '--frames', '2-3'),
                         ('two\nlines "quoted"\n%d\n[1, 2, 3]\n' * 2) % (4, 6))
        run = self.kineo('eval', 'alone.json', '--alone', 'n', 'bad', 'n')
        self.assertEqual((run.status, run.out), (1, '2\n2\n'))
        self.assertIn('there are no shots', run.err)

    def test_edit_decision_list(self):
        """P1-54: an edit that is exported and conformed shows the same frames of the same sources."""
        cut = os.path.join(os.environ['KG_GRAPHS'], 'the_cut.json')
        self.write('cut.edl', self.good('eval', '--alone', cut, 'list.list'))
        self.write('conform.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 122, 'rate': 24}, 'nodes': {
            'list': {'type': 'edit/edl_import', 'inputs': {'path': 'cut.edl', 'reels': 'MORNING\nPENDULUM\nTITLE'}},
            'film': {'type': 'edit/timeline', 'inputs': {'clips': {'link': 'list.clips'}, 'width': 8, 'height': 8}}}})
        self.assertEqual(self.good('eval', '--alone', 'conform.json', 'list.title', 'list.missing', 'list.events'),
                         'THE CUT\nCREDITS\n5\n')
        for frame in range(1, 123, 11):
            rows = [json.loads(self.kineo('eval', '--alone', path, 'film.shown', '--frame', str(frame)).out)['rows']
                    for path in (cut, 'conform.json')]
            self.assertEqual([row[1:4] for row in rows[0]], [row[1:4] for row in rows[1]], frame)
            for one, other in zip(*rows):
                self.assertAlmostEqual(one[4], other[4])

    def test_time(self):
        self.assertEqual(self.good('eval', 'a.json', 'a', '--time', '0.5'),
                         '{"frame":13,"time":0.5,"values":{"a.shifted":26}}\n')

    def test_standard_input(self):
        self.assertEqual(self.good('eval', '-', 'a', stdin=json.dumps(NUMBERS).encode()),
                         self.good('eval', 'a.json', 'a'))

    def test_set_constant_expression_keys_link(self):
        self.assertEqual(self.values('b', '--set', 'b.index=1'), [{'b.value': 7}])
        self.assertEqual(self.values('b', '--set', 'b.index={"expr": "frame > 2 ? 1 : 0"}', '--frames', '2-3'),
                         [{'b.value': 4}, {'b.value': 7}])
        self.assertEqual(self.values('c', '--set', 'c.offset={"keys": [[1, 0], [11, 10]]}', '--frame', '6'),
                         [{'c.shifted': 22}])
        self.assertEqual(self.values('c', '--set', 'c.value={"link": "a.shifted"}', '--set', 'c.offset=-1', '--frame', '6'),
                         [{'c.shifted': 10}])

    def test_set_choice_without_quotes(self):
        graph = os.path.join(os.environ['KG_GRAPHS'], 'hello.json')
        words = [self.good('eval', graph, 'place.point', '--frame', '20', '--set', f'timing.shape={word}')
                 for word in ('bounce', '"bounce"', 'linear')]
        self.assertEqual(words[0], words[1])
        self.assertNotEqual(words[0], words[2])
        self.assertIn('did you mean "bounce"', self.kineo('eval', graph, 'place.point', '--set', 'timing.shape=bounc').err)

    def test_set_leaves_the_file_alone(self):
        before = self.read('a.json')
        self.values('b', '--set', 'b.index=1')
        self.assertEqual(self.read('a.json'), before)

    def test_bad_settings(self):
        for setting, message in [
                ('b=3', 'write NODE.INPUT=JSON, as in ease1.k1=0.3'),
                ('nothing', 'write NODE.INPUT=JSON, as in ease1.k1=0.3'),
                ('x.index=1', 'unknown node "x"'),
                ('b.foo=1', 'b has no input "foo"'),
                ('b.values=[{"link": "c.shifted"}]', 'b.values would depend on itself: b.values → c.value → b.values')]:
            with self.subTest(setting):
                self.usage(f'--set {setting}: {message}', 'eval', 'a.json', 'b', '--set', setting)

    def test_bad_json_in_setting(self):
        for text in ['xx', '', '[1', '{"expr": 3}', '{"expr": "1 +"}', '1e999', '{"foo": 1}', '"a"']:
            with self.subTest(text):
                result = self.kineo('eval', 'a.json', 'b', '--set', f'b.index={text}')
                self.assertEqual((result.status, result.out), (2, ''))
                self.assertTrue(result.err.startswith(f'kineo: --set b.index={text}: '), result.err)

    def test_unknown_names(self):
        self.usage('the graph has no node "nobody"', 'eval', 'a.json', 'nobody')
        result = self.kineo('eval', 'a.json', 'a.nothing')
        self.assertEqual((result.status, result.out), (2, ''))
        self.assertIn('nothing', result.err)

    def test_nothing_displayed(self):
        graph = copy.deepcopy(NUMBERS)
        del graph['display']
        self.write('b.json', graph)
        self.usage('the graph has no displayed node: name a node', 'eval', 'b.json')

    def test_bad_moments(self):
        self.usage('--frame: "x" is not a number', 'eval', 'a.json', '--frame', 'x')
        for number in ('1x', '0x10', ' 1', 'nan', '1e999'):
            self.usage(f'--frame: "{number}" is not a number', 'eval', 'a.json', '--frame', number)
        self.usage('--time: "inf" is not a number', 'eval', 'a.json', '--time', 'inf')
        self.usage('--frame, --frames and --time exclude each other: use only one', 'eval', 'a.json', '--frame', '1', '--time', '2')
        self.usage('--frames: the frames 10-1 are reversed: write 1-10', 'eval', 'a.json', '--frames', '10-1')
        for text in ['', 'x', '1-', '1-2x', '1-2-3', '1-2x0', '99999999999999999999', '1-2y2']:
            with self.subTest(text):
                self.assertEqual(self.kineo('eval', 'a.json', '--frames', text).status, 2)

    def test_failure_is_null_and_the_rest_goes_on(self):
        result = self.kineo('eval', 'a.json', 'b', 'a', '--set', 'b.index=5', '--frames', '3-4')
        self.assertEqual(result.status, 1)
        self.assertEqual([line['values'] for line in result.lines()],
                         [{'b.value': None, 'a.shifted': 6}, {'b.value': None, 'a.shifted': 8}])
        self.assertEqual(result.err, 'kineo: frames 3-4: b: index 5 is out of range: there are 2 values, counted from 0; '
                                     'link more values or lower the index\n')

    def test_once_with_its_frames(self):
        def merge(frames):
            result = self.kineo('eval', 'a.json', 'a', '--set', 'a.value={"expr": "1 / (mod (frame, 3) - 1)"}',
                                '--frames', frames)
            return [line.split(':')[1].strip() for line in result.err.splitlines()]

        self.assertEqual(merge('1-12'), ['frames 1-10x3'])
        self.assertEqual(merge('1,2,4'), ['frames 1, 4'])
        self.assertEqual(merge('1-4,30-31'), ['frames 1, 4, 31'])
        self.assertEqual(merge('4'), ['frame 4'])

    def test_division_by_zero(self):
        result = self.kineo('eval', 'a.json', 'a', '--set', 'a.value={"expr": "1 / (frame - 2)"}', '--frames', '1-3')
        self.assertEqual(result.status, 1)
        self.assertEqual([line['values']['a.shifted'] for line in result.lines()], [-1, None, 1])
        self.assertIn('frame 2: a: ', result.err)
        self.assertIn('column 1: the result is infinite: look for a division by zero', result.err)

    def test_stats_table(self):
        result = self.kineo('eval', 'a.json', 'a', 'b', '--frames', '1-3', '--stats')
        self.assertEqual(len(result.lines()), 3)
        rows = {line.split()[-1]: line.split()[:2] for line in result.err.splitlines()}
        self.assertEqual(rows['a'], ['3', '3'])  # evaluated for itself, then found in the cache for b
        self.assertEqual(rows['b'], ['3', '0'])

    def test_stats_json(self):
        result = self.kineo('eval', 'a.json', 'b', '--frames', '1-3', '--set', 'b.index=1', '--stats=json')
        stats = json.loads(result.err)
        self.assertEqual(list(stats['nodes']), ['b'])  # a is not asked
        self.assertEqual(stats['nodes']['b']['evaluations'], 1)  # it does not depend on time
        self.assertGreater(stats['nodes']['b']['bytes'], 0)
        self.assertGreaterEqual(stats['nodes']['b']['milliseconds'], 0)
        self.assertEqual(stats['cache']['budget'], 2 << 30)

    def test_bad_stats(self):
        self.usage('--stats=xml: write --stats or --stats=json', 'eval', 'a.json', '--stats=xml')

    def test_cache_memory(self):
        everything = self.good('eval', 'a.json', '--frames', '1-20')
        self.assertEqual(self.good('eval', 'a.json', '--frames', '1-20', '--cache-memory', '0'), everything)
        self.usage('--cache-memory: "lots" is not a number of megabytes: write a number such as 512', 'eval', 'a.json',
                   '--cache-memory', 'lots')

    def test_numbers_do_not_follow_the_locale(self):
        for locale in ['de_DE.UTF-8', 'C', 'C.UTF-8']:
            result = self.kineo('eval', 'a.json', 'a', '--frame', '1.25', LC_NUMERIC=locale)
            self.assertEqual(result.out, '{"frame":1.25,"time":0.010416666666666666,"values":{"a.shifted":2.5}}\n')

    def test_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen([KINEO, 'eval', 'a.json', '--frames', '1-10000000'], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment(),
                                  # Whoever runs the tests may ignore them (nohup), which is inherited.
                                  preexec_fn=lambda signal_number=number: signal.signal(signal_number, signal.SIG_DFL)
                                  ) as program:
                first = program.stdout.readline()
                program.send_signal(number)
                out, err = first + program.stdout.read(), program.stderr.read()
                self.assertEqual(program.wait(timeout=300), 1)
            self.assertTrue(err.endswith(b'kineo: interrupted\n'), err)
            self.assertTrue(out.endswith(b'}}\n'))  # whole lines

    def test_nohup(self):
        """Who ignores the end of the terminal is not interrupted by it."""
        with subprocess.Popen([KINEO, 'eval', 'a.json', '--frames', '1-20000'], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=self.environment(),
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as program:
            program.stdout.readline()
            program.send_signal(signal.SIGHUP)
            self.assertEqual(len(program.stdout.read().splitlines()), 19999)
            self.assertEqual((program.stderr.read(), program.wait(timeout=300)), (b'', 0))


class CacheFolderTest(KineoTest):
    """States of simulations that are found again by another run."""

    def setUp(self):
        super().setUp()
        self.mesh(0)
        self.write('p.json', {'kineograph': 1, 'nodes': {
            'mesh': {'type': 'geometry/import', 'inputs': {'path': 'a.obj'}},
            'p': {'type': 'sim/particles', 'inputs': {'shape': 'geometry', 'emitter': {'link': 'mesh.geometry'}, 'rate': 400}},
            'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'p.geometry'}}}}})

    def mesh(self, x):
        self.write('a.obj', f'v {x} 0 0\nv {x + 1} 0 0\nv {x} 1 0\nf 1 2 3\n')

    def evaluate(self, *arguments, frame=40, **more):
        "The bounds of the particles, and the number of repetitions the simulation was called."
        result = self.kineo('eval', 'p.json', 'm.low', 'm.high', '--frame', str(frame), '--stats=json', *arguments, **more)
        self.assertEqual(result.status, 0, result.err)
        *warnings, stats = result.err.splitlines()
        return result.lines()[0]['values'], json.loads(stats)['nodes']['p']['evaluations'], warnings

    def test_found_by_another_run(self):
        plain, calls, _ = self.evaluate()
        self.assertEqual(calls, 41)
        for arguments, more in [(['--cache-folder', 'states'], {}), ([], {'KINEOGRAPH_CACHE': 'other'})]:
            with self.subTest(arguments):
                self.assertEqual(self.evaluate(*arguments, **more), (plain, 41, []))
                self.assertEqual(self.evaluate(*arguments, **more), (plain, 8, []))
                self.assertEqual(self.evaluate(*arguments, '--cache-memory', '0', **more)[0], plain)
        self.assertTrue(os.path.isdir(self.path('states')) and os.path.isdir(self.path('other')))

    def test_a_file_that_changed(self):
        first = self.evaluate('--cache-folder', 'states')
        self.mesh(5)
        second = self.evaluate('--cache-folder', 'states')
        self.assertEqual(second[1:], (41, []))
        self.assertGreater(second[0]['m.low'][0], first[0]['m.high'][0] - 2)
        self.assertEqual(self.evaluate('--cache-folder', 'states'), (second[0], 8, []))

    def test_what_agents_saw(self):
        "What agents saw last, and long ago, is part of the state: they go on as if they had never been interrupted."
        self.write('agents.json', {'kineograph': 1, 'nodes': {
            'line': {'type': 'geometry/line', 'inputs': {'start': [-4, 0, 0], 'end': [4, 0, 0], 'points': 9}},
            'hare': {'type': 'geometry/line', 'inputs': {
                'start': {'expr': 'vector(5 * sin(2 * t), 0, 4)'}, 'end': [9, 0, 9]}},
            'p': {'type': 'sim/agents', 'inputs': {
                'agents': {'link': 'line.geometry'}, 'things': {'link': 'hare.geometry'},
                'program': 'scent trail\nsense sight radius 50 rate 3 delay 0.3\nsense hearing rate 2\n'
                           'sense smell delay 0.2\nmemory 2\nrule if 1 then s = smell(trail), m = remembers(thing)\n'
                           'behaviour b do seek nearest thing and mark trail\n'}}}})

        def evaluate(frame, *arguments):
            result = self.kineo('eval', 'agents.json', 'p.geometry', '--frame', str(frame), '--stats=json', *arguments)
            self.assertEqual(result.status, 0, result.err)
            return result.lines()[0]['values'], json.loads(result.err.splitlines()[-1])['nodes']['p']['evaluations']

        plain, calls = evaluate(60)
        evaluate(40, '--cache-folder', 'states')
        resumed, fewer = evaluate(60, '--cache-folder', 'states')
        self.assertEqual(resumed, plain)
        self.assertLess(fewer, calls)

    def test_damaged_states(self):
        plain = self.evaluate('--cache-folder', 'states')[0]
        for name in os.listdir(self.path('states')):
            self.write(os.path.join('states', name), b'nonsense' * 100)
        values, calls, warnings = self.evaluate('--cache-folder', 'states')
        self.assertEqual((values, calls, len(warnings)), (plain, 41, 3))
        for warning in warnings:
            self.assertRegex(warning, r'^kineo: warning: states/[0-9a-f]{32}\.kgstate is not used: it is not a simulation state$')

    @unittest.skipIf(os.geteuid() != 0, 'only root can give a folder away')
    def test_states_of_others(self):
        plain = self.evaluate('--cache-folder', 'states')[0]
        for name in os.listdir(self.path('states')):
            os.chown(self.path(os.path.join('states', name)), 65534, 65534)
        values, calls, warnings = self.evaluate('--cache-folder', 'states')
        self.assertEqual((values, calls, len(warnings)), (plain, 41, 3))
        for warning in warnings:
            self.assertRegex(warning, r'^kineo: warning: states/[0-9a-f]{32}\.kgstate is not used: it belongs to another user, ')
        os.chown(self.path('states'), 65534, 65534)
        for command in [['eval', 'p.json', 'm.low'], ['render', 'p.json', 'm', '-o', 'x%d.png']]:
            result = self.kineo(*command, '--cache-folder', 'states')
            self.assertEqual(result.status, 1)
            self.assertRegex(result.err, r'^kineo: the folder states belongs to another user, .*--cache-of-others')
        self.assertEqual(self.evaluate('--cache-folder', 'states', '--cache-of-others'), (plain, 8, []))

    def test_full_disk(self):
        plain = self.evaluate()[0]
        result = self.kineo('eval', 'p.json', 'm.low', 'm.high', '--frame', '40', '--cache-folder', 'states', limit=5000)
        self.assertEqual((result.status, json.loads(result.out)['values']), (0, plain))
        self.assertRegex(result.err, r'^kineo: warning: states/[0-9a-f]{32}\.kgstate cannot be written: File too large\n$')
        self.assertTrue(all(name.endswith('.kgstate') for name in os.listdir(self.path('states'))))

    def test_no_folder(self):
        for command in [['eval', 'p.json', 'm.low'], ['render', 'p.json', 'm', '-o', 'x%d.png']]:
            self.bad(1, 'kineo: the folder a.obj/x cannot be created: Not a directory\n', *command, '--cache-folder', 'a.obj/x')


main()
