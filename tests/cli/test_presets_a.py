# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets that come with the program, the moving things: each does what its help says, in numbers.
That they are complete, and that their examples render, is checked with all others by test_preset_library."""
import json
import math

from support import PresetTest, main


def distance(a, b):
    return math.dist(a, b)


class ShippedTest(PresetTest):
    def run_preset(self, name, targets, inputs=None, frames='1-48', nodes=None):
        """The values of the outputs of one instance, called p, frame by frame."""
        self.write('g.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 240, 'rate': 24},
                              'nodes': {'p': {'type': name, 'inputs': inputs or {}}, **(nodes or {})}})
        targets = [t if '.' in t else f'p.{t}' for t in targets]
        lines = self.good('eval', 'g.json', *targets, '--frames', frames).splitlines()
        rows = [json.loads(line)['values'] for line in lines]
        return [[row[t] for t in targets] for row in rows]

    def column(self, name, target, inputs=None, frames='1-48', nodes=None):
        return [row[0] for row in self.run_preset(name, [target], inputs, frames, nodes)]

    # What each does.

    def test_bouncing_ball(self):
        g, drop, bounce = 9.81, 2.0, 0.5
        given = {'drop': drop, 'bounce': bounce, 'contact': 2, 'pull': g, 'place': [0, 0, 0]}
        rows = self.run_preset('physics/bouncing_ball', ['height', 'on_ground', 'position', 'impact'], given, '1-200')
        fall = math.sqrt(2 * drop / g)
        for frame, (height, _, _, _) in enumerate(rows[:int(fall * 24)]):
            self.assertAlmostEqual(height, drop - 0.5 * g * (frame / 24) ** 2, 9)
        hit = math.ceil(fall * 24)
        self.assertEqual(rows[hit][:2], [0, True])
        self.assertEqual(rows[hit][3], 1)
        # The top of the first bounce: half the height is left.
        heights = [row[0] for row in rows]
        again = next(i for i in range(hit + 4, len(heights)) if heights[i] == 0)
        self.assertAlmostEqual(max(heights[hit:again]), drop * bounce, 2)
        self.assertTrue(all(h >= 0 for h in heights))
        self.assertEqual(rows[-1][:2], [0, True], 'it comes to rest')
        self.assertAlmostEqual(rows[-1][2][1], 0.32, 6)
        # Squashed, its lowest point is on the ground, and its area is what it was.
        low, area = self.run_preset('physics/bouncing_ball', ['m.low', 'm.area'], dict(given, travel=0, spin=0), f'{hit + 2}-{hit + 2}', {
            'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'p.ball'}}}})[0]
        self.assertAlmostEqual(low[1], 0, 4)
        self.assertAlmostEqual(area, math.pi * 0.32 ** 2, 2)

    def test_pendulum(self):
        rows = self.run_preset('physics/pendulum', ['angle', 'end', 'period'], {
            'rod': 2, 'swing': 30, 'damp': 0, 'hook': [0, 3, 0]}, '1-240')
        period = rows[0][2]
        self.assertAlmostEqual(period, 2 * math.pi * math.sqrt(2 / 9.81) * 1.0174, 3)
        self.assertAlmostEqual(max(abs(row[0]) for row in rows), 30)
        for angle, end, _ in rows:
            self.assertAlmostEqual(distance(end, [0, 3, 0]), 2, 6)
        # Wide swings, too, are those of gravity: here in small steps, and their period by Gauss's mean.
        for swing in 30, 110, 150:
            rows = self.run_preset('physics/pendulum', ['angle', 'period'], {'rod': 2, 'swing': swing, 'damp': 0}, '1-72')
            a, b = 1, math.cos(math.radians(swing / 2))
            while a - b > 1e-12:
                a, b = (a + b) / 2, math.sqrt(a * b)
            self.assertAlmostEqual(rows[0][1], 2 * math.pi * math.sqrt(2 / 9.81) / a, 9)
            x, v, h = math.radians(swing), 0, 1 / 24 / 200
            v -= h / 2 * 9.81 / 2 * math.sin(x)
            for row in rows:
                self.assertAlmostEqual(row[0], math.degrees(x), 2)
                for _ in range(200):
                    x += h * v
                    v -= h * 9.81 / 2 * math.sin(x)
        kept = self.column('physics/pendulum', 'angle', {'own_period': 1, 'damp': 0.5}, '1-25x24')
        self.assertAlmostEqual(kept[1], kept[0] * 0.5, 6)

    def test_follow_through_tail(self):
        jump = {'keys': [{'frame': 1, 'value': 0, 'interpolation': 'constant'}, {'frame': 10, 'value': 40}]}
        still = {'wag': 0, 'drag': 0, 'curl': 0, 'whip': 0, 'delay': 2, 'root_place': [0, 0, 0], 'long': 2, 'root_angle': jump}
        tips = self.column('character/follow_through_tail', 'tip', still, '1-40')
        self.assertAlmostEqual(distance(tips[0], [2, 0, 0]), 0, 5)
        # The last bone is 14 frames late.
        final = [2 * math.cos(math.radians(40)), 2 * math.sin(math.radians(40)), 0]
        self.assertGreater(distance(tips[9 + 13], final), 0.05)
        self.assertAlmostEqual(distance(tips[9 + 14], final), 0, 5)
        # Dragged behind: moved to the right, its tip is left of the root.
        dragged = dict(still, root_angle=90, drag=20, root_place={'expr': '2*t, 0, 0'})
        tip = self.column('character/follow_through_tail', 'tip', dragged, '48-48')[0]
        self.assertLess(tip[0], 2 * 47 / 24 - 0.5)

    def test_walk_cycle(self):
        given = {'place': [0, 0, 0], 'onward': True, 'rhythm': 2, 'stride': 0.7, 'carry': 0.6, 'tall': 2}
        rows = self.run_preset('character/walk_cycle', ['right_foot', 'left_foot', 'hips', 'm.low', 'p/leg_right.residual',
                                                        'p/leg_left.residual'], given, '1-97',
                               {'m': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'p.figure'}}}})
        for frame, (right, left, hips, low, miss_right, miss_left) in enumerate(rows):
            self.assertAlmostEqual(hips[0], 0.7 * 2 * frame / 24, 6)
            self.assertTrue(min(right[1], left[1]) == 0, 'one foot carries')
            self.assertAlmostEqual(low[1], 0, 4, 'the sole is on the ground and not below')
            self.assertLess(max(miss_right, miss_left), 1e-6, 'both feet are within reach')
        # A cycle is 24 frames, of which a foot stands still for 60 %.
        standing = [row[0] for row in rows[24:24 + 14]]
        self.assertLess(max(distance(a, standing[0]) for a in standing), 1e-6)
        self.assertAlmostEqual(rows[48][0][0] - rows[24][0][0], 1.4, 6)
        self.assertAlmostEqual(rows[36][1][0] - rows[24][0][0], 0.7, 6)

    def test_look_at_eyes(self):
        given = {'between': [0, 0, 0], 'restless': 0, 'blink_every': 0, 'ball': 0.5, 'apart': 1.2}
        for goal in ([5, 0, 0], [0, 3, 0], [-2, -2, 0]):
            left, right = self.run_preset('character/look_at_eyes', ['left_gaze', 'right_gaze'], dict(given, look_at=goal), '1-1')[0]
            for iris, eye in ((left, [-0.6, 0, 0]), (right, [0.6, 0, 0])):
                a = math.atan2(iris[1] - eye[1], iris[0] - eye[0])
                self.assertAlmostEqual(a, math.atan2(goal[1] - eye[1], goal[0] - eye[0]), 6)
                self.assertLess(distance(iris, eye) + 0.5 * 0.52 * 0.92, 0.5, 'the iris stays within the eye')
        # Between the eyes: a squint.
        left, right = self.run_preset('character/look_at_eyes', ['left_gaze', 'right_gaze'], dict(given, look_at=[0, 0, 0]), '1-1')[0]
        self.assertGreater(left[0], -0.6)
        self.assertLess(right[0], 0.6)
        shut = self.column('character/look_at_eyes', 'closed', {'lid': 0, 'blink_every': 2}, '1-240')
        self.assertEqual(shut.count(0) > 180, True)
        self.assertGreater(max(shut), 0.95)

    def test_two_bone_arm(self):
        given = {'shoulder_place': [0, 0, 0], 'upper': 1.2, 'lower': 1, 'soft': 0.05}
        for goal in ([1, 1, 0], [-0.8, 0.5, 0], [0.5, -1.5, 0]):
            for side in ('pole', 'away'):
                wrist, elbow, missing = self.run_preset('character/two_bone_arm', ['wrist_place', 'elbow', 'missing'],
                                                        dict(given, aim=goal, elbow_side=side), '1-1')[0]
                self.assertLess(distance(wrist, goal), 1e-6)
                self.assertLess(missing, 1e-6)
                self.assertAlmostEqual(math.hypot(*elbow), 1.2, 6)
                cross = goal[0] * elbow[1] - goal[1] * elbow[0]
                self.assertTrue(cross < 0 if side == 'pole' else cross > 0)
        far = dict(given, aim=[4, 0, 0])
        wrist, missing = self.run_preset('character/two_bone_arm', ['wrist_place', 'missing'], far, '1-1')[0]
        self.assertTrue(2.1 < wrist[0] < 2.2 and missing > 1.8)
        wrist, missing = self.run_preset('character/two_bone_arm', ['wrist_place', 'missing'], dict(far, stretchy=1), '1-1')[0]
        self.assertLess(missing, 1e-5)

    def test_two_bone_leg(self):
        given = {'hip_place': [0, 2, 0], 'floor': 0, 'roll': 0}
        heel, toes, missing = self.run_preset('character/two_bone_leg', ['heel', 'toes', 'missing'],
                                              dict(given, aim=[0.3, -1, 0]), '1-1')[0]
        self.assertLess(distance(heel, [0.3, 0, 0]) + distance(toes, [0.92, 0, 0]) + missing, 1e-5, 'it stays above the ground')
        for roll in (15, 40, -25):
            heel, toes, missing = self.run_preset('character/two_bone_leg', ['heel', 'toes', 'missing'],
                                                  dict(given, aim=[0.3, 0, 0], roll=roll), '1-1')[0]
            self.assertLess(missing, 1e-6)
            fixed, up = (toes, heel) if roll > 0 else (heel, toes)
            self.assertLess(distance(fixed, [0.92 if roll > 0 else 0.3, 0, 0]), 1e-5)
            self.assertAlmostEqual(up[1], 0.62 * math.sin(math.radians(abs(roll))), 5)
        below = self.column('character/two_bone_leg', 'heel', dict(given, aim=[0.3, -0.1, 0], keep=False, soft=0), '1-1')[0]
        self.assertAlmostEqual(below[1], -0.1, 5)

    def test_camera_shake(self):
        rows = self.run_preset('camera/camera_shake', ['position', 'horizon', 'target'], {
            'stand': [0, 1, 5], 'subject': [0, 1, 0], 'sway': 0.1, 'tilt': 2}, '1-96')
        away = [distance(row[0], [0, 1, 5]) for row in rows]
        self.assertTrue(0.03 < max(away) <= 0.1 * math.sqrt(2.36))
        self.assertTrue(all(abs(row[1]) <= 2 for row in rows))
        self.assertTrue(max(abs(a - b) for a, b in zip(away, away[1:])) < 0.05, 'it is smooth')
        for position, _, target in rows:
            self.assertAlmostEqual(distance(position, target), 5, 6)
        none = self.run_preset('camera/camera_shake', ['position', 'horizon', 'target'], {
            'stand': [1, 1, 5], 'subject': [0, 2, 0], 'amount': 0}, '1-48x20')
        for position, roll, target in none:
            self.assertLess(distance(position, [1, 1, 5]) + abs(roll) + distance(target, [0, 2, 0]), 1e-9)
        hit = self.column('camera/camera_shake', 'position', {'stand': [0, 0, 0], 'hit_frame': 24, 'hit_power': 20, 'sway': 0.02}, '1-96')
        size = [math.hypot(*p) for p in hit]
        self.assertGreater(max(size[23:40]), 4 * max(size[:22]))
        self.assertLess(max(size[80:]), 0.05)

    def test_camera_on_path(self):
        path = {'path_curve': {'link': 'way.geometry'}, 'arrive': 49, 'leave': 1, 'subject': [5, 3, 2],
                'ease_shape': 'linear'}
        way = {'way': {'type': 'curve/spline', 'inputs': {'points': '0 0 0\n1 0 0\n4 0 0\n10 0 0', 'basis': 'linear'}}}
        rows = self.run_preset('camera/camera_on_path', ['position', 'target', 'progress', 'path_length'], path, '1-60', way)
        self.assertAlmostEqual(rows[0][3], 10, 5)
        for frame, (position, target, progress, _) in enumerate(rows):
            share = min(frame / 48, 1)
            self.assertAlmostEqual(progress, share, 6)
            self.assertLess(distance(position, [10 * share, 0, 0]), 1e-3, 'an even speed, however the points are spaced')
            self.assertLess(distance(target, [5, 3, 2]), 1e-9)
        soft = self.column('camera/camera_on_path', 'progress', dict(path, ease_shape='sine'), '1-49', way)
        self.assertTrue(soft[1] < 0.002 and soft[47] > 0.998 and abs(soft[24] - 0.5) < 1e-9)
        ahead = self.run_preset('camera/camera_on_path', ['position', 'target'], dict(path, ahead=1), '20-20', way)[0]
        self.assertGreater(ahead[1][0], ahead[0][0] + 1)
        self.assertLess(abs(ahead[1][1]) + abs(ahead[1][2]), 1e-6)
        # A path that is typed: it ends where the last point is.
        typed = self.column('camera/camera_on_path', 'position', {'path_points': '0 1 0\n2 1 1\n4 3 1', 'arrive': 20}, '1-20x19')
        self.assertLess(distance(typed[0], [0, 1, 0]) + distance(typed[1], [4, 3, 1]), 1e-5)

    def test_heart_beat(self):
        beat = self.column('shape/heart_beat', 'beat', {'bpm': 60, 'second': 0.5, 'gap': 0.25}, '1-97')
        for frame in range(24, 72):
            self.assertAlmostEqual(beat[frame], beat[frame + 24], 6)
        peaks = [f for f in range(25, 49) if beat[f] > beat[f - 1] and beat[f] > beat[f + 1]]
        self.assertEqual(len(peaks), 2, 'two strokes in a beat')
        self.assertEqual(peaks[1] - peaks[0], 6)
        self.assertTrue(beat[peaks[0]] > 0.9 and 0.4 < beat[peaks[1]] < 0.6)
        sizes = self.column('shape/heart_beat', 'm.area', {'bpm': 60, 'strength': 0.2}, '1-48', {
            'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'p.heart'}}}})
        self.assertTrue(1.35 < max(sizes) / min(sizes) < 1.75)

    def test_jelly_wobble(self):
        given = {'knock': 10, 'again': 0, 'throw': [0.5, 0, 0], 'idle': 0, 'tempo': 2, 'firm': 1}
        sway = self.column('physics/jelly_wobble', 'sway', given, '1-130')
        self.assertTrue(all(distance(s, [0, 0, 0]) < 1e-9 for s in sway[:10]), 'it is still before the knock')
        self.assertAlmostEqual(sway[9 + 3][0], 0.5 * math.exp(-3 / 24), 6)
        self.assertAlmostEqual(sway[9 + 12][0], 0, 6)
        self.assertLess(abs(sway[-1][0]), 0.01)
        rows = self.run_preset('physics/jelly_wobble', ['m.low', 'm.high', 'm.centroid'], given, '1-40', {
            'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'p.jelly'}}}})
        for low, high, _ in rows:
            self.assertAlmostEqual(low[1], rows[0][0][1], 3, 'its foot stays on the plate')
            self.assertGreater(high[1], low[1] + 0.8)
        self.assertGreater(max(middle[0] for _, _, middle in rows) - rows[0][2][0], 0.1)
        # Carried: an even movement does nothing, a start throws it back.
        carried = dict(given, knock=1000, inertia=0.1, carried={'expr': '(frame > 60)*(frame - 60)*0.1, 0, 0'})
        sway = self.column('physics/jelly_wobble', 'sway', carried, '50-70')
        self.assertLess(abs(sway[0][0]), 1e-9)
        self.assertLess(min(s[0] for s in sway), -0.05)

    def test_spring_follow(self):
        step = {'keys': [{'frame': 1, 'value': [0, 0, 0], 'interpolation': 'constant'}, {'frame': 20, 'value': [1, 0, 0]}]}
        given = {'leader': step, 'beside': [0, 0, 0], 'tempo': 1, 'damp': 0.2}
        x = [p[0] for p in self.column('physics/spring_follow', 'position', given, '1-240')]
        self.assertTrue(all(abs(v) < 1e-6 for v in x[:19]))
        self.assertAlmostEqual(max(x), 1 + math.exp(-math.pi * 0.2 / math.sqrt(1 - 0.04)), 1)
        self.assertAlmostEqual(x[-1], 1, 3)
        swing = 24 / math.sqrt(1 - 0.04)
        self.assertAlmostEqual(x.index(max(x)) - 19, swing / 2, delta=1.5)
        x = [p[0] for p in self.column('physics/spring_follow', 'position', dict(given, damp=1), '1-240')]
        self.assertLess(max(x), 1.002, 'without overshoot')
        # After a leader of constant speed, from rest, it is where the differential equation has it: neither half a frame
        # early nor with a jump at the start, which would be errors of 0.02 and 0.04.
        own, zeta = 2 * math.pi, 0.2
        damped, behind = own * math.sqrt(1 - zeta ** 2), 2 * zeta / own
        x = [p[0] for p in self.column('physics/spring_follow', 'position', dict(given, leader={'expr': 't, 0, 0'}), '1-48')]
        for frame, here in enumerate(x):
            t = frame / 24
            wave = behind * math.cos(damped * t) + (zeta * own * behind - 1) / damped * math.sin(damped * t)
            self.assertAlmostEqual(here, t - behind + math.exp(-zeta * own * t) * wave, delta=0.004)
        # By itself the leader moves, so that it shows what it does.
        y = self.column('physics/spring_follow', 'position', {}, '1-60')
        self.assertGreater(max(p[0] for p in y) - min(p[0] for p in y), 1)

    def test_breathing_idle(self):
        given = {'rate_min': 30, 'inhale': 0.4, 'pause': 0.1, 'sway': 0}
        breath = self.column('character/breathing_idle', 'breath', given, '1-145')
        for frame in range(96):
            self.assertAlmostEqual(breath[frame], breath[frame + 48], 6)
        self.assertEqual(breath[0], 0)
        self.assertEqual(breath.index(max(breath[:48])), 19)  # 40 % of 48 frames
        self.assertEqual(breath[44:48], [0] * 4)
        rows = self.run_preset('character/breathing_idle', ['m.low', 'm.high', 'breath'], dict(given, lift=0.2), '1-48', {
            'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'p.body'}}}})
        for low, _, _ in rows:
            self.assertAlmostEqual(low[1], rows[0][0][1], 4, 'the feet stay')
        self.assertAlmostEqual(rows[19][1][1] - rows[0][1][1], 0.2, 2)

    def test_gear_train(self):
        teeth = (18, 27, 9)
        given = {f'teeth_{i + 1}': n for i, n in enumerate(teeth)}
        given.update({'rpm': 10, 'tooth': 0.1, 'way_2': 20, 'way_3': -35})
        rows = self.run_preset('mechanics/gear_train', ['angle_1', 'angle_2', 'angle_3', 'middle_1', 'middle_2', 'middle_3'],
                               given, '1-49x48')
        turned = [b - a for a, b in zip(rows[0][:3], rows[1][:3])]
        self.assertAlmostEqual(turned[0], 120, 6)
        self.assertAlmostEqual(turned[1], -120 * 18 / 27, 6)
        self.assertAlmostEqual(turned[2], 120 * 18 / 9, 6)
        middles = rows[0][3:]
        self.assertAlmostEqual(distance(middles[0], middles[1]), 0.05 * (18 + 27), 6)
        self.assertAlmostEqual(distance(middles[1], middles[2]), 0.05 * (27 + 9), 6)
        # On the line between two gears a tooth of the one meets a gap of the other.
        for row in rows:
            for k, way in ((0, 20), (1, -35)):
                a = (way - row[k]) * teeth[k] / 360
                b = (way + 180 - row[k + 1]) * teeth[k + 1] / 360
                self.assertAlmostEqual((a + b) % 1, 0.5, 6)

    def test_orbiting_planets(self):
        given = {'year': 1, 'oval': 0.4, 'tilt': 0, 'far_1': 1, 'far_2': 1.5874010519681994, 'start_1': 0, 'start_2': 0,
                 'middle': [0, 0, 0]}
        rows = self.run_preset('mechanics/orbiting_planets', ['planet_1', 'planet_2'], given, '1-49')
        for a, b in ((0, 24), (7, 31)):
            self.assertLess(distance(rows[a][0], rows[b][0]), 1e-6, 'a year is 24 frames')
        self.assertLess(distance(rows[0][1], rows[48][1]), 1e-6, 'four times as much in the cube: twice the year')
        self.assertLess(distance(rows[0][0], [0.6, 0, 0]), 1e-6)
        self.assertLess(distance(rows[12][0], [-1.4, 0, 0]), 1e-6)
        for frame in range(24):  # the sum of the distances to the two foci
            p = rows[frame][0]
            self.assertAlmostEqual(math.hypot(*p) + distance(p, [-0.8, 0, 0]), 2, 6)
            mean = 2 * math.pi * frame / 24
            eccentric = math.atan2(p[1] / math.sqrt(1 - 0.16), p[0] + 0.4)
            self.assertAlmostEqual(math.sin(eccentric - 0.4 * math.sin(eccentric) - mean), 0, 6)

    def test_clock(self):
        given = {'hours': 3, 'minutes': 30, 'seconds': 15, 'spring': 0}
        hour, minute, second = self.run_preset('mechanics/clock', ['hour_angle', 'minute_angle', 'second_angle'], given, '1-1')[0]
        self.assertAlmostEqual(hour, 90 + 15 + 15 / 120, 6)
        self.assertAlmostEqual(minute, 180 + 15 / 10, 6)
        self.assertAlmostEqual(second, 90, 6)
        ticking = self.column('mechanics/clock', 'second_angle', given, '1-49x12')
        for angle, wanted in zip(ticking, (90, 90, 96, 96, 102)):
            self.assertAlmostEqual(angle, wanted, 6)
        sweeping = self.column('mechanics/clock', 'second_angle', dict(given, ticks=False), '1-49x12')
        for angle, wanted in zip(sweeping, (90, 93, 96, 99, 102)):
            self.assertAlmostEqual(angle, wanted, 6)
        fast = self.run_preset('mechanics/clock', ['hour_angle', 'minute_angle'], {
            'hours': 11, 'minutes': 0, 'seconds': 0, 'speed': 3600}, '1-49x24')
        self.assertEqual([round(a, 6) for row in fast for a in row], [330, 0, 0, 0, 30, 0])

    def test_line_nonlinear(self):
        """Catalogue 30-06: P(u) = P0 + (2u - u^2)(P1 - P0)."""
        start, end = [-1, 2, 3], [2, -2, 3]
        given = {'start': start, 'end': end, 'steps': 4}
        for u in (0, 0.125, 0.5, 0.9, 1):
            share = 2 * u - u * u
            position, even, progress, pace, length = self.run_preset(
                'textbook/line_nonlinear', ['position', 'even', 'progress', 'pace', 'long'],
                dict(given, share=u, beside=[0, 0, 0]), '1-1')[0]
            self.assertLess(distance(position, [a + share * (b - a) for a, b in zip(start, end)]), 1e-6)
            self.assertLess(distance(even, [a + u * (b - a) for a, b in zip(start, end)]), 1e-12)
            self.assertAlmostEqual(progress, share, 12)
            self.assertAlmostEqual(pace, 2 * (1 - u) * 5, 9)
            self.assertAlmostEqual(length, 5, 6)
        # Half of the parameter is three quarters of the way; by length it is even, at u = 1 - sqrt (1 - s).
        reached = self.column('textbook/line_nonlinear', 'reached', {'asked': 0.75}, '1-1')[0]
        self.assertAlmostEqual(reached, 0.5, 12)
        by_length = {'e': {'type': 'curve/evaluate', 'inputs': {'geometry': {'link': 'p.curve'}, 'parameter': 0.36}}}
        point, natural, reached = self.run_preset('textbook/line_nonlinear', ['e.point', 'e.natural', 'reached'],
                                                  dict(given, asked=0.36), '1-1', by_length)[0]
        self.assertLess(distance(point, [a + 0.36 * (b - a) for a, b in zip(start, end)]), 1e-5)
        self.assertAlmostEqual(reached, 0.2, 12)
        self.assertAlmostEqual(natural, 0.2, 5)
        # Backwards along x, and no way at all.
        back = self.column('textbook/line_nonlinear', 'position', {'start': [1, 0, 0], 'end': [-3, 0, 0], 'share': 0.5}, '1-1')[0]
        self.assertLess(distance(back, [-2, 0, 0]), 1e-6)
        point = self.column('textbook/line_nonlinear', 'position', {'start': [1, 2, 3], 'end': [1, 2, 3], 'share': 0.3}, '1-1')[0]
        self.assertLess(distance(point, [1, 2, 3]), 1e-12)
        none = self.kineo('eval', 'g.json', 'p.long')
        self.assertEqual((none.status, json.loads(none.out)['values']['p.long']), (0, 0))
        self.assertIn('zero length', none.err)

    def test_table_3_1(self):
        """Catalogue 30-32 to 30-34: the published table, and the look-ups that go with it."""
        lengths = [0, .08, .15, .23, .32, .4, .5, .6, .72, .8, .86, .9, .92, .932, .944, .959, .972, .984, .994, .998, 1]
        rows = self.run_preset('textbook/table_3_1', ['length', 'count'], {'u': {'expr': '(frame - 1)*0.05'}}, '1-21')
        for (length, count), wanted in zip(rows, lengths):
            self.assertAlmostEqual(length, wanted, 12)
            self.assertEqual(count, 21)
        for lookup, length, parameter in (('nearest', 0.959, 0.4), ('linear', 0.953, 0.41875)):
            found = self.run_preset('textbook/table_3_1', ['length', 'parameter'],
                                    {'u': 0.73, 's': 0.75, 'lookup': lookup}, '1-1')[0]
            self.assertAlmostEqual(found[0], length, 12)
            self.assertAlmostEqual(found[1], parameter, 12)
        motion = {'e': {'type': 'motion/evaluate', 'inputs': {'motion': {'link': 'p.motion'}, 'at': 0.73}}}
        self.assertAlmostEqual(self.column('textbook/table_3_1', 'e.value', {}, '1-1', motion)[0], 0.953, 12)
        own = self.run_preset('textbook/table_3_1', ['length', 'count'], {'rows': '0 0\n2 6', 'u': 0.25}, '1-1')[0]
        self.assertAlmostEqual(own[0], 0.75, 12)
        self.assertEqual(own[1], 2)

    def test_emit_away(self):
        """Catalogue 30-121: the direction of the emitter is its own position, at every frame."""
        path = {'place': {'expr': '2*cos(t), 1 + sin(t), 0.5*t'}, 'spread': 0, 'grain': 0.1}
        rows = self.run_preset('effect/emit_away', ['direction', 'particles'], path, '1-49')
        seen = {}
        for frame, (aim, particles) in enumerate(rows):
            t = frame / 24
            self.assertLess(distance(aim, [2 * math.cos(t), 1 + math.sin(t), 0.5 * t]), 1e-12)
            points = particles['points']
            for number, v in zip(points.get('id', []), points.get('v', [])):
                if number not in seen:
                    seen[number] = True
                    self.assertLess(distance(v, [a / math.hypot(*aim) for a in aim]), 1e-5, 'speed 1, away')
        self.assertTrue(60 < len(seen) < 140, '50 a second')
        wide = self.column('effect/emit_away', 'particles', {'place': [2, 0, 0]}, '48-48')[0]['points']['v']
        angles = [math.degrees(math.acos(min(v[0] / math.hypot(*v), 1))) for v in wide]
        self.assertTrue(20 < max(angles) <= 27.001, 'within 0.3 of a right angle')
        # Without a direction it goes upwards, with a warning.
        self.write('none.json', {'kineograph': 1, 'nodes': {
            'p': {'type': 'effect/emit_away', 'inputs': {'place': [0, 0, 0], 'spread': 0}}}})
        none = self.kineo('eval', 'none.json', 'p.particles', '--frames', '24-24')
        self.assertEqual(none.status, 0)
        self.assertIn('the direction is 0 0 0', none.err)
        speeds = json.loads(none.out)['values']['p.particles']['points']['v']
        self.assertTrue(speeds and all(distance(v, [0, 1, 0]) < 1e-6 for v in speeds))


    # 70-57, 70-78, 70-84: uses of noise and wobbling, planets, fluids.

    def test_ball_on_planet(self):
        for planet, g in (('moon', 1.62), ('earth', 9.80665), ('jupiter', 24.79)):
            rows = self.run_preset('physics/ball_on_planet', ['height', 'gravity'], {'planet': planet, 'bounce': 0.5}, '1-200')
            flight, top = 2 * 3 / g, 3 * 3 / (2 * g)
            self.assertAlmostEqual(rows[0][1][1], -g, 5)
            for frame, (height, _) in enumerate(rows):
                t = frame / 24
                if t <= flight:
                    self.assertAlmostEqual(height, 3 * t - 0.5 * g * t * t, 5)
                elif t <= 1.5 * flight:
                    # After the bounce with half the speed, to a quarter of the height.
                    self.assertAlmostEqual(height, 1.5 * (t - flight) - 0.5 * g * (t - flight) ** 2, 5)
                self.assertTrue(-1e-6 <= height <= top + 1e-5)

    def test_sinking_ball(self):
        """70-84, 70-85: 2 g, 1 cm, 1.5 Pa s without buoyancy: 0.069391555 m/s for 9.81 m/s²."""
        given = {'viscosity': 1.5, 'fluid_density': 0, 'density': 0.002 / (4 / 3 * math.pi * 1e-6), 'planet': 'earth'}
        rows = self.run_preset('physics/sinking_ball', ['terminal', 'position'], given, '1-400')
        self.assertAlmostEqual(rows[0][0], 0.069391555188 * 9.80665 / 9.81, 8)
        self.assertAlmostEqual((rows[200][1][1] - rows[224][1][1]), rows[0][0], 8)
        # It sinks to the bottom and stays there; what is lighter than the fluid rises.
        given['bottom'] = 0.5
        heights = [row[0][1] for row in self.run_preset('physics/sinking_ball', ['position'], given, '1-400')]
        self.assertTrue(all(a >= b for a, b in zip(heights, heights[1:])))
        self.assertEqual(heights[-1], 0.5)
        heights = [row[0][1] for row in self.run_preset('physics/sinking_ball', ['position'], {'density': 1100}, '1-24')]
        self.assertTrue(all(a < b for a, b in zip(heights, heights[1:])))

    def test_candle_flicker(self):
        calm = {'breath': 0, 'tremble': 0, 'draught': 0, 'strength': 0.7}
        for brightness in self.column('effect/candle_flicker', 'brightness', calm, '1-48'):
            self.assertAlmostEqual(brightness, 0.7, 12)
        one = self.column('effect/candle_flicker', 'brightness', {'draught': 1, 'loop': 2}, '1-97')
        self.assertTrue(all(x >= 0 for x in one))
        self.assertGreater(max(one) - min(one), 0.3)
        for a, b in zip(one, one[48:]):
            self.assertAlmostEqual(a, b, 9, 'it loops after two seconds')
        self.assertNotEqual(one, self.column('effect/candle_flicker', 'brightness', {'draught': 1, 'loop': 2, 'luck': 2}, '1-97'))

    def test_marble(self):
        """Striped without disturbance: veins at whole spacings from the offset, and half way between them nothing."""
        nodes = {'line': {'type': 'geometry/line', 'inputs': {'start': [-1, 3, 0], 'end': [1, 3, 0], 'points': 9}},
                 'cut': {'type': 'geometry/attribute', 'inputs': {'geometry': {'link': 'line.geometry'}, 'name': 'Cd', 'kind': 'field',
                                                                  'field': {'link': 'p.color'}}}}
        given = {'disturbance': 0, 'spacing': 0.5, 'slant': [3, 0, 0], 'stone': [0.8, 0.5, 0.25, 1], 'depth': 0.75}
        (out,), = self.run_preset('texture/marble', ['cut.set'], given, '1-1', nodes)
        for i, color in enumerate(out['points']['Cd']):
            for c, stone in zip(color, (0.8, 0.5, 0.25)):
                self.assertAlmostEqual(c, stone * (1 if i % 2 else 0.25), 5)

    def thrown(self, name, frames, **inputs):
        """Places and velocities of a particle that begins with 2 m/s along x, under the force of a preset."""
        nodes = {'one': {'type': 'sim/particles',
                         'inputs': {'births': 'once', 'event_count': 1, 'direction': [1, 0, 0], 'speed': 2, 'speed_variance': 0,
                                    'spread': 0, 'lifetime': 100, 'lifetime_variance': 0, 'forces': [{'link': 'p.force'}]}}}
        rows = self.run_preset(name, ['one.geometry'], inputs, frames, nodes)
        return [(row[0]['points']['P'][0], row[0]['points']['v'][0]) for row in rows]

    def test_55_32_spiral(self):
        """Half a turn a second: the speed stays, and the way is a polygon of 48 equal sides."""
        rows = self.thrown('force/spiral', '1-49', axis=[0, 3, 0], turn=180)
        for frame, (_, velocity) in enumerate(rows):
            angle = math.radians(7.5 * frame)
            for x, y in zip(velocity, (2 * math.cos(angle), 0, -2 * math.sin(angle))):
                self.assertAlmostEqual(x, y, 5)
        self.assertAlmostEqual(distance(rows[0][0], rows[48][0]), 0, 5)
        self.assertAlmostEqual(distance(rows[0][0], rows[24][0]), 2 / 24 / math.sin(math.radians(3.75)), 5)
        # What flies along the axis is not turned; without an axis nothing is.
        for axis in ([1, 0, 0], [0, 0, 0]):
            self.assertEqual(self.thrown('force/spiral', '25', axis=axis)[0][1], [2, 0, 0])

    def test_55_32_damp(self):
        """A share per second, at any frame rate, and nothing for slow particles."""
        for frame, (_, velocity) in zip((1, 13, 25, 49), self.thrown('force/damp', '1,13,25,49', left=0.3)):
            self.assertAlmostEqual(velocity[0], 2 * 0.3 ** ((frame - 1) / 24), 5)
        self.assertEqual(self.thrown('force/damp', '25', left=0.3, above=2.5)[0][1], [2, 0, 0])
        self.assertAlmostEqual(self.thrown('force/damp', '97', left=0.3, above=1)[0][1][0], 1, delta=0.06)

    def test_55_19_whirl(self):
        """The vortex of Lamb and Oseen is fastest at 1.1209 cores; its air rises in the core and is drawn in."""
        core, circulation = 0.5, 12
        nodes = {'line': {'type': 'geometry/line', 'inputs': {'start': [1, 7, 2], 'end': [1 + 4 * 1.1209064 * core, 7, 2], 'points': 5}},
                 'air': {'type': 'geometry/attribute', 'inputs': {'geometry': {'link': 'line.geometry'}, 'name': 'u', 'kind': 'field',
                                                                  'field': {'link': 'p.air'}}},
                 'push': {'type': 'geometry/attribute', 'inputs': {'geometry': {'link': 'air.set'}, 'name': 'a', 'kind': 'field',
                                                                   'field': {'link': 'p.force'}}}}
        given = {'center': [1, 0, 2], 'core': core, 'circulation': circulation, 'rise': 1.5, 'draw': 0.8, 'hold': 4}
        (out,), = self.run_preset('force/whirl', ['push.set'], given, '1-1', nodes)
        air, push = out['points']['u'], out['points']['a']
        self.assertEqual([round(x, 6) for x in air[0]], [0, 1.5, 0])
        self.assertAlmostEqual(-air[1][2], 0.6381727 * circulation / (2 * math.pi * core), 5)
        for k in (1, 2, 3, 4):
            r = 1.1209064 * core * k
            share = (1 - math.exp(-(r / core) ** 2)) / r
            self.assertAlmostEqual(-air[k][2], circulation / (2 * math.pi) * share, 5)
            self.assertAlmostEqual(-air[k][0], 0.8 * core * share, 5)
            for a, u in zip(push[k], air[k]):
                self.assertAlmostEqual(a, 4 * u, 4)

    def test_55_32_bouncing_beads(self):
        """Each bounce has the square of the share of the height of the one before."""
        given = {'place': [0, 2, 0], 'wide': 0, 'per_second': 5, 'bounce': 0.6, 'friction': 0, 'with_ball': False, 'floor': 0, 'lasting': 20}
        beads = [row[0]['points'] for row in self.run_preset('effect/bouncing_beads', ['beads'], given, '1-120')]
        first = min(points['id'][0] for points in beads if points['id'])
        heights = [points['P'][points['id'].index(first)][1] for points in beads if first in points['id']]
        tops = [b for a, b, c in zip(heights, heights[1:], heights[2:]) if a < b >= c]
        self.assertGreater(len(tops), 2)
        for k, top in enumerate(tops[:3]):
            self.assertAlmostEqual(top, 2 * 0.36 ** (k + 1), delta=0.03)
        self.assertGreaterEqual(min(heights), -1e-5)
        # The ball is in the way of all that would fall through it.
        given.update(with_ball=True, wide=1, ball_place=[0, 0.8, 0], ball_size=0.6, per_second=200)
        for points in [row[0]['points'] for row in self.run_preset('effect/bouncing_beads', ['beads'], given, '20,40')]:
            for place in points['P']:
                self.assertGreater(distance(place, [0, 0.8, 0]), 0.6 - 1e-4)


if __name__ == '__main__':
    main()
