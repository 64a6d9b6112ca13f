// The drawing with a pen: plane models on the screen, and any model in an SVG or where there is no WebGL.
// Of a model in space what is farther is drawn first.
import type { Camera } from './camera';
import type { Pen } from './pen';
import { passed, type Scene, type ShownArrow, type Style } from './scene';
import { facesOf, springLine } from './solids';
import { css, mix, paint, rgb, visible } from './theme';
import type { Vector } from './vectors';

export interface Shown {
    trails: boolean;
    forces: boolean;
    contacts: boolean;
    names: boolean;
    row: number; // trails reach to here
}

// The colour of a style, as the model says it or as the page has it.
export function colourOf(style: Style): string {
    const { ink, soft, body, accent } = paint();
    if (style.colour) return visible(style.colour);
    return { line: ink, point: ink, body, trail: mixed(accent, soft) }[style.role];
}

const mixed = (a: string, b: string): string => css(mix(rgb(a), rgb(b), 0.35));

export function arrowColour(arrow: ShownArrow): string {
    if (arrow.kind === 'drawn') return arrow.colour ? visible(arrow.colour) : paint().ink;
    return arrow.kind === 'ideal' ? paint().ideal : paint().nonideal;
}

export const MOST_NAMES = 120;

interface Piece {
    depth: number;
    draw: () => void;
}

export class FlatPicture {
    constructor(
        private readonly scene: Scene,
        private readonly camera: Camera,
    ) {}

    // Everything of the time set; with alpha below 1 the ghost of it, without trails, arrows and texts.
    draw(pen: Pen, shown: Shown, alpha = 1): void {
        const ghost = alpha < 1;
        if (shown.trails && !ghost) this.trails(pen, shown.row);
        if (this.scene.dimension === 2) {
            for (const piece of this.bodies(pen, alpha)) if (Number.isFinite(piece.depth)) piece.draw();
            this.lines(pen, alpha);
            this.balls(pen, alpha);
        } else {
            const all = [...this.bodies(pen, alpha), ...this.linePieces(pen, alpha), ...this.ballPieces(pen, alpha)];
            const pieces = all.filter((piece) => Number.isFinite(piece.depth)); // the others have no place
            pieces.sort((a, b) => b.depth - a.depth);
            for (const piece of pieces) piece.draw();
        }
        if (ghost) return;
        this.arrows(pen, shown);
        this.labels(pen);
    }

    private at(place: Vector): Vector {
        return this.camera.project(place[0], place[1], place[2]);
    }

