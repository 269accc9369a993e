# SPDX-License-Identifier: GPL-3.0-or-later
"""The same work in Blender, run as: blender --background --factory-startup --python bench/blender-bench.py [-- PART...]

Prints lines "name<tab>seconds" (medians).  Times are those of the dependency graph's update after an edit, unless said
otherwise.  Measures all, or only the parts named.
"""
import math
import os
import statistics
import sys
import tempfile
import time

import bpy
import mathutils

RUNS = 9


def clear():
    bpy.ops.object.select_all(action='SELECT')
    bpy.ops.object.delete()


def grid():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=999, y_subdivisions=999, size=2)
    return bpy.context.object


def update(ob):
    """Seconds from an edit that was just made to the evaluated mesh."""
    start = time.perf_counter()
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    mesh = ob.evaluated_get(graph).data
    assert len(mesh.vertices) > 0
    return time.perf_counter() - start


def report(name, seconds):
    print(f'{name}\t{statistics.median(seconds):.9f}', flush=True)


def ffd():
    clear()
    ob = grid()
    bpy.ops.object.add(type='LATTICE')
    cage = bpy.context.object
    cage.data.points_u = cage.data.points_v = cage.data.points_w = 4
    for kind in ('u', 'v', 'w'):
        setattr(cage.data, f'interpolation_type_{kind}', 'KEY_BSPLINE')
    cage.scale = (2.2, 2.2, 2.2)
    modifier = ob.modifiers.new('lattice', 'LATTICE')
    modifier.object = cage
    update(ob)
    seconds = []
    for i in range(RUNS):
        for k, point in enumerate(cage.data.points):
            point.co_deform.x += 0.01 * ((k + i) % 5 - 2)
        cage.data.update_tag()
        seconds.append(update(ob))
    report('ffd-1000000', seconds)


