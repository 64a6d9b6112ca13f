// One panel of curves: drawn on a canvas when its picture changes, with the cursor on another above it,
// so that the time can run without a curve being drawn again.
import type { Clock } from './clock';
import { rangeOf, type Columns } from './columns';
import { drawCurve, drawFew, drawPath, pixel, valueAt, type Axis } from './curves';
import { el } from './dom';
import { figure, linearTicks, logTicks, type Tick } from './figures';
import { CanvasPen, type Pen } from './pen';
import { paint } from './theme';

// The stretch of time that all panels show.
export class Window {
    private readonly listeners: (() => void)[] = [];
    from: number;
    to: number;

    constructor(
        readonly begin: number,
        readonly end: number,
    ) {
        this.from = begin;
        this.to = end;
    }

    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    set(from: number, to: number): void {
        const least = (this.end - this.begin) * 1e-9;
        this.from = Math.max(this.begin, Math.min(from, to));
        this.to = Math.min(this.end, Math.max(from, to));
        if (this.to - this.from <= least) [this.from, this.to] = [this.begin, this.end];
        for (const listener of this.listeners) listener();
    }

    // Smaller by the factor, about t.
    zoom(t: number, factor: number): void {
        this.set(t - (t - this.from) / factor, t + (this.to - t) / factor);
    }

    get whole(): boolean {
        return this.from <= this.begin && this.to >= this.end;
    }
}

interface Box {
    x: [number, number];
    y: [number, number];
}

const GRAB = 7; // pixels to the cursor within which it is taken

export class Plot {
    readonly element: HTMLElement;
    log = false;
    private readonly canvas = el('canvas');
    private readonly overlay = el('canvas');
    private width = 0;
    private height = 0;
    private across: Axis = { low: 0, high: 1, from: 0, to: 1 };
    private up: Axis = { low: 0, high: 1, from: 0, to: 1 };
    private box?: Box; // of a phase plot that is zoomed
    private asked = false;
    private readonly fingers = new Map<number, number>(); // and where across they are
    private drag?: { x: number; y: number; kind: 'zoom' | 'scrub'; nowX: number; nowY: number };
    drawn = 0;

    // `x` is the column across: 0 is the time.
    constructor(
        private readonly columns: Columns,
        private readonly clock: Clock,
        private readonly window: Window,
        public shown: number[],
        public x = 0,
    ) {
        this.element = el('div', { class: 'plot', role: 'img', tabindex: '0' }, this.canvas, this.overlay);
        new ResizeObserver(() => this.resize()).observe(this.element);
        this.takeHands();
        this.describe();
    }

    get isPhase(): boolean {
        return this.x !== 0;
    }

    colour(k: number): string {
        return paint().series[k % paint().series.length];
    }

    describe(): void {
        const parts = this.shown.map((k) => {
            const [low, high] = this.columns.range(k);
            return `${this.columns.info[k].name} from ${figure(low)} to ${figure(high)}`;
        });
        this.element.setAttribute(
            'aria-label',
            `Plot over ${this.columns.info[this.x].name}: ${parts.join('; ') || 'empty'}`,
        );
    }

    private resize(): void {
        const ratio = devicePixelRatio || 1;
        this.width = this.element.clientWidth;
        this.height = this.element.clientHeight;
        if (this.width === 0) return;
        for (const canvas of [this.canvas, this.overlay]) {
            canvas.width = Math.round(this.width * ratio);
            canvas.height = Math.round(this.height * ratio);
        }
        this.redraw();
    }

    // ------------------------------------------------------------------------------ axes

    // Rows that are to be seen, with one on either side.
    private rows(): [number, number] {
        if (this.isPhase) return [0, this.columns.rows];
        return [
            Math.max(0, this.columns.rowAt(this.window.from) - 1),
            Math.min(this.columns.rows, this.columns.rowAt(this.window.to) + 2),
        ];
    }

