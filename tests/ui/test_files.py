# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening, saving, closing, recovering: no file and no disk takes the window down or work away."""
import os
import resource
import shutil
import subprocess

from support import PROGRAM, WindowTest, activity, main, tearDownModule, wait_for  # noqa: F401

EMPTY = '{ "kineograph": 1, "nodes": {} }'
ONE = {'kineograph': 1, 'nodes': {'a': {'type': 'value/number', 'at': [0, 0]}}}
# What message windows are called.
DIALOG = 'Kineograph'


class Files(WindowTest):
    def open(self, name='graph.json', content=EMPTY):
        self.write(name, content)
        self.start(name)
        self.wait_for_title(name)
        self.over_canvas()

    def kinds(self, name='graph.json'):
        return sorted(node['type'] for node in self.read(name)['nodes'].values())

    def more(self, *arguments, **environment):
        """Another start of the program, which hands its files to the one that runs."""
        subprocess.run([PROGRAM, *arguments], env=dict(self.environment, **environment), cwd=self.folder, check=True,
                       timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def copies(self):
        """Recovery after a crash."""
        folder = self.path('state/kineograph/recovery')
        return [name for name in os.listdir(folder) if name.endswith('.json')] if os.path.isdir(folder) else []

    # Closing.

    def test_close_without_changes(self):
        self.open()
        self.key('ctrl+w')
        self.wait_for_end()

    def test_close_and_save(self):
        self.open()
        self.add('value/random')
        self.wait_for_title('• graph.json')
        self.key('ctrl+w')
        self.key('Escape')
        self.wait_for_title('• graph.json')
        self.key('ctrl+w')
        self.key('alt+c')
        self.wait_for_title('• graph.json')
        self.assertEqual(self.kinds(), [])
        self.key('ctrl+w')
        self.key('Return')
        self.wait_for_end()
        self.assertEqual(self.kinds(), ['value/random'])
        self.assertEqual(self.copies(), [])

    def test_close_and_discard(self):
        self.open()
        self.add('value/random')
        self.key('ctrl+w')
        self.key('alt+d')
        self.wait_for_end()
        self.assertEqual(self.kinds(), [])
        self.assertEqual(self.copies(), [])

    def test_quit_with_several_windows(self):
        self.write('graph.json', EMPTY)
        self.write('other.json', EMPTY)
        self.start('graph.json', 'other.json', windows=2)
        self.over_canvas()
        self.add('value/random')
        self.key('ctrl+q')
        self.key('alt+d')
        self.wait_for_end()

    def test_title_is_the_proposed_name(self):
        """A slash is no part of a name."""
        self.start()
        self.key('ctrl+n')
        self.wait_for_title('Untitled')
        self.press('text-box', 'Title')
        self.key('ctrl+a')
        self.type('Ball / Bounce\n')
        self.wait_for_title('• Ball / Bounce')
        self.key('ctrl+s')
        self.key('Return')
        wait_for(lambda: os.path.exists(self.path('Ball - Bounce.kineo.json')), 'the file')

    def test_save_as_of_a_new_graph(self):
        self.start()
        self.key('ctrl+n')
        self.wait_for_title('Untitled')
        self.over_canvas()
        self.add('value/random')
        self.key('ctrl+s')
        self.key('ctrl+a')
        self.type(self.path('new.kineo.json'))
        self.key('Return')
        wait_for(lambda: os.path.exists(self.path('new.kineo.json')), 'the file')
        self.wait_for_title('new.kineo.json')
        self.assertEqual(self.kinds('new.kineo.json'), ['value/random'])
        self.key('ctrl+w')
        self.wait_for_end()

    def test_recent_files(self):
        """From the welcome page, and from the menu of a window that has a graph."""
        self.open('first_one.kineo.json')
        self.key('ctrl+w')
        self.wait_for_end()
        self.open('second.kineo.json')
        self.choose('button', 'Menu', 'Open Recent')
        self.press_choice('first_one.kineo.json*')
        self.window('first_one.kineo.json')
        self.assertEqual(len(self.windows()), 2)

    # Files that go.

    def test_save_as_elsewhere(self):
        """The files that it reads are found from there too; what it writes goes there."""
        graph = {'kineograph': 1, 'nodes': {
            'picture': {'type': 'image/import', 'at': [0, 0], 'inputs': {'path': 'red.png'}},
            'away': {'type': 'image/import', 'at': [0, 200], 'inputs': {'path': '/nowhere/blue.png'}},
            'file': {'type': 'render/file', 'at': [300, 0], 'inputs': {'path': 'out.png'}}}}
        os.makedirs(self.path('one/two'))
        self.write('graph.json', graph)
        self.start('graph.json')
        # It names a file outside of its folder.
        self.press('button', 'Do Not Allow')
        self.wait_for_title('graph.json')
        self.key('ctrl+shift+s')
        self.key('ctrl+a')
        self.type(self.path('one/two/graph.json'))
        self.key('Return')
        wait_for(lambda: os.path.exists(self.path('one/two/graph.json')), 'the file')
        paths = {name: node['inputs']['path'] for name, node in self.read('one/two/graph.json')['nodes'].items()}
        self.assertEqual(paths, {'picture': '../../red.png', 'away': '/nowhere/blue.png', 'file': 'out.png'})
        self.assertEqual(self.read('graph.json'), graph)

    def test_deleted_file_is_noticed_and_saved_again(self):
        self.open(content=ONE)
        os.unlink(self.path('graph.json'))
        self.wait_for_title('• graph.json')
        self.key('ctrl+s')
        wait_for(lambda: os.path.exists(self.path('graph.json')), 'the file to be written again')
        self.wait_for_title('graph.json')
        self.assertEqual(self.kinds(), ['value/number'])
        self.key('ctrl+w')
        self.wait_for_end()

    def test_deleted_file_asks_before_the_window_closes(self):
        self.open(content=ONE)
        os.unlink(self.path('graph.json'))
        self.wait_for_title('• graph.json')
        self.key('ctrl+w')
        self.wait_for_title(DIALOG)
        self.key('Return')
        self.wait_for_end()
        self.assertEqual(self.kinds(), ['value/number'])

    def test_deleted_file_survives_a_crash(self):
        """Nothing was edited, but the program is the only one that has the graph."""
        self.open(content=ONE)
        os.unlink(self.path('graph.json'))
        self.wait_for_title('• graph.json')
        wait_for(self.copies, 'the copy', 25)
        self.kill()
        self.start(windows=2)
        self.key('Return')
        self.wait_for_title('• graph.json')
        self.key('ctrl+s')
        wait_for(lambda: os.path.exists(self.path('graph.json')), 'the file to be written again')
        self.assertEqual(self.kinds(), ['value/number'])

    def test_file_that_comes_back(self):
        """As when another program moves it away and back: nothing is left to save."""
        self.open(content=ONE)
        os.rename(self.path('graph.json'), self.path('elsewhere.json'))
        self.wait_for_title('• graph.json')
        os.rename(self.path('elsewhere.json'), self.path('graph.json'))
        self.wait_for_title('graph.json')
        self.key('ctrl+w')
        self.wait_for_end()

    # Crashes.

    def test_recover_after_kill(self):
        self.open()
        self.add('value/random')
        wait_for(self.copies, 'the copy', 25)
        self.kill()
        self.assertEqual(self.kinds(), [])
        self.start(windows=2)
        self.key('Return')
        self.wait_for_title('• graph.json')
        self.key('ctrl+s')
        wait_for(lambda: self.kinds() == ['value/random'], 'the recovered graph to be saved')
        wait_for(lambda: not self.copies(), 'the copy to go')
        self.key('ctrl+w')
        self.wait_for_end()
        self.start()
        self.settle()
        self.assertEqual(len(self.windows()), 1)

    def test_recover_later_or_never(self):
        self.open()
        self.add('value/random')
        # Work is kept as soon as the keyboard goes to another window.
        self.key('F1')
        wait_for(self.copies, 'the copy', 10)
        self.kill()
        self.start(windows=2)
        self.key('alt+l')
        self.assertEqual(len(self.copies()), 1)
        self.kill()
        self.start(windows=2)
        self.key('alt+d')
        wait_for(lambda: not self.copies(), 'the copy to go')

    # Files that are no graphs.

    def bad_files(self):
        deep = '[' * 100000
        cycle = {name: {'type': 'value/number', 'inputs': {'value': {'link': f'{other}.output'}}}
                 for name, other in (('a', 'b'), ('b', 'a'))}
        return {
            'truncated.json': '{"kineograph":1,"nodes":{"a":{"ty',
            'empty.json': '',
            'cycle.json': {'kineograph': 1, 'nodes': cycle},
            'large.json': '{"kineograph":1,"nodes":{"a":{"type":"value/number","inputs":{"value":1e999}}}}',
            'bytes.json': b'{"kineograph":1,"title":"\xff\xfe","nodes":{}}',
            'twice.json': '{"kineograph":1,"nodes":{"a":{"type":"value/number"},"a":{"type":"value/number"}}}',
            'backwards.json': '{"kineograph":1,"frames":{"start":10,"end":1,"rate":24},"nodes":{}}',
            'kind.json': {'kineograph': 1, 'nodes': {'a': {'type': 'value/number', 'inputs': {'value': 'three'}}}},
            'many.json': {'kineograph': 1, 'nodes': {f'n{i}': {'type': 'value/number', 'inputs': {'no': 1}}
                                                     for i in range(3000)}},
            'deep.json': deep,
            'other.json': '{"asset": {"version": "2.0"}}',
            'picture.json': b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
        }

    def test_bad_files(self):
        self.open(content=ONE)
        self.add('value/random')
        names = []
        for name, content in self.bad_files().items():
            self.write(name, content)
            names.append(name)
        os.mkdir(self.path('folder.json'))
        for name in [*names, 'folder.json', 'missing.json', '/dev/null', '/proc/self/mem']:
            with self.subTest(name):
                self.more(name)
                wait_for(lambda: len(self.windows()) == 2, 'the list of problems')
                self.settle()
                self.wait_for_title(DIALOG)
                self.close_dialog()
                self.wait_for_title('• graph.json')
        self.key('ctrl+s')
        wait_for(lambda: self.kinds() == ['value/number', 'value/random'], 'the file')

    def close_dialog(self, windows=1):
        """A key that comes while the window manager still hands over the focus is lost: it is pressed again."""
        def closed():
            self.key('Escape')
            return len(self.windows()) == windows

        wait_for(closed, 'the list to close')

    def test_bad_file_at_start(self):
        self.write('bad.json', '{"kineograph": 1, "nodes": {"a": {"type"')
        self.start('bad.json', windows=2)
        self.key('Escape')
        self.key('ctrl+n')
        self.wait_for_title('Untitled')

    # Disks.

    def test_changed_on_disk(self):
        self.open()
        self.add('value/random')
        self.write('graph.json', ONE)
        self.settle()
        self.key('ctrl+s')
        self.key('Escape')
        self.assertEqual(self.kinds(), ['value/number'])
        self.wait_for_title('• graph.json')
        self.key('ctrl+s')
        self.key('alt+o')
        wait_for(lambda: self.kinds() == ['value/random'], 'the file')
        self.wait_for_title('graph.json')

    def test_folder_gone(self):
        os.mkdir(self.path('there'))
        self.write('there/graph.json', EMPTY)
        self.start('there/graph.json')
        self.wait_for_title('graph.json')
        self.over_canvas()
        self.add('value/random')
        shutil.rmtree(self.path('there'))
        self.key('ctrl+s')
        self.wait_for_title(DIALOG)
        self.key('Escape')
        self.wait_for_title('• graph.json')
        os.mkdir(self.path('there'))
        self.key('ctrl+s')
        wait_for(lambda: os.path.exists(self.path('there/graph.json')), 'the file')

    def test_read_only_file(self):
        if os.geteuid() == 0:
            self.skipTest('root may write everywhere')
        self.open()
        self.add('value/random')
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        self.key('ctrl+s')
        self.wait_for_title(DIALOG)
        self.key('Escape')
        self.wait_for_title('• graph.json')
        self.assertEqual(self.kinds(), [])

    def test_not_writable(self):
        """Something stands in the place of the file: not even root can write there."""
        self.open()
        self.add('value/random')
        os.remove(self.path('graph.json'))
        os.mkdir(self.path('graph.json'))
        self.write('graph.json/inside', '')
        self.key('ctrl+s')
        self.wait_for_title(DIALOG)
        self.key('Escape')
        self.wait_for_title('• graph.json')
        wait_for(self.copies, 'the copy', 25)
        # Under another name nothing is in the way.
        self.key('ctrl+shift+s')
        self.key('ctrl+a')
        self.type(self.path('new.json'))
        self.key('Return')
        wait_for(lambda: os.path.isfile(self.path('new.json')), 'the file')
        self.assertEqual(self.kinds('new.json'), ['value/random'])
        self.assertEqual(os.listdir(self.path('graph.json')), ['inside'])

    def limit(self, size):
        """How large the files may become that the program writes from now on: as "ulimit -f" says it, whose signal ends
        programs that know nothing of it."""
        resource.prlimit(self.program.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def save_as(self, name):
        self.key('ctrl+shift+s')
        self.key('ctrl+a')
        self.type(self.path(name))
        self.key('Return')

    def test_full_disk(self):
        """The old file is complete, there is no partial file beside it, and the window keeps the unsaved work."""
        self.open(content=dict(ONE, comment='long ' * 2000))
        self.add('value/random')
        self.wait_for_title('• graph.json')
        with open(self.path('graph.json'), 'rb') as f:
            old = f.read()
        before = sorted(os.listdir(self.folder))
        # GTK complains of a tooltip that opens while a window does.
        self.move_away()

        def refused():
            self.wait_for_title(DIALOG)
            self.key('Escape')
            self.wait_for_title('• graph.json')
            with open(self.path('graph.json'), 'rb') as f:
                self.assertEqual(f.read(), old)
            self.assertEqual(sorted(os.listdir(self.folder)), before)

        for size in (4096, 0):
            with self.subTest(size):
                self.limit(size)
                self.key('ctrl+s')
                refused()
                # Who closes and saves is not rid of the window either.
                self.key('ctrl+w')
                self.wait_for_title(DIALOG)
                self.key('Return')
                refused()
        self.save_as('new.json')
        refused()
        # Once there is room again, all of it is saved, and the window that was to close then stays.
        self.limit(resource.RLIM_INFINITY)
        self.save_as('new.json')
        self.wait_for_title('new.json')
        self.assertEqual(self.kinds('new.json'), ['value/number', 'value/random'])
        self.over_canvas()
        self.add('value/compose')
        self.save('new.json', lambda graph: len(graph['nodes']) == 3)
        self.assertEqual(self.kinds(), ['value/number'])
        self.key('ctrl+w')
        self.wait_for_end()
        self.assertEqual(self.copies(), [])

    def test_full_disk_and_a_crash(self):
        """Where not even the copy for a crash can be kept, the window lives, and keeps it once there is room."""
        self.open(content=dict(ONE, comment='long ' * 2000))
        self.limit(4096)
        self.add('value/random')
        self.wait_for_title('• graph.json')
        # Work is kept as soon as the keyboard goes to another window.
        self.key('F1')
        self.key('Escape')
        self.wait_for_title('• graph.json')
        self.assertEqual(self.copies(), [])
        self.limit(resource.RLIM_INFINITY)
        wait_for(self.copies, 'the copy', 50)
        self.kill()
        self.start(windows=2)
        self.key('Return')
        self.wait_for_title('• graph.json')
        self.save('graph.json', lambda graph: len(graph['nodes']) == 2)

    def test_two_programs(self):
        """Two processes, as of two people on one disk, that know nothing of each other."""
        self.open()
        first = self.program
        self.add('value/random')
        self.wait_for_title('• graph.json')
        # Without the bus of the session there is no first one to hand the file to.
        self.program = None
        self.start('graph.json', DBUS_SESSION_BUS_ADDRESS='unix:path=/nonexistent')
        second = self.program
        self.addCleanup(self.end_other, first)
        self.over_canvas()
        self.add('value/compose')
        self.wait_for_title('• graph.json')
        # Each keeps what it has not saved, beside the other.
        self.key('F1')
        self.key('Escape')
        wait_for(lambda: len(self.copies()) == 2, 'both copies', 25)
        self.save('graph.json', lambda graph: [n['type'] for n in graph['nodes'].values()] == ['value/compose'])
        # The first one notices, asks, and writes nothing until it is told to.
        self.program = first
        self.activate('• graph.json')
        self.key('ctrl+s')
        self.wait_for_title(DIALOG)
        self.key('Escape')
        self.assertEqual(self.kinds(), ['value/compose'])
        self.key('ctrl+s')
        self.key('alt+a')
        self.key('ctrl+a')
        self.type(self.path('mine.json'))
        self.key('Return')
        wait_for(lambda: os.path.isfile(self.path('mine.json')), 'the file of the first')
        self.assertEqual((self.kinds(), self.kinds('mine.json')), (['value/compose'], ['value/random']))
        wait_for(lambda: not self.copies(), 'both copies to go')
        self.program = second

    @staticmethod
    def end_other(process):
        process.kill()
        process.wait()

    def test_one_file_twice(self):
        self.open()
        self.more('graph.json')
        self.settle()
        self.assertEqual(len(self.windows()), 1)

    def test_no_schema(self):
        self.write('graph.json', EMPTY)
        self.start('graph.json', GSETTINGS_SCHEMA_DIR='')
        self.over_canvas()
        self.add('value/random')
        self.save('graph.json', lambda graph: len(graph['nodes']) == 1)

    # Rendering.

    def test_render(self):
        """The movie is there when it is done, and not when it was stopped."""
        graph = {'kineograph': 1, 'frames': {'start': 1, 'end': 12, 'rate': 24}, 'display': 'out.image', 'nodes': {
            'ball': {'type': 'geometry/circle', 'at': [0, 0], 'inputs': {'center': {'expr': 't, 0, 0'}}},
            'out': {'type': 'render/draw', 'at': [300, 0], 'inputs': {
                'geometries': [{'link': 'ball.geometry'}], 'width': 64, 'height': 48}}}}
        self.open(content=graph)
        self.key('F12')
        self.wait_for_title('Render')
        self.key('Return')
        wait_for(lambda: os.path.exists(self.path('graph.mp4')), 'the movie')
        self.close_dialog()
        self.wait_for_title('graph.json')
        # The same is so much work that it is stopped on the way.
        graph['nodes']['out']['inputs'].update(width=4096, height=4096, samples=256)
        graph['frames']['end'] = 1000
        self.write('slow.json', graph)
        self.more('slow.json')
        self.wait_for_title('slow.json')
        self.key('F12')
        self.wait_for_title('Render')
        # While it renders the dialog moves without a rest.
        self.plays = True
        self.key('Return')
        self.find('progress-bar', 'Rendering')
        self.key('Escape')
        self.plays = False
        self.wait_for_title('Render')
        self.close_dialog(windows=2)
        self.wait_for_title('slow.json')
        self.assertFalse(os.path.exists(self.path('slow.mp4')))

    # Graphs that are work.

    def test_failing_display(self):
        graph = {'kineograph': 1, 'display': 'out.image', 'nodes': {
            'file': {'type': 'geometry/import', 'inputs': {'path': 'missing.obj'}},
            'out': {'type': 'render/draw', 'inputs': {'geometries': [{'link': 'file.geometry'}]}}}}
        self.open(content=graph)
        self.settle()
        self.add('value/random')
        self.play()
        self.stop()
        self.save('graph.json', lambda graph: len(graph['nodes']) == 3)

    def test_small_window(self):
        self.open(content=ONE)
        window = self.do('getactivewindow').strip()
        # As a hand does it: the window makes do with less on the way.
        for width, height in ((600, 400), (400, 300), (400, 300)):
            self.do('windowsize', window, width, height)
            self.settle()
        self.assertEqual(self.place()[2:], (400, 300))
        for tab in ('ctrl+2', 'ctrl+3', 'ctrl+1'):
            self.key(tab)
        self.over_canvas()
        self.add('value/random')
        self.save('graph.json', lambda graph: len(graph['nodes']) == 2)

    def test_slow_evaluation(self):
        graph = {'kineograph': 1, 'display': 'slow.image', 'nodes': {
            'ball': {'type': 'geometry/circle', 'at': [0, 0],
                     'inputs': {'center': {'expr': 't, 0, 0'}, 'points': 1000}},
            'slow': {'type': 'render/draw', 'at': [300, 0], 'inputs': {
                'geometries': [{'link': 'ball.geometry'}], 'width': 4096, 'height': 4096, 'samples': 256}}}}
        self.open(content=graph)
        for count in (3, 4):
            self.add('value/random')
            self.save('graph.json', lambda graph, count=count: len(graph['nodes']) == count)
            self.assertTrue(self.evaluates())
        self.key('ctrl+Right', 'ctrl+Right', 'ctrl+z')
        self.save('graph.json', lambda graph: len(graph['nodes']) == 3)
        self.assertTrue(self.evaluates())
        self.key('ctrl+w')
        self.wait_for_end()

    def evaluates(self):
        """Whether the threads of the program work, whatever its window does."""
        def used():
            with open(f'/proc/{self.program.pid}/stat', encoding='utf-8') as f:
                return sum(map(int, f.read().rpartition(')')[2].split()[11:13]))

        def beside():
            return used() - activity(self.program.pid, self.program.pid)[1]

        before = beside()
        return wait_for(lambda: beside() - before > 5, 'the threads to work')


main()
