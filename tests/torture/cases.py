# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of kineo that are tortured, each with the files that it reads and writes."""
import dataclasses
import json
import struct
import zlib

# Everything the commands do with files: a mesh, an image and a table are read, a simulation has states, an image is drawn.
SMALL = {
    'kineograph': 1,
    'title': 'Small',
    'frames': {'start': 1, 'end': 3, 'rate': 24},
    'nodes': {
        'mesh': {'type': 'geometry/import', 'inputs': {'path': 'a.obj'}},
        'spray': {'type': 'sim/particles', 'inputs': {'shape': 'geometry', 'emitter': {'link': 'mesh.geometry'}, 'rate': 900}},
        'drawn': {'type': 'render/draw', 'inputs': {'geometries': [{'link': 'mesh.geometry'}, {'link': 'spray.geometry'}],
                                                    'width': 32, 'height': 18, 'background': '#102030'}},
        'read': {'type': 'image/import', 'inputs': {'path': 'a.png'}},
        'over': {'type': 'image/over', 'inputs': {'layers': [{'link': 'drawn.image'}, {'link': 'read.image'}]}},
        'one': {'type': 'value/number', 'inputs': {'value': 1}},
        'two': {'type': 'value/number', 'inputs': {'value': {'expr': 'one.output + 1'}}},
        'measured': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'spray.geometry'}}},
    },
    'display': 'drawn.image',
}

# The same with blocks of megabytes.
LARGE = {
    'kineograph': 1,
    'frames': {'start': 1, 'end': 1, 'rate': 24},
    'nodes': {
        'grid': {'type': 'geometry/grid', 'inputs': {'columns': 400, 'rows': 300}},
        'moved': {'type': 'geometry/transform', 'inputs': {'geometry': {'link': 'grid.geometry'}, 'rotate': [20, 30, 0]}},
        'colored': {'type': 'geometry/color', 'inputs': {'geometry': {'link': 'moved.transformed'}}},
        'merged': {'type': 'geometry/merge', 'inputs': {'geometries': [{'link': 'colored.colored'}, {'link': 'grid.geometry'}]}},
        'lattice': {'type': 'deform/ffd_lattice', 'inputs': {'geometry': {'link': 'merged.geometry'}}},
        'deformed': {'type': 'deform/ffd', 'inputs': {'geometry': {'link': 'merged.geometry'}, 'lattice': {'link': 'lattice.lattice'}}},
        'measured': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'deformed.deformed'}}},
        'spray': {'type': 'sim/particles', 'inputs': {'rate': 2000000}},
        'object': {'type': 'render/object', 'inputs': {'geometry': {'link': 'deformed.deformed'}}},
        'scene': {'type': 'render/scene', 'inputs': {'scenes': [{'link': 'object.scene'}], 'width': 500, 'height': 400}},
        'drawn': {'type': 'render/draw', 'inputs': {'geometries': [{'link': 'spray.geometry'}], 'width': 500, 'height': 400}},
        'turned': {'type': 'image/transform', 'inputs': {'image': {'link': 'drawn.image'}, 'rotate': 10}},
        'over': {'type': 'image/over', 'inputs': {'layers': [{'link': 'turned.transformed'}, {'link': 'scene.image'}]}},
    },
    'display': 'over.image',
}


def preset(version):
    return {
        'kineograph_preset': 1, 'id': 'torture/half', 'version': version, 'title': 'Half',
        'graph': {'nodes': {'n': {'type': 'value/number', 'inputs': {'value': {'expr': f'{version} / 2'}}},
                            'c': {'type': 'image/constant', 'inputs': {'width': 32, 'height': 18}}}, 'display': 'c.image'},
        'interface': {'outputs': {'half': {'from': 'n.output'}}},
    }


INSTANCE = {
    'kineograph': 1,
    'nodes': {'p': {'type': 'torture/half'}, 'q': {'type': 'value/number', 'inputs': {'value': {'expr': 'p.half'}}}},
    'presets': {'torture/half': preset(1)},
}

SCRIPT = ''.join(f'add value/number n{i}\nset n{i}.value {i}\n' for i in range(40))


