// The moving picture: a canvas, what is shown on it, and what hands do to it.
import { Bounds } from './bounds';
import { OrbitCamera, PlaneCamera, type Camera } from './camera';
import type { Clock } from './clock';
import type { Columns } from './columns';
import { Cones, doingColour, drawMark } from './cones';
import { DOINGS, type Contacts } from './contacts';
import type { PageInfo } from './contract';
import { choice, download, el, fileName, iconButton, ICONS, toggle } from './dom';
import { figure, niceStep } from './figures';
import { groundNet } from './ground';
import { drawArrow, drawNames, FlatPicture, MOST_NAMES, type Shown } from './flat';
import { CanvasPen, SvgPen, type Pen } from './pen';
import { Scene } from './scene';
import { axisDirections, SpacePicture } from './space';
import { onTheme, paint } from './theme';
import { add, type Vector } from './vectors';

export class Stage {
    readonly element: HTMLElement;
    readonly scene: Scene;
    readonly camera: Camera;
    frames = 0; // drawn so far
    ghost = false;
    follows = false;
    readonly shown: Shown = { trails: true, forces: true, contacts: true, names: false, row: 0 };
    readonly toggles = new Map<string, HTMLButtonElement>();
    readonly holder: HTMLElement; // of the canvases
    private readonly canvas: HTMLCanvasElement;
    private readonly overlay: HTMLCanvasElement;
    private readonly flat: FlatPicture;
    readonly cones: Cones;
    private space?: SpacePicture;
    private readonly legend: HTMLElement;
    private asked = false;
    private anchor?: Vector; // where what is followed was

    constructor(
        private readonly page: PageInfo,
        private readonly columns: Columns,
        private readonly clock: Clock,
        private readonly contacts: Contacts,
    ) {
        this.scene = new Scene(page, columns);
        this.camera = this.scene.dimension === 3 ? new OrbitCamera(this.scene) : new PlaneCamera(this.scene);
        this.flat = new FlatPicture(this.scene, this.camera);
        this.cones = new Cones(this.scene, this.camera, contacts, clock);
        this.canvas = el('canvas', { class: 'picture' });
        this.overlay = el('canvas', { class: 'overlay' });
        this.holder = el('div', { class: 'stage', tabindex: '0', role: 'img' }, this.canvas, this.overlay);
        this.legend = el('div', { class: 'legend' });
        if (this.scene.dimension === 3) this.tryWebGL();
        this.shown.trails = this.scene.ownTrails;
        this.shown.names = this.scene.arrows.some((arrow) => arrow.name) && this.scene.arrows.length <= 4;
        this.element = el(
            'section',
            { class: 'card motion', 'aria-label': 'Motion' },
            this.holder,
            this.controls(),
            this.legend,
        );
        if (this.scene.goesFar) this.toggles.get('Follow')?.click();
        this.takeHands();
        this.showLegend();
        clock.onTime(() => this.ask());
        clock.onState(() => this.describe());
        onTheme(() => {
            this.space?.repaint();
            this.showLegend();
            this.ask();
        });
        new ResizeObserver(() => this.resize()).observe(this.holder);
        this.describe();
    }

    private tryWebGL(): void {
        try {
            this.space = new SpacePicture(this.scene, this.camera as OrbitCamera, this.canvas);
            this.canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
        } catch {
            this.space = undefined; // the flat picture knows the way, too
        }
    }

    get usesWebGL(): boolean {
        return this.space !== undefined;
    }

    // ------------------------------------------------------------------------ controls

    private controls(): HTMLElement {
        const forces = this.scene.arrows.filter((arrow) => arrow.kind !== 'drawn');
        const row = el('div', { class: 'row controls' });
        if (this.scene.trails.length > 0)
            row.append(this.switch('Trails', this.shown.trails, (on) => (this.shown.trails = on)));
        row.append(this.switch('Ghost', false, (on) => (this.ghost = on), 'Ghost of the start'));
        if (forces.length > 0) row.append(this.switch('Forces', true, (on) => (this.shown.forces = on)));
        if (this.hasContacts)
            row.append(
                this.switch(
                    'Contacts',
                    true,
                    (on) => (this.shown.contacts = on),
                    'What contacts do, their forces and cones of friction',
                ),
            );
        if (forces.length > 0 || this.hasContacts) row.append(this.scaleChoice());
        if (this.scene.sides.some((side) => side > 0))
            row.append(this.switch('Follow', this.follows, (on) => this.follow(on), 'Go along with what moves'));
        row.append(this.switch('Names', this.shown.names, (on) => (this.shown.names = on)));
        const keep = choice(
            'Keep this picture',
            [
                ['', 'Save…'],
                ['png', 'PNG'],
                ['svg', 'SVG'],
            ],
            '',
            (kind) => {
                keep.value = '';
                void this.save(kind);
            },
        );
        row.append(
            el('span', { class: 'space' }),
            iconButton(ICONS.fit, 'Whole picture (F)', () => this.fit()),
            keep,
        );
        return row;
    }

