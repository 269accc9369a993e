# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders that are ended at random moments, and resumed: every file is whole, and the images are those of a render that was left alone."""
import os
import random
import shutil
import signal
import subprocess
import time

from bench import INJECT, KINEO, LONGEST, make_environment, read_all
from cases import Case

FRAMES = 12
SIGNALS = [signal.SIGKILL] * 6 + [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


def make_case(kind):
    names = [f'k{i:02}.{kind}' for i in range(1, FRAMES + 1)]
    return Case(f'kill {kind}', ['render', 'small.json', '-o', f'k%02d.{kind}', '--frames', f'1-{FRAMES}', '--jobs', '2',
                                 '--progress', 'none'], names)


def end(folder, arguments, before, after, number):
    """Runs it for so many seconds; gives its status, or None when it had ended before."""
    with subprocess.Popen([*before, KINEO, *arguments], cwd=folder, env=make_environment({}), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as program:
        time.sleep(after)
        early = program.poll() is None
        if early:
            os.killpg(program.pid, number)
        # What runs kineo may end before it, which still tidies up: the pipe is closed by the last of them.
        program.communicate(timeout=LONGEST)
        return program.returncode if early else None


def kill_renders(bench, short, seed):
    chance = random.Random(seed + 3)
    pictures = [make_case(kind) for kind in ('png', 'exr')]
    movies = [Case(f'kill {kind}', ['render', 'small.json', '-o', f'k.{kind}', '--jobs', '2', '--progress', 'none', '--frames', '1-40'],
                   [f'k.{kind}']) for kind in ('mp4', 'gif')]
    took = {}
    for case in pictures + movies:
        start = time.monotonic()
        bench.reference(case)
        took[case.name] = time.monotonic() - start
    permitted = subprocess.run([INJECT, os.path.join(bench.root, 'report'), 'unnamed', '0', 'EOPNOTSUPP', 'true'],
                               check=False).returncode == 0

    def kill(job):
        case, number, share, nameless, old = job
        if bench.left() < 0:
            return
        folder = bench.make_folder(case, old)
        # Without files that have no name, what was being written is left behind, and swept by who resumes.
        before = [INJECT, folder + '.report', 'unnamed', '0', 'EOPNOTSUPP'] if not nameless else []
        status = end(folder, case.arguments, before, share * took[case.name], number)
        what = f'{case.name} by signal {number} after {share:.2f} of its time{"" if nameless else ", with names"}'
        files = read_all(folder)
        expected = bench.reference(case).files
        bench.count('kills' if status is not None else 'too late')
        for name in list(files):
            if name in case.outputs:
                if files[name] != expected[name] and not (old and files[name] == b'the old file'):
                    bench.fail(f'{what}: {name} is neither the old file nor the new one')
            # A file without a name cannot replace another: it has one for a moment then.
            elif name not in expected and not ((old or not nameless) and name.endswith('.kineo-partial')):
                bench.fail(f'{what}: {name} is left behind')
        if case in pictures:
            done = bench.run([*case.arguments, '--resume'], folder)
            bench.count('resumed')
            if done.status != 0 or done.files != expected:
                bench.fail(f'{what}: resumed, the files are not those of one run', done)
        else:
            done = bench.run(case.arguments, folder)
            if done.status != 0 or done.files != expected:
                bench.fail(f'{what}: done again, the files are not those of one run', done)
        shutil.rmtree(folder)

    n = 40 if short else 100000
    jobs = [(chance.choice(pictures * 3 + movies), chance.choice(SIGNALS), chance.random(), i % 3 > 0 or not permitted,
             chance.random() < 0.5) for i in range(n)]
    bench.each(kill, jobs)
    return None
