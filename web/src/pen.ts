// One way to draw on a canvas and into an SVG, so that a picture that is kept is the one that was seen.
// Places that are no numbers are left out: a line to or from one is not drawn, rather than another line.

export interface TextStyle {
    colour: string;
    size: number;
    align?: 'left' | 'center' | 'right';
    halo?: string; // the ground, to stand out from lines
    bold?: boolean;
}

export interface Pen {
    move(x: number, y: number): void;
    line(x: number, y: number): void;
    circle(x: number, y: number, radius: number): void;
    close(): void;
    bar(x: number, y: number, width: number, height: number, colour: string): void; // at once, whatever the path
    stroke(colour: string, width: number, alpha?: number, dash?: number[]): void; // and begins a new path
    fill(colour: string, alpha?: number): void;
    fillAndStroke(fill: string, alpha: number, stroke: string, width: number): void;
    text(x: number, y: number, text: string, style: TextStyle): void; // y: the middle of the line
    clip(x: number, y: number, width: number, height: number): void;
    unclip(): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';

export class CanvasPen implements Pen {
    private there = false; // the last place of the path is one

    constructor(private readonly context: CanvasRenderingContext2D) {
        context.beginPath();
        context.lineJoin = 'round';
        context.lineCap = 'round';
    }

    move(x: number, y: number): void {
        this.there = Number.isFinite(x + y);
        if (this.there) this.context.moveTo(x, y);
    }

    line(x: number, y: number): void {
        if (!this.there) return this.move(x, y);
        this.there = Number.isFinite(x + y);
        if (this.there) this.context.lineTo(x, y);
    }

    circle(x: number, y: number, radius: number): void {
        if (!Number.isFinite(x + y + radius)) return;
        this.context.moveTo(x + radius, y);
        this.context.arc(x, y, radius, 0, 2 * Math.PI);
    }

    close(): void {
        this.context.closePath();
    }

    bar(x: number, y: number, width: number, height: number, colour: string): void {
        this.context.fillStyle = colour;
        this.context.fillRect(x, y, width, height);
    }

    stroke(colour: string, width: number, alpha = 1, dash: number[] = []): void {
        const { context } = this;
        context.globalAlpha = alpha;
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.setLineDash(dash);
        context.stroke();
        context.beginPath();
        this.there = false;
        context.globalAlpha = 1;
    }

    fill(colour: string, alpha = 1): void {
        this.context.globalAlpha = alpha;
        this.context.fillStyle = colour;
        this.context.fill();
        this.context.beginPath();
        this.there = false;
        this.context.globalAlpha = 1;
    }

    fillAndStroke(fill: string, alpha: number, stroke: string, width: number): void {
        const { context } = this;
        context.globalAlpha = alpha;
        context.fillStyle = fill;
        context.fill();
        this.stroke(stroke, width);
    }

    text(x: number, y: number, text: string, style: TextStyle): void {
        if (!Number.isFinite(x + y)) return;
        const { context } = this;
        context.font = `${style.bold ? '600 ' : ''}${style.size}px ${FONT}`;
        context.textAlign = style.align ?? 'left';
        context.textBaseline = 'middle';
        context.setLineDash([]);
        if (style.halo) {
            context.strokeStyle = style.halo;
            context.lineWidth = 3;
            context.strokeText(text, x, y);
        }
        context.fillStyle = style.colour;
        context.fillText(text, x, y);
    }

    clip(x: number, y: number, width: number, height: number): void {
        this.context.save();
        this.context.beginPath();
        this.context.rect(x, y, width, height);
        this.context.clip();
        this.context.beginPath();
    }

    unclip(): void {
        this.context.restore();
        this.context.beginPath();
    }
}

const escaped = (text: string): string =>
    text
        .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
        .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu, '�');
const short = (x: number): string => String(Math.round(100 * x) / 100);

export class SvgPen implements Pen {
    private path: string[] = [];
    private there = false;
    private readonly parts: string[] = [];
    private static clips = 0; // drawings may stand on one page

    constructor(
        private readonly width: number,
        private readonly height: number,
        private readonly title: string,
        private readonly ground: string,
    ) {}

    move(x: number, y: number): void {
        this.there = Number.isFinite(x + y);
        if (this.there) this.path.push(`M${short(x)} ${short(y)}`);
    }

    line(x: number, y: number): void {
        if (!this.there) return this.move(x, y);
        this.there = Number.isFinite(x + y);
        if (this.there) this.path.push(`L${short(x)} ${short(y)}`);
    }

    circle(x: number, y: number, radius: number): void {
        if (!Number.isFinite(x + y + radius)) return;
        const r = short(radius);
        this.path.push(
            `M${short(x + radius)} ${short(y)}A${r} ${r} 0 1 1 ${short(x - radius)} ${short(y)}A${r} ${r} 0 1 1 ${short(x + radius)} ${short(y)}Z`,
        );
    }

    close(): void {
        this.path.push('Z');
    }

    // Bars of one colour in a row are one path.
    bar(x: number, y: number, width: number, height: number, colour: string): void {
        const path = `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
        const end = `" fill="${escaped(colour)}"/>`,
            last = this.parts.length - 1;
        if (this.parts[last]?.startsWith('<path d="M') && this.parts[last].endsWith(end))
            this.parts[last] = this.parts[last].slice(0, -end.length) + path + end;
        else this.parts.push(`<path d="${path}${end}`);
    }

    stroke(colour: string, width: number, alpha = 1, dash: number[] = []): void {
        const dashed = dash.length > 0 ? ` stroke-dasharray="${dash.join(' ')}"` : '';
        this.put(
            `fill="none" stroke="${escaped(colour)}" stroke-width="${short(width)}" stroke-opacity="${short(alpha)}"${dashed}`,
        );
    }

    fill(colour: string, alpha = 1): void {
        this.put(`fill="${escaped(colour)}" fill-opacity="${short(alpha)}"`);
    }

    fillAndStroke(fill: string, alpha: number, stroke: string, width: number): void {
        this.put(
            `fill="${escaped(fill)}" fill-opacity="${short(alpha)}" stroke="${escaped(stroke)}" stroke-width="${short(width)}"`,
        );
    }

    text(x: number, y: number, text: string, style: TextStyle): void {
        if (!Number.isFinite(x + y)) return;
        const anchor = { left: 'start', center: 'middle', right: 'end' }[style.align ?? 'left'];
        const halo = style.halo ? ` stroke="${escaped(style.halo)}" stroke-width="3" paint-order="stroke"` : '';
        this.parts.push(
            `<text x="${short(x)}" y="${short(y)}" dy="0.35em" font-size="${style.size}" text-anchor="${anchor}"` +
                `${style.bold ? ' font-weight="600"' : ''} fill="${escaped(style.colour)}"${halo}>${escaped(text)}</text>`,
        );
    }

    clip(x: number, y: number, width: number, height: number): void {
        const id = `clip${SvgPen.clips++}`;
        this.parts.push(
            `<clipPath id="${id}"><rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/></clipPath>` +
                `<g clip-path="url(#${id})">`,
        );
    }

    unclip(): void {
        this.parts.push('</g>');
    }

    document(): string {
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" ` +
            `font-family="${escaped(FONT)}" stroke-linecap="round" stroke-linejoin="round"><title>${escaped(this.title)}</title>` +
            `<rect width="100%" height="100%" fill="${escaped(this.ground)}"/>\n${this.parts.join('\n')}\n</svg>\n`
        );
    }

    private put(style: string): void {
        if (this.path.length > 0) this.parts.push(`<path d="${this.path.join('')}" ${style}/>`);
        this.path = [];
        this.there = false;
    }
}