    private upRange(): [number, number] {
        if (this.box) return this.box.y;
        const [from, to] = this.rows();
        let low = Infinity,
            high = -Infinity;
        for (const k of this.shown) {
            const [a, b] = this.log
                ? logRange(this.columns.column(k), from, to)
                : this.window.whole || this.isPhase
                  ? this.columns.range(k)
                  : rangeOf(this.columns.column(k), from, to);
            if (a < low) low = a;
            if (b > high) high = b;
        }
        return roomy(low, high);
    }

    private layOut(width: number, height: number): void {
        const [low, high] = this.upRange();
        this.up = { low, high, from: height - 26, to: 10, log: this.log };
        const [left, right] = this.box
            ? this.box.x
            : this.isPhase
              ? roomy(...this.columns.range(this.x))
              : [this.window.from, this.window.to];
        this.across = { low: left, high: right > left ? right : left + 1, from: 60, to: width - 14 };
    }

    private ticks(): [Tick[], Tick[]] {
        const wide = this.across.to - this.across.from,
            tall = this.up.from - this.up.to;
        const across = linearTicks(this.across.low, this.across.high, Math.max(2, wide / 90));
        const up =
            this.log && this.up.high - this.up.low > 0.8
                ? logTicks(this.up.low, this.up.high, tall / 28)
                : linearTicks(this.up.low, this.up.high, Math.max(2, tall / 32));
        if (this.log && this.up.high - this.up.low <= 0.8) for (const tick of up) tick.text = figure(10 ** tick.at, 3);
        return [across, up];
    }

    // ---------------------------------------------------------------------------- drawing

