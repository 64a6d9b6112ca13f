// The pages that the command itself writes: whole, quiet, with the numbers of the run to the bit. A command
// that cannot write pages is let off.
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
const help = spawnSync(zwang, ['run', '--help'], { encoding: 'utf8' }).stdout;
const skip = !help.includes('--report') && 'this command writes no pages';
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
    if (skip) return;
    browser = await Browser.start();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-report-'));
});
after(async () => {
    if (skip) return;
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
    test(`${name}: the page of the command opens, and its numbers are those of the run`, { skip }, async () => {
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

test('a title and names cannot be markup', { skip }, async () => {
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
