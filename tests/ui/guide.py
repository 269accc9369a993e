# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests that follow the guide share: the home of a reader, and pictures that are taken on the way, with
KG_GUIDE_PICTURES, into the folder that it names."""
import os
import subprocess
import tempfile

from support import WindowTest

KINEO = os.environ['KINEO']
PICTURES = os.environ.get('KG_GUIDE_PICTURES')


class GuideTest(WindowTest):
    waits_for_evaluation = True  # handles are where it says

    def setUp(self):
        super().setUp()
        self.environment['KINEOGRAPH_PRESET_PATH'] = ''
        home = self.folder
        if PICTURES:
            # What is round or has a shadow is black behind it where windows cannot be seen through.
            self.write('config/gtk-4.0/gtk.css', 'popover > contents { box-shadow: none; border-radius: 0; }\n'
                       'popover { background-color: #f6f5f4; }\n')
            films = os.path.join(tempfile.gettempdir(), 'films')
            # One is left over when the last run was broken off.
            if os.path.islink(films):
                os.unlink(films)
            if not os.path.lexists(films):
                os.symlink(self.folder, films)
                self.addCleanup(os.unlink, films)
                home = films
        # As it is for everybody.
        self.environment.update(HOME=home, PWD=home, XDG_DATA_HOME=os.path.join(home, '.local/share'))

    # Eyes.

    def row(self, label):
        """Of the inspector."""
        return self.find('label', label).parent

    def look(self, name, box=None, rest=True):
        """A picture for the guide, of the window or of a part of it (left, top, width and height)."""
        if rest:
            self.rest()
        self.settle()
        if not PICTURES:
            return
        x, y, width, height = self.frame
        left, top, width, height = box or (0, 0, width, height)
        subprocess.run(['import', '-window', 'root', '-crop', f'{width}x{height}+{x + left}+{y + top}', '+repage', '-strip',
                        '-define', 'png:compression-level=9', os.path.join(PICTURES, name + '.png')],
                       env=self.environment, check=True)

    def rest(self):
        """The pointer where it makes nothing light up, and no tooltip open: low in the inspector."""
        inspector = next((widget for widget in self.look_around() if widget.type == 'KgInspector'), None)
        if inspector is None:
            self.move_away()
            return
        x, y = inspector.at(0.4, 0.8)
        self.point(x - 8, y - 8)
        self.point(x, y)

    # Hands.

    def begin(self, *arguments):
        self.start(*arguments)
        self.frame = self.place()
        self.assertEqual(self.frame[2:], (1280, 800))

    def on_canvas(self, x, y):
        """A point of the canvas, from its corner."""
        left, top, _, _ = self.canvas().place
        return left + x, top + y

    def kineo(self, *arguments):
        done = subprocess.run([KINEO, *arguments], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def save_as_proposed(self, title):
        self.rest()
        self.key('ctrl+s')
        self.wait_for_title('Save Graph')
        # The name is there at once, the folder is still read.
        self.settle()
        self.key('Return')
        self.wait_for_title(title)

    def go_to_frame(self, frame):
        self.press('spin-button', 'Frame')
        self.type(f'{frame}\n')
        self.settle()
