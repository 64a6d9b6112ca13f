// The ground of a model in space: a net of lines under its lowest point, at round distances.
import { niceStep } from './figures';
import type { Scene } from './scene';
import { add, dot, frameOf, scaled, unit, type Vector } from './vectors';

// The lines in pieces, so that one that ends behind the eye does not spoil the rest of its line.
export function groundNet(scene: Scene): [Vector, Vector][] {
    const up = unit(scene.up),
        [e, f] = frameOf(up),
        { low, high, middle } = scene.bounds;
    const corners = Array.from(
        { length: 8 },
        (_, k) => [0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] : low[i])) as Vector,
    );
    const floor = Math.min(...corners.map((p) => dot(p, up)));
    const step = niceStep(Math.max(scene.reference / 8, scene.size / 60)),
        half = Math.ceil((0.75 * scene.size) / step) * step,
        piece = Math.max(step, half / 12);
    const snap = (x: number): number => Math.round(x / step) * step;
    const base = add(add(scaled(up, floor), e, snap(dot(middle, e))), f, snap(dot(middle, f)));
    const net: [Vector, Vector][] = [];
    const lay = (across: Vector, along: Vector): void => {
        for (let x = -half; x <= half * (1 + 1e-9); x += step)
            for (let y = -half; y < half * (1 - 1e-9); y += piece) {
                const from = add(add(base, across, x), along, y);
                net.push([from, add(from, along, Math.min(piece, half - y))]);
            }
    };
    lay(e, f);
    lay(f, e);
    return net;
}
