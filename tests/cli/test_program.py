# SPDX-License-Identifier: GPL-3.0-or-later
"""kineo as a program: commands, help, exit statuses, standard streams, what it links, the library beside it."""
import json
import os
import re
import shutil
import subprocess

from support import KINEO, NUMBERS, KineoTest, main

# What the program says it has, so that no command is forgotten here.
COMMANDS = re.findall(r'(?m)^  ([a-z]+) +\S', subprocess.run(
    [KINEO, '--help'], capture_output=True, check=True, env=dict(os.environ, LC_ALL='C.UTF-8')).stdout.decode())
PAGES = os.path.join(os.environ['KG_SOURCE'], 'data')


class ProgramTest(KineoTest):
    def subcommands(self):
        """Those of presets, as its usage line lists them."""
        return re.search(r' ([a-z-]+(?:\|[a-z-]+)+) ', self.good('presets', '--help')).group(1).split('|')

    def test_help_lists_every_command(self):
        out = self.good('--help')
        for command in ['render', 'eval', 'check', 'info', 'nodes', 'dot', 'new', 'schema', 'convert', 'presets', 'run']:
            self.assertIn(command, COMMANDS)
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

    def kineograph(self, *arguments):
        """Standard output of the application where it needs no display."""
        environment = {name: value for name, value in self.environment().items() if name not in ('DISPLAY', 'WAYLAND_DISPLAY')}
        done = subprocess.run([os.environ['KINEOGRAPH'], *arguments], capture_output=True, check=True, timeout=300,
                              env=environment)
        self.assertEqual(done.stderr, b'')
        return done.stdout.decode()

    def test_version_of_the_application(self):
        self.assertEqual(self.kineograph('--version'), self.good('--version').replace('kineo ', 'kineograph '))

    def test_help_of_the_application(self):
        out = self.kineograph('--help')
        self.assertRegex(out, r'^Usage:\n  kineograph \[OPTION…\] \[GRAPH…\]\n')
        self.assertRegex(out, r'(?m)^  --version +\S')

    def test_waits_passively(self):
        """Idle threads do not spin, unless the user wants them to."""
        self.write('a.json', {'kineograph': 1, 'nodes': {'a': {'type': 'value/number'}}})
        for settings, policy in [({}, "'PASSIVE'"), ({'OMP_WAIT_POLICY': 'active'}, "'ACTIVE'"),
                                 ({'GOMP_SPINCOUNT': '5'}, "'PASSIVE'")]:
            with self.subTest(settings):
                environment = {name: value for name, value in self.environment(OMP_DISPLAY_ENV='verbose').items()
                               if name not in ('OMP_WAIT_POLICY', 'GOMP_SPINCOUNT')}
                done = subprocess.run([KINEO, 'eval', 'a.json', 'a'], cwd=self.folder, env={**environment, **settings},
                                      capture_output=True, check=True)
                # Of libgomp; others do without.
                shown = re.findall(r"OMP_WAIT_POLICY ?= ?('[A-Z]+')", done.stderr.decode())
                spins = re.findall(r"GOMP_SPINCOUNT ?= ?'(\d+)'", done.stderr.decode())
                if shown:
                    self.assertEqual(shown[-1], policy)
                if 'GOMP_SPINCOUNT' in settings and spins:
                    self.assertEqual(spins, ['5'])

    def test_heap_of_huge_pages(self):
        """The heap is of huge pages, unless the user has set how the C library allocates."""
        environment = {name: value for name, value in self.environment().items()
                       if name not in ('OMP_WAIT_POLICY', 'GOMP_SPINCOUNT', 'GLIBC_TUNABLES')}
        chosen = 'glibc.malloc.tcache_count=7'
        for settings, tunables in [({}, 'glibc.malloc.hugetlb=1'), ({'GLIBC_TUNABLES': chosen}, chosen),
                                   ({'OMP_WAIT_POLICY': 'passive'}, None)]:
            with self.subTest(settings):
                kineo = subprocess.Popen([KINEO, 'eval', '-', 'a'], cwd=self.folder, env={**environment, **settings},
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                # More than a pipe holds: when that is read, the program has begun for the second time.
                kineo.stdin.write(b' ' * 200000)
                with open(f'/proc/{kineo.pid}/environ', encoding='utf-8') as file:
                    started = dict(entry.split('=', 1) for entry in file.read().split('\0') if '=' in entry)
                kineo.communicate(b'{"kineograph": 1, "nodes": {"a": {"type": "value/number"}}}')
                self.assertEqual(kineo.returncode, 0)
                self.assertEqual(started.get('GLIBC_TUNABLES'), tunables)

    def test_starts_without_codecs(self):
        """What writes movies and meshes is loaded when it is wanted."""
        libraries = subprocess.run(['ldd', KINEO], capture_output=True, check=True).stdout.decode()
        self.assertNotRegex(libraries, 'libav|libsw|libassimp')

    def test_data_of_any_build_folder(self):
        """A program that is not installed finds the files that come with it, wherever its build folder is."""
        os.makedirs(self.path('build/src/cli'))
        os.makedirs(self.path('source/data/presets'))
        program = shutil.copy(KINEO, self.path('build/src/cli'))
        shutil.copy(os.path.join(os.environ['KG_SOURCE'], 'data', 'presets', 'clock.preset.json'),
                    self.path('source/data/presets/only_here.preset.json'))
        environment = {name: value for name, value in self.environment().items() if name != 'KINEOGRAPH_DATA'}

        def count():
            done = subprocess.run([program, 'presets', 'list', '--json'], capture_output=True, check=True, env=environment)
            return done.stdout.decode().count('only_here.preset.json')

        self.assertEqual(count(), 0)
        self.write('build/kineograph-source-tree', self.path('source') + '\n')
        self.assertEqual(count(), 1)

    def test_path_of_the_source_is_not_installed(self):
        build = os.path.dirname(os.path.dirname(os.path.dirname(KINEO)))
        with open(os.path.join(build, 'kineograph-source-tree'), encoding='utf-8') as mark:
            self.assertEqual(mark.read(), os.environ['KG_SOURCE'] + '\n')
        with open(os.path.join(build, 'meson-info', 'intro-installed.json'), encoding='utf-8') as f:
            self.assertNotIn('kineograph-source-tree', f.read())

    def test_no_command(self):
        self.bad(2, 'kineo: a command is missing\nTry: kineo --help\n')

    def test_unknown_command(self):
        self.bad(2, 'kineo: unknown command "frob"\nTry: kineo --help\n', 'frob')
        self.bad(2, 'kineo: unknown command "frob"\nTry: kineo --help\n', 'help', 'frob')
        self.bad(2, 'kineo: unknown command "rendr": did you mean "render"?\nTry: kineo --help\n', 'rendr')

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
        self.usage('unexpected argument "c": kineo convert IN OUT', 'convert', 'a', 'b', 'c')

    def test_full_disk(self):
        with open('/dev/full', 'wb') as full:
            result = self.kineo('new', stdout=full)
        self.assertEqual(result.status, 1)
        self.assertEqual(result.err, 'kineo: cannot write to standard output: No space left on device\n')

    def test_largest_file_of_a_shell(self):
        """The limit of "ulimit -f" is reported like a full disk, and leaves nothing behind."""
        self.write('a.kgs', 'add value/number n\n')
        self.write('old.json', NUMBERS)
        before = sorted([*os.listdir(self.folder), 'out'])
        with open(self.path('out'), 'wb') as out:
            for command in ['new', 'nodes', 'schema', '--help']:
                with self.subTest(command):
                    result = self.kineo(command, stdout=out, limit=0)
                    self.assertEqual((result.status, result.err),
                                     (1, 'kineo: cannot write to standard output: File too large\n'))
        for name in ['old.json', 'new.json']:
            with self.subTest(name):
                result = self.kineo('run', 'a.kgs', '-o', name, limit=20)
                self.assertEqual((result.status, result.out), (1, ''))
                self.assertRegex(result.err, rf'^kineo: {name} cannot be written( \(the old file is unchanged\))?: File too large\n$')
                self.assertEqual(sorted(os.listdir(self.folder)), before)
        result = self.kineo('presets', 'new', 'test/new', '-o', 'p.preset.json', limit=20)
        self.assertEqual((result.status, result.out), (1, ''))
        self.assertIn('File too large', result.err)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual(json.loads(self.read('old.json')), NUMBERS)

    def test_closed_pipe_ends_it(self):
        self.write('a.json', NUMBERS)
        with subprocess.Popen([KINEO, 'eval', 'a.json', '--frames', '1-1000000'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder, env=self.environment()) as program:
            program.stdout.readline()
            program.stdout.close()
            self.assertEqual(program.stderr.read(), b'')
            self.assertNotEqual(program.wait(timeout=300), 0)

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
        """A foreign program, built with the flags of pkg-config."""
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
        folders = ['media', 'graph', *(f'graph/{floor}' for floor in os.listdir(f'{os.environ["KG_SOURCE"]}/src/graph'))]
        headers = [f'-I{os.environ["KG_SOURCE"]}/src/{folder}' for folder in folders]
        subprocess.run([*compiler, 'a.c', '-o', 'a', *extra, *headers, *flags], cwd=self.folder, check=True)
        out = subprocess.run([self.path('a')], capture_output=True, check=True).stdout
        self.assertEqual(out, b'1\n')

    def man_page(self, name):
        with open(os.path.join(PAGES, name), encoding='utf-8') as f:
            return f.read()

    def assert_explains(self, page, command, help_text):
        """Every option of the help is in the page."""
        for option in set(re.findall(r'(?<![\w-])--[a-z][a-z-]*', help_text)):
            self.assertIn(option.replace('-', '\\-'), page, f'{command} {option} is not in the manual page')

    def test_man_page(self):
        page = self.man_page('kineo.1')
        for command in COMMANDS:
            self.assertIn(f'\n.B kineo {command}\n', page.split('.SH DESCRIPTION')[0])
            self.assertIn(f'.SS {command}\n', page)
            self.assert_explains(page.split(f'.SS {command}\n')[1].split('\n.S')[0] if command == 'presets' else page,
                                 f'kineo {command}', self.good(command, '--help').replace('--help', ''))
        for name in self.subcommands():
            self.assertRegex(page, rf'(?m)^\.BR? {re.escape(name.replace("-", chr(92) + "-"))}\b')

    def test_man_page_of_the_application(self):
        page = self.man_page('kineograph.1')
        for option in ['--help', '--help-all']:
            self.assert_explains(page, 'kineograph', self.kineograph(option))
        for heading in ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'FILES', 'SEE ALSO']:
            self.assertIn(f'\n.SH {heading}\n', page)

    def test_man_pages_are_there_and_well_formed(self):
        """Pages that they refer to are installed, and the formatter reports no problem."""
        with open(os.path.join(PAGES, 'meson.build'), encoding='utf-8') as f:
            installed = re.search(r'install_man\(([^)]*)\)', f.read()).group(1)
        for name in ['kineo.1', 'kineograph.1']:
            self.assertIn(f"'{name}'", installed)
            for other in re.findall(r'(?m)^\.BR (kineo\w*) \((\d)\)', self.man_page(name)):
                self.assertIn("'{}.{}'".format(*other), installed)
            if shutil.which('groff') is not None:
                done = subprocess.run(['groff', '-man', '-ww', '-z', '-Tutf8', os.path.join(PAGES, name)],
                                      capture_output=True, check=True)
                self.assertEqual(done.stderr.decode(), '')

    def complete(self, program, *words):
        """What bash offers for the last word after the path of a program."""
        name = os.path.basename(program)
        script = os.path.join(os.environ['KG_SOURCE'], 'data', 'completions', name)
        line = ' '.join(f"'{word}'" for word in [name, *words])
        code = (f'PATH={os.path.dirname(program)}:$PATH; . {script}; COMP_WORDS=({line}); '
                f'COMP_CWORD={len(words)}; _{name}; printf "%s\\n" "${{COMPREPLY[@]}}"')
        out = subprocess.run(['bash', '--norc', '-c', code], cwd=self.folder, env=self.environment(),
                             capture_output=True, check=True).stdout
        return out.decode().split()

    def test_completion_of_the_application(self):
        program = os.environ['KINEOGRAPH']
        self.write('a.json', NUMBERS)
        self.write('a.png', b'')
        os.mkdir(self.path('al'))
        self.assertEqual(sorted(self.complete(program, 'a')), ['a.json', 'al'])
        self.assertEqual(self.complete(program, 'a.json', '--ver'), ['--version'])
        self.assertIn('--help', self.complete(program, '--'))

    def test_completion(self):
        self.write('a.json', NUMBERS)

        def complete(*words):
            return self.complete(KINEO, *words)

        self.assertEqual(complete('re'), ['render'])
        self.assertEqual(complete('nodes', 'graph/sw'), ['graph/switch'])
        self.assertEqual(complete('render', '--si'), ['--size'])
        self.assertEqual(complete('render', 'a.json', '-o', '-', '--format', 'y'), ['y4m'])
        self.assertEqual(complete('check', 'a'), ['a.json'])
        self.assertEqual(complete('render', 'a.json', '--progress', 'j'), ['json'])
        self.assertEqual(complete('presets', 'li'), ['list'])
        self.assertEqual(complete('presets', ''), self.subcommands())
        self.assertEqual(complete('presets', 'list', '--js'), ['--json'])
        self.write('b.preset.json', '{}')
        self.assertEqual(complete('presets', 'check', ''), ['b.preset.json'])
        self.assertEqual(complete('presets', 'pack', 'a'), ['a.json'])
        self.assertEqual(complete('presets', 'render-thumbnail', 'b.preset.json', '-o', 'a'), [])
        shown = complete('presets', 'show', '')
        self.assertEqual(shown, [line.split()[0] for line in self.good('presets', 'list').splitlines()])
        self.assertGreater(len(shown), 0)


main()