    private trails(pen: Pen, row: number): void {
        for (const trail of this.scene.trails) {
            const count = passed(trail, row),
                p = trail.places;
            for (let i = 0; i < count; i++) {
                const [x, y] = this.camera.project(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
                if (i === 0) pen.move(x, y);
                else pen.line(x, y);
            }
            const [x, y] = this.at(this.scene.vector(trail.slots));
            if (count > 0) pen.line(x, y);
            pen.stroke(colourOf(trail.style), trail.style.width, 0.75);
        }
    }

    // ------------------------------------------------------------------------- plane

    private lines(pen: Pen, alpha: number): void {
        for (const { style, places: p } of this.scene.lines) {
            for (let i = 0; i < p.length; i += 6) {
                const [x, y] = this.camera.project(p[i], p[i + 1], 0),
                    [u, v] = this.camera.project(p[i + 3], p[i + 4], 0);
                pen.move(x, y);
                pen.line(u, v);
            }
            pen.stroke(colourOf(style), style.width, alpha);
        }
    }

    private balls(pen: Pen, alpha: number): void {
        for (const { style, places: p } of this.scene.balls) {
            for (let i = 0; i < p.length; i += 4) {
                const [x, y] = this.camera.project(p[i], p[i + 1], 0);
                pen.circle(
                    x,
                    y,
                    style.role === 'point' ? style.width / 2 : Math.max(0.75, p[i + 3] * this.camera.pixels),
                );
            }
            this.fillBody(pen, colourOf(style), alpha);
        }
    }

    private fillBody(pen: Pen, colour: string, alpha: number): void {
        if (alpha < 1) pen.fill(colour, alpha);
        else pen.fillAndStroke(colour, 1, css(mix(rgb(colour), rgb(paint().ink), 0.35)), 1);
    }

    // ------------------------------------------------------------------------- space

    private linePieces(pen: Pen, alpha: number): Piece[] {
        return this.scene.lines.flatMap(({ style, places: p }) =>
            Array.from({ length: p.length / 6 }, (_, k) => {
                const a = this.camera.project(p[6 * k], p[6 * k + 1], p[6 * k + 2]);
                const b = this.camera.project(p[6 * k + 3], p[6 * k + 4], p[6 * k + 5]);
                return {
                    depth: (a[2] + b[2]) / 2,
                    draw: () => {
                        pen.move(a[0], a[1]);
                        pen.line(b[0], b[1]);
                        pen.stroke(colourOf(style), style.width, alpha);
                    },
                };
            }),
        );
    }

    private ballPieces(pen: Pen, alpha: number): Piece[] {
        const near = this.camera.project(...this.scene.bounds.middle)[2];
        return this.scene.balls.flatMap(({ style, places: p }) =>
            Array.from({ length: p.length / 4 }, (_, k) => {
                const a = this.camera.project(p[4 * k], p[4 * k + 1], p[4 * k + 2]);
                const radius =
                    style.role === 'point' ? style.width / 2 : (p[4 * k + 3] * this.camera.pixels * near) / a[2];
                return {
                    depth: a[2],
                    draw: () => {
                        pen.circle(a[0], a[1], Math.max(0.75, radius));
                        this.fillBody(pen, colourOf(style), alpha);
                    },
                };
            }),
        );
    }

    private bodies(pen: Pen, alpha: number): Piece[] {
        const pieces: Piece[] = [];
        for (const body of this.scene.bodies) {
            const colour = colourOf(body.style);
            if (body.kind === 'spring') {
                const points = springLine(this.scene, body).map((p) => this.at(p));
                pieces.push({
                    depth: points[0][2] + 0 * points.reduce((sum, p) => sum + p[0] + p[1], 0),
                    draw: () => {
                        points.forEach(([x, y], i) => (i === 0 ? pen.move(x, y) : pen.line(x, y)));
                        pen.stroke(colour, Math.min(2, body.style.width), alpha);
                    },
                });
            }
            for (const face of facesOf(this.scene, body)) pieces.push(this.face(pen, face, colour, alpha));
        }
        return pieces;
    }

    private face(pen: Pen, face: Vector[], colour: string, alpha: number): Piece {
        const points = face.map((p) => this.at(p)),
            depth = points.reduce((sum, p) => sum + p[2] + 0 * (p[0] + p[1]), 0) / points.length; // NaN: it has no place
        return {
            depth,
            draw: () => {
                points.forEach(([x, y], i) => (i === 0 ? pen.move(x, y) : pen.line(x, y)));
                pen.close();
                const solid = this.scene.dimension === 2 ? 0.3 : 0.85;
                if (alpha < 1) pen.fill(colour, 0.5 * alpha);
                else pen.fillAndStroke(colour, solid, css(mix(rgb(colour), rgb(paint().ink), 0.3)), 1.25);
            },
        };
    }

    // ------------------------------------------------------------------- arrows and texts

    private arrows(pen: Pen, shown: Shown): void {
        this.scene.shownArrows().forEach((arrow, k) => {
            if (arrow.kind === 'drawn' || shown.forces) this.arrow(pen, arrow, shown.names && k < MOST_NAMES);
        });
    }

    private arrow(pen: Pen, arrow: ShownArrow, named: boolean): void {
        const [x, y] = this.at(arrow.from),
            [u, v] = this.at(arrow.to),
            length = Math.hypot(u - x, v - y);
        if (!(length > 0.5)) return;
        drawArrow(pen, x, y, u, v, arrowColour(arrow), arrow.kind === 'nonideal');
        if (named && arrow.name && length > 6)
            pen.text(u + ((u - x) / length) * 6, v + ((v - y) / length) * 10, arrow.name, {
                colour: arrowColour(arrow),
                size: 12,
                align: u < x - 1 ? 'right' : 'left',
                halo: paint().ground,
            });
    }

    private labels(pen: Pen): void {
        for (const label of this.scene.labels) {
            const [x, y] = this.at(this.scene.vector(label.slots));
            pen.text(x, y, label.text, {
                colour: colourOf(label.style),
                size: 14,
                align: 'center',
                halo: paint().ground,
            });
        }
    }
}

// Names of shapes beside them, no more than can be read.
export function drawNames(pen: Pen, scene: Scene, camera: Camera): void {
    let left = MOST_NAMES;
    const { soft, ground } = paint(),
        seen = new Set<string>();
    const put = (name: string | undefined, x: number, y: number, z: number): void => {
        if (!name || seen.has(name) || left-- <= 0) return;
        seen.add(name);
        const [u, v] = camera.project(x, y, z);
        pen.text(u + 9, v - 9, name, { colour: soft, size: 12, halo: ground });
    };
    for (const { names, places: p } of scene.balls)
        names.forEach((name, k) => put(name, p[4 * k], p[4 * k + 1], p[4 * k + 2]));
    for (const body of scene.bodies) put(body.name, ...scene.vector(body.points[0]));
    for (const { names, places: p } of scene.lines)
        names.forEach((name, k) =>
            put(
                name,
                (p[6 * k] + p[6 * k + 3]) / 2,
                (p[6 * k + 1] + p[6 * k + 4]) / 2,
                (p[6 * k + 2] + p[6 * k + 5]) / 2,
            ),
        );
}

// An arrow whose head is full, or hollow so that it is another kind without colours, too.
export function drawArrow(pen: Pen, x: number, y: number, u: number, v: number, colour: string, hollow: boolean): void {
    const length = Math.hypot(u - x, v - y),
        head = Math.min(11, 0.6 * length + 2),
        c = (u - x) / length,
        s = (v - y) / length;
    const bx = u - head * c,
        by = v - head * s;
    pen.move(x, y);
    pen.line(bx, by);
    pen.stroke(colour, 2.25);
    pen.move(u, v);
    pen.line(bx - 0.45 * head * s, by + 0.45 * head * c);
    pen.line(bx + 0.45 * head * s, by - 0.45 * head * c);
    pen.close();
    if (hollow) pen.fillAndStroke(paint().ground, 1, colour, 1.75);
    else pen.fillAndStroke(colour, 1, colour, 1);
}
