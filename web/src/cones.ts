// Contacts in the picture: a mark that says by its form and colour what each does, its forces as arrows, and the
// cone of friction with the whole force, whose tip is in the base of the cone: on its rim if the contact slides.
import type { Camera } from './camera';
import type { Clock } from './clock';
import type { Contacts, Doing } from './contacts';
import { drawArrow, type Shown } from './flat';
import type { Pen } from './pen';
import type { Scene, Seat } from './scene';
import { paint } from './theme';
import { add, frameOf, norm, scaled, unit, type Vector } from './vectors';

// A contact as it is shown at a time.
export interface ShownContact {
    name: string;
    doing: Doing;
    place: Vector;
    normal: Vector; // forces
    friction: Vector;
    slope: number;
    use: number; // friction, as a part of the most that it can be; NaN: there is none
    cone?: { base: Vector; tip: Vector; rim: Vector[] }; // in the model's units; of a plane model two points
}

const MOST_WORDS = 10,
    RIM = 48,
    FLASH = 0.4; // seconds in front of the page

export function doingColour(doing: Doing): string {
    const { soft, touches, slides, sticks } = paint();
    return { open: soft, touches, slides, sticks }[doing];
}

// Diamond, triangle, square, and a ring for what is open: told apart without colours, too.
export function drawMark(pen: Pen, x: number, y: number, doing: Doing, size = 6): void {
    const { ground } = paint(),
        colour = doingColour(doing);
    if (doing === 'open') {
        pen.circle(x, y, 0.7 * size);
        return pen.stroke(colour, 1.5);
    }
    const corners = { touches: [0, 1, 2, 3], slides: [0.333, 1.667, 3], sticks: [0.5, 1.5, 2.5, 3.5] }[doing];
    corners.forEach((quarter, i) => {
        const angle = (quarter * Math.PI) / 2,
            u = x + size * Math.cos(angle),
            v = y + size * Math.sin(angle);
        if (i === 0) pen.move(u, v);
        else pen.line(u, v);
    });
    pen.close();
    pen.fillAndStroke(colour, 1, ground, 1);
}

export class Cones {
    constructor(
        private readonly scene: Scene,
        private readonly camera: Camera,
        private readonly contacts: Contacts,
        private readonly clock: Clock,
    ) {}

    // All whose place is known, at the time that the scene was set to.
    list(): ShownContact[] {
        return this.scene.seats
            .filter((seat) => seat.at)
            .map((seat) => this.one(seat))
            .filter(({ place }) => Number.isFinite(place[0] + place[1] + place[2]));
    }

    private one(seat: Seat): ShownContact {
        const { scene } = this,
            vector = (slots?: Int32Array): Vector => (slots ? scene.vector(slots) : [NaN, NaN, NaN]);
        const normal = vector(seat.normal),
            friction = vector(seat.friction),
            slope = scene.values[seat.slope],
            most = slope * norm(normal);
        return {
            name: this.contacts.stories[seat.number].name,
            doing: this.contacts.doingAt(seat.number, this.clock.t),
            place: vector(seat.at),
            normal,
            friction,
            slope,
            use: most > 0 ? norm(friction) / most : NaN,
            cone: most > 0 ? this.cone(vector(seat.at), normal, friction, most) : undefined,
        };
    }

    private cone(place: Vector, normal: Vector, friction: Vector, most: number): ShownContact['cone'] {
        const { forceScale: scale, dimension } = this.scene,
            base = add(place, normal, scale),
            radius = scale * most;
        let rim: Vector[];
        if (dimension === 2) {
            const [x, y] = unit(normal);
            rim = [
                [base[0] - radius * y, base[1] + radius * x, 0],
                [base[0] + radius * y, base[1] - radius * x, 0],
            ];
        } else {
            const [u, v] = frameOf(unit(normal));
            rim = Array.from({ length: RIM }, (_, k) => {
                const angle = (2 * Math.PI * k) / RIM;
                return add(add(base, u, radius * Math.cos(angle)), v, radius * Math.sin(angle));
            });
        }
        return { base, tip: add(base, friction, scale), rim };
    }

    draw(pen: Pen, shown: Shown): void {
        const list = this.list(),
            closed = list.filter(({ doing }) => doing !== 'open');
        for (const contact of closed) if (contact.cone) this.drawCone(pen, contact.place, contact.cone);
        for (const contact of closed) this.drawForces(pen, contact);
        for (const contact of [...list.filter(({ doing }) => doing === 'open'), ...closed]) {
            const [x, y] = this.at(contact.place);
            drawMark(pen, x, y, contact.doing);
        }
        this.drawFlashes(pen);
        if (closed.length > MOST_WORDS && !shown.names) return;
        const taken: Vector[] = []; // middles of words, and half their widths
        for (const contact of closed) this.drawWord(pen, contact, shown.names, taken);
    }

