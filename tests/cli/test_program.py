# SPDX-License-Identifier: GPL-3.0-or-later
"""kineo as a program: commands, help, exit statuses, standard streams, what it links, the library beside it."""
import os
import shutil
import subprocess

from support import KINEO, NUMBERS, KineoTest, main

COMMANDS = ['render', 'eval', 'check', 'info', 'nodes', 'dot', 'new', 'schema', 'convert', 'run']


class ProgramTest(KineoTest):
    def test_help_lists_every_command(self):
        out = self.good('--help')
        for command in COMMANDS:
            self.assertRegex(out, rf'(?m)^  {command} +\S')
        self.assertEqual(out, self.good('-h'))
        self.assertEqual(out, self.good('help'))

    def test_every_command_has_help(self):
        for command in COMMANDS:
            with self.subTest(command):
                out = self.good(command, '--help')
                self.assertTrue(out.startswith(f'Usage:\n  kineo {command} '), out)
                self.assertEqual(out, self.good('help', command))

    def test_version(self):
        self.assertRegex(self.good('--version'), r'^kineo \d+\.\d+\.\d+\n$')

    def test_no_command(self):
        self.bad(2, 'kineo: a command is missing\nTry: kineo --help\n')

    def test_unknown_command(self):
        self.bad(2, 'kineo: there is no command "frob"\nTry: kineo --help\n', 'frob')
        self.bad(2, 'kineo: there is no command "frob"\nTry: kineo --help\n', 'help', 'frob')

    def test_unknown_option(self):
        for command in COMMANDS:
            with self.subTest(command):
                self.usage('Unknown option --frob', command, '--frob')

    def test_too_few_arguments(self):
        for command, arguments in [('check', 'GRAPH...'), ('info', 'GRAPH'), ('dot', 'GRAPH'), ('convert', 'IN OUT'),
                                   ('eval', 'GRAPH [NODE[.OUTPUT]...]'), ('render', 'GRAPH [NODE[.OUTPUT]]')]:
            with self.subTest(command):
                self.usage(f'too few arguments: kineo {command} {arguments}', command)

    def test_too_many_arguments(self):
        self.usage('"c" is one argument too many: kineo convert IN OUT', 'convert', 'a', 'b', 'c')

    def test_full_disk(self):
        with open('/dev/full', 'wb') as full:
            result = self.kineo('new', stdout=full)
        self.assertEqual(result.status, 1)
        self.assertEqual(result.err, 'kineo: standard output cannot be written: No space left on device\n')

    def test_closed_pipe_ends_it(self):
        self.write('a.json', NUMBERS)
        with subprocess.Popen([KINEO, 'eval', 'a.json', '--frames', '1-1000000'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder, env=self.environment()) as program:
            program.stdout.readline()
            program.stdout.close()
            self.assertNotEqual(program.wait(timeout=60), 0)

    def test_links_no_gtk(self):
        libraries = subprocess.run(['ldd', KINEO], capture_output=True, check=True).stdout.decode()
        self.assertIn('libglib', libraries)
        for word in ['libgtk', 'libgdk-3', 'libgdk-4', 'libadwaita']:
            self.assertNotIn(word, libraries)

    def test_works_without_a_display(self):
        for name in ['DISPLAY', 'WAYLAND_DISPLAY']:
            os.environ.pop(name, None)
        self.assertIn('kineograph', self.good('new'))

    def test_library(self):
        """A program of somebody else's, built with what pkg-config says."""
        self.write('a.c', '#include <kineograph.h>\n#include <stdio.h>\n'
                          'int main (void)\n{\n  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);\n'
                          '  printf ("%d\\n", kg_types_find (types, "graph/switch") != NULL);\n  return 0;\n}\n')
        environment = self.environment(PKG_CONFIG_PATH=os.environ['KG_PKG_CONFIG'])
        flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'kineograph'], env=environment, capture_output=True,
                               check=True).stdout.decode().split()
        compiler = os.environ.get('CC', shutil.which('gcc') or 'cc').split()
        sanitizers = os.environ.get('KG_SANITIZE', '')
        extra = [] if sanitizers in ('', 'none') else [f'-fsanitize={sanitizers}']
        # Headers are in one folder only once they are installed.
        headers = [f'-I{os.environ["KG_SOURCE"]}/src/{folder}' for folder in ('graph', 'media')]
        subprocess.run([*compiler, 'a.c', '-o', 'a', *extra, *headers, *flags], cwd=self.folder, check=True)
        out = subprocess.run([self.path('a')], capture_output=True, check=True).stdout
        self.assertEqual(out, b'1\n')

    def test_man_page(self):
        page = os.path.join(os.environ['KG_SOURCE'], 'data', 'kineo.1')
        with open(page, encoding='utf-8') as f:
            text = f.read()
        for command in COMMANDS:
            self.assertIn(f'.SS {command}\n', text)
            for word in self.good(command, '--help').split():
                if word.startswith('--') and word[2:3].isalpha() and word != '--help':
                    option = word.split('=')[0].strip('(,:').replace('-', '\\-')
                    self.assertIn(option, text, f'kineo {command} {word} is not in the manual page')

    def test_completion(self):
        script = os.path.join(os.environ['KG_SOURCE'], 'data', 'completions', 'kineo')
        self.write('a.json', NUMBERS)

        def complete(*words):
            """What bash offers for the last word."""
            line = ' '.join(f"'{word}'" for word in words)
            code = (f'PATH={os.path.dirname(KINEO)}:$PATH; . {script}; COMP_WORDS=({line}); '
                    f'COMP_CWORD={len(words) - 1}; _kineo; printf "%s\\n" "${{COMPREPLY[@]}}"')
            out = subprocess.run(['bash', '--norc', '-c', code], cwd=self.folder, env=self.environment(),
                                 capture_output=True, check=True).stdout
            return out.decode().split()

        self.assertEqual(complete('kineo', 're'), ['render'])
        self.assertEqual(complete('kineo', 'nodes', 'graph/sw'), ['graph/switch'])
        self.assertEqual(complete('kineo', 'render', '--si'), ['--size'])
        self.assertEqual(complete('kineo', 'render', 'a.json', '-o', '-', '--format', 'y'), ['y4m'])
        self.assertEqual(complete('kineo', 'check', 'a'), ['a.json'])
        self.assertEqual(complete('kineo', 'render', 'a.json', '--progress', 'j'), ['json'])


main()
