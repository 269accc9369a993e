# SPDX-License-Identifier: GPL-3.0-or-later
"""kineo render: pictures, movies, progress, resuming, failing frames, interruption."""
import copy
import json
import os
import pty
import random
import re
import signal
import struct
import subprocess
import zlib

from support import KINEO, KineoTest, main, read_rows

# Red is frame / 100 of linear light.
PICTURE = {
    'kineograph': 1,
    'frames': {'start': 1, 'end': 6, 'rate': 25},
    'nodes': {
        'back': {'type': 'image/constant',
                 'inputs': {'width': 16, 'height': 8, 'color': {'expr': 'frame / 100, 0.5, 0.25, 1'}}},
        'number': {'type': 'graph/time_shift', 'inputs': {'value': {'expr': 'frame'}}},
        'half': {'type': 'value/number', 'inputs': {'value': 0.5}},
        'circle': {'type': 'geometry/circle'},
    },
    'display': 'back.image',
}


def read_png(data):
    """Width, height and the first pixel of an 8-bit RGB or RGBA picture."""
    width, height, _, rows = read_rows(data)
    # Of the first pixel every row filter leaves the value itself.
    return width, height, tuple(rows[1:4])


def write_png(width, height, pixels):
    """A file of 8-bit RGB."""
    rows = b''.join(b'\0' + pixels[3 * width * y:3 * width * (y + 1)] for y in range(height))
    chunks = [(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)), (b'IDAT', zlib.compress(rows)), (b'IEND', b'')]
    return b'\x89PNG\r\n\x1a\n' + b''.join(struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
                                            for name, data in chunks)


def split_pngs(data):
    """The pictures of a stream of them."""
    end = b'\0\0\0\0IEND\xaeB`\x82'
    parts = data.split(end)
    assert parts[-1] == b''
    assert all(part.startswith(b'\x89PNG\r\n\x1a\n') for part in parts[:-1])
    return [part + end for part in parts[:-1]]


def exr_pixel_types(data):
    """The numbers that an OpenEXR header has for the types of its channels: 1 is half, 2 float."""
    name = b'channels\0chlist\0'
    at = data.index(name) + len(name) + 4
    types = {}
    while data[at]:
        end = data.index(b'\0', at)
        types[data[at:end].decode()] = struct.unpack('<i', data[end + 1:end + 5])[0]
        at = end + 17
    return types


def srgb(linear):
    encoded = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    return round(255 * encoded)


