# SPDX-License-Identifier: GPL-3.0-or-later
"""A graph from a stranger: what it may read and write, and files that are made to do harm (docs/trust.md)."""
import json
import os
import shutil
import signal
import subprocess
import time

from support import KINEO, KineoTest, main

HOSTILE = os.path.join(os.path.dirname(__file__), '..', 'data', 'hostile')
OUTSIDE = 'outside the folder of the graph'
# All that take a path, and what they read.
READERS = ['geometry/import', 'image/import', 'image/movie', 'motion/import', 'sound/import', 'image/lut',
           'image/color_profile', 'edit/edl_import']


class TrustTest(KineoTest):
    def setUp(self):
        super().setUp()
        for name in ('graph', 'other'):
            os.mkdir(self.path(name))

    def graph(self, path, node_type='motion/import'):
        inputs = {'path': path}
        if node_type in ('image/lut', 'image/color_profile'):
            inputs['image'] = {'link': 'c.image'}
        self.write('graph/g.json', {'kineograph': 1, 'nodes': {'i': {'type': node_type, 'inputs': inputs},
                                                               'c': {'type': 'image/constant'}}})


class ReadTest(TrustTest):
    def setUp(self):
        super().setUp()
        self.write('other/t.csv', 't,x\n0,1\n1,2\n')
        self.write('graph/t.csv', 't,x\n0,1\n1,2\n2,3\n')

    def rows(self, *arguments, **more):
        """The number of rows that are read, or the message."""
        result = self.kineo('eval', 'graph/g.json', 'i.rows', *arguments, **more)
        return result.lines()[0]['values']['i.rows'] if result.status == 0 else result.err

    def test_own_folder(self):
        os.mkdir(self.path('graph/tables'))
        shutil.copy(self.path('graph/t.csv'), self.path('graph/tables'))
        for path in ['t.csv', 'tables/t.csv', './tables/../t.csv', self.path('graph/t.csv')]:
            with self.subTest(path):
                self.graph(path)
                self.assertEqual(self.rows(), 3)

    def test_outside(self):
        os.symlink('../other/t.csv', self.path('graph/link.csv'))
        os.symlink('../other', self.path('graph/folder'))
        for path in ['../other/t.csv', 'link.csv', 'folder/t.csv', self.path('other/t.csv'), 'nowhere/../../other/t.csv']:
            with self.subTest(path):
                self.graph(path)
                self.assertIn(OUTSIDE, self.rows())
        self.graph('../other/t.csv')
        self.assertIn('--allow-path ' + self.path('other'), self.rows())

    def test_similar_name(self):
        """A folder whose name begins with that of another is not below it."""
        os.mkdir(self.path('graph2'))
        shutil.copy(self.path('other/t.csv'), self.path('graph2'))
        self.graph('../graph2/t.csv')
        self.assertIn(OUTSIDE, self.rows())

    def test_allow_path(self):
        os.symlink('../other/t.csv', self.path('graph/link.csv'))
        for path in ['../other/t.csv', 'link.csv', self.path('other/t.csv')]:
            with self.subTest(path):
                self.graph(path)
                self.assertEqual(self.rows('--allow-path', 'other'), 2)
                self.assertEqual(self.rows('--allow-path', 'graph', '--allow-path', self.path('other')), 2)
                self.assertIn(OUTSIDE, self.rows('--allow-path', 'graph'))

    def test_empty_folder(self):
        self.graph('t.csv')
        for command in [('eval', 'graph/g.json', 'i', '--allow-path='), ('render', 'graph/g.json', '--allow-write='),
                        ('convert', '--allow-path=', 'a.obj', 'b.ply')]:
            with self.subTest(command):
                result = self.kineo(*command)
                self.assertEqual(result.status, 2)
                self.assertIn('the name of the folder is empty', result.err)

    def test_check_misses_nothing(self):
        """Files that are not there are missed without reading any, and tables and meshes that are there are read."""
        for node_type, path in [('geometry/import', 'a.obj'), ('image/import', 'a.png'), ('image/import', 'a%04d.png'),
                                ('image/movie', 'a.mp4'), ('motion/import', 'a.csv')]:
            for options in [(), ('--quick',)]:
                with self.subTest(node_type, path=path, options=options):
                    self.graph(path, node_type)
                    result = self.kineo('check', *options, 'graph/g.json')
                    self.assertEqual(result.status, 1, result.err)
                    self.assertIn('i: path: ', result.err)
                    self.assertIn('No such file', result.err)
                    self.assertEqual(len(result.err.splitlines()), 1, result.err)
        self.write('graph/a.obj', 'this is no mesh')
        self.graph('a.obj', 'geometry/import')
        self.assertEqual(self.kineo('check', '--quick', 'graph/g.json').status, 0)
        self.assertEqual(self.kineo('check', 'graph/g.json').status, 1)
        self.write('graph/a0001.png', 'this is no image')
        self.graph('a%04d.png', 'image/import')
        self.assertEqual(self.kineo('check', 'graph/g.json').status, 0)

    def test_named_by_the_user(self):
        self.graph('t.csv')
        self.assertEqual(self.rows('--set', 'i.path="../other/t.csv"'), 2)

    def test_standard_input(self):
        """A graph without a file has the folder of the process."""
        self.graph('t.csv')
        text = self.read('graph/g.json')
        result = self.kineo('eval', '-', 'i.rows', stdin=text.replace(b't.csv', b'other/t.csv'))
        self.assertEqual(result.status, 0, result.err)
        result = self.kineo('eval', '-', 'i.rows', stdin=text.replace(b't.csv', b'../t.csv'))
        self.assertIn(OUTSIDE, result.err)

    def test_readers_are_all(self):
        """A node type that takes a path is among those that are tried here."""
        takers = [node['id'] for node in json.loads(self.good('nodes', '--json'))
                  if any(slot['name'] == 'path' and slot['kind'] == 'text' for slot in node['inputs'])]
        self.assertEqual(sorted(takers), sorted([*READERS, 'render/file']))

    def test_all_readers(self):
        """Without reading or waiting: pipes, devices, folders and protocols are no files."""
        os.mkfifo(self.path('graph/pipe'))
        for node_type in READERS:
            for path in ['/etc/passwd', '../other/x', '../../%04d.png', '/dev/zero', '/proc/self/environ', '/dev/stdin']:
                with self.subTest(node_type, path=path):
                    self.graph(path, node_type)
                    result = self.kineo('eval', 'graph/g.json', 'i')
                    self.assertEqual(result.status, 1)
                    self.assertIn(OUTSIDE, result.err)
            for path in ['pipe', '.', 'file:///etc/passwd', 'http://localhost/x.png', 'concat:/etc/passwd', 'pipe:0',
                         'subfile,,start,0,end,10,,:/etc/passwd', '%099999999d.png', 'x' * 5000]:
                with self.subTest(node_type, path=path[:40]):
                    self.graph(path, node_type)
                    result = self.kineo('eval', 'graph/g.json', 'i')
                    self.assertEqual(result.status, 1)
                    self.assertNotIn('root', result.err)

    def test_nothing_is_quoted(self):
        """Messages do not quote a file that is not a table."""
        for node_type in READERS:
            with self.subTest(node_type):
                self.graph('/etc/passwd', node_type)
                result = self.kineo('eval', 'graph/g.json', 'i', '--allow-path', '/etc')
                self.assertEqual(result.status, 1)
                self.assertNotIn('root', result.err)
                self.assertNotIn('/bin', result.err)

    def test_names_give_no_commands(self):
        """What a stranger wrote cannot colour, clear or turn around what a terminal shows."""
        for name, shown in [('\x1b[2Ja.csv', r'\u001b[2Ja.csv'), ('a\x7f\x9bb.csv', r'a\u007f\u009bb.csv'),
                            ('\u202evsc.a', r'\u202evsc.a')]:
            for command in ['eval', 'check']:
                with self.subTest(name, command=command):
                    self.graph(name)
                    result = self.kineo(command, 'graph/g.json', *(['i'] if command == 'eval' else []))
                    self.assertEqual(result.status, 1)
                    self.assertIn(shown, result.err)
                    self.assertNotIn(name, result.err)
        self.write('graph/g.json', {'kineograph': 1, 'nodes': {'a': {'type': 'x/\x1b]0;y\x07'}}})
        self.assertNotRegex(self.kineo('check', 'graph/g.json').err, '[\x07\x1b]')


