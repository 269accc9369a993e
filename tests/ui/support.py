# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the window share: a display of their own with the real program on it, and functions to see and use it.

Nothing in the program knows of these tests.  They press keys and move the pointer with xdotool, find widgets by accessible
role and name, which a module that GIO loads into the program reports (probe/probe.c), and judge by what the program
shows and writes: widgets, files, and its standard error."""
import json
import math
import os
import re
import shutil
import signal
import socket
import struct
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

SCREEN_WIDTH, SCREEN_HEIGHT = 1400, 900
# kg-node-layout.h
NODE_WIDTH, NODE_HEAD, NODE_ROW = 150, 24, 18
# Two clicks within so many milliseconds are a double click: none are but those that are meant to be, however slow or
# fast the machine is.
NEVER_DOUBLE, DOUBLE = 1, 2000
# A canvas reports where its nodes are when it has rested for so many milliseconds, and a bit (kg-canvas-access.c).
CANVAS_RESTS = 300
# GtkSearchEntry, and a bit.
SEARCH_WAITS = 170
# GtkButton.
BUTTON_WAITS = 260


def wait_for(condition, what, seconds=60):
    """The first true result of condition, which is asked again and again."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f'waited {seconds} s for {what}')
        time.sleep(0.02)


def read_rows(value):
    """The rows of a table as a file holds it: as lists, or typed as text."""
    if isinstance(value, list):
        return value
    return [[float(word) for word in row.split()] for row in value.split('\n')]


def activity(pid, thread):
    """The state of a thread, R as long as it runs or wants to, and the processor time it has used, in ticks."""
    try:
        with open(f'/proc/{pid}/task/{thread}/stat', encoding='utf-8', errors='replace') as f:
            fields = f.read().rpartition(')')[2].split()
    except OSError:
        return 'X', 0
    return fields[0], int(fields[11]) + int(fields[12])


def count_sleeps(pid):
    """How often a process has gone to sleep, which shows whether it was awake in between."""
    try:
        with open(f'/proc/{pid}/status', encoding='utf-8') as f:
            return next(int(line.split()[1]) for line in f if line.startswith('voluntary_ctxt_switches'))
    except (OSError, StopIteration):
        return 0


class Widget:
    """What the probe reports of a widget."""

    def __init__(self, state, parent):
        self.state, self.parent = state, parent
        self.role, self.name, self.place = state['role'], state['name'], tuple(state['place'])

    def __getattr__(self, name):
        """Text, value, description, and states, of which those that are not listed are false."""
        return self.state.get(name, '' if name in ('text', 'value', 'description') else False)

    def __repr__(self):
        return f'{self.role} {self.name!r}'

    @property
    def middle(self):
        return self.at(0.5, 0.5)

    def at(self, across, down):
        """A point in shares of its width and height."""
        x, y, width, height = self.place
        return x + across * width, y + down * height

    def is_called(self, name):
        """Exactly so, or as it begins before an asterisk."""
        return self.name.startswith(name[:-1]) if name.endswith('*') else self.name == name

    def is_seen(self):
        """Whether its middle is not scrolled out of view."""
        x, y = self.middle
        above = self.parent
        while above is not None:
            left, top, width, height = above.place
            if above.type == 'GtkScrolledWindow' and not (left <= x < left + width and top <= y < top + height):
                return False
            above = above.parent
        return True

    def is_in(self, other):
        return self is other or (self.parent is not None and self.parent.is_in(other))


