// Models in space, by WebGL 2. Each frame the lists of the scene are written as instances: a link of a
// chain is eleven numbers, whatever the number of links the calls are a handful.
import type { OrbitCamera } from './camera';
import { groundNet } from './ground';
import { arrowColour, colourOf, type Shown } from './flat';
import { boxMesh, faceMesh, roundMesh, surfaceMesh } from './meshes';
import { passed, type Body, type Scene, type Trail } from './scene';
import { BALL_FRAGMENT, BALL_VERTEX, LINE_FRAGMENT, LINE_VERTEX, MESH_FRAGMENT, MESH_VERTEX } from './shaders';
import { facesOf, gridOf, halves, poseOf, springLine } from './solids';
import { css, mix, paint, rgb, type Rgb } from './theme';
import { add, frameOf, norm, placed, scaled, unit, type Vector } from './vectors';

type GL = WebGL2RenderingContext;

function shader(gl: GL, type: number, source: string): WebGLShader {
    const made = gl.createShader(type)!;
    gl.shaderSource(made, source);
    gl.compileShader(made);
    if (!gl.getShaderParameter(made, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(made) ?? 'shader');
    return made;
}

// A program with the numbers of its uniforms.
class Program {
    readonly program: WebGLProgram;
    private readonly places = new Map<string, WebGLUniformLocation | null>();

    constructor(
        readonly gl: GL,
        vertex: string,
        fragment: string,
    ) {
        this.program = gl.createProgram()!;
        gl.attachShader(this.program, shader(gl, gl.VERTEX_SHADER, vertex));
        gl.attachShader(this.program, shader(gl, gl.FRAGMENT_SHADER, fragment));
        gl.linkProgram(this.program);
        if (!gl.getProgramParameter(this.program, gl.LINK_STATUS))
            throw new Error(gl.getProgramInfoLog(this.program) ?? 'program');
    }

    uniform(name: string): WebGLUniformLocation | null {
        if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
        return this.places.get(name)!;
    }
}

// Corners of a shape, and numbers for each instance of it.
class Instances {
    private numbers = new Float32Array(1024);
    private length = 0;
    private readonly array: WebGLVertexArrayObject;
    private readonly corners: WebGLBuffer;
    private readonly buffer: WebGLBuffer;
    private cornerCount = 0;
    private readonly each: number;

    constructor(
        private readonly program: Program,
        shape: Float32Array,
        own: [string, number][],
        each: [string, number][],
    ) {
        const { gl } = program;
        this.array = gl.createVertexArray()!;
        this.corners = gl.createBuffer()!;
        this.buffer = gl.createBuffer()!;
        this.each = each.reduce((sum, [, size]) => sum + size, 0);
        gl.bindVertexArray(this.array);
        this.layOut(this.corners, own, 0);
        this.layOut(this.buffer, each, 1);
        gl.bindVertexArray(null);
        this.setShape(
            shape,
            own.reduce((sum, [, size]) => sum + size, 0),
        );
    }

    private layOut(buffer: WebGLBuffer, fields: [string, number][], divisor: number): void {
        const { gl, program } = this.program,
            stride = 4 * fields.reduce((sum, [, size]) => sum + size, 0);
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        let offset = 0;
        for (const [name, size] of fields) {
            const place = gl.getAttribLocation(program, name);
            if (place >= 0) {
                gl.enableVertexAttribArray(place);
                gl.vertexAttribPointer(place, size, gl.FLOAT, false, stride, offset);
                gl.vertexAttribDivisor(place, divisor);
            }
            offset += 4 * size;
        }
    }

    setShape(shape: Float32Array, size: number): void {
        const { gl } = this.program;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
        gl.bufferData(gl.ARRAY_BUFFER, shape, gl.DYNAMIC_DRAW);
        this.cornerCount = shape.length / size;
    }

    clear(): void {
        this.length = 0;
    }

    // An instance; one with a number that is none has no place, and is left out.
    add(...values: number[]): void {
        let sum = 0;
        for (const value of values) sum += value;
        if (!Number.isFinite(sum)) return;
        const need = this.length + values.length;
        if (need > this.numbers.length) {
            const grown = new Float32Array(2 * need);
            grown.set(this.numbers.subarray(0, this.length));
            this.numbers = grown;
        }
        for (const value of values) this.numbers[this.length++] = value;
    }

    upload(): void {
        const { gl } = this.program;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, this.numbers.subarray(0, this.length), gl.DYNAMIC_DRAW);
    }

    draw(mode: number, count = this.length / this.each): void {
        if (count < 1 || this.cornerCount < 1) return;
        this.program.gl.bindVertexArray(this.array);
        this.program.gl.drawArraysInstanced(mode, 0, this.cornerCount, count);
    }
}

