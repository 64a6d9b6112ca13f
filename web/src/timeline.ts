// The time line: play, pause, steps, speed, loop, and the events of the run as marks that can be clicked.
import type { Clock } from './clock';
import type { Columns } from './columns';
import type { EventInfo } from './contract';
import { choice, el, icon, iconButton, ICONS } from './dom';
import { figure } from './figures';

const SPEEDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];
const MOST_MARKS = 400;

export class Timeline {
    readonly element: HTMLElement;
    private readonly playButton: HTMLButtonElement;
    private readonly slider: HTMLInputElement;
    private readonly readout: HTMLElement;
    private readonly loopButton: HTMLButtonElement;
    private readonly speedChoice: HTMLSelectElement;
    private readonly base: number;
    private readonly note: HTMLElement;
    private readonly digits: number;

    constructor(
        private readonly clock: Clock,
        private readonly columns: Columns,
        private readonly events: EventInfo[],
    ) {
        this.base = clock.speed;
        this.digits = Math.min(
            9,
            4 + Math.max(0, Math.ceil(Math.log10(Math.abs(clock.end) / Math.max(1e-300, clock.end - clock.begin)))),
        );
        this.playButton = el('button', { type: 'button', class: 'play', click: () => clock.toggle() });
        this.slider = el('input', {
            type: 'range',
            min: 0,
            max: 1,
            step: 'any',
            value: 0,
            class: 'time',
            'aria-label': 'Time',
        });
        this.slider.addEventListener('input', () => {
            clock.pause();
            clock.set(clock.begin + Number(this.slider.value) * (clock.end - clock.begin));
        });
        this.readout = el('output', { class: 'readout' });
        this.note = el('div', { class: 'event-note', 'aria-live': 'polite' });
        this.loopButton = iconButton(ICONS.loop, 'Loop (L)', () => this.setLoop(!clock.loop));
        this.speedChoice = choice(
            'Speed',
            SPEEDS.map((speed) => [String(speed), this.speedText(speed)]),
            '1',
            (value) => clock.setSpeed(this.base * Number(value)),
        );
        this.element = el(
            'div',
            { class: 'timeline', role: 'group', 'aria-label': 'Time line' },
            iconButton(ICONS.start, 'To the start (Home)', () => clock.set(clock.begin)),
            iconButton(ICONS.back, 'One row back (Left)', () => this.step(-1)),
            this.playButton,
            iconButton(ICONS.forward, 'One row on (Right)', () => this.step(1)),
            this.readout,
            el('div', { class: 'track' }, this.marks(), this.slider, this.note),
            this.speedChoice,
            this.loopButton,
        );
        clock.onTime(() => this.show());
        clock.onState(() => this.showState());
        this.show();
        this.showState();
    }

    private speedText(factor: number): string {
        const speed = this.base * factor;
        return speed === 1 ? 'real time' : `× ${figure(speed, 3)}`;
    }

    // The marks of events; of very many only the first.
    private marks(): HTMLElement {
        const box = el('div', { class: 'marks' }),
            width = this.clock.end - this.clock.begin;
        for (const event of this.events.slice(0, MOST_MARKS)) {
            const part = width > 0 ? (event.t - this.clock.begin) / width : 0;
            const label = `${event.name} at t = ${figure(event.t, 7)}${event.message ? `: ${event.message}` : ''}`;
            const mark = el('button', { type: 'button', class: 'mark', title: label, 'aria-label': `Event ${label}` });
            mark.style.left = `${100 * Math.min(1, Math.max(0, part))}%`;
            mark.addEventListener('click', () => this.jump(event));
            box.append(mark);
        }
        return box;
    }

    jump(event: EventInfo): void {
        this.clock.pause();
        this.clock.set(event.t);
        this.note.textContent = event.message ? `${event.name}: ${event.message}` : event.name;
        clearTimeout(this.noteTimer);
        this.noteTimer = window.setTimeout(() => (this.note.textContent = ''), 4000);
    }

    private noteTimer = 0;

    // To the row so many on, from wherever between two it is.
    step(count: number): void {
        const { clock, columns } = this,
            row = columns.rowAt(clock.t);
        clock.pause();
        const between = clock.t > columns.t[row];
        const next = count < 0 && between ? row + count + 1 : row + count;
        clock.set(columns.t[Math.min(columns.rows - 1, Math.max(0, next))]);
    }

    setLoop(loop: boolean): void {
        this.clock.loop = loop;
        this.showState();
    }

    faster(by: number): void {
        const at = SPEEDS.findIndex((speed) => String(speed) === this.speedChoice.value);
        const next = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
        this.speedChoice.value = String(next);
        this.clock.setSpeed(this.base * next);
    }

    private show(): void {
        const { clock } = this,
            width = clock.end - clock.begin;
        const part = width > 0 ? (clock.t - clock.begin) / width : 0;
        this.slider.value = String(part);
        this.slider.style.setProperty('--part', `${100 * part}%`);
        this.slider.setAttribute('aria-valuetext', `t = ${figure(clock.t, this.digits)}`);
        this.readout.textContent = `t = ${fixed(clock.t, width)}`;
    }

    private showState(): void {
        const { playing, loop } = this.clock,
            name = playing ? 'Pause (Space)' : 'Play (Space)';
        this.playButton.replaceChildren(icon(playing ? ICONS.pause : ICONS.play, !playing));
        this.playButton.title = name;
        this.playButton.setAttribute('aria-label', name);
        this.loopButton.setAttribute('aria-pressed', String(loop));
    }
}

// A time with as many places as a run of this length needs, so that it does not dance.
function fixed(t: number, width: number): string {
    const places = width > 0 ? Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(width)))) : 3;
    return Math.abs(t) < 1e9 ? t.toFixed(places).replace('-', '−') : figure(t, 9);
}
