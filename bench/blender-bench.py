# SPDX-License-Identifier: GPL-3.0-or-later
"""The same work in Blender, run as: blender --background --factory-startup --python bench/blender-bench.py

Prints lines "name<tab>seconds" (medians).  Times are those of the dependency graph's update after an edit.
"""
import statistics
import time

import bpy

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


def plain(ob, edit):
    """The cost of updating the object without any modifier, to be told apart from that of the modifier."""
    return [(edit(i), update(ob))[1] for i in range(RUNS)]


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


def chain(n, name):
    clear()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=1, y_subdivisions=1, size=2)
    ob = bpy.context.object
    tree = bpy.data.node_groups.new('chain', 'GeometryNodeTree')
    tree.inputs.new('NodeSocketGeometry', 'Geometry')
    tree.outputs.new('NodeSocketGeometry', 'Geometry')
    first = tree.nodes.new('NodeGroupInput')
    last = tree.nodes.new('NodeGroupOutput')
    before = first.outputs[0]
    nodes = []
    for _ in range(n):
        node = tree.nodes.new('GeometryNodeTransform')
        node.inputs['Translation'].default_value = (0.001, 0, 0)
        tree.links.new(before, node.inputs[0])
        before = node.outputs[0]
        nodes.append(node)
    tree.links.new(before, last.inputs[0])
    modifier = ob.modifiers.new('nodes', 'NODES')
    modifier.node_group = tree
    update(ob)
    seconds = []
    for i in range(RUNS):
        nodes[0].inputs['Scale'].default_value = (1 + 0.1 * i, 1, 1)
        seconds.append(update(ob))
    report(name, seconds)

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


ffd()
skin()
morph()
chain(100, 'edit-chain-100')
particles(1000000)
