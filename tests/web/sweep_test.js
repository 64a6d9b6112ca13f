// The page that `zwang sweep --report` writes: whole, quiet, with the numbers of the result; plots that are
// linked by what is chosen in one of them.
//
//     node tests/web/sweep_test.js build/zwang
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
const MODEL = path.join(root, 'examples', 'slurm', 'pendulum.zw');
let browser, folder;
before(async () => {
    browser = await Browser.start();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-sweep-'));
});
after(async () => {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
});

// A sweep with these words; gives the page, what is in it, and the result.
function sweep(name, ...words) {
    const model = path.join(folder, '<!--<script>.zw'); // a name that must not become part of the page's own text
    fs.copyFileSync(MODEL, model);
    const page = path.join(folder, `${name}.html`),
        rows = path.join(folder, `${name}.json`);
    const run = spawnSync(zwang, ['sweep', model, '-q', '--until', '1', ...words, '-o', rows, '--report', page], {
        encoding: 'utf8',
    });
    assert.strictEqual(run.status, 0, run.stderr);
    const text = fs.readFileSync(page, 'utf8');
    const found = /<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(text);
    assert.ok(found, 'there is no data in the page');
    return { page, text, data: JSON.parse(found[1]), result: JSON.parse(fs.readFileSync(rows, 'utf8')) };
}

// What is on the page: texts, and how many pixels of each canvas are not empty.
const look = (tab) =>
    tab.evaluate(() => ({
        text: document.body.innerText,
        rows: [...document.querySelectorAll('table tr')].map((row) => [...row.cells].map((cell) => cell.textContent)),
        choices: [...document.querySelectorAll('select option')].map((option) => option.textContent),
        inked: [...document.querySelectorAll('canvas')].map((canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let k = 3; k < data.length; k += 4) count += data[k] > 0;
            return count;
        }),
    }));

test('the numbers of the page are those of the result', () => {
    const { text, data, result } = sweep('numbers', '--vary', 'l = [0.5, 1, 2]', '--keep', 'last(angle), largest(pull)');
    for (const file of ['sweep.js', 'sweep.css'])
        assert.ok(text.includes(fs.readFileSync(path.join(root, 'web', 'dist', file), 'utf8').trimEnd()), file);
    assert.deepStrictEqual(data.names, ['l', 'last(angle)', 'largest(pull)']);
    assert.deepStrictEqual([data.runs, data.stride, data.varied], [3, 1, 1]);
    data.names.forEach((name, k) => {
        const at = result.columns.indexOf(name);
        assert.ok(at >= 0, name);
        result.rows.forEach((row, i) => assert.ok(Math.abs(data.columns[k][i] - row[at]) <= 1e-8 * Math.abs(row[at])));
    });
});

test('a plot for each number that is kept; a box in one chooses runs in all', async () => {
    const { page } = sweep('plots', '--vary', 'l = 0.5..2, 40', '--keep', 'last(angle), largest(pull), trust');
    const tab = await browser.open(page);
    const first = await look(tab);
    assert.strictEqual(first.inked.length, 3);
    for (const count of first.inked) assert.ok(count > 200, 'a plot is empty');
    assert.match(first.text, /drag a box/);
    // the left half of the first plot: runs with a short rod
    const box = await tab.locator('canvas').first().boundingBox();
    await tab.mouse.move(box.x + 62, box.y + 4);
    await tab.mouse.down();
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height - 34, { steps: 4 });
    await tab.mouse.up();
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height + 400);
    await settle(tab);
    const chosen = await look(tab);
    const count = Number(/(\d+) runs chosen/.exec(chosen.text)?.[1] ?? -1);
    assert.ok(count >= 10 && count <= 30, `${count} runs chosen`);
    assert.strictEqual(chosen.rows.length, count + 1);
    assert.deepStrictEqual(chosen.rows[0], ['run', 'l', 'last(angle)', 'largest(pull)', 'trust']);
    for (const row of chosen.rows.slice(1)) assert.ok(Number(row[1]) < 1.5);
    assert.deepStrictEqual(chosen.choices, ['l', 'last(angle)', 'largest(pull)', 'trust']);
    await tab.selectOption('select', '2'); // another number across: other pictures, the same runs
    await settle(tab);
    const turned = await look(tab);
    assert.deepStrictEqual(turned.rows, chosen.rows);
    assert.notDeepStrictEqual(turned.inked, chosen.inked);
    assert.match(turned.text, /Sweep of .*<!--<script>.zw/);
    await quiet(tab);
});

test('runs that failed, and so many that every other is shown', async () => {
    const many = sweep('many', '--vary', 'l ~ uniform(0.5, 2)', '--samples', '30000', '--keep', 'last(angle)');
    assert.deepStrictEqual([many.data.runs, many.data.stride, many.data.columns[0].length], [30000, 2, 15000]);
    const failed = sweep('failed', '--vary', 'l = [1, 0, 2]', '--keep', 'last(angle)');
    assert.strictEqual(failed.data.failed.length, 1);
    assert.strictEqual(failed.data.failed[0][0], 1);
    assert.strictEqual(failed.data.columns[1][1], null);
    for (const { page } of [many, failed]) {
        const tab = await browser.open(page);
        const seen = await look(tab);
        assert.ok(seen.inked.every((count) => count > 100));
        if (page === failed.page) assert.match(seen.text, /1 (run )?(of 3 )?.*failed/);
        await quiet(tab);
    }
});