def skin():
    """16 bones in a grid, each of which every vertex has a weight of: 16 products a vertex, as in ours."""
    clear()
    ob = grid()
    bpy.ops.object.armature_add(enter_editmode=True)
    rig = bpy.context.object
    bones = rig.data.edit_bones
    bones.remove(bones[0])
    for i in range(16):
        bone = bones.new(f'bone{i}')
        bone.head = (i % 4 * 2 / 3 - 1, i // 4 * 2 / 3 - 1, 0)
        bone.tail = (bone.head[0], bone.head[1], 0.3)
    bpy.ops.object.mode_set(mode='POSE')
    every = range(len(ob.data.vertices))
    for i in range(16):
        # What the weights are changes nothing of the time.
        ob.vertex_groups.new(name=f'bone{i}').add(every, 1 / 16, 'REPLACE')
    modifier = ob.modifiers.new('armature', 'ARMATURE')
    modifier.object = rig
    update(ob)
    seconds = []
    for i in range(RUNS):
        for k, bone in enumerate(rig.pose.bones):
            bone.rotation_mode = 'XYZ'
            bone.rotation_euler = (0.1 * i, 0.01 * k, 0)
            bone.location = (0.01 * i, 0, 0.01 * k)
        seconds.append(update(ob))
    report('skin-1000000-by-16', seconds)
    bpy.ops.object.mode_set(mode='OBJECT')


def morph():
    clear()
    ob = grid()
    ob.shape_key_add(name='Basis')
    key = ob.shape_key_add(name='Turned')
    for point in key.data:
        x, y, z = point.co
        point.co = (-y, x, z)
    update(ob)
    seconds = []
    for i in range(RUNS):
        key.value = (i + 1) / 20
        seconds.append(update(ob))
    report('morph-1000000', seconds)


def use_node_editor(tree):
    """What operators on nodes ask for: a window that shows them, which is there without a display too."""
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.ui_type = 'GeometryNodeTree'
    area.spaces.active.pin = True
    area.spaces.active.node_tree = tree
    region = next(region for region in area.regions if region.type == 'WINDOW')
    return bpy.context.temp_override(window=window, area=area, region=region, space_data=area.spaces.active)


def new_tree(name):
    """Geometry nodes with one geometry in and out."""
    tree = bpy.data.node_groups.new(name, 'GeometryNodeTree')
    tree.inputs.new('NodeSocketGeometry', 'Geometry')
    tree.outputs.new('NodeSocketGeometry', 'Geometry')
    return tree


def make_chain(n):
    """A tree of n nodes one after the other, and the first of them.  Adding a node takes the longer the more there are, and
    much longer if many have similar names: a long chain is made of copies, each as long as all before."""
    tree = new_tree('chain')
    length = n
    while length > 1000 and length % 2 == 0:
        length //= 2
    first = last = None
    for i in range(length):
        node = tree.nodes.new('GeometryNodeTransform')
        node.name = f'n{i}'
        node.inputs['Translation'].default_value = (0.001, 0, 0)
        if last:
            tree.links.new(last.outputs[0], node.inputs[0])
        first, last = first or node, node
    while length < n:
        with use_node_editor(tree):
            bpy.ops.node.select_all(action='SELECT')
            bpy.ops.node.duplicate()
        copies = [node for node in tree.nodes if node.select]
        tree.links.new(last.outputs[0], next(node for node in copies if not node.inputs[0].is_linked).inputs[0])
        last = next(node for node in copies if not node.outputs[0].is_linked)
        length *= 2
    tree.links.new(tree.nodes.new('NodeGroupInput').outputs[0], first.inputs[0])
    tree.links.new(last.outputs[0], tree.nodes.new('NodeGroupOutput').inputs[0])
    assert len(tree.nodes) == n + 2 and len(tree.links) == n + 1
    return tree, first


def chain(n, name):
    """From the edit on, as in ours."""
    clear()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=1, y_subdivisions=1, size=2)
    ob = bpy.context.object
    tree, first = make_chain(n)
    ob.modifiers.new('nodes', 'NODES').node_group = tree
    update(ob)
    seconds = []
    for i in range(RUNS):
        start = time.perf_counter()
        first.inputs['Scale'].default_value = (1 + 0.1 * i, 1, 1)
        update(ob)
        seconds.append(time.perf_counter() - start)
    graph = bpy.context.evaluated_depsgraph_get()
    moved = ob.evaluated_get(graph).data.vertices[0].co.x + 0.1 * (RUNS - 1) + 1
    assert abs(moved - 0.001 * n) < 1e-3 * n ** 0.5, moved
    report(name, seconds)
    bpy.data.node_groups.remove(tree)


def file():
    """A tree that nothing uses: what is read is not evaluated, nor is it in ours."""
    clear()
    tree, _ = make_chain(10000)
    tree.use_fake_user = True
    load, save = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'chain.blend')
        for _ in range(RUNS):
            start = time.perf_counter()
            bpy.ops.wm.save_as_mainfile(filepath=path, compress=False)
            save.append(time.perf_counter() - start)
            start = time.perf_counter()
            bpy.ops.wm.open_mainfile(filepath=path)
            load.append(time.perf_counter() - start)
            assert len(bpy.data.node_groups['chain'].nodes) == 10002
    report('load-10000-nodes', load)
    report('save-10000-nodes', save)


def look_at(ob):
    """The camera that our render/scene stands where a scene has none: everything is in view."""
    corners = [ob.matrix_world @ mathutils.Vector(corner) for corner in ob.bound_box]
    low, high = (mathutils.Vector(map(f, zip(*corners))) for f in (min, max))
    z = mathutils.Vector((0.35, 0.35, 1)).normalized()
    x = mathutils.Vector((0, 1, 0)).cross(z).normalized()
    eye = (low + high) / 2 + 1.15 * (high - low).length / 2 / math.sin(math.radians(22.5)) * z
    bpy.ops.object.camera_add()
    camera = bpy.context.object
    camera.matrix_world = mathutils.Matrix((x, z.cross(x), z)).transposed().to_4x4()
    camera.location = eye
    camera.data.sensor_fit = 'VERTICAL'
    camera.data.angle_y = math.radians(45)
    return camera


