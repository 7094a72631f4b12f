"""The compiled loops of the ray caster; `raycast.py` defines the columns of their arrays."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import njit

LOW, CELL, CELLS = -0.8, 0.05, 52
"""The grid: its corner in X and Y, a cell's side, and cells per side. Nothing lies beyond it."""
NEAR_LIGHT: Final = 0.14
"""Distance within which objects block the ambient light."""


@njit(cache=True)
def fill_cells(first, last):
    """Where each cell's objects begin, and their indices, from (N, 2) first and last columns, rows.

    A cell's objects are in ascending order.
    """
    starts = np.zeros(CELLS * CELLS + 1, np.int64)
    for index in range(len(first)):
        for row in range(first[index, 1], last[index, 1] + 1):
            for column in range(first[index, 0], last[index, 0] + 1):
                starts[row * CELLS + column + 1] += 1
    for cell in range(CELLS * CELLS):
        starts[cell + 1] += starts[cell]
    items = np.empty(starts[-1], np.int64)
    free = starts.copy()
    for index in range(len(first)):
        for row in range(first[index, 1], last[index, 1] + 1):
            for column in range(first[index, 0], last[index, 0] + 1):
                cell = row * CELLS + column
                items[free[cell]] = index
                free[cell] += 1
    return starts, items


@njit(cache=True, fastmath=True)
def _hit(objects, k, ox, oy, oz, dx, dy, dz, nearest):
    """Where a ray enters one object before `nearest`, and the normal in the object's own axes."""
    px, py, pz = ox - objects[k, 1], oy - objects[k, 2], oz - objects[k, 3]
    ax = objects[k, 7] * px + objects[k, 8] * py + objects[k, 9] * pz
    ay = objects[k, 10] * px + objects[k, 11] * py + objects[k, 12] * pz
    az = objects[k, 13] * px + objects[k, 14] * py + objects[k, 15] * pz
    bx = objects[k, 7] * dx + objects[k, 8] * dy + objects[k, 9] * dz
    by = objects[k, 10] * dx + objects[k, 11] * dy + objects[k, 12] * dz
    bz = objects[k, 13] * dx + objects[k, 14] * dy + objects[k, 15] * dz
    far = 1e9
    enter, leave = -far, far
    nx, ny, nz = 0.0, 0.0, 0.0
    if objects[k, 0] == 2.0:
        radius = objects[k, 4]
        t = far
        a = bx * bx + by * by
        if a > 1e-12:
            b = ax * bx + ay * by
            d = b * b - a * (ax * ax + ay * ay - radius * radius)
            if d > 0:
                s = (-b - math.sqrt(d)) / a
                z = az + s * bz
                if abs(z) <= objects[k, 6] and s > 1e-6:
                    t, nx, ny, nz = s, (ax + s * bx) / radius, (ay + s * by) / radius, 0.0
        for end in (-1.0, 1.0):
            cz = az - end * objects[k, 6]
            b = ax * bx + ay * by + cz * bz
            d = b * b - (ax * ax + ay * ay + cz * cz - radius * radius)
            if d > 0:
                s = -b - math.sqrt(d)
                if 1e-6 < s < t:
                    t = s
                    nx, ny = (ax + s * bx) / radius, (ay + s * by) / radius
                    nz = (cz + s * bz) / radius
        return (t, nx, ny, nz) if t < nearest else (far, nx, ny, nz)
    # the slab in z, shared by boxes and cylinders
    if abs(bz) < 1e-12:
        if abs(az) > objects[k, 6]:
            return far, nx, ny, nz
    else:
        one, two = (-objects[k, 6] - az) / bz, (objects[k, 6] - az) / bz
        if one > two:
            one, two = two, one
        enter, leave = one, two
        nz = -1.0 if bz > 0 else 1.0
    if objects[k, 0] == 0.0:
        a = bx * bx + by * by
        c = ax * ax + ay * ay - objects[k, 4] * objects[k, 4]
        if a < 1e-12:
            if c > 0:
                return far, nx, ny, nz
        else:
            b = ax * bx + ay * by
            d = b * b - a * c
            if d <= 0:
                return far, nx, ny, nz
            root = math.sqrt(d)
            one, two = (-b - root) / a, (-b + root) / a
            if one > enter:
                enter, nz = one, 0.0
                nx, ny = (ax + one * bx) / objects[k, 4], (ay + one * by) / objects[k, 4]
            leave = min(leave, two)
    else:
        for axis in range(2):
            p, q, h = (ax, bx, objects[k, 4]) if axis == 0 else (ay, by, objects[k, 5])
            if abs(q) < 1e-12:
                if abs(p) > h:
                    return far, nx, ny, nz
                continue
            one, two = (-h - p) / q, (h - p) / q
            if one > two:
                one, two = two, one
            if one > enter:
                enter, nz = one, 0.0
                sign = -1.0 if q > 0 else 1.0
                nx, ny = (sign, 0.0) if axis == 0 else (0.0, sign)
            leave = min(leave, two)
        radius = objects[k, 20]
        hx, hy, hz = objects[k, 4], objects[k, 5], objects[k, 6]
        corner = hx * hx + hy * hy + hz * hz
        if enter < leave and radius * radius < 0.99 * corner:  # they are cut off by a ball
            a = bx * bx + by * by + bz * bz
            b = ax * bx + ay * by + az * bz
            d = b * b - a * (ax * ax + ay * ay + az * az - radius * radius)
            if d <= 0:
                return far, nx, ny, nz
            root = math.sqrt(d)
            one, two = (-b - root) / a, (-b + root) / a
            if one > enter:
                enter = one
                nx, ny, nz = (ax + one * bx) / radius, (ay + one * by) / radius, (
                    az + one * bz) / radius  # fmt: skip
            leave = min(leave, two)
    if enter < leave and 1e-6 < enter < nearest:
        return enter, nx, ny, nz
    return far, nx, ny, nz


