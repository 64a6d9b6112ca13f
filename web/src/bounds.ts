// A box about places.
import type { Vector } from './vectors';

export class Bounds {
    readonly low: Vector = [Infinity, Infinity, Infinity];
    readonly high: Vector = [-Infinity, -Infinity, -Infinity];

    reach(x: number, y: number, z: number, radius = 0): void {
        if (!Number.isFinite(x + y + z + radius)) return;
        const { low, high } = this;
        if (x - radius < low[0]) low[0] = x - radius;
        if (y - radius < low[1]) low[1] = y - radius;
        if (z - radius < low[2]) low[2] = z - radius;
        if (x + radius > high[0]) high[0] = x + radius;
        if (y + radius > high[1]) high[1] = y + radius;
        if (z + radius > high[2]) high[2] = z + radius;
    }

    get isEmpty(): boolean {
        return !(this.low[0] <= this.high[0]);
    }

    get middle(): Vector {
        return [0, 1, 2].map((i) => (this.low[i] + this.high[i]) / 2) as Vector;
    }

    // The longest side.
    get size(): number {
        return this.isEmpty ? 0 : Math.max(...[0, 1, 2].map((i) => this.high[i] - this.low[i]));
    }

    static about(middle: Vector, sides: Vector): Bounds {
        const made = new Bounds();
        made.reach(...(middle.map((x, i) => x - sides[i] / 2) as Vector));
        made.reach(...(middle.map((x, i) => x + sides[i] / 2) as Vector));
        return made;
    }
}
