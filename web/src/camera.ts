// From places of the model to places on the screen, and back into what a hand does: shift, turn, come closer.
import type { Bounds } from './bounds';
import type { Scene } from './scene';
import {
    add,
    cross,
    dot,
    frameOf,
    lookFrom,
    multiply,
    norm,
    perspective,
    scaled,
    unit,
    type Matrix,
    type Vector,
} from './vectors';

export interface Camera {
    resize(width: number, height: number): void;
    box: Bounds; // what `fit` makes fill the picture
    fit(): void;
    go(by: Vector): void; // along with what is followed
    shift(dx: number, dy: number): void; // pixels
    turn(dx: number, dy: number): void;
    closer(x: number, y: number, factor: number): void;
    project(x: number, y: number, z: number): Vector; // pixels from the upper left corner, and depth
    readonly pixels: number; // a unit of length at the middle of the picture
    readonly width: number;
    readonly height: number;
}

// Plane models: x to the right, y up.
export class PlaneCamera implements Camera {
    box: Bounds;
    width = 1;
    height = 1;
    pixels = 1;
    private middle: [number, number] = [0, 0];
    private touched = false;

    constructor(scene: Scene) {
        this.box = scene.bounds;
    }

    resize(width: number, height: number): void {
        const grown = Math.min(width / this.width, height / this.height);
        this.width = width;
        this.height = height;
        if (this.touched) this.pixels *= grown;
        else this.fit();
    }

    fit(): void {
        const { low, high } = this.box;
        const wide = high[0] - low[0],
            tall = high[1] - low[1],
            larger = Math.max(wide, tall, 1e-12);
        const room = 0.8;
        this.pixels = Math.min(
            (room * this.width) / Math.max(wide, 0.05 * larger),
            (room * this.height) / Math.max(tall, 0.05 * larger),
        );
        this.middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
        this.touched = false;
    }

    shift(dx: number, dy: number): void {
        this.middle[0] -= dx / this.pixels;
        this.middle[1] += dy / this.pixels;
        this.touched = true;
    }

    go(by: Vector): void {
        this.middle = [this.middle[0] + by[0], this.middle[1] + by[1]];
    }

    turn(dx: number, dy: number): void {
        this.shift(dx, dy);
    }

    closer(x: number, y: number, factor: number): void {
        const dx = x - this.width / 2,
            dy = y - this.height / 2;
        this.shift(-dx, -dy);
        this.pixels *= factor;
        this.shift(dx, dy);
    }

    project(x: number, y: number): Vector {
        return [
            this.width / 2 + (x - this.middle[0]) * this.pixels,
            this.height / 2 - (y - this.middle[1]) * this.pixels,
            0,
        ];
    }
}

const FOV = (32 * Math.PI) / 180;

// Models in space: an eye that goes round a target, with the model's upward direction up.
export class OrbitCamera implements Camera {
    box: Bounds;
    width = 1;
    height = 1;
    yaw = 0;
    pitch = 0;
    distance = 1;
    target: Vector = [0, 0, 0];
    eye: Vector = [0, 0, 1];
    view: Matrix = new Float32Array(16);
    projection: Matrix = new Float32Array(16);
    both: Matrix = new Float32Array(16);
    right: Vector = [1, 0, 0];
    above: Vector = [0, 1, 0];
    private readonly up: Vector;
    private readonly ahead: Vector;
    private readonly aside: Vector;
    private readonly radius: number;
    private touched = false;

    constructor(scene: Scene) {
        this.box = scene.bounds;
        this.up = unit(scene.up);
        [this.ahead, this.aside] = frameOf(this.up);
        const { low, high } = scene.bounds;
        this.radius = Math.max(1e-9, norm([high[0] - low[0], high[1] - low[1], high[2] - low[2]]) / 2);
        this.fit();
    }

    get pixels(): number {
        return this.height / (2 * Math.tan(FOV / 2) * this.distance);
    }

    resize(width: number, height: number): void {
        this.width = width;
        this.height = height;
        if (!this.touched) this.fit();
        this.update();
    }

    fit(): void {
        const { low, high } = this.box;
        this.target = [0, 1, 2].map((i) => (low[i] + high[i]) / 2) as Vector;
        this.distance = 1;
        this.yaw = -0.95;
        this.pitch = 0.38;
        this.touched = false;
        this.update();
        this.distance = this.far();
        this.update();
    }

    // From how far the box about the model fills most of the picture.
    private far(): number {
        const { low, high } = this.box,
            tall = 0.86 * Math.tan(FOV / 2),
            wide = (tall * this.width) / this.height;
        const back = cross(this.right, this.above);
        let least = 0.5 * this.radius;
        for (let k = 0; k < 8; k++) {
            const corner = [0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] : low[i]) - this.target[i]) as Vector;
            const side = Math.max(Math.abs(dot(corner, this.right)) / wide, Math.abs(dot(corner, this.above)) / tall);
            least = Math.max(least, side + dot(corner, back));
        }
        return least;
    }

    go(by: Vector): void {
        this.target = add(this.target, by);
        this.update();
    }

    // From the side of an axis of the model.
    look(axis: number): void {
        const from: Vector = [0, 0, 0];
        from[axis] = 1;
        const level = Math.hypot(dot(from, this.ahead), dot(from, this.aside));
        this.pitch = Math.max(-1.55, Math.min(1.55, Math.atan2(dot(from, this.up), level)));
        if (level > 1e-6) this.yaw = Math.atan2(dot(from, this.aside), dot(from, this.ahead));
        this.touched = true;
        this.update();
    }

    shift(dx: number, dy: number): void {
        this.target = add(add(this.target, this.right, -dx / this.pixels), this.above, dy / this.pixels);
        this.touched = true;
        this.update();
    }

    turn(dx: number, dy: number): void {
        this.yaw -= dx * 0.008;
        this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + dy * 0.008));
        this.touched = true;
        this.update();
    }

    closer(_x: number, _y: number, factor: number): void {
        this.distance = Math.max(this.radius / 200, Math.min(this.radius * 100, this.distance / factor));
        this.touched = true;
        this.update();
    }

    project(x: number, y: number, z: number): Vector {
        const m = this.both,
            w = m[3] * x + m[7] * y + m[11] * z + m[15];
        if (w <= 1e-9) return [NaN, NaN, Infinity];
        const px = (m[0] * x + m[4] * y + m[8] * z + m[12]) / w,
            py = (m[1] * x + m[5] * y + m[9] * z + m[13]) / w;
        return [((1 + px) * this.width) / 2, ((1 - py) * this.height) / 2, w];
    }

    private update(): void {
        const level = add(scaled(this.ahead, Math.cos(this.yaw)), this.aside, Math.sin(this.yaw));
        const back = unit(add(scaled(level, Math.cos(this.pitch)), this.up, Math.sin(this.pitch)));
        this.eye = add(this.target, back, this.distance);
        this.right = unit(cross(this.up, back));
        this.above = cross(back, this.right);
        this.view = lookFrom(this.eye, this.right, this.above, back);
        const far = this.distance + 60 * this.radius;
        const near = Math.max(this.distance / 200, this.distance - 6 * this.radius);
        this.projection = perspective(FOV, this.width / this.height, near, far);
        this.both = multiply(this.projection, this.view);
    }
}
