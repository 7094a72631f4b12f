"""The same scenes by Blender's path tracer: rounded edges that reflect the lamps, true shadows.

`raycast.py` draws a hundred times as many scenes in the same time; what it cannot draw is a lamp's
glint on a die's rounded corner, as bright as a pip. Needs bpy (Blender as a module).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from calibration.pose import Pose
from engine.arrays import Floats, Floats32
from vision.training.render import raycast as rc

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"  # read by cv2 when it is first imported

import bpy
import cv2

BLENDER_SCALE: Final = 40.0
"""Blender units per field width: at a scale of 1, anything below a thousandth is lost to
rounding."""
SENSOR: Final = 36.0
RIM_FACES: Final = 48
"""Faces of a checker's rim."""
# For each face of a box: its axis and sign, and which own axes run right and up on it, signed.
DIE_FACE_AXES: Final = (
    (2, 1, (0, 1), (1, 1)), (1, -1, (0, 1), (2, 1)), (0, 1, (1, 1), (2, 1)),
    (0, -1, (1, 1), (2, 1)), (1, 1, (0, 1), (2, 1)), (2, -1, (0, 1), (1, 1)),
)  # fmt: skip
CUBE_FACE_AXES: Final = (
    (2, 1, (0, 1), (1, 1)), (2, -1, (0, -1), (1, 1)), (0, 1, (1, 1), (2, 1)),
    (0, -1, (1, -1), (2, 1)), (1, 1, (0, -1), (2, 1)), (1, -1, (0, 1), (2, 1)),
)  # fmt: skip


