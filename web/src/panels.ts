// The panels of plots: which there are, what each shows, and what can be taken out of them.
import type { Clock } from './clock';
import type { Columns } from './columns';
import type { PageInfo } from './contract';
import { choice, download, el, fileName, icon, iconButton, ICONS, toggle } from './dom';
import { figure } from './figures';
import { SvgPen } from './pen';
import { openingPanels } from './opening';
import { Picker, plottable } from './picker';
import { Plot, Window } from './plot';
import { onTheme, paint } from './theme';

export class Panel {
    readonly element: HTMLElement;
    readonly plot: Plot;
    private readonly chips = el('div', { class: 'chips' });
    private readonly head: HTMLElement;
    private values: HTMLElement[] = [];

    // `apart`: it stands in a section of its own, and stays.
    constructor(
        private readonly panels: Panels,
        shown: number[],
        x = 0,
        private readonly apart = false,
    ) {
        const { columns, clock, window } = panels;
        this.plot = new Plot(columns, clock, window, shown, x);
        this.head = el('div', { class: 'panel-head' }, this.chips, this.tools());
        this.element = el('section', { class: 'card panel', 'aria-label': 'Plot' }, this.head, this.plot.element);
        this.showChips();
    }

    private tools(): HTMLElement {
        const { columns } = this.panels;
        const log = toggle(
            'log',
            false,
            (on) => {
                this.plot.log = on;
                this.plot.redraw();
            },
            'Logarithmic axis (of the size of negative values)',
        );
        const names: [string, string][] = [
            ['0', 'over t'],
            ...plottable(columns)
                .slice(0, 2000)
                .map((k): [string, string] => [String(k), `over ${columns.info[k].name}`]),
        ];
        const across = choice('Across', names, String(this.plot.x), (value) => {
            this.plot.x = Number(value);
            this.plot.reset();
            this.refresh();
        });
        across.classList.add('across');
        const keep = choice(
            'Save this plot',
            [
                ['', 'Save…'],
                ['png', 'PNG'],
                ['svg', 'SVG'],
                ['csv', 'CSV'],
            ],
            '',
            (kind) => {
                keep.value = '';
                void this.save(kind);
            },
        );
        const close = this.apart ? null : iconButton(ICONS.close, 'Close this plot', () => this.panels.remove(this));
        return el('div', { class: 'row tools' }, log, across, keep, close);
    }

    // The names with their colours, and the values at the time of the cursor.
    private showChips(): void {
        const { columns, picker } = this.panels;
        this.values = [];
        const chips = this.plot.shown.map((k, i) => {
            const value = el('span', { class: 'value' });
            this.values.push(value);
            const swatch = el('span', { class: 'swatch' });
            swatch.style.background = this.plot.colour(i);
            const { name, unit } = columns.info[k];
            const remove = iconButton(ICONS.close, `Remove ${name}`, () => this.change(k, false));
            return el(
                'span',
                { class: 'chip', title: name },
                swatch,
                el('span', { class: 'chip-name' }, name),
                value,
                unit ? el('span', { class: 'unit' }, unit) : null,
                remove,
            );
        });
        const add = el('button', { type: 'button', class: 'add', 'aria-haspopup': 'dialog' }, icon(ICONS.plus), 'Add');
        add.addEventListener('click', () => picker.open(this.head, this.plot.shown, (k, on) => this.change(k, on)));
        this.chips.replaceChildren(...chips, add);
        this.showValues();
    }

    change(k: number, on: boolean): void {
        this.plot.shown = on ? [...this.plot.shown, k] : this.plot.shown.filter((other) => other !== k);
        this.refresh();
    }

    refresh(): void {
        this.showChips();
        this.plot.describe();
        this.plot.redraw();
    }

    showValues(): void {
        const moment = this.panels.columns.moment(this.panels.clock.t);
        this.values.forEach(
            (value, i) => (value.textContent = figure(this.panels.columns.value(this.plot.shown[i], moment), 4)),
        );
    }

    svg = (): string => {
        const names = this.plot.shown.map((k) => this.panels.columns.info[k].name);
        const places = keyPlaces(names),
            lines = 1 + (places.at(-1)?.line ?? 0),
            { width, height, line } = SAVED;
        const pen = new SvgPen(
            width,
            height + line * lines + 8,
            `${this.panels.page.title}: ${names.join(', ')}`,
            paint().ground,
        );
        this.plot.draw(pen, width, height);
        places.forEach((place, i) => {
            const y = height + line * (place.line + 0.5);
            pen.move(place.x, y);
            pen.line(place.x + 16, y);
            pen.stroke(this.plot.colour(i), 2.5);
            pen.text(place.x + 22, y, names[i], { colour: paint().ink, size: 12 });
        });
        this.plot.redraw(); // its axes are those of the drawing now
        return pen.document();
    };

    async save(kind: string): Promise<void> {
        const { columns, page, window } = this.panels,
            names = this.plot.shown.map((k) => columns.info[k].name);
        const name = fileName(`${page.title} ${names.slice(0, 3).join(' ')}`);
        if (kind === 'csv')
            return download(
                `${name}.csv`,
                csv(
                    columns,
                    [0, ...new Set([...(this.plot.isPhase ? [this.plot.x] : []), ...this.plot.shown])],
                    window,
                ),
                'text/csv',
            );
        const text = this.svg();
        if (kind === 'svg') return download(`${name}.svg`, text, 'image/svg+xml');
        if (kind === 'png') {
            const blob = await rasterised(text, 2);
            if (blob) download(`${name}.png`, blob);
        }
    }
}

