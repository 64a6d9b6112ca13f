// The page of a sweep: a plot for every number that was kept, all over the same one that was varied, and
// linked: runs that are chosen in one, by dragging a box, are chosen in all. Points that fail have no
// number and stand in a list.

import { el } from './dom.js';

interface Data {
    file: string;
    command: string;
    runs: number;
    stride: number;
    varied: number;
    names: string[];
    columns: (number | null)[][];
    failed: [number, string][];
}

interface Range {
    low: number;
    high: number;
}

interface Plot {
    column: number;
    canvas: HTMLCanvasElement;
    title: HTMLElement;
}

const MARGIN = { left: 58, right: 12, top: 8, bottom: 30 };
const data = JSON.parse(document.getElementById('data')!.textContent!) as Data;
const count = data.columns[0]?.length ?? 0;
const chosen = new Uint8Array(count);
let some = false; // runs are chosen
let across = 0; // the column that all plots have across
let over = -1; // the run under the pointer
const plots: Plot[] = [];
let table: HTMLElement;
let said: HTMLElement;

const value = (column: number, run: number): number => data.columns[column]?.[run] ?? NaN;

// Six digits, no more than needed.
const figure = (x: number): string => (Number.isFinite(x) ? String(Number(x.toPrecision(6))) : '—');

function rangeOf(column: number): Range {
    let low = Infinity;
    let high = -Infinity;
    for (const x of data.columns[column] ?? []) {
        if (x === null) continue;
        if (x < low) low = x;
        if (x > high) high = x;
    }
    if (!(low <= high)) return { low: 0, high: 1 };
    const pad = high > low ? 0.04 * (high - low) : Math.abs(high) || 1;
    return { low: low - pad, high: high + pad };
}

// Round numbers, about `wanted` of them.
function ticks(range: Range, wanted: number): number[] {
    const rough = (range.high - range.low) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) ?? rough;
    const found: number[] = [];
    for (let k = Math.ceil(range.low / step); k * step <= range.high && found.length < 50; k++) found.push(k * step);
    return found;
}

// From numbers to places in the canvas, and back.
function frameOf(plot: Plot) {
    const box = plot.canvas.getBoundingClientRect();
    const x = rangeOf(across);
    const y = rangeOf(plot.column);
    const width = box.width - MARGIN.left - MARGIN.right;
    const height = box.height - MARGIN.top - MARGIN.bottom;
    return {
        x,
        y,
        width: box.width,
        height: box.height,
        toX: (v: number): number => MARGIN.left + ((v - x.low) / (x.high - x.low)) * width,
        toY: (v: number): number => MARGIN.top + (1 - (v - y.low) / (y.high - y.low)) * height,
    };
}

type Frame = ReturnType<typeof frameOf>;

function drawAxes(pen: CanvasRenderingContext2D, frame: Frame, ink: string, faint: string): void {
    pen.font = '11px system-ui, sans-serif';
    pen.lineWidth = 1;
    pen.strokeStyle = faint;
    pen.fillStyle = ink;
    pen.textAlign = 'center';
    for (const t of ticks(frame.x, Math.max(2, frame.width / 90))) {
        const at = Math.round(frame.toX(t)) + 0.5;
        pen.beginPath();
        pen.moveTo(at, MARGIN.top);
        pen.lineTo(at, frame.height - MARGIN.bottom);
        pen.stroke();
        pen.fillText(figure(t), at, frame.height - MARGIN.bottom + 14);
    }
    pen.textAlign = 'right';
    for (const t of ticks(frame.y, Math.max(2, frame.height / 45))) {
        const at = Math.round(frame.toY(t)) + 0.5;
        pen.beginPath();
        pen.moveTo(MARGIN.left, at);
        pen.lineTo(frame.width - MARGIN.right, at);
        pen.stroke();
        pen.fillText(figure(t), MARGIN.left - 6, at + 4);
    }
    pen.textAlign = 'right';
    pen.fillText(data.names[across] ?? '', frame.width - MARGIN.right, frame.height - 3);
}

function drawPoints(pen: CanvasRenderingContext2D, plot: Plot, frame: Frame, which: boolean, colour: string): void {
    const size = count > 5000 ? 1.6 : count > 500 ? 2.4 : 3.6;
    pen.fillStyle = colour;
    for (let run = 0; run < count; run++) {
        if (some && (chosen[run] === 1) !== which) continue;
        const x = value(across, run);
        const y = value(plot.column, run);
        if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
        pen.fillRect(frame.toX(x) - size / 2, frame.toY(y) - size / 2, size, size);
    }
}

function draw(plot: Plot): void {
    const style = getComputedStyle(document.documentElement);
    const read = (name: string): string => style.getPropertyValue(name).trim();
    const frame = frameOf(plot);
    const scale = window.devicePixelRatio || 1;
    plot.canvas.width = Math.round(frame.width * scale);
    plot.canvas.height = Math.round(frame.height * scale);
    const pen = plot.canvas.getContext('2d')!;
    pen.scale(scale, scale);
    drawAxes(pen, frame, read('--soft'), read('--faint'));
    if (some) drawPoints(pen, plot, frame, false, read('--dim'));
    drawPoints(pen, plot, frame, true, read('--accent'));
    const x = value(across, over);
    const y = value(plot.column, over);
    if (over < 0 || !Number.isFinite(x) || !Number.isFinite(y)) return;
    pen.strokeStyle = read('--mark');
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(frame.toX(x), frame.toY(y), 6, 0, 7);
    pen.stroke();
}

