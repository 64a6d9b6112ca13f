// What to look at first, when nobody has chosen yet: the model's own outputs, its coordinates, multipliers.
// What never changes is left out, and what does not fit on one axis is not put on one.
import type { Columns } from './columns';
import type { Kind } from './contract';
import { plottable } from './picker';

const MOST = 4, // curves in a panel
    LOOK_AT = 60, // columns of a kind: to measure them all might take long
    ALIKE = 20; // times as large

// x[3,1]' and x[1,2]' are elements of x'.
export function familyOf(columns: Columns, k: number): string {
    const { name, family } = columns.info[k];
    return family ?? name.replace(/(\[[\d,\s]+\])+(?='*$)/, '');
}

function changes(columns: Columns, k: number): boolean {
    const [low, high] = columns.range(k);
    return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high));
}

function sizeOf(columns: Columns, k: number): number {
    return Math.max(...columns.range(k).map(Math.abs));
}

// The first of a kind that changes, the rest of its family, and others of about its size. What parts of a
// model say waits where the model says something itself.
function panelOf(columns: Columns, kind: Kind): number[] {
    const all = plottable(columns).filter((k) => columns.info[k].kind === kind);
    const own = all.filter((k) => !columns.info[k].name.includes('.'));
    const list = (own.length > 0 ? own : all).slice(0, LOOK_AT);
    const largest = Math.max(...list.map((k) => sizeOf(columns, k)).filter(Number.isFinite), 0);
    // what is next to nothing beside the others of its kind is rounding
    const moving = list.filter((k) => changes(columns, k) && sizeOf(columns, k) > 1e-9 * largest);
    if (moving.length === 0) return list.slice(0, 1);
    const [first] = moving,
        size = sizeOf(columns, first),
        family = familyOf(columns, first);
    const alike = moving.filter((k) => {
        const ratio = sizeOf(columns, k) / size;
        return familyOf(columns, k) === family || (ratio < ALIKE && ratio > 1 / ALIKE);
    });
    alike.sort((a, b) => Number(familyOf(columns, b) === family) - Number(familyOf(columns, a) === family));
    return alike.slice(0, MOST);
}

// Up to three panels; energies only where the page has no ledger of them.
export function openingPanels(columns: Columns, ledger: boolean): number[][] {
    const kinds: Kind[] = ['output', 'coordinate', 'multiplier', 'velocity', ...(ledger ? [] : (['energy'] as const))];
    const panels = kinds.map((kind) => panelOf(columns, kind)).filter((shown) => shown.length > 0);
    const moving = panels.filter((shown) => shown.some((k) => changes(columns, k)));
    if (moving.length > 0) return moving.slice(0, 3);
    return plottable(columns)
        .slice(0, 1)
        .map((k) => [k]);
}