const SAVED = { width: 760, height: 330, line: 20 }; // a plot that is kept, and each line of names below it

// Where the names below a picture go: about as wide as they are, in as many lines as it takes.
function keyPlaces(names: string[]): { x: number; line: number }[] {
    let x = 60,
        line = 0;
    return names.map((name) => {
        const wide = 44 + 7 * name.length;
        if (x > 60 && x + wide > SAVED.width) [x, line] = [60, line + 1];
        const place = { x, line };
        x += wide;
        return place;
    });
}

// Our own SVG as a picture of pixels, so many times as large.
async function rasterised(svg: string, times: number): Promise<Blob | null> {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    try {
        await image.decode();
        const canvas = el('canvas', { width: times * image.width, height: times * image.height });
        canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
        return await new Promise((done) => canvas.toBlob(done));
    } finally {
        URL.revokeObjectURL(image.src);
    }
}

// Rows of the window as text.
export function csv(columns: Columns, which: number[], window?: Window): string {
    const quoted = (name: string): string => (/[",\n\r]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);
    const lines = [which.map((k) => quoted(columns.info[k].name)).join(',')];
    for (let row = 0; row < columns.rows; row++) {
        if (window && (columns.t[row] < window.from || columns.t[row] > window.to)) continue;
        lines.push(which.map((k) => columns.text(k, row)).join(','));
    }
    return lines.join('\n') + '\n';
}

export class Panels {
    readonly element: HTMLElement;
    readonly list: Panel[] = [];
    readonly window: Window;
    readonly picker: Picker;
    private readonly box = el('div', { class: 'panels' });
    private readonly whole: HTMLButtonElement;

    constructor(
        readonly page: PageInfo,
        readonly columns: Columns,
        readonly clock: Clock,
    ) {
        this.window = new Window(columns.begin, columns.end);
        this.picker = new Picker(columns);
        this.whole = el(
            'button',
            { type: 'button', class: 'toggle', hidden: true, click: () => this.window.set(columns.begin, columns.end) },
            'Whole time',
        );
        const head = el(
            'div',
            { class: 'row panels-head' },
            el('h2', { id: 'plots' }, 'Plots'),
            page.thinned ? el('span', { class: 'note' }, `${page.thinned.to} of ${page.thinned.from} rows`) : null,
            el('span', { class: 'space' }),
            this.whole,
            this.adder(),
            this.phaseAdder(),
        );
        this.element = el('div', { class: 'plots' }, head, this.box);
        for (const shown of openingPanels(columns, page.energy !== undefined)) this.add(shown);
        this.element.hidden = plottable(columns).length === 0;
        this.window.onChange(() => {
            this.whole.hidden = this.window.whole;
            for (const panel of this.list) if (!panel.plot.isPhase) panel.plot.redraw();
        });
        clock.onTime(() => this.follow());
        onTheme(() => this.list.forEach((panel) => panel.refresh()));
    }

    private adder(): HTMLElement {
        return el(
            'button',
            {
                type: 'button',
                class: 'toggle',
                click: () => {
                    const panel = this.add([]);
                    panel.element.scrollIntoView({ block: 'nearest' });
                    panel.element.querySelector<HTMLButtonElement>('.add')?.click();
                },
            },
            'New plot',
        );
    }

    // A coordinate and its velocity, or the first two columns there are.
    private phaseAdder(): HTMLElement {
        return el(
            'button',
            {
                type: 'button',
                class: 'toggle',
                click: () => {
                    const names = plottable(this.columns);
                    const x = names.find((k) => this.columns.find(`${this.columns.info[k].name}'`) > 0) ?? names[0];
                    const y = this.columns.find(`${this.columns.info[x]?.name}'`);
                    if (x !== undefined)
                        this.add([y > 0 ? y : (names[1] ?? x)], x).element.scrollIntoView({ block: 'nearest' });
                },
            },
            'Phase plot',
        );
    }

    add(shown: number[], x = 0): Panel {
        const panel = new Panel(this, shown, x);
        this.list.push(panel);
        this.box.append(panel.element);
        return panel;
    }

    // A panel that stands elsewhere on the page but goes with the others.
    apart(shown: number[]): Panel {
        const panel = new Panel(this, shown, 0, true);
        this.list.push(panel);
        return panel;
    }

    remove(panel: Panel): void {
        this.list.splice(this.list.indexOf(panel), 1);
        panel.element.remove();
    }

    private follow(): void {
        const { window, clock } = this;
        // where the time runs out of a window, the window goes along
        if (!window.whole && clock.playing && (clock.t > window.to || clock.t < window.from)) {
            const width = window.to - window.from,
                from = Math.min(Math.max(clock.t, window.begin), window.end - width);
            window.set(from, from + width);
        }
        for (const panel of this.list) {
            panel.plot.moveCursor();
            panel.showValues();
        }
    }
}