    // Some contact has a place.
    private get hasContacts(): boolean {
        return this.scene.seats.some((seat) => seat.at);
    }

    private switch(label: string, on: boolean, change: (on: boolean) => void, title?: string): HTMLButtonElement {
        const made = toggle(
            label,
            on,
            (now) => {
                change(now);
                this.showLegend();
                this.ask();
            },
            title,
        );
        this.toggles.set(label, made);
        return made;
    }

    private scaleChoice(): HTMLElement {
        const input = el('input', {
            type: 'range',
            min: -2,
            max: 2,
            step: 0.05,
            value: 0,
            'aria-label': 'Length of the force arrows',
            title: 'Length of the force arrows',
        });
        input.addEventListener('input', () => {
            this.scene.forceFactor = 10 ** Number(input.value);
            this.showLegend();
            this.ask();
        });
        return input;
    }

    // What the colours of arrows mean, and how long a force is.
    private showLegend(): void {
        this.legend.replaceChildren();
        if (this.page.scene?.default)
            this.legend.append(el('span', {}, 'drawn from the model: it has no draw statement'));
        const kinds = new Set(this.shown.forces ? this.scene.arrows.map((arrow) => arrow.kind) : []);
        if (kinds.has('ideal')) this.legend.append(el('span', { class: 'key ideal' }, 'ideal constraint force'));
        if (kinds.has('nonideal'))
            this.legend.append(el('span', { class: 'key nonideal' }, 'non-ideal constraint force'));
        if (this.hasContacts && this.shown.contacts) this.showContactLegend();
    }

    // Marks of what contacts do in this run, and what is drawn at them.
    private showContactLegend(): void {
        const seen = this.contacts.seen,
            rubs = this.scene.seats.some((seat) => this.contacts.stories[seat.number].info.friction && seat.at);
        for (const doing of DOINGS.filter((one) => seen.has(one))) {
            const canvas = el('canvas', { class: 'mark-key', width: 32, height: 32, 'aria-hidden': 'true' }),
                context = canvas.getContext('2d');
            if (context) drawMark(new CanvasPen(context), 16, 16, doing, 13);
            const word = el('span', {}, canvas, doing);
            word.style.color = doingColour(doing);
            this.legend.append(word);
        }
        this.legend.append(el('span', { class: 'key ideal' }, 'force across'));
        if (rubs)
            this.legend.append(
                el('span', { class: 'key nonideal' }, 'friction'),
                el('span', { class: 'cone-key' }, 'cone of friction, with the whole force'),
            );
    }

    // Goes along with what moves, or shows all of its way.
    follow(on: boolean): void {
        const { scene, camera } = this;
        this.follows = on;
        this.anchor = undefined;
        scene.at(this.clock.t);
        scene.reference = on ? Math.max(1e-12, 1.6 * Math.max(...scene.sides)) : scene.size;
        camera.box = on ? Bounds.about(scene.now().middle, scene.sides) : scene.bounds;
        camera.fit();
        this.space?.repaint();
    }

    // Before a frame: as far as it went since the last.
    private goAlong(): void {
        const now = this.scene.now();
        if (!this.follows || now.isEmpty) return;
        const { middle } = now;
        if (this.anchor) this.camera.go(add(middle, this.anchor, -1));
        this.anchor = middle;
        this.camera.box = Bounds.about(middle, this.scene.sides);
    }

    fit(): void {
        this.camera.fit();
        this.ask();
    }

    // ---------------------------------------------------------------------------- hands