class Probe:
    """A connection to the probe in a program (probe/probe.c)."""

    def __init__(self, path):
        self.path = path
        self.socket = None
        self.rest = b''
        self.number = 0

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(self.path)
        except OSError:
            self.socket.close()
            self.socket = None
        return self.socket is not None

    def ask(self, request, seconds=60):
        """None without an answer in time, or if the program has ended."""
        self.number += 1
        end = time.monotonic() + seconds
        try:
            self.socket.sendall(f'{self.number} {request}\n'.encode())
            while True:
                line, found, rest = self.rest.partition(b'\n')
                if found:
                    self.rest = rest
                    number, _, answer = line.partition(b' ')
                    # Another number: the answer to what was not waited for.
                    if int(number) == self.number:
                        return json.loads(answer)
                    continue
                self.socket.settimeout(max(0.001, end - time.monotonic()))
                more = self.socket.recv(1 << 16)
                if not more:
                    return None
                self.rest += more
        except OSError:
            return None

    def close(self):
        if self.socket is not None:
            self.socket.close()


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
        self.frame = tempfile.TemporaryDirectory(prefix='kineograph-display-')
        read, write = os.pipe()
        # A machine that halts for a moment between press and release must not make the display repeat the key.
        self.start('Xvfb', '-displayfd', str(write), '-screen', '0', f'{SCREEN_WIDTH}x{SCREEN_HEIGHT}x24', '-nolisten',
                   'tcp', '-r', '-fbdir', self.frame.name, '-nocursor', pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith('XDG_') and k != 'WAYLAND_DISPLAY'}
        self.environment.update(DISPLAY=':' + number, GSK_RENDERER='cairo', GDK_BACKEND='x11', GTK_A11Y='test',
                                GSETTINGS_BACKEND='memory', NO_AT_BRIDGE='1', LC_ALL='C.UTF-8',
                                GSETTINGS_SCHEMA_DIR=os.environ.get('KG_SCHEMAS', ''),
                                # Nobody hears the tests.
                                PULSE_SERVER='unix:/nonexistent',
                                # To read its operations would take half as long again as the start of a window.
                                GEGL_PATH='/nonexistent')
        bus = self.start('dbus-daemon', '--session', '--nofork', '--print-address=1', stdout=subprocess.PIPE)
        self.environment['DBUS_SESSION_BUS_ADDRESS'] = bus.stdout.readline().decode().strip()
        # A click gives the keyboard to a window; Alt and a drag are left to the program.
        self.settings = tempfile.NamedTemporaryFile('w', suffix='.xml')
        self.settings.write('<openbox_config xmlns="http://openbox.org/3.4/rc"><keyboard/><mouse>'
                            '<context name="Client"><mousebind button="Left" action="Press">'
                            '<action name="Focus"/><action name="Raise"/></mousebind></context>'
                            '</mouse></openbox_config>')
        self.settings.flush()
        self.manager = self.start('openbox', '--config-file', self.settings.name, env=self.environment)

    def read_screen(self):
        """From the file that the display keeps what it shows in, without a pointer, in the format of xwd: a header, colours
        that are not used, and blue, green, red and a byte of nothing for each pixel."""
        with open(os.path.join(self.frame.name, 'Xvfb_screen0'), 'rb') as f:
            content = f.read()
        header = struct.unpack('>25I', content[:100])
        width, height, line, colors = header[4], header[5], header[12], header[19]
        start = header[0] + 12 * colors
        assert (width, height, line) == (SCREEN_WIDTH, SCREEN_HEIGHT, 4 * SCREEN_WIDTH), 'a screen of four bytes a pixel'
        pixels = bytearray(3 * width * height)
        end = start + line * height
        for i in range(3):
            pixels[i::3] = content[start + 2 - i:end:4]
        return bytes(pixels)

    def wait_until_quiet(self):
        "Until the display and the window manager have passed on what they had; gives the number of repetitions the latter slept."
        display, manager = self.processes[0].pid, self.manager.pid
        end = time.monotonic() + 10
        while any(activity(pid, pid)[0] == 'R' for pid in (manager, display, manager)) and time.monotonic() < end:
            time.sleep(0.001)
        return count_sleeps(manager)

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
        self.frame.cleanup()
        Desktop.shared = None


def tearDownModule():
    if Desktop.shared is not None:
        Desktop.shared.stop()


