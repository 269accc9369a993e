#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the fuzz targets with clang's libFuzzer: fuzz.py BUILD [TARGET...]

FUZZ_SECONDS (60) each.  Seeds are the corpora, the graphs, the presets and the small hostile files of the tests; what is
learnt stays in BUILD/corpus for the next run.  Inputs that crash, hang or leak are kept in BUILD/findings.  Prints a table;
the exit status is 0 if nothing was found.
"""
import glob
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Files, and the bytes in front of them that choose what they are read as.
SEEDS = {
    'file': [('graphs/*.json', b'')],
    'expression': [],
    'preset': [('data/presets/*.json', b'')],
    'script': [('tests/data/hostile/*.kgs', b'')],
    'text': [],
    'table': [('graphs/tables/*.csv', b'\0')],
    'state': [('tests/data/hostile/*.body', b'\0')],
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
    own = os.path.join(SOURCE, 'tests', 'fuzz', 'corpus-' + target)
    return [folder] + ([own] if os.path.isdir(own) else [])


def run(build, target, seconds):
    """Returns executions, the size of the corpus and the names of the findings."""
    corpus, findings = os.path.join(build, 'corpus', target), os.path.join(build, 'findings', target)
    os.makedirs(corpus, exist_ok=True)
    os.makedirs(findings, exist_ok=True)
    before = set(os.listdir(findings))
    command = [os.path.join(build, 'tests', 'libfuzzer-' + target), f'-max_total_time={seconds}', '-timeout=20',
               '-rss_limit_mb=4096', '-max_len=65536', '-print_final_stats=1', f'-artifact_prefix={findings}/']
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
        found += len(findings)
        print(f'{target:12} {executions:12} {corpus:8} {" ".join(findings) or "none"}', flush=True)
    return 1 if found > 0 else 0


if __name__ == '__main__':
    sys.exit(main())
