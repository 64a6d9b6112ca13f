// The rest of the page: verdict, events, constraints, energy, equations, model, parameters.
import type { Clock } from './clock';
import type { Columns } from './columns';
import type { Contacts } from './contacts';
import type { ConstraintInfo, EventInfo, PageInfo } from './contract';
import { download, el, fileName } from './dom';
import { figure } from './figures';
import { highlighted } from './highlight';
import { formulas } from './mathml';
import { csv, type Panels } from './panels';
import { contactTable } from './strips';

function section(id: string, title: string, ...content: (Node | string | null | undefined)[]): HTMLElement {
    return el('section', { class: 'card words', 'aria-labelledby': id }, el('h2', { id }, title), ...content);
}

function table(heads: string[], rows: (Node | string)[][], caption: string): HTMLElement {
    return el(
        'div',
        { class: 'scroll' },
        el(
            'table',
            {},
            el('caption', { class: 'unseen' }, caption),
            el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
            el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell) => el('td', {}, cell))))),
        ),
    );
}

// How far the numbers can be trusted, as a word and a sign.
export function trustOf(page: PageInfo): { state: 'ok' | 'remarks' | 'bad'; sign: string } {
    const trust = page.verdict?.trust ?? '';
    if (trust === 'ok') return { state: 'ok', sign: '✓' };
    return trust.startsWith('ok') ? { state: 'remarks', sign: '!' } : { state: 'bad', sign: '✕' };
}

export function badge(page: PageInfo): HTMLElement | null {
    if (!page.verdict) return null;
    const { state, sign } = trustOf(page);
    return el(
        'a',
        { class: `badge ${state}`, href: '#verdict', title: 'To the verdict' },
        el('span', { 'aria-hidden': 'true' }, sign),
        `trust: ${page.verdict.trust}`,
    );
}