def render(
    world: rc.RenderWorld, pose: Pose, window: rc.Window, samples: int, seed: int
) -> Floats32:
    """Like `raycast.render`: (h, w, 3) linear BGR of the picture's pixels in `window`.

    The pose's distortion is ignored.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    _settings(scene, samples, seed)
    _camera(scene, pose, window)
    _light(scene, world)
    paints = _Paints(world)
    _planes(scene, world, paints)
    for row in world.objects:
        _put(scene, row, world, paints)
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "light.exr")
        bpy.ops.render.render(write_still=True)
        light = np.asarray(cv2.imread(scene.render.filepath, cv2.IMREAD_UNCHANGED), np.float32)
    return light[:, :, :3]


def _settings(scene: Any, samples: int, seed: int) -> None:
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.seed = "CPU", samples, seed
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 3, 2, 2
    cycles.sample_clamp_indirect = 3.0
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.render.image_settings.color_mode = "RGB"


def _camera(scene: Any, pose: Pose, window: rc.Window) -> None:
    width, height = pose.size
    render = scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = width, height, 100
    render.use_border = render.use_crop_to_border = True
    render.border_min_x, render.border_max_x = window[0] / width, window[2] / width
    render.border_min_y = 1 - window[3] / height
    render.border_max_y = 1 - window[1] / height
    data = bpy.data.cameras.new("camera")
    data.sensor_fit, data.sensor_width = "HORIZONTAL", SENSOR
    data.lens = pose.focal / width * SENSOR
    data.clip_start, data.clip_end = 0.01, 1e4
    camera = bpy.data.objects.new("camera", data)
    scene.collection.objects.link(camera)
    place = np.eye(4)
    place[:3, :3] = pose.matrix.T * (1, -1, -1)  # Blender looks along -Z, with Y up
    place[:3, 3] = pose.eye * BLENDER_SCALE
    camera.matrix_world = place.T
    scene.camera = camera


def _light(scene: Any, world: rc.RenderWorld) -> None:
    for lamp in world.lamps:
        data = bpy.data.lights.new("lamp", "POINT")
        data.shadow_soft_size = max(0.01, lamp[3]) * BLENDER_SCALE
        power = float(lamp[4:7].max())
        # Lambert's reflection of a point light of W watts is W / (4 pi^2 d^2).
        data.energy = 4 * np.pi**2 * power * BLENDER_SCALE**2
        data.color = lamp[6:3:-1] / power
        lit = bpy.data.objects.new("lamp", data)
        lit.location = lamp[:3] * BLENDER_SCALE
        scene.collection.objects.link(lit)
    room = bpy.data.worlds.new("room")
    scene.world = room
    room.use_nodes = True
    node = room.node_tree.nodes["Background"]
    node.inputs["Color"].default_value = (*world.room[::-1], 1)


class _Paints:
    """The scene's materials and pictures, each made when first requested."""

    def __init__(self, world: rc.RenderWorld) -> None:
        self.world = world
        self._made: dict[tuple[str, int], Any] = {}
        self._meshes: dict[tuple[float, ...], Any] = {}

    def picture(self, name: str, index: int, pixels: Floats32) -> Any:
        """A picture in linear BGR, with its first row on top."""
        key = (name, index)
        if key not in self._made:
            height, width = pixels.shape[:2]
            made = bpy.data.images.new(f"{name}{index}", width, height, float_buffer=True)
            made.colorspace_settings.name = "Linear Rec.709"
            rgba = np.ones((height, width, 4), np.float32)
            rgba[..., :3] = pixels[::-1, :, ::-1]
            made.pixels.foreach_set(rgba.ravel())
            self._made[key] = made
        return self._made[key]

    def noise(self, index: int) -> Any:
        """One of the world's textures, with its value in all three channels."""
        grey = np.repeat(self.world.noise[index][..., None], 3, axis=2)
        return self.picture("noise", index, grey)

    def mesh(self, key: tuple[float, ...], make: Any) -> Any:
        """One mesh for all objects of the same kind, size and material."""
        if key not in self._meshes:
            self._meshes[key] = make()
        return self._meshes[key]

    def material(self, index: int, *, side: bool = False) -> Any:
        """A row of the world's materials; `side` for the rim of an object with a picture on top."""
        key = ("rim" if side else "paint", index)
        if key not in self._made:
            row = self.world.materials[index]
            shown = self._shown(index, row, side=side)
            self._made[key] = self._painted(f"{key[0]}{index}", row, shown)
        return self._made[key]

    def table(self) -> Any:
        """The table's material."""
        return self._painted("table", self.world.table, None)

    def field(self) -> Any:
        """The inside of the board."""
        row = self.world.table.copy()
        row[rc.GLOSS], row[rc.SHINE] = self.world.table[rc.FELT_GLOSS], 6.0
        return self._painted("field", row, self.picture("field", 0, self.world.field))

    def _shown(self, index: int, row: Floats, *, side: bool) -> Any:
        """The picture on objects of this material; None if it has none."""
        kind, first = row[rc.KIND], int(row[rc.TEXTURE])
        textures = self.world.textures
        if kind == rc.CHECKER and not side:
            return self.picture("top", first, textures[first])
        if kind in {rc.CUBE, rc.DIE}:
            return self.picture("faces", first, np.hstack(list(textures[first : first + 6])))
        return None

    def _painted(self, name: str, row: Floats, picture: Any) -> Any:
        made = bpy.data.materials.new(name)
        made.use_nodes = True
        nodes, links = made.node_tree.nodes, made.node_tree.links
        shader = nodes["Principled BSDF"]
        # Blinn-Phong's exponent as a microfacet roughness (Walter et al. 2007); matte materials are
        # rough.
        shines = row[rc.GLOSS] > 0.01
        # Dice are polished: a ray caster's lamps are points and must be blurred, but these have a
        # size.
        sharp = row[rc.SHINE] ** (1.5 if row[rc.KIND] == rc.DIE else 1.0)
        alpha = np.sqrt(2 / (sharp + 2)) if shines else 0.8
        shader.inputs["Roughness"].default_value = float(np.sqrt(alpha))
        shader.inputs["Specular IOR Level"].default_value = 0.5 if shines else 0.2
        colour = _mixed(nodes, links, self, row) if picture is None else None
        if picture is not None:
            colour = nodes.new("ShaderNodeTexImage")
            colour.image, colour.extension = picture, "EXTEND"
            colour = colour.outputs["Color"]
        gain = nodes.new("ShaderNodeMix")
        gain.data_type, gain.blend_type = "RGBA", "MULTIPLY"
        gain.inputs["Factor"].default_value = 1.0
        links.new(colour, gain.inputs["A"])
        links.new(nodes.new("ShaderNodeObjectInfo").outputs["Color"], gain.inputs["B"])
        links.new(gain.outputs["Result"], shader.inputs["Base Color"])
        return made


