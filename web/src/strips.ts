// The table of contacts: what each does now, and a strip of what it does over time. Strips are for the hand and
// for keys: a click sets the time, left and right go to where the contact changes.
import type { Clock } from './clock';
import type { Columns } from './columns';
import { DOINGS, type Contacts, type Doing, type Story } from './contacts';
import { doingColour } from './cones';
import { el } from './dom';
import { figure } from './figures';
import { onTheme, paint } from './theme';

const HEIGHT = 18;
const THICK: Record<Doing, number> = { open: 2, touches: 7, slides: 12, sticks: 16 };

// Thin, thicker, hatched, full: told apart without colours, too.
function drawStretch(context: CanvasRenderingContext2D, doing: Doing, from: number, to: number): void {
    const thick = THICK[doing],
        top = (HEIGHT - thick) / 2,
        width = Math.max(0.75, to - from);
    context.fillStyle = doingColour(doing);
    context.fillRect(from, top, width, thick);
    if (doing !== 'slides' || width < 3) return;
    context.save();
    context.beginPath();
    context.rect(from, top, width, thick);
    context.clip();
    context.strokeStyle = paint().ground;
    context.lineWidth = 1.25;
    context.beginPath();
    for (let x = Math.floor(from / 5) * 5 - thick; x < to; x += 5) {
        context.moveTo(x, top + thick);
        context.lineTo(x + thick, top);
    }
    context.stroke();
    context.restore();
}

