// The drawing of a model as lists that a renderer can go through without thinking: lines, balls, bodies,
// arrows, texts and trails, each with the places it has at the time set last.
//
// Every number of a shape has a slot. Constants are in their slots from the beginning; a column that is
// used anywhere is read once a frame. So a chain of ten thousand links costs a loop over its columns and
// one over its links.
import { Bounds } from './bounds';
import type { Columns } from './columns';
import type { ContactInfo, ForceInfo, PageInfo, Place, Scalar, Shape } from './contract';
import { add, norm, type Vector } from './vectors';

export interface Style {
    colour?: string; // of the model; none: as the page chooses
    role: 'line' | 'body' | 'trail' | 'point';
    width: number; // pixels
}

// Lines of one style: 6 slots and 6 numbers each, from and to.
export interface Lines {
    style: Style;
    slots: Int32Array;
    places: Float32Array;
    names: (string | undefined)[];
}

// Balls of one style: 4 slots and 4 numbers each, the centre and the radius. Radius 0: a point.
export interface Balls {
    style: Style;
    slots: Int32Array;
    places: Float32Array;
    names: (string | undefined)[];
}

// What has a shape of its own.
export interface Body {
    kind: 'box' | 'cylinder' | 'polygon' | 'surface' | 'spring';
    style: Style;
    name?: string;
    points: Int32Array[]; // places by slots
    turn?: Int32Array; // a rotation, row by row
    angle?: number;
    sizes?: Int32Array;
    radius?: number;
    map?: number[][];
    grid?: [number, number];
}

export interface Trail {
    style: Style;
    slots: Int32Array;
    rows: Int32Array; // those at which it turns or has moved far enough
    places: Float32Array;
}

export interface Label {
    text: string;
    slots: Int32Array;
    style: Style;
}

export interface Arrow {
    name: string;
    kind: 'ideal' | 'nonideal' | 'drawn';
    colour?: string;
    at: Int32Array;
    by: Int32Array;
}

// An arrow as it is shown: the vector itself, and where its picture goes from and to.
export interface ShownArrow {
    name: string;
    kind: 'ideal' | 'nonideal' | 'drawn';
    colour?: string;
    vector: Vector;
    from: Vector;
    to: Vector;
}

// A contact: where it is and what acts there; without a place it is not to be seen.
export interface Seat {
    number: number; // among those of the page
    name: string;
    at?: Int32Array;
    normal?: Int32Array;
    friction?: Int32Array;
    slope: number;
}

const LINE_WIDTH = 2;

export class Scene {
    readonly dimension: 2 | 3;
    readonly up: Vector;
    readonly lines: Lines[] = [];
    readonly balls: Balls[] = [];
    readonly bodies: Body[] = [];
    readonly trails: Trail[] = [];
    readonly labels: Label[] = [];
    readonly arrows: Arrow[] = [];
    readonly seats: Seat[] = [];
    readonly values: number[] = []; // by slot
    readonly bounds = new Bounds(); // of the whole run
    readonly sides: Vector = [0, 0, 0]; // of what moves, at one time, at most
    readonly size: number;
    readonly largestForce: number;
    readonly ownTrails: boolean; // the model asks for them; else those of its balls can be had
    reference: number; // the size that arrows and the ground go by
    forceFactor = 1; // times as long as is usual
    private moving = new Int32Array(0); // places that move, by their slots
    private margin = 0; // of balls and bodies about them
    private readonly slotOf = new Map<number, number>(); // column -> slot
    private used: [number, number][] = [];

    constructor(
        page: PageInfo,
        private readonly columns: Columns,
    ) {
        const info = page.scene!;
        this.dimension = info.dimension;
        const up = info.up ?? (info.dimension === 3 ? [0, 0, 1] : [0, 1, 0]);
        this.up = [up[0] ?? 0, up[1] ?? 0, up[2] ?? 0];
        if (norm(this.up) === 0) this.up[2] = 1;
        new Gatherer(this).take(info.shapes);
        this.ownTrails = this.trails.length > 0;
        if (!this.ownTrails) this.trailBalls();
        for (const force of page.forces ?? []) this.takeForce(force);
        (page.contacts ?? []).forEach((contact, k) => this.takeContact(contact, k));
        this.used = [...this.slotOf].map(([column, slot]) => [column, slot]);
        for (const [column] of this.used) columns.column(column);
        this.findMoving();
        this.measure();
        this.size = Math.max(1e-12, this.bounds.size);
        this.reference = this.size;
        for (const trail of this.trails) this.walk(trail);
        this.largestForce = this.measureForces();
        this.at(columns.begin);
    }