def _mixed(nodes: Any, links: Any, paints: _Paints, row: Floats) -> Any:
    where = nodes.new("ShaderNodeTexCoord")
    repeat = nodes.new("ShaderNodeMapping")
    repeat.inputs["Scale"].default_value = [float(row[rc.SCALE]) / BLENDER_SCALE] * 3
    links.new(where.outputs["Object"], repeat.inputs["Vector"])
    noise = nodes.new("ShaderNodeTexImage")
    noise.image, noise.projection = paints.noise(int(row[rc.NOISE])), "BOX"
    links.new(repeat.outputs["Vector"], noise.inputs["Vector"])
    share = nodes.new("ShaderNodeMapRange")
    amount = float(row[rc.AMOUNT])
    share.inputs["To Min"].default_value = 0.5 - amount / 2
    share.inputs["To Max"].default_value = 0.5 + amount / 2
    links.new(noise.outputs["Color"], share.inputs["Value"])
    mix = nodes.new("ShaderNodeMix")
    mix.data_type = "RGBA"
    mix.clamp_factor = True
    links.new(share.outputs["Result"], mix.inputs["Factor"])
    for name, column in (("A", rc.FIRST), ("B", rc.SECOND)):
        mix.inputs[name].default_value = (*row[column : column + 3][::-1], 1)
    return mix.outputs["Result"]


def _planes(scene: Any, world: rc.RenderWorld, paints: _Paints) -> None:
    x0, y0, x1, y1 = world.field_box
    far = 6.0
    inside = [(x0, y0, 0), (x1, y0, 0), (x1, y1, 0), (x0, y1, 0)]
    table = [(x, y, world.table_z) for x, y in ((-far, -far), (far, -far), (far, far), (-far, far))]
    for corners, material in ((inside, paints.field()), (table, paints.table())):
        mesh = bpy.data.meshes.new("plane")
        mesh.from_pydata((np.array(corners) * BLENDER_SCALE).tolist(), [], [(0, 1, 2, 3)])
        layer = mesh.uv_layers.new()
        for loop, uv in zip(layer.data, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
            loop.uv = uv
        mesh.materials.append(material)
        scene.collection.objects.link(bpy.data.objects.new("plane", mesh))


def _put(scene: Any, row: Floats, world: rc.RenderWorld, paints: _Paints) -> None:
    kind, index = row[rc.TYPE], int(row[rc.MATERIAL])
    half = row[rc.HALF : rc.HALF + 3]
    key = (kind, index, *half)
    if kind == rc.BOX:
        mesh = paints.mesh(key, lambda: _box(half, world.materials[index], paints.material(index)))
    else:
        high = np.add(half, (0, 0, half[0])) if kind == rc.CAPSULE else half
        bevel = half[0] * 0.9 if kind == rc.CAPSULE else world.materials[index][rc.BEVEL]
        is_checker = world.materials[index][rc.KIND] == rc.CHECKER
        paint = [paints.material(index), paints.material(index, side=is_checker)]
        mesh = paints.mesh(key, lambda: _disc(high, float(bevel), paint))
    put = bpy.data.objects.new("object", mesh)
    place = np.eye(4)
    turn = row[rc.TURN : rc.TURN + 9].reshape(3, 3).T
    spin = 2 * np.pi * row[rc.SHIFT] if kind == rc.CYLINDER else 0.0
    c, s = np.cos(spin), np.sin(spin)
    place[:3, :3] = turn @ np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])
    place[:3, 3] = row[rc.CENTRE : rc.CENTRE + 3] * BLENDER_SCALE
    put.matrix_world = place.T
    put.color = (*[float(row[rc.GAIN])] * 3, 1)
    scene.collection.objects.link(put)


