// The page of a run: reads what the command wrote into it and puts everything in its place.
import { Clock } from './clock';
import { Columns } from './columns';
import { Contacts } from './contacts';
import type { PageInfo } from './contract';
import { el, icon, ICONS } from './dom';
import { Panels } from './panels';
import { badge, sections } from './sections';
import { Stage } from './stage';
import { isDark, onTheme, setTheme, watchTheme } from './theme';
import { Timeline } from './timeline';

const KEYS: [string, string][] = [
    ['Space', 'play, pause'],
    ['← →', 'one row back or on; with Shift ten'],
    ['Home End', 'start, end'],
    ['[ ]', 'slower, faster'],
    ['L', 'loop'],
    ['+ −', 'closer, farther'],
    ['F', 'whole picture'],
    ['Alt and arrows', 'turn the view, or shift it'],
    ['1 2 3', 'from the side of x, y, z'],
    ['T G A C O N', 'trails, ghost of the start, forces, contacts, follow, names'],
    ['?', 'this list'],
];

function themeButton(): HTMLElement {
    const button = el('button', { type: 'button', class: 'icon-button' });
    const show = (): void => {
        const name = isDark() ? 'Light' : 'Dark';
        button.replaceChildren(icon(isDark() ? ICONS.light : ICONS.dark));
        button.title = name;
        button.setAttribute('aria-label', name);
    };
    button.addEventListener('click', () => setTheme(isDark() ? 'light' : 'dark'));
    onTheme(show);
    show();
    return button;
}

function keyHelp(): HTMLDialogElement {
    const rows = KEYS.flatMap(([key, what]) => [el('dt', {}, key), el('dd', {}, what)]);
    const dialog = el(
        'dialog',
        { class: 'keys', 'aria-label': 'Keys' },
        el('h2', {}, 'Keys'),
        el('dl', {}, ...rows),
        el(
            'p',
            { class: 'note' },
            'In a plot: click for the time, drag for a stretch of it, double click for all. Drag the cursor to move the time.',
        ),
        el('form', { method: 'dialog' }, el('button', { class: 'toggle' }, 'Close')),
    );
    return dialog;
}

function head(page: PageInfo, help: HTMLDialogElement): HTMLElement {
    const links: [string, string][] = [
        ['plots', 'Plots'],
        ['contacts', 'Contacts'],
        ['verdict', 'Verdict'],
        ['energy', 'Energy'],
        ['events', 'Events'],
        ['constraints', 'Constraints'],
        ['equations', 'Equations'],
        ['model', 'Model'],
    ];
    const nav = el('nav', { 'aria-label': 'Sections' });
    requestAnimationFrame(() => {
        for (const [id, title] of links)
            if (document.getElementById(id)) nav.append(el('a', { href: `#${id}` }, title));
    });
    const keys = el(
        'button',
        {
            type: 'button',
            class: 'icon-button',
            title: 'Keys (?)',
            'aria-label': 'Keys',
            click: () => help.showModal(),
        },
        '?',
    );
    return el(
        'header',
        {},
        el('div', { class: 'title' }, el('h1', {}, page.title || 'Zwang'), badge(page)),
        nav,
        el('div', { class: 'row' }, keys, themeButton()),
    );
}

// On paper there are lines, not pixels: each canvas is drawn once more, as SVG.
function printAsDrawings({ stage, panels }: { stage?: Stage; panels: Panels }): void {
    addEventListener('beforeprint', () => {
        for (const { plot, svg } of panels.list) plot.element.append(onPaper(svg()));
        if (stage) stage.holder.append(onPaper(stage.svg()));
    });
    addEventListener('afterprint', () => document.querySelectorAll('.paper').forEach((drawing) => drawing.remove()));
}

function onPaper(svg: string): Node {
    const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
    drawing.setAttribute('class', 'paper');
    return document.importNode(drawing, true);
}