class WriteTest(TrustTest):
    def setUp(self):
        super().setUp()
        self.write('graph/g.json', {'kineograph': 1, 'nodes': {
            'c': {'type': 'image/constant', 'inputs': {'width': 4, 'height': 4}},
            'f': {'type': 'render/file', 'inputs': {'image': {'link': 'c.image'}, 'path': '../other/a.png', 'first': 1,
                                                    'last': 1}}}})

    def test_outside(self):
        result = self.kineo('render', 'graph/g.json')
        self.assertEqual(result.status, 1)
        self.assertIn(OUTSIDE, result.err)
        self.assertIn('--allow-write ' + self.path('other'), result.err)
        self.assertEqual(os.listdir(self.path('other')), [])

    def test_through_a_link(self):
        self.write('other/precious', 'text')
        os.symlink('../other/precious', self.path('graph/a.png'))
        result = self.kineo('render', 'graph/g.json', '--set', 'f.path="a.png"')
        self.assertEqual(result.status, 1)
        self.assertEqual(self.read('other/precious'), b'text')

    def test_through_a_numbered_link(self):
        """Of the files of a sequence, each may be one."""
        self.write('other/precious', 'text')
        os.symlink('../other/precious', self.path('graph/a0001.png'))
        result = self.kineo('render', 'graph/g.json', '--set', 'f.path="a%04d.png"', '--set', 'f.last=2')
        self.assertEqual(result.status, 1)
        self.assertIn(OUTSIDE, result.err)
        self.assertEqual(self.read('other/precious'), b'text')
        self.assertTrue(os.path.exists(self.path('graph/a0002.png')))

    def test_allow_write(self):
        self.assertEqual(self.kineo('render', 'graph/g.json', '--allow-write', 'other').status, 0)
        self.assertEqual(os.listdir(self.path('other')), ['a.png'])

    def test_output(self):
        """What the user names is written wherever it is, and nothing else."""
        self.assertEqual(self.kineo('render', 'graph/g.json', 'c', '-o', 'b.png', '--frames', '1').status, 0)
        self.assertTrue(os.path.exists(self.path('b.png')))
        self.assertEqual(os.listdir(self.path('other')), [])

    def test_own_folder(self):
        self.assertEqual(self.kineo('render', 'graph/g.json', '--set', 'f.path="a.png"').status, 0)
        self.assertTrue(os.path.exists(self.path('graph/a.png')))


