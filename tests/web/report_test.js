// The pages that the command itself writes: whole, quiet, with the numbers of the run to the bit.
//
//     node tests/web/report_test.js build/zwang
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const assert = require('assert');
const { spawnSync } = require('child_process');
const { test, before, after } = require('node:test');
const { Browser, settle, quiet } = require('./browser.js');
const { root } = require('./page_of_run.js');

const zwang = path.resolve(process.argv[2] ?? 'build/zwang');
const MODELS = [
    'double_pendulum',
    'four_bar',
    'bouncing_ball',
    'bead_helix',
    'heavy_top',
    'bicycle',
    'net',
    'tippe_top',
];
let browser, folder;
before(async () => {
    browser = await Browser.start();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-report-'));
});
after(async () => {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
});

// Runs a model; gives the file of its page, what is in it, and the rows of all columns as the command has them.
function report(model) {
    const name = path.basename(model, '.zw'),
        page = path.join(folder, `${name}.html`),
        rows = path.join(folder, `${name}.json`);
    const run = spawnSync(zwang, ['run', model, '-q', '--columns', 'all', '-o', rows, '--report', page], {
        encoding: 'utf8',
    });
    assert.strictEqual(run.status, 0, run.stderr);
    const text = fs.readFileSync(page, 'utf8');
    const found = /<script type="application\/json" id="zwang-page">([\s\S]*?)<\/script>/.exec(text);
    assert.ok(found, `${name}: there is no data in the page`);
    return { page, text, data: JSON.parse(found[1]), table: JSON.parse(fs.readFileSync(rows, 'utf8')) };
}

for (const name of MODELS)
    test(`${name}: the page of the command opens, and its numbers are those of the run`, async () => {
        const { page, text, data, table } = report(path.join(root, 'models', `${name}.zw`));
        for (const file of ['page.js', 'page.css'])
            assert.ok(text.includes(fs.readFileSync(path.join(root, 'web', 'dist', file), 'utf8').trimEnd()), file);
        const bytes = Buffer.from(data.data.base64, 'base64'),
            { rows, type } = data.data;
        assert.deepStrictEqual([type, rows], ['f8', table.rows.length], 'such a run is not thinned');
        table.columns.forEach((column, k) => {
            const at = data.data.columns.findIndex((one) => one.name === column);
            assert.ok(at >= 0, `no column ${column}`);
            for (let i = 0; i < rows; i++)
                assert.ok(
                    Object.is(bytes.readDoubleLE(8 * (at * rows + i)) + 0, (table.rows[i][k] ?? NaN) + 0),
                    `${column}, row ${i}`,
                );
        });
        const tab = await browser.open(page);
        const t = table.rows[Math.floor(rows / 3)][0];
        await tab.evaluate((time) => zwangPage.clock.set(time), t);
        await settle(tab);
        const seen = await tab.evaluate(() => ({
            title: document.querySelector('h1').textContent,
            arrows: zwangPage.arrows(),
            scale: zwangPage.forceScale(),
            frames: zwangPage.stage.frames,
            equations: document.querySelectorAll('math').length,
        }));
        assert.strictEqual(seen.title, data.title);
        assert.ok(seen.frames > 0 && seen.equations > 0);
        assert.strictEqual(
            seen.arrows.length,
            data.forces.length + data.scene.shapes.filter((shape) => shape.kind === 'arrow').length,
        );
        for (const { vector, from, to, kind } of seen.arrows) {
            const length = Math.hypot(...to.map((x, i) => x - from[i])),
                force = Math.hypot(...vector) * (kind === 'drawn' ? 1 : seen.scale);
            assert.ok(Math.abs(length - force) <= 1e-9 * force + 1e-12);
        }
        await quiet(tab);
    });