def scan():
    """The same grid in the same view, one sample a pixel, by Workbench: what a render takes from call to picture."""
    clear()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=707, y_subdivisions=707, size=2)
    ob = bpy.context.object
    bpy.ops.object.shade_smooth()
    ob.rotation_euler = (math.radians(-40), math.radians(15), 0)
    bpy.context.view_layer.update()
    assert len(ob.data.polygons) == 707 * 707
    scene = bpy.context.scene
    scene.camera = look_at(ob)
    scene.render.engine = 'BLENDER_WORKBENCH'
    scene.display.render_aa = 'OFF'
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 1920, 1080, 100
    seconds = []
    for i in range(4):
        scene.world.color = (0.1 * i, 0, 0)
        start = time.perf_counter()
        bpy.ops.render.render()
        seconds.append(time.perf_counter() - start)
    # The first one sets up what draws.
    report('scan-1000000-triangles', seconds[1:])


def emit(n):
    """The settings of n particles, all born in the first frame from the object that was just made."""
    ob = bpy.context.object
    ob.modifiers.new('particles', 'PARTICLE_SYSTEM')
    settings = ob.particle_systems[0].settings
    settings.count = n
    settings.frame_start = settings.frame_end = 1
    settings.lifetime = 500
    settings.render_type = 'NONE'
    settings.display_method = 'NONE'
    return settings


def time_frames(name, first):
    """Plays, and times the frames from first on."""
    scene = bpy.context.scene
    scene.frame_end = 250
    for frame in range(1, first):
        scene.frame_set(frame)
    seconds = []
    for frame in range(first, first + RUNS):
        start = time.perf_counter()
        scene.frame_set(frame)
        seconds.append(time.perf_counter() - start)
    report(name, seconds)


def particles(n):
    """The same step: n particles that move under gravity, each frame computed from the last."""
    clear()
    bpy.ops.mesh.primitive_plane_add(size=2)
    settings = emit(n)
    settings.normal_factor = 5
    time_frames('particles-1000000-step', 3)


def falling(n):
    """n particles, all born over a ball that stands on a floor, fall on them through turbulent air."""
    clear()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=36, radius=1)
    bpy.context.object.modifiers.new('collision', 'COLLISION')
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=32, y_subdivisions=32, size=12, location=(0, 0, -1))
    bpy.context.object.modifiers.new('collision', 'COLLISION')
    bpy.ops.object.effector_add(type='TURBULENCE', location=(0, 0, 0))
    bpy.context.object.field.strength = 2
    bpy.ops.mesh.primitive_plane_add(size=4, location=(0, 0, 3))
    settings = emit(n)
    settings.normal_factor = 1
    settings.drag_factor = 0.2
    settings.particle_size = 0.01
    settings.use_size_deflect = True
    time_frames(f'falling-{n}-step', 22)


def boids(n, size):
    """Blender's boids, born in the same box, each frame computed from the last."""
    clear()
    bpy.ops.mesh.primitive_cube_add(size=size)
    settings = emit(n)
    settings.emit_from = 'VOLUME'
    settings.physics_type = 'BOIDS'
    time_frames(f'flock-{n}-step', 13)


def attribute_tree(build):
    """Stores what build makes of the positions of the points as an attribute.  Returns the input that build gives to change."""
    tree = new_tree('attribute')
    line = tree.nodes.new('GeometryNodeMeshLine')
    store = tree.nodes.new('GeometryNodeStoreNamedAttribute')
    output = tree.nodes.new('NodeGroupOutput')
    split = tree.nodes.new('ShaderNodeSeparateXYZ')
    position = tree.nodes.new('GeometryNodeInputPosition')
    store.data_type = 'FLOAT'
    store.inputs['Name'].default_value = 'made'
    line.inputs['Offset'].default_value = (1e-5, 2e-5, 1.5e-5)
    tree.links.new(position.outputs[0], split.inputs[0])
    tree.links.new(line.outputs[0], store.inputs['Geometry'])
    tree.links.new(store.outputs[0], output.inputs[0])
    value, changed = build(tree, position.outputs[0], split.outputs)
    # A data type has a value socket of its own.
    socket = next(s for s in store.inputs if s.name == 'Value' and s.enabled)
    tree.links.new(value, socket)
    return tree, line, changed