const QUAD = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);
const LINE_FIELDS: [string, number][] = [
    ['from', 3],
    ['to', 3],
    ['colour', 4],
    ['width', 1],
];
const MESH_FIELDS: [string, number][] = [
    ['m0', 4],
    ['m1', 4],
    ['m2', 4],
    ['m3', 4],
    ['colour', 4],
];
const MESH_OWN: [string, number][] = [
    ['place', 3],
    ['normal', 3],
];

export class SpacePicture {
    private readonly gl: GL;
    private readonly lineProgram: Program;
    private readonly ballProgram: Program;
    private readonly meshProgram: Program;
    private readonly lines: Instances;
    private readonly ground: Instances;
    private readonly balls: Instances;
    private readonly boxes: Instances;
    private readonly cylinders: Instances;
    private readonly cones: Instances;
    private readonly faces = new Map<string, Instances>(); // by colour
    private readonly surfaces = new Map<Body, Instances>();
    private readonly trails = new Map<Trail, Instances>();
    private ratio = 1;

    // Throws where there is no WebGL 2.
    constructor(
        private readonly scene: Scene,
        private readonly camera: OrbitCamera,
        private readonly canvas: HTMLCanvasElement,
    ) {
        const gl = canvas.getContext('webgl2', { antialias: true, alpha: false, preserveDrawingBuffer: false });
        if (!gl) throw new Error('no WebGL 2');
        this.gl = gl;
        this.lineProgram = new Program(gl, LINE_VERTEX, LINE_FRAGMENT);
        this.ballProgram = new Program(gl, BALL_VERTEX, BALL_FRAGMENT);
        this.meshProgram = new Program(gl, MESH_VERTEX, MESH_FRAGMENT);
        this.lines = this.lineInstances();
        this.ground = this.lineInstances();
        this.balls = new Instances(
            this.ballProgram,
            QUAD,
            [['corner', 2]],
            [
                ['ball', 4],
                ['colour', 4],
            ],
        );
        const mesh = (shape: Float32Array): Instances => new Instances(this.meshProgram, shape, MESH_OWN, MESH_FIELDS);
        this.boxes = mesh(boxMesh());
        this.cylinders = mesh(roundMesh(1));
        this.cones = mesh(roundMesh(0));
        for (const body of scene.bodies) {
            const grid = body.kind === 'surface' ? gridOf(body) : undefined;
            if (grid) this.surfaces.set(body, mesh(surfaceMesh(body.map!, grid)));
        }
        this.repaint();
    }

    private lineInstances(): Instances {
        return new Instances(this.lineProgram, QUAD, [['corner', 2]], LINE_FIELDS);
    }

    // What depends on the theme and the scene only: trails and the ground.
    repaint(): void {
        for (const trail of this.scene.trails) {
            const made = this.trails.get(trail) ?? this.lineInstances(),
                p = trail.places;
            const [r, g, b] = rgb(colourOf(trail.style));
            made.clear();
            for (let i = 0; i + 5 < p.length; i += 3)
                made.add(
                    p[i],
                    p[i + 1],
                    p[i + 2],
                    p[i + 3],
                    p[i + 4],
                    p[i + 5],
                    r,
                    g,
                    b,
                    0.85,
                    trail.style.width * this.ratio,
                );
            made.upload();
            this.trails.set(trail, made);
        }
        this.layGround();
    }

