#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: compares Kineograph with Blender and SciPy (if they are installed) and with the memory bandwidth in one
run, then measures frames of the canvas and the start of the application.

run.py BUILD
"""
import os
import resource
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


MAGICK = {
    'gaussian-1': '-gaussian-blur 0x1', 'gaussian-10': '-blur 0x10', 'gaussian-100': '-blur 0x100', 'median-1': '-median 1',
    'median-5': '-median 5', 'lanczos-half': '-filter Lanczos -resize 50%', 'lanczos-twice': '-filter Lanczos -resize 200%',
    'streak-30': '-motion-blur 0x10+30',
}

GEGL = {
    'gaussian-1': 'gegl:gaussian-blur std-dev-x=1 std-dev-y=1', 'gaussian-10': 'gegl:gaussian-blur std-dev-x=10 std-dev-y=10',
    'gaussian-100': 'gegl:gaussian-blur std-dev-x=100 std-dev-y=100', 'median-1': 'gegl:median-blur radius=1',
    'median-5': 'gegl:median-blur radius=5', 'lanczos-half': 'gegl:scale-ratio x=0.5 y=0.5 sampler=lohalo',
    'box-10': 'gegl:box-blur radius=10', 'chain-10': ' '.join(['gegl:brightness-contrast contrast=1.1'] * 10),
    'warp': 'gegl:waves amplitude=20 period=314',
}

# Arguments of vips between the image and its result, and after it.
VIPS = {
    'over': ('composite2', ['{image}'], ['over']), 'gaussian-1': ('gaussblur', [], ['1']),
    'gaussian-10': ('gaussblur', [], ['10']), 'gaussian-100': ('gaussblur', [], ['100']), 'median-1': ('median', [], ['3']),
    'median-5': ('median', [], ['11']), 'lanczos-half': ('resize', [], ['0.5', '--kernel', 'lanczos3']),
    'lanczos-twice': ('resize', [], ['2', '--kernel', 'lanczos3']),
}


def time_difference(with_it, without):
    """Seconds of an operation: those of a program that does it less those of one that only reads and writes.  With
    KG_BENCH_CPU=1 seconds of the processors, for machines that do other work, too."""
    seconds = []
    for command in (without, with_it):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            return None
        after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        seconds.append(spent if os.environ.get('KG_BENCH_CPU') else end - start)
    return max(seconds[1] - seconds[0], 1e-4)


def time_magick(convert, size, name):
    """On an image of noise with alpha, 16 bits."""
    noise = [convert, '-size', size, '-seed', '1', 'xc:gray', '+noise', 'Random', '-alpha', 'set']
    return time_difference([*noise, *MAGICK[name].split(), 'null:'], [*noise, 'null:']) if name in MAGICK else None


def time_gegl(gegl, image, name):
    out = image + '.gegl.exr'
    return time_difference([gegl, image, '-o', out, '--', *GEGL[name].split()], [gegl, image, '-o', out]) if name in GEGL else None


def time_vips(vips, image, name):
    """On floats in memory (vips' own format in a folder of memory)."""
    if name not in VIPS:
        return None
    operation, before, after = VIPS[name]
    out = image + '.out.v'
    return time_difference([vips, operation, image, *(word.format(image=image) for word in before), out, *after],
                           [vips, 'copy', image, out])


def make_noise(build, folder, width, height):
    """An OpenEXR image of floats."""
    graph = os.path.join(folder, 'noise.json')
    with open(graph, 'w', encoding='utf-8') as f:
        f.write('{"kineograph": 1, "nodes": {"p": {"type": "image/constant", "inputs": {"width": %d, "height": %d, "color": '
                '[0.5, 0.4, 0.3, 1]}}, "g": {"type": "image/grain", "inputs": {"image": {"link": "p.image"}, "amount": '
                '[0.5, 0.5, 0.5, 1]}}}, "display": "g.result"}' % (width, height))
    path = os.path.join(folder, 'noise.exr')
    subprocess.run([os.path.join(build, 'src', 'cli', 'kineo'), 'render', graph, '-o', path, '--bits', '32', '--frames', '1',
                    '--progress', 'none'], check=True)
    return path


def print_filters(build):
    """Filters of pictures compared with ImageMagick (16 bits), GEGL and libvips (floats), as far as they are there."""
    convert, gegl, vips = shutil.which('convert'), shutil.which('gegl'), shutil.which('vips')
    memory = '/dev/shm' if os.path.isdir('/dev/shm') else None
    for name, have in [('imagemagick', convert), ('gegl', gegl), ('libvips-tools', vips)]:
        if not have:
            print(f'{name} is not installed (apt-get install {name})')
    for width, height in [(1920, 1080), (7680, 4320)]:
        ours = figures([os.path.join(build, 'bench', 'kineo-filters-bench'), *(['large'] if width > 1920 else [])])
        print(f'\n{f"{width}×{height}, float RGBA":26}{"Kineograph":>14}{"ImageMagick":>24}{"GEGL":>24}{"libvips":>24}')
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            image = make_noise(build, folder, width, height) if gegl or vips else None
            floats = os.path.join(folder, 'noise.v')
            if vips:
                subprocess.run([vips, 'copy', image, floats], check=True)
            for name, seconds in ours.items():
                others = [time_magick(convert, f'{width}x{height}', name) if convert else None,
                          time_gegl(gegl, image, name) if gegl else None, time_vips(vips, floats, name) if vips else None]
                print(f'{name:26}{seconds * 1e3:>11.1f} ms' + ''.join(
                    f'{other * 1e3:>12.1f} ms{other / seconds:>8.1f}×' if other else ' ' * 24 for other in others), flush=True)


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
