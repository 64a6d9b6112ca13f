// Choosing columns by name: a field to search in, and below it what matches, by kind.
import type { Columns } from './columns';
import type { Kind } from './contract';
import { el } from './dom';
import { familyOf } from './opening';

const MOST = 150,
    MOST_AT_ONCE = 16;

export const KINDS: [Kind, string][] = [
    ['output', 'Outputs'],
    ['coordinate', 'Coordinates'],
    ['velocity', 'Velocities'],
    ['acceleration', 'Accelerations'],
    ['energy', 'Energies'],
    ['force', 'Forces'],
    ['multiplier', 'Multipliers'],
    ['contact', 'Contacts'],
    ['residual', 'Residuals'],
    ['inconsistency', 'Inconsistency'],
    ['gaussian', 'Gaussian'],
    ['step', 'Step size'],
];

// Columns that can be plotted, in the order of their kinds.
export function plottable(columns: Columns): number[] {
    const order = new Map(KINDS.map(([kind], i) => [kind, i]));
    return columns.info
        .map((_, k) => k)
        .filter((k) => columns.info[k].kind !== 'time' && columns.info[k].kind !== 'drawing')
        .sort((a, b) => (order.get(columns.info[a].kind) ?? 99) - (order.get(columns.info[b].kind) ?? 99) || a - b);
}

// Every word of the search is in the name or its kind, whatever the case.
function matches(text: string, search: string): boolean {
    return search
        .toLowerCase()
        .split(/\s+/)
        .every((word) => text.includes(word));
}

export class Picker {
    readonly element: HTMLElement;
    private readonly field: HTMLInputElement;
    private readonly list: HTMLElement;
    private chosen: Set<number> = new Set();
    private change: (k: number, on: boolean) => void = () => {};
    private host?: HTMLElement;

    constructor(private readonly columns: Columns) {
        this.field = el('input', {
            type: 'search',
            placeholder: 'Search a name',
            'aria-label': 'Search a name',
            autocomplete: 'off',
            spellcheck: 'false',
        });
        this.list = el('div', { class: 'names' });
        this.element = el(
            'div',
            { class: 'picker', role: 'dialog', 'aria-label': 'Columns', hidden: true },
            this.field,
            this.list,
        );
        this.field.addEventListener('input', () => this.fill());
        this.element.addEventListener('keydown', (event) => this.key(event));
        document.addEventListener('pointerdown', (event) => {
            if (!this.element.hidden && !this.host?.contains(event.target as Node)) this.close();
        });
    }

    // Opens at the end of `host`; each choice is told at once.
    open(host: HTMLElement, chosen: number[], change: (k: number, on: boolean) => void): void {
        this.chosen = new Set(chosen);
        this.change = change;
        this.host = host;
        this.field.value = '';
        this.element.hidden = false;
        host.append(this.element);
        this.element.style.translate = '';
        this.fill();
        const box = this.element.getBoundingClientRect();
        this.element.style.translate = `${Math.min(0, document.documentElement.clientWidth - 8 - box.right)}px 0`;
        this.field.focus();
    }

    close(): void {
        this.element.hidden = true;
        this.element.style.translate = '';
        this.host?.querySelector<HTMLElement>('.add')?.focus();
    }

    private fill(): void {
        const search = this.field.value.trim();
        const titles = new Map(KINDS);
        const found = plottable(this.columns).filter((k) => {
            const { name, kind } = this.columns.info[k];
            return search === '' || matches(`${name} ${kind} ${titles.get(kind) ?? ''}`.toLowerCase(), search);
        });
        const rows: HTMLElement[] = [];
        let last = '';
        for (const k of found.slice(0, MOST)) {
            const title = titles.get(this.columns.info[k].kind) ?? 'Other';
            if (title !== last) rows.push(el('div', { class: 'names-title' }, title));
            last = title;
            const family = this.family(k, found);
            if (family.length > 1 && family[0] === k && family.length <= MOST_AT_ONCE)
                rows.push(this.familyRow(family));
            rows.push(this.row(k));
        }
        if (found.length > MOST)
            rows.push(el('div', { class: 'names-title' }, `and ${found.length - MOST} more: type further`));
        if (found.length === 0) rows.push(el('div', { class: 'names-title' }, 'no such name'));
        this.list.replaceChildren(...rows);
    }

    // Those found that are elements of the same.
    private family(k: number, found: number[]): number[] {
        const family = familyOf(this.columns, k),
            { kind } = this.columns.info[k];
        return found.filter(
            (other) => familyOf(this.columns, other) === family && this.columns.info[other].kind === kind,
        );
    }

    private familyRow(family: number[]): HTMLElement {
        const button = el(
            'button',
            { type: 'button', class: 'link' },
            `all ${family.length} of ${familyOf(this.columns, family[0])}`,
        );
        button.addEventListener('click', () => {
            for (const k of family) if (!this.chosen.has(k)) this.change(k, true);
            for (const k of family) this.chosen.add(k);
            this.fill();
        });
        return el('div', { class: 'name' }, button);
    }

    private row(k: number): HTMLElement {
        const box = el('input', { type: 'checkbox', checked: this.chosen.has(k) });
        box.addEventListener('change', () => {
            if (box.checked) this.chosen.add(k);
            else this.chosen.delete(k);
            this.change(k, box.checked);
        });
        const { name, unit } = this.columns.info[k];
        return el(
            'label',
            { class: 'name' },
            box,
            el('span', {}, name),
            unit ? el('span', { class: 'unit' }, unit) : null,
        );
    }

    // Down and up go through the names, Enter takes one, Escape closes.
    private key(event: KeyboardEvent): void {
        event.stopPropagation();
        const boxes = [...this.list.querySelectorAll('input')],
            at = boxes.indexOf(document.activeElement as HTMLInputElement);
        if (event.key === 'Escape') this.close();
        else if (event.key === 'ArrowDown') boxes[Math.min(boxes.length - 1, at + 1)]?.focus();
        else if (event.key === 'ArrowUp') (at <= 0 ? this.field : boxes[at - 1]).focus();
        else if (event.key === 'Enter') (at >= 0 ? boxes[at] : boxes[0])?.click();
        else return;
        event.preventDefault();
    }
}
