#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the fuzz targets with clang's libFuzzer: fuzz.py BUILD [TARGET...]

FUZZ_SECONDS (60) each.  Seeds are the corpora, the graphs, the presets and the small hostile files of the tests; what is
learnt stays in BUILD/corpus for the next run.  Inputs that crash, hang or leak are kept in BUILD/findings.  Prints a table;
the exit status is 0 if nothing was found.  What crashes within a library, which reads foreign files in a program of its own, is
counted apart: it is an error of the node there.
"""
import collections
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Files, and the bytes in front of them that choose what they are read as; each target has a corpus in tests/fuzz as well.
SEEDS = {
    'file': [('graphs/*.json', b'')],
    'expression': [],
    'preset': [('data/presets/*.json', b'')],
    'script': [('tests/data/hostile/*.kgs', b'')],
    'text': [],
    'table': [('graphs/tables/*.csv', b'\0')],
    'state': [('tests/data/hostile/*.body', b'deform/least_energy\n')],
    'cube': [],
    'edl': [],
    'reply': [],
    'recovery': [],
    'mesh': [('tests/data/hostile/*.obj', b'\0'), ('tests/data/hostile/*.gltf', b'\2'),
             ('tests/data/hostile/*.ply', b'\x09')],
    'picture': [('data/presets/*.png', b'\0'), ('tests/data/hostile/*.exr', b'\1')],
    'movie': [('tests/data/hostile/*.mp4', b'\0')],
    'sound': [('tests/data/hostile/*.mp4', b'\6')],
    'profile': [('tests/data/profiles/*.icc', b'\0'), ('graphs/tables/*.icc', b'\0')],
}
# Their parsers are not ours: a crash of theirs does not stop the search for more.
FOREIGN = ['mesh', 'picture', 'movie', 'sound', 'profile']
LARGEST_SEED = 65536


def read_texts(graph):
    """What the nodes of a graph have in inputs that are texts, as family/type.input and text."""
    for node in graph.get('nodes', {}).values():
        for name, value in node.get('inputs', {}).items():
            if isinstance(value, str) and not name.startswith('path'):
                yield f'{node["type"]}.{name}', value
        yield from read_texts(node.get('graph', {}))


def make_text_seeds(folder):
    """The shortest two of each input.  Choices are among them, which the target takes for some input or other."""
    found = collections.defaultdict(set)
    for path in glob.glob(os.path.join(SOURCE, 'graphs', '**', '*.json'), recursive=True):
        with open(path, encoding='utf-8') as file:
            for name, text in read_texts(json.load(file)):
                found[name].add(text)
    for name, texts in found.items():
        for text in sorted((text for text in texts if '\n' in text or '=' in text), key=lambda text: (len(text), text))[:2]:
            data = f'{name}\n{text}'.encode()
            with open(os.path.join(folder, hashlib.sha256(data).hexdigest()[:16]), 'wb') as file:
                file.write(data)


def make_seeds(build, target):
    folder = os.path.join(build, 'seeds', target)
    os.makedirs(folder, exist_ok=True)
    for pattern, start in SEEDS[target]:
        for path in glob.glob(os.path.join(SOURCE, pattern)):
            with open(path, 'rb') as file:
                data = file.read()
            if len(data) <= LARGEST_SEED:
                with open(os.path.join(folder, os.path.basename(path)), 'wb') as file:
                    file.write(start + data)
    if target == 'text':
        make_text_seeds(folder)
    own = os.path.join(SOURCE, 'tests', 'fuzz', 'corpus-' + target)
    return [folder] + ([own] if os.path.isdir(own) else [])


def run(build, target, seconds):
    """Returns executions, the size of the corpus and the names of the findings."""
    corpus, findings = os.path.join(build, 'corpus', target), os.path.join(build, 'findings', target)
    os.makedirs(corpus, exist_ok=True)
    os.makedirs(findings, exist_ok=True)
    before = set(os.listdir(findings))
    command = [os.path.join(build, 'tests', 'libfuzzer-' + target), f'-max_total_time={seconds}', '-timeout=20',
               '-report_slow_units=20', '-rss_limit_mb=4096', '-max_len=65536', '-print_final_stats=1', f'-artifact_prefix={findings}/']
    if target in FOREIGN:
        command += ['-fork=1', '-ignore_crashes=1', '-ignore_timeouts=1', '-ignore_ooms=1']
    environment = dict(os.environ, OMP_NUM_THREADS='1', G_DEBUG='fatal-warnings', LC_ALL='C.UTF-8',
                       ASAN_OPTIONS='detect_leaks=0:allocator_may_return_null=1', UBSAN_OPTIONS='halt_on_error=1')
    with open(os.path.join(build, f'fuzz-{target}.log'), 'wb') as log:
        try:
            subprocess.run([*command, corpus, *make_seeds(build, target)], stdout=log, stderr=log, env=environment,
                           timeout=seconds + 300)
        except subprocess.TimeoutExpired:
            pass
    with open(log.name, errors='replace') as text:
        counts = [int(n) for n in re.findall(r'^#(\d+)', text.read(), re.M)]
    return max(counts, default=0), len(os.listdir(corpus)), sorted(set(os.listdir(findings)) - before)


FRAME = re.compile(r'^ +#\d+ 0x[0-9a-f]+ +(?:in (.*?) +)?\(([^()]*)\+0x', re.M)


def find_library(build, target, finding):
    """The name of the library that crashes; None: it is the target itself, or no crash."""
    if target not in FOREIGN or not finding.startswith('crash-'):
        return None
    program = os.path.abspath(os.path.join(build, 'tests', 'libfuzzer-' + target))
    done = subprocess.run([program, os.path.join(build, 'findings', target, finding)], capture_output=True, timeout=120,
                          check=False, env=dict(os.environ, ASAN_OPTIONS='detect_leaks=0:allocator_may_return_null=1'))
    for name, module in FRAME.findall(done.stderr.decode('utf-8', 'replace')):
        # What the sanitizers put in place of the C library was called by someone.
        if not (name.startswith(('__asan', '__interceptor', '__sanitizer')) or re.match('mem(cpy|move|set|cmp)', name)):
            return None if os.path.realpath(module) == os.path.realpath(program) else os.path.basename(module)
    return None


def main():
    build, targets = sys.argv[1], sys.argv[2:] or list(SEEDS)
    # Without Little CMS there is no reader of profiles.
    known = subprocess.run(['ninja', '-C', build, '-t', 'targets', 'all'], capture_output=True, text=True, check=True).stdout
    targets = [target for target in targets if sys.argv[2:] or f'tests/libfuzzer-{target}:' in known]
    seconds = int(os.environ.get('FUZZ_SECONDS', '60'))
    subprocess.run(['ninja', '-C', build, *(f'tests/libfuzzer-{target}' for target in targets)], check=True)
    found = 0
    print(f'{"target":12} {"executions":>12} {"corpus":>8} findings', flush=True)
    for target in targets:
        executions, corpus, findings = run(build, target, seconds)
        libraries = {finding: find_library(build, target, finding) for finding in findings}
        ours = [finding for finding in findings if libraries[finding] is None]
        theirs = collections.Counter(library for library in libraries.values() if library is not None)
        found += len(ours)
        words = ours + [f'{n} within {library}' for library, n in sorted(theirs.items())]
        print(f'{target:12} {executions:12} {corpus:8} {", ".join(words) or "none"}', flush=True)
    return 1 if found > 0 else 0


if __name__ == '__main__':
    sys.exit(main())