@njit(cache=True, fastmath=True)
def trace(objects, starts, items, top, ox, oy, oz, dx, dy, dz, reach, any_object):
    """The first object hit within `reach`: its index or -1, the distance, its own normal."""
    best, found = reach, -1
    nx, ny, nz = 0.0, 0.0, 0.0
    begin = 0.0
    if oz > top:
        if dz >= 0:
            return found, best, nx, ny, nz
        begin = (top - oz) / dz
    # clip to the grid
    high = LOW + CELL * CELLS
    end = best
    for axis in range(2):
        p, q = (ox, dx) if axis == 0 else (oy, dy)
        if abs(q) < 1e-9:
            if p < LOW or p > high:
                return found, best, nx, ny, nz
            continue
        one, two = (LOW - p) / q, (high - p) / q
        if one > two:
            one, two = two, one
        begin, end = max(begin, one), min(end, two)
    if begin >= end:
        return found, best, nx, ny, nz
    column = min(max(int((ox + dx * begin - LOW) / CELL), 0), CELLS - 1)
    row = min(max(int((oy + dy * begin - LOW) / CELL), 0), CELLS - 1)
    step_x, step_y = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
    next_x = (LOW + CELL * (column + (dx > 0)) - ox) / dx if abs(dx) > 1e-9 else 1e9
    next_y = (LOW + CELL * (row + (dy > 0)) - oy) / dy if abs(dy) > 1e-9 else 1e9
    wide = CELL / abs(dx) if abs(dx) > 1e-9 else 1e9
    deep = CELL / abs(dy) if abs(dy) > 1e-9 else 1e9
    t = begin
    while t < end:
        cell = row * CELLS + column
        out = min(next_x, next_y)
        lowest, highest = oz + dz * (t if dz > 0 else out), oz + dz * (out if dz > 0 else t)
        for k in range(starts[cell], starts[cell + 1]):
            index = items[k]
            z, far = objects[index, 3], objects[index, 20]
            if z + far < lowest or z - far > highest:  # most are far below an arm
                continue
            s, mx, my, mz = _hit(objects, index, ox, oy, oz, dx, dy, dz, best)
            if s < best:
                best, found, nx, ny, nz = s, index, mx, my, mz
                if any_object:
                    return found, best, nx, ny, nz
        t = min(next_x, next_y)
        if best < t:
            break
        if oz + dz * t > top and dz > 0:
            break
        if next_x < next_y:
            column += step_x
            next_x += wide
            if column < 0 or column >= CELLS:
                break
        else:
            row += step_y
            next_y += deep
            if row < 0 or row >= CELLS:
                break
    return found, best, nx, ny, nz