    private layGround(): void {
        const [r, g, b] = mix(rgb(paint().ground), rgb(paint().soft), 0.28);
        this.ground.clear();
        for (const [from, to] of groundNet(this.scene)) this.ground.add(...from, ...to, r, g, b, 1, this.ratio);
        this.ground.upload();
    }

    resize(width: number, height: number, ratio: number): void {
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        if (ratio !== this.ratio) {
            this.ratio = ratio;
            this.repaint();
        }
    }

    // The frame of the time set; `ghost` sets the scene to its start and back.
    draw(shown: Shown, ghost?: (draw: () => void) => void): void {
        const { gl, canvas } = this,
            [r, g, b] = rgb(paint().ground);
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(r, g, b, 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.enable(gl.DEPTH_TEST);
        gl.depthFunc(gl.LEQUAL);
        gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
        gl.disable(gl.BLEND);
        this.use(1);
        this.ground.draw(gl.TRIANGLE_STRIP);
        if (shown.trails)
            for (const [trail, made] of this.trails)
                made.draw(gl.TRIANGLE_STRIP, Math.max(0, passed(trail, shown.row) - 1));
        this.fill();
        if (shown.trails) this.trailEnds(shown.row);
        this.flush(1);
        if (ghost) ghost(() => this.drawGhost());
        this.drawArrows(shown);
    }

    // Forces begin inside of bodies, and are seen all the same.
    private drawArrows(shown: Shown): void {
        const { gl } = this;
        this.clear();
        this.arrows(shown);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        gl.disable(gl.BLEND);
        gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
        this.flush(1);
    }

    private drawGhost(): void {
        const { gl } = this;
        gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
        gl.enable(gl.BLEND);
        gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
        gl.depthMask(false);
        this.fill();
        this.flush(0.2);
        gl.depthMask(true);
    }

    private use(alpha: number): void {
        const { gl, camera } = this;
        gl.useProgram(this.lineProgram.program);
        gl.uniformMatrix4fv(this.lineProgram.uniform('both'), false, camera.both);
        gl.uniform2f(this.lineProgram.uniform('screen'), this.canvas.width, this.canvas.height);
        gl.uniform1f(this.lineProgram.uniform('alpha'), alpha);
    }

    // ------------------------------------------------------------------------ instances

    private clear(): void {
        const lists = [
            this.lines,
            this.balls,
            this.boxes,
            this.cylinders,
            this.cones,
            ...this.surfaces.values(),
            ...this.faces.values(),
        ];
        for (const list of lists) list.clear();
    }

    private fill(): void {
        this.clear();
        for (const { style, places: p } of this.scene.lines) {
            const [r, g, b] = rgb(colourOf(style)),
                width = style.width * 1.4 * this.ratio;
            for (let i = 0; i < p.length; i += 6)
                this.lines.add(p[i], p[i + 1], p[i + 2], p[i + 3], p[i + 4], p[i + 5], r, g, b, 1, width);
        }
        for (const { style, places: p } of this.scene.balls) {
            const [r, g, b] = rgb(colourOf(style)),
                width = style.width * this.ratio;
            for (let i = 0; i < p.length; i += 4) {
                if (style.role === 'point')
                    this.lines.add(p[i], p[i + 1], p[i + 2], p[i], p[i + 1], p[i + 2], r, g, b, 1, width);
                else this.balls.add(p[i], p[i + 1], p[i + 2], p[i + 3], r, g, b, 1);
            }
        }
        const faces = new Map<string, Vector[][]>();
        for (const body of this.scene.bodies) this.body(body, faces);
        this.fillFaces(faces);
    }

    private body(body: Body, faces: Map<string, Vector[][]>): void {
        const colour = rgb(colourOf(body.style));
        if (body.kind === 'box') {
            const { centre, axes } = poseOf(this.scene, body),
                sizes = halves(this.scene, body);
            const [x, y, z] = axes.map((axis, i) => scaled(axis, sizes[i] || 1e-3 * this.scene.size));
            this.boxes.add(...placed(centre, x, y, z), ...colour, 1);
        } else if (body.kind === 'cylinder') {
            const [p, q] = body.points.map((slots) => this.scene.vector(slots));
            this.round(this.cylinders, p, q, body.radius === undefined ? 0 : this.scene.values[body.radius], colour);
        } else if (body.kind === 'spring') {
            this.polyline(springLine(this.scene, body), colour, Math.min(2.2, body.style.width));
        } else if (this.surfaces.has(body)) {
            const { centre, axes } = poseOf(this.scene, body);
            this.surfaces.get(body)!.add(...placed(centre, ...axes), ...colour, 1);
        } else {
            const key = colourOf(body.style);
            faces.set(key, [...(faces.get(key) ?? []), ...facesOf(this.scene, body)]);
        }
    }

    // Polygons change their corners, so they are made anew: one mesh a colour.
    private fillFaces(faces: Map<string, Vector[][]>): void {
        for (const [colour, list] of faces) {
            const made =
                this.faces.get(colour) ?? new Instances(this.meshProgram, new Float32Array(0), MESH_OWN, MESH_FIELDS);
            made.setShape(faceMesh(list), 6);
            made.add(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, ...rgb(colour), 1);
            this.faces.set(colour, made);
        }
    }

    private round(list: Instances, p: Vector, q: Vector, radius: number, colour: Rgb): void {
        const along = add(q, p, -1),
            [e, f] = frameOf(unit(along));
        if (norm(along) > 0) list.add(...placed(p, scaled(e, radius), scaled(f, radius), along), ...colour, 1);
    }

    private polyline(points: Vector[], [r, g, b]: Rgb, width: number): void {
        for (let i = 0; i + 1 < points.length; i++)
            this.lines.add(...points[i], ...points[i + 1], r, g, b, 1, width * this.ratio);
    }

    // From the last point of a trail to where it is now.
    private trailEnds(row: number): void {
        for (const trail of this.scene.trails) {
            const count = passed(trail, row),
                p = trail.places;
            if (count === 0) continue;
            const last: Vector = [p[3 * count - 3], p[3 * count - 2], p[3 * count - 1]];
            this.polyline([last, this.scene.vector(trail.slots)], rgb(colourOf(trail.style)), trail.style.width);
        }
    }

    private arrows(shown: Shown): void {
        for (const arrow of this.scene.shownArrows()) {
            if (arrow.kind !== 'drawn' && !shown.forces) continue;
            const along = add(arrow.to, arrow.from, -1),
                length = norm(along);
            if (!(length > 1e-4 * this.scene.size)) continue;
            const head = Math.min(13 / this.camera.pixels, 0.6 * length),
                neck = add(arrow.to, unit(along), -head);
            const colour = rgb(arrowColour(arrow)),
                [r, g, b] = colour;
            this.lines.add(...arrow.from, ...neck, r, g, b, 1, 3 * this.ratio);
            this.round(
                this.cones,
                neck,
                arrow.to,
                0.4 * head,
                arrow.kind === 'nonideal' ? rgb(css(mix(colour, [1, 1, 1], 0.3))) : colour,
            );
        }
    }

    private flush(alpha: number): void {
        const { gl, camera } = this;
        const meshes = [this.boxes, this.cylinders, this.cones, ...this.faces.values(), ...this.surfaces.values()];
        for (const list of [this.lines, this.balls, ...meshes]) list.upload();
        for (const program of [this.meshProgram, this.ballProgram]) {
            gl.useProgram(program.program);
            gl.uniformMatrix4fv(program.uniform('view'), false, camera.view);
            gl.uniformMatrix4fv(program.uniform('projection'), false, camera.projection);
            gl.uniform1f(program.uniform('alpha'), alpha);
            if (program === this.meshProgram) for (const list of meshes) list.draw(gl.TRIANGLES);
            else this.balls.draw(gl.TRIANGLE_STRIP);
        }
        this.use(alpha);
        this.lines.draw(gl.TRIANGLE_STRIP);
        gl.bindVertexArray(null);
    }
}

// Where the axes of the model point, for the corner of the picture.
export function axisDirections(camera: OrbitCamera): [number, number][] {
    return [0, 1, 2].map((i) => [camera.right[i], -camera.above[i]]);
}