    redraw(): void {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            this.drawNow();
        });
    }

    drawNow(): void {
        // by the processor: many small strokes that are seldom drawn again
        const context = this.canvas.getContext('2d', { willReadFrequently: true }),
            ratio = devicePixelRatio || 1;
        if (!context || this.width === 0) return;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        this.draw(new CanvasPen(context), this.width, this.height);
        this.moveCursor();
    }

    draw(pen: Pen, width: number, height: number): void {
        this.layOut(width, height);
        this.drawn++;
        const { across, up } = this,
            { soft, faint } = paint(),
            [xs, ys] = this.ticks();
        const flat = (tick: Tick): number =>
            across.from + ((tick.at - across.low) / (across.high - across.low)) * (across.to - across.from);
        const rise = (tick: Tick): number => up.from + ((tick.at - up.low) / (up.high - up.low)) * (up.to - up.from);
        for (const tick of xs) {
            pen.move(Math.round(flat(tick)) + 0.5, up.to);
            pen.line(Math.round(flat(tick)) + 0.5, up.from);
        }
        for (const tick of ys) {
            pen.move(across.from, Math.round(rise(tick)) + 0.5);
            pen.line(across.to, Math.round(rise(tick)) + 0.5);
        }
        pen.stroke(faint, 1);
        for (const tick of xs)
            pen.text(flat(tick), up.from + 14, tick.text, { colour: soft, size: 11.5, align: 'center' });
        for (const tick of ys)
            pen.text(across.from - 8, rise(tick), tick.text, { colour: soft, size: 11.5, align: 'right' });
        pen.clip(across.from, up.to - 2, across.to - across.from, up.from - up.to + 4);
        this.shown.forEach((k, i) => this.curve(pen, k, i));
        pen.unclip();
    }

    // The i-th of its curves. Beyond the colours that there are they are dashed.
    private curve(pen: Pen, k: number, i: number): void {
        const x = this.columns.column(this.x),
            y = this.columns.column(k),
            [from, to] = this.rows();
        const many = to - from > 2 * (this.across.to - this.across.from);
        const draw = this.isPhase ? drawPath : many ? drawCurve : drawFew;
        const ink = { colour: this.colour(i), dash: i < paint().series.length ? [] : [7, 4] };
        draw(pen, x, y, from, to, this.across, this.up, ink);
    }

    // The cursor is the time of the motion; in a phase plot it is a point on the curve.
    moveCursor(): void {
        const context = this.overlay.getContext('2d'),
            ratio = devicePixelRatio || 1;
        if (!context || this.width === 0) return;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        const pen = new CanvasPen(context),
            moment = this.columns.moment(this.clock.t);
        const x = pixel(this.across, this.isPhase ? this.columns.value(this.x, moment) : this.clock.t);
        if (!this.isPhase && x >= this.across.from - 1 && x <= this.across.to + 1) {
            pen.move(x, this.up.to);
            pen.line(x, this.up.from);
            pen.stroke(paint().accent, 1.5);
            pen.circle(x, this.up.to, 3.5);
            pen.fill(paint().accent);
        }
        pen.clip(
            this.across.from - 5,
            this.up.to - 6,
            this.across.to - this.across.from + 10,
            this.up.from - this.up.to + 12,
        );
        this.shown.forEach((k, i) => {
            const y = pixel(this.up, this.columns.value(k, moment));
            if (!Number.isFinite(y)) return;
            pen.circle(x, y, 3.5);
            pen.fillAndStroke(this.colour(i), 1, paint().ground, 1.5);
        });
        pen.unclip();
        this.drawDrag(pen);
    }

    private drawDrag(pen: Pen): void {
        if (this.drag?.kind !== 'zoom') return;
        const { x, y, nowX, nowY } = this.drag,
            whole = !this.isPhase;
        const top = whole ? this.up.to : y,
            bottom = whole ? this.up.from : nowY;
        pen.move(x, top);
        pen.line(nowX, top);
        pen.line(nowX, bottom);
        pen.line(x, bottom);
        pen.close();
        pen.fillAndStroke(paint().accent, 0.12, paint().accent, 1);
    }

    cursorX(): number {
        return pixel(this.across, this.clock.t);
    }

    // ------------------------------------------------------------------------------- hands

    private takeHands(): void {
        const place = (event: PointerEvent | WheelEvent): [number, number] => {
            const box = this.element.getBoundingClientRect();
            return [event.clientX - box.left, event.clientY - box.top];
        };
        this.element.addEventListener('pointerdown', (event) => {
            this.fingers.set(event.pointerId, place(event)[0]);
            const [x, y] = place(event),
                near = !this.isPhase && (event.pointerType === 'touch' || Math.abs(x - this.cursorX()) < GRAB);
            this.drag = { x, y, nowX: x, nowY: y, kind: near ? 'scrub' : 'zoom' };
            this.element.setPointerCapture(event.pointerId);
        });
        this.element.addEventListener('pointermove', (event) => {
            if (this.fingers.size > 1) this.pinch(event.pointerId, place(event)[0]);
            else this.dragTo(...place(event));
        });
        const lift = (event: PointerEvent): boolean => this.fingers.delete(event.pointerId);
        this.element.addEventListener('pointerup', (event) => lift(event) && this.drop());
        this.element.addEventListener('pointercancel', (event) => {
            lift(event);
            this.drag = undefined;
        });
        this.element.addEventListener('dblclick', () => this.reset());
        this.element.addEventListener(
            'wheel',
            (event) => {
                if (!event.ctrlKey && document.activeElement !== this.element) return;
                event.preventDefault();
                this.zoomAt(place(event)[0], Math.exp(-event.deltaY * 0.002));
            },
            { passive: false },
        );
        this.element.addEventListener('keydown', (event) => {
            if (event.key === '+' || event.key === '=') this.zoomAt(this.cursorX(), 1.5);
            else if (event.key === '-') this.zoomAt(this.cursorX(), 1 / 1.5);
            else if (event.key === '0') this.reset();
            else return;
            event.stopPropagation();
            event.preventDefault();
        });
    }

    // Two fingers that part stretch the time between them.
    private pinch(finger: number, x: number): void {
        const spread = (): number =>
            Math.max(8, Math.max(...this.fingers.values()) - Math.min(...this.fingers.values()));
        const before = spread();
        if (!this.fingers.has(finger)) return;
        this.fingers.set(finger, x);
        this.drag = undefined;
        const middle = [...this.fingers.values()].reduce((sum, at) => sum + at, 0) / this.fingers.size;
        this.zoomAt(middle, spread() / before);
    }

    private dragTo(x: number, y: number): void {
        const { drag } = this;
        this.element.style.cursor =
            drag?.kind === 'scrub' || (!this.isPhase && Math.abs(x - this.cursorX()) < GRAB)
                ? 'ew-resize'
                : 'crosshair';
        if (!drag) return;
        drag.nowX = x;
        drag.nowY = y;
        if (drag.kind === 'scrub') {
            this.clock.pause();
            this.clock.set(valueAt(this.across, x));
        } else this.moveCursor();
    }

    // A click sets the time; a stretch becomes the window.
    private drop(): void {
        const { drag } = this;
        this.drag = undefined;
        if (!drag) return;
        const wide = Math.abs(drag.nowX - drag.x),
            tall = Math.abs(drag.nowY - drag.y);
        if (wide < 5 && (tall < 5 || !this.isPhase)) {
            this.clock.pause();
            this.clock.set(this.isPhase ? this.nearest(drag.x, drag.y) : valueAt(this.across, drag.x));
        } else if (drag.kind === 'zoom') this.zoomTo(drag);
        this.moveCursor();
    }

    private zoomTo(drag: { x: number; y: number; nowX: number; nowY: number }): void {
        const x: [number, number] = [
            valueAt(this.across, Math.min(drag.x, drag.nowX)),
            valueAt(this.across, Math.max(drag.x, drag.nowX)),
        ];
        if (!this.isPhase) return this.window.set(...x);
        const plain = { ...this.up, log: false };
        this.box = { x, y: [valueAt(plain, Math.max(drag.y, drag.nowY)), valueAt(plain, Math.min(drag.y, drag.nowY))] };
        this.redraw();
    }

    private zoomAt(x: number, factor: number): void {
        if (!this.isPhase) return this.window.zoom(valueAt(this.across, x), factor);
        const shrink = ({ low, high }: Axis): [number, number] => {
            const middle = (low + high) / 2,
                half = (high - low) / 2 / factor;
            return [middle - half, middle + half];
        };
        this.box = { x: shrink(this.across), y: shrink(this.up) };
        this.redraw();
    }

    reset(): void {
        this.box = undefined;
        if (!this.isPhase) this.window.set(this.window.begin, this.window.end);
        else this.redraw();
    }

    // The time at which a curve of a phase plot comes nearest to a place.
    private nearest(x: number, y: number): number {
        const across = this.columns.column(this.x);
        let best = Infinity,
            at = 0;
        for (const k of this.shown) {
            const column = this.columns.column(k);
            for (let i = 0; i < this.columns.rows; i++) {
                const d = (pixel(this.across, across[i]) - x) ** 2 + (pixel(this.up, column[i]) - y) ** 2;
                if (d < best) [best, at] = [d, i];
            }
        }
        return this.columns.t[at];
    }
}

// A range with a little room, never empty.
function roomy(low: number, high: number): [number, number] {
    if (!(low <= high)) return [0, 1];
    const room = high > low ? 0.06 * (high - low) : Math.abs(low) > 0 ? 0.1 * Math.abs(low) : 1;
    return [low - room, high + room];
}

// The logarithms of the sizes; 0 has none.
function logRange(column: ArrayLike<number>, from: number, to: number): [number, number] {
    let low = Infinity,
        high = 0;
    for (let i = from; i < to; i++) {
        const size = Math.abs(column[i]);
        if (size > 0 && size < low) low = size;
        if (size > high && size < Infinity) high = size;
    }
    return high > 0 ? [Math.log10(low), Math.log10(high)] : [NaN, NaN];
}
