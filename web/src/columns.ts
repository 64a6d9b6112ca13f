// The numbers of a run: columns over the rows, unpacked when they are first asked for.
import type { ColumnInfo, PackedData } from './contract';

export type Numbers = Float64Array | Float32Array;

// The bytes [from, to) of what `base64` stands for. Only the groups of four signs that hold them are read.
export function bytesOf(base64: string, from: number, to: number): Uint8Array {
    const first = Math.floor(from / 3),
        last = Math.ceil(to / 3);
    const part = base64.slice(4 * first, 4 * last),
        skip = from - 3 * first;
    const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array }; // of newer browsers
    if (fromBase64) return fromBase64.call(Uint8Array, part).slice(skip, skip + to - from);
    const text = atob(part),
        bytes = new Uint8Array(to - from);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i + skip);
    return bytes;
}

// A row and how far the time is on the way to the next: 0 <= part < 1.
export interface Moment {
    row: number;
    part: number;
}

export class Columns {
    readonly rows: number;
    readonly info: ColumnInfo[];
    readonly t: Numbers;
    private readonly unpacked: (Numbers | undefined)[];
    private readonly ranges = new Map<number, [number, number]>();
    private readonly byName = new Map<string, number>();

    constructor(private readonly packed: PackedData) {
        this.rows = packed.rows;
        this.info = packed.columns;
        this.unpacked = new Array(packed.columns.length);
        packed.columns.forEach((column, k) => {
            if (!this.byName.has(column.name)) this.byName.set(column.name, k);
        });
        this.t = this.column(0);
    }

    column(k: number): Numbers {
        const known = this.unpacked[k];
        if (known) return known;
        const size = this.packed.type === 'f8' ? 8 : 4,
            length = this.rows * size;
        const { buffer } = bytesOf(this.packed.base64, k * length, (k + 1) * length);
        const made = size === 8 ? new Float64Array(buffer as ArrayBuffer) : new Float32Array(buffer as ArrayBuffer);
        this.unpacked[k] = made;
        return made;
    }

    // The number of a column by its name, -1 if there is none.
    find(name: string): number {
        return this.byName.get(name) ?? -1;
    }

    get begin(): number {
        return this.rows > 0 ? this.t[0] : 0;
    }

    get end(): number {
        return this.rows > 0 ? this.t[this.rows - 1] : 0;
    }

    // The last row whose time is at most t; of rows with the same time the last.
    rowAt(t: number): number {
        let low = 0,
            high = this.rows - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.t[middle] <= t) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    moment(t: number): Moment {
        const row = this.rowAt(t);
        if (row + 1 >= this.rows) return { row: Math.max(0, this.rows - 1), part: 0 };
        const width = this.t[row + 1] - this.t[row];
        return { row, part: width > 0 ? Math.min(1, Math.max(0, (t - this.t[row]) / width)) : 0 };
    }

    value(k: number, { row, part }: Moment): number {
        const column = this.column(k);
        return part === 0 ? column[row] : column[row] + part * (column[row + 1] - column[row]);
    }

    // The smallest and largest finite value; [NaN, NaN] where there is none.
    range(k: number): [number, number] {
        const known = this.ranges.get(k);
        if (known) return known;
        const made = rangeOf(this.column(k), 0, this.rows);
        this.ranges.set(k, made);
        return made;
    }

    // As text that reads back to the same number of the type that was packed.
    text(k: number, row: number): string {
        const value = this.column(k)[row];
        return this.packed.type === 'f8' || !Number.isFinite(value)
            ? String(value)
            : String(Number(value.toPrecision(9)));
    }
}

export function rangeOf(column: Numbers, from: number, to: number): [number, number] {
    let low = Infinity,
        high = -Infinity;
    for (let i = from; i < to; i++) {
        const value = column[i];
        if (value < low && value > -Infinity) low = value;
        if (value > high && value < Infinity) high = value;
    }
    return low <= high ? [low, high] : [NaN, NaN];
}