def time_attribute(build, n):
    """Seconds of an update for n points after a change, median."""
    clear()
    bpy.ops.mesh.primitive_cube_add()
    ob = bpy.context.object
    tree, line, changed = attribute_tree(build)
    line.inputs['Count'].default_value = n
    modifier = ob.modifiers.new('nodes', 'NODES')
    modifier.node_group = tree
    update(ob)
    seconds = []
    for i in range(RUNS):
        changed.default_value = 1 + 0.01 * i
        seconds.append(update(ob))
    return statistics.median(seconds)


def plain(tree, _position, split):
    """One multiplication: what making the points and storing the attribute costs."""
    node = tree.nodes.new('ShaderNodeMath')
    node.operation = 'MULTIPLY'
    tree.links.new(split[0], node.inputs[0])
    return node.outputs[0], node.inputs[1]


def noise():
    """The noise texture of geometry nodes, without the time of a tree that only multiplies."""
    n = 10000000
    before = time_attribute(plain, n)
    for name, kind, detail in (('noise-gradient-10000000', 'ShaderNodeTexNoise', 0),
                               ('noise-fractal-5-10000000', 'ShaderNodeTexNoise', 4),
                               ('noise-cells-10000000', 'ShaderNodeTexVoronoi', None)):
        def build(tree, position, _split, kind=kind, detail=detail):
            node = tree.nodes.new(kind)
            if detail is not None:
                node.inputs['Detail'].default_value = detail
            tree.links.new(position, node.inputs['Vector'])
            return node.outputs['Fac' if detail is not None else 'Distance'], node.inputs['Scale']

        report(name, [time_attribute(build, n) - before])


def formula():
    """(x x + y y - a) (x - y) / (1 + x x y y) in math nodes, without the time of a tree that only multiplies."""
    n = 1000000

    def build(tree, _position, split):
        def node(operation, a, b):
            made = tree.nodes.new('ShaderNodeMath')
            made.operation = operation
            for socket, source in zip(made.inputs, (a, b)):
                if isinstance(source, (int, float)):
                    socket.default_value = source
                else:
                    tree.links.new(source, socket)
            return made

        x, y = split[0], split[1]
        xx, yy = node('MULTIPLY', x, x).outputs[0], node('MULTIPLY', y, y).outputs[0]
        less = node('SUBTRACT', node('ADD', xx, yy).outputs[0], 0.5)
        top = node('MULTIPLY', less.outputs[0], node('SUBTRACT', x, y).outputs[0]).outputs[0]
        below = node('ADD', node('MULTIPLY', xx, yy).outputs[0], 1).outputs[0]
        return node('DIVIDE', top, below).outputs[0], less.inputs[1]

    report('expression-arithmetic', [time_attribute(build, n) - time_attribute(plain, n)])


PARTS = {
    'ffd': ffd,
    'skin': skin,
    'morph': morph,
    'short-chain': lambda: chain(100, 'edit-chain-100'),
    'long-chain': lambda: chain(10000, 'edit-chain-10000'),
    'particles': lambda: particles(1000000),
    'falling': lambda: (falling(100000), falling(1000000)),
    'boids': lambda: (boids(2000, 14), boids(100000, 52)),
    'noise': noise,
    'formula': formula,
    'scene': scan,
    'file': file,  # last: it opens a file
}
wanted = sys.argv[sys.argv.index('--') + 1:] if '--' in sys.argv else []
for part, measure in PARTS.items():
    if part in wanted or not wanted:
        measure()