@njit(cache=True, fastmath=True)
def _texel(noise, index, u, v):
    x, y = u - math.floor(u), v - math.floor(v)
    x, y = x * 256, y * 256
    i, j = int(x), int(y)
    fx, fy = x - i, y - j
    i, j = i & 255, j & 255
    k, m = (i + 1) & 255, (j + 1) & 255
    above = noise[index, j, i] * (1 - fx) + noise[index, j, k] * fx
    below = noise[index, m, i] * (1 - fx) + noise[index, m, k] * fx
    return above * (1 - fy) + below * fy


@njit(cache=True, fastmath=True)
def _surface(o, m, noise, textures, x, y, z, nx, ny, nz, out):
    """Write the color to out[:3] and the normal, bent at beveled rims, to out[3:6] (own axes)."""
    kind = m[0]
    if abs(nz) > 0.5:
        u, v = x, y
    elif abs(nx) > abs(ny):
        u, v = y, z
    else:
        u, v = x, z
    mix = (_texel(noise, int(m[7]), u * m[8] + o[17], v * m[8] + o[18]) - 0.5) * m[9]
    out[3], out[4], out[5] = nx, ny, nz
    share = min(max(0.5 + mix, 0.0), 1.0) * 1.0
    for c in range(3):
        out[c] = m[1 + c] * share * 2 if m[4] < 0 else m[1 + c] * (1 - share) + m[4 + c] * share
    bevel = m[13]
    if kind == 1.0 or (kind == 0.0 and o[0] == 0.0):
        radius, far = o[4], math.sqrt(x * x + y * y)
        if kind == 1.0 and abs(nz) > 0.5:
            turn_c, turn_s = math.cos(o[17] * 6.28), math.sin(o[17] * 6.28)
            p = (turn_c * x - turn_s * y) / radius * 47 + 47.5
            q = (turn_s * x + turn_c * y) / radius * 47 + 47.5
            i, j = min(max(int(p), 0), 95), min(max(int(q), 0), 95)
            face = int(m[12])
            gain = 1 + 2 * mix
            for c in range(3):
                out[c] = textures[face, j, i, c] * gain
        if bevel > 0 and far > 1e-9:
            if abs(nz) > 0.5 and far > radius - bevel:
                s = (far - radius + bevel) / bevel
                out[3], out[4] = s * x / far, s * y / far
            elif abs(nz) <= 0.5 and abs(z) > o[6] - bevel:
                s = (abs(z) - o[6] + bevel) / bevel
                out[5] = s if z > 0 else -s
    elif kind >= 2.0:  # CUDA knows no sets
        side = 2 * o[4]
        if kind == 2.0:
            if abs(nz) > 0.5:
                face, p, q = (0 if nz > 0 else 5), x, y
            elif abs(nx) > abs(ny):
                face, p, q = (2 if nx > 0 else 3), y, z
            else:
                face, p, q = (4 if ny > 0 else 1), x, z
        # Seen from outside, p runs to the right on every face, so no number is mirrored.
        elif abs(nz) > 0.5:
            face, p, q = (0, x, y) if nz > 0 else (1, -x, y)
        elif abs(nx) > abs(ny):
            face, p, q = (2, y, z) if nx > 0 else (3, -y, z)
        else:
            face, p, q = (4, -x, z) if ny > 0 else (5, x, z)
        i = min(max(int((p / side + 0.5) * 96), 0), 95)
        j = min(max(int((0.5 - q / side) * 96), 0), 95)
        for c in range(3):
            out[c] = textures[int(m[12]) + face, j, i, c] * (1 + mix)
        _bend(o, bevel, m[15], x, y, z, out)
    elif o[0] == 1.0 and bevel > 0:
        _bend(o, bevel, m[15], x, y, z, out)
    for c in range(3):
        out[c] *= o[19]