test('a title and names cannot be markup', async () => {
    const title = `</script><img src=x onerror='globalThis.broken=1'><!-- & 'quoted' Ωπ日本`;
    const model = path.join(folder, 'hostile <b>.zw');
    fs.writeFileSync(
        model,
        `model "${title}"\n# </script><script>globalThis.broken = 2</script>\ncoord größe, y\n` +
            "kinetic größe'^2 + y'^2\npotential y\nconstraint Ω: größe^2 + y^2 = 1\nstart größe = 1\nsimulate t = 0..1\n",
    );
    const { page, data } = report(model);
    assert.strictEqual(data.title, title);
    const tab = await browser.open(page);
    const seen = await tab.evaluate(() => ({
        broken: globalThis.broken,
        images: document.images.length,
        scripts: document.scripts.length,
        title: document.querySelector('h1').textContent,
        text: document.body.innerText,
    }));
    assert.deepStrictEqual([seen.broken, seen.images, seen.scripts, seen.title], [undefined, 0, 2, title]);
    assert.ok(seen.text.includes('größe') && seen.text.includes('globalThis.broken = 2'));
    await quiet(tab);
});

// ------------------------------------------------------------------------ forces

// Columns at some times, from a run of their own.
function columnsAt(model, columns, at) {
    const run = spawnSync(zwang, ['run', model, '-q', '--columns', columns, '--at', at.join(',')], {
        encoding: 'utf8',
    });
    assert.strictEqual(run.status, 0, run.stderr);
    const lines = run.stdout.trim().split('\n').slice(1);
    return lines.map((line) => line.split(',').slice(1).map(Number));
}

const arrowsAt = async (tab, t) => {
    await tab.evaluate((time) => zwangPage.clock.set(time), t);
    await settle(tab);
    return tab.evaluate(() => zwangPage.arrows());
};

test('an arrow is m (a - g)', async () => {
    const model = path.join(root, 'models', 'double_pendulum.zw'),
        at = [0.5, 2.25, 6.75],
        seen = columnsAt(model, "a''[1], a''[2], b''[1], b''[2]", at),
        tab = await browser.open(report(model).page);
    for (const [k, t] of at.entries()) {
        const arrows = await arrowsAt(tab, t),
            expected = { a: [seen[k][0], seen[k][1] + 9.81], b: [seen[k][2], seen[k][3] + 9.81] };
        assert.deepStrictEqual(arrows.map((arrow) => arrow.name).sort(), ['a', 'b']);
        for (const arrow of arrows)
            for (const i of [0, 1]) {
                const off = Math.abs(arrow.vector[i] - expected[arrow.name][i]);
                assert.ok(off < 1e-7, `${arrow.name}[${i + 1}] at ${t} is off by ${off}`);
            }
    }
    await quiet(tab);
});

test('friction is an arrow of its own kind', async () => {
    const model = path.join(folder, 'sledge.zw');
    fs.writeFileSync(
        model,
        `model "Sledge"
coord r[2]
param m = 2, g = 9.81, mu = 0.3
kinetic m/2*dot(r', r')
potential m*g*r[2]
constraint slope: r[2] + r[1]/2 = 0
nonideal at r: -mu*abs(reaction(slope))*r'/norm(r')
start r = [0, 0], r' = [1, -0.5]
draw ball(r, 0.1)
simulate t = 0..2, every = 0.1
`,
    );
    const tab = await browser.open(report(model).page),
        arrows = await arrowsAt(tab, 1),
        normal = (2 * 9.81 * 2) / Math.sqrt(5); // m g cos of the slope
    for (const [kind, expected] of Object.entries({ ideal: normal, nonideal: 0.3 * normal })) {
        const size = Math.hypot(...arrows.find((arrow) => arrow.kind === kind).vector);
        assert.ok(Math.abs(size - expected) < 1e-8, `${kind}: ${size} for ${expected}`);
    }
    await quiet(tab);
});

// ----------------------------------------------------------------- saved results

test('a saved result is plots only, with its model it moves', async () => {
    const model = path.join(root, 'models', 'four_bar.zw'),
        saved = path.join(folder, 'saved.npz');
    assert.strictEqual(spawnSync(zwang, ['run', model, '-q', '-o', saved]).status, 0);
    for (const words of [[], ['--model', model]]) {
        const page = path.join(folder, `saved${words.length}.html`);
        const view = spawnSync(zwang, ['view', saved, ...words, '--no-open', '-q', '-o', page], { encoding: 'utf8' });
        assert.strictEqual(view.status, 0, view.stderr);
        const tab = await browser.open(page);
        assert.strictEqual(await tab.evaluate(() => zwangPage.stage !== undefined), words.length > 0);
        assert.strictEqual((await tab.getByText('plots only').count()) > 0, words.length === 0);
        await quiet(tab);
    }
});
