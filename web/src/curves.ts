// Curves of many points with a few strokes: where several rows fall on one pixel, the lowest and the
// highest of them are all that can be seen.
import type { Numbers } from './columns';
import type { Pen } from './pen';

export interface Axis {
    low: number;
    high: number;
    from: number; // pixels
    to: number;
    log?: boolean; // low and high are logarithms to the base 10
}

export interface Ink {
    colour: string;
    dash: number[];
}

export function pixel(axis: Axis, value: number): number {
    const x = axis.log ? Math.log10(Math.abs(value)) : value;
    return axis.from + ((x - axis.low) / (axis.high - axis.low)) * (axis.to - axis.from);
}

export function valueAt(axis: Axis, at: number): number {
    const x = axis.low + ((at - axis.from) / (axis.to - axis.from)) * (axis.high - axis.low);
    return axis.log ? 10 ** x : x;
}

// What falls on each column of pixels: the values of its first and last row, the smallest and the largest.
// NaN where there is none.
class Gathered {
    readonly first: Float64Array;
    readonly last: Float64Array;
    readonly low: Float64Array;
    readonly high: Float64Array;

    constructor(readonly count: number) {
        [this.first, this.last, this.low, this.high] = [0, 1, 2, 3].map(() => new Float64Array(count).fill(NaN));
    }
}

// Values that are no numbers, and 0 on a logarithmic axis, are left out.
function gather(x: Numbers, y: Numbers, from: number, to: number, across: Axis, log: boolean): Gathered {
    const made = new Gathered(Math.max(1, Math.ceil(across.to - across.from))),
        { first, last, low, high } = made;
    const scale = (across.to - across.from) / (across.high - across.low);
    for (let i = from; i < to; i++) {
        const value = log ? Math.abs(y[i]) : y[i],
            px = Math.floor((x[i] - across.low) * scale);
        if (!Number.isFinite(value) || (log && value === 0) || px < 0 || px >= made.count) continue;
        if (Number.isNaN(first[px])) first[px] = low[px] = high[px] = value;
        else if (value < low[px]) low[px] = value;
        else if (value > high[px]) high[px] = value;
        last[px] = value;
    }
    return made;
}

// y over ascending x, rows [from, to). Where it is smooth a line; where it goes to and fro within a pixel
// bars, which cost next to nothing. The pen strokes or fills it in the colour.
export function drawCurve(
    pen: Pen,
    x: Numbers,
    y: Numbers,
    from: number,
    to: number,
    across: Axis,
    up: Axis,
    ink: Ink,
): void {
    const all = gather(x, y, from, to, across, up.log === true);
    let spread = 0,
        seen = 0;
    for (let k = 0; k < all.count; k++)
        if (!Number.isNaN(all.low[k])) {
            all.first[k] = pixel(up, all.first[k]);
            all.last[k] = pixel(up, all.last[k]);
            [all.low[k], all.high[k]] = [pixel(up, all.high[k]), pixel(up, all.low[k])];
            spread += all.high[k] - all.low[k];
            seen++;
        }
    const dense = to - from > 8 * all.count && spread > 4 * seen;
    if (dense) drawBars(pen, all, across.from, ink);
    else drawLine(pen, all, across.from, ink);
}

const WIDTH = 1.6;

function drawLine(pen: Pen, { count, first, last, low, high }: Gathered, left: number, ink: Ink): void {
    let open = false;
    for (let k = 0; k < count; k++) {
        const px = left + k + 0.5;
        if (Number.isNaN(low[k])) continue;
        const falls = last[k] < first[k],
            thin = high[k] - low[k] < 0.7,
            middle = (low[k] + high[k]) / 2;
        const begin = thin ? middle : falls ? high[k] : low[k];
        if (open) pen.line(px, begin);
        else pen.move(px, begin);
        if (!thin) pen.line(px, falls ? low[k] : high[k]);
        open = true;
    }
    pen.stroke(ink.colour, WIDTH, 1, ink.dash);
}

// Each bar reaches to where the one before it ended, so that nothing is torn.
function drawBars(pen: Pen, { count, last, low, high }: Gathered, left: number, ink: Ink): void {
    let before = NaN;
    for (let k = 0; k < count; k++) {
        if (Number.isNaN(low[k])) continue;
        const top = Number.isNaN(before) ? low[k] : Math.min(low[k], before),
            bottom = Number.isNaN(before) ? high[k] : Math.max(high[k], before);
        const tall = Math.max(WIDTH, bottom - top);
        pen.bar(left + k, (top + bottom - tall) / 2, 1, tall, ink.colour);
        before = last[k];
    }
}

// Few points are joined as they are, by straight lines between them.
export function drawFew(
    pen: Pen,
    x: Numbers,
    y: Numbers,
    from: number,
    to: number,
    across: Axis,
    up: Axis,
    ink: Ink,
): void {
    let open = false;
    for (let i = from; i < to; i++) {
        const px = pixel(across, x[i]),
            py = pixel(up, y[i]);
        if (!Number.isFinite(px + py)) open = false;
        else if (open) pen.line(px, py);
        else {
            pen.move(px, py);
            open = true;
        }
    }
    pen.stroke(ink.colour, WIDTH, 1, ink.dash);
}

// A curve in any direction: points nearer than half a pixel to the last drawn are left out.
export function drawPath(
    pen: Pen,
    x: Numbers,
    y: Numbers,
    from: number,
    to: number,
    across: Axis,
    up: Axis,
    ink: Ink,
): void {
    let lastX = NaN,
        lastY = NaN;
    for (let i = from; i < to; i++) {
        const px = pixel(across, x[i]),
            py = pixel(up, y[i]);
        if (!Number.isFinite(px + py)) {
            lastX = NaN;
            continue;
        }
        if (Number.isNaN(lastX)) pen.move(px, py);
        else if (Math.abs(px - lastX) + Math.abs(py - lastY) < 0.5) continue;
        else pen.line(px, py);
        lastX = px;
        lastY = py;
    }
    pen.stroke(ink.colour, WIDTH, 1, ink.dash);
}