// The lines of the terminal; the word that a line begins with stands out.
function verdict(page: PageInfo): HTMLElement | null {
    if (!page.verdict) return null;
    const { state } = trustOf(page);
    const lines = page.verdict.lines.map((line) => {
        const head = /^( {0,2}[a-z]+)( {2,})(.*)$/.exec(line);
        const kind = /\b(error|warning|remark)\[/.exec(line)?.[1] ?? (head?.[1] === 'trust' ? `trust ${state}` : '');
        return el(
            'span',
            { class: `verdict-line ${kind}${head ? ' headed' : ''}` },
            ...(head ? [el('b', {}, head[1]), head[2] + head[3]] : [line]),
            '\n',
        );
    });
    return section(
        'verdict',
        'Verdict',
        el('pre', { class: 'verdict', tabindex: '0', 'aria-label': 'Verdict' }, ...lines),
    );
}

function marks(constraint: ConstraintInfo): HTMLElement {
    const box = el('span', { class: 'flags' });
    if (constraint.redundant) box.append(el('span', { class: 'flag redundant' }, 'redundant'));
    if (constraint.conflict) box.append(el('span', { class: 'flag conflict' }, 'in conflict'));
    return box;
}

const MOST_ROWS = 500;

function constraints(list: ConstraintInfo[]): HTMLElement {
    const rows = list
        .slice(0, MOST_ROWS)
        .map((one) => [
            el('code', {}, one.name),
            one.kind,
            String(one.rows),
            marks(one),
            el('span', { class: 'note' }, one.text ?? ''),
        ]);
    const left = list.length - MOST_ROWS;
    return section(
        'constraints',
        'Constraints',
        table(['name', 'kind', 'rows', '', ''], rows, 'Constraints with their kinds, redundancy and conflicts'),
        left > 0 ? el('p', { class: 'note' }, `and ${left} more`) : null,
    );
}

function events(list: EventInfo[], jump: (event: EventInfo) => void): HTMLElement {
    const rows = list
        .slice(0, MOST_ROWS)
        .map((event) => [
            el('button', { type: 'button', class: 'link', click: () => jump(event) }, figure(event.t, 7)),
            el('code', {}, event.name),
            event.message ?? '',
        ]);
    return section(
        'events',
        'Events',
        table(['t', 'event', ''], rows, 'Events of the run; a time can be clicked'),
        list.length > MOST_ROWS ? el('p', { class: 'note' }, `and ${list.length - MOST_ROWS} more`) : null,
    );
}

// The ledger: its curves, and its numbers at the start, now and at the end.
function energy(page: PageInfo, columns: Columns, clock: Clock, panels: Panels): HTMLElement | null {
    const shown = (page.energy?.columns ?? []).map((name) => columns.find(name)).filter((k) => k > 0);
    if (shown.length === 0) return null;
    const now = shown.map(() => el('span', { class: 'figure' }));
    const rows = shown.map((k, i) => {
        const column = columns.column(k),
            first = column[0],
            last = column[columns.rows - 1];
        return [el('code', {}, columns.info[k].name), figure(first), now[i], figure(last), figure(last - first)];
    });
    const show = (): void => {
        const moment = columns.moment(clock.t);
        shown.forEach((k, i) => (now[i].textContent = figure(columns.value(k, moment))));
    };
    clock.onTime(show);
    show();
    return section(
        'energy',
        'Energy ledger',
        panels.apart(shown.slice(0, 8)).element,
        table(['', 'start', 'now', 'end', 'change'], rows, 'Energies and works at the start, now and at the end'),
    );
}

function equations(list: { title: string; mathml: string }[]): HTMLElement {
    return section(
        'equations',
        'Equations',
        ...list.map(({ title, mathml }) => {
            const box = el('div', { class: 'formulas', tabindex: '0', 'aria-label': title });
            box.append(...formulas(mathml));
            return el('div', {}, el('h3', {}, title), box);
        }),
    );
}

const shown = (value: unknown): string =>
    typeof value === 'number'
        ? figure(value, 12)
        : Array.isArray(value)
          ? `[${value.map(shown).join(', ')}]`
          : String(value);

function copyable(text: string): HTMLElement {
    const button = el('button', { type: 'button', class: 'toggle' }, 'Copy');
    button.addEventListener('click', () => {
        void navigator.clipboard?.writeText(text).then(
            () => (button.textContent = 'Copied'),
            () => (button.textContent = 'Not allowed here'),
        );
    });
    return el('div', { class: 'command' }, el('pre', { tabindex: '0', 'aria-label': 'Command' }, text), button);
}

function model(page: PageInfo): HTMLElement | null {
    if (page.text === undefined) return null;
    return section('model', page.file ? `Model ${page.file}` : 'Model', highlighted(page.text));
}

// How the page came to be: command, version, rows, parameters, all data.
function about(page: PageInfo, columns: Columns): HTMLElement {
    const { thinned } = page;
    const rows = thinned
        ? `${thinned.to} of ${thinned.from} rows of the run are in this page: thinned for display`
        : `${columns.rows} rows`;
    const all = columns.info.map((_, k) => k).filter((k) => columns.info[k].kind !== 'drawing');
    const data = el(
        'button',
        {
            type: 'button',
            class: 'toggle',
            click: () => download(`${fileName(page.title)}.csv`, csv(columns, all), 'text/csv'),
        },
        'All columns as CSV',
    );
    return section(
        'about',
        'This page',
        page.command ? copyable(page.command) : null,
        el('p', { class: 'note' }, `Made by Zwang ${page.version}. ${rows}, ${all.length} columns. `, data),
    );
}

function parameters(page: PageInfo): HTMLElement | null {
    if (!page.parameters?.length) return null;
    return section(
        'parameters',
        'Parameters',
        table(
            ['name', 'value'],
            page.parameters.map(({ name, value }) => [el('code', {}, name), shown(value)]),
            'Parameters and their values',
        ),
    );
}

interface Around {
    panels: Panels;
    contacts: Contacts;
    jump: (event: EventInfo) => void;
}

export function sections(
    page: PageInfo,
    columns: Columns,
    clock: Clock,
    { panels, contacts, jump }: Around,
): HTMLElement[] {
    return [
        contacts.stories.length > 0 ? section('contacts', 'Contacts', ...contactTable(contacts, columns, clock)) : null,
        verdict(page),
        energy(page, columns, clock, panels),
        page.events?.length ? events(page.events, jump) : null,
        page.constraints?.length ? constraints(page.constraints) : null,
        page.equations?.length ? equations(page.equations) : null,
        model(page),
        parameters(page),
        about(page, columns),
    ].filter((made) => made !== null);
}
