// What contacts do over time: stretches of one doing each, and the moments at which something collides.
//
// Rows say what a contact does at their times; events say when that changes, and what happens between two rows.
import type { Columns } from './columns';
import type { ContactInfo, EventInfo, PageInfo } from './contract';

export type Doing = 'open' | 'touches' | 'slides' | 'sticks';
export const DOINGS: Doing[] = ['open', 'touches', 'slides', 'sticks'];

export interface Stretch {
    from: number;
    to: number;
    doing: Doing;
}

export interface Story {
    info: ContactInfo;
    name: string; // as much of it as tells it from the others
    stretches: Stretch[]; // without gaps, from the first row to the last
    impacts: number[]; // times, ascending
}

// lane.touch.touch is lane where nothing else is of it.
function shortNames(names: string[]): string[] {
    const beginnings = (name: string): string[] => {
        const words = name.split('.');
        return words.map((_, k) => words.slice(0, k + 1).join('.'));
    };
    const count = new Map<string, number>();
    for (const name of names) for (const begin of beginnings(name)) count.set(begin, (count.get(begin) ?? 0) + 1);
    return names.map((name) => beginnings(name).find((begin) => count.get(begin) === 1) ?? name);
}

const doingOf = (state: number, friction: boolean): Doing =>
    state >= 2 ? 'sticks' : state >= 1 ? (friction ? 'slides' : 'touches') : 'open';

// The stretches of a contact so far; one of no length gives way to the next.
class Teller {
    readonly stretches: Stretch[] = [];

    begin(t: number, doing: Doing): void {
        const last = this.stretches.at(-1);
        if (last?.doing === doing) return;
        if (last) last.to = t;
        if (last && !(last.to > last.from)) {
            this.stretches.pop();
            return this.begin(t, doing);
        }
        this.stretches.push({ from: t, to: t, doing });
    }

    end(t: number): void {
        const last = this.stretches.at(-1);
        if (last) last.to = t;
    }
}

function tell(info: ContactInfo, states: ArrayLike<number>, t: ArrayLike<number>, events: EventInfo[]): Stretch[] {
    const teller = new Teller();
    let next = 0;
    for (let row = 0; row < t.length; row++) {
        const doing = doingOf(states[row], info.friction);
        for (; next < events.length && events[next].t <= t[row]; next++) {
            const { t: at, what } = events[next];
            const closed: Doing = doing === 'open' ? (info.friction ? 'slides' : 'touches') : doing;
            if (row > 0 && what === 'opens') teller.begin(at, 'open');
            if (row > 0 && what === 'closes') teller.begin(at, closed);
            if (row > 0 && what === 'slips') teller.begin(at, 'slides');
            if (row > 0 && what === 'sticks') teller.begin(at, 'sticks');
        }
        if (Number.isFinite(states[row])) teller.begin(t[row], doing);
    }
    teller.end(t[t.length - 1]);
    return teller.stretches;
}

export class Contacts {
    readonly stories: Story[];

    constructor(page: PageInfo, columns: Columns) {
        const by = new Map<number, EventInfo[]>();
        for (const event of page.events ?? []) {
            if (event.contact === undefined) continue;
            const list = by.get(event.contact);
            if (list) list.push(event);
            else by.set(event.contact, [event]);
        }
        const names = shortNames((page.contacts ?? []).map(({ name }) => name));
        this.stories = (page.contacts ?? []).map((info, k) => {
            const states =
                typeof info.state === 'object'
                    ? columns.column(info.state.c)
                    : new Float64Array(columns.rows).fill(info.state);
            const events = by.get(k) ?? [];
            return {
                info,
                name: names[k],
                stretches: columns.rows > 0 ? tell(info, states, columns.t, events) : [],
                impacts: events.filter((event) => event.what === 'impact').map((event) => event.t),
            };
        });
    }

    // The stretch that a time lies in: of two that meet there the later.
    stretchAt(k: number, t: number): Stretch | undefined {
        const { stretches } = this.stories[k];
        let low = 0,
            high = stretches.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (stretches[middle].from <= t) low = middle;
            else high = middle - 1;
        }
        return stretches[low];
    }

    doingAt(k: number, t: number): Doing {
        return this.stretchAt(k, t)?.doing ?? 'open';
    }

    // The last impact at or before a time; -Infinity: none.
    lastImpact(k: number, t: number): number {
        const { impacts } = this.stories[k];
        let low = 0,
            high = impacts.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (impacts[middle] <= t) low = middle + 1;
            else high = middle;
        }
        return low > 0 ? impacts[low - 1] : -Infinity;
    }

    // Every doing that some contact has at some time.
    get seen(): Set<Doing> {
        return new Set(this.stories.flatMap(({ stretches }) => stretches.map(({ doing }) => doing)));
    }
}
