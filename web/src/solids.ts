// Bodies as faces and lines: where a box, a cylinder, a surface or a spring is at the time of its scene.
import type { Body, Scene } from './scene';
import { add, cross, dot, frameOf, norm, scaled, unit, type Vector } from './vectors';

export interface Pose {
    centre: Vector;
    axes: [Vector, Vector, Vector];
}

// Where the frame of a body is. Between rows a rotation is a mean of two, so it is made one again.
export function poseOf(scene: Scene, body: Body): Pose {
    const centre = scene.vector(body.points[0]),
        v = scene.values;
    if (body.turn && body.turn.length === 9) {
        const column = (j: number): Vector => [v[body.turn![j]], v[body.turn![3 + j]], v[body.turn![6 + j]]];
        const x = unit(column(0)),
            y = unit(add(column(1), x, -dot(column(1), x)));
        return { centre, axes: [x, y, cross(x, y)] };
    }
    const angle = body.angle === undefined ? 0 : v[body.angle],
        c = Math.cos(angle),
        s = Math.sin(angle);
    return {
        centre,
        axes: [
            [c, s, 0],
            [-s, c, 0],
            [0, 0, 1],
        ],
    };
}

// Half the sizes along the axes; a plane body has no third.
export function halves(scene: Scene, body: Body): Vector {
    const size = (i: number): number => (body.sizes && i < body.sizes.length ? scene.values[body.sizes[i]] / 2 : 0);
    return [size(0), size(1), size(2)];
}

const corner = ({ centre, axes }: Pose, x: number, y: number, z: number): Vector =>
    add(add(add(centre, axes[0], x), axes[1], y), axes[2], z);

// The faces of a box, each with its corners in order; of a plane one the one face.
function boxFaces(scene: Scene, body: Body): Vector[][] {
    const pose = poseOf(scene, body),
        [a, b, c] = halves(scene, body);
    if (c === 0)
        return [[corner(pose, -a, -b, 0), corner(pose, a, -b, 0), corner(pose, a, b, 0), corner(pose, -a, b, 0)]];
    const at = (i: number, j: number, k: number): Vector => corner(pose, i * a, j * b, k * c);
    const faces: Vector[][] = [];
    for (const s of [-1, 1]) {
        faces.push([at(s, -1, -1), at(s, 1, -1), at(s, 1, 1), at(s, -1, 1)]);
        faces.push([at(-1, s, -1), at(1, s, -1), at(1, s, 1), at(-1, s, 1)]);
        faces.push([at(-1, -1, s), at(1, -1, s), at(1, 1, s), at(-1, 1, s)]);
    }
    return faces;
}

function cylinderFaces(scene: Scene, body: Body, sides: number): Vector[][] {
    const p = scene.vector(body.points[0]),
        q = scene.vector(body.points[1] ?? body.points[0]);
    const radius = body.radius === undefined ? 0 : scene.values[body.radius];
    if (scene.dimension === 2) {
        // seen from the side
        const along = unit(add(q, p, -1)),
            off: Vector = scaled([-along[1], along[0], 0], radius);
        return [[add(p, off), add(q, off), add(q, off, -1), add(p, off, -1)]];
    }
    const [e, f] = frameOf(unit(add(q, p, -1)));
    const ring = (base: Vector): Vector[] =>
        Array.from({ length: sides }, (_, k) => {
            const angle = (2 * Math.PI * k) / sides;
            return add(add(base, e, radius * Math.cos(angle)), f, radius * Math.sin(angle));
        });
    const low = ring(p),
        high = ring(q);
    const around = low.map((_, k) => [low[k], low[(k + 1) % sides], high[(k + 1) % sides], high[k]]);
    return [...around, low, high];
}

const ON_RING = 12;

// Rings and points on each, as DATA.md has them; undefined if the points are none.
export function gridOf(body: Body): [number, number] | undefined {
    const count = body.map?.length ?? 0,
        [rings, around] = body.grid ?? [count / ON_RING, ON_RING];
    return rings >= 2 && around >= 3 && rings * around === count ? [rings, around] : undefined;
}

// Faces between points that lie on rings, and those that close the first and the last ring.
export function gridFaces(grid: [number, number]): number[][] {
    const [rings, around] = grid,
        cap = (from: number): number[] => Array.from({ length: around }, (_, j) => from + j);
    const faces: number[][] = [cap(0).reverse(), cap((rings - 1) * around)];
    for (let i = 0; i + 1 < rings; i++)
        for (let j = 0; j < around; j++) {
            const next = (j + 1) % around;
            faces.push([i * around + j, i * around + next, (i + 1) * around + next, (i + 1) * around + j]);
        }
    return faces;
}

function surfaceFaces(scene: Scene, body: Body): Vector[][] {
    const pose = poseOf(scene, body);
    const points = (body.map ?? []).map((p) => corner(pose, p[0] ?? 0, p[1] ?? 0, p[2] ?? 0));
    if (points.length < 3) return [];
    const grid = gridOf(body);
    if (scene.dimension === 2 || !grid) return [points];
    return gridFaces(grid).map((face) => face.map((k) => points[k]));
}

// The faces of a body, for a renderer without triangles.
export function facesOf(scene: Scene, body: Body): Vector[][] {
    switch (body.kind) {
        case 'box':
            return boxFaces(scene, body);
        case 'cylinder':
            return cylinderFaces(scene, body, 16);
        case 'surface':
            return surfaceFaces(scene, body);
        case 'polygon':
            return [body.points.map((slots) => scene.vector(slots))];
        case 'spring':
            return [];
    }
}

const TURNS = 8;

// A spring from p to q: a zigzag in the plane, a helix in space, with a straight piece at either end.
export function springLine(scene: Scene, body: Body): Vector[] {
    const p = scene.vector(body.points[0]),
        q = scene.vector(body.points[1] ?? body.points[0]);
    const along = add(q, p, -1),
        length = norm(along),
        direction = unit(along);
    const radius = body.radius === undefined ? 0.022 * scene.size : scene.values[body.radius];
    if (!(length > 0)) return [p, q];
    const [e, f]: [Vector, Vector] =
        scene.dimension === 2
            ? [
                  [-direction[1], direction[0], 0],
                  [0, 0, 0],
              ]
            : frameOf(direction);
    const each = scene.dimension === 2 ? 4 : 12,
        steps = TURNS * each,
        points: Vector[] = [p];
    for (let k = 0; k <= steps; k++) {
        const base = add(p, along, 0.1 + (0.8 * k) / steps),
            angle = (2 * Math.PI * k) / each;
        if (scene.dimension === 3 || k % 2 === 1 || k === 0 || k === steps)
            points.push(add(add(base, e, radius * Math.sin(angle)), f, radius * (Math.cos(angle) - 1)));
    }
    points.push(q);
    return points;
}
