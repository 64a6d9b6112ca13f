// Vectors of three numbers and matrices of four by four (by columns, as WebGL has them).

export type Vector = [number, number, number];
export type Matrix = Float32Array;

export const add = (a: Vector, b: Vector, s = 1): Vector => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const scaled = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);
export const cross = (a: Vector, b: Vector): Vector => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
];

export function unit(a: Vector): Vector {
    const length = norm(a);
    return length > 0 ? scaled(a, 1 / length) : [0, 0, 0];
}

// Two directions that with `axis` (of length 1) make a right-handed frame.
export function frameOf(axis: Vector): [Vector, Vector] {
    const other: Vector = Math.abs(axis[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0];
    const first = unit(cross(other, axis));
    return [first, cross(axis, first)];
}

export function multiply(a: Matrix, b: Matrix): Matrix {
    const made = new Float32Array(16);
    for (let j = 0; j < 4; j++)
        for (let i = 0; i < 4; i++) {
            let sum = 0;
            for (let k = 0; k < 4; k++) sum += a[4 * k + i] * b[4 * j + k];
            made[4 * j + i] = sum;
        }
    return made;
}

export function perspective(fovy: number, aspect: number, near: number, far: number): Matrix {
    const f = 1 / Math.tan(fovy / 2),
        made = new Float32Array(16);
    made[0] = f / aspect;
    made[5] = f;
    made[10] = (far + near) / (near - far);
    made[11] = -1;
    made[14] = (2 * far * near) / (near - far);
    return made;
}

// From the world to an eye whose axes are right, up and back.
export function lookFrom(eye: Vector, right: Vector, up: Vector, back: Vector): Matrix {
    return new Float32Array([
        right[0],
        up[0],
        back[0],
        0,
        right[1],
        up[1],
        back[1],
        0,
        right[2],
        up[2],
        back[2],
        0,
        -dot(right, eye),
        -dot(up, eye),
        -dot(back, eye),
        1,
    ]);
}

// The matrix that takes a unit body to where its centre, axes and sizes are.
export function placed(centre: Vector, x: Vector, y: Vector, z: Vector): number[] {
    return [x[0], x[1], x[2], 0, y[0], y[1], y[2], 0, z[0], z[1], z[2], 0, centre[0], centre[1], centre[2], 1];
}