@unittest.skipIf(MISSING, f'needs {", ".join(MISSING)} (see build-aux/install-dependencies.sh)')
class WindowTest(unittest.TestCase):
    maxDiff = None
    # The window is there for its user while it evaluates; whether a test waits for what comes of that.
    waits_for_evaluation = False
    # GTK's own: the bar in an entry, and the buttons of its dialogs, are drawn once before they have their place; keys in
    # its window of shortcuts; a menu that opens below the pointer receives the release of a button that was pressed
    # elsewhere.
    harmless = ('Trying to snapshot GtkGizmo', 'Trying to snapshot GtkButton', '(label) reported min width -',
                'Broken accounting of active state')

    def setUp(self):
        self.desktop = Desktop.get()
        self.folder = tempfile.mkdtemp(prefix='kineograph-test-')
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(self.desktop.environment, HOME=self.folder, G_DEBUG='fatal-criticals')
        # GTK keeps memory until the process ends, without a name that a suppression could match: leaks are looked for in
        # the tests of the parts.  Other errors of memory end the program here too.
        if 'ASAN_OPTIONS' in os.environ:
            self.environment['ASAN_OPTIONS'] = os.environ['ASAN_OPTIONS'] + ':detect_leaks=0'
        for name in ('STATE', 'CONFIG', 'DATA', 'CACHE'):
            self.environment[f'XDG_{name}_HOME'] = self.path(name.lower())
        # What moves by itself costs time to draw, and to wait for.
        os.makedirs(self.path('config/gtk-4.0'))
        self.write('config/gtk-4.0/settings.ini', '[Settings]\ngtk-enable-animations=false\ngtk-cursor-blink=false\n'
                   f'gtk-double-click-time={NEVER_DOUBLE}\n')
        self.program = None
        self.probes = {}
        self.last_double = None
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
        self.move_away()
        probe = Probe(self.path(f'probe-{len(self.probes)}'))
        environment.update(GIO_EXTRA_MODULES=os.environ['KG_PROBE'], KG_TEST_PROBE=probe.path)
        with open(self.path('stderr'), 'ab') as log:
            self.program = subprocess.Popen([PROGRAM, *arguments], env=dict(self.environment, **environment),
                                            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.probes[self.program] = probe
        wait_for(lambda: self.program.poll() is not None or probe.connect(), 'the program to answer')
        wait_for(lambda: len(self.windows()) >= windows, 'the window')
        wait_for(lambda: self.active_window() is not None, 'a window to have the keyboard')
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
        self.probes[self.program].close()
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

    def ask(self, request, seconds=60):
        return self.probes[self.program].ask(request, seconds) if self.program is not None else None

    def settle(self, within=0, most=10):
        """Until the program, the window manager and the display have nothing left to do that came of what was done, nor
        the program anything that is due within so many milliseconds from now.  Who plays does not rest."""
        if self.plays:
            self.desktop.wait_until_quiet()
            time.sleep(0.05)
            return
        end = time.monotonic() + most
        while time.monotonic() < end:
            before = self.desktop.wait_until_quiet()
            self.ask(f'settle {within}', most)
            if self.waits_for_evaluation:
                self.wait_for_threads(end)
                self.ask(f'settle {within}', most)
            if self.desktop.wait_until_quiet() == before:
                return

    def wait_for_threads(self, end):
        """Until all threads of the program sleep, and have slept for a moment."""
        tasks = f'/proc/{self.program.pid}/task' if self.program is not None else ''
        while os.path.isdir(tasks) and time.monotonic() < end:
            threads = [(self.program.pid, int(name)) for name in os.listdir(tasks)]
            before = [activity(*thread) for thread in threads]
            asleep = True
            for _ in range(3):
                time.sleep(0.01)
                now = [activity(*thread) for thread in threads]
                asleep = asleep and all(state != 'R' for state, _ in now)
            if asleep and sum(b[1] - a[1] for a, b in zip(before, now)) <= 1:
                return

    # Eyes.

    def look_around(self):
        """All widgets that are there now, window by window, those that hold others before these."""
        found = []
        for window in self.ask('tree') or []:
            above = []
            for state in window:
                del above[state['depth']:]
                above.append(Widget(state, above[-1] if above else None))
                found.append(above[-1])
        return found

    def find_all(self, role, name=None, inside=None):
        """Those of a role, and a name or the beginning of one before an asterisk, in the window that has the keyboard or
        in a widget; as they are now."""
        everything = self.look_around()
        if inside is None:
            inside = next((widget for widget in everything if widget.parent is None and widget.active), None)
        elif isinstance(inside, Widget):
            # The widgets of another look: the same place, role and name.
            inside = next((widget for widget in everything if (widget.role, widget.name, widget.place) ==
                           (inside.role, inside.name, inside.place)), None)
        return [widget for widget in everything if widget.role == role and
                (name is None or widget.is_called(name)) and (inside is None or widget.is_in(inside))]

    def find(self, role, name=None, inside=None, nth=0, seconds=60):
        """Waits for a widget."""
        found = []

        def there():
            found[:] = self.find_all(role, name, inside)
            return len(found) > nth if nth >= 0 else found

        try:
            wait_for(there, f'the {role} {name!r}', seconds)
        except AssertionError as error:
            others = sorted({repr(widget) for widget in self.look_around() if widget.role == role})
            raise AssertionError(f'{error}; there are {", ".join(others)}') from None
        return found[nth]

    def wait_for_widget(self, role, name=None, condition=lambda widget: True, what='', **more):
        """Waits until a widget is as it should be."""
        return wait_for(lambda: next((w for w in self.find_all(role, name, **more) if condition(w)), None),
                        f'the {role} {name!r} {what}')

    def wait_until_gone(self, role, name=None, **more):
        wait_for(lambda: not self.find_all(role, name, **more), f'the {role} {name!r} to go')
        self.settle()

    def text_of(self, role, name=None, **more):
        return self.find(role, name, **more).text

    def focused(self):
        """The widget that has the keyboard, or None."""
        return next((widget for widget in self.look_around() if widget.focused), None)

    def press(self, role, name=None, inside=None, nth=0, **how):
        """Clicks in the middle of a widget, as soon as it is there and can be used."""
        widget = self.find(role, name, inside, nth)
        if widget.insensitive:
            wait_for(lambda: not self.find(role, name, inside, nth).insensitive, f'the {role} {name!r} to be usable')
            widget = self.find(role, name, inside, nth)
        self.click(*widget.middle, **how)

    def choose(self, role, name, choice, **more):
        """Opens a list or menu, and clicks the choice."""
        self.press(role, name, **more)
        self.press_choice(choice)

    def press_choice(self, choice):
        """In the list or menu that is open."""
        roles = ('option', 'menu-item', 'menu-item-radio', 'menu-item-checkbox', 'list-item')

        def there():
            return next((widget for widget in self.look_around() if widget.role in roles and widget.is_called(choice) and
                         self.is_in_popover(widget)), None)

        try:
            widget = wait_for(there, f'{choice!r} to choose', 30)
        except AssertionError as error:
            others = [repr(widget) for widget in self.look_around() if self.is_in_popover(widget)]
            raise AssertionError(f'{error}; there are {", ".join(others)}') from None
        if not widget.is_seen():
            self.go_down_to(choice)
            return
        # While a submenu slides in, which takes long on a busy machine, GTK ignores the pointer.  What opens a submenu is
        # at its head afterwards; what is switched on or off stays.
        for _ in range(5):
            self.click(*widget.middle)
            if widget.role in ('menu-item-radio', 'menu-item-checkbox'):
                return
            try:
                wait_for(lambda: getattr(there(), 'place', None) != widget.place, f'{choice!r} to be taken', 3)
                return
            except AssertionError:
                pass

    def go_down_to(self, choice):
        """The same with the arrow keys."""
        for _ in range(40):
            widget = self.focused()
            if widget is not None and widget.name == choice and self.is_in_popover(widget):
                self.key('Return')
                return
            self.key('Down')
        self.fail(f'{choice!r} is not to be reached')

    @staticmethod
    def is_in_popover(widget):
        while widget is not None and 'Popover' not in widget.type:
            widget = widget.parent
        return widget is not None

    def windows(self):
        """The windows of the program that are on the display; popovers are none."""
        return [widget for widget in self.look_around() if widget.parent is None]

    def active_window(self):
        """That which has the keyboard, or None."""
        return next((window for window in self.windows() if window.active), None)

    def window(self, name):
        """Waits for a window of that name."""
        return wait_for(lambda: next((w for w in self.windows() if w.name == name), None), f'the window {name!r}')

    def activate(self, name):
        """Gives the keyboard to the window of that name."""
        self.window(name)
        # The first is the window itself, the others those that hold it for the window manager.
        for number in self.do('search', '--onlyvisible', '--name', f'^{re.escape(name)}$').split():
            self.do('windowactivate', number)
        self.wait_for_title(name)

    def title(self):
        """The name of the window that has the keyboard."""
        window = self.active_window()
        return window.name if window is not None else None

    def wait_for_title(self, name, seconds=60):
        try:
            wait_for(lambda: self.title() == name, f'the title {name!r}', seconds)
        except AssertionError as error:
            raise AssertionError(f'{error}; it is {self.title()!r}') from None
        self.settle()

    def place(self):
        """x, y, width and height of the window that has the keyboard."""
        return wait_for(self.active_window, 'a window to have the keyboard').place

    # Hands.

    def key(self, *names):
        for name in names:
            self.do('key', '--clearmodifiers', name)
            # A button that is pressed by the keyboard is drawn so for a while before it does what it is for.
            self.settle(BUTTON_WAITS if name in ('Return', 'space') or name.startswith('alt+') else 0)

    def type(self, text):
        """Text as typed; a new line is Return."""
        for i, line in enumerate(text.split('\n')):
            if i > 0:
                self.key('Return')
            if line:
                self.do('type', '--delay', '2', '--', line)
        # What is searched for is looked for a moment later.
        self.settle(SEARCH_WAITS)

    def play(self, seconds=0.5):
        """Begins to play, for so long at least."""
        self.plays = True
        self.key('space')
        time.sleep(seconds)

    def stop(self):
        self.plays = False
        self.key('space')

    def point(self, x, y):
        self.do('mousemove', round(x), round(y))
        self.settle()

    def move_away(self):
        """The pointer where nothing lies below it."""
        self.point(SCREEN_WIDTH - 1, SCREEN_HEIGHT - 1)

    def approach(self, x, y):
        """As a hand does: a pointer that has not moved since a popover closed below it may still belong to that."""
        self.point(x - 3, y - 2)
        self.point(x, y)

    def click(self, x, y, button=1, times=1, hold=None):
        if self.last_double is not None and math.dist(self.last_double[:2], (x, y)) < 20:
            # Two clicks and another one would be three.
            time.sleep(max(0, self.last_double[2] + 1.1 * DOUBLE / 1000 - time.monotonic()))
        self.approach(x, y)
        if hold:
            self.do('keydown', hold)
        if times > 1:
            self.ask(f'double {DOUBLE}')
        for _ in range(times):
            # GTK forgets a press when something moves below the pointer and the button is up by then.
            self.do('mousedown', button)
            self.settle()
            self.do('mouseup', button)
            self.settle()
        if times > 1:
            self.ask(f'double {NEVER_DOUBLE}')
            self.last_double = x, y, time.monotonic()
        if hold:
            self.do('keyup', hold)
            self.settle()

    def pull(self, x0, y0, x1, y1, button=1, pause=0.01):
        """Takes something and moves it, slow enough for a threshold, without letting go."""
        self.approach(x0, y0)
        self.do('mousedown', button)
        self.settle()
        for i in range(1, 9):
            self.do('mousemove', round(x0 + (x1 - x0) * i / 8), round(y0 + (y1 - y0) * i / 8), 'sleep', pause)
        self.settle()

    def let_go(self, button=1):
        self.do('mouseup', button)
        self.settle()

    def drag(self, x0, y0, x1, y1, button=1, hold=None):
        if hold:
            self.do('keydown', hold)
        self.pull(x0, y0, x1, y1, button)
        self.do('mouseup', button)
        if hold:
            self.do('keyup', hold)
        self.settle()

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

    def canvas(self):
        """The canvas of the window that has the keyboard."""
        return next(widget for widget in self.look_around() if widget.type == 'KgCanvas' and self.is_in_active(widget))

    @staticmethod
    def is_in_active(widget):
        while widget.parent is not None:
            widget = widget.parent
        return bool(widget.active)

    def rest_canvas(self):
        """Until the canvas has reported where its nodes are; as long as its view moves it puts that off."""
        for _ in range(3):
            self.settle(CANVAS_RESTS)

    def find_view(self, name):
        """Finds out how the canvas maps the graph of a file to the screen: by where its nodes are."""
        nodes = self.read(name)['nodes']
        self.find_view_of({key: node.get('at', [0, 0]) for key, node in nodes.items()})

    def find_view_of(self, places):
        """The same for nodes that are at these places.  A node has whole pixels: the farther nodes are from each other,
        the more exact they are."""
        self.rest_canvas()

        def seen():
            canvas = self.canvas()
            return [(places[key], widget.place) for widget in self.find_all('option', inside=canvas)
                    for key in [widget.name.split(',')[0]] if key in places]

        found = wait_for(seen, 'nodes on the canvas')
        scale = sum(place[2] + 0.5 for _, place in found) / len(found) / NODE_WIDTH
        best = 0
        for a, p in found:
            for b, q in found:
                for axis in (0, 1):
                    if b[axis] - a[axis] > best:
                        best, scale = b[axis] - a[axis], (q[axis] - p[axis]) / (b[axis] - a[axis])
        left, top = [sum(p[axis] + 0.5 - scale * a[axis] for a, p in found) / len(found) for axis in (0, 1)]
        self.view = left, top, scale

    def over_canvas(self, across=0.4, down=0.7):
        """The pointer over the canvas, at a point in shares of its size."""
        self.point(*self.canvas().at(across, down))

    def node(self, name):
        """The widget that stands for a node on the canvas, once that is at rest."""
        self.rest_canvas()
        self.find('option', f'{name},*')
        self.rest_canvas()
        return self.find('option', f'{name},*')

    def node_head(self, name):
        """Where a node that is seen is taken hold of."""
        x, y, width, _ = self.node(name).place
        return x + width / 2, y + width / NODE_WIDTH * NODE_HEAD / 2

    def node_slot(self, name, row, output=False):
        """The dot of a row of a node that is seen."""
        x, y, width, _ = self.node(name).place
        return x + (width if output else 0), y + width / NODE_WIDTH * (NODE_HEAD + NODE_ROW * (row + 0.5))

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
        self.key('Tab')
        self.type(words)
        self.key('Return')

    def find_input(self, search):
        """To an input of the selected node, by the search of the inspector."""
        self.key('Return', 'ctrl+a')
        self.type(search)
        self.key('Return')

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

    def set_rows(self, position, search, text):
        """Types the rows of a table of the node at a position."""
        self.click(*self.head(position))
        self.find_input(search)
        self.press('button', 'Edit as text')
        self.key('ctrl+a')
        self.type(text)
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
            time.sleep(0.05)

    def screen(self):
        """Three bytes for each pixel of the display."""
        return self.desktop.read_screen()

    def find_areas(self, color):
        """Connected areas of exactly that colour, each as a list of its pixels."""
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
        """Saves an image of the display, for people to look at."""
        subprocess.run(['import', '-window', 'root', name], env=self.environment, check=False)
