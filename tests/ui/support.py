# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the window share: a display of their own with the real program on it, and hands for it.

Nothing in the program knows of these tests.  They press keys and move the pointer with xdotool, and judge by what the
program writes: files, and its standard error."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from tap import main  # noqa: E402,F401

PROGRAM = os.environ['KINEOGRAPH']
GRAPHS = os.environ['KG_GRAPHS']
NEEDED = ('Xvfb', 'xdotool', 'openbox', 'dbus-daemon', 'import')
MISSING = [name for name in NEEDED if shutil.which(name) is None]

# Presses of the pointer in one place that follow each other in so many seconds are a double click.  A machine that halts
# between two of them must not make them two clicks.
DOUBLE_CLICK = 1.5
SCREEN_WIDTH = 1400
# kg-node-layout.h
NODE_WIDTH, NODE_HEAD, NODE_ROW = 150, 24, 18


def wait_for(condition, what, seconds=120):
    """The first true result of condition, which is asked again and again."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f'waited {seconds} s for {what}')
        time.sleep(0.05)


def activity(pid, thread):
    """The state of a thread, R as long as it runs or wants to, and the processor time it has used, in ticks."""
    try:
        with open(f'/proc/{pid}/task/{thread}/stat', encoding='utf-8', errors='replace') as f:
            fields = f.read().rpartition(')')[2].split()
    except OSError:
        return 'X', 0
    return fields[0], int(fields[11]) + int(fields[12])


class Desktop:
    """An X server, a window manager and a session bus, for the life of a test program."""
    shared = None

    @classmethod
    def get(cls):
        # A window manager that does not come up, which happens, is no fault of the program.
        for last in (False, False, True):
            if cls.shared is None:
                desktop = cls()
                try:
                    desktop.wait_for_manager()
                    cls.shared = desktop
                except AssertionError:
                    desktop.stop()
                    if last:
                        raise
        return cls.shared

    def __init__(self):
        self.processes = []
        read, write = os.pipe()
        # A machine that halts for a moment between press and release must not make the display repeat the key.
        self.start('Xvfb', '-displayfd', str(write), '-screen', '0', f'{SCREEN_WIDTH}x900x24', '-nolisten', 'tcp', '-r',
                   pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith('XDG_') and k != 'WAYLAND_DISPLAY'}
        self.environment.update(DISPLAY=':' + number, GSK_RENDERER='cairo', GDK_BACKEND='x11', GTK_A11Y='none',
                                GSETTINGS_BACKEND='memory', NO_AT_BRIDGE='1', LC_ALL='C.UTF-8',
                                GSETTINGS_SCHEMA_DIR=os.environ.get('KG_SCHEMAS', ''))
        bus = self.start('dbus-daemon', '--session', '--nofork', '--print-address=1', stdout=subprocess.PIPE)
        self.environment['DBUS_SESSION_BUS_ADDRESS'] = bus.stdout.readline().decode().strip()
        # A click gives the keyboard to a window; Alt and a drag are left to the program.
        self.settings = tempfile.NamedTemporaryFile('w', suffix='.xml')
        self.settings.write('<openbox_config xmlns="http://openbox.org/3.4/rc"><keyboard/><mouse>'
                            '<context name="Client"><mousebind button="Left" action="Press">'
                            '<action name="Focus"/><action name="Raise"/></mousebind></context>'
                            '</mouse></openbox_config>')
        self.settings.flush()
        self.start('openbox', '--config-file', self.settings.name, env=self.environment)

    def wait_for_manager(self):
        wait_for(lambda: subprocess.run(['xdotool', 'get_num_desktops'], env=self.environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        check=False).returncode == 0, 'the window manager', 20)

    def start(self, *command, stdout=subprocess.DEVNULL, **more):
        process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL, **more)
        self.processes.append(process)
        return process

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        self.settings.close()
        Desktop.shared = None


def tearDownModule():
    if Desktop.shared is not None:
        Desktop.shared.stop()


@unittest.skipIf(MISSING, f'needs {", ".join(MISSING)} (see build-aux/install-dependencies.sh)')
class WindowTest(unittest.TestCase):
    maxDiff = None
    # The window is there for its user while it evaluates; whether a test waits for what comes of that.
    waits_for_evaluation = False
    views = {}  # what find_view found out, by content of the file and place of the window
    # GTK's own: the bar in an entry, and the buttons of its dialogs, are drawn once before they have their place; keys in
    # its window of shortcuts; a menu that opens below the pointer is told of the release of a button that was pressed
    # elsewhere.
    harmless = ('Trying to snapshot GtkGizmo', 'Trying to snapshot GtkButton', '(label) reported min width -',
                'Broken accounting of active state')

    def setUp(self):
        self.desktop = Desktop.get()
        self.folder = tempfile.mkdtemp(prefix='kineograph-test-')
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(self.desktop.environment, HOME=self.folder, G_DEBUG='fatal-criticals')
        # GTK keeps memory until the process ends, without a name that a suppression could tell: leaks are looked for in
        # the tests of the parts.  Other errors of memory end the program here too.
        if 'ASAN_OPTIONS' in os.environ:
            self.environment['ASAN_OPTIONS'] = os.environ['ASAN_OPTIONS'] + ':detect_leaks=0'
        for name in ('STATE', 'CONFIG', 'DATA', 'CACHE'):
            self.environment[f'XDG_{name}_HOME'] = self.path(name.lower())
        # What moves by itself costs time to draw, and to wait for.
        os.makedirs(self.path('config/gtk-4.0'))
        self.write('config/gtk-4.0/settings.ini', '[Settings]\ngtk-enable-animations=false\ngtk-cursor-blink=false\n'
                   f'gtk-double-click-time={DOUBLE_CLICK * 1000:.0f}\n')
        self.last_click = None
        self.program = None
        self.plays = False
        self.addCleanup(self.end)
        self.view = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        if isinstance(content, str):
            content = content.encode('utf-8')
        elif not isinstance(content, bytes):
            content = json.dumps(content).encode('utf-8')
        with open(self.path(name), 'wb') as f:
            f.write(content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding='utf-8') as f:
            return json.load(f)

    # The program.

    def start(self, *arguments, windows=1, **environment):
        """Starts it and waits for this many windows."""
        # GTK complains of a tooltip that opens while a window does.
        self.point(1399, 899)
        with open(self.path('stderr'), 'ab') as log:
            self.program = subprocess.Popen([PROGRAM, *arguments], env=dict(self.environment, **environment),
                                            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(lambda: len(self.windows()) >= windows, 'the window')
        self.settle()

    def end(self):
        """Ends it the hard way and looks at what it complained about."""
        if self.program is None:
            return
        alive = self.program.poll() is None
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], self.id().replace('__main__.', '') + '.png'))
        if alive:
            self.program.kill()
        status = self.program.wait()
        self.program = None
        with open(self.path('stderr'), encoding='utf-8', errors='replace') as f:
            complaints = [line for line in f.read().splitlines() if line.strip() and ('WARNING' in line or
                          'CRITICAL' in line or 'ERROR' in line) and not any(part in line for part in self.harmless)]
        self.assertEqual(complaints, [])
        self.assertTrue(alive or status == 0, f'the program ended with status {status}')

    def kill(self):
        self.program.send_signal(signal.SIGKILL)
        self.program.wait()
        self.program = None

    def wait_for_end(self):
        wait_for(lambda: self.program.poll() is not None, 'the program to end')
        self.assertEqual(self.program.returncode, 0)

    # Hands.

    def do(self, *arguments):
        done = subprocess.run(['xdotool', *map(str, arguments)], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300, check=False)
        return done.stdout.decode()

    def settle(self, least=0.3, most=10):
        """Until the program has drawn and answered an event, which xdotool does not tell: until it, the window manager
        and the display all sleep.  Who plays does not sleep."""
        time.sleep(least)
        if self.plays:
            return
        end = time.monotonic() + most
        while time.monotonic() < end:
            threads = self.threads()
            before = [activity(*thread) for thread in threads]
            asleep = True
            for _ in range(4):
                time.sleep(0.01)
                now = [activity(*thread) for thread in threads]
                asleep = asleep and all(state != 'R' for state, _ in now)
            if asleep and sum(b[1] - a[1] for a, b in zip(before, now)) <= 1:
                return

    def threads(self):
        """Those that settle waits for."""
        found = [(p.pid, p.pid) for p in self.desktop.processes]
        if self.program is not None:
            pid = self.program.pid
            tasks = f'/proc/{pid}/task'
            found.append((pid, pid))
            if self.waits_for_evaluation and os.path.isdir(tasks):
                found += [(pid, int(name)) for name in os.listdir(tasks) if int(name) != pid]
        return found

    def windows(self):
        """Names of the visible top-level windows by id; popovers have none."""
        found = {}
        for line in self.do('search', '--onlyvisible', '--name', '.').split():
            name = self.do('getwindowname', line).strip()
            pid = self.do('getwindowpid', line).strip()
            if self.program is not None and pid == str(self.program.pid) and name:
                found[int(line)] = name
        return found

    def window(self, name):
        """Waits for a window of that name and gives its id."""
        return wait_for(lambda: next((i for i, n in self.windows().items() if n == name), None), f'the window {name!r}')

    def title(self):
        """The name of the window that has the keyboard."""
        return self.do('getactivewindow', 'getwindowname').strip()

    def wait_for_title(self, name, seconds=120):
        seen = []

        def there():
            seen[:] = [self.title()]
            return seen == [name]

        try:
            wait_for(there, f'the title {name!r}', seconds)
        except AssertionError as error:
            raise AssertionError(f'{error}; it is {seen[0]!r}') from None
        self.settle(0.1)

    def place(self, window=None):
        """x, y, width and height of a window; the active one if not given."""
        window = window or int(self.do('getactivewindow') or 0)
        lines = self.do('getwindowgeometry', '--shell', window).split()
        values = dict(line.split('=') for line in lines)
        return tuple(int(values[key]) for key in ('X', 'Y', 'WIDTH', 'HEIGHT'))

    def key(self, *names, pause=0.05):
        for name in names:
            self.do('key', '--clearmodifiers', name)
            self.settle(pause)

    def type(self, text):
        """Text as typed; a new line is Return."""
        for i, line in enumerate(text.split('\n')):
            if i > 0:
                self.key('Return', pause=0.05)
            if line:
                self.do('type', '--delay', '12', '--', line)
        self.settle(0.05)

    def play(self, seconds=0.5):
        """Begins to play, for so long at least."""
        self.plays = True
        self.key('space', pause=seconds)

    def stop(self):
        self.plays = False
        self.key('space')

    def point(self, x, y):
        self.do('mousemove', round(x), round(y))
        self.settle(0.03)

    def approach(self, x, y):
        """As a hand does: a pointer that has not moved since a popover closed below it may still belong to that."""
        self.point(x - 3, y - 2)
        self.point(x, y)

    def click(self, x, y, button=1, times=1, hold=None):
        self.approach(x, y)
        if hold:
            self.do('keydown', hold)
        if self.last_click is not None and max(abs(x - self.last_click[0]), abs(y - self.last_click[1])) <= 10:
            time.sleep(max(0, self.last_click[2] + DOUBLE_CLICK + 0.1 - time.monotonic()))
        for _ in range(times):
            # GTK forgets a press when something moves below the pointer and the button is up by then.
            self.do('mousedown', button)
            self.settle(0.02)
            self.do('mouseup', button)
            self.settle(0.02)
        self.last_click = (x, y, time.monotonic())
        if hold:
            self.do('keyup', hold)
        self.settle(0.08)

    def drag(self, x0, y0, x1, y1, button=1, hold=None):
        """Slow enough for a threshold, and with a stop at the end."""
        self.approach(x0, y0)
        if hold:
            self.do('keydown', hold)
        self.do('mousedown', button)
        self.settle(0.1)
        for i in range(1, 9):
            self.do('mousemove', round(x0 + (x1 - x0) * i / 8), round(y0 + (y1 - y0) * i / 8), 'sleep', '0.02')
        self.settle(0.08)
        self.do('mouseup', button)
        if hold:
            self.do('keyup', hold)
        self.settle(0.08)

    # The canvas.

    def save(self, name, expect=None):
        """Saves and gives the file; with expect, as soon as that is true of it."""
        before = os.stat(self.path(name)).st_mtime_ns
        self.key('ctrl+s')
        wait_for(lambda: os.stat(self.path(name)).st_mtime_ns != before, 'the file to be saved')
        graph = self.read(name)
        if expect is not None:
            self.assertTrue(expect(graph), json.dumps(graph, indent=1))
        return graph

    def find_view(self, name):
        """Finds out how the canvas maps the graph to the screen, right after it was opened: two nodes added at known
        places tell.  The same file in a window of the same place is shown in the same way."""
        with open(self.path(name), 'rb') as f:
            key = f.read(), self.place()
        if key not in self.views:
            self.measure_view(name)
            self.views[key] = self.view
        self.view = self.views[key]

    def measure_view(self, name):
        x, y, width, height = self.place()
        places = [(x + round(0.1 * width), y + round(0.6 * height)), (x + round(0.6 * width), y + round(0.86 * height))]
        before = set(self.read(name)['nodes'])
        for place in places:
            self.point(*place)
            self.add('value/random')
        nodes = self.save(name)['nodes']
        a, b = [node['at'] for key, node in nodes.items() if key not in before]
        self.key('ctrl+z', 'ctrl+z')
        scale = (places[1][0] - places[0][0]) / (b[0] - a[0])
        # A new node has the middle of its head at the pointer.
        self.view = (places[0][0] - scale * a[0], places[0][1] - scale * (a[1] + NODE_HEAD / 2), scale)
        self.save(name, lambda graph: set(graph['nodes']) == before)

    def at(self, x, y):
        """Where a place of the graph is on the screen."""
        return self.view[0] + self.view[2] * x, self.view[1] + self.view[2] * y

    def head(self, position):
        """Of the node at a position."""
        return self.at(position[0] + NODE_WIDTH / 2, position[1] + NODE_HEAD / 2)

    def slot(self, position, row, output=False):
        """The dot of a row of the node at a position."""
        return self.at(position[0] + (NODE_WIDTH if output else 0), position[1] + NODE_HEAD + NODE_ROW * (row + 0.5))

    def add(self, words):
        """A node at the pointer, by the search."""
        self.key('Tab', pause=0.1)
        self.type(words)
        self.key('Return', pause=0.1)

    def find_input(self, search):
        """To an input of the selected node, by the search of the inspector."""
        self.key('Return', 'ctrl+a')
        self.type(search)
        self.key('Return')

    def find_field(self):
        """Where the text of the entry of the inspector is that has the keyboard: by the line around it."""
        x, y, width, height = self.place()
        done = self.screen()
        blue = [(px, py) for py in range(y + 130, y + height - 60) for px in range(x + width - 330, x + width - 20)
                if done[3 * (SCREEN_WIDTH * py + px) + 2] - done[3 * (SCREEN_WIDTH * py + px)] > 90]
        self.assertTrue(blue, 'no entry has the keyboard')
        return (min(p[0] for p in blue) + 12, (min(p[1] for p in blue) + max(p[1] for p in blue)) / 2)

    def set_input(self, position, search, *values):
        """Types into the fields of an input of the node at a position."""
        self.click(*self.head(position))
        self.find_input(search)
        for i, value in enumerate(values):
            if i > 0:
                self.key('Tab')
            self.key('ctrl+a')
            self.type(value)
        self.key('Tab')

    def find_spots(self, color, least=4, seconds=60):
        """Centres of the areas of exactly that colour, from left to right, with at least so many pixels each; waits for
        the first, and until they stay where they are."""
        end = time.monotonic() + seconds
        before = None
        while True:
            spots = self.find_spots_now(color, least)
            if (spots and spots == before) or time.monotonic() > end:
                return spots
            before = spots
            time.sleep(0.2)

    def screen(self):
        """Three bytes for each pixel of the display."""
        return subprocess.run(['import', '-window', 'root', '-depth', '8', 'rgb:-'], env=self.environment,
                              stdout=subprocess.PIPE, check=True).stdout

    def find_areas(self, color):
        """What hangs together of exactly that colour, each area as a list of its pixels."""
        dump = self.screen()
        found, at = set(), dump.find(bytes(color))
        while at >= 0:
            if at % 3 == 0:
                found.add((at // 3 % SCREEN_WIDTH, at // 3 // SCREEN_WIDTH))
            at = dump.find(bytes(color), at + 1)
        areas = []
        while found:
            area, edge = [], [found.pop()]
            while edge:
                x, y = edge.pop()
                area.append((x, y))
                for near in ((x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
                    if near in found:
                        found.remove(near)
                        edge.append(near)
            areas.append(area)
        return areas

    def find_spots_now(self, color, least):
        return sorted((sum(x for x, _ in area) / len(area), sum(y for _, y in area) / len(area))
                      for area in self.find_areas(color) if len(area) >= least)

    def picture(self, name):
        """What is on the display, for people."""
        subprocess.run(['import', '-window', 'root', name], env=self.environment, check=False)