    private takeHands(): void {
        const pointers = new Map<number, PointerEvent>();
        let spread = 0;
        this.holder.addEventListener('contextmenu', (event) => event.preventDefault());
        this.holder.addEventListener('pointerdown', (event) => {
            this.holder.setPointerCapture(event.pointerId);
            pointers.set(event.pointerId, event);
            spread = spreadOf(pointers);
        });
        const drop = (event: PointerEvent): void => {
            pointers.delete(event.pointerId);
            spread = spreadOf(pointers);
        };
        this.holder.addEventListener('pointerup', drop);
        this.holder.addEventListener('pointercancel', drop);
        this.holder.addEventListener('pointermove', (event) => {
            const last = pointers.get(event.pointerId);
            if (!last) return;
            pointers.set(event.pointerId, event);
            const dx = event.clientX - last.clientX,
                dy = event.clientY - last.clientY;
            if (pointers.size > 1) {
                const now = spreadOf(pointers),
                    box = this.holder.getBoundingClientRect();
                if (spread > 0) this.camera.closer(event.clientX - box.left, event.clientY - box.top, now / spread);
                spread = now;
                this.camera.shift(dx / 2, dy / 2);
            } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) this.camera.shift(dx, dy);
            else this.camera.turn(dx, dy);
            this.ask();
        });
        this.holder.addEventListener('dblclick', () => this.fit());
        // the wheel scrolls the page until somebody has taken hold of the picture
        this.holder.addEventListener(
            'wheel',
            (event) => {
                if (!event.ctrlKey && document.activeElement !== this.holder) return;
                event.preventDefault();
                const box = this.holder.getBoundingClientRect();
                this.camera.closer(event.clientX - box.left, event.clientY - box.top, Math.exp(-event.deltaY * 0.0015));
                this.ask();
            },
            { passive: false },
        );
    }

    // Keys that mean something to the picture; true if it was one.
    key(event: KeyboardEvent): boolean {
        const turn = { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] }[event.key];
        if (event.altKey && turn) {
            if (event.shiftKey) this.camera.shift(turn[0], turn[1]);
            else this.camera.turn(turn[0], turn[1]);
        } else if (event.altKey) return false;
        else if (event.key === '+' || event.key === '=')
            this.camera.closer(this.camera.width / 2, this.camera.height / 2, 1.2);
        else if (event.key === '-') this.camera.closer(this.camera.width / 2, this.camera.height / 2, 1 / 1.2);
        else if ('123'.includes(event.key) && this.camera instanceof OrbitCamera)
            this.camera.look(Number(event.key) - 1);
        else if (event.key === 'f' || event.key === '0') this.camera.fit();
        else {
            const label = { t: 'Trails', g: 'Ghost', a: 'Forces', c: 'Contacts', n: 'Names', o: 'Follow' }[event.key];
            if (!label || !this.toggles.has(label)) return false;
            this.toggles.get(label)!.click();
        }
        this.ask();
        return true;
    }

    // -------------------------------------------------------------------------- drawing

    private resize(): void {
        const { clientWidth: width, clientHeight: height } = this.holder,
            ratio = devicePixelRatio || 1;
        if (width === 0 || height === 0) return;
        this.camera.resize(width, height);
        this.space?.resize(width, height, ratio);
        for (const canvas of this.space ? [this.overlay] : [this.canvas, this.overlay]) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        this.draw();
    }

    // Once a frame, however often it is asked.
    ask(): void {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            this.draw();
        });
    }

    draw(): void {
        this.scene.at(this.clock.t);
        this.shown.row = this.columns.rowAt(this.clock.t);
        this.frames++;
        this.goAlong();
        if (this.space) this.space.draw(this.shown, this.ghost ? (draw) => this.asAtStart(draw) : undefined);
        else this.drawFlat(this.canvas);
        const pen = this.cleared(this.overlay);
        if (pen) this.drawOver(pen, this.usesWebGL);
    }

    private asAtStart(draw: () => void): void {
        this.scene.at(this.clock.begin);
        draw();
        this.scene.at(this.clock.t);
    }

    private cleared(canvas: HTMLCanvasElement): CanvasPen | undefined {
        const context = canvas.getContext('2d'),
            ratio = devicePixelRatio || 1;
        if (!context) return undefined;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, this.camera.width, this.camera.height);
        return new CanvasPen(context);
    }

    private drawFlat(canvas: HTMLCanvasElement): void {
        const pen = this.cleared(canvas);
        if (pen) this.drawAll(pen);
    }

    private drawAll(pen: Pen): void {
        this.drawGrid(pen);
        if (this.ghost) this.asAtStart(() => this.flat.draw(pen, this.shown, 0.2));
        this.flat.draw(pen, this.shown);
    }

    private drawGround(pen: Pen): void {
        for (const [from, to] of groundNet(this.scene)) {
            pen.move(...onScreen(this.camera.project(...from)));
            pen.line(...onScreen(this.camera.project(...to)));
        }
        pen.stroke(paint().faint, 1);
    }

    // Lines at round distances, and what one is.
    private drawGrid(pen: Pen): void {
        if (this.scene.dimension === 3) return this.drawGround(pen);
        const { width, height, pixels } = this.camera,
            step = niceStep(70 / pixels);
        const [x0, y0] = this.camera.project(0, 0, 0),
            gap = step * pixels;
        for (let x = x0 - Math.floor(x0 / gap) * gap; x < width; x += gap) {
            pen.move(Math.round(x) + 0.5, 0);
            pen.line(Math.round(x) + 0.5, height);
        }
        for (let y = y0 - Math.floor(y0 / gap) * gap; y < height; y += gap) {
            pen.move(0, Math.round(y) + 0.5);
            pen.line(width, Math.round(y) + 0.5);
        }
        pen.stroke(paint().faint, 1);
    }

    // What lies over the picture: scale, arrow of reference, axes, names, texts.
    private drawOver(pen: Pen, texts: boolean): void {
        const { camera, scene } = this,
            { soft, ink, ground, ideal, nonideal } = paint();
        if (this.shown.names) drawNames(pen, scene, camera);
        if (texts) this.drawTexts(pen);
        if (this.shown.contacts) this.cones.draw(pen, this.shown);
        const step = niceStep(50 / camera.pixels),
            y = camera.height - 16;
        pen.move(16, y);
        pen.line(16 + step * camera.pixels, y);
        pen.stroke(soft, 2);
        pen.text(16 + (step * camera.pixels) / 2, y - 11, figure(step), {
            colour: soft,
            size: 12,
            align: 'center',
            halo: ground,
        });
        const kinds = (this.shown.forces ? scene.arrows : [])
            .map((arrow) => arrow.kind)
            .filter((kind) => kind !== 'drawn');
        if (this.hasContacts && this.shown.contacts) kinds.push('ideal');
        if (kinds.length > 0) {
            const force = niceStep(36 / (scene.forceScale * camera.pixels)),
                length = force * scene.forceScale * camera.pixels;
            const left = 16,
                hollow = !kinds.includes('ideal');
            drawArrow(pen, left, y - 32, left + length, y - 32, hollow ? nonideal : ideal, hollow);
            pen.text(left + length + 8, y - 32, `force ${figure(force)}`, { colour: ink, size: 12, halo: ground });
        }
        if (camera instanceof OrbitCamera) this.drawAxes(pen, camera);
    }

    private drawAxes(pen: Pen, camera: OrbitCamera): void {
        const x = camera.width - 40,
            y = camera.height - 40;
        axisDirections(camera).forEach(([c, s], i) => {
            pen.move(x, y);
            pen.line(x + 22 * c, y + 22 * s);
            pen.stroke(paint().soft, 1.5);
            pen.text(x + 30 * c, y + 30 * s, 'xyz'[i], { colour: paint().soft, size: 12, align: 'center' });
        });
    }

    // In space the texts lie above what the graphics card drew.
    private drawTexts(pen: Pen): void {
        const { ground, ink, ideal, nonideal } = paint();
        for (const label of this.scene.labels) {
            const [x, y] = this.camera.project(...this.scene.vector(label.slots));
            pen.text(x, y, label.text, { colour: ink, size: 14, align: 'center', halo: ground });
        }
        if (!this.shown.forces || !this.shown.names) return;
        for (const arrow of this.scene.shownArrows().slice(0, MOST_NAMES)) {
            const [x, y] = this.camera.project(...arrow.to);
            if (arrow.name && Number.isFinite(x))
                pen.text(x + 8, y - 6, arrow.name, {
                    colour: arrow.kind === 'nonideal' ? nonideal : ideal,
                    size: 12,
                    halo: ground,
                });
        }
    }

    // ------------------------------------------------------------------------------- out

    private describe(): void {
        const parts = [`${this.page.title}: drawing of the model`, `at t = ${figure(this.clock.t)}`];
        const forces = this.scene.arrows.filter((arrow) => arrow.kind !== 'drawn').length;
        if (forces > 0) parts.push(`with ${forces} constraint forces as arrows`);
        for (const { name, doing } of this.shown.contacts ? this.cones.list().slice(0, 12) : [])
            parts.push(`${name} ${doing}`);
        this.holder.setAttribute(
            'aria-label',
            parts.join(', ') + '. Drag to move the view, Alt and arrow keys likewise; plus and minus come closer.',
        );
    }

    svg(): string {
        const pen = new SvgPen(this.camera.width, this.camera.height, this.page.title, paint().ground);
        this.scene.at(this.clock.t);
        this.drawAll(pen);
        this.drawOver(pen, false); // the texts are there
        return pen.document();
    }

    async save(kind: string): Promise<void> {
        const name = `${fileName(this.page.title)}_t${figure(this.clock.t, 4).replace('−', '-')}`;
        if (kind === 'svg') {
            download(`${name}.svg`, this.svg(), 'image/svg+xml');
        } else if (kind === 'png') {
            this.draw();
            const whole = el('canvas', { width: this.overlay.width, height: this.overlay.height }),
                context = whole.getContext('2d')!;
            context.fillStyle = paint().ground;
            context.fillRect(0, 0, whole.width, whole.height);
            for (const canvas of [this.canvas, this.overlay]) context.drawImage(canvas, 0, 0);
            const blob = await new Promise<Blob | null>((done) => whole.toBlob(done));
            if (blob) download(`${name}.png`, blob);
        }
    }
}

function spreadOf(pointers: Map<number, PointerEvent>): number {
    const [a, b] = [...pointers.values()];
    return a && b ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0;
}

const onScreen = ([x, y]: Vector): [number, number] => [x, y];