class RenderTest(KineoTest):
    def setUp(self):
        super().setUp()
        self.write('a.json', PICTURE)

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if not name.endswith('.json'))

    def render(self, *arguments, graph='a.json', status=0):
        result = self.kineo('render', graph, *arguments)
        self.assertEqual((result.status, result.out), (status, ''), result.err)
        return result.err

    def test_sequence(self):
        err = self.render('-o', 'p.%03d.png', '--jobs', '1')
        self.assertEqual(self.files(), [f'p.{n:03}.png' for n in range(1, 7)])
        self.assertEqual(err, ''.join(f'frame {n}: p.{n:03}.png\n' for n in range(1, 7)))
        for n in range(1, 7):
            self.assertEqual(read_png(self.read(f'p.{n:03}.png')), (16, 8, (srgb(n / 100), srgb(0.5), srgb(0.25))))

    def test_jobs_give_the_same_bytes(self):
        self.render('-o', 'a%d.png', '--jobs', '1')
        self.render('-o', 'b%d.png', '--jobs', '4')
        for n in range(1, 7):
            self.assertEqual(self.read(f'a{n}.png'), self.read(f'b{n}.png'))

    def test_frames_and_step(self):
        self.render('-o', 'p%d.png', '--frames', '2-40x19')
        self.assertEqual(self.files(), ['p2.png', 'p21.png', 'p40.png'])

    def test_lists_of_frames(self):
        self.render('-o', 'p%d.png', '-f', '40,2-6x2,4')
        self.assertEqual(self.files(), ['p2.png', 'p4.png', 'p40.png', 'p6.png'])

    def test_P1_51_shards(self):
        """Parts are disjoint, all frames together, and differ in size by one at most."""
        for frames in ['1-11', '2-40x4', '3,5,6,20,31']:
            whole = self.render_frames(frames)
            parts = [self.render_frames(frames, f'{i}/4') for i in range(1, 5)]
            self.assertEqual(sorted(name for part in parts for name in part), whole)
            self.assertLessEqual(max(map(len, parts)) - min(map(len, parts)), 1)

    def render_frames(self, frames, shard=None):
        self.render('-o', 'p%d.png', '-f', frames, *(['--shard', shard] if shard else []))
        names = self.files()
        for name in names:
            os.unlink(os.path.join(self.folder, name))
        return names

    def test_bad_shards(self):
        self.assertEqual(self.render_frames('1-2', '1/5'), [])
        self.assertIn('part 1 of 5 has no frames', self.render('-o', 'p%d.png', '-f', '1-2', '--shard', '1/5'))
        for shard in ['0/4', '5/4', '1/0', '2', '1/4x', '+1/4', '/']:
            err = self.render('-o', 'p%d.png', '--shard', shard, status=2)
            self.assertIn('write 2/5 for the second of five', err)
        result = self.kineo('render', 'a.json', '-o', 'm.gif', '--shard', '1/2')
        self.assertNotEqual(result.status, 0)
        self.assertIn('the parts of a movie cannot be joined', result.err)

    def test_one_frame_needs_no_number(self):
        self.render('-o', 'one.png', '--frames', '3')
        self.assertEqual(self.files(), ['one.png'])

    def test_exr(self):
        self.render('-o', 'one.exr', '--frames', '3-3')
        self.assertEqual(self.read('one.exr')[:4], b'\x76\x2f\x31\x01')

    def test_bits(self):
        for name, bits, check in [('a.exr', '16', lambda data: set(exr_pixel_types(data).values()) == {1}),
                                  ('b.exr', '32', lambda data: set(exr_pixel_types(data).values()) == {2}),
                                  ('a.png', '8', lambda data: data[24] == 8), ('b.png', '16', lambda data: data[24] == 16)]:
            with self.subTest(name):
                self.render('-o', name, '--frames', '3', '--bits', bits)
                self.assertTrue(check(self.read(name)))
        self.render('-o', 'b.exr', '--frames', '3', '--bits', '16', '--resume')
        self.assertEqual(set(exr_pixel_types(self.read('b.exr')).values()), {1}, 'another number of bits is out of date')
        self.good('convert', 'a.exr', 'c.exr', '--bits', '32')
        self.assertEqual(exr_pixel_types(self.read('c.exr')), {'A': 2, 'B': 2, 'G': 2, 'R': 2})

    def test_bits_of_file_nodes(self):
        graph = copy.deepcopy(PICTURE)
        graph['nodes']['still'] = {'type': 'render/file', 'inputs': {'image': {'link': 'back.image'}, 'path': 's%d.exr',
                                                                     'first': 2, 'last': 2}}
        self.write('a.json', graph)
        self.render('--bits', '32')
        self.assertEqual(exr_pixel_types(self.read('s2.exr'))['R'], 2)
        err = self.render('--bits', '8', status=1)
        self.assertIn('s%d.exr', err)
        self.assertIn('still: ', err)
        self.assertIn('cannot have 8 bits: PNG has 8 or 16, EXR 16 or 32', err)

    def test_stream_of_pictures(self):
        self.render('-o', 'p%d.png')
        for arguments in [[], ['--jobs', '4'], ['--format', 'png']]:
            result = self.kineo('render', 'a.json', '-o', '-', *arguments)
            self.assertEqual(result.status, 0, result.err)
            self.assertEqual(result.err, ''.join(f'frame {n}: -\n' for n in range(1, 7)))
            pictures = split_pngs(result.data)
            self.assertEqual([read_png(data) for data in pictures], [read_png(self.read(f'p{n}.png')) for n in range(1, 7)])
        deep = self.kineo('render', 'a.json', '-o', '-', '--bits', '16', '--frames', '2')
        self.assertEqual(deep.data[24], 16)

    def test_stream_of_one_picture(self):
        result = self.kineo('render', '-', '-o', '-', '--frames', '3', '--progress', 'none', stdin=json.dumps(PICTURE).encode())
        self.assertEqual((result.status, result.err), (0, ''))
        self.assertEqual(read_png(result.data), (16, 8, (srgb(0.03), srgb(0.5), srgb(0.25))))

    def test_stream_of_a_movie(self):
        # BT.709: red is Y 16 + 219 * 0.2126, Cb 128 - 224 * 0.2126 / 1.8556, Cr 240.
        result = self.kineo('render', 'a.json', '-o', '-', '--format', 'y4m', '--set', 'back.color="#ff0000"', '--set',
                            'back.width=5', '--set', 'back.height=3', '--frames', '1-5x2')
        self.assertEqual(result.status, 0, result.err)
        frame = b'FRAME\n' + bytes([63] * 15) + bytes([102] * 6) + bytes([240] * 6)
        self.assertEqual(result.data, b'YUV4MPEG2 W5 H3 F25:2 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n' + 3 * frame)

    def test_stream_with_a_failing_frame(self):
        result = self.kineo('render', 'a.json', '-o', '-', '--set', 'back.color={"expr": "1 / (frame - 3), 0.5, 0, 1"}')
        self.assertEqual(result.status, 1)
        self.assertIn('kineo: frame 3: back: ', result.err)
        pictures = split_pngs(result.data)
        self.assertEqual(len(pictures), 6)
        self.assertEqual(pictures[2], pictures[1])
        result = self.kineo('render', 'a.json', '-o', '-', '--set', 'back.color={"expr": "1 / 0, 0.5, 0, 1"}')
        self.assertEqual((result.status, result.data), (1, b''))

    def test_stream_of_changing_size(self):
        settings = ['--set', 'back.width={"expr": "frame < 3 ? 16 : 20"}', '--frames', '1-4', '--jobs', '1']
        self.assertEqual(len(split_pngs(self.kineo('render', 'a.json', '-o', '-', *settings).data)), 4)
        result = self.kineo('render', 'a.json', '-o', '-', '--format', 'y4m', *settings)
        self.assertEqual(result.status, 1)
        self.assertIn('frame 3: this frame has 20 x 8 pixels, but the first 16 x 8: all frames must have the same size', result.err)
        self.assertEqual(result.data.count(b'FRAME\n'), 2)

    def test_stream_into_a_full_disk(self):
        for form in ['png', 'y4m']:
            with self.subTest(form), open('/dev/full', 'wb') as full:
                result = self.kineo('render', 'a.json', '-o', '-', '--format', form, stdout=full)
                self.assertEqual(result.status, 1)
                self.assertIn('No space left on device', result.err)

    def test_stream_is_not_for_a_terminal(self):
        ours, theirs = pty.openpty()
        result = self.kineo('render', 'a.json', '-o', '-', stdout=theirs)
        os.close(theirs)
        os.close(ours)
        self.assertEqual(result.status, 2)
        self.assertEqual(result.err, 'kineo: -o -: a terminal cannot show images: send them to a file or a program, '
                                     'as in: kineo render GRAPH -o - | ffmpeg -f image2pipe -i - movie.mp4\n'
                                     'Try: kineo render --help\n')

    def test_stream_ends_with_its_reader(self):
        with subprocess.Popen([KINEO, 'render', 'a.json', '-o', '-', '--frames', '1-1000000'], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, cwd=self.folder, env=self.environment()) as program:
            program.stdout.read(100)
            program.stdout.close()
            self.assertNotEqual(program.wait(timeout=300), 0)

    def test_messages_need_no_reader(self):
        with subprocess.Popen([KINEO, 'render', 'a.json', '-o', 'p%d.png', '--frames', '1-50', '--progress', 'lines'],
                              stderr=subprocess.PIPE, cwd=self.folder, env=self.environment()) as program:
            program.stderr.close()
            self.assertEqual(program.wait(timeout=300), 0)
        self.assertEqual(self.files(), sorted(f'p{n}.png' for n in range(1, 51)))

    def test_size(self):
        self.render('-o', 'one.png', '--frames', '3', '--size', '40x30')
        self.assertEqual(read_png(self.read('one.png'))[:2], (40, 30))

    def test_a_chain_used_twice(self):
        """Operations in one pass make another image than their first alone, also for what keeps results by what they are."""
        nodes = {'back': {'type': 'image/constant', 'inputs': {'width': 8, 'height': 8, 'color': [0.2, 0.2, 0.2, 1]}},
                 'first': {'type': 'image/exposure', 'inputs': {'image': {'link': 'back.image'}, 'exposure': {'expr': '0*t'}}},
                 'second': {'type': 'image/exposure', 'inputs': {'image': {'link': 'first'}, 'exposure': {'expr': '0.5*frame'}}},
                 'soft': {'type': 'image/blur', 'inputs': {'image': {'link': 'second'}}},
                 'both': {'type': 'image/over', 'inputs': {'layers': [{'link': 'soft'}, {'link': 'soft'}]}}}
        self.write('twice.json', json.dumps({'kineograph': 1, 'nodes': nodes, 'display': 'both',
                                             'frames': {'start': 1, 'end': 3, 'rate': 24}}))
        for jobs in ('1', '2'):
            self.good('render', 'twice.json', '-o', 't%d.png', '--progress', 'none', '--jobs', jobs)
            values = [read_png(self.read(f't{k}.png'))[2][0] for k in (1, 2, 3)]
            self.assertTrue(values[0] < values[1] < values[2], values)

    def test_size_leaves_pictures_of_things(self):
        """What lies on a surface keeps its size, also if it is larger; what is within a sub-graph is scaled with the rest."""
        self.write('slide.json', json.dumps({'kineograph': 1, 'nodes': {
            'slide': {'type': 'image/constant', 'inputs': {'width': 96, 'height': 96}},
            'light': {'type': 'field/image', 'inputs': {'image': {'link': 'slide.image'}}},
            'grid': {'type': 'geometry/grid'},
            'lit': {'type': 'geometry/attribute', 'inputs': {'geometry': {'link': 'grid.geometry'}, 'name': 'Cd',
                                                             'kind': 'field', 'field': {'link': 'light.field'}}},
            'drawn': {'type': 'render/draw', 'inputs': {'geometries': [{'link': 'lit.set'}], 'width': 64, 'height': 36}},
            'group': {'type': 'graph/subnet', 'graph': {'nodes': {
                'in': {'type': 'graph/input', 'inputs': {'kind': 'image'}},
                'sky': {'type': 'image/constant', 'inputs': {'width': 32, 'height': 18}},
                'both': {'type': 'image/over', 'inputs': {'layers': [{'link': 'sky'}, {'link': 'in'}]}},
                'out': {'type': 'graph/output', 'inputs': {'value': {'link': 'both'}}}}},
                'inputs': {'in': {'link': 'drawn.image'}}}},
            'display': 'group'}))
        self.good('render', 'slide.json', '-o', 's.png', '--frames', '1-1', '--size', '128x72', '--progress', 'none')
        self.assertEqual(read_png(self.read('s.png'))[:2], (128, 72))

    def size_of(self, nodes, display, size='128x72'):
        self.write('sized.json', json.dumps({'kineograph': 1, 'nodes': nodes, 'display': display}))
        result = self.kineo('render', 'sized.json', '-o', 's.png', '--frames', '1-1', '--size', size, '--progress', 'none')
        self.assertEqual(result.status, 0, result.err)
        return read_png(self.read('s.png'))[:2]

    def test_size_through_what_passes_images_on(self):
        """Nodes of any kind, sub-graphs, sizes like those of another image, and larger images that are cut to the picture."""
        small = {'type': 'image/constant', 'inputs': {'width': 64, 'height': 36}}
        for passing in ({'type': 'graph/switch', 'inputs': {'values': [{'link': 'a.image'}]}},
                        {'type': 'graph/reroute', 'inputs': {'value': {'link': 'a.image'}}},
                        {'type': 'graph/time_shift', 'inputs': {'value': {'link': 'a.image'}, 'offset': 2}}):
            blur = {'type': 'image/blur', 'inputs': {'image': {'link': 'b'}}}
            self.assertEqual(self.size_of({'a': small, 'b': passing, 'soft': blur}, 'soft'), (128, 72), passing['type'])
        like = {'type': 'image/constant', 'inputs': {'like': {'link': 'a.image'}}}
        over = {'type': 'image/over', 'inputs': {'layers': [{'link': 'a.image'}, {'link': 'b.image'}]}}
        self.assertEqual(self.size_of({'a': small, 'b': like, 'both': over}, 'both'), (128, 72))
        wide = {'type': 'image/constant', 'inputs': {'width': 2000, 'height': 1000}}
        cut = {'type': 'image/reformat', 'inputs': {'image': {'link': 'a.image'}, 'width': 64, 'height': 36}}
        self.assertEqual(self.size_of({'a': wide, 'cut': cut}, 'cut'), (128, 72))
        # A texture that enters a sub-graph, whose picture has another size; an output that nobody reads.
        group = {'type': 'graph/subnet', 'graph': {'nodes': {
            'in': {'type': 'graph/input', 'inputs': {'kind': 'image'}},
            'light': {'type': 'field/image', 'inputs': {'image': {'link': 'in'}}},
            'grid': {'type': 'geometry/grid'},
            'lit': {'type': 'geometry/attribute', 'inputs': {'geometry': {'link': 'grid.geometry'}, 'name': 'Cd',
                                                             'kind': 'field', 'field': {'link': 'light.field'}}},
            'drawn': {'type': 'render/draw', 'inputs': {'geometries': [{'link': 'lit.set'}], 'width': 64, 'height': 36}},
            'large': {'type': 'image/constant', 'inputs': {'width': 300, 'height': 50}},
            'other': {'type': 'graph/output', 'inputs': {'value': {'link': 'large.image'}}},
            'out': {'type': 'graph/output', 'inputs': {'value': {'link': 'drawn.image'}}}}},
            'inputs': {'in': {'link': 'a.image'}}}
        self.assertEqual(self.size_of({'a': wide, 'group': group}, 'group.out'), (128, 72))

    def test_size_and_other_pixels(self):
        """Radii are not scaled, which is reported: once, for nodes with inputs in pixels, and only at another size."""
        self.write('blur.json', json.dumps({'kineograph': 1, 'nodes': {
            'back': {'type': 'image/constant', 'inputs': {'width': 80, 'height': 60}},
            'soft': {'type': 'image/blur', 'inputs': {'image': {'link': 'back.image'}}},
            'moved': {'type': 'image/transform', 'inputs': {'image': {'link': 'soft'}}}},
            'display': 'moved', 'frames': {'start': 1, 'end': 2, 'rate': 24}}))
        said = 'inputs in pixels, such as radii, are not scaled with the image: soft\n'
        result = self.kineo('render', 'blur.json', '-o', 'b%d.png', '--size', '40x30')
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.err.count(said), 1, result.err)
        self.assertEqual(read_png(self.read('b1.png'))[:2], (40, 30))
        self.assertNotIn('pixels', self.kineo('render', 'blur.json', '-o', 'b%d.png', '--size', '80x60').err)
        self.assertNotIn('pixels', self.kineo('render', 'blur.json', '-o', 'b%d.png').err)

    def test_named_node_and_set(self):
        self.render('back', '-o', 'one.png', '--frames', '3', '--set', 'back.color="#ff0000"')
        self.assertEqual(read_png(self.read('one.png'))[2], (255, 0, 0))

    def test_standard_input(self):
        result = self.kineo('render', '-', '-o', 'p%d.png', stdin=json.dumps(PICTURE).encode())
        self.assertEqual(result.status, 0)
        self.assertEqual(len(self.files()), 6)

    def test_movies(self):
        for suffix, magic, at in [('mp4', b'ftyp', 4), ('webm', b'\x1a\x45\xdf\xa3', 0), ('gif', b'GIF89a', 0)]:
            with self.subTest(suffix):
                self.render('-o', f'f.{suffix}')
                self.assertEqual(self.read(f'f.{suffix}')[at:at + len(magic)], magic)
        self.assertEqual(self.files(), ['f.gif', 'f.mp4', 'f.webm'])

    def test_transparent_movies(self):
        clear = ('--set', 'back.color="#ff000080"', '--set', 'back.width=32', '--set', 'back.height=32', '--frames', '1-3')
        for suffix, keeps in [('mp4', False), ('gif', False), ('webm', True), ('mov', True), ('mkv', True), ('apng', True), ('webp', True)]:
            with self.subTest(suffix):
                err = self.render('-o', f'clear.{suffix}', *clear)
                self.assertEqual('transparent pixels are laid over black' in err, not keeps, err)
                self.assertEqual(err.count('warning'), 0 if keeps else 1)
                self.assertGreater(len(self.read(f'clear.{suffix}')), 30)
        # AlphaMode 1 in the track's header.
        self.assertIn(b'\x53\xc0\x81\x01', self.read('clear.webm'))
        err = self.render('-o', 'opaque.webm')
        self.assertNotIn('warning', err)
        self.assertNotIn(b'\x53\xc0\x81\x01', self.read('opaque.webm'))

    def test_40_v20_movies_read_again(self):
        """Animations that were written are read with all their frames; where FFmpeg cannot, it says so, and calls none damaged."""
        for suffix in ('gif', 'apng', 'webp'):
            with self.subTest(suffix):
                self.render('-o', f'again.{suffix}', '--frames', '1-3', '--set', 'back.width=32', '--set', 'back.height=32')
                self.write('again.json', {'kineograph': 1, 'nodes': {
                    'm': {'type': 'image/movie', 'inputs': {'path': f'again.{suffix}', 'own_speed': False}}}})
                done = self.kineo('eval', 'again.json', 'm.image', 'm.frames', '--frames', '1-3')
                if suffix == 'webp' and done.status != 0:
                    self.assertIn('cannot decode animated WebP: use a movie in another format', done.err)
                else:
                    self.assertEqual(done.status, 0, done.err)
                    self.assertEqual([line['values']['m.frames'] for line in done.lines()], [3, 3, 3])

    def test_exr_headers(self):
        self.render('-o', 'h.exr', '--frames', '1')
        header = self.read('h.exr')[:2000]
        self.assertIn(b'chromaticities\0chromaticities\0', header)
        self.assertIn(b'framesPerSecond\0rational\0\x08\0\0\0\x19\0\0\0\x01\0\0\0', header)

    def test_file_nodes(self):
        graph = copy.deepcopy(PICTURE)
        graph['nodes']['movie'] = {'type': 'render/file', 'inputs': {'image': {'link': 'back.image'}, 'path': 'f.gif'}}
        graph['nodes']['still'] = {'type': 'render/file', 'inputs': {'image': {'link': 'back.image'}, 'path': 's%d.png',
                                                                     'first': 2, 'last': 3}}
        os.mkdir(self.path('sub'))
        self.write('sub/a.json', graph)
        self.render(graph='sub/a.json')
        self.assertEqual(sorted(os.listdir(self.path('sub'))), ['a.json', 'f.gif', 's2.png', 's3.png'])

    def test_file_nodes_are_each_for_itself(self):
        graph = copy.deepcopy(PICTURE)
        for name, inputs in {'wrong': {'path': 'w%d.png', 'first': 9, 'last': 1}, 'lost': {'path': 'gone/g%d.png'},
                             'good': {'path': 's%d.png', 'first': 2, 'last': 3}}.items():
            graph['nodes'][name] = {'type': 'render/file', 'inputs': {'image': {'link': 'back.image'}, **inputs}}
        self.write('a.json', graph)
        err = self.render('--progress', 'none', status=1)
        self.assertEqual(self.files(), ['s2.png', 's3.png'])
        wrong = 'wrong: the frames 9-1 are reversed: write 1-9'
        lost = err.splitlines()[1].removeprefix('kineo: ')
        self.assertRegex(lost, r'^lost: .*gone/g%d\.png: the folder .*gone does not exist: create it first$')
        self.assertEqual(err, f'kineo: {wrong}\nkineo: {lost}\nkineo: 2 of 3 files were not rendered: {wrong}; {lost}\n')
        err = self.render('--progress', 'json', status=1)
        self.assertEqual([json.loads(line) for line in err.splitlines()[:2]], [{'error': wrong}, {'error': lost}])
        graph['nodes'] = {'bare': {'type': 'render/file', 'inputs': {'path': 'b%d.png'}}, **PICTURE['nodes'],
                          'good': graph['nodes']['good']}
        self.write('a.json', graph)
        err = self.render('--size', '4x2', '--progress', 'none', status=1)
        self.assertIn('kineo: 1 of 2 files were not rendered: no node upstream of bare has a width', err)
        self.assertEqual(read_png(self.read('s2.png'))[:2], (4, 2))

    def test_resume(self):
        self.render('-o', 'p%d.png')
        os.remove(self.path('p4.png'))
        times = {name: os.stat(self.path(name)).st_mtime_ns for name in self.files()}
        err = self.render('-o', 'p%d.png', '--resume', '--jobs', '1')
        self.assertEqual(err, 'frame 1: p1.png is up to date\nframe 2: p2.png is up to date\nframe 3: p3.png is up to date\n'
                              'frame 4: p4.png\nframe 5: p5.png is up to date\nframe 6: p6.png is up to date\n')
        for name, modified in times.items():
            self.assertEqual(os.stat(self.path(name)).st_mtime_ns, modified)
        err = self.render('-o', 'p%d.png', '--resume', '--set', 'back.width=20')
        self.assertNotIn('up to date', err)
        self.assertEqual(read_png(self.read('p1.png'))[0], 20)

    def test_resume_sweeps_what_was_left(self):
        """Where files without names are unknown, a killed program leaves its temporary file."""
        self.render('-o', 'p%d.png')
        before = self.files()
        self.write('p3.png.kineo-partial', b'half an image')
        self.write('p4.png.kineo-partial-2', b'half an image')
        self.write('p4.png.kineo-partial-of-mine', b'no temporary file')
        self.render('-o', 'p%d.png', '--resume')
        self.assertEqual(self.files(), sorted(before + ['p4.png.kineo-partial-of-mine']))

    def test_resume_renders_what_another_program_wrote(self):
        self.write('p1.png', b'not an image')
        self.render('-o', 'p%d.png', '--resume')
        self.assertEqual(read_png(self.read('p1.png'))[:2], (16, 8))

    def test_resume_renders_what_is_damaged(self):
        sized = ['--set', 'back.width=200', '--set', 'back.height=100', '--frames', '1-3', '--jobs', '1']
        for suffix in ['png', 'exr']:
            # Nothing that compresses well: a picture of several thousand bytes.
            arguments = ['-o', f'd%d.{suffix}', *sized, '--set', 'back.gradient=true']
            self.render(*arguments)
            whole = {n: self.read(f'd{n}.{suffix}') for n in (1, 2, 3)}
            for damage in [lambda data: data[:len(data) * 2 // 3], lambda data: data[:-1], lambda data: data[:-12],
                           lambda data: data[:len(data) // 2] + bytes(8) + data[len(data) // 2 + 8:]]:
                with self.subTest(suffix):
                    self.write(f'd2.{suffix}', damage(whole[2]))
                    err = self.render(*arguments, '--resume')
                    self.assertEqual(err, f'frame 1: d1.{suffix} is up to date\nframe 2: d2.{suffix}\n'
                                          f'frame 3: d3.{suffix} is up to date\n')
                    self.assertEqual(self.read(f'd2.{suffix}'), whole[2])

    def test_resume_sees_files_that_changed(self):
        for n in (1, 2, 3):
            self.write(f'in{n}.png', write_png(2, 2, bytes([n] * 12)))
        self.write('i.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 3, 'rate': 24}, 'nodes': {
            'i': {'type': 'image/import', 'inputs': {'path': 'in%d.png'}}, 'o': {'type': 'image/over', 'inputs': {
                'layers': [{'link': 'i.image'}]}}}, 'display': 'o.image'})
        self.render('-o', 'out%d.png', graph='i.json')
        self.write('in2.png', write_png(2, 2, bytes([200] * 12)))
        err = self.render('-o', 'out%d.png', '--resume', '--jobs', '1', graph='i.json')
        self.assertEqual(err, 'frame 1: out1.png is up to date\nframe 2: out2.png\nframe 3: out3.png is up to date\n')
        self.assertEqual(read_png(self.read('out2.png')), (2, 2, (200, 200, 200)))

    def test_resume_sees_files_of_other_frames(self):
        for n in (1, 2, 3, 4):
            self.write(f'in{n}.png', write_png(2, 2, bytes([n] * 12)))
        nodes = {'i': {'type': 'image/import', 'inputs': {'path': 'in%d.png', 'frame': {'expr': 'frame + 1'}}},
                 'j': {'type': 'image/import', 'inputs': {'path': 'in%d.png'}},
                 's': {'type': 'graph/time_shift', 'inputs': {'value': {'link': 'j.image'}, 'offset': 1}}}
        for layer in ('i.image', 's.shifted'):
            with self.subTest(layer):
                self.write('in3.png', write_png(2, 2, bytes([3] * 12)))
                self.write('i.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 2, 'rate': 24}, 'nodes': dict(
                    nodes, o={'type': 'image/over', 'inputs': {'layers': [{'link': layer}]}}), 'display': 'o.image'})
                self.render('-o', 'out%d.png', '--jobs', '1', graph='i.json')
                err = self.render('-o', 'out%d.png', '--resume', '--jobs', '1', graph='i.json')
                self.assertEqual(err.count('is up to date'), 2)
                self.write('in3.png', write_png(2, 2, bytes([200] * 12)))
                self.render('-o', 'out%d.png', '--resume', '--jobs', '1', graph='i.json')
                self.assertEqual(read_png(self.read('out2.png')), (2, 2, (200, 200, 200)))

    def test_resume_sees_series_of_any_name(self):
        for pattern, name in (('in%03d.png', 'in003.png'), ('in0%2d.png', 'in0 3.png'), ('50%%_%d.png', '50%_3.png'),
                              ('%d.png', '3.png'), ('in%d_%d.png', 'in3_3.png'), ('in%d/a.png', 'in3/a.png')):
            with self.subTest(pattern):
                for n in (1, 2, 3):
                    file = re.sub(r'%(0?\d?)d', lambda m: f'%{m[1]}d' % n, pattern).replace('%%', '%')
                    os.makedirs(os.path.dirname(self.path(file)), exist_ok=True)
                    self.write(file, write_png(2, 2, bytes([n] * 12)))
                self.write('i.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 2, 'rate': 24}, 'nodes': {
                    'i': {'type': 'image/import', 'inputs': {'path': pattern, 'frame': {'expr': 'frame + 1'}}},
                    'o': {'type': 'image/over', 'inputs': {'layers': [{'link': 'i.image'}]}}}, 'display': 'o.image'})
                self.render('-o', 'out%d.png', '--jobs', '1', graph='i.json')
                if '/' not in pattern:
                    err = self.render('-o', 'out%d.png', '--resume', '--jobs', '1', graph='i.json')
                    self.assertEqual(err.count('is up to date'), 2)
                self.write(name, write_png(2, 2, bytes([200] * 12)))
                self.render('-o', 'out%d.png', '--resume', '--jobs', '1', graph='i.json')
                self.assertEqual(read_png(self.read('out2.png')), (2, 2, (200, 200, 200)))

    def test_failing_frame(self):
        setting = 'back.color={"expr": "1 / (frame - 3), 0, 0, 1"}'
        err = self.render('-o', 'p%d.png', '--set', setting, status=1)
        self.assertEqual(self.files(), ['p1.png', 'p2.png', 'p4.png', 'p5.png', 'p6.png'])
        self.assertIn('kineo: frame 3: back: ', err)
        self.assertIn('look for a division by zero', err)
        self.assertIn('kineo: 1 of 6 frames failed: frame 3: ', err)

    def test_progress_json(self):
        err = self.render('-o', 'p%d.png', '--progress=json', '--jobs', '1', '--set',
                          'back.color={"expr": "1 / (frame - 3), 0, 0, 1"}', status=1)
        lines = err.splitlines()
        events = [json.loads(line) for line in lines[:6]]
        self.assertEqual([event['frame'] for event in events], [1, 2, 3, 4, 5, 6])
        self.assertEqual([event['done'] for event in events], [1, 2, 3, 4, 5, 6])
        self.assertEqual([event['outcome'] for event in events], ['done', 'done', 'failed', 'done', 'done', 'done'])
        self.assertEqual({event['total'] for event in events}, {6})
        self.assertEqual(events[0]['file'], 'p1.png')
        self.assertIn('division by zero', events[2]['error'])
        self.assertTrue(all(event['seconds_left'] >= 0 and event['frames_per_second'] >= 0 for event in events))
        self.assertEqual(len(lines), 7)  # and the summary

    def test_warnings_are_told_once(self):
        settings = ['--set', 'back.width={"expr": "frame < 3 ? 0 : 4"}']
        for path in ['p%d.png', '-']:
            result = self.kineo('render', 'a.json', '-o', path, '--jobs', '1', '--progress', 'none', '--set', 'back.width=0')
            self.assertEqual(result.status, 0)
            self.assertEqual(result.err, 'kineo: frame 1: warning: back: width: 0 is outside 1 to 65535: 1 is used\n')
        err = self.render('-o', 'p%d.png', '--jobs', '3', '--progress', 'none', *settings)
        self.assertRegex(err, r'^kineo: frame [12]: warning: back: width: 0 is outside 1 to 65535: 1 is used\n$')
        err = self.render('-o', 'p%d.png', '--jobs', '1', '--progress', 'json', *settings)
        events = [json.loads(line) for line in err.splitlines()]
        self.assertEqual(events[0], {'frame': 1, 'node': 'back', 'warning': 'width: 0 is outside 1 to 65535: 1 is used'})
        self.assertEqual([event['frame'] for event in events[1:]], [1, 2, 3, 4, 5, 6])

    def test_progress_none(self):
        self.assertEqual(self.render('-o', 'p%d.png', '--progress', 'none'), '')

    def test_progress_bar_on_a_terminal(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([KINEO, 'render', 'a.json', '-o', 'p%d.png'], cwd=self.folder, stderr=theirs,
                              stdout=subprocess.PIPE, env=self.environment()) as program:
            os.close(theirs)
            shown = b''
            while True:
                try:
                    part = os.read(ours, 4096)
                except OSError:  # how a terminal says that the other side is gone
                    part = b''
                if not part:
                    break
                shown += part
            self.assertEqual((program.wait(timeout=300), program.stdout.read()), (0, b''))
        os.close(ours)
        text = shown.decode()
        self.assertIn('\r[##############################] 6/6  ', text)
        self.assertRegex(text, r'\d+\.\d frames/s  0:00 left')
        self.assertTrue(text.endswith('\r\n'))

    def test_wrong_usage(self):
        for arguments, message in [
                (['-o', 'x.png'], 'x.png: every frame would overwrite the one before: insert the frame number, as in x.%04d.png'),
                (['-o', 'x%d.jpg'], 'x%d.jpg: the name must end with .png or .exr (images), .mp4, .webm, .mov, .mkv, .avi, .gif, .apng or .webp (movies) or .wav, .flac, .ogg, .opus, .mp3 or .m4a (sound)'),
                (['-o', 'x%s.png'], 'x%s.png: write the frame number as %d, %4d or %04d, and a percent sign as %%'),
                (['-o', 'x%d%d.png'], 'x%d%d.png: the frame number occurs more than once: keep one, as in name.%04d.png'),
                (['-o', 'nowhere/x%d.png'], 'nowhere/x%d.png: the folder nowhere does not exist: create it first'),
                (['-o', '.'], '. is a folder: name a file in it'),
                (['-o', 'x%d.png', '--frames', '9-1'], '--frames: the frames 9-1 are reversed: write 1-9'),
                (['-o', 'x%d.png', '--frames', 'all'], '"all" is not a frame range: write FIRST-LAST or FIRST-LASTxSTEP, as in 1-48x2'),
                (['-o', 'x%d.png', '--frames', '1-4x2y'], '"1-4x2y" is not a frame range: write FIRST-LAST or FIRST-LASTxSTEP, as in 1-48x2'),
                (['-o', 'x%d.png', '--frames', ' 1-4'], '" 1-4" is not a frame range: write FIRST-LAST or FIRST-LASTxSTEP, as in 1-48x2'),
                (['-o', 'x%d.png', '--jobs', '2 '], '--jobs: "2 " is not a number from 1 to 256'),
                (['-o', 'x%d.png', '--jobs', '0'], '--jobs: "0" is not a number from 1 to 256'),
                (['-o', '-', '--format', 'bmp'], '--format: "bmp" is neither png nor y4m'),
                (['-o', '-', '--resume'], '--resume: standard output cannot be resumed'),
                (['-o', '-', '--bits', '32'], '--bits 32 is not possible for standard output: PNG has 8 or 16, Y4M 8'),
                (['-o', 'x%d.png', '--format', 'png'], '--format applies to standard output (-o -): the format of a file follows from its extension'),
                (['-o', 'x%d.png', '--bits', '32'], 'x%d.png cannot have 32 bits: PNG has 8 or 16, EXR 16 or 32, and a movie the depth of its format'),
                (['-o', 'x.mp4', '--bits', '8'], 'x.mp4 cannot have 8 bits: PNG has 8 or 16, EXR 16 or 32, and a movie the depth of its format'),
                (['-o', 'x%d.png', '--bits', '12'], '--bits: "12" is not one of 8, 16 and 32'),
                (['-o', 'x.gif', '--resume'], '--resume: a movie cannot be resumed: render images (name.%04d.png) instead'),
                (['-o', 'x%d.png', '--progress', 'much'], '--progress: "much" is not one of bar, lines, json, none'),
                (['back'], 'no output file is given: name one with -o, as in: kineo render GRAPH back -o name.%04d.png'),
                (['nobody', '-o', 'x%d.png'], 'the graph has no node "nobody"'),
                ([], 'no node of the graph names a file to write: name one with -o, or add a render/file node'),
                (['half', '-o', 'x%d.png'], 'half.output is of kind number, not an image: name an output that is an image'),
                (['circle', '-o', '-'], 'circle.geometry is of kind geometry, not an image: add a render/draw node '
                                        '(flat drawing) or a render/scene node (camera and lights) after it and '
                                        'render that')]:
            with self.subTest(arguments):
                self.usage(message, 'render', 'a.json', *arguments)
        self.assertEqual(self.files(), [])

    def test_bad_sizes(self):
        for size in ['0x10', '10', '10x', 'x10', '10x-3', '10x10abc', ' 10x10', '10x +10', '100000x100000', '10x10x10', 'big']:
            with self.subTest(size):
                self.usage(f'--size: "{size}" is not a size: write WIDTHxHEIGHT in pixels, as in 1920x1080 (at most 65535 each)',
                           'render', 'a.json', '-o', 'x%d.png', '--size', size)

    def test_not_a_picture(self):
        # Of any kind, until it is evaluated.
        err = self.render('number', '-o', 'x%d.png', '--jobs', '1', status=1)
        self.assertIn('number.shifted is of kind number, not an image: name an output that is an image', err)
        self.assertEqual(self.files(), [])

    def test_nothing_displayed(self):
        self.write('a.json', {'kineograph': 1, 'nodes': {}})
        self.usage('the graph has no displayed node: name the node to render', 'render', 'a.json', '-o', 'x%d.png')

    def test_unwritable_folder(self):
        err = self.render('-o', '/proc/x%d.png', '--frames', '1-2', status=1)
        self.assertIn('frame 1: ', err)
        self.render('-o', '/proc/x.mp4', '--frames', '1-2', status=1)

    def test_films_on_a_full_disk(self):
        # Noise, which no encoder makes small: one limit is met while frames are added, the other at the end.
        generator = random.Random(1)
        for n in range(4):
            self.write(f'n{n}.png', write_png(128, 96, generator.randbytes(128 * 96 * 3)))
        self.write('noise.json', {'kineograph': 1, 'nodes': {
            'n': {'type': 'image/import', 'inputs': {'path': 'n%d.png', 'frame': {'expr': 'mod (frame, 4)'}}}}, 'display': 'n.image'})
        before = self.files()
        for suffix in ['mp4', 'webm', 'gif']:
            for limit, frames in [(100000, '1-60'), (3000, '1-2')]:
                with self.subTest((suffix, limit)):
                    self.write(f'f.{suffix}', b'the old movie')
                    result = self.kineo('render', 'noise.json', '-o', f'f.{suffix}', '--frames', frames, limit=limit)
                    self.assertEqual((result.status, result.out), (1, ''))
                    self.assertRegex(result.err, rf'f\.{suffix}: .*File too large')
                    self.assertEqual(self.files(), sorted(before + [f'f.{suffix}']))
                    self.assertEqual(self.read(f'f.{suffix}'), b'the old movie')
                    os.remove(self.path(f'f.{suffix}'))

    def interrupt(self, path, number):
        """Starts a long rendering, interrupts it once something is done, and gives its exit status and messages."""
        with subprocess.Popen([KINEO, 'render', 'a.json', '-o', path, '--frames', '1-100000', '--jobs', '2'], cwd=self.folder,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=self.environment()) as program:
            program.stderr.readline()
            program.send_signal(number)
            err = program.stderr.read().decode()
            return program.wait(timeout=300), err

    def test_interrupted_pictures_are_whole(self):
        status, err = self.interrupt('p%d.png', signal.SIGINT)
        self.assertEqual(status, 1)
        self.assertRegex(err, r'kineo: cancelled after \d+ of 100000 frames\n$')
        self.assertGreater(len(self.files()), 0)
        for name in self.files():
            self.assertEqual(read_png(self.read(name))[:2], (16, 8))

    def test_interrupted_movie_is_removed(self):
        self.write('f.mp4', b'the old movie')
        status, _ = self.interrupt('f.mp4', signal.SIGTERM)
        self.assertEqual(status, 1)
        self.assertEqual(self.files(), ['f.mp4'])
        self.assertEqual(self.read('f.mp4'), b'the old movie')


main()
