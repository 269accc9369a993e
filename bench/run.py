#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: compares Kineograph with Blender and SciPy (if they are installed) and with the memory bandwidth in one
run, then measures frames of the canvas and the start of the application.

run.py BUILD [filters]

filters: only the filters of images.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import scaling

# Minimum number of bytes read and written: positions in and out, for morphs two shapes in, for noise its values out.
LEAST_BYTES = {'ffd-1000000': 24e6, 'skin-1000000-by-16': 24e6, 'morph-1000000': 36e6, 'noise-gradient-10000000': 160e6,
               'noise-simplex-10000000': 160e6, 'noise-value-10000000': 160e6, 'noise-cells-10000000': 160e6,
               'noise-fractal-5-10000000': 160e6, 'noise-vector-10000000': 240e6}

# Seconds that the processor and the memory of the reference machine (2 processors, AVX-512, 43.7 GB/s) would need.
LIMITS = {
    'ffd-1000000': 0.9e-3, 'skin-1000000-by-16': 0.9e-3, 'particles-1000000-flying': 1.3e-3,
    'particles-1000000-on-ground': 2.7e-3, 'morph-image-220-lines': 8e-3, 'image-transform-small': 5e-3, 'merge-4000': 1e-3,
    'trail-800': 10e-3, 'fit-2000': 1e-3, 'edit-chain-100': 30e-6, 'load-10000-nodes': 20e-3,
    'scan-1000000-triangles': 35e-3, 'agents-10000-step': 1 / 24,
}

# Growth beyond this is worse than n log n, at the sizes that are measured.
SUSPECT = 1.3

# What is compared with Blender, by the beginning of the name, if the name alone is not clear.
NOTES = {
    'edit-chain-': 'Blender: geometry nodes (Transform), from the edit of the first one to the mesh',
    'load-': 'Blender: a .blend file with the same number of geometry nodes; neither program evaluates them',
    'save-': 'Blender: the same file, which the system flushes later; ours is flushed to disk before it replaces the old file',
    'falling-': 'particles with gravity, drag and turbulence onto a ball of 4,480 triangles and a floor of 2,048',
    'scan-': 'Blender: a whole render by Workbench, on the GPU or, without one, in software; ours: the node',
}

# Frames per second that the canvas should reach with this many nodes.
WANTED = {1000: 60, 5000: 30}


def figures(command):
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    pairs = (line.split('\t') for line in output.splitlines() if line.count('\t') == 1)
    return {name: float(value) for name, value in pairs}


