# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles, flocks and agents, given what cannot be or what nobody means: no crash, no hang, no number that is none, and a
message where something is wrong (55-04 to 55-79)."""
import math

from support import KineoTest, main


def link(target):
    return {'link': target}


def particles(**inputs):
    return {'type': 'sim/particles', 'inputs': inputs}


def flock(**inputs):
    return {'type': 'sim/flock', 'inputs': inputs}


class Groups(KineoTest):
    def evaluate(self, nodes, *targets, frame=24, status=0):
        self.write('a.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 120, 'rate': 24}, 'nodes': nodes})
        result = self.kineo('eval', 'a.json', *targets, '--frame', str(frame))
        self.assertEqual(result.status, status, result.err)
        self.assertNotRegex(result.out + result.err, r'\b([Nn]a[Nn]|[Ii]nf|Infinity)\b')
        values = result.lines()[0]['values']
        return [values[target] for target in targets], result.err

    def points(self, geometry):
        return geometry['points']['P']

    def agents(self, program, **inputs):
        return {'places': {'type': 'geometry/polygon', 'inputs': {'points': '0 0 0\n3 0 0\n0 0 3', 'filled': False}},
                'a': {'type': 'sim/agents', 'inputs': {'agents': link('places.geometry'), 'program': program, **inputs}}}


class Particles(Groups):
    def test_ten_million_births_in_a_frame(self):
        (count,), err = self.evaluate({'p': particles(rate=2.4e8, lifetime=1)}, 'p.count', frame=2)
        self.assertEqual(count, 1000000)
        self.assertIn('p: more than 1000000 particles: no more are emitted; raise the limit or lower the rate', err)

    def test_a_low_limit_is_meant(self):
        (count,), err = self.evaluate({'p': particles(rate=1e5, lifetime=10, limit=100)}, 'p.count')
        self.assertEqual((count, err), (100, ''))

    def test_born_inside_a_collider(self):
        (geometry,), _ = self.evaluate({'b': {'type': 'geometry/box', 'inputs': {'size': [2, 2, 2]}},
                                        'p': particles(rate=100, colliders=link('b.geometry'))}, 'p.geometry')
        self.assertGreater(len(self.points(geometry)), 50)

    def test_colliders_that_vanish_or_change(self):
        for box in ({'type': 'geometry/box', 'inputs': {'size': {'expr': 'frame > 12 ? 0 : 4, 1, 4'}}},
                    {'type': 'geometry/sphere', 'inputs': {'segments': {'expr': '3 + mod(frame, 7)'},
                                                           'rings': {'expr': '3 + mod(frame, 4)'}}}):
            with self.subTest(box=box):
                (geometry,), _ = self.evaluate({'b': box, 'p': particles(
                    rate=100, position=[0, 2, 0], colliders=link('b.geometry'))}, 'p.geometry')
                self.assertGreater(len(self.points(geometry)), 50)

    def test_forces_without_bounds(self):
        nodes = {'f': {'type': 'field/formula', 'inputs': {'formula': '-p/dot(p,p)^3'}},
                 'p': particles(rate=100, forces=[link('f.field')])}
        (geometry,), _ = self.evaluate(nodes, 'p.geometry')
        self.assertGreater(len(self.points(geometry)), 0)
        nodes['f'] = {'type': 'field/attract', 'inputs': {'strength': 1e300}}
        (geometry,), err = self.evaluate(nodes, 'p.geometry', status=1)
        self.assertIsNone(geometry)
        self.assertIn('p: particles flew off to infinity: raise the substeps above 1 or weaken the forces', err)


class Flocks(Groups):
    def test_all_at_one_place(self):
        (geometry,), _ = self.evaluate({'p': flock(count=300, start_size=[0, 0, 0])}, 'p.geometry')
        places = self.points(geometry)
        self.assertEqual(len(places), 300)
        # They have come apart.
        self.assertEqual(len({tuple(place) for place in places}), 300)

    def test_one_and_none(self):
        (geometry, groups), err = self.evaluate({'p': flock(count=1)}, 'p.geometry', 'p.groups')
        self.assertEqual((len(self.points(geometry)), groups, err), (1, 1, ''))
        (groups,), _ = self.evaluate({'p': flock(count=0)}, 'p.groups')
        self.assertEqual(groups, 0)

    def test_obstacles_around_all(self):
        (geometry,), _ = self.evaluate({'b': {'type': 'geometry/sphere', 'inputs': {'radius': 6}}, 'p': flock(
            count=60, avoid='feelers', obstacles=link('b.geometry'), colliders=link('b.geometry'))}, 'p.geometry', frame=96)
        self.assertLess(max(math.hypot(*place) for place in self.points(geometry)), 6)

    def test_obstacles_that_are_empty(self):
        for avoid, told in (('view', True), ('none', False)):
            _, err = self.evaluate({'e': {'type': 'geometry/merge'}, 'p': flock(
                count=20, avoid=avoid, obstacles=link('e.geometry'), colliders=link('e.geometry'))}, 'p.groups')
            self.assertEqual('p: the obstacles are empty: nothing is avoided; link meshes or points' in err, told)
            self.assertIn('p: the colliders are empty: nothing stops the flock; link meshes', err)

    def test_a_wish_that_is_no_number(self):
        (geometry,), err = self.evaluate({'p': flock(migration={'expr': '0/0, 0, 1'})}, 'p.geometry', status=1)
        self.assertIsNone(geometry)
        self.assertIn('p: migration: column 1: the result is not a number', err)


class Agents(Groups):
    URGES = 'urge h start 0 rate 0\nurge g start 0 rate 0\n'

    def urge(self, rules, name):
        (geometry,), err = self.evaluate(self.agents(self.URGES + rules), 'a.geometry')
        self.assertEqual(err, '')
        return geometry['points'][name]

    def test_rules_that_never_fire(self):
        self.assertEqual(self.urge('rule if h > 2 then g = 1', 'g'), [0, 0, 0])

    def test_rules_that_contradict(self):
        """The later one has the last word, and it ends."""
        self.assertEqual(self.urge('rule if h >= 0 then g = 1\nrule if h >= 0 then g = 0.25', 'g'), [0.25] * 3)

    def test_rules_that_loop(self):
        _, err = self.evaluate(self.agents(self.URGES + 'rule if h == g then g = 1 - h\nrule if h != g then h = g'),
                               'a.geometry', status=1)
        self.assertIn('a: the rule of line 3 fires more than 1000 times in a step: let its condition become false', err)

    def test_entering_a_state_sets_what_is_no_number(self):
        (geometry,), err = self.evaluate(self.agents(self.URGES + 'state a to b when 1\nstate b enter g = 1/h'), 'a.geometry', frame=2)
        self.assertEqual(geometry['points']['g'], [0, 0, 0])
        self.assertIn('a: line 4: "1/h" is not a finite number for agent 0, and counts as 0: guard it with if()', err)

    def test_attraction_by_nothing(self):
        nodes = {'e': {'type': 'geometry/merge'}, 'p': particles(rate=100, forces=[link('f.field')])}
        for kind, status, words in (('points', 0, 'f: the geometry has no points: nothing attracts; link one with points'),
                                    ('surface', 1, 'f: there are no faces that attract: link a geometry with polygons'),
                                    ('curve', 1, 'f: there are no curves that attract: link a geometry with lines')):
            nodes['f'] = {'type': 'field/attract', 'inputs': {'from': kind, 'geometry': link('e.geometry')}}
            _, err = self.evaluate(nodes, 'p.count', status=status)
            self.assertIn(words, err)

    def test_a_vortex_without_axis_or_bounds(self):
        nodes = {'f': {'type': 'field/vortex', 'inputs': {'axis': [0, 0, 0], 'height': 1e-30, 'radius': 1e-3}},
                 'p': particles(rate=100, forces=[link('f.field')])}
        (geometry,), err = self.evaluate(nodes, 'p.geometry')
        self.assertGreater(len(self.points(geometry)), 50)
        self.assertIn('f: the axis is 0 0 0: the vortex stands upright; set an axis', err)

    def test_a_plan_without_a_way(self):
        (geometry,), err = self.evaluate(self.agents(
            self.URGES + 'action x needs g > 0.5 makes h = 1 do wait\nbehaviour p value 1 do plan h > 0.5'), 'a.geometry')
        self.assertEqual(len(self.points(geometry)), 3)
        self.assertIn('a: agent 0 has no plan for p: no sequence of actions leads to its goal', err)

    def test_a_memory_that_outgrows_its_limit(self):
        """160,000 things in sight."""
        nodes = self.agents('memory 1e6\nsense sight radius 1000 fov 360\nbehaviour w do wander', things=link('t.geometry'))
        nodes['t'] = {'type': 'geometry/grid', 'inputs': {'columns': 400, 'rows': 400, 'size': [300, 300, 0], 'plane': 'zx'}}
        (geometry,), _ = self.evaluate(nodes, 'a.geometry', frame=6)
        self.assertEqual(len(self.points(geometry)), 3)

    def test_a_goal_beyond_all_numbers(self):
        (geometry,), _ = self.evaluate(self.agents('memory 1e300\nbehaviour w do seek (1e308, 0, 1e308)'), 'a.geometry')
        self.assertEqual(len(self.points(geometry)), 3)


if __name__ == '__main__':
    main()