@njit(cache=True, fastmath=True)
def _bend(o, bevel, power, x, y, z, out):
    for axis in range(3):
        p = x if axis == 0 else (y if axis == 1 else z)
        over = (abs(p) - o[4 + axis] + bevel) / bevel
        if over > 0:
            bent = over**power
            value = bent if p > 0 else -bent
            if abs(out[3 + axis]) < abs(value):
                out[3 + axis] = value


@njit(cache=True, fastmath=True)
def _chance(state):
    s = state[0]
    s ^= (s << np.uint64(13)) & np.uint64(0xFFFFFFFFFFFFFFFF)
    s ^= s >> np.uint64(7)
    s ^= (s << np.uint64(17)) & np.uint64(0xFFFFFFFFFFFFFFFF)
    state[0] = s
    return np.float64(s >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True, fastmath=True)
def sample(objects, starts, items, top, materials, noise, textures, field, box, table, table_z,
           lamps, room, turn, camera, lens, i, j, state, surface):  # fmt: skip
    """Linear BGR seen through a random place of pixel i, j; overwrites `state` and `surface`."""
    rows, columns = field.shape[0], field.shape[1]
    u = (i + _chance(state) - 0.5 - lens[2]) / lens[0]
    v = (j + _chance(state) - 0.5 - lens[3]) / lens[0]
    a, b = u, v
    for _ in range(3):
        bend = 1 + lens[1] * (a * a + b * b)
        a, b = u / bend, v / bend
    dx = turn[0, 0] * a + turn[1, 0] * b + turn[2, 0]
    dy = turn[0, 1] * a + turn[1, 1] * b + turn[2, 1]
    dz = turn[0, 2] * a + turn[1, 2] * b + turn[2, 2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    dx, dy, dz = dx / length, dy / length, dz / length
    if dz > -0.02:
        return 0.0, 0.0, 0.0
    # the planes
    t = -camera[2] / dz
    x, y = camera[0] + t * dx, camera[1] + t * dy
    is_field = box[0] < x < box[2] and box[1] < y < box[3]
    if not is_field:
        t = (table_z - camera[2]) / dz
    found, t, nx, ny, nz = trace(
        objects,
        starts,
        items,
        top,
        camera[0],
        camera[1],
        camera[2],
        dx,
        dy,
        dz,
        t,
        False,
    )
    x, y, z = camera[0] + t * dx, camera[1] + t * dy, camera[2] + t * dz
    gloss, shine = 0.0, 1.0
    if found >= 0:
        o = objects[found]
        m = materials[int(o[16])]
        px, py, pz = x - o[1], y - o[2], z - o[3]
        lx = o[7] * px + o[8] * py + o[9] * pz
        ly = o[10] * px + o[11] * py + o[12] * pz
        lz = o[13] * px + o[14] * py + o[15] * pz
        _surface(o, m, noise, textures, lx, ly, lz, nx, ny, nz, surface)
        ax, ay, az = surface[3], surface[4], surface[5]
        nx = o[7] * ax + o[10] * ay + o[13] * az
        ny = o[8] * ax + o[11] * ay + o[14] * az
        nz = o[9] * ax + o[12] * ay + o[15] * az
        length = math.sqrt(nx * nx + ny * ny + nz * nz) + 1e-12
        nx, ny, nz = nx / length, ny / length, nz / length
        gloss, shine = m[10], m[11]
    else:
        nx, ny, nz = 0.0, 0.0, 1.0
        if is_field:
            p = (x - box[0]) / (box[2] - box[0]) * columns
            q = (box[3] - y) / (box[3] - box[1]) * rows
            k, r = min(int(p), columns - 1), min(int(q), rows - 1)
            for c in range(3):
                surface[c] = field[r, k, c]
            gloss, shine = table[14], 6.0
        else:
            mix = _texel(noise, int(table[7]), x * table[8], y * table[8]) - 0.5
            share = min(max(0.5 + mix * table[9], 0.0), 1.0)
            for c in range(3):
                surface[c] = table[1 + c] * (1 - share) + table[4 + c] * share
            gloss, shine = table[10], table[11]
    # a little off the surface, so that it does not shadow itself
    x, y, z = x + nx * 2e-5, y + ny * 2e-5, z + nz * 2e-5
    # the ambient light: one direction, more likely upright (cosine)
    first, second = _chance(state), _chance(state) * 6.283185307
    flat = math.sqrt(first)
    rx, ry = flat * math.cos(second), flat * math.sin(second)
    rz = math.sqrt(1 - first)
    # around the normal, by adding it to a direction on the sphere
    sx, sy, sz = nx + rx * 0.9, ny + ry * 0.9, nz + (rz - 0.5) * 0.9
    length = math.sqrt(sx * sx + sy * sy + sz * sz) + 1e-9
    sx, sy, sz = sx / length, sy / length, sz / length
    open_share = 1.0
    if sz > 0:
        hidden, _, _, _, _ = trace(
            objects, starts, items, top, x, y, z, sx, sy, sz, NEAR_LIGHT, True
        )
        if hidden >= 0:
            open_share = 0.35
    else:
        open_share = 0.6
    blue, green, red = (
        room[0] * open_share * surface[0],
        room[1] * open_share * surface[1],
        room[2] * open_share * surface[2],
    )
    for k in range(lamps.shape[0]):
        lamp = lamps[k]
        ex = lamp[0] + lamp[3] * (2 * _chance(state) - 1) - x
        ey = lamp[1] + lamp[3] * (2 * _chance(state) - 1) - y
        ez = lamp[2] - z
        square = ex * ex + ey * ey + ez * ez
        length = math.sqrt(square)
        ex, ey, ez = ex / length, ey / length, ez / length
        facing = nx * ex + ny * ey + nz * ez
        if facing <= 0:
            continue
        hidden, _, _, _, _ = trace(objects, starts, items, top, x, y, z, ex, ey, ez, length, True)
        if hidden >= 0:
            continue
        glint = 0.0
        if gloss > 0:
            hx, hy, hz = ex - dx, ey - dy, ez - dz
            half = math.sqrt(hx * hx + hy * hy + hz * hz)
            glint = max(0.0, (nx * hx + ny * hy + nz * hz) / half) ** shine * gloss
        blue += lamp[4] / square * (facing * surface[0] + glint)
        green += lamp[5] / square * (facing * surface[1] + glint)
        red += lamp[6] / square * (facing * surface[2] + glint)
    return blue, green, red


@njit(cache=True, fastmath=True)
def seed_of(seed):
    """The state of the random numbers with this seed."""
    return np.uint64(seed * 2654435761 + 88172645463325252)


@njit(cache=True, fastmath=True, nogil=True)
def render_window(objects, starts, items, top, materials, noise, textures, field, box, table,
            table_z, lamps, room, turn, camera, lens, window, samples, seed, wanted):  # fmt: skip
    """(h, w, 3) linear BGR of the pixels in `window`, with `seed`; see `raycast.render`."""
    width, height = window[2] - window[0], window[3] - window[1]
    picture = np.zeros((height, width, 3), np.float32)
    state = np.full(1, seed_of(seed), np.uint64)
    surface = np.zeros(6)
    for j in range(height):
        for i in range(width):
            if not wanted[j, i]:
                continue
            for _ in range(samples):
                blue, green, red = sample(
                    objects, starts, items, top, materials, noise, textures, field, box, table,
                    table_z, lamps, room, turn, camera, lens, window[0] + i, window[1] + j, state,
                    surface,
                )  # fmt: skip
                picture[j, i, 0] += blue
                picture[j, i, 1] += green
                picture[j, i, 2] += red
    return picture / samples
