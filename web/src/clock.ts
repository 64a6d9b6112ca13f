// The one time of the page: the motion, every plot and the time line follow it, and any of them sets it.

type Listener = () => void;

// Speeds in seconds of the model a second by the clock.
const STEPS = [1, 2, 5];

function niceBelow(x: number): number {
    const power = 10 ** Math.floor(Math.log10(x));
    return power * [...STEPS].reverse().find((step) => step * power <= x * 1.0001)!;
}

// As fast as it is, if that takes between 4 and 30 seconds; else so that it takes about 10.
export function naturalSpeed(duration: number): number {
    if (!(duration > 0) || (duration >= 4 && duration <= 30)) return 1;
    return niceBelow(duration / 8);
}

export class Clock {
    t: number;
    speed: number;
    playing = false;
    loop = false;
    private readonly listeners: Listener[] = [];
    private readonly stateListeners: Listener[] = [];
    private last = 0;

    constructor(
        readonly begin: number,
        readonly end: number,
    ) {
        this.t = begin;
        this.speed = naturalSpeed(end - begin);
    }

    // Called whenever the time is another.
    onTime(listener: Listener): void {
        this.listeners.push(listener);
    }

    // Called whenever it starts, stops or goes at another speed.
    onState(listener: Listener): void {
        this.stateListeners.push(listener);
    }

    set(t: number): void {
        const next = Math.min(this.end, Math.max(this.begin, t));
        if (!Number.isFinite(next) || next === this.t) return;
        this.t = next;
        for (const listener of this.listeners) listener();
    }

    play(): void {
        if (this.playing || this.end <= this.begin) return;
        if (this.t >= this.end) this.set(this.begin);
        this.playing = true;
        this.last = performance.now();
        requestAnimationFrame((now) => this.frame(now));
        this.changed();
    }

    pause(): void {
        if (!this.playing) return;
        this.playing = false;
        this.changed();
    }

    toggle(): void {
        if (this.playing) this.pause();
        else this.play();
    }

    setSpeed(speed: number): void {
        this.speed = speed;
        this.changed();
    }

    changed(): void {
        for (const listener of this.stateListeners) listener();
    }

    private frame(now: number): void {
        if (!this.playing) return;
        // a page that was hidden goes on where it was
        const passed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
        this.last = now;
        let t = this.t + passed * this.speed;
        if (t >= this.end) {
            if (this.loop) t = this.begin + ((t - this.begin) % (this.end - this.begin));
            else this.playing = false;
        }
        this.set(t);
        if (this.playing) requestAnimationFrame((next) => this.frame(next));
        else this.changed();
    }
}