function prepared(canvas: HTMLCanvasElement, width: number): CanvasRenderingContext2D | null {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const context = canvas.getContext('2d');
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

class Strip {
    readonly element: HTMLElement;
    readonly now = el('span', { class: 'doing' });
    private readonly canvas = el('canvas', {});
    private said = '';

    constructor(
        private readonly clock: Clock,
        private readonly contacts: Contacts,
        private readonly number: number,
        private readonly use: (number: number) => number,
    ) {
        this.element = el(
            'div',
            {
                class: 'strip',
                tabindex: '0',
                role: 'slider',
                'aria-label': `${this.story.name} over time`,
                'aria-valuemin': clock.begin,
                'aria-valuemax': clock.end,
            },
            this.canvas,
        );
        this.takeHands();
    }

    get story(): Story {
        return this.contacts.stories[this.number];
    }

    private takeHands(): void {
        const { element, clock } = this;
        const go = (event: PointerEvent): void => {
            const box = element.getBoundingClientRect();
            clock.pause();
            clock.set(clock.begin + ((event.clientX - box.left) / box.width) * (clock.end - clock.begin));
        };
        element.addEventListener('pointerdown', (event) => {
            element.setPointerCapture(event.pointerId);
            go(event);
        });
        element.addEventListener('pointermove', (event) => {
            if (event.buttons & 1) go(event);
        });
        element.addEventListener('keydown', (event) => {
            if (event.altKey || event.ctrlKey || event.metaKey) return;
            const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (!way) return;
            event.preventDefault();
            event.stopPropagation();
            clock.pause();
            clock.set(this.nextChange(way));
        });
    }

    // Where something begins, or collides, before or after now.
    private nextChange(way: number): number {
        const { clock, story } = this,
            small = 1e-12 * Math.max(Math.abs(clock.begin), Math.abs(clock.end)),
            times = [...story.stretches.map(({ from }) => from), ...story.impacts];
        return way > 0
            ? Math.min(clock.end, ...times.filter((t) => t > clock.t + small))
            : Math.max(clock.begin, ...times.filter((t) => t < clock.t - small));
    }

    draw(): void {
        const width = this.element.clientWidth,
            { clock, story } = this,
            span = clock.end - clock.begin;
        const context = width > 0 ? prepared(this.canvas, width) : null;
        if (!context) return;
        const at = (t: number): number => (span > 0 ? ((t - clock.begin) / span) * width : 0);
        for (const { from, to, doing } of story.stretches) drawStretch(context, doing, at(from), at(to));
        context.fillStyle = paint().nonideal;
        for (const t of story.impacts) context.fillRect(at(t) - 0.75, 0, 1.5, HEIGHT);
    }

    show(): void {
        const { clock, contacts, number } = this,
            stretch = contacts.stretchAt(number, clock.t),
            doing = stretch?.doing ?? 'open',
            part = doing === 'sticks' ? this.use(number) : NaN;
        const word = Number.isFinite(part) ? `${doing}, ${figure(100 * part, 2)} %` : doing;
        if (word !== this.said) {
            this.now.textContent = this.said = word;
            this.now.className = `doing ${doing}`;
            this.now.title = Number.isFinite(part) ? 'friction, as a part of the most that it can be' : '';
        }
        this.element.setAttribute('aria-valuenow', String(clock.t));
        this.element.setAttribute(
            'aria-valuetext',
            stretch ? `${doing} from ${figure(stretch.from)} to ${figure(stretch.to)}` : doing,
        );
    }
}

function legend(seen: Set<Doing>): HTMLElement {
    const swatches: [HTMLCanvasElement, Doing][] = [];
    const row = el('p', { class: 'legend strips-legend' });
    for (const doing of DOINGS.filter((one) => seen.has(one))) {
        const canvas = el('canvas', { class: 'swatch-strip', 'aria-hidden': 'true' });
        swatches.push([canvas, doing]);
        row.append(el('span', {}, canvas, doing));
    }
    row.append(el('span', { class: 'collides' }, 'collides'));
    if (seen.has('sticks')) row.append(el('span', {}, '%: friction, of the most that it can be'));
    const draw = (): void => {
        for (const [canvas, doing] of swatches) {
            const context = prepared(canvas, 28);
            if (context) drawStretch(context, doing, 0, 28);
        }
    };
    onTheme(draw);
    requestAnimationFrame(draw);
    return row;
}

// `use`: friction of a contact as a part of the most that it can be, now.
function useOf(contacts: Contacts, columns: Columns, clock: Clock): (number: number) => number {
    return (number) => {
        const { n, f, slope } = contacts.stories[number].info,
            moment = columns.moment(clock.t);
        const value = (x: number | { c: number } | null): number =>
            x === null ? NaN : typeof x === 'object' ? columns.value(x.c, moment) : x;
        const size = (list: typeof n): number => Math.hypot(...(list ?? [NaN]).map(value));
        const most = value(slope) * size(n);
        return most > 0 ? size(f) / most : NaN;
    };
}

// What a section shows of contacts.
export function contactTable(contacts: Contacts, columns: Columns, clock: Clock): HTMLElement[] {
    const use = useOf(contacts, columns, clock),
        strips = contacts.stories.map((_, k) => new Strip(clock, contacts, k, use));
    const list = el('ul', { class: 'contacts' });
    strips.forEach((strip) => {
        const { info } = strip.story;
        const name = el(
            'code',
            { title: info.p ? info.name : `${info.name}: its place is not known` },
            strip.story.name,
        );
        list.append(el('li', { class: info.p ? '' : 'unplaced' }, name, strip.now, strip.element));
    });
    const draw = (): void => strips.forEach((strip) => strip.draw());
    const show = (): void => {
        const span = clock.end - clock.begin;
        list.style.setProperty('--part', String(span > 0 ? (clock.t - clock.begin) / span : 0));
        strips.forEach((strip) => strip.show());
    };
    onTheme(draw);
    clock.onTime(show);
    show();
    new ResizeObserver(draw).observe(list);
    const unplaced = contacts.stories.filter(({ info }) => !info.p).length;
    const note =
        unplaced > 0
            ? el(
                  'p',
                  { class: 'note' },
                  `${unplaced === contacts.stories.length ? 'Their places are' : `The places of ${unplaced} are`} not known: say them, as in draw contact(NAME, p, normal).`,
              )
            : undefined;
    return [legend(contacts.seen), list, ...(note ? [note] : [])];
}
