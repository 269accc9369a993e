# SPDX-License-Identifier: GPL-3.0-or-later
"""What a screen reader learns of the canvas: programs/access.c with a display."""
import os
import subprocess

from support import WindowTest, main, tearDownModule  # noqa: F401


class Access(WindowTest):
    def test_canvas(self):
        done = subprocess.run([os.environ['KG_PROGRAMS'] + 'access'], cwd=self.folder, timeout=120, check=False,
                              env=dict(self.environment, GTK_A11Y='test', G_DEBUG='fatal-warnings'),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count('\nok '), 5, done.stdout)


main()