class HostileTest(TrustTest):
    """Every file is an error that names it, soon and without more memory than an ordinary one takes."""

    def check(self, name, *command):
        result = self.kineo(*command)
        self.assertIn(result.status, (1, 3), result.err)
        self.assertIn(name, result.err)
        self.assertEqual(len(result.err.splitlines()), 1, result.err)

    def test_meshes_and_images(self):
        for name in ['sfifo', 'sfifo.mtl', 'sfifo.ts']:
            os.mkfifo(self.path(f'graph/{name}'))
        for name in sorted(os.listdir(HOSTILE)):
            shutil.copy(os.path.join(HOSTILE, name), self.path('graph'))
            with self.subTest(name):
                if name.endswith(('.ply', '.obj', '.gltf')):
                    self.check(name, 'convert', f'graph/{name}', 'x.ply')
                elif name.endswith('.exr'):
                    self.check(name, 'convert', f'graph/{name}', 'x.png')
                else:
                    self.graph(name, 'image/movie')
                    self.check(name, 'eval', 'graph/g.json', 'i')
        self.assertFalse(os.path.exists(self.path('x.ply')) or os.path.exists(self.path('x.png')))

    def test_playlists_that_name_themselves(self):
        """They are no movies, and neither is one without an end, which is not waited for."""
        begin = '#EXTM3U\n'
        for text in ['#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n', '#EXT-X-STREAM-INF:BANDWIDTH=1\nb.m3u8\n#EXT-X-ENDLIST\n',
                     '#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.m3u8\n#EXT-X-ENDLIST\n',
                     '#EXT-X-TARGETDURATION:1000\n#EXTINF:1,\nempty.ts\n']:
            self.write('graph/a.m3u8', begin + text)
            self.write('graph/b.m3u8', begin + text.replace('b.m3u8', 'a.m3u8'))
            self.write('graph/empty.ts', '')
            for node_type in ['image/movie', 'sound/import']:
                with self.subTest(text, node_type=node_type):
                    start = time.monotonic()
                    self.graph('a.m3u8', node_type)
                    self.check('a.m3u8', 'eval', 'graph/g.json', 'i')
                    self.assertLess(time.monotonic() - start, 30)

    def test_convert_reads_beside_the_file(self):
        triangle = b'mtllib ../other/a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
        self.write('graph/a.obj', triangle)
        self.write('other/a.mtl', 'newmtl a\n')
        self.check('a.mtl', 'convert', 'graph/a.obj', 'x.ply')
        self.assertIn('--allow-path ' + self.path('other') + ')', self.kineo('convert', 'graph/a.obj', 'x.ply').err)
        self.assertEqual(self.good('convert', '--allow-path', 'other', 'graph/a.obj', 'x.ply'), '')

    def test_reader_that_never_answers(self):
        """It is stopped with the evaluation that waits for it, and ends with a program that is killed."""
        self.write('graph/a.obj', 'v 0 0 0\n')
        self.graph('a.obj', 'geometry/import')
        self.write('kineograph-import-mesh', f'#!/bin/sh\necho $$ > {self.path("number")}\nexec sleep 1000 <&3\n')
        os.chmod(self.path('kineograph-import-mesh'), 0o755)
        with subprocess.Popen([KINEO, 'eval', 'graph/g.json', 'i'], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL,
                              env=self.environment(KINEOGRAPH_PROGRAMS=self.folder)) as program:
            end = time.monotonic() + 60
            while not (os.path.exists(self.path('number')) and self.read('number')) and time.monotonic() < end:
                time.sleep(0.01)
            reader = int(self.read('number'))
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(60), 1)
        self.assertRaises(ProcessLookupError, os.kill, reader, 0)

    def test_why_a_reader_stopped(self):
        """What killed it is reported, and not that it takes too long."""
        self.write('graph/a.obj', 'v 0 0 0\n')
        for number, message in [('KILL', 'was killed'), ('SEGV', 'crashed'), ('ABRT', 'crashed'),
                                ('XCPU', 'takes too long')]:
            with self.subTest(number):
                self.write('kineograph-import-mesh', f'#!/bin/sh\nkill -{number} $$\n')
                os.chmod(self.path('kineograph-import-mesh'), 0o755)
                result = self.kineo('convert', 'graph/a.obj', 'x.ply', KINEOGRAPH_PROGRAMS=self.folder)
                self.assertIn(result.status, (1, 3))
                self.assertIn(message, result.err)


main()
