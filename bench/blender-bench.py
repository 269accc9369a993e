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


def make_chain(n):
    """A tree of n nodes one after the other, and the first of them.  Adding a node takes the longer the more there are, and
    much longer if many have similar names: a long chain is made of copies, each as long as all before."""
    tree = bpy.data.node_groups.new('chain', 'GeometryNodeTree')
    tree.inputs.new('NodeSocketGeometry', 'Geometry')
    tree.outputs.new('NodeSocketGeometry', 'Geometry')
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


def particles(n):
    """The same step: n particles that move under gravity, each frame computed from the last."""
    clear()
    bpy.ops.mesh.primitive_plane_add(size=2)
    ob = bpy.context.object
    ob.modifiers.new('particles', 'PARTICLE_SYSTEM')
    settings = ob.particle_systems[0].settings
    settings.count = n
    settings.frame_start = settings.frame_end = 1
    settings.lifetime = 500
    settings.render_type = 'NONE'
    settings.display_method = 'NONE'
    settings.normal_factor = 5
    scene = bpy.context.scene
    scene.frame_end = 250
    scene.frame_set(1)
    scene.frame_set(2)
    seconds = []
    for frame in range(3, 3 + RUNS):
        start = time.perf_counter()
        scene.frame_set(frame)
        seconds.append(time.perf_counter() - start)
    report('particles-1000000-step', seconds)


def boids(n, size):
    """Blender's boids, born in the same box, each frame computed from the last."""
    clear()
    bpy.ops.mesh.primitive_cube_add(size=size)
    ob = bpy.context.object
    ob.modifiers.new('particles', 'PARTICLE_SYSTEM')
    settings = ob.particle_systems[0].settings
    settings.count = n
    settings.frame_start = settings.frame_end = 1
    settings.lifetime = 500
    settings.emit_from = 'VOLUME'
    settings.physics_type = 'BOIDS'
    settings.render_type = 'NONE'
    settings.display_method = 'NONE'
    scene = bpy.context.scene
    scene.frame_end = 250
    for frame in range(1, 13):
        scene.frame_set(frame)
    seconds = []
    for frame in range(13, 13 + RUNS):
        start = time.perf_counter()
        scene.frame_set(frame)
        seconds.append(time.perf_counter() - start)
    report(f'flock-{n}-step', seconds)


PARTS = {
    'ffd': ffd,
    'skin': skin,
    'morph': morph,
    'short-chain': lambda: chain(100, 'edit-chain-100'),
    'long-chain': lambda: chain(10000, 'edit-chain-10000'),
    'particles': lambda: particles(1000000),
    'boids': lambda: (boids(2000, 14), boids(100000, 52)),
    'scene': scan,
    'file': file,  # last: it opens a file
}
wanted = sys.argv[sys.argv.index('--') + 1:] if '--' in sys.argv else []
for part, measure in PARTS.items():
    if part in wanted or not wanted:
        measure()
