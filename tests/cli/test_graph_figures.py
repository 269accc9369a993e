# SPDX-License-Identifier: GPL-3.0-or-later
"""Example graphs that teach a figure show that figure: what their notes say, in numbers."""
import json
import math
import os

from support import KineoTest, main

GRAPHS = os.environ['KG_GRAPHS']


class GraphFigures(KineoTest):
    def values(self, name, *targets, frame=1):
        line = self.good('eval', os.path.join(GRAPHS, name + '.json'), *targets, '--frame', str(frame))
        return [json.loads(line)['values'][target] for target in targets]

    def test_halving_a_turn(self):
        """Catalogue 30-73: sums made unit are slerp at k/8; left as they are, a quarter is at 29.2776 degrees."""
        for k in range(1, 8):
            unit, plain = self.values('halving_a_turn', f'unit_{k}.rotation', f'plain_{k}.rotation')
            half = math.radians(90 * k / 8) / 2
            self.assertLess(math.dist(unit, [math.cos(half), 0, 0, math.sin(half)]), 1e-12)
            if k == 4:
                self.assertLess(math.dist(unit, plain), 1e-12)
            elif k in (2, 6):
                angle = 2 * math.degrees(math.atan2(plain[3], plain[0]))
                self.assertAlmostEqual(angle, 29.2776 if k == 2 else 90 - 29.2776, 4)
        for frame, level in ((30, 1), (50, 2), (90, 3)):
            halved, smooth = self.values('halving_a_turn', 'halved.rotation', 'smooth.rotation', frame=frame)
            share = round((frame - 1) / 95 * 2 ** level) / 2 ** level
            self.assertAlmostEqual(2 * math.degrees(math.atan2(halved[3], halved[0])), 90 * share, 9)
            self.assertAlmostEqual(2 * math.degrees(math.atan2(smooth[3], smooth[0])), 90 * (frame - 1) / 95, 9)

    def test_ruler_and_globe(self):
        """Catalogue 30-101: straight in longitude and latitude is a parallel, longer than the great circle."""
        parallel, circle, path = self.values('ruler_and_globe', 'parallel.length', 'circle.length', 'parallel.path')
        latitude, turn = math.radians(50), 2 * math.pi * 0.36
        self.assertAlmostEqual(parallel, turn * math.cos(latitude), delta=5e-4)
        self.assertAlmostEqual(circle, 2 * math.asin(math.cos(latitude) * math.sin(turn / 2)), delta=5e-4)
        self.assertGreater(parallel - circle, 0.2)
        for point in path['points']['P']:
            self.assertAlmostEqual(point[1], math.sin(latitude), delta=1e-3)

    def test_point_by_point(self):
        """Catalogue 30-111: a translation stays one, a half turn collapses in the middle of the time."""
        start, = self.values('point_by_point', 'left.transformed')
        for frame in (20, 36, 50):
            moved, share = self.values('point_by_point', 'moved.geometry', 'share.value', frame=frame)
            for a, b in zip(start['points']['P'], moved['points']['P']):
                self.assertLess(math.dist(b, [a[0] + 5 * share, a[1], 0]), 1e-5)
        collapsed, led, share = self.values('point_by_point', 'collapsed.geometry', 'led.geometry', 'share.value', frame=36)
        self.assertAlmostEqual(share, 0.5, 12)
        for point in collapsed['points']['P']:
            self.assertLess(math.dist(point, [-1.55, -0.95, 0]), 1e-6)
        half, = self.values('point_by_point', 'half.transformed')
        for a, b in zip(half['points']['P'], led['points']['P']):
            self.assertLess(math.dist(a, b), 1e-6)

    def test_mirrored_handles(self):
        """Catalogue 30-70 in the plane: handles by doubling and halving, and with a third the curve of Catmull and Rom."""
        p = [self.values('mirrored_handles', f'p{i}.output')[0] for i in range(4)]
        for frame, reach in ((36, 1), (60, 1 / 3)):
            reported, left, before, behind, reached = self.values(
                'mirrored_handles', 'reach.output', 'mirrored1.mixed', 'before1.mixed', 'behind1.mixed', 'behind1_reached.mixed',
                frame=frame)
            self.assertAlmostEqual(reported, reach, 12)
            for c in range(2):
                self.assertAlmostEqual(left[c], 2 * p[1][c] - p[0][c], 12)
                self.assertAlmostEqual(behind[c], p[1][c] + (p[2][c] - p[0][c]) / 2, 12)
                self.assertAlmostEqual(before[c] + behind[c], 2 * p[1][c], 12)
                self.assertAlmostEqual(reached[c], p[1][c] + reach * (p[2][c] - p[0][c]) / 2, 12)
        # Half way along the middle piece: (-p0 + 9 p1 + 9 p2 - p3)/16.
        line = self.good('eval', os.path.join(GRAPHS, 'mirrored_handles.json'), 'traveller.point', '--frame', '60',
                         '--set', 'traveller.parameter=0.5')
        for c, x in enumerate(json.loads(line)['values']['traveller.point'][:2]):
            self.assertAlmostEqual(x, (9 * (p[1][c] + p[2][c]) - p[0][c] - p[3][c]) / 16, delta=1e-6)

    def test_shrinking_rod(self):
        """Catalogue 20-066, E14: lengths of the rod four ways at a quarter and a half, and its angle."""
        facts = {7: (0.7905694, 0.8580956, 1, 1), 13: (math.sqrt(0.5), math.sqrt(0.5), 1, 1)}
        for frame, lengths in facts.items():
            rods = self.values('shrinking_rod', 'linear.geometry', 'eased.geometry', 'angle.geometry', 'curve.geometry',
                               frame=frame)
            for rod, length in zip(rods, lengths):
                self.assertAlmostEqual(math.dist(*rod['points']['P']), length, 6)
            if frame == 7:
                (x, y, _), (to_x, to_y, _) = rods[3]['points']['P']
                self.assertAlmostEqual(math.degrees(math.atan2(to_y - y, to_x - x)), 14.0625, 4)

    def test_damped_bounce(self):
        """Catalogue 20-062, 20-063: the bounce by a damped sine at its start, its first contact and after it."""
        for time, height in ((0, 2), (0.2, 0), (0.4, 1.4522981)):
            line = self.good('eval', os.path.join(GRAPHS, 'presets', 'damped_bounce.json'), 'bounce.height', '--frame',
                             str(1 + 24 * time), '--set', 'bounce.from=2', '--set', 'bounce.decay=0.8', '--set',
                             'bounce.rate=2.5')
            self.assertAlmostEqual(json.loads(line)['values']['bounce.height'], height, 7)

    def test_planted_foot(self):
        """Catalogue 20-104: a planted foot stays where it is to the last bit, and goes back to its goal after that."""
        for foot, goal, first, last, release in (('far', 'far_goal', 1, 24, 8), ('near', 'near_goal', 25, 48, 8)):
            planted, = self.values('presets/planted_foot', f'{goal}.output', frame=first)
            for frame in (first, first + 7, last):
                ankle, reached, missing = self.values('presets/planted_foot', f'{foot}.ankle_goal', f'{foot}.foot',
                                                      f'{foot}.missing', frame=frame)
                self.assertEqual(ankle, planted)
                self.assertLess(math.dist(reached, planted), 1e-12)
                self.assertLess(missing, 1e-12)
            halfway, back, after = (self.values('presets/planted_foot', f'{foot}.ankle_goal', f'{goal}.output', frame=f)
                                    for f in (last + release / 2, last + release, last + release + 3))
            for c in range(3):
                self.assertAlmostEqual(halfway[0][c], (planted[c] + halfway[1][c]) / 2, 12)
            self.assertLess(math.dist(*back), 1e-12)
            self.assertLess(math.dist(*after), 1e-12)
        # Never below the ground, planted or not.
        path = os.path.join(GRAPHS, 'presets', 'planted_foot.json')
        for frame in (10, 40):
            line = self.good('eval', path, 'far.ankle_goal', '--frame', str(frame), '--set', 'far.ground=0.15')
            self.assertGreaterEqual(json.loads(line)['values']['far.ankle_goal'][1], 0.15)

    def test_taffy(self):
        """Catalogue 55-97: the string keeps its volume, tears where it is too thin, and is whole again."""
        for frame, pieces in ((1, 1), (20, 1), (30, 1), (48, 2), (76, 1)):
            apart, radius, found = self.values('presets/taffy', 'apart.output', 'taffy.string_radius', 'skin.pieces',
                                               frame=frame)
            self.assertEqual(found, pieces)
            length = 2 * math.hypot(apart, 0.1 * math.sin(2 * math.pi * (frame - 1) / 96))
            if pieces == 1:
                self.assertAlmostEqual(radius, min(math.sqrt(0.12 / (math.pi * length)), 0.45), 12)
            else:
                self.assertEqual(radius, 0)

    def test_super_ellipsoids(self):
        """Catalogue 20-147: the volumes of bodies of power 2, 2.5, 3 and 4 against that of their box."""
        found = self.values('super_ellipsoids', *(f'skin_{k}.volume' for k in (1, 2, 3, 4)))
        for volume, share in zip(found, (0.5235988, 0.6339494, 0.7120729, 0.8102484)):
            self.assertAlmostEqual(volume, 1.3 * 1 * 0.9 * share, delta=5e-3)

    def test_actor_car(self):
        """Catalogue 30-125: a second message finds the door half open; what cannot be done then is not done."""
        for frame, door in ((10, 0), (15, 15), (20, 30), (25, 15), (30, 0), (46, 30), (52, 60), (60, 60), (74, 30), (78, 0)):
            self.assertAlmostEqual(self.values('actor_car', 'door.value', frame=frame)[0], door, 9)
        for frame, way, lamp, ready in ((4, 0, 1, 0), (40, 0, 0, 0), (64, 0, 1, 0), (83, 0, 0, 1), (124, 3.2, 0, 1)):
            values = self.values('actor_car', 'way.value', 'lamp.value', 'script.answer', frame=frame)
            for value, expected in zip(values, (way, lamp, ready)):
                self.assertAlmostEqual(value, expected, 9)
        messages = json.load(open(os.path.join(GRAPHS, 'actor_car.json'), encoding='utf-8'))['nodes']['script']['inputs']['messages']
        turned = '\n'.join(reversed(messages.splitlines()))
        line = self.good('eval', os.path.join(GRAPHS, 'actor_car.json'), 'door.value', 'way.value', '--frame', '100',
                         '--set', 'script.messages=' + json.dumps(turned))
        self.assertEqual(list(json.loads(line)['values'].values()), self.values('actor_car', 'door.value', 'way.value', frame=100))

    def test_digitised(self):
        """Catalogue 30-110: at the frames of the table all three are what the table says."""
        with open(os.path.join(GRAPHS, 'tables', 'bouncing_ball.csv'), encoding='utf-8') as f:
            rows = [[float(x) for x in line.split(',')] for line in f.read().splitlines()[2:]]
        for frame, x, y in rows[::6]:
            for value in self.values('digitised', 'hold_now.vector', 'linear_now.vector', 'smooth_now.vector', frame=int(frame)):
                self.assertEqual(value, [x, y, 0])
        hold, linear = self.values('digitised', 'hold_now.vector', 'linear_now.vector', frame=int(rows[3][0]) + 1)
        self.assertEqual(hold[:2], rows[3][1:])
        for c in range(2):
            self.assertAlmostEqual(linear[c], (2 * rows[3][1 + c] + rows[4][1 + c]) / 3, 12)

    def places(self, name, *nodes, frame):
        return [value['points']['P'] for value in self.values(name, *(f'{node}.geometry' for node in nodes), frame=frame)]

    def test_avoid(self):
        """Catalogue 55-52, 55-54, 55-57: where a force field fails, other ways round lead past."""
        field, steer = self.places('avoid_head_on', 'flock0', 'flock1', frame=104)
        # Who flies at the very middle is stopped without a side to go to, and backs out.
        (stopped,), (back,) = (self.places('avoid_head_on', 'flock0', frame=frame) for frame in (30, 50))
        self.assertLess(abs(stopped[3][0]), 0.05)
        self.assertLess(back[3][2], stopped[3][2] - 1)
        self.assertTrue(all(place[2] < 2.5 for place in field[2:5]), field)
        self.assertTrue(all(place[2] > 2.5 for place in steer), steer)
        field, feelers = self.places('avoid_gap', 'flock0', 'flock1', frame=104)
        self.assertTrue(all(place[2] < 0 for place in field), field)
        self.assertTrue(all(place[2] > 1.4 for place in feelers), feelers)
        field, approaching, feelers = self.places('avoid_parallel', 'flock0', 'flock1', 'flock2', frame=80)
        starts = [-0.8, -1.4, -2.2]
        self.assertLess(field[0][0], starts[0] - 1)
        for straight in (approaching, feelers):
            for place, x in zip(straight, starts):
                self.assertAlmostEqual(place[0], x, 6)

    def test_rim_point(self):
        """Catalogue 55-54: the line to B touches the ball, on the side of the heading."""
        for frame in (30, 100):
            b, angle = self.values('rim_point', 'b.output', 'angle.output', frame=frame)
            to_b, from_center = [b[0] + 5, b[1] + 0.5], [b[0] - 3, b[1] - 0.5]
            self.assertAlmostEqual(to_b[0] * from_center[0] + to_b[1] * from_center[1], 0, 9)
            self.assertAlmostEqual(math.hypot(*from_center), 2.5, 9)
            self.assertGreater((8 * to_b[1] - to_b[0]) * angle, 0)

    def test_flights(self):
        """Catalogue 55-63, 55-64: the lift of a level turn is 1/cos of the bank; without thrust, rising air lifts, and still
        air does not."""
        for frame in (20, 60):
            load, bank, climb = self.values('banked_turn', 'flight.load', 'flight.banked',
                                            'flight.climb', frame=frame)
            self.assertAlmostEqual(load, 1 / math.cos(math.radians(bank)), delta=0.02)
            self.assertAlmostEqual(climb, 0, delta=0.5)
        circling, leaving, gone = ([*self.values('soaring', 'flight.position', 'flight.power', frame=frame)]
                                   for frame in (300, 400, 480))
        self.assertEqual((circling[1], leaving[1], gone[1]), (0, 0, 0))
        self.assertGreater(circling[0][1], 15)
        self.assertLess(gone[0][1], leaving[0][1] - 2)


if __name__ == '__main__':
    main()
