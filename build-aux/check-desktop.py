#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks files that the compiler does not see: po/POTFILES, the translations, the thumbnails of the examples, the
desktop files.

Usage: check-desktop.py SOURCE BUILD.  Prints TAP.
"""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys

# Marked strings, which xgettext must find: _("..."), N_("..."), ngettext ("..."), and those of GtkBuilder files.
MARKED = re.compile(r'(?<![A-Za-z0-9_])(?:N?C?_|n?gettext)\s*\(\s*"|translatable="yes"')
LANGUAGES = ('de', 'es', 'fr', 'zh_CN')


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as f:
        return f.read()


def read_lines(*path):
    return [line for line in read(*path).splitlines() if line and not line.startswith('#')]


def files_with_strings():
    # Functions that translate their format.
    formats = '|'.join(re.findall(r"^  '(\w+)': \d", read('po', 'meson.build'), re.M))
    formatted = re.compile(r'(?<![A-Za-z0-9_])(?:' + formats + r') \([^";{]*"')
    found = []
    for pattern in ('src/**/*.c', 'src/**/*.h', 'src/**/*.ui'):
        for path in glob.glob(pattern, recursive=True):
            text = read(path)
            if MARKED.search(text) or formatted.search(text):
                found.append(path)
    return sorted(found + glob.glob('data/*.desktop.in') + glob.glob('data/*.metainfo.xml.in'))


def check_potfiles(_build):
    listed, found = read_lines('po', 'POTFILES'), files_with_strings()
    for path in sorted(set(found) - set(listed)):
        yield f'{path} has strings to translate: add it to po/POTFILES'
    for path in sorted(set(listed) - set(found)):
        yield f'po/POTFILES names {path}, which has no strings to translate'
    if listed != sorted(set(listed)):
        yield 'po/POTFILES is not sorted, or names a file twice'


def check_template(_build):
    """The template has strings of every listed file (their locations are in comments "#: file:line")."""
    text = read('po', 'kineograph.pot')
    places = set(re.findall(r'(\S+?):\d+', '\n'.join(re.findall(r'^#: .*$', text, re.M))))
    for path in read_lines('po', 'POTFILES'):
        if path not in places:
            yield f'po/kineograph.pot has no strings of {path}: run meson compile kineograph-pot'


def check_translations(_build):
    if sorted(read_lines('po', 'LINGUAS')) != sorted(LANGUAGES):
        yield f'po/LINGUAS is not {", ".join(LANGUAGES)}'
    for language in LANGUAGES:
        path = os.path.join('po', language + '.po')
        run = subprocess.run(['msgfmt', '-c', '-o', os.devnull, path], capture_output=True, text=True)
        if run.returncode != 0:
            yield run.stderr.strip()


def check_thumbnails(_build):
    for graph in sorted(glob.glob('graphs/*.json')):
        path = os.path.join('data', 'thumbnails', os.path.basename(graph).replace('.json', '.png'))
        if not os.path.exists(path):
            yield f'{graph} has no {path}: run kineo render {graph} -o {path} --size 320x180 --frames N'
            continue
        with open(path, 'rb') as f:
            head = f.read(24)
        if head[:8] != b'\x89PNG\r\n\x1a\n' or struct.unpack('>II', head[16:24]) != (320, 180):
            yield f'{path} is not a PNG image of 320x180 pixels'


def validate(command, *arguments):
    if shutil.which(command) is None:
        return
    run = subprocess.run([command, *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        yield (run.stdout + run.stderr).strip()


def check_desktop_entry(build):
    yield from validate('desktop-file-validate', os.path.join(build, 'data', 'org.kineograph.Kineograph.desktop'))


def check_metainfo(build):
    yield from validate('appstreamcli', 'validate', '--no-net',
                        os.path.join(build, 'data', 'org.kineograph.Kineograph.metainfo.xml'))


def check_mime_type(_build):
    yield from validate('xmllint', '--noout', 'data/org.kineograph.Kineograph.mime.xml')


def main():
    source, build = sys.argv[1:]
    checks = [check_potfiles, check_template, check_translations, check_thumbnails, check_desktop_entry,
              check_metainfo, check_mime_type]
    build = os.path.abspath(build)
    os.chdir(source)
    print(f'1..{len(checks)}')
    for number, check in enumerate(checks, 1):
        problems = list(check(build))
        for problem in problems:
            print('#', problem.replace('\n', '\n# '))
        print('not ok' if problems else 'ok', number, check.__name__[len('check_'):])


main()