def _box(half: Floats, row: Floats, material: Any) -> Any:
    """A rounded box with the faces of a die or a cube on it."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces, uvs = [], []
    table = DIE_FACE_AXES if row[rc.KIND] == rc.DIE else CUBE_FACE_AXES
    for number, (axis, sign, right, up) in enumerate(table):
        own = [n for n, corner in enumerate(corners) if corner[axis] == sign]
        seen = {n: (corners[n][right[0]] * right[1], corners[n][up[0]] * up[1]) for n in own}
        round_ = sorted(own, key=lambda n: np.arctan2(seen[n][1], seen[n][0]))
        one, two, three = (np.array(corners[n]) for n in round_[:3])
        if np.cross(two - one, three - two)[axis] * sign < 0:
            round_.reverse()
        faces.append(round_)
        uvs += [((number + (seen[n][0] + 1) / 2) / 6, (seen[n][1] + 1) / 2) for n in round_]
    mesh = bpy.data.meshes.new("box")
    mesh.from_pydata((np.array(corners) * half * BLENDER_SCALE).tolist(), [], faces)
    layer = mesh.uv_layers.new()
    for loop, uv in zip(layer.data, uvs, strict=True):
        loop.uv = uv
    mesh.materials.append(material)
    width = float(min(row[rc.BEVEL], 0.6 * half.min()))
    return _rounded(mesh, width, 5 if row[rc.KIND] == rc.DIE else 2)


def _disc(half: Floats, bevel: float, paints: Sequence[Any]) -> Any:
    """A cylinder with a picture on its ends but not on its rim."""
    way = np.arange(RIM_FACES) * 2 * np.pi / RIM_FACES
    ring = np.stack([np.cos(way), np.sin(way)], axis=1) * half[0]
    corners = [(x, y, z) for z in (-half[2], half[2]) for x, y in ring]
    after = [(n + 1) % RIM_FACES for n in range(RIM_FACES)]
    faces = [[*range(RIM_FACES - 1, -1, -1)], [*range(RIM_FACES, 2 * RIM_FACES)]]
    faces += [[n, after[n], RIM_FACES + after[n], RIM_FACES + n] for n in range(RIM_FACES)]
    mesh = bpy.data.meshes.new("disc")
    mesh.from_pydata((np.array(corners) * BLENDER_SCALE).tolist(), [], faces)
    layer = mesh.uv_layers.new()
    for polygon in mesh.polygons:
        polygon.material_index = 0 if len(polygon.vertices) > 4 else 1
        for loop in polygon.loop_indices:
            x, y, _ = mesh.vertices[mesh.loops[loop].vertex_index].co / BLENDER_SCALE / half[0]
            layer.data[loop].uv = (x * 0.49 + 0.5, y * 0.49 + 0.5)
    for paint in paints:
        mesh.materials.append(paint)
    return _rounded(mesh, min(bevel, 0.9 * float(half[2])), 3)


def _rounded(mesh: Any, width: float, segments: int) -> Any:
    if width < 1e-4:
        return mesh
    held = bpy.data.objects.new("held", mesh)
    bpy.context.scene.collection.objects.link(held)
    bevel = held.modifiers.new("bevel", "BEVEL")
    bevel.width, bevel.segments = width * BLENDER_SCALE, segments
    bevel.limit_method, bevel.angle_limit = "ANGLE", np.radians(40)
    bevel.harden_normals = True
    mesh.shade_smooth()
    ready = held.evaluated_get(bpy.context.evaluated_depsgraph_get())
    made = bpy.data.meshes.new_from_object(ready)
    bpy.data.objects.remove(held)
    return made
