# SPDX-License-Identifier: GPL-3.0-or-later
"""System calls that are refused, memory that is refused, disks that are full."""
import os
import random
import resource
import shutil
import signal
import subprocess

from bench import INJECT, PRELOAD
from cases import CASES

# Class of calls, the errors that they give, and whether libraries make so many that a short run takes a sample.
CALLS = [('write', ['ENOSPC', 'EIO+'], False), ('sync', ['EIO', 'ENOSPC'], False), ('rename', ['EIO'], False),
         ('create', ['EACCES', 'ENOSPC'], False), ('close', ['EIO'], True), ('read', ['EIO'], True), ('open', ['EMFILE', 'EACCES'], True)]
LARGE = 1 << 20  # bytes: who is refused so much has a message; texts of GLib's, which aborts, are smaller
SAMPLE = 3


def inject(bench, case, call, number, error, old):
    """Runs a case while one of its calls is refused; gives the run, or None where the system does not permit it."""
    folder = bench.make_folder(case, old)
    report = folder + '.report'
    run = bench.run(case.arguments, folder, [INJECT, report, call, str(number), error], {'LD_PRELOAD': PRELOAD})
    shutil.rmtree(folder)
    if not os.path.exists(report):
        return None if run.status == 77 else run
    with open(report, encoding='ascii') as f:
        run.counted, run.refused, run.status = map(int, f.read().split())
    os.remove(report)
    return run


def refuse_calls(bench, short, seed):
    """Each call of each command in turn."""
    chance = random.Random(seed)
    plan = []

    def count(case_and_call):
        case, (call, errors, many) = case_and_call
        run = inject(bench, case, call, 0, 'EIO', False)
        if run is None:
            return
        numbers = list(range(1, run.counted + 1))
        if short and len(numbers) > SAMPLE:
            numbers = chance.sample(numbers, SAMPLE)
        bench.count(f'calls: {call}', run.counted)
        plan.extend((case, call, number, chance.choice(errors) if short else error)
                    for number in numbers for error in (errors[:1] if short else errors))

    cases = [case for case in CASES if not (short and case.long or case.only_memory)]
    if inject(bench, cases[0], 'read', 0, 'EIO', False) is None:
        return 'the system does not permit filters of system calls'
    pairs = [(case, call) for case in cases for call in CALLS]
    if short:
        # What writes, and of what libraries do on their own now this and now that.
        pairs = [(case, call) for case, call in pairs if (call[2] and chance.random() < 0.4) or (not call[2] and case.outputs)]
    bench.each(count, pairs)
    chance.shuffle(plan)

    def refuse(job):
        case, call, number, error = job
        if bench.left() < 0:
            return
        old = number % 2 == 0
        run = inject(bench, case, call, number, error, old)
        bench.count('calls refused')
        if run.refused >= 0 or run.status != 0:
            bench.check(f'{case.name}: {call} {number} gives {error}', case, run, old, silent=run.refused == 2 or call == 'write' and error.endswith('+'))

    bench.each(refuse, plan)
    return None


def refuse_memory(bench, short, seed):
    """Large blocks one by one, of the others a sample: those are GLib's and other libraries', which abort."""
    chance = random.Random(seed + 1)
    plan = []

    def run(case, number, size, old):
        folder = bench.make_folder(case, old)
        report = folder + '.report'
        done = bench.run(case.arguments, folder, environment={
            'LD_PRELOAD': PRELOAD, 'KG_FAIL_MEMORY': number, 'KG_FAIL_SIZE': str(size), 'KG_FAIL_REPORT': report})
        shutil.rmtree(folder)
        if os.path.exists(report):
            with open(report, encoding='ascii') as f:
                done.counted = int(f.read())
            os.remove(report)
        return done

    def count(case):
        large, small = run(case, '0', LARGE, False).counted, run(case, '0', 0, False).counted
        numbers = range(1, large + 1)
        bench.count('blocks of memory', small)
        bench.count('large blocks', large)
        plan.extend((case, f'{chance.randint(1, large)}+', LARGE) for _ in range(1 if short else 20) if large > 0)
        plan.extend((case, str(n), LARGE) for n in (chance.sample(numbers, SAMPLE) if short and large > SAMPLE else numbers))
        if case.only_memory:
            return
        plan.extend((case, str(chance.randint(1, small)), 0) for _ in range(SAMPLE if short else 400))

    def refuse(job):
        case, number, size = job
        if bench.left() < 0:
            return
        old = int(number.rstrip('+')) % 2 == 0
        done = run(case, number, size, old)
        bench.count('large blocks refused' if size > 0 else 'small blocks refused')
        if done.status != 0 and done.status != -signal.SIGSEGV:
            bench.count('ended by GLib' if done.status < 0 else 'ended with a message')
        bench.check(f'{case.name}: block {number} of {size} bytes or more', case, done, old, small=size == 0)

    bench.each(count, [case for case in CASES if not (short and case.long)])
    chance.shuffle(plan)
    bench.each(refuse, plan)
    return None


def fill_disk(bench, short, seed):
    """Files that may not grow beyond a size, and a file system in memory that is full at some point."""
    chance = random.Random(seed + 2)
    disk = os.path.join(bench.root, 'disk')
    writing = [case for case in CASES if case.outputs and not case.only_memory]
    half = bench.left() / 2
    os.mkdir(disk)
    mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], stderr=subprocess.DEVNULL,
                             check=False).returncode == 0

    def limit(case):
        most = max(len(bench.reference(case).files[name]) for name in case.outputs)
        for _ in range(2 if short else 30):
            # Half of the time is for full disks.
            if bench.left() < half:
                return
            size = chance.randrange(most)
            folder = bench.make_folder(case, True)
            run = bench.run(case.arguments, folder,
                            preexec_fn=lambda n=size: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
            shutil.rmtree(folder)
            bench.count('files limited')
            bench.check(f'{case.name}: no file beyond {size} bytes', case, run, True)

    def fill(case):
        for _ in range(2 if short else 30):
            if bench.left() < 0:
                return
            folder = bench.make_folder(case, True, disk)
            room = chance.randrange(max(4096, 2 * sum(len(bench.reference(case).files[name]) for name in case.outputs)))
            free = shutil.disk_usage(disk).free
            filler = os.path.join(disk, 'filler')
            with open(filler, 'wb') as f:
                os.posix_fallocate(f.fileno(), 0, max(1, (free - room) // 4096 * 4096))
            run = bench.run(case.arguments, folder)
            os.remove(filler)
            shutil.rmtree(folder)
            bench.count('disks filled')
            bench.check(f'{case.name}: {room} bytes left', case, run, True)

    for case in writing:
        bench.reference(case)
    try:
        bench.each(limit, writing)
        if mounted:
            for case in writing:
                fill(case)
    finally:
        if mounted:
            subprocess.run(['umount', disk], check=False)
    return None
