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

    def test_description_of_every_frame(self):
        """Catalogue 20-084: a script described frame by frame is what its nodes are at each frame, to the last bit."""
        path = os.path.join(GRAPHS, 'falling_man_script.json')
        targets = ('man.parts', 'man.world', 'man.position')
        lines = self.good('eval', path, *targets, '--frames', '1-39').splitlines()
        self.assertEqual([json.loads(line)['frame'] for line in lines], list(range(1, 40)))
        for frame in (1, 9, 20, 39):
            self.assertEqual(self.good('eval', path, *targets, '--frame', str(frame)), lines[frame - 1] + '\n')
        # All objects of the script, each with its place, in the one object of a frame.
        parts = json.loads(lines[9])['values']['man.parts']['points']
        self.assertEqual(len(parts['name']), len(set(parts['name'])))
        for name in ('body', 'head', 'r_arm', 'l_lower_leg'):
            self.assertIn(name, parts['name'])
        self.assertEqual(len(parts['P']), len(parts['name']))
        self.assertTrue(all(math.isfinite(x) for place in parts['P'] for x in place))
        # Hips at frame 10 of the source.
        for x, expected in zip(json.loads(lines[9])['values']['man.position'], (0, 20.7, -2.7)):
            self.assertAlmostEqual(x, expected, 9)

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

    def test_walk_to_the_door(self):
        """Catalogue 20-110, E15: from where the door is follow the way round the table, the steps and the reach."""
        found, arrives, way, steps = self.values('walk_to_the_door', 'route.found', 'walk.arrives', 'walk.way', 'walk.steps')
        self.assertTrue(found)
        self.assertEqual(steps, 16)
        # Nowhere in the table, and through the corner of the corridor.
        for x, _, z in way['points']['P']:
            self.assertFalse(2.1 < x < 3.1 and 0.05 < z < 0.85, (x, z))
            self.assertTrue(z < 1.05 or x > 4.35, (x, z))
        stand, body = self.values('walk_to_the_door', 'stand.output', 'walk.hips', frame=math.ceil(arrives))
        self.assertLess(math.dist((body[0], body[2]), (stand[0], stand[2])), 1e-6)
        # The legs reach their feet at all times, and the hand has the handle in the end.
        for frame in (1, 30, 77, 140, 200, 264):
            for miss in self.values('walk_to_the_door', 'left_leg.residual', 'right_leg.residual', frame=frame):
                self.assertLess(miss, 0.02)
        handle, hand = self.values('walk_to_the_door', 'handle.output', 'right_arm.end', frame=math.ceil(arrives) + 18)
        self.assertLess(math.dist(handle, hand), 1e-6)
        # Another place of the door, another way.
        line = self.good('eval', os.path.join(GRAPHS, 'walk_to_the_door.json'), 'walk.steps', 'stand.output', '--frame', '1',
                         '--set', 'door.value=[5.95, 0, 4.2]')
        self.assertLess(json.loads(line)['values']['walk.steps'], 16)

    def test_graphicsland(self):
        """Catalogue 20-024, 20-025, E13: mountains of two triangles, branches and leaves of the tree by the geometric series, and
        houses of polygons."""
        tree, leaves, volume, polygons, points, house, mountains, sites = self.values(
            'graphicsland', 'tree_5.geometry', 'leaves_5.copies', 'house.volume', 'house.polygons', 'house.points', 'house.hull',
            'mountains.set', 'sites.geometry')
        self.assertEqual(len(mountains['primitives']), 2 * 4 ** 6)
        # Where the two triangles meet, both have the same points.
        self.assertEqual(len(mountains['points']['P']), 2 * 65 * 66 / 2)
        self.assertEqual(len({tuple(p) for p in mountains['points']['P']}), 65 * 65)
        self.assertEqual({(p[0] * 8, p[2] * 8) for p in mountains['points']['P']},
                         {(i - 32, k - 80) for i in range(65) for k in range(65)})
        self.assertEqual(min(p[1] for p in mountains['points']['P']), 0)
        self.assertEqual(len(sites['points']['P']), 3)
        edges = {tuple(sorted(side)) for face in house['primitives']
                 for side in zip(face['points'], face['points'][1:] + face['points'][:1])}
        self.assertEqual((points, len(edges), polygons, points - len(edges) + polygons), (10, 15, 7, 2))
        self.assertEqual(len(tree['primitives']), sum(3 ** level for level in range(6)))
        self.assertEqual(len(leaves['points']['P']), 3 ** 5 * 40)
        self.assertAlmostEqual(volume, 1 * 0.8 * 1.2 + 0.5 * 0.5 * 1.2, 6)
        # Each branch has three smaller ones at its tip, as far from their trunk as each other.
        places = tree['points']['P']
        ends = {}
        for branch in tree['primitives']:
            a, b = (places[i] for i in branch['points'])
            ends.setdefault(tuple(round(x, 3) for x in a), []).append((math.dist(a, b), b))
        self.assertEqual(sorted(len(ends[key]) for key in ends), [1] + 121 * [3])
        trunk = ends[(0, 0, 1)]
        for length, b in trunk:
            self.assertAlmostEqual(length, 0.72, 5)
            self.assertAlmostEqual(math.degrees(math.acos((b[2] - 1) / length)), 28, 2)
        self.assertAlmostEqual(math.dist(trunk[0][1], trunk[1][1]), math.dist(trunk[1][1], trunk[2][1]), 5)

    def test_fractal_terrain(self):
        """Catalogue 20-020: four triangles of one at each level, the points of all levels before at their places, and the outline
        between its corners as long as it is above the sea."""
        stages = self.values('fractal_terrain', *(f'stage_{k}.terrain' for k in range(4)), 'island.terrain')
        self.assertEqual([len(s['primitives']) for s in stages], [6 * 4 ** k for k in (0, 1, 2, 3, 8)])
        self.assertEqual([len(s['points']['P']) for s in stages[1:]], [6 * (2**k + 1) * (2**k + 2) / 2 for k in (1, 2, 3, 8)])
        for coarse, fine in zip(stages[1:], stages[2:]):
            self.assertEqual(coarse['points']['P'], fine['points']['P'][:len(coarse['points']['P'])])
        # Six triangles around a point: where they meet, they have the same points.
        self.assertEqual(len({tuple(p) for p in stages[3]['points']['P']}), 1 + 3 * 8 * 9)
        for x, y, z in stages[3]['points']['P']:
            turn = math.atan2(z, x) - math.radians(10)
            outer = 4.2 * math.cos(math.pi / 6) / math.cos(turn % (math.pi / 3) - math.pi / 6)
            if abs(math.hypot(x, z) - outer) < 0.01:
                self.assertAlmostEqual(y, -0.15, 6)
        self.assertEqual(round(min(p[1] for p in stages[4]['points']['P']), 6), -0.15)
        self.assertGreater(max(p[1] for p in stages[4]['points']['P']), 1.5)

    def test_chart_of_motion_control(self):
        """Catalogue 20-060: each leaf of the chart does what it says: keys are met, the script's hops end on the floor, messages pass
        from lamp to lamp, the traced leg comes again, the arm reaches its goal, and the man's limbs keep their lengths."""
        def near(found, expected):
            for a, b in zip(found, expected):
                self.assertAlmostEqual(a, b, 5)

        for k, frame in enumerate((1, 32, 64)):
            card, key = self.values('chart_motion', 'carded.transformed', f'key_{k}.transformed', frame=frame)
            for a, b in zip(card['points']['P'], key['points']['P']):
                near(a, b)
        for frame, place in ((8, (-1.3, -0.6)), (32, (None, -0.6)), (56, (None, -0.6)), (80, (1.3, -0.6)), (20, (None, 0.5))):
            hexagon, = self.values('chart_motion', 'rolled.transformed', frame=frame)
            points = hexagon['points']['P']
            for axis in (0, 1):
                if place[axis] is not None:
                    self.assertAlmostEqual(sum(p[axis] for p in points) / len(points), place[axis], 4)
        # A lamp is at the top six frames after the message, and passes it on every four.
        for lamp in range(3):
            lamps, = self.values('chart_motion', 'lamps.geometry', frame=10 + 4 * lamp)
            heights = [p[1] for p in lamps['points']['P']]
            self.assertEqual(heights.index(max(heights)), lamp)
            self.assertAlmostEqual(heights[lamp] - min(heights), 0.6, 5)
        lengths = []
        for frame in (1, 13, 40):
            leg, missed, man = self.values('chart_motion', 'again.shifted', 'reach.residual', 'man.figure', frame=frame)
            later, = self.values('chart_motion', 'again.shifted', frame=frame + 48)
            for a, b in zip(leg['points']['P'], later['points']['P']):
                near(a, b)
            self.assertLess(missed, 1e-3)
            places = man['points']['P']
            lengths.append([math.dist(places[i], places[i + 1]) for i in (0, 2, 4)])
        for found in lengths:
            near(found, (0.8, 0.9, 0.7))

    def test_falling_man_two_ways(self):
        """Catalogue 20-120: the same man by script, by dynamics and by both: they stand on the board and end on the mattress, the
        simulated rods keep their lengths, and the simulation begins where the script has brought him (20-129)."""
        figures = ('scaled.transformed', 'right_moved.transformed', 'both.value')
        heights, lengths = [], []
        for frame in (1, 8, 9, 20, 72):
            places = [f['points']['P'] for f in self.values('falling_man_both', *figures, frame=frame)]
            heights.append([(min(p[1] for p in f), max(p[1] for p in f)) for f in places])
            lengths.append([math.dist(places[1][i], places[1][i + 1]) for i in (0, 2, 4)])
        for low, high in heights[0]:
            self.assertAlmostEqual(low, 8, delta=0.06)
            self.assertAlmostEqual(high, 9.8, delta=0.25)
        for low, high in heights[-1]:
            self.assertLess(high, 3)
        for length in lengths:
            for a, b in zip(length, lengths[0]):
                self.assertAlmostEqual(a, b, delta=1e-5)
        # By dynamics he still stands when the script has him half-way down.
        self.assertGreater(heights[3][1][0], heights[3][0][1] + 3)
        self.assertAlmostEqual(heights[1][2][0], heights[2][2][0], delta=0.06)

    def test_falling_man_side_by_side(self):
        """Catalogue 20-130: frames on one sheet, to be compared: every third one, each once, in two rows."""
        with open(os.path.join(GRAPHS, 'falling_man_both.json'), encoding='utf-8') as f:
            graph = json.load(f)
        graph['nodes']['sheet'] = {'type': 'image/contact_sheet', 'inputs': {
            'image': {'link': 'picture.image'}, 'step': 3, 'count': 8, 'per_line': 4, 'gap': 0}}
        graph['nodes']['picture']['inputs'].update(width=64, height=36)
        self.write('sheet.json', json.dumps(graph))
        sheet = json.loads(self.good('eval', 'sheet.json', 'sheet.sheet'))['values']['sheet.sheet']
        self.assertEqual((sheet['width'], sheet['height']), (4 * 64, 2 * 36))
        lines = self.good('eval', 'sheet.json', 'picture.image', '--frames', '1-22x3').splitlines()
        means = [json.loads(line)['values']['picture.image']['mean'] for line in lines]
        self.assertEqual(len(means), 8)
        for c in range(3):
            self.assertAlmostEqual(sheet['mean'][c], sum(mean[c] for mean in means) / 8, delta=1e-5)

    def test_charts(self):
        """Catalogue 20-001, 20-060: every leaf of the charts of modelling, of rendering and of motion control has its node; what
        20-191 lists is credited where it is used."""
        nodes = {node['id']: node for node in json.loads(self.good('nodes', '--json'))}
        leaves = {
            'modelling': ('geometry/import', 'curve/spline', 'soft/primitive', 'soft/implicit', 'soft/combine', 'nature/grow_tree',
                          'sim/particles'),
            'rendering': ('render/camera', 'render/light', 'render/scene', 'render/draw', 'render/file', 'edit/timeline'),
            'simulation': ('sim/articulated', 'sim/linked_rods', 'sim/planar_links', 'sim/rigid_bodies', 'sim/flock',
                           'sim/particles', 'sim/soft_body'),
            'illusion': ('curve/spline', 'motion/ease', 'motion/law', 'motion/tracks', 'motion/actors', 'motion/rotoscope',
                         'motion/calibrate', 'rig/ik', 'rig/pose', 'rig/go_to', 'morph/curves'),
        }
        for chart, names in leaves.items():
            for name in names:
                self.assertIn(name, nodes, chart)
                self.assertTrue(nodes[name]['help'], name)
        for name, cited in (('motion/tracks', 'Wyvill'), ('soft/keys', 'Wyvill'), ('soft/primitive', 'Blinn'),
                            ('soft/polygonize', 'Lorensen'), ('soft/combine', 'Ricci'), ('morph/soft_keys', 'Wyvill'),
                            ('curve/spline', 'Kochanek'), ('soft/contact', 'Gascuel'), ('sim/planar_links', 'Wyvill')):
            self.assertIn(cited, self.good('nodes', name), name)

    def test_presets_of_the_chart(self):
        """Catalogue 20-060: presets that the chart calls simulations are made of one, and those of the illusion are not."""
        folder = os.path.join(GRAPHS, '..', 'data', 'presets')
        found = {'simulation': 0, 'illusion': 0}
        for name in sorted(os.listdir(folder)):
            if not name.endswith('.json'):
                continue
            with open(os.path.join(folder, name), encoding='utf-8') as f:
                preset = json.load(f)
            simulates = any(node['type'].startswith('sim/') for node in preset['graph']['nodes'].values())
            for word in found.keys() & set(preset['tags'].split()):
                found[word] += 1
                self.assertEqual(simulates, word == 'simulation', name)
        self.assertGreater(min(found.values()), 0)

    def test_train_round_the_bend(self):
        """Catalogue 20-165, 20-171: the train stays in one piece while it bends, and its keys stand upright along the track."""
        straight, = self.values('train_round_the_bend', 'all.geometry')
        for frame in (1, 70, 110, 144):
            bent, pieces = self.values('train_round_the_bend', 'bent.geometry', 'skin.pieces', frame=frame)
            self.assertEqual(pieces, 1)
            for i, (a, b) in enumerate(zip(straight['points']['P'], bent['points']['P'])):
                self.assertAlmostEqual(a[1], b[1], delta=1e-4)
                for k in range(i):
                    c = straight['points']['P'][k]
                    if abs(a[0] - c[0]) < 1e-4:
                        self.assertAlmostEqual(math.dist(a, c), math.dist(b, bent['points']['P'][k]), delta=1e-5)
        # From one end of the bend to the other it has turned round.
        places = bent['points']['P']
        self.assertGreater(max(p[0] for p in places) - min(p[0] for p in places), 1.5)
        self.assertGreater(max(p[2] for p in places) - min(p[2] for p in places), 3)

    def test_word_through_a_loop(self):
        """Catalogue 20-171: groups rotate with the path, and the points of a group keep their distances everywhere."""
        word, = self.values('word_through_a_loop', 'word.keys')
        rest = word['points']['P']
        for frame in (30, 60, 85, 120, 144):
            moved, groups = self.values('word_through_a_loop', 'climb.geometry', 'climb.groups', frame=frame)
            places = moved['points']['P']
            self.assertEqual(groups, 20)
            for i, a in enumerate(rest):
                for k in range(i):
                    if abs(a[2] - rest[k][2]) < 1e-4:
                        self.assertAlmostEqual(math.dist(places[i], places[k]), math.dist(a, rest[k]), delta=1e-5)
        # At the top of the loop the stem of the T stands on its head.
        top, = self.values('word_through_a_loop', 'climb.geometry', frame=74)
        stem = [i for i, a in enumerate(rest) if abs(a[2] - 2) < 1e-4]
        foot, head = min(stem, key=lambda i: rest[i][1]), max(stem, key=lambda i: rest[i][1])
        self.assertGreater(rest[head][1] - rest[foot][1], 0.7)
        self.assertGreater(top['points']['P'][foot][1] - top['points']['P'][head][1], 0.5)

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
        """Catalogue 30-110: at the frames of the table, all three match the table."""
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

    def test_55_06_births_by_the_size_on_the_screen(self):
        """The comet has as many particles as its ball covers pixels in the seconds before: 5 each for a pixel and second."""
        for frame in (60, 110):
            expected = 0
            for k in range(frame - 48, frame):
                t = k / 24
                x, y, z = 8 - 2.35 * t, 2.6 - 0.45 * t, 12 - (-70 + 13 * t)
                rho = 0.55
                area = (math.pi * (180 / math.tan(math.radians(25))) ** 2 * rho ** 2 * math.sqrt(x * x + y * y + z * z - rho ** 2)
                        / (z * z - rho ** 2) ** 1.5)
                expected += 5 * area / 24
            count, = self.values('screen_births', 'tail.count', frame=frame)
            self.assertAlmostEqual(count / expected, 1, delta=0.1)

    def test_55_45_a_wave_through_a_flock(self):
        """Bird k of the chain turns 0.1 s after the one beside it; the chorus reacts to the third, three times as fast."""
        for row, at_once in (('chain', 1), ('chorus', 3)):
            for frame in (20, 35, 50):
                flock, = self.values('flock_wave', f'{row}.geometry', frame=frame)
                turned = sum(v[2] < 2.5 for v in flock['points']['v'])
                expected = 1 + at_once * math.floor(((frame - 1) / 24 - 0.5) / 0.1)
                self.assertAlmostEqual(turned, min(30, expected), delta=1.5 * at_once)

    def test_50_76_tusi_couple(self):
        """Point k of the rim is on a diameter of the ring, at 15k degrees, cos(wt - 15k) from the middle; w is 90 degrees a second."""
        for frame in (2, 25, 60, 96):
            rim, = self.values('tusi_couple', 'rim.rest', frame=frame)
            self.assertEqual(len(rim['points']['P']), 12)
            for k, p in enumerate(rim['points']['P']):
                way = math.cos(math.radians(90 * (frame - 1) / 24 - 15 * k))
                expected = [way * math.cos(math.radians(15 * k)), way * math.sin(math.radians(15 * k)), 0]
                self.assertLess(math.dist(p, expected), 2e-3)

    def test_55_67_glances(self):
        """What birds see that look twice a second is ¼ s old on average, and ½ s at most: so far they are more behind their places."""
        behind = []
        for flock in ('prompt', 'glancing'):
            errors = []
            for frame in range(30, 97, 3):
                points = self.values('flock_glances', f'{flock}.geometry', frame=frame)[0]['points']
                by_slot = {slot: k for k, slot in enumerate(points['slot'])}
                speed = math.hypot(*points['v'][by_slot[0]])
                ahead = [c / speed for c in points['v'][by_slot[0]]]
                left = (ahead[2], 0, -ahead[0])
                for slot in range(1, 7):
                    front = points['P'][by_slot[max(slot - 2, 0)]]
                    side = 1 if slot % 2 == 0 else -1
                    place = [front[c] - 1.1 * math.sqrt(0.5) * (ahead[c] - side * left[c]) for c in range(3)]
                    errors.append(math.dist(points['P'][by_slot[slot]], place))
            behind.append(sum(errors) / len(errors))
        self.assertLess(behind[0], 0.8)
        self.assertTrue(0.25 * 2.6 < behind[1] - behind[0] < 0.5 * 2.6, behind)

    def test_55_50_three_layers(self):
        """As many arrows of each layer as there are birds that wish, answer and fly, and each from its bird to its wish."""
        wishes, flights, answers = self.values('three_layers', 'wish.count', 'flight.count', 'answer.count', frame=40)
        self.assertEqual((wishes, flights), (14, 14))
        self.assertTrue(0 < answers <= 14)
        flock, arrows = self.values('three_layers', 'flock.geometry', 'wish.arrows', frame=40)
        for i, (place, wish) in enumerate(zip(flock['points']['P'], flock['points']['intent'])):
            tip = arrows['points']['P'][25 * i + 24]
            for c in range(3):
                self.assertAlmostEqual(tip[c], place[c] + 0.32 * wish[c], 4)

    def test_55_48_55_55_an_urgent_turn(self):
        """Pushed away from the centre, the mean of urges leads through the rim of the ball, and priority past it."""
        nearest = []
        for flock in ('flock0', 'flock1'):
            nearest.append(min(math.hypot(x, z - 0.5) for frame in range(24, 72, 4)
                               for x, _, z in self.values('urgent_turn', flock + '.geometry', frame=frame)[0]['points']['P']))
        self.assertLess(nearest[0], 1.95)
        self.assertGreater(nearest[1], nearest[0] + 0.05)

    def test_55_36_55_44_spacing_and_attention(self):
        """One law spaces a loose crowd evenly; by apparent size the small gather about the large."""
        spread, far = [], []
        for frame in (1, 144):
            even, drawn = (flock['points'] for flock in
                           self.values('spacing_and_attention', 'flock0.geometry', 'flock1.geometry', frame=frame))
            gaps = [min(math.dist(p, q) for q in even['P'] if q is not p) for p in even['P']]
            mean = sum(gaps) / len(gaps)
            spread.append(math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) / mean)
            large = [p for p, width in zip(drawn['P'], drawn['width']) if width > 1]
            far.append(sorted(min(math.dist(p, q) for q in large) for p in drawn['P'])[3 * len(drawn['P']) // 4])
        self.assertLess(spread[1], 0.6 * spread[0])
        self.assertLess(far[1], 0.8 * far[0])

    def test_55_72_levels(self):
        """Order, plan, imperative and plan again, in the words of the log; the crate ends at the shelf."""
        for frame, words in ((20, 'strategy work plan *fetch > deliver motor goto nearest crate and take nearest crate'),
                             (45, 'strategy order plan fetch > *deliver motor wait'),
                             (80, 'strategy work plan fetch > *deliver motor goto nearest shelf and drop'),
                             (130, 'strategy charge plan fetch > *deliver motor goto nearest charger'),
                             (170, 'strategy work plan fetch > *deliver motor goto nearest shelf and drop'),
                             (210, 'strategy idle motor wander')):
            log, = self.values('levels_of_behaviour', 'robot.log', frame=frame)
            self.assertIn(words, log)
        things, = self.values('levels_of_behaviour', 'robot.things_now', frame=210)
        x, _, z = things['points']['P'][0]
        self.assertLess(math.hypot(x - 3.4, z + 1.6), 0.9)

    def test_55_66_kite_and_leaf(self):
        """The string only pulls: it is taut, and hardly longer than it is; leaves sink at the speed that the air leaves them,
        and turn from side to side three times a second."""
        for frame in (30, 70, 110, 150):
            hand, kite = self.values('kite_and_leaf', 'hand.output', 'at.centroid', frame=frame)
            self.assertTrue(5 < math.dist(hand, kite) < 5.8)
            self.assertGreater(kite[1], 3)
        now, = self.values('kite_and_leaf', 'leaves.geometry', frame=80)
        falling = [v[1] for v, age, p in zip(now['points']['v'], now['points']['age'], now['points']['P']) if age > 1 and p[1] > 0.1]
        self.assertGreater(len(falling), 20)
        # 9.81 = 4.5 v + 3 v^2 for one that falls straight down.
        self.assertAlmostEqual(-sum(falling) / len(falling), (-4.5 + math.sqrt(4.5 ** 2 + 12 * 9.81)) / 6, delta=0.25)

    def test_55_66_tanks_and_plane(self):
        """Hulls turn by no more than their pace, guns point at the plane all the same, and the plane keeps its speed to a
        sixth, uphill and in turns."""
        before, = self.values('tanks_and_plane', 'tanks.geometry', frame=99)
        tanks, plane, speed, guns = self.values('tanks_and_plane', 'tanks.geometry', 'flight.position', 'flight.air_speed',
                                                'gun.arrows', frame=100)
        self.assertAlmostEqual(speed / 10.5, 1, delta=1 / 6)
        for was, v, p, gaze in zip(before['points']['v'], tanks['points']['v'], tanks['points']['P'], tanks['points']['gaze']):
            if math.hypot(*was) > 0.1 and math.hypot(*v) > 0.1:
                turn = math.degrees(math.atan2(was[2] * v[0] - was[0] * v[2], was[0] * v[0] + was[2] * v[2]))
                self.assertLessEqual(abs(turn), 32 / 24 + 0.01)
            to = [b - a for a, b in zip(p, plane)]
            self.assertGreater(sum(a * b for a, b in zip(to, gaze)) / math.hypot(*to) / math.hypot(*gaze), 0.99)
        self.assertEqual(len(guns['points']['P']), 3 * 25)

    def test_55_19_a_tornado(self):
        """Dust rises around the axis; stones stay on the ground."""
        def away(place, foot):
            axis = [x / math.hypot(0.12, 1) for x in (0.12, 1, 0)]
            r = [a - b for a, b in zip(place, foot)]
            along = sum(a * b for a, b in zip(r, axis))
            return math.dist(r, [along * x for x in axis])
        foot, dust, stones = self.values('tornado', 'foot.output', 'dust.geometry', 'stones.geometry', frame=90)
        risen = sorted(away(place, foot) for place in dust['points']['P'] if 1.5 < place[1] < 4)
        self.assertGreater(len(risen), 1000)
        self.assertLess(risen[len(risen) * 8 // 10], 0.6)
        highest = [max(place[1] for place in self.values('tornado', 'stones.geometry', frame=frame)[0]['points']['P'])
                   for frame in (40, 60, 80, 100)]
        self.assertLess(max(highest), 1)
        self.assertEqual(len(stones['points']['P']), 90)

    def test_55_20_what_attracts(self):
        """Beads are next to what attracts them; those around the rod never stop."""
        line, plane, curve, surface, rod = self.values(
            'attracting_elements', *(f'{name}.geometry' for name in ('line', 'plane', 'curve', 'surface', 'rod')), frame=110)
        for x, y, _ in line['points']['P']:
            self.assertLess(abs(3 * (x + 4.2) - y) / math.sqrt(10), 0.2)
        for _, y, _ in plane['points']['P']:
            self.assertLess(abs(y + 0.9), 0.1)
        for x, y, z in curve['points']['P']:
            self.assertLess(abs(math.hypot(x - 2.1, y / 1.4) - 0.62) + abs(z), 0.25)
        for _, _, z in surface['points']['P']:
            self.assertLess(abs(z), 0.2)
        speeds = [math.hypot(*v) for v in rod['points']['v']]
        self.assertGreater(sum(speeds) / len(speeds), 0.5)

    def test_55_21_jellies(self):
        """The soft one is pressed flatter when it lands; both become what they were."""
        pressed = []
        for frame in range(8, 24, 2):
            pressed.append([math.dist(jelly['points']['P'][0], jelly['points']['P'][-1]) / 1.75
                            for jelly in self.values('pairs_jelly', 'soft.geometry', 'stiff.geometry', frame=frame)])
        soft, stiff = (min(column) for column in zip(*pressed))
        self.assertLess(soft, 0.97)
        self.assertLess(soft, stiff - 0.005)
        for jelly in self.values('pairs_jelly', 'soft.geometry', 'stiff.geometry', frame=96):
            for c, size in enumerate((1.4, 1.05)):
                at = [place[c] for place in jelly['points']['P']]
                self.assertAlmostEqual(max(at) - min(at), size, delta=0.1)
            self.assertGreaterEqual(min(place[1] for place in jelly['points']['P']), 0)

    def test_55_27_fuzzy_objects(self):
        """The examples of fuzzy objects are made of many particles; others live a second later."""
        for graph, *systems in (('fire_wall', 'front', 'flames'), ('particle_fireworks', 'rockets', 'sparks', 'stars'),
                                ('snow_that_lies', 'flakes'), ('rain_with_splashes', 'drops', 'splashes'), ('fountain', 'spray')):
            now, later = (self.values(graph, *[f'{name}.geometry' for name in systems], frame=frame) for frame in (40, 64))
            self.assertGreater(sum(len(each['points']['P']) for each in later), 100, graph)
            self.assertNotEqual([each['points']['id'] for each in now], [each['points']['id'] for each in later])

    def test_55_31_a_run_goes_on_from_a_folder(self):
        """A run of which the first half was kept in a folder is the run in one go, to the last bit."""
        path = os.path.join(os.environ['KG_GRAPHS'], 'particle_fireworks.json')
        whole = self.good('eval', path, 'stars.geometry', '--frame', '70')
        self.good('eval', path, 'stars.geometry', '--frame', '40', '--cache-folder', 'states')
        self.assertTrue(any(name.endswith('.kgstate') for name in os.listdir(self.path('states'))))
        self.assertEqual(self.good('eval', path, 'stars.geometry', '--frame', '70', '--cache-folder', 'states'), whole)


if __name__ == '__main__':
    main()