    // The slot of a number; one that does not exist, null, is NaN.
    slot(value: Scalar | null | undefined): number {
        if (value === null) return this.values.push(NaN) - 1;
        if (typeof value !== 'object') return this.values.push(value ?? 0) - 1;
        let slot = this.slotOf.get(value.c);
        if (slot === undefined) {
            slot = this.values.push(0) - 1;
            this.slotOf.set(value.c, slot);
        }
        return slot;
    }

    place(place: Place | undefined): Int32Array {
        return Int32Array.from([0, 1, 2], (i) => this.slot(place?.[i]));
    }

    vector(slots: Int32Array): Vector {
        return [this.values[slots[0]], this.values[slots[1]], this.values[slots[2]]];
    }

    // Everything as it is at the time t, between rows on the straight line.
    at(t: number): void {
        this.read(this.columns.moment(t).row, this.columns.moment(t).part);
        for (const batch of [...this.lines, ...this.balls])
            for (let i = 0; i < batch.slots.length; i++) batch.places[i] = this.values[batch.slots[i]];
    }

    private read(row: number, part: number): void {
        for (const [column, slot] of this.used) {
            const numbers = this.columns.column(column),
                value = numbers[row];
            this.values[slot] = part === 0 ? value : value + part * (numbers[row + 1] - value);
        }
    }

    // The arrows of the time set last, with the scale chosen.
    shownArrows(): ShownArrow[] {
        return this.arrows.map((arrow) => {
            const vector = this.vector(arrow.by),
                from = this.vector(arrow.at);
            const scale = arrow.kind === 'drawn' ? 1 : this.forceScale;
            const to: Vector = [from[0] + scale * vector[0], from[1] + scale * vector[1], from[2] + scale * vector[2]];
            return { name: arrow.name, kind: arrow.kind, colour: arrow.colour, vector, from, to };
        });
    }

    private takeForce(force: ForceInfo): void {
        this.arrows.push({ name: force.name, kind: force.kind, at: this.place(force.p), by: this.place(force.v) });
    }

    private takeContact({ name, p, n, f, slope }: ContactInfo, number: number): void {
        const place = (list?: Place): Int32Array | undefined => list && this.place(list);
        this.seats.push({ number, name, at: place(p), normal: place(n), friction: place(f), slope: this.slot(slope) });
    }

    // ------------------------------------------------------------------------ sizes

    // Rows to look at: all of them, or some 300 over the run.
    private sampled(): number[] {
        const { rows } = this.columns,
            step = Math.max(1, Math.floor(rows / 300));
        const list: number[] = [];
        for (let row = 0; row < rows; row += step) list.push(row);
        if (rows > 0) list.push(rows - 1);
        return list;
    }

    private reachAll(): void {
        const v = this.values;
        for (const { slots } of this.lines)
            for (let i = 0; i < slots.length; i += 3) this.bounds.reach(v[slots[i]], v[slots[i + 1]], v[slots[i + 2]]);
        for (const { slots } of this.balls)
            for (let i = 0; i < slots.length; i += 4)
                this.bounds.reach(v[slots[i]], v[slots[i + 1]], v[slots[i + 2]], v[slots[i + 3]]);
        for (const { slots } of [...this.trails, ...this.labels]) this.bounds.reach(...this.vector(slots));
        for (const body of this.bodies) this.reachBody(body);
        for (const arrow of this.arrows) {
            const at = this.vector(arrow.at);
            this.bounds.reach(...at);
            if (arrow.kind === 'drawn') this.bounds.reach(...add(at, this.vector(arrow.by)));
        }
    }

    private reachBody(body: Body): void {
        const sizes = body.sizes ? Math.max(...Array.from(body.sizes, (slot) => this.values[slot])) / 2 : 0;
        const radius = body.radius === undefined ? sizes : this.values[body.radius];
        const map = body.map ? Math.max(0, ...body.map.map((p) => Math.hypot(...p))) : 0;
        for (const point of body.points) this.bounds.reach(...this.vector(point), radius || map);
    }

    private measure(): void {
        // of a large drawing fewer rows, so that it opens at once
        const rows = this.sampled(),
            every = Math.max(1, Math.floor((rows.length * this.values.length) / 2e6));
        for (let k = 0; k < rows.length; k += every) {
            this.read(rows[k], 0);
            this.reachAll();
            const { low, high, isEmpty } = this.now();
            for (let i = 0; i < 3 && !isEmpty; i++) this.sides[i] = Math.max(this.sides[i], high[i] - low[i]);
        }
        if (this.bounds.isEmpty) this.bounds.reach(0, 0, 0, 1);
    }

