# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of titles, effects, shapes, transitions and layers: each does what its help says, by numbers and pictures.
That they are complete, and that their examples render, is checked with all others by test_preset_library."""
import json
import math

from support import PresetTest, main, read_png


def link(target):
    return {'link': target}


class Presets(PresetTest):
    def graph(self, nodes, display, frames=100):
        return self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': frames, 'rate': 24},
                                         'nodes': nodes, 'display': display})

    def values(self, nodes, targets, *frames):
        """Of each target a list over the frames; of one target just that."""
        targets = [targets] if isinstance(targets, str) else targets
        path = self.graph(nodes, targets[0])
        found = []
        for frame in frames:
            line = json.loads(self.good('eval', path, *targets, '--frame', str(frame)))
            found.append([line['values'][t] for t in targets])
        columns = [list(column) for column in zip(*found)]
        return columns if len(targets) > 1 else columns[0]

    def measured(self, type_id, output, targets, *frames, **inputs):
        """The results of Measure for a geometry that an instance outputs."""
        nodes = {'it': {'type': type_id, 'inputs': inputs},
                 'm': {'type': 'geometry/measure', 'inputs': {'geometry': link(f'it.{output}')}}}
        return self.values(nodes, targets, *frames)

    def picture(self, nodes, display, frame=1):
        path = self.graph(nodes, display)
        self.good('render', path, '-o', 'p.%04d.png', '--frames', f'{frame}-{frame}', '--progress', 'none')
        return read_png(self.read(f'p.{frame:04d}.png'))

    # Letters.

    def test_typewriter_counts_letters(self):
        letters, shapes = self.measured('title/typewriter_title', 'title', ['it.letters', 'm.primitives'], 9, 10, 13,
                                        14,
                                        30, 46, 90, words='llllllllll', first_frame=10, pace=6, with_cursor=False)
        self.assertEqual(letters, [0, 1, 1, 2, 6, 10, 10])
        self.assertEqual(shapes[1:6], [2, 2, 3, 7, 11], 'a letter each, and the cursor without a size')

    def test_typewriter_letters_stay_where_they_are(self):
        low = self.measured('title/typewriter_title', 'title', 'm.low', 12, 40, 90, words='Where they are',
                            with_cursor=False)
        self.assertEqual([p[0] for p in low], [low[0][0]] * 3)

    def test_typewriter_types_long_lines(self):
        [letters], [high], [shapes] = self.measured('title/typewriter_title', 'title',
                                                    ['it.letters', 'm.high', 'm.primitives'],
                                                    90, words='l' * 50, pace=100, letter_size=0.1, with_cursor=False)
        self.assertEqual((letters, shapes), (50, 51))
        self.assertGreater(high[0], 1)

    def test_lower_third_comes_and_goes(self):
        shown = self.measured('title/lower_third', 'title', 'it.shown', 1, 5, 6, 15, 24, 60, 72, 81, 90, 100)
        self.assertEqual([round(x, 6) for x in shown], [0, 0, 0, 0.5, 1, 1, 1, 0.5, 0, 0])

    def test_lower_third_is_where_and_as_high_as_it_says(self):
        low, size = self.measured('title/lower_third', 'title', ['m.low', 'm.size'], 50, corner=[-2, -1, 0], height=0.5)
        self.assertAlmostEqual(low[0][0], -2, 5)
        self.assertAlmostEqual(low[0][1], -1, 5)
        self.assertAlmostEqual(size[0][1], 0.5, 5)

    def test_lower_third_is_as_wide_as_its_words(self):
        [narrow] = self.measured('title/lower_third', 'title', 'm.size', 50, name='Al', role='x')
        [wide] = self.measured('title/lower_third', 'title', 'm.size', 50, name='Al',
                               role='A very long description of his role')
        self.assertGreater(wide[0], 2 * narrow[0])

    def test_sparkle_brings_letters_one_by_one(self):
        shapes = self.measured('title/sparkle_title', 'title', 'm.primitives', 3, 6, 12, 40, words='llllllllllll',
                               star_rate=0,
                               arrival=12)
        self.assertEqual(shapes, [3, 6, 12, 12])

    def test_stars_are_on_the_letters(self):
        nodes = {'it': {'type': 'title/sparkle_title',
                        'inputs': {'star_size': 0, 'drift': 0, 'arrival': 0, 'star_rate': 200}},
                 'both': {'type': 'geometry/measure', 'inputs': {'geometry': link('it.title')}},
                 'stars': {'type': 'geometry/measure', 'inputs': {'geometry': link('it.stars')}}}
        values = self.values(nodes, ['both.low', 'both.high', 'stars.low', 'stars.high', 'stars.primitives'], 30)
        low, high, star_low, star_high, count = [v[0] for v in values]
        self.assertGreater(count, 200)
        for axis in (0, 1):
            self.assertLessEqual(low[axis], star_low[axis] + 0.06)
            self.assertGreaterEqual(high[axis], star_high[axis] - 0.06)

    # Particles.

    def test_confetti_throws_as_many_as_it_says(self):
        counts = self.measured('effect/confetti', 'paper_pieces', ['it.count', 'm.primitives'], 9, 10, 12, 40,
                               how_many=400,
                               first_frame=10, burst=2)
        self.assertEqual(counts[0], [0, 200, 400, 400])
        self.assertEqual(counts[1], counts[0], 'each piece is one square of paper')

    def test_confetti_rises_and_falls(self):
        middle = [p[1] for p in self.measured('effect/confetti', 'paper_pieces', 'm.centroid', 7, 25, 100)]
        self.assertGreater(middle[1], middle[0])
        self.assertLess(middle[2], middle[1])

    def test_smoke_comes_as_long_as_it_says(self):
        counts = self.measured('effect/smoke_puff', 'cloud', 'it.count', 9, 12, 14, 17, 20, first_frame=10, length=8,
                               how_many=80,
                               lasting=4)
        self.assertEqual(counts, [0, 30, 50, 80, 80])

    def test_smoke_swells_and_rises(self):
        [size, middle] = self.measured('effect/smoke_puff', 'cloud', ['m.size', 'm.centroid'], 8, 20, 40, rise=1)
        self.assertLess(size[0][0], size[1][0])
        self.assertLess(size[1][0], size[2][0])
        self.assertLess(middle[1][1], middle[2][1])

    def test_fireworks_burst_in_time(self):
        bursts, points = self.measured('effect/fireworks', 'stars', ['it.bursts', 'm.points'], 20, 21, 22, 60, 61, 101,
                                       interval=40, flight=20, how_many=100, tail=0)
        self.assertEqual(bursts, [0, 1, 1, 1, 2, 3])
        self.assertGreaterEqual(points[1] - points[0], 150, 'stars and their glow')

    def test_fireworks_burst_where_they_may(self):
        for frame in (18, 48, 78):
            [low], [high] = self.measured('effect/fireworks', 'stars', ['m.low', 'm.high'], frame, width=2, height=3,
                                          power=0.1,
                                          lasting=0.4, place=[0, -2, 0])
            self.assertGreater(low[0], -1.4)
            self.assertLess(high[0], 1.4)
            self.assertLess(high[1], 1.1)

    def test_the_sky_is_full_of_snow_at_once(self):
        counts = self.measured('effect/snow', 'snowfall', 'it.count', 1, 30, 60, flakes=100, sinking=1, depth=4, sway=0)
        for count in counts:
            self.assertAlmostEqual(count, 400, delta=25)

    def test_snow_begins_without_a_head_start(self):
        first, later = self.measured('effect/snow', 'snowfall', 'it.count', 1, 25, flakes=96, head_start=0)
        self.assertEqual((first, later), (0, 96))

    def test_rain_falls_from_the_first_frame_on(self):
        counts = self.measured('effect/rain', 'rainfall', 'it.count', 1, 20, 50, drops=480, falling=8, depth=4)
        for count in counts:
            self.assertAlmostEqual(count, 240, delta=25)

    def test_rain_stays_above_the_ground(self):
        low, high = self.measured('effect/rain', 'rainfall', ['m.low', 'm.high'], 1, 30, place=[0, 0, 0], depth=5,
                                  splash=0.2,
                                  streak=0.3)
        for p in low:
            self.assertGreater(p[1], -0.02)
        for p in high:
            self.assertAlmostEqual(p[1], 5, delta=0.5)

    def test_the_fountain_is_as_high_as_it_says(self):
        for height, gravity in ((2, 9.81), (2, 1.6), (5, 9.81)):
            [high] = self.measured('effect/fountain', 'water', 'm.high', 90, height=height, strength=gravity,
                                   place=[0, 1, 0],
                                   swirl=0, spread=3, level=0.9)
            self.assertAlmostEqual(high[1] - 1, height, delta=0.2 * height)

    # Light.

    def test_the_glow_trail_reaches_back(self):
        # 0.1 m a frame along x.
        low, high = self.measured('effect/glow_trail', 'trail', ['m.low', 'm.high'], 20, 60, length=10, glow=0,
                                  width=0.1,
                                  place={'expr': '0.1*frame, 2, 0'})
        for k, frame in enumerate((20, 60)):
            self.assertAlmostEqual(low[k][0], 0.1 * frame - 1, 4)
            self.assertAlmostEqual(high[k][0], 0.1 * frame + 0.062, 4)
            self.assertAlmostEqual(high[k][1], 2.062, 4)

    # Shapes.

    def test_the_page_turns_over(self):
        blank = {'type': 'geometry/line', 'inputs': {'start': [0, 0, 0], 'end': [0, 0, 0]}}
        found = {}
        for turn in (0, 0.5, 1):
            nodes = {'print': blank,
                     'it': {'type': 'shape/page_turn',
                            'inputs': {'turn': turn, 'width': 2, 'height': 3, 'front': link('print.geometry'),
                                                                  'back': link('print.geometry')}},
                     'm': {'type': 'geometry/measure', 'inputs': {'geometry': link('it.page')}}}
            found[turn] = [v[0] for v in self.values(nodes, ['m.low', 'm.high'], 1)]
        for turn, low, high in ((0, 0, 2), (1, -2, 0)):
            self.assertAlmostEqual(found[turn][0][0], low, delta=0.02)
            self.assertAlmostEqual(found[turn][1][0], high, delta=0.02)
            self.assertLess(found[turn][1][2], 0.03, 'it lies flat')
        self.assertGreater(found[0.5][1][2], 1.5, 'it stands')
        self.assertAlmostEqual(found[0.5][1][1] - found[0.5][0][1], 3, 4)

    def test_ribbon_waves_are_as_high_and_fast_as_they_say(self):
        still = {'amplitude': 0.3, 'held': 0, 'length': 6, 'wavelength': 2, 'width': 0.4, 'place': [-3, 1, 0],
                 'frequency': 2}
        low, high = self.measured('shape/ribbon_wave', 'ribbon', ['m.low', 'm.high'], 1, 4, 40, **still)
        for k in range(3):
            self.assertAlmostEqual(high[k][1], 1 + 0.3 + 0.2, delta=0.004)
            self.assertAlmostEqual(low[k][1], 1 - 0.3 - 0.2, delta=0.004)
            self.assertAlmostEqual(low[k][0], -3, 4)
            self.assertAlmostEqual(high[k][0], 3, 4)
        nodes = {'it': {'type': 'shape/ribbon_wave', 'inputs': still},
                 'end': {'type': 'geometry/delete',
                         'inputs': {'geometry': link('it.line'), 'kind': 'range', 'first': 1, 'last': -1}},
                 'm': {'type': 'geometry/measure', 'inputs': {'geometry': link('end.rest')}}}
        heights = [p[1] for p in self.values(nodes, 'm.low', 1, 7, 13)]
        # Two waves a second: after six frames half a wave has passed, after twelve all is as before.
        self.assertAlmostEqual(heights[0] - 1, -(heights[1] - 1), 4)
        self.assertAlmostEqual(heights[0], heights[2], 4)

    def test_a_held_ribbon_does_not_move_at_its_end(self):
        nodes = {'it': {'type': 'shape/ribbon_wave', 'inputs': {'held': 1, 'place': [0, 0, 0]}},
                 'end': {'type': 'geometry/delete',
                         'inputs': {'geometry': link('it.line'), 'kind': 'range', 'first': 1, 'last': -1}},
                 'm': {'type': 'geometry/measure', 'inputs': {'geometry': link('end.rest')}}}
        for p in self.values(nodes, 'm.low', 1, 8, 15):
            for x in p:
                self.assertAlmostEqual(x, 0, 4)

    def test_the_flag_is_held_and_waves_as_deep_as_it_says(self):
        lows, highs = self.measured('shape/flag', 'flag', ['m.low', 'm.high'], 1, 9, 21, place=[0, 0, 0],
                                    amplitude=0.25, folds=2,
                                    length=3, height=2)
        for low, high in zip(lows, highs):
            self.assertAlmostEqual(low[0], 0, delta=0.02)
            self.assertLess(max(high[2], -low[2]), 0.26)
            self.assertGreater(high[2] - low[2], 0.35)
        still = self.measured('shape/flag', 'flag', ['m.low', 'm.high'], 1, 30, wind=0)
        self.assertEqual(still[0][0], still[0][1])
        self.assertLess(still[1][0][2] - still[0][0][2], 1e-5, 'no wind, no folds')
        self.assertLess(still[0][0][1], lows[0][1], 'it hangs down')

    def test_the_logo_begins_as_one_and_ends_as_the_other(self):
        shapes = {'disc': {'type': 'geometry/circle', 'inputs': {'radius': 0.5, 'center': [-1, 0, 0]}},
                  'box': {'type': 'geometry/grid', 'inputs': {'size': [2, 1, 0], 'columns': 1, 'rows': 1}}}
        for amount, low, high, area in ((0, [-1.5, -0.5], [-0.5, 0.5], math.pi / 4), (1, [-1, -0.5], [1, 0.5], 2)):
            nodes = dict(shapes, it={'type': 'shape/logo_morph',
                                     'inputs': {'first_logo': link('disc.geometry'),
                                                'second_logo': link('box.geometry'), 'amount': amount}},
                         m={'type': 'geometry/measure', 'inputs': {'geometry': link('it.logo')}})
            found = [v[0] for v in self.values(nodes, ['m.low', 'm.high', 'm.area'], 1)]
            for axis in (0, 1):
                self.assertAlmostEqual(found[0][axis], min(low[axis], 0), delta=0.03)
                self.assertAlmostEqual(found[1][axis], max(high[axis], 0), delta=0.03)
            self.assertAlmostEqual(found[2], area, delta=0.03 * area)

    def test_holes_of_a_logo_stay_holes(self):
        nodes = {'o': {'type': 'geometry/text', 'inputs': {'text': 'o', 'size': 4}},
                 'it': {'type': 'shape/logo_morph',
                        'inputs': {'first_logo': link('o.geometry'), 'second_logo': link('o.geometry'), 'amount': 0.5,
                                   'pulse': 0}},
                 'm': {'type': 'geometry/measure', 'inputs': {'geometry': link('o.geometry')}},
                 'p': {'type': 'render/draw',
                       'inputs': {'geometries': [link('it.logo')], 'width': 64, 'height': 36,
                                  'center': {'expr': 'm.centroid.x, m.centroid.y, 0'}}}}
        rows = self.picture(nodes, 'p.image')
        self.assertEqual(rows[18][32][3], 0, 'the middle of an o is empty')
        self.assertTrue(any(pixel[3] == 255 for pixel in rows[18]), 'and around it is ink')

    # Transitions.

    MOVIES = {'a': {'type': 'image/constant', 'inputs': {'width': 64, 'height': 36, 'color': [0.8, 0.2, 0, 1]}},
             'b': {'type': 'image/constant',
                   'inputs': {'width': 64, 'height': 36, 'color': [0, 0.4, 0.6, 1], 'gradient': True,
                              'top': [1, 1, 1, 1]}}}

    def transition(self, type_id, **inputs):
        inputs = dict({'first_picture': link('a.image'), 'second_picture': link('b.image'), 'width': 64, 'height': 36},
                      **inputs)
        return dict(self.MOVIES, it={'type': type_id, 'inputs': inputs})

    def test_half_a_dissolve_is_the_mean(self):
        for amount in (0, 0.25, 0.5, 1):
            nodes = self.transition('transition/cross_dissolve', amount=amount)
            a, b, mixed = [v[0]['mean'] for v in self.values(nodes, ['a.image', 'b.image', 'it.mixed'], 1)]
            for c in range(4):
                self.assertAlmostEqual(mixed[c], (1 - amount) * a[c] + amount * b[c], 5)

    def test_a_dissolve_has_the_size_of_its_images(self):
        inputs = {'first_picture': link('a.image'), 'second_picture': link('b.image'), 'amount': 0.5}
        for more in ({}, {'dip': 1}):
            rows = self.picture(dict(self.MOVIES, it={'type': 'transition/cross_dissolve', 'inputs': dict(inputs, **more)}),
                                'it.mixed')
            self.assertEqual((len(rows), len(rows[0])), (36, 64))

    def test_a_dissolve_may_dip_to_a_colour(self):
        nodes = self.transition('transition/cross_dissolve', amount=0.5, dip=1, dip_color='#000000')
        self.assertEqual([round(x, 6) for x in self.values(nodes, 'it.mixed', 1)[0]['mean']], [0, 0, 0, 1])
        for amount, which in ((0, 'a.image'), (1, 'b.image')):
            nodes = self.transition('transition/cross_dissolve', amount=amount, dip=1)
            here, there = [v[0]['mean'] for v in self.values(nodes, [which, 'it.mixed'], 1)]
            for c in range(4):
                self.assertAlmostEqual(here[c], there[c], 5)

    def test_half_a_wipe_shows_both(self):
        a, b = self.picture(self.MOVIES, 'a.image'), self.picture(self.MOVIES, 'b.image')
        rows = self.picture(self.transition('transition/wipe_left', amount=0.5, line=0), 'it.wiped')
        self.assertEqual([row[:32] for row in rows], [row[:32] for row in a], 'the first on the left')
        self.assertEqual([row[32:] for row in rows], [row[32:] for row in b], 'the second, unmoved, on the right')
        rows = self.picture(self.transition('transition/wipe_left', amount=0.25, line=0, backwards=True), 'it.wiped')
        self.assertEqual([row[:16] for row in rows], [row[:16] for row in b])
        self.assertEqual([row[16:] for row in rows], [row[16:] for row in a])

    def test_a_wipe_begins_and_ends_whole(self):
        for amount, which in ((0, 'a.image'), (1, 'b.image')):
            self.assertEqual(self.picture(self.transition('transition/wipe_left', amount=amount), 'it.wiped'),
                             self.picture(self.MOVIES, which))

    def test_a_wipe_has_a_line(self):
        rows = self.picture(self.transition('transition/wipe_left', amount=0.5, line=0.0625, line_color='#00ff00'),
                            'it.wiped')
        green = [x for x, pixel in enumerate(rows[10]) if pixel == (0, 255, 0, 255)]
        self.assertEqual(green, [30, 31, 32, 33])

    def test_a_wipe_keeps_its_shape_at_another_size(self):
        nodes = self.transition('transition/wipe_left', amount=0.5, line=0)
        path = self.graph(nodes, 'it.wiped')
        self.good('render', path, '-o', 's.%04d.png', '--frames', '1-1', '--size', '128x72', '--progress', 'none')
        rows = read_png(self.read('s.0001.png'))
        self.assertEqual((len(rows), len(rows[0])), (72, 128))
        self.assertEqual(len({*rows[10][:64]}), 1)
        self.assertNotEqual(rows[10][63], rows[10][64])

    def test_the_iris_closes_and_opens(self):
        def look(amount):
            return self.picture(self.transition('transition/iris_wipe', amount=amount, tint='#000000', soft_edge=0,
                                                pause=0.1), 'it.picture_out')

        a, b = self.picture(self.MOVIES, 'a.image'), self.picture(self.MOVIES, 'b.image')
        self.assertEqual(look(0), a)
        self.assertEqual(look(1), b)
        self.assertEqual({pixel for row in look(0.5) for pixel in row}, {(0, 0, 0, 255)})
        for amount, inside in ((0.3, a), (0.7, b)):
            rows = look(amount)
            self.assertEqual(rows[18][32], inside[18][32])
            self.assertEqual(rows[1][1], (0, 0, 0, 255))

    def test_the_iris_closes_where_it_shall(self):
        # A quarter of the way to the right, as many pixels above the middle: 9 pixels are half of the unit.
        rows = self.picture(self.transition('transition/iris_wipe', amount=0.42, center=[0.5, 0.5, 0], tint='#000000',
                                            soft_edge=0), 'it.picture_out')
        lit = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel[:3] != (0, 0, 0)]
        self.assertGreater(len(lit), 0)
        self.assertAlmostEqual(sum(x + 0.5 for x, y in lit) / len(lit), 32 + 9, delta=0.3)
        self.assertAlmostEqual(sum(y + 0.5 for x, y in lit) / len(lit), 18 - 9, delta=0.3)

    # Layers.

    def test_layers_pass_at_their_speeds(self):
        square = {'type': 'geometry/grid', 'inputs': {'size': [1, 1, 0], 'columns': 1, 'rows': 1}}
        nodes = {'g': square, 'p': {'type': 'render/draw',
                                    'inputs': {'geometries': [link('g.geometry')], 'width': 64, 'height': 36,
                                               'view_height': 36}},
                 'nothing': {'type': 'image/constant', 'inputs': {'width': 64, 'height': 36, 'color': [0, 0, 0, 0]}}}
        empty = {layer: link('nothing.image') for layer in ('sky', 'far', 'middle', 'near', 'front')}
        for layer, speed in (('far', 0.25), ('near', 1), ('front', 0)):
            inputs = dict(empty, width=64, height=36, pan=0.25, **{layer: link('p.image'), f'{layer}_speed': speed})
            rows = self.picture(dict(nodes, it={'type': 'picture/parallax_layers', 'inputs': inputs}), 'it.image')
            row = [sum(r[x][3] for r in rows) for x in range(64)]
            middle = sum((x + 0.5) * v for x, v in enumerate(row)) / sum(row)
            self.assertAlmostEqual(middle, 32 - 16 * speed, delta=0.05)

    def test_layers_come_round_again(self):
        nodes = {'it': {'type': 'picture/parallax_layers',
                        'inputs': {'width': 64, 'height': 36, 'pan': 0, 'far_speed': 1, 'middle_speed': 1,
                                   'near_speed': 2, 'front_speed': 3}}}
        at_start = self.picture(nodes, 'it.image')
        nodes['it']['inputs']['pan'] = 1
        self.assertEqual(self.picture(nodes, 'it.image'), at_start)
        nodes['it']['inputs']['pan'] = 0.5
        self.assertNotEqual(self.picture(nodes, 'it.image'), at_start)


if __name__ == '__main__':
    main()