let waiting = false;
function redraw(): void {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
        waiting = false;
        plots.forEach(draw);
        tell();
    });
}

// The run under the pointer, or how many are chosen, and the first of them as rows.
function tell(): void {
    const runs: number[] = [];
    let all = 0;
    for (let run = 0; run < count; run++)
        if (chosen[run]) {
            all++;
            if (runs.length < 100) runs.push(run);
        }
    if (over >= 0) said.textContent = `run ${over * data.stride}`;
    else said.textContent = some ? `${all} runs chosen; click beside the points to let them go` : 'drag a box to choose runs';
    const shown = over >= 0 ? [over] : runs;
    const head = el('tr', {}, el('th', {}, 'run'), ...data.names.map((name) => el('th', {}, name)));
    const rows = shown.map((run) =>
        el('tr', {}, el('td', {}, String(run * data.stride)), ...data.names.map((_, k) => el('td', {}, figure(value(k, run))))),
    );
    table.replaceChildren(...(rows.length > 0 ? [head, ...rows] : []));
}

function nearest(plot: Plot, px: number, py: number): number {
    const frame = frameOf(plot);
    let best = 14 * 14;
    let found = -1;
    for (let run = 0; run < count; run++) {
        const dx = frame.toX(value(across, run)) - px;
        const dy = frame.toY(value(plot.column, run)) - py;
        const far = dx * dx + dy * dy;
        if (far < best) [best, found] = [far, run];
    }
    return found;
}

function choose(plot: Plot, a: { x: number; y: number }, b: { x: number; y: number }): void {
    const frame = frameOf(plot);
    const inside = (v: number, p: number, q: number): boolean => v >= Math.min(p, q) && v <= Math.max(p, q);
    some = false;
    for (let run = 0; run < count; run++) {
        const hit = inside(frame.toX(value(across, run)), a.x, b.x) && inside(frame.toY(value(plot.column, run)), a.y, b.y);
        chosen[run] = hit ? 1 : 0;
        if (hit) some = true;
    }
    redraw();
}

function listen(plot: Plot): void {
    let from: { x: number; y: number } | undefined;
    const box = el('div', { class: 'box' });
    plot.canvas.parentElement!.append(box);
    const place = (e: PointerEvent) => {
        const at = plot.canvas.getBoundingClientRect();
        return { x: e.clientX - at.left, y: e.clientY - at.top };
    };
    plot.canvas.addEventListener('pointerdown', (e) => {
        from = place(e);
        plot.canvas.setPointerCapture(e.pointerId);
    });
    plot.canvas.addEventListener('pointermove', (e) => {
        const at = place(e);
        if (!from) {
            over = nearest(plot, at.x, at.y);
            redraw();
            return;
        }
        box.style.display = 'block';
        box.style.left = `${Math.min(from.x, at.x)}px`;
        box.style.top = `${Math.min(from.y, at.y)}px`;
        box.style.width = `${Math.abs(from.x - at.x)}px`;
        box.style.height = `${Math.abs(from.y - at.y)}px`;
    });
    plot.canvas.addEventListener('pointerup', (e) => {
        box.style.display = 'none';
        if (from) choose(plot, from, place(e));
        from = undefined;
    });
    plot.canvas.addEventListener('pointerleave', () => {
        over = -1;
        redraw();
    });
}

function makePlot(column: number): HTMLElement {
    const canvas = el('canvas', { 'aria-label': `${data.names[column]} of every run`, role: 'img' });
    const title = el('h2', {}, data.names[column] ?? '');
    const plot = { column, canvas, title };
    const card = el('section', {}, title, el('div', { class: 'plot' }, canvas));
    plots.push(plot);
    listen(plot);
    return card;
}

function makeChooser(): HTMLElement {
    const select = el('select', {
        id: 'across',
        change: () => {
            across = Number(select.value);
            redraw();
        },
    });
    data.names.forEach((name, k) => select.append(el('option', { value: k }, name)));
    return el('label', {}, 'across: ', select);
}

function makeFailures(): HTMLElement | null {
    if (data.failed.length === 0) return null;
    const rows = data.failed.slice(0, 200).map(([run, reason]) => el('li', {}, `run ${run}: ${reason}`));
    return el('details', {}, el('summary', {}, `${data.failed.length} runs failed`), el('ul', {}, ...rows));
}

function begin(): void {
    const shown = data.stride > 1 ? `, one of ${data.stride} shown` : '';
    said = el('p', { class: 'said', 'aria-live': 'polite' });
    table = el('table', {});
    const kept = data.names.map((_, k) => k).filter((k) => k >= data.varied);
    document.title = `Sweep of ${data.file}`;
    document.body.append(
        el('header', {}, el('h1', {}, `Sweep of ${data.file}`), el('p', {}, `${data.runs} runs${shown}`), el('code', {}, data.command)),
        el('nav', {}, makeChooser(), said),
        el('main', {}, ...(kept.length > 0 ? kept : [0]).slice(0, 24).map(makePlot)),
        el('div', { class: 'rows' }, table),
    );
    const failures = makeFailures();
    if (failures) document.body.append(failures);
    new ResizeObserver(redraw).observe(document.body);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    redraw();
}

begin();