    // Places at which something is that changes its place in this run.
    private findMoving(): void {
        const changing = new Set<number>();
        for (const [column, slot] of this.used) {
            const [low, high] = this.columns.range(column);
            if (high > low) changing.add(slot);
        }
        const places: number[] = [];
        const take = (slots: ArrayLike<number>, from: number): void => {
            const place = [slots[from], slots[from + 1], slots[from + 2]];
            if (place.some((slot) => changing.has(slot))) places.push(...place);
        };
        for (const { slots } of this.lines) for (let i = 0; i < slots.length; i += 3) take(slots, i);
        for (const { slots } of this.balls) {
            for (let i = 0; i < slots.length; i += 4) take(slots, i);
            for (let i = 3; i < slots.length; i += 4) this.margin = Math.max(this.margin, this.values[slots[i]]);
        }
        for (const { points, sizes } of this.bodies) {
            for (const point of points) take(point, 0);
            for (const slot of sizes ?? []) this.margin = Math.max(this.margin, this.values[slot] / 2);
        }
        this.moving = Int32Array.from(places);
    }

    // The box about what moves, at the time set last.
    now(): Bounds {
        const made = new Bounds(),
            { moving, values, margin } = this;
        for (let i = 0; i < moving.length; i += 3)
            made.reach(values[moving[i]], values[moving[i + 1]], values[moving[i + 2]], margin);
        return made;
    }

    // A mechanism of several pieces that goes far, a vehicle: too small to be seen beside its way.
    get goesFar(): boolean {
        return this.moving.length >= 3 * 8 && Math.max(...this.sides) < 0.15 * this.size;
    }

    // The length of a unit of force.
    get forceScale(): number {
        return this.largestForce > 0 ? (this.forceFactor * 0.25 * this.reference) / this.largestForce : 1;
    }

    // The size that 98 of 100 forces of the run do not exceed: one blow shall not hide all others.
    private measureForces(): number {
        const sizes: number[] = [];
        const forces = [
            ...this.arrows.filter((arrow) => arrow.kind !== 'drawn').map((arrow) => arrow.by),
            ...this.seats.flatMap((seat) => (seat.normal ? [seat.normal] : [])),
        ];
        if (forces.length === 0) return 0;
        const rows = this.sampled(),
            every = Math.max(1, Math.floor((rows.length * forces.length) / 2e5));
        for (let k = 0; k < rows.length; k += every) {
            this.read(rows[k], 0);
            for (const force of forces) sizes.push(norm(this.vector(force)));
        }
        const finite = sizes.filter((size) => Number.isFinite(size) && size > 0).sort((a, b) => a - b);
        return finite[Math.floor(0.98 * (finite.length - 1))] ?? 0;
    }

    // Balls that move, as far as their trails can be told apart.
    private trailBalls(): void {
        const moving = new Set(this.slotOf.values());
        for (const { style, slots } of this.balls)
            for (let i = 0; i < slots.length && this.trails.length < 40; i += 4) {
                const place = slots.slice(i, i + 3);
                if (!place.some((slot) => moving.has(slot))) continue;
                this.trails.push({
                    style: { colour: style.colour, role: 'trail', width: 1.5 },
                    slots: place,
                    rows: new Int32Array(0),
                    places: new Float32Array(0),
                });
            }
    }

    // The rows at which a trail has gone a two-thousandth of the picture further.
    private walk(trail: Trail): void {
        const rows: number[] = [],
            places: number[] = [],
            step = this.size / 2000;
        const [getX, getY, getZ] = Array.from(trail.slots, (slot) => {
            const column = this.used.find(([, s]) => s === slot),
                value = this.values[slot];
            const numbers = column && this.columns.column(column[0]);
            return numbers ? (row: number): number => numbers[row] : (): number => value;
        });
        let lastX = NaN,
            lastY = NaN,
            lastZ = NaN;
        for (let row = 0; row < this.columns.rows; row++) {
            const x = getX(row),
                y = getY(row),
                z = getZ(row);
            if (!Number.isFinite(x + y + z)) continue;
            if (rows.length > 0 && Math.abs(x - lastX) + Math.abs(y - lastY) + Math.abs(z - lastZ) < step) continue;
            rows.push(row);
            places.push(x, y, z);
            [lastX, lastY, lastZ] = [x, y, z];
        }
        trail.rows = Int32Array.from(rows);
        trail.places = Float32Array.from(places);
    }
}

