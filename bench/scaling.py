#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How time grows with size, from kineo-scaling-bench: a table with the exponent of each doubling, and a plot.

scaling.py BUILD [MOST]: writes BUILD/bench/scaling.svg
"""
import math
import os
import subprocess
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT, TOP = 720, 480, 80, 60, 30, 50
TITLES = {'links': ('sim/articulated: links of a chain, seconds of a step', '#2f6fde'),
          'boxes': ('sim/rigid_bodies: boxes in a heap, seconds of a frame', '#c8372d')}


def measure(build, most):
    # One thread: how work grows, and not how it is shared.
    output = subprocess.run([os.path.join(build, 'bench', 'kineo-scaling-bench'), str(most)], capture_output=True,
                            text=True, check=True, env=dict(os.environ, OMP_NUM_THREADS='1')).stdout
    series = {}
    for line in output.splitlines():
        name, number, seconds = line.split('\t')
        series.setdefault(name, []).append((int(number), float(seconds)))
    return series


def decades(values):
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def plot(series):
    """Both axes logarithmic; a dashed line through the middle of each is exactly linear."""
    across = decades([n for points in series.values() for n, _ in points])
    up = decades([s for points in series.values() for _, s in points])

    def x(n):
        return LEFT + (math.log10(n) - across[0]) / (across[-1] - across[0]) * (WIDTH - LEFT - RIGHT)

    def y(seconds):
        return HEIGHT - BOTTOM - (math.log10(seconds) - up[0]) / (up[-1] - up[0]) * (HEIGHT - BOTTOM - TOP)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
             f'font-size="13"><rect width="100%" height="100%" fill="#fff"/>']
    for e in across:
        parts.append(f'<path d="M{x(10 ** e):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                     f'<text x="{x(10 ** e):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{10 ** e:,}</text>')
    for e in up:
        parts.append(f'<path d="M{LEFT} {y(10 ** e):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{y(10 ** e) + 4:.1f}" text-anchor="end">{10 ** e:g} s</text>')
    for row, (name, points) in enumerate(series.items()):
        title, color = TITLES[name]
        line = ' '.join(f'{x(n):.1f},{y(s):.1f}' for n, s in points)
        middle, at = points[len(points) // 2]
        first, last = points[0][0], points[-1][0]
        parts.append(f'<path d="M{x(first):.1f} {y(at * first / middle):.1f}L{x(last):.1f} {y(at * last / middle):.1f}" '
                     f'stroke="{color}" stroke-dasharray="4 4" opacity="0.6"/>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.extend(f'<circle cx="{x(n):.1f}" cy="{y(s):.1f}" r="3.5" fill="{color}"/>' for n, s in points)
        parts.append(f'<text x="{LEFT + 10}" y="{TOP - 28 + 18 * row}" fill="{color}">{title}; dashed: linear</text>')
    return '\n'.join(parts) + '\n</svg>\n'


def report(build, most=4096):
    series = measure(build, most)
    print(f'\n{"scaling":26}{"number":>8}{"time":>14}{"each":>14}{"exponent":>10}')
    for name, points in series.items():
        before = None
        for n, seconds in points:
            exponent = math.log(seconds / before[1]) / math.log(n / before[0]) if before else None
            print(f'{name:26}{n:>8}{seconds * 1e3:>11.3f} ms{seconds / n * 1e6:>11.3f} µs'
                  + (f'{exponent:>10.2f}' if before else ''))
            before = (n, seconds)
    path = os.path.join(build, 'bench', 'scaling.svg')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(plot(series))
    print(f'plot: {path}')


if __name__ == '__main__':
    report(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4096)