def png(width, height):
    """A grey image."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    rows = b''.join(b'\0' + bytes((x * y) % 256 for x in range(width)) for y in range(height))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def mesh(n):
    """A strip of n triangles."""
    points = ''.join(f'v {i * 0.1} {i % 2} 0\n' for i in range(n + 2))
    return (points + ''.join(f'f {i + 1} {i + 2} {i + 3}\n' for i in range(n))).encode()


INPUTS = {
    'small.json': json.dumps(SMALL).encode(),
    'large.json': json.dumps(LARGE).encode(),
    'instance.json': json.dumps(INSTANCE).encode(),
    'presets/half.preset.json': json.dumps(preset(2)).encode(),
    'script.kgs': SCRIPT.encode(),
    'a.obj': mesh(30),
    'big.obj': mesh(3000),
    'a.png': png(24, 16),
    'large.png': png(700, 500),
    'large.obj': mesh(15000),
    'big.png': png(300, 200),
}


@dataclasses.dataclass
class Case:
    name: str
    arguments: list
    outputs: list = dataclasses.field(default_factory=list)  # files that it writes
    folders: list = dataclasses.field(default_factory=list)  # folders that it fills as it likes
    in_place: bool = False  # the output is an input
    only_memory: bool = False  # its blocks are large, and it is slow
    long: bool = False  # too slow for each number of each class


def render(name, output, *more, files=None, **other):
    return Case(f'render {name}', ['render', 'small.json', '-o', output, '--jobs', '2', '--progress', 'none', *more],
                files if files is not None else [output], **other)


SEQUENCE = [f'f{i}.png' for i in (1, 2, 3)]

CASES = [
    Case('eval', ['eval', 'small.json', 'measured.low', 'two', 'read.image', '--frames', '1-3']),
    Case('eval with states', ['eval', 'small.json', 'measured.low', '--frames', '1-20', '--cache-folder', 'states',
                              '--cache-memory', '0'], folders=['states']),
    Case('eval large', ['eval', 'large.json', 'measured.low', 'over', '--cache-memory', '0'], only_memory=True),
    Case('render large', ['render', 'large.json', '-o', 'l.png', '--jobs', '1', '--progress', 'none'], ['l.png'], only_memory=True),
    Case('convert large', ['convert', 'large.png', 'l.png'], ['l.png'], only_memory=True),
    Case('convert large mesh', ['convert', 'large.obj', 'l.ply'], ['l.ply'], only_memory=True),
    Case('check', ['check', 'small.json', 'instance.json']),
    Case('info', ['info', 'small.json', '--json']),
    Case('nodes', ['nodes', '--json', 'geometry']),
    Case('dot', ['dot', 'small.json']),
    Case('new', ['new', '--title', 'New']),
    Case('schema', ['schema']),
    render('png', 'f%d.png', files=SEQUENCE),
    render('png 16', 'f%d.png', '--bits', '16', files=SEQUENCE),
    render('exr', 'f%d.exr', files=['f1.exr', 'f2.exr', 'f3.exr']),
    render('mp4', 'f.mp4'),
    render('gif', 'f.gif'),
    render('webm', 'f.webm', long=True),
    render('stream', '-', files=[]),
    render('y4m', '-', '--format', 'y4m', files=[]),
    render('states', 'f%d.png', '--cache-folder', 'states', '--cache-memory', '0', files=SEQUENCE, folders=['states']),
    Case('convert image', ['convert', 'big.png', 'b.png'], ['b.png']),
    Case('convert to exr', ['convert', 'big.png', 'b.exr'], ['b.exr']),
    Case('convert to standard output', ['convert', 'big.png', '-']),
    Case('convert ply', ['convert', 'big.obj', 'b.ply'], ['b.ply']),
    Case('convert obj', ['convert', 'big.obj', 'b.obj'], ['b.obj']),
    Case('convert gltf', ['convert', 'big.obj', 'b.gltf'], ['b.gltf', 'b.bin']),
    Case('run', ['run', 'script.kgs', '-o', 'made.json'], ['made.json']),
    Case('run in place', ['run', 'script.kgs', 'small.json', '-o', 'small.json'], ['small.json'], in_place=True),
    Case('run to standard output', ['run', 'script.kgs', 'small.json']),
    Case('presets list', ['presets', 'list']),
    Case('presets show', ['presets', 'show', 'physics/pendulum']),
    Case('presets check', ['presets', 'check', 'presets/half.preset.json']),
    Case('presets new', ['presets', 'new', 'torture/new', '-o', 'n.preset.json'], ['n.preset.json']),
    Case('presets pack', ['presets', 'pack', 'small.json', 'one', 'two', '--id', 'torture/pair', '-o', 'p.preset.json'],
         ['p.preset.json']),
    Case('presets unpack', ['presets', 'unpack', 'instance.json', 'p'], ['instance.json'], in_place=True),
    Case('presets upgrade', ['presets', 'upgrade', '--apply', 'instance.json'], ['instance.json'], in_place=True),
    Case('presets render-thumbnail', ['presets', 'render-thumbnail', 'presets/half.preset.json', '-o', 't.png', '--size', '32x18'],
         ['t.png']),
]