// ---------------------------------------------------------------------------- from shapes

// How many points of a trail are passed at a row.
export function passed(trail: Trail, row: number): number {
    let low = 0,
        high = trail.rows.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (trail.rows[middle] <= row) low = middle + 1;
        else high = middle;
    }
    return low;
}

interface Bundle {
    style: Style;
    slots: number[];
    names: (string | undefined)[];
}

// Puts shapes into the lists, those of one style together.
class Gatherer {
    private readonly lines = new Map<string, Bundle>();
    private readonly balls = new Map<string, Bundle>();

    constructor(private readonly scene: Scene) {}

    take(shapes: Shape[]): void {
        for (const shape of shapes) this.shape(shape);
        for (const { style, slots, names } of this.lines.values())
            this.scene.lines.push({
                style,
                slots: Int32Array.from(slots),
                places: new Float32Array(slots.length),
                names,
            });
        for (const { style, slots, names } of this.balls.values())
            this.scene.balls.push({
                style,
                slots: Int32Array.from(slots),
                places: new Float32Array(slots.length),
                names,
            });
    }

    private shape(shape: Shape): void {
        const style = (role: Style['role']): Style => ({ colour: shape.color, role, width: shape.width ?? LINE_WIDTH });
        const one = shape.p as Place;
        switch (shape.kind) {
            case 'line':
                return this.line(shape, style('line'));
            case 'ball':
                return this.ball(shape, style('body'), this.scene.slot(shape.radius));
            case 'point':
                return this.ball(shape, { ...style('point'), width: shape.width ?? 6 }, this.scene.slot(0));
            case 'trail':
                this.scene.trails.push({
                    style: { ...style('trail'), width: shape.width ?? 1.5 },
                    slots: this.scene.place(one),
                    rows: new Int32Array(0),
                    places: new Float32Array(0),
                });
                return;
            case 'text':
                this.scene.labels.push({
                    text: shape.text ?? shape.name ?? '',
                    slots: this.scene.place(one),
                    style: style('line'),
                });
                return;
            case 'arrow':
                this.scene.arrows.push({
                    name: shape.name ?? '',
                    kind: 'drawn',
                    colour: shape.color,
                    at: this.scene.place(one),
                    by: this.scene.place(shape.v),
                });
                return;
            default:
                this.body(shape, style(shape.kind === 'spring' ? 'line' : 'body'));
        }
    }

    private line(shape: Shape, style: Style): void {
        const bundle = bundleOf(this.lines, style);
        const places = (shape.p as Place[]).map((place) => this.scene.place(place));
        for (let i = 0; i + 1 < places.length; i++) {
            bundle.slots.push(...places[i], ...places[i + 1]);
            bundle.names.push(shape.name);
        }
    }

    private ball(shape: Shape, style: Style, radius: number): void {
        const bundle = bundleOf(this.balls, style);
        bundle.slots.push(...this.scene.place(shape.p as Place), radius);
        bundle.names.push(shape.name);
    }

    private body(shape: Shape, style: Style): void {
        const kinds = ['box', 'cylinder', 'polygon', 'surface', 'spring'];
        if (!kinds.includes(shape.kind)) return; // of a later version: the rest is still to be seen
        const { scene } = this,
            several = Array.isArray(shape.p?.[0]);
        const list = several ? (shape.p as Place[]) : [shape.p as Place];
        const points = [...list, ...(shape.q ? [shape.q] : [])].map((place) => scene.place(place));
        const slots = (values?: Scalar[]) => values && Int32Array.from(values, (value) => scene.slot(value));
        scene.bodies.push({
            kind: shape.kind as Body['kind'],
            style,
            name: shape.name,
            points,
            turn: slots(shape.R),
            sizes: slots(shape.sizes),
            angle: shape.angle === undefined ? undefined : scene.slot(shape.angle),
            radius: shape.radius === undefined ? undefined : scene.slot(shape.radius),
            map: shape.map,
            grid: shape.grid,
        });
    }
}

function bundleOf(bundles: Map<string, Bundle>, style: Style): Bundle {
    const key = `${style.role} ${style.width} ${style.colour ?? ''}`;
    let bundle = bundles.get(key);
    if (!bundle) bundles.set(key, (bundle = { style, slots: [], names: [] }));
    return bundle;
}
