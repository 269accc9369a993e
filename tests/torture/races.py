# SPDX-License-Identifier: GPL-3.0-or-later
"""Races between threads, as ThreadSanitizer sees them: graphs that are rendered by several jobs of several threads each.

KG_TSAN_KINEO is built with it, and KG_TSAN_LOCKS reports locks to it that it does not know (locks.c)."""
import json
import os
import random
import re
import shutil
import subprocess

from bench import LONGEST, make_environment

GRAPHS = os.environ['KG_GRAPHS']
# Curves, simulations, text, lattices, scenes, skeletons, images, presets, sub-graphs.
TEN = ['hello', 'fountain', 'jelly', 'solid', 'dragged_chain', 'human_figure', 'measuring', 'lift', 'reel', 'presets/jelly_wobble']
# Loops whose parts are shared out as they come: agents, flocks, particles, soft objects and what they remember of frames, points
# scattered, sounds, warps and filters of images.
MORE = ['leaving_a_room', 'key_and_door', 'sheep_and_dog', 'geese', 'marbles', 'rain_with_splashes', 'dumplings', 'train_of_clay',
        'scattered_hill', 'filters', 'green_screen', 'through_each_other', 'tracked_card']


def look(bench, short, seed):
    kineo, locks = os.environ.get('KG_TSAN_KINEO'), os.environ.get('KG_TSAN_LOCKS')
    if not kineo:
        return 'there is no build for it: make torture makes one'
    chance = random.Random(seed + 5)
    # Slices of GLib pass from thread to thread within it, where nothing is watched: a block that is used again would be a race.
    options = 'halt_on_error=0:exitcode=66:ignore_noninstrumented_modules=1:history_size=4'

    def render(job):
        name, threads, jobs = job
        if bench.left() < 0:
            return
        path = os.path.join(GRAPHS, name + '.json')
        with open(path, encoding='utf-8') as f:
            graph = json.load(f)
        first = chance.randint(int(graph['frames']['start']), max(int(graph['frames']['start']), int(graph['frames']['end']) - 6))
        folder = bench.make_folder()
        done = subprocess.run([kineo, 'render', path, graph['display'], '-o', '-', '--frames', f'{first}-{first + 5}', '--size',
                               '96x54', '--jobs', str(jobs), '--progress', 'none', '--cache-memory', str(chance.choice([0, 4, 512])),
                               '--cache-folder', os.path.join(folder, 'states')],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=20 * LONGEST,
                              env=make_environment({'OMP_NUM_THREADS': str(threads), 'LD_PRELOAD': locks, 'TSAN_OPTIONS': options,
                                                    'KMP_AFFINITY': 'disabled', 'G_SLICE': 'always-malloc'}))
        shutil.rmtree(folder)
        bench.count('renders')
        err = done.stderr.decode('utf-8', 'replace')
        races = re.findall(r'WARNING: ThreadSanitizer: (.*?)\n==================', err, re.S)
        bench.count('races', len(races))
        for race in races[:3]:
            bench.fail(f'{name} with {jobs} jobs of {threads} threads: {race[:1500]}')
        if done.returncode not in (0, 66):
            bench.fail(f'{name} with {jobs} jobs of {threads} threads: status {done.returncode}: {err.strip()[-300:]}')

    # Threads of kernels beside each other, and jobs.
    plan = [(name, threads, jobs) for threads, jobs in [(3, 1), (4, 2), (1, 4)] for name in (TEN[:3] if short else TEN + MORE)]
    bench.each(render, plan)
    return None
