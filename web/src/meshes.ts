// Unit bodies as triangles: six numbers a corner, its place and its normal.
import { gridFaces } from './solids';
import { add, cross, unit, type Vector } from './vectors';

class Triangles {
    readonly numbers: number[] = [];

    // A convex face; one normal for all of it, or one a corner.
    face(corners: Vector[], normals: Vector[]): void {
        for (let i = 1; i + 1 < corners.length; i++)
            for (const k of [0, i, i + 1]) this.numbers.push(...corners[k], ...normals[Math.min(k, normals.length - 1)]);
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
    const ring = (k: number): [number, number] => [Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides)];
    const lean = 1 - top, floor: Vector[] = [], roof: Vector[] = [];
    for (let k = 0; k < sides; k++) {
        const [c, s] = ring(k), [d, e] = ring(k + 1);
        const n: Vector = unit([c, s, lean]), m: Vector = unit([d, e, lean]);
        made.face([[c, s, 0], [d, e, 0], [top * d, top * e, 1], [top * c, top * s, 1]], [n, m, m, n]);
        floor.push([c, s, 0]);
        roof.push([top * c, top * s, 1]);
    }
    made.face(floor, [[0, 0, -1]]);
    if (top > 0) made.face(roof, [[0, 0, 1]]);
    return made.made();
}

// A surface given by points on rings; the normal of a point is the mean of those of the faces at it.
export function surfaceMesh(points: number[][], grid: [number, number]): Float32Array {
    const made = new Triangles(), faces = gridFaces(grid);
    const place = (k: number): Vector => [points[k]?.[0] ?? 0, points[k]?.[1] ?? 0, points[k]?.[2] ?? 0];
    const normals: Vector[] = points.map(() => [0, 0, 0]);
    for (const face of faces) {
        const [a, b, c, d] = face.map(place), n = cross(add(c, a, -1), add(d, b, -1));
        for (const k of face) if (normals[k]) normals[k] = add(normals[k], n);
    }
    for (const face of faces) made.face(face.map(place), face.map((k) => unit(normals[k] ?? [0, 0, 1])));
    return made.made();
}

// Flat faces in the world.
export function faceMesh(faces: Vector[][]): Float32Array {
    const made = new Triangles();
    for (const face of faces) {
        if (face.length < 3) continue;
        const normal = unit(cross(add(face[1], face[0], -1), add(face[2], face[0], -1)));
        made.face(face, [normal]);
    }
    return made.made();
}