interface Parts {
    clock: Clock;
    timeline: Timeline;
    stage?: Stage;
    help: HTMLDialogElement;
}

// Keys that hold everywhere but where something is typed or chosen.
function takeKeys({ clock, timeline, stage, help }: Parts): void {
    const actions: Record<string, (event: KeyboardEvent) => void> = {
        ' ': () => clock.toggle(),
        ArrowLeft: (event) => timeline.step(event.shiftKey ? -10 : -1),
        ArrowRight: (event) => timeline.step(event.shiftKey ? 10 : 1),
        Home: () => clock.set(clock.begin),
        End: () => clock.set(clock.end),
        l: () => timeline.setLoop(!clock.loop),
        '[': () => timeline.faster(-1),
        ']': () => timeline.faster(1),
        '?': () => (help.open ? help.close() : help.showModal()),
    };
    document.addEventListener('keydown', (event) => {
        const target = event.target as HTMLElement,
            tag = target.tagName;
        const writing =
            tag === 'SELECT' || (tag === 'INPUT' && (target as HTMLInputElement).type !== 'range') || help.open;
        if (event.ctrlKey || event.metaKey || (writing && event.key !== '?')) return;
        if (tag === 'INPUT' && !target.classList.contains('time')) return; // another slider has its own arrows
        if (event.key === ' ' && (tag === 'BUTTON' || tag === 'A')) return;
        const action = event.altKey ? undefined : actions[event.key];
        if (action) action(event);
        else if (!stage?.key(event)) return;
        event.preventDefault();
    });
}

function build(page: PageInfo): Parts & { panels: Panels; columns: Columns; contacts: Contacts } {
    const columns = new Columns(page.data),
        clock = new Clock(columns.begin, columns.end);
    const timeline = new Timeline(clock, columns, page.events ?? []);
    const panels = new Panels(page, columns, clock),
        help = keyHelp();
    const root = document.getElementById('page') ?? document.body.appendChild(el('div', { id: 'page' }));
    const main = el('main');
    root.append(head(page, help), main, timeline.element, help);
    const contacts = new Contacts(page, columns);
    const stage = page.scene && page.scene.shapes.length > 0 ? new Stage(page, columns, clock, contacts) : undefined;
    const none = el('p', { class: 'note' }, 'There is no drawing in this result: plots only.');
    const words = sections(page, columns, clock, { panels, contacts, jump: (event) => timeline.jump(event) });
    main.className = stage ? 'split' : 'alone';
    main.append(stage?.element ?? none, el('div', { class: 'side' }, panels.element, ...words));
    return { clock, timeline, stage, help, panels, columns, contacts };
}

// What the command wrote; undefined, and said, if it cannot be read.
function readPage(): PageInfo | undefined {
    try {
        const page = JSON.parse(document.getElementById('zwang-page')?.textContent ?? '') as PageInfo;
        if (page.data.columns.length > 0) return page;
    } catch {
        // said below
    }
    document.body.append(
        el('p', { class: 'note' }, 'The data of this page cannot be read: the file is not whole. Make it again.'),
    );
    return undefined;
}

function start(): void {
    const page = readPage();
    if (!page) return;
    document.title = page.title ? `${page.title} · Zwang` : 'Zwang';
    watchTheme();
    const parts = build(page);
    takeKeys(parts);
    printAsDrawings(parts);
    // for those who test it, or wonder: what is shown, as numbers
    Object.assign(globalThis, {
        zwangPage: {
            page,
            ...parts,
            arrows: () => {
                parts.stage?.scene.at(parts.clock.t);
                return parts.stage?.scene.shownArrows() ?? [];
            },
            forceScale: () => parts.stage?.scene.forceScale,
            shownContacts: () => {
                parts.stage?.scene.at(parts.clock.t);
                return parts.stage?.cones.list() ?? [];
            },
        },
    });
    if (parts.stage && !matchMedia('(prefers-reduced-motion: reduce)').matches) parts.clock.play();
}

start();
