# SPDX-License-Identifier: GPL-3.0-or-later
"""The same bits for all numbers of threads and jobs, and all sizes of the cache."""
import glob
import hashlib
import json
import os
import random
import subprocess

from bench import KINEO, LONGEST, make_environment

GRAPHS = os.environ['KG_GRAPHS']
# Each as threads, jobs, megabytes.
SETTINGS = [(1, 1, None), (2, 1, None), (3, 1, None), (8, 1, None), (2, 2, None), (3, 3, 16), (8, 8, 64), (1, 2, 0), (2, 3, 1)]
# Of a short run: geometry and curves, a simulation, text, a scene, images.
FEW = ['hello', 'fountain', 'jelly', 'solid', 'dragged_chain', 'measuring']


def make_name(setting):
    threads, jobs, megabytes = setting
    return f'{threads} threads, {jobs} jobs, {"the usual cache" if megabytes is None else f"{megabytes} MB of cache"}'


def compare(bench, short, seed):
    chance = random.Random(seed + 4)
    graphs = sorted(glob.glob(os.path.join(GRAPHS, '*.json')) + glob.glob(os.path.join(GRAPHS, 'presets', '*.json')))
    if short:
        graphs = [os.path.join(GRAPHS, name + '.json') for name in FEW]
    else:
        chance.shuffle(graphs)

    def render(path, frames, setting):
        threads, jobs, megabytes = setting
        cache = [] if megabytes is None else ['--cache-memory', str(megabytes)]
        environment = make_environment({'OMP_NUM_THREADS': str(threads), 'OMP_DYNAMIC': 'false'})
        done = subprocess.run([KINEO, 'render', path, '-o', '-', '--bits', '16', '--size', '160x90', '--frames', frames, '--jobs',
                               str(jobs), '--progress', 'none', *cache, display(path)], capture_output=True, check=False,
                              env=environment, timeout=LONGEST * 5)
        return done.returncode, hashlib.sha256(done.stdout).hexdigest(), done.stderr.decode()

    def check(path):
        if bench.left() < 0:
            return
        with open(path, encoding='utf-8') as f:
            said = json.load(f)['frames']
        first, last = int(said['start']), int(said['end'])
        frames = f'{first}-{last}x{max(1, (last - first) // (2 if short else 5))}'
        settings = [SETTINGS[0]] + chance.sample(SETTINGS[1:], 3) if short else SETTINGS
        expected = None
        for setting in settings:
            status, found, err = render(path, frames, setting)
            bench.count('renders')
            if status != 0:
                bench.fail(f'{path} with {make_name(setting)}: {err.strip()[-300:]}')
                return
            expected = expected or found
            if found != expected:
                bench.fail(f'{path} with {make_name(setting)} has other bits than with {make_name(settings[0])}')
        bench.count('graphs')

    bench.each(check, graphs)
    return None


def display(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)['display']