    private at(place: Vector): Vector {
        return this.camera.project(...place);
    }

    private drawCone(pen: Pen, place: Vector, { base, tip, rim }: NonNullable<ShownContact['cone']>): void {
        const { soft, ink } = paint(),
            [x, y] = this.at(place),
            [bx, by] = this.at(base),
            points = rim.map((point) => this.at(point));
        if (Math.hypot(bx - x, by - y) < 4 && this.scene.dimension === 2) return;
        if (this.scene.dimension === 3) {
            points.forEach(([u, v], i) => (i === 0 ? pen.move(u, v) : pen.line(u, v)));
            pen.close();
            pen.fillAndStroke(soft, 0.16, soft, 1.25);
        }
        // its sides, from where the rim seems widest
        const side = ([u, v]: Vector): number =>
            Math.atan2((bx - x) * (v - y) - (by - y) * (u - x), (bx - x) * (u - x) + (by - y) * (v - y));
        const sorted = [...points].sort((a, b) => side(a) - side(b)),
            ends = [sorted[0], sorted[sorted.length - 1]];
        pen.move(ends[0][0], ends[0][1]);
        pen.line(x, y);
        pen.line(ends[1][0], ends[1][1]);
        if (this.scene.dimension === 2) pen.close();
        pen.fillAndStroke(soft, 0.16, soft, 1.25);
        const [u, v] = this.at(tip);
        pen.move(x, y);
        pen.line(u, v);
        pen.stroke(ink, 1.25, 0.8, [4, 3]);
        pen.circle(u, v, 3.5);
        pen.fillAndStroke(ink, 1, paint().ground, 1);
    }

    private drawForces(pen: Pen, { place, normal, friction }: ShownContact): void {
        const { ideal, nonideal } = paint(),
            [x, y] = this.at(place);
        for (const [force, colour, hollow] of [
            [normal, ideal, false],
            [friction, nonideal, true],
        ] as const) {
            const [u, v] = this.at(add(place, force, this.scene.forceScale));
            if (Math.hypot(u - x, v - y) > 2) drawArrow(pen, x, y, u, v, colour, hollow);
        }
    }

    // A ring that grows, for a moment after a collision.
    private drawFlashes(pen: Pen): void {
        for (const seat of this.scene.seats) {
            if (!seat.at) continue;
            const last = this.contacts.lastImpact(seat.number, this.clock.t),
                age = (this.clock.t - last) / (FLASH * this.clock.speed);
            if (!(age >= 0 && age < 1)) continue;
            const [x, y] = this.at(this.scene.vector(seat.at));
            pen.circle(x, y, 9 + 20 * age);
            pen.stroke(paint().nonideal, 2.5, 1 - age);
        }
    }

    // On the side to which nothing pushes; not over another word.
    private drawWord(pen: Pen, contact: ShownContact, named: boolean, taken: Vector[]): void {
        const [x, y] = this.at(contact.place),
            [u, v] = this.at(add(contact.place, scaled(unit(contact.normal), 1e-3 * this.scene.reference))),
            length = Math.hypot(u - x, v - y),
            [c, s] = length > 0 ? [(u - x) / length, (v - y) / length] : [0, -1];
        const text = named ? `${contact.name} ${contact.doing}` : contact.doing,
            wide = 7 * text.length, // about, in bold
            beside = c > 0.5 ? -wide : c < -0.5 ? 0 : -wide / 2,
            left = Math.min(this.camera.width - wide - 4, Math.max(4, x - 16 * c + beside)),
            moved = left - (x - 16 * c + beside);
        // at the edge of the picture it would be cut off: it goes below the mark then
        const line = y - 16 * s + (Math.abs(moved) > 12 ? 16 : 0),
            middle = left + wide / 2;
        if (taken.some(([u, v, half]) => Math.abs(u - middle) < half + wide / 2 && Math.abs(v - line) < 13)) return;
        taken.push([middle, line, wide / 2]);
        pen.text(x - 16 * c + moved, line, text, {
            colour: doingColour(contact.doing),
            size: 12,
            bold: true,
            align: c > 0.5 ? 'right' : c < -0.5 ? 'left' : 'center',
            halo: paint().ground,
        });
    }
}