def find_scipy():
    """A Python with SciPy: this one, or that of the system."""
    for python in (sys.executable, '/usr/bin/python3'):
        if os.path.exists(python) and subprocess.run([python, '-c', 'import scipy.interpolate'], check=False,
                                                     stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def start_display():
    """A separate virtual display, so that figures do not depend on the current one or disturb it."""
    read, write = os.pipe()
    server = subprocess.Popen(['Xvfb', '-displayfd', str(write), '-screen', '0', '1920x1080x24', '-nolisten', 'tcp'],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as f:
        return server, ':' + f.readline().strip()


def run_canvas(build):
    """Lines of numbers from kineo-canvas-bench, drawn in software and with separate settings."""
    server, display = start_display()
    try:
        with tempfile.TemporaryDirectory() as home:
            environment = dict(os.environ, DISPLAY=display, GDK_BACKEND='x11', GSK_RENDERER='cairo', GTK_A11Y='none',
                               GSETTINGS_BACKEND='memory', XDG_CONFIG_HOME=home, XDG_STATE_HOME=home,
                               XDG_DATA_HOME=home, XDG_CACHE_HOME=home)
            output = subprocess.run([os.path.join(build, 'bench', 'kineo-canvas-bench')], env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    finally:
        server.terminate()
        server.wait()
    return [line.split('\t') for line in output.splitlines() if line.count('\t') == 4]


def print_canvas(build):
    if not shutil.which('Xvfb'):
        print('canvas: Xvfb is not installed (apt-get install xvfb)')
        return
    rows = run_canvas(build)
    print(f'\n{"canvas, 1920 × 1080":26}{"nodes":>8}{"frame":>14}{"slow frame":>14}{"shown":>14}{"wanted":>8}')
    for name, nodes, median, slow, rate in rows:
        if name != 'start':
            print(f'{name:26}{nodes:>8}{float(median) * 1e3:>11.2f} ms{float(slow) * 1e3:>11.2f} ms'
                  f'{float(rate):>9.1f} /s {WANTED.get(int(nodes), ""):>8}')
    for name, nodes, median, *_ in rows:
        if name == 'start':
            print(f'{"start to first frame":26}{nodes:>8}{float(median) * 1e3:>11.0f} ms')


def print_rotations(build, here):
    """Rotations compared with SciPy, if the Python of the system has it."""
    ours = figures([os.path.join(build, 'bench', 'kineo-rotations-bench')])
    theirs = figures(['/usr/bin/python3', os.path.join(here, 'scipy-rotations.py')])
    print(f'\n{"1,000,000 rotations":26}{"Kineograph":>14}{"SciPy":>14}{"ratio":>10}'
          + ('' if theirs else '   SciPy is not installed (apt-get install python3-scipy)'))
    for name, seconds in ours.items():
        row = f'{name:26}{seconds * 1e3:>11.3f} ms'
        print(row + (f'{theirs[name] * 1e3:>11.3f} ms{theirs[name] / seconds:>9.1f}×' if name in theirs else ''))


def find_numpy():
    """A Python with NumPy: this one, or that of the system."""
    for python in (sys.executable, '/usr/bin/python3'):
        if os.path.exists(python) and subprocess.run([python, '-c', 'import numpy'], check=False,
                                                     stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def print_expressions(build, here):
    """Formulas at a million points compared with NumPy, if there is one, and the time to set one up."""
    ours = figures([os.path.join(build, 'bench', 'kineo-expressions-bench')])
    python = find_numpy()
    theirs = figures([python, os.path.join(here, 'numpy-expressions.py')]) if python else {}
    print(f'\n{"1,000,000 points":26}{"Kineograph":>14}{"NumPy":>14}{"ratio":>10}'
          + ('' if theirs else '   NumPy is not installed (apt-get install python3-numpy)'))
    for name, seconds in ours.items():
        row = f'{name:26}{seconds * 1e3:>11.3f} ms' if seconds > 1e-4 else f'{name:26}{seconds * 1e6:>11.3f} µs'
        print(row + (f'{theirs[name] * 1e3:>11.3f} ms{theirs[name] / seconds:>9.1f}×' if name in theirs else ''))


# Programs of bench/filters-*.c, and why some of their results are not ours.
FILTER_PEERS = {'gegl': 'GEGL', 'vips': 'libvips', 'magick': 'ImageMagick'}
FILTER_NOTES = [
    'GEGL: Lohalo for lanczos, for it has no Lanczos; its cubic (warp) and its median give other numbers',
    'libvips: the cubic for lanczos-twice, for it enlarges with nothing wider',
]
# How large the differences of a result from ours may be, of its standard deviation: those beyond are other work.
FILTER_TOLERANCE = 0.01
# Rows by size of the image, and how often each program runs, in turn.
FILTERS = {
    '1920x1080': (3, ['over', 'chain-10', 'warp', 'gaussian-1', 'gaussian-10', 'gaussian-100', 'gaussian-1000', 'box-10', 'box-100',
                      'defocus-10', 'defocus-100', 'streak-30', 'streak-300', 'median-1', 'median-5', 'median-20',
                      'lanczos-half', 'lanczos-twice', 'non-local-means-5']),
    '7680x4320': (2, ['over', 'chain-10', 'warp', 'gaussian-1', 'gaussian-10', 'gaussian-100', 'median-1', 'lanczos-half']),
}
# Seconds that a peer may take for a row of the larger image, with 16 times the pixels, and beyond which it does not take part in
# further rounds.
FILTER_MOST, FILTER_LONG = 30, 4


def time_filter(programs, size, row, rounds, slow):
    """Of each program the least seconds and the difference of its result from that of the first; those that have the row."""
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            for name, program in programs.items():
                if (turn > 0 and (name not in best or best[name][0] > FILTER_LONG)) or name in slow:
                    continue
                output = subprocess.run([program, size, row], capture_output=True, text=True, check=False,
                                        env=dict(os.environ, KG_FILTERS_FOLDER=folder)).stdout.split('\t')
                if len(output) > 1:
                    seconds, difference = float(output[1]), float(output[2]) if len(output) > 2 else 0
                    best[name] = (min(seconds, best[name][0]) if name in best else seconds, difference)
    return best


def print_filters(build):
    """Filters of images compared with GEGL, libvips and ImageMagick, from memory to memory, as far as they are there.  With
    KG_BENCH_CPU=1 in seconds of the processors, for machines that do other work, too."""
    programs = {'': os.path.join(build, 'bench', 'kineo-filters-bench')}
    for name, title in FILTER_PEERS.items():
        program = os.path.join(build, 'bench', f'kineo-filters-{name}-bench')
        if os.path.exists(program):
            programs[name] = program
        else:
            print(f'{title} was not there when this was built')
    long = {}
    for size, (rounds, rows) in FILTERS.items():
        print(f'\n{f"{size}, float RGBA":20}{"Kineograph":>12}'
              + ''.join(f'{FILTER_PEERS[name]:>26}' for name in programs if name) + f'{"of the fastest":>16}')
        for row in rows:
            best = time_filter(programs, size, row, rounds, long.get(row, ()))
            long[row] = {name for name, (seconds, _) in best.items() if name and seconds * 16 > FILTER_MOST}
            ours, _ = best.pop('')
            equal = [seconds for seconds, difference in best.values() if difference <= FILTER_TOLERANCE]
            print(f'{row:20}{ours * 1e3:>9.1f} ms' + ''.join(
                f'{best[name][0] * 1e3:>9.1f} ms {best[name][0] / ours:>5.1f}× '
                + (f'  {best[name][1]:.0e}' if best[name][1] <= FILTER_TOLERANCE else f'≠ {best[name][1]:.0e}')
                if name in best else ' ' * 26 for name in programs if name)
                + (f'{min(equal) / ours:>15.2f}×' if equal else ''), flush=True)
    print(f'after the times: the differences from our result; ≠: more than {FILTER_TOLERANCE}, which is other work and does not count')
    for note in FILTER_NOTES:
        print(note)


def print_bodies(build):
    """A figure of 16 bodies that hangs by a hand: ours, and the ragdoll of the Open Dynamics Engine if it was built."""
    ours = figures([os.path.join(build, 'bench', 'kineo-bodies-bench')])
    peer = os.path.join(build, 'bench', 'kineo-ode-bench')
    theirs = figures([peer]) if os.path.exists(peer) else {}
    print(f'\n{"16 bodies, steps per second":26}{"Kineograph":>14}' + ''.join(f'{"ODE " + name:>18}' for name in theirs)
          + ('' if theirs else '   the Open Dynamics Engine is not installed (apt-get install libode-dev)'))
    for name, seconds in ours.items():
        print(f'{name:26}{1 / seconds:>14,.0f}' + ''.join(f'{1 / other:>10,.0f}{other / seconds:>6.1f}× '
                                                         for other in theirs.values()))


def print_polygons(build):
    """Soft objects to triangles: the cost by cells, of all ways to find them."""
    output = subprocess.run([os.path.join(build, 'bench', 'kineo-polygons-bench')], capture_output=True, text=True,
                            check=False).stdout
    print(f'\n{"soft objects (keys, cell)":34}{"looked at":>12}{"cells":>10}{"triangles":>11}{"processors":>12}{"a cell":>10}')
    for name, samples, cells, triangles, seconds, *more in (line.split('\t') for line in output.splitlines()):
        print(f'{name:34}{samples:>12}{cells:>10}{triangles:>11}{float(seconds) * 1e3:>9.1f} ms'
              f'{float(seconds) / max(int(cells), 1) * 1e6:>7.2f} µs', *more)


def print_program(build):
    """The whole program: its start, and the render of the reel, in seconds of all processors and at most this memory."""
    kineo = os.path.join(build, 'src', 'cli', 'kineo')
    reel = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'graphs', 'reel.json')
    print(f'\n{"kineo":26}{"processors":>14}{"memory":>14}')
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in (('start', ['--version']),
                                ('render reel.json', ['render', reel, '-o', os.path.join(folder, 'reel.mp4')])):
            process = subprocess.Popen([kineo, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, _, usage = os.wait4(process.pid, 0)
            print(f'{name:26}{(usage.ru_utime + usage.ru_stime) * 1e3:>11.0f} ms{usage.ru_maxrss / 1e6:>11.2f} GB')


def print_growth(build):
    """What takes time that grows faster than n log n with what it is given."""
    output = subprocess.run([os.path.join(build, 'bench', 'kineo-growth-bench')], capture_output=True, text=True,
                            check=False).stdout
    rows = [line.split('\t') for line in output.splitlines()]
    measured = [row for row in rows if len(row) == 6]
    worse = [row for row in measured if float(row[5]) > SUSPECT]
    print(f'\ngrowth: {len(measured)} measured, {len(worse)} worse than n log n'
          + (f'\n{"":48}{"n":>8}{"n":>12}{"2 n":>12}{"4 n":>12}{"exponent":>10}' if worse else ''))
    for name, n, one, two, four, exponent in worse:
        print(f'{name:48}{n:>8}' + ''.join(f'{float(t) * 1e3:>9.2f} ms' for t in (one, two, four)) + f'{exponent:>10}')
    if any('(all' in row[0] for row in worse):
        print('(all): all inputs of the kind grow at once, so that methods that look at n × m pairs show an exponent of 2')
    for name, reason in (row for row in rows if len(row) == 2):
        print(f'not measured: {name}: {reason}')


def print_shapes(build, here):
    """Hulls, neighbours, pairs of convex shapes: ours, qhull's own program, SciPy and libccd, as far as they are there."""
    program = os.path.join(build, 'bench', 'kineo-shapes-bench')
    ours = figures([program])
    theirs = {'pairs': ('libccd', ours.pop('pairs-libccd', None)),
              'pairs-near': ('libccd', ours.pop('pairs-near-libccd', None)), 'meshes': ('ODE', ours.pop('meshes-ode', None))}
    spaces = {name.rsplit('-', 1)[1]: ours.pop(name) for name in list(ours) if name.startswith('boxes-ode-')}
    if spaces:
        best = min(spaces, key=spaces.get)
        theirs['boxes'] = (f'ODE ({best}, the quickest of its spaces)', spaces[best])
    with tempfile.TemporaryDirectory() as folder:
        points = os.path.join(folder, 'points.txt')
        subprocess.run([program, points], check=True)
        if shutil.which('qhull'):
            start = time.perf_counter()
            with open(points, encoding='ascii') as file:
                subprocess.run(['qhull', 'TO', os.devnull], stdin=file, check=True, stdout=subprocess.DEVNULL)
            theirs['hull'] = ('qhull', time.perf_counter() - start)
        python = find_scipy()
        if python:
            theirs['neighbours'] = ('SciPy', figures([python, os.path.join(here, 'scipy-shapes.py'), points]).get('neighbours'))
    theirs['mass'] = ('memory', ours.pop('memory', None))
    print(f'\n{"Shapes":26}{"Kineograph":>14}{"other":>14}{"ratio":>10}')
    for name, seconds in ours.items():
        peer, other = theirs.get(name, ('', None))
        print(f'{name:26}{seconds * 1e3:>11.3f} ms' + (f'{other * 1e3:>11.3f} ms{other / seconds:>9.2f}× {peer}' if other else ''))


def main():
    build, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
    if sys.argv[2:] == ['filters']:
        print_filters(build)
        return
    ours = figures([os.path.join(build, 'bench', 'kineo-bench')])
    ours |= figures([os.path.join(build, 'bench', 'kineo-skeleton-bench')])
    blender = shutil.which('blender')
    theirs = figures([blender, '--background', '--factory-startup', '--python',
                      os.path.join(here, 'blender-bench.py')]) if blender else {}
    python = find_scipy()
    scipy = figures([python, os.path.join(here, 'scipy-bench.py')]) if python else {}
    bandwidth = ours.pop('memory-bandwidth')
    print(f'memory: {bandwidth / 1e9:.1f} GB/s' + ('' if blender else '; Blender is not installed (apt-get install blender)')
          + ('' if python else '; SciPy is not installed (apt-get install python3-scipy)'))
    print(f'{"":30}{"Kineograph":>14}{"other":>14}{"ratio":>10}{"of memory":>22}{"limit":>11}')
    for name, seconds in ours.items():
        row = f'{name:30}{seconds * 1e3:>11.3f} ms'
        peer, other = ('Blender', theirs.get(name)) if name in theirs else ('SciPy', scipy.get(name))
        row += f'{other * 1e3:>11.3f} ms{other / seconds:>9.1f}× {peer}' if other else ''
        if name in LEAST_BYTES:
            row = f'{row:78}{LEAST_BYTES[name] / seconds / bandwidth:>12.0%}'
        if name in LIMITS:
            row = f'{row:92}{LIMITS[name] * 1e3:>8.3f} ms'
        print(row)
    if theirs:
        for beginning, note in NOTES.items():
            print(f'{beginning}…: {note}')
    print_rotations(build, here)
    print_expressions(build, here)
    print_bodies(build)
    print_filters(build)
    print_polygons(build)
    print_program(build)
    print_growth(build)
    print_shapes(build, here)
    scaling.report(build)
    print_canvas(build)


main()
