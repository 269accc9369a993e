# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves, timing and orientation, given what cannot be: a message with the node, the value and the remedy, no number that
is none, and the values that there are."""
from support import KineoTest, main


def link(target):
    return {'link': target}


def spline(**inputs):
    return {'type': 'curve/spline', 'inputs': inputs}


class Techniques(KineoTest):
    def evaluate(self, nodes, *targets, frame=1, status=0):
        self.write('a.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 25, 'rate': 24}, 'nodes': nodes})
        result = self.kineo('eval', 'a.json', *targets, '--frame', str(frame))
        self.assertEqual(result.status, status, result.err)
        self.assertNotRegex(result.out + result.err, r'\b([Nn]a[Nn]|[Ii]nf|Infinity)\b')
        if status == 3:
            return None, result.err
        values = result.lines()[0]['values']
        return [values[target] for target in targets], result.err

    def refused(self, message, nodes, target, frame=1):
        values, err = self.evaluate(nodes, target, frame=frame, status=1)
        self.assertEqual(values, [None])
        self.assertIn(f'kineo: frame {frame}: {target.split(".")[0]}: {message}', err)

    def warned(self, message, nodes, *targets, frame=1):
        values, err = self.evaluate(nodes, *targets, frame=frame)
        self.assertIn(message, err)
        return values


class Curves(Techniques):
    def test_fewer_points_than_the_basis_needs(self):
        for basis, points, message in [('b-spline', '0 0\n1 1\n2 0', 'a B-spline of order 4 needs at least 4 points, not 3'),
                                       ('four-point', '0 0\n1 1', 'the four-point form needs at least 4 points, not 2'),
                                       ('bezier', '0 0\n1 1', 'a Bezier curve of degree 3 needs at least 4 points, not 2'),
                                       ('catmull-rom', '', 'no points: a curve needs at least 2')]:
            with self.subTest(basis):
                self.refused(message, {'s': spline(basis=basis, points=points)}, 's.length')
        for basis in ('catmull-rom', 'hermite', 'kochanek-bartels', 'cubic-spline', 'parabolic', 'linear'):
            with self.subTest(basis):
                self.assertEqual(self.warned('the single point is used as a curve that stays there', {'s': spline(basis=basis, points='1 2')},
                                             's.length'), [0])

    def test_coincident_points(self):
        points = '0 0\n1 1\n1 1\n2 0'
        for basis in ('catmull-rom', 'kochanek-bartels', 'parabolic'):
            with self.subTest(basis):
                even, = self.evaluate({'s': spline(basis=basis, points=points)}, 's.length')[0]
                chord, = self.warned('points 1 and 2 are at the same position',
                                     {'s': spline(basis=basis, points=points, spacing='chord')}, 's.length')
                self.assertGreater(min(even, chord), 2 ** 0.5 + 1)
        self.refused('points 1 and 2 are at the same position, but the spacing is their distance: separate them or choose uniform',
                     {'s': spline(basis='cubic-spline', points=points, spacing='chord')}, 's.length')
        self.assertEqual(self.warned('is a single point: its speed is zero', {'s': spline(points='1 1\n1 1\n1 1')},
                                     's.length'), [0])

    def test_knots(self):
        points = '0 0\n1 1\n2 0\n3 1'
        for values, message in [('0 0 0 0 2 1 1 1', 'knot 5 is 1 after 2: knots must not decrease'),
                                ('0 0 0 0 1 1 1', '7 knots for 4 points of order 4: give 8 (points plus order)'),
                                ('-1e308 -1e308 -1e308 -1e308 1e308 1e308 1e308 1e308',
                                 'the knots range from -1e+308 to 1e+308, which is too large to compute with: use smaller numbers'),
                                ('0 0 0 0 1e200 1e200 1e200 1e200', 'the knots range from 0 to 1e+200, which is too large')]:
            with self.subTest(values):
                self.refused(message, {'s': spline(basis='b-spline', knots='custom', knot_values=values, points=points)},
                             's.length')

    def test_zero_weights(self):
        points = '0 0\n1 1\n2 0\n3 1'
        inputs = {'basis': 'b-spline', 'knots': 'clamped', 'points': points}
        self.warned('the weight of point 1 is 0', {'s': spline(weights='1 0 1 1', **inputs)}, 's.length')
        self.refused('the weight of point 0 is 0, and the curve would go to infinity in segment 0: use positive weights',
                     {'s': spline(weights='0 0 0 0', **inputs)}, 's.length')

    def test_holes_under_a_path(self):
        for method, message in [('plane', 'the plane through start and end meets the border of the surface'),
                                ('faces', 'the path stops at'), ('edges', 'no edges connect point 4 to point 67')]:
            with self.subTest(method):
                nodes = {'g': {'type': 'geometry/grid', 'inputs': {'columns': 8, 'rows': 8}},
                         'torn': {'type': 'geometry/delete', 'inputs': {'geometry': link('g.geometry'), 'first': 24, 'last': 39,
                                                                        'domain': 'primitives', 'kind': 'range'}},
                         'p': {'type': 'geometry/surface_path', 'inputs': {'geometry': link('torn.rest'), 'method': method,
                                                                           'start': [-0.05, -1, 0], 'end': [0.05, 1, 0]}}}
                self.refused(message, nodes, 'p.length')


class Timing(Techniques):
    def test_k1_after_k2(self):
        for shape in ('sine-linear', 'parabolic'):
            self.refused('k1 is 0.8 and k2 is 0.3: the acceleration must end before the deceleration starts; swap them',
                         {'e': {'type': 'motion/ease', 'inputs': {'shape': shape, 'k1': 0.8, 'k2': 0.3}}}, 'e.value')

    def test_infeasible_profiles_tell_the_interval(self):
        for inputs, message in [
                ({'given': 'accelerate-until-speed', 't1': 0.5, 'speed': 1.1},
                 'the speed is 1.1: with t1 = 0.5, distance 1 and duration 1, it must be from 1.333333333 to 2'),
                ({'given': 'decelerate-from-speed', 't2': 0.5, 'speed': 1.1},
                 'the speed is 1.1: with t2 = 0.5, distance 1 and duration 1, it must be from 1.333333333 to 2'),
                ({'given': 'times', 't1': 0.8, 't2': 0.2},
                 't2 is 0.2: with t1 = 0.8 and the duration 1, it must be from 0.8 to 1'),
                ({'given': 'acceleration-speed', 'acceleration': 1, 'speed': 1.5},
                 'the acceleration is 1: with speed 1.5, distance 1 and duration 1, it must be at least 2.25')]:
            with self.subTest(inputs['given']):
                self.refused(message, {'p': {'type': 'motion/profile', 'inputs': inputs}}, 'p.value')

    def test_distance_that_runs_backwards(self):
        value, findings, backs = self.warned(
            'd: the movement backs up between 0.666667 and 1',
            {'d': {'type': 'motion/distance_time', 'inputs': {'from': 'formula', 'formula': '2*t^3 - 5*t^2 + 4*t'}}},
            'd.value', 'd.findings', 'd.backs_up', frame=13)
        self.assertAlmostEqual(value, 1, 12)
        self.assertIn('backs up between 0.666667 and 1', findings)
        self.assertTrue(backs)

    def test_way_that_takes_no_time_is_a_jump(self):
        """The speed of such a row is out of all measure: beside it all else would count as standing still."""
        for rows, at in [('0 0\n1e-300 0.5\n1 1', 0), ('0 0\n0.25 0.25\n0.2500000000001 0.75\n1 1', 0.25)]:
            with self.subTest(rows):
                value, findings, jumps, stalls = self.warned(
                    f'd: the movement jumps by 0.5 at {at}', {'d': {'type': 'motion/distance_time', 'inputs': {'rows': rows}}},
                    'd.value', 'd.findings', 'd.jumps', 'd.stalls', frame=25)
                self.assertEqual((value, jumps, stalls), (1, True, False))
                self.assertIn(f'jumps by 0.5 at {at}\n', findings)
                self.assertNotIn('does not move', findings)
                self.assertNotIn('e+', findings)


class Orientation(Techniques):
    def test_zero_quaternions(self):
        message = 'a rotation of 0, 0, 0, 0: use a non-zero quaternion; 1, 0, 0, 0 is no rotation'
        for source in ([0, 0, 0, 0], {'keys': [[1, [1, 0, 0, 0]], [9, [0, 0, 0, 0]]]}):
            with self.subTest(source):
                _, err = self.evaluate({'r': {'type': 'rotation/interpolate', 'inputs': {'a': source}}}, 'r.rotation', status=3)
                self.assertRegex(err, r'^a\.json:1:\d+: /nodes/r/inputs/a: (key 1: )?' + message)
        self.refused('a: ' + message, {'r': {'type': 'rotation/interpolate', 'inputs': {'a': {'expr': '0, 0, 0, 0'}}}}, 'r.rotation')
        self.refused('the quaternion is zero: use one that is not',
                     {'r': {'type': 'value/rotation', 'inputs': {'from': 'quaternion', 'scalar': 0}}}, 'r.rotation')
        self.refused('row 2 is a zero quaternion: use one that is not',
                     {'r': {'type': 'rotation/series', 'inputs': {'written': 'quaternion', 'rows': '1 0 0 0\n0 0 0 0'}}},
                     'r.rotation')
        for inputs, message in [({'operation': 'inverse', 'a_size': 0}, 'r: inverse of a zero quaternion is undefined'),
                                ({'operation': 'add', 'a': [0, 1, 0, 0], 'b': [0, -1, 0, 0]}, 'r: add gives a zero quaternion'),
                                ({'operation': 'multiply', 'a_size': 0}, 'r: multiply gives a zero quaternion')]:
            with self.subTest(inputs):
                self.assertEqual(self.warned(message, {'r': {'type': 'rotation/math', 'inputs': inputs}}, 'r.rotation'),
                                 [[1, 0, 0, 0]])

    def test_opposite_orientations(self):
        ends = {'a': [1, 0, 0, 0], 'b': [-1, 0, 0, 0], 'shortest': False, 't': 0.5}
        for method, message in [('slerp', 'the whole turn between them goes about an axis of our choice'),
                                ('lerp', 'half way between is zero: a is kept; turn Shortest path on'),
                                ('subdivide', 'the whole turn between them goes about an axis of our choice')]:
            with self.subTest(method):
                self.warned('a and b are opposite quaternions',
                            {'r': {'type': 'rotation/interpolate', 'inputs': dict(ends, method=method)}}, 'r.rotation')
        self.warned('a and b are 180 degrees apart',
                    {'r': {'type': 'rotation/interpolate', 'inputs': {'b': [0, 1, 0, 0], 't': 0.5}}}, 'r.rotation')
        series = {'written': 'quaternion', 'rows': '1 0 0 0\n0.6 0.8 0 0\n-0.6 -0.8 0 0', 'shortest': False}
        self.warned('orientations 2 and 3 are opposite quaternions: the full rotation between them',
                    {'r': {'type': 'rotation/series', 'inputs': series}}, 'r.rotation')
        _, err = self.evaluate({'r': {'type': 'rotation/series', 'inputs': dict(series, shortest=True)}}, 'r.rotation')
        self.assertEqual(err, '')

    def test_axis_that_points_nowhere(self):
        for source in ('axis', 'angles-axis'):
            with self.subTest(source):
                self.warned('the axis is 0 0 0: nothing rotates',
                            {'r': {'type': 'value/rotation', 'inputs': {'from': source, 'axis': [0, 0, 0], 'angle': 90}}},
                            'r.rotation')

    def follow(self, **inputs):
        return {'s': spline(basis='linear', points='0 0\n1 0\n2 0'),
                'f': {'type': 'curve/follow', 'inputs': dict(geometry=link('s.geometry'), **inputs)}}

    def test_straight_path_for_frenet(self):
        values = self.warned('the path has no bend: the frame is made from the up vector',
                             self.follow(orientation='frenet'), 'f.forward', 'f.upward')
        self.assertEqual(values, [[1, 0, 0], [0, 1, 0]])

    def test_center_of_interest_on_the_path(self):
        values = self.warned('the target coincides with the follower: the earlier view direction is kept',
                             self.follow(orientation='interest', interest=[1, 0, 0]), 'f.forward', frame=13)
        self.assertEqual(values, [[1, 0, 0]])

    def test_view_along_up(self):
        forward, upward, sideways = self.warned(
            'the view is parallel to the up vector: x is used as the sideways direction; choose another up vector',
            self.follow(orientation='interest', interest=[0, 5, 0]), 'f.forward', 'f.upward', 'f.sideways')
        self.assertEqual((forward, sideways), ([0, 1, 0], [1, 0, 0]))
        self.assertEqual([abs(x) for x in upward], [0, 0, 1])

    def test_up_that_points_nowhere(self):
        message = 'the up vector is 0 0 0 and has no direction: y is used; give it a direction'
        self.assertEqual(self.warned(message, self.follow(up=[0, 0, 0]), 'f.upward'), [[0, 1, 0]])
        for node, target in [('curve/evaluate', 'n.point'), ('curve/show_frames', 'n.report')]:
            with self.subTest(node):
                self.warned(message, {'s': spline(), 'n': {'type': node, 'inputs': {'geometry': link('s.geometry'),
                                                                                   'up': [0, 0, 0]}}}, target)
        self.warned(message, {'g': {'type': 'geometry/grid'},
                              'n': {'type': 'geometry/surface_path', 'inputs': {'geometry': link('g.geometry'), 'up': [0, 0, 0],
                                                                                'method': 'downhill'}}}, 'n.length')


class Languages(Techniques):
    def test_bad_line_has_line_and_column(self):
        for node, text, message in [('motion/tracks', 'set position ball 0 0 0 at frame 1\nset position ball 0 0\n',
                                     'line 2, column 22: a number is missing'),
                                    ('motion/actors', 'actor a\n on ping\n  foo\n end\nend', 'line 3, column 3: a line of a method')]:
            with self.subTest(node):
                self.refused(message, {'t': {'type': node, 'inputs': {'text': text}}}, 't.motion')
        self.write('a.kgs', 'kineograph 1\nadd value/number a\nset a.valu 3\n')
        result = self.kineo('run', 'a.kgs')
        self.assertEqual((result.status, result.out), (3, ''))
        self.assertIn('a.kgs:3:5: a has no input "valu"', result.err)

    def test_message_loops(self):
        pair = 'actor a\n on ping\n  send b ping{0}\n end\nend\nactor b\n on ping\n  send a ping{0}\n end\nend\nat frame 1 send a ping'
        for after, message in [('', 'endless loop of messages at frame 1: a.ping -> b.ping -> a.ping; delay one of them'),
                               (' after 0.001', 'more than 20000 messages by frame')]:
            with self.subTest(after):
                _, err = self.evaluate({'t': {'type': 'motion/actors', 'inputs': {'text': pair.format(after)}}}, 't.delivered',
                                       frame=12, status=1)
                self.assertIn('kineo: frame 12: t: line 8: ', err)
                self.assertIn(message, err)


if __name__ == '__main__':
    main()
