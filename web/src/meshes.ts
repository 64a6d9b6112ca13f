// Unit bodies as triangles: six numbers a corner, its place and its normal.
import { gridFaces } from './solids';
import { add, cross, dot, norm, unit, type Vector } from './vectors';

class Triangles {
    readonly numbers: number[] = [];

    // A convex face; one normal for all of it, or one a corner.
    face(corners: Vector[], normals: Vector[]): void {
        for (let i = 1; i + 1 < corners.length; i++)
            for (const k of [0, i, i + 1])
                this.numbers.push(...corners[k], ...normals[Math.min(k, normals.length - 1)]);
    }

    made(): Float32Array {
        return Float32Array.from(this.numbers);
    }
}

// From -1 to 1 along each axis.
export function boxMesh(): Float32Array {
    const made = new Triangles();
    for (let axis = 0; axis < 3; axis++)
        for (const side of [-1, 1]) {
            const at = (u: number, v: number): Vector => {
                const p: Vector = [0, 0, 0];
                p[axis] = side;
                p[(axis + 1) % 3] = u;
                p[(axis + 2) % 3] = v;
                return p;
            };
            const normal: Vector = [0, 0, 0];
            normal[axis] = side;
            made.face([at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)], [normal]);
        }
    return made.made();
}

// Radius 1 about z, from z = 0 to z = 1; `top` is its radius there: 1 a cylinder, 0 a cone.
export function roundMesh(top: number, sides = 28): Float32Array {
    const made = new Triangles();
    const ring = (k: number): [number, number] => [
        Math.cos((2 * Math.PI * k) / sides),
        Math.sin((2 * Math.PI * k) / sides),
    ];
    const lean = 1 - top,
        floor: Vector[] = [],
        roof: Vector[] = [];
    for (let k = 0; k < sides; k++) {
        const [c, s] = ring(k),
            [d, e] = ring(k + 1);
        const n: Vector = unit([c, s, lean]),
            m: Vector = unit([d, e, lean]);
        made.face(
            [
                [c, s, 0],
                [d, e, 0],
                [top * d, top * e, 1],
                [top * c, top * s, 1],
            ],
            [n, m, m, n],
        );
        floor.push([c, s, 0]);
        roof.push([top * c, top * s, 1]);
    }
    made.face(floor, [[0, 0, -1]]);
    if (top > 0) made.face(roof, [[0, 0, 1]]);
    return made.made();
}

// A surface given by points on rings. The normal of a point is the mean of those of the faces at it, but
// where the surface has an edge each face keeps its own; faces without an area are none.
export function surfaceMesh(points: number[][], grid: [number, number]): Float32Array {
    const made = new Triangles(),
        size = Math.max(...points.map((p) => Math.hypot(...p)));
    const place = (k: number): Vector => [points[k][0] ?? 0, points[k][1] ?? 0, points[k][2] ?? 0];
    const faces = gridFaces(grid)
        .map((face) => ({ face, normal: areaOf(face.map(place)) }))
        .filter(({ normal }) => norm(normal) > 1e-6 * size * size);
    const sums: Vector[] = points.map(() => [0, 0, 0]);
    for (const { face, normal } of faces) for (const k of face) sums[k] = add(sums[k], normal);
    for (const { face, normal } of faces) {
        const own = unit(normal);
        made.face(
            face.map(place),
            face.map((k) => (dot(unit(sums[k]), own) > 0.8 ? unit(sums[k]) : own)),
        );
    }
    return made.made();
}

// Twice the area of a face as a vector along its normal.
function areaOf(corners: Vector[]): Vector {
    let sum: Vector = [0, 0, 0];
    for (let i = 1; i + 1 < corners.length; i++)
        sum = add(sum, cross(add(corners[i], corners[0], -1), add(corners[i + 1], corners[0], -1)));
    return sum;
}

// Flat faces in the world.
export function faceMesh(faces: Vector[][]): Float32Array {
    const made = new Triangles();
    for (const face of faces) {
        if (face.length < 3) continue;
        made.face(face, [unit(areaOf(face))]);
    }
    return made.made();
}
