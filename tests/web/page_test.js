// The page in a browser: pages of real runs are opened, clicked and looked at.
//
//     node tests/web/page_test.js build/zwang
//
// The page shows what it knows as globalThis.zwangPage; what it draws is read from its canvases.
'use strict';
const path = require('path');
const assert = require('assert');
const { test, before, after } = require('node:test');
const { Browser, settle, quiet, until } = require('./browser.js');
const { MODELS, NASTY, PEAKS, real, shapes, hostile, chain, cart, large } = require('./page_scenes.js');

const zwang = path.resolve(process.argv[2] ?? 'build/zwang');
let browser;
before(async () => (browser = await Browser.start()));
after(() => browser.close());

// The numbers of a page, read by other means than its own.
function numbersOf(page) {
    const bytes = Buffer.from(page.data.base64, 'base64'),
        { rows, type } = page.data;
    const at = (k, row) =>
        type === 'f8' ? bytes.readDoubleLE(8 * (k * rows + row)) : bytes.readFloatLE(4 * (k * rows + row));
    return {
        at,
        find: (name) => page.data.columns.findIndex((column) => column.name === name),
        value: (scalar, row) => (typeof scalar === 'number' ? scalar : at(scalar.c, row)),
    };
}

const now = (tab) => tab.evaluate(() => zwangPage.clock.t);
const setTime = async (tab, t) => {
    await tab.evaluate((time) => zwangPage.clock.set(time), t);
    await settle(tab);
};

// Pixels of a canvas that have about this colour.
const countColour = (tab, selector, colour) =>
    tab.evaluate(
        ([where, [r, g, b]]) => {
            const canvas = document.querySelector(where),
                { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let i = 0; i < data.length; i += 4)
                if (
                    data[i + 3] > 200 &&
                    Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40
                )
                    count++;
            return count;
        },
        [selector, colour],
    );

const IDEAL = [0x00, 0x72, 0xb2],
    NONIDEAL = [0xd5, 0x5e, 0x00];

// ---------------------------------------------------------------------- pages of runs

for (const name of Object.keys(MODELS))
    test(`${name}: opens, moves, forces are those of the time`, async () => {
        const page = real(zwang, name),
            { at, value } = numbersOf(page),
            tab = await browser.show(page);
        assert.strictEqual(await tab.locator('h1').textContent(), page.title);
        assert.strictEqual(await tab.evaluate(() => zwangPage.stage.usesWebGL), page.scene.dimension === 3);
        for (const part of [0, 0.31, 0.77]) {
            const row = Math.floor(part * (page.data.rows - 1));
            await setTime(tab, at(0, row));
            const [arrows, scale] = await tab.evaluate(() => [zwangPage.arrows(), zwangPage.forceScale()]);
            assert.strictEqual(arrows.length, page.forces.length);
            arrows.forEach((arrow, k) => {
                const force = page.forces[k],
                    vector = [0, 1, 2].map((i) => value(force.v[i] ?? 0, row));
                assert.deepStrictEqual(arrow.vector, vector, `${force.name} in row ${row}`);
                const length = Math.hypot(...[0, 1, 2].map((i) => arrow.to[i] - arrow.from[i])),
                    expected = scale * Math.hypot(...vector);
                assert.ok(
                    Math.abs(length - expected) <= 1e-12 + 1e-9 * expected,
                    `${force.name}: ${length} for ${expected}`,
                );
                assert.strictEqual(arrow.kind, force.kind);
            });
        }
        await setTime(tab, at(0, 0));
        await tab.keyboard.press('Space');
        const frames = await tab.evaluate(() => zwangPage.stage.frames),
            begun = await now(tab);
        await until(
            tab,
            `zwangPage.clock.t > ${begun} && zwangPage.stage.frames > ${frames + 3}`,
            'the motion advances',
        );
        await quiet(tab);
    });

test('arrows appear on the picture, with the length of their force, and can be turned off', async () => {
    const page = real(zwang, 'double_pendulum'),
        tab = await browser.show(page);
    await setTime(tab, 2.2);
    const shown = await countColour(tab, '.picture', IDEAL);
    await tab.getByRole('button', { name: 'Forces' }).click();
    await settle(tab);
    const hidden = await countColour(tab, '.picture', IDEAL);
    assert.ok(shown > hidden + 60, `${shown} pixels with forces, ${hidden} without`);
    await tab.getByRole('button', { name: 'Forces' }).click();
    // the shaft is blue from its foot to its head, and not beyond its tip
    const seen = await tab.evaluate(() => {
        const { stage } = zwangPage,
            [arrow] = zwangPage.arrows(),
            ratio = devicePixelRatio;
        stage.toggles.get('Names').click();
        stage.draw();
        const a = stage.camera.project(...arrow.from),
            b = stage.camera.project(...arrow.to),
            context = document.querySelector('.picture').getContext('2d');
        const blue = (part) => {
            const [r, g, bl] = context.getImageData(
                Math.round((a[0] + part * (b[0] - a[0])) * ratio),
                Math.round((a[1] + part * (b[1] - a[1])) * ratio),
                1,
                1,
            ).data;
            return Math.abs(r) + Math.abs(g - 0x72) + Math.abs(bl - 0xb2) < 60;
        };
        return {
            length: Math.hypot(b[0] - a[0], b[1] - a[1]),
            along: [0.3, 0.5, 0.7, 0.93].map(blue),
            beyond: [1.12, 1.3].map(blue),
        };
    });
    assert.ok(seen.length > 20);
    assert.deepStrictEqual(seen.along, [true, true, true, true]);
    assert.deepStrictEqual(seen.beyond, [false, false]);
    const before = await tab.evaluate(() => zwangPage.forceScale());
    await tab.getByLabel('Length of the force arrows').fill('0.5');
    const after = await tab.evaluate(() => zwangPage.forceScale());
    assert.ok(Math.abs(after / before - 10 ** 0.5) < 1e-9);
    await quiet(tab);
});

test('ideal and non-ideal forces have colours and names of their own', async () => {
    const tab = await browser.show(real(zwang, 'bead_helix'));
    await setTime(tab, 0.05);
    const legend = await tab.locator('.legend').textContent();
    assert.match(legend, /ideal constraint force.*non-ideal constraint force/);
    const colours = await tab.evaluate(() =>
        ['.key.ideal', '.key.nonideal'].map(
            (key) => getComputedStyle(document.querySelector(key), '::before').backgroundColor,
        ),
    );
    assert.deepStrictEqual(colours, [`rgb(${IDEAL.join(', ')})`, `rgb(${NONIDEAL.join(', ')})`]);
    // what the graphics card drew, out of a picture of the window
    const box = await tab.locator('.stage').boundingBox(),
        picture = (await tab.screenshot({ clip: box })).toString('base64');
    const counts = await tab.evaluate(
        async ([base64, colours_]) => {
            const image = new Image();
            image.src = `data:image/png;base64,${base64}`;
            await image.decode();
            const canvas = document.createElement('canvas'),
                context = canvas.getContext('2d');
            [canvas.width, canvas.height] = [image.width, image.height];
            context.drawImage(image, 0, 0);
            const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
            return colours_.map(([r, g, b]) => {
                let count = 0;
                for (let i = 0; i < data.length; i += 4)
                    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 50) count++;
                return count;
            });
        },
        [picture, [IDEAL, NONIDEAL]],
    );
    assert.ok(counts[0] > 50 && counts[1] > 50, `pixels of the two colours: ${counts}`);
    await quiet(tab);
});

// -------------------------------------------------------------------- time, both ways

test('one cursor: the plots set the time of the motion, and follow it', async () => {
    const page = real(zwang, 'double_pendulum'),
        tab = await browser.show(page);
    const plot = tab.locator('.plot').first(),
        box = await plot.boundingBox();
    const frames = await tab.evaluate(() => zwangPage.stage.frames);
    await tab.mouse.click(box.x + 300, box.y + 80);
    await settle(tab);
    const clicked = await now(tab);
    assert.ok(clicked > 3 && clicked < 8, `t = ${clicked}`);
    assert.ok((await tab.evaluate(() => zwangPage.stage.frames)) > frames, 'the motion follows the plot');
    const place = () => tab.evaluate(() => zwangPage.panels.list.map((panel) => panel.plot.cursorX()));
    for (const x of (await place()).slice(0, 2))
        // the ledger's is not as wide assert.ok(Math.abs(x - 300) < 1.5, `cursor at ${x}`);
        // by its handle the cursor is drawn along
        await tab.mouse.move(box.x + 300, box.y + 100);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 200, box.y + 100, { steps: 4 });
    await tab.mouse.up();
    assert.ok((await now(tab)) < clicked - 1);
    // the other way: the time line moves every cursor, and it is to be seen there
    await tab.getByLabel('Time', { exact: true }).fill('0.25');
    await settle(tab);
    assert.ok(Math.abs((await now(tab)) - 2.5) < 1e-9);
    const [x] = await place(),
        columns = await tab.evaluate(() => {
            const canvas = document.querySelector('.plot canvas:last-child'),
                { data } = canvas.getContext('2d').getImageData(0, 60 * devicePixelRatio, canvas.width, 1);
            return Array.from({ length: canvas.width }, (_, i) => i).filter((i) => data[4 * i + 3] > 100);
        });
    assert.ok(
        columns.length > 0 && columns.length < 6 && Math.abs(columns[0] - x) < 3,
        `cursor at ${x}, drawn at ${columns}`,
    );
    await quiet(tab);
});

test('play, pause, speed, loop and steps', async () => {
    const page = real(zwang, 'four_bar'),
        tab = await browser.show(page),
        { at } = numbersOf(page);
    await tab.getByRole('button', { name: 'Play' }).click();
    await until(tab, 'zwangPage.clock.t > 0.05', 'it plays');
    await tab.getByRole('button', { name: 'Pause' }).click();
    const stopped = await now(tab);
    await tab.waitForTimeout(150);
    assert.strictEqual(await now(tab), stopped);
    await tab.getByRole('button', { name: 'One row on' }).click();
    const row = await tab.evaluate(() => zwangPage.columns.rowAt(zwangPage.clock.t));
    assert.strictEqual(await now(tab), at(0, row));
    await tab.keyboard.press('ArrowRight');
    assert.strictEqual(await now(tab), at(0, row + 1));
    await tab.keyboard.press('Shift+ArrowLeft');
    assert.strictEqual(await now(tab), at(0, Math.max(0, row - 9)));
    await tab.keyboard.press('End');
    assert.strictEqual(await now(tab), at(0, page.data.rows - 1));
    const speed = await tab.evaluate(() => zwangPage.clock.speed);
    await tab.keyboard.press(']');
    assert.ok((await tab.evaluate(() => zwangPage.clock.speed)) > speed);
    // at the end it stops, with the loop it begins again
    await tab.keyboard.press('Home');
    await tab.getByLabel('Speed').selectOption('50');
    await tab.keyboard.press('l');
    await tab.evaluate(() => document.activeElement.blur());
    await tab.keyboard.press('Space');
    await tab.waitForTimeout(600);
    assert.ok(await tab.evaluate(() => zwangPage.clock.playing), 'the loop goes on');
    await tab.keyboard.press('l');
    await until(tab, '!zwangPage.clock.playing', 'without the loop it ends');
    assert.strictEqual(await now(tab), at(0, page.data.rows - 1));
    await quiet(tab);
});

test('events are marks that jump', async () => {
    const page = real(zwang, 'bouncing_ball'),
        tab = await browser.show(page);
    assert.ok(page.events.length > 5);
    const marks = tab.locator('.mark');
    assert.strictEqual(await marks.count(), page.events.length);
    await marks.nth(3).click();
    assert.strictEqual(await now(tab), page.events[3].t);
    await tab.locator('section[aria-labelledby=events] .link').nth(5).click();
    assert.strictEqual(await now(tab), page.events[5].t);
    await quiet(tab);
});

// -------------------------------------------------------------------------------- plots

test('search, add, remove, logarithm, zoom, phase plot', async () => {
    const page = real(zwang, 'four_bar'),
        tab = await browser.show(page);
    const state = () =>
        tab.evaluate(() =>
            zwangPage.panels.list.map(({ plot }) => ({
                names: plot.shown.map((k) => zwangPage.columns.info[k].name),
                x: plot.x,
                log: plot.log,
            })),
        );
    const before = (await state())[0].names;
    await tab.locator('.add').first().click();
    await tab.keyboard.type('residual stay');
    assert.deepStrictEqual(await tab.locator('.picker .name span:first-of-type').allTextContents(), [
        'residual(stay)',
        'rate(stay)',
    ]);
    await tab.keyboard.press('Enter');
    await tab.keyboard.press('Escape');
    assert.deepStrictEqual((await state())[0].names, [...before, 'residual(stay)']);
    await tab.getByRole('button', { name: 'Remove angle' }).click();
    assert.ok(!(await state())[0].names.includes('angle'));
    await tab.getByRole('button', { name: 'log' }).first().click();
    assert.ok((await state())[0].log);
    // a stretch of time for all panels, and the whole again
    const box = await tab.locator('.plot').first().boundingBox();
    await tab.mouse.move(box.x + 150, box.y + 60);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 250, box.y + 90, { steps: 3 });
    await tab.mouse.up();
    const stretch = await tab.evaluate(() => [zwangPage.panels.window.from, zwangPage.panels.window.to]);
    assert.ok(stretch[0] > 0.3 && stretch[1] < 3 && stretch[1] > stretch[0], String(stretch));
    await tab.getByRole('button', { name: 'Whole time' }).click();
    assert.ok(await tab.evaluate(() => zwangPage.panels.window.whole));
    await tab.getByRole('button', { name: 'Phase plot' }).click();
    await settle(tab);
    const phase = (await state()).at(-1),
        name = page.data.columns[phase.x].name;
    assert.deepStrictEqual(phase.names, [`${name}'`]);
    const count = (await state()).length;
    await tab.getByRole('button', { name: 'Close this plot' }).first().click();
    assert.strictEqual((await state()).length, count - 1);
    await quiet(tab);
});

const saved = async (tab, act) => {
    const [file] = await Promise.all([tab.waitForEvent('download'), act()]);
    return { name: file.suggestedFilename(), content: require('fs').readFileSync(await file.path()) };
};

test('pictures and data can be kept, the data to the bit', async () => {
    const page = real(zwang, 'four_bar'),
        tab = await browser.show(page, { acceptDownloads: true }),
        { at, find } = numbersOf(page);
    const table = await saved(tab, () => tab.getByLabel('Save this plot').first().selectOption('csv'));
    assert.match(table.name, /\.csv$/);
    const [head, ...rows] = table.content
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => line.split(','));
    assert.strictEqual(rows.length, page.data.rows);
    rows.forEach((row, i) => row.forEach((text, j) => assert.strictEqual(Number(text), at(find(head[j]), i))));
    const whole = await saved(tab, () => tab.getByRole('button', { name: 'All columns as CSV' }).click());
    assert.strictEqual(whole.content.toString().split('\n').length, page.data.rows + 2);
    for (const label of ['Save this plot', 'Keep this picture']) {
        const drawn = await saved(tab, () => tab.getByLabel(label).first().selectOption('svg'));
        assert.match(drawn.content.toString(), /^<svg [\s\S]*<path [\s\S]*<\/svg>\n$/);
        const well = await tab.evaluate(
            (text) => new DOMParser().parseFromString(text, 'image/svg+xml').getElementsByTagName('parsererror').length,
            drawn.content.toString(),
        );
        assert.strictEqual(well, 0);
        const pixels = await saved(tab, () => tab.getByLabel(label).first().selectOption('png'));
        assert.strictEqual(pixels.content.subarray(1, 4).toString(), 'PNG');
        assert.ok(pixels.content.length > 5000, `${label}: ${pixels.content.length} bytes`);
    }
    await quiet(tab);
});

test('a hundred thousand rows of fifty columns stay smooth, and no peak is lost', async () => {
    const tab = await browser.show(large(100_000, 50));
    assert.match(await tab.locator('main > .note').textContent(), /plots only/);
    const spent = await tab.evaluate(async () => {
        const [{ plot }] = zwangPage.panels.list,
            context = document.querySelector('.plot canvas').getContext('2d');
        const timed = () => {
            const begun = performance.now();
            plot.drawNow();
            context.getImageData(0, 0, 1, 1); // waits until it is there
            return performance.now() - begun;
        };
        plot.shown = Array.from({ length: 50 }, (_, k) => k + 1);
        const first = timed(),
            again = Math.min(timed(), timed(), timed());
        zwangPage.panels.window.set(20, 60);
        const zoom = Math.min(timed(), timed());
        zwangPage.panels.window.set(0, 100);
        plot.drawNow();
        let cursor = performance.now();
        for (let k = 0; k < 50; k++) zwangPage.clock.set(k + 0.5);
        cursor = (performance.now() - cursor) / 50;
        return { first, again, zoom, cursor };
    });
    console.log(
        `# 50 curves of 100,000 rows: first ${spent.first.toFixed(0)} ms, again ${spent.again.toFixed(0)} ms, zoom ${spent.zoom.toFixed(0)} ms, cursor ${spent.cursor.toFixed(2)} ms`,
    );
    assert.ok(spent.again < 500 && spent.zoom < 500 && spent.cursor < 40);
    // a peak is one row of a hundred thousand: its stroke goes up to the top of the panel
    const tops = await tab.evaluate(
        (times) => {
            const canvas = document.querySelector('.plot canvas'),
                { width, height } = canvas,
                { plot } = zwangPage.panels.list[0];
            const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
            const coloured = (i, j) => {
                const [r, g, b, alpha] = data.subarray(4 * (j * width + i), 4 * (j * width + i) + 4);
                return alpha > 150 && Math.max(r, g, b) - Math.min(r, g, b) > 60;
            };
            return times.map((t) => {
                zwangPage.clock.set(t);
                const x = Math.floor(plot.cursorX() * devicePixelRatio);
                for (let j = 0; j < height; j++) if ([-1, 0, 1].some((k) => coloured(x + k, j))) return j / height;
                return 1;
            });
        },
        PEAKS.map((row) => row / 1000),
    );
    assert.ok(Math.max(...tops) < 0.2, `the peaks are drawn at ${tops} of the height`);
    await quiet(tab);
});

for (const dimension of [2, 3])
    test(`a chain of ten thousand links in ${dimension} dimensions`, async () => {
        const tab = await browser.show(chain(10_000, dimension));
        const spent = await tab.evaluate(() => {
            const times = [];
            for (let k = 0; k < 12; k++) {
                const begun = performance.now();
                zwangPage.clock.set(0.1 + k / 7);
                zwangPage.stage.draw();
                times.push(performance.now() - begun);
            }
            return times.sort((a, b) => a - b)[6];
        });
        console.log(`# a chain of 10,000 links, ${dimension}-D: ${spent.toFixed(1)} ms a frame`);
        assert.ok(spent < 60);
        await quiet(tab);
    });

// --------------------------------------------------------------------- names, and places

test('names are text, whatever is in them', async () => {
    const tab = await browser.show(hostile());
    const seen = await tab.evaluate(() => ({
        broken: globalThis.broken,
        images: document.querySelectorAll('img, iframe, object, embed').length,
        scripts: document.scripts.length,
        handlers: document.querySelectorAll('[onerror], [onclick]').length,
        title: document.title,
        text: document.body.innerText,
        math: document.querySelector('math')?.textContent,
        links: [...document.querySelectorAll('math *')].filter((one) => one.hasAttribute('href')).length,
    }));
    assert.strictEqual(seen.broken, undefined);
    assert.deepStrictEqual([seen.images, seen.scripts, seen.handlers, seen.links], [0, 2, 0, 0]);
    assert.ok(seen.title.includes(NASTY[0]));
    for (const name of NASTY) assert.ok(seen.text.includes(name.split('\n')[0]), `not to be read: ${name}`);
    assert.strictEqual(seen.math, 'x', 'of an equation only its MathML is there');
    assert.match(seen.text, /101 of 100001 rows/);
    await tab.locator('.add').first().click();
    assert.ok((await tab.locator('.picker').textContent()).includes(NASTY[2]));
    await tab.keyboard.press('Escape');
    const drawn = await saved(tab, () => tab.getByLabel('Keep this picture').selectOption('svg'));
    assert.ok(!/<(img|script)/.test(drawn.content.toString()));
    await quiet(tab);
});

for (const dimension of [2, 3])
    test(`every shape in ${dimension} dimensions, with and without WebGL`, async () => {
        const without = () => {
            const real_ = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind === 'webgl2' ? null : real_.call(this, kind, ...rest);
            };
        };
        for (const before_ of dimension === 3 ? [undefined, without] : [undefined]) {
            const tab = await browser.show(shapes(dimension), { before: before_ });
            assert.strictEqual(await tab.evaluate(() => zwangPage.stage.usesWebGL), dimension === 3 && !before_);
            await tab.getByRole('button', { name: 'Ghost' }).click();
            await setTime(tab, 1.5);
            const box = await tab.locator('.stage').boundingBox(),
                still = await tab.screenshot({ clip: box });
            await tab.mouse.move(box.x + 200, box.y + 200);
            await tab.mouse.down();
            await tab.mouse.move(box.x + 260, box.y + 230, { steps: 3 });
            await tab.mouse.up();
            await settle(tab);
            assert.notDeepStrictEqual(await tab.screenshot({ clip: box }), still, 'the view moves with the hand');
            await tab.keyboard.press('f');
            await tab.keyboard.press('+');
            await tab.keyboard.press('Alt+ArrowLeft');
            if (dimension === 3) {
                // from the side of z what differs in z only falls on one point
                await tab.keyboard.press('3');
                const [low, high] = await tab.evaluate(() => {
                    const { camera } = zwangPage.stage,
                        [x, y, z] = camera.target;
                    return [camera.project(x, y, z), camera.project(x, y, z + 0.1)];
                });
                assert.ok(Math.hypot(low[0] - high[0], low[1] - high[1]) < 3, `${low} and ${high}`);
            }
            await quiet(tab);
        }
    });

for (const dimension of [2, 3])
    test(`what goes far is followed, in ${dimension} dimensions`, async () => {
        const tab = await browser.show(cart(dimension));
        // the corner of the cart, as parts of the picture
        const place = (t) =>
            tab.evaluate((time) => {
                const { stage, clock, columns } = zwangPage;
                clock.set(time);
                stage.draw();
                const [x, y] = stage.camera.project(columns.value(1, columns.moment(time)), 0, 0);
                return [x / stage.camera.width, y / stage.camera.height];
            }, t);
        assert.ok(await tab.evaluate(() => zwangPage.stage.follows));
        const first = await place(0.1);
        for (const t of [0.1, 5, 9.9]) {
            const [x, y] = await place(t);
            assert.ok(Math.hypot(x - first[0], y - first[1]) < 0.01 && x > 0.05 && x < 0.95, `at t = ${t}: ${x}, ${y}`);
        }
        await tab.getByRole('button', { name: 'Follow' }).click();
        const near = await place(0.1),
            far = await place(9.9);
        assert.ok(Math.abs(far[0] - near[0]) > 0.4, `from ${near} to ${far}`);
        await quiet(tab);
    });

test('a page opens with what moves, of one size, the model before its parts', async () => {
    const tab = await browser.show(cart(2));
    const names = await tab.evaluate(() =>
        zwangPage.panels.list[0].plot.shown.map((k) => zwangPage.columns.info[k].name),
    );
    assert.deepStrictEqual(names, ['speed', 'rate[1]']);
    await quiet(tab);
});

test('from a phone to a wide screen nothing hangs over', async () => {
    const page = real(zwang, 'four_bar');
    for (const width of [340, 390, 768, 1024, 1440, 2400]) {
        const tab = await browser.show(width === 340 ? hostile() : page, {
            viewport: { width, height: 800 },
            hasTouch: width < 500,
            isMobile: width < 500,
        });
        const over = await tab.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
        assert.ok(over[0] <= over[1], `${over[0]} wide in a window of ${over[1]}`);
        const stage = await tab.locator('.stage').boundingBox();
        assert.ok(stage.width > 0.35 * width && stage.height > 200);
        await quiet(tab);
    }
});

test('fingers: a tap sets the time, two that part stretch it', async () => {
    const tab = await browser.show(real(zwang, 'double_pendulum'), {
        viewport: { width: 390, height: 800 },
        hasTouch: true,
        isMobile: true,
    });
    const plot = tab.locator('.plot').first();
    await plot.scrollIntoViewIfNeeded();
    await tab.evaluate(() => document.querySelector('.plot').scrollIntoView({ block: 'center', behavior: 'instant' }));
    const box = await plot.boundingBox();
    await tab.touchscreen.tap(box.x + 200, box.y + 60);
    const tapped = await now(tab);
    assert.ok(tapped > 3 && tapped < 7, `t = ${tapped}`);
    const device = await tab.context().newCDPSession(tab);
    const touch = (type, ...places) =>
        device.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: places.map((x, id) => ({ x: box.x + x, y: box.y + 60, id })),
        });
    await touch('touchStart', 180, 220);
    for (let k = 1; k <= 6; k++) await touch('touchMove', 180 - 12 * k, 220 + 12 * k);
    await touch('touchEnd');
    const { from, to, begin, end } = await tab.evaluate(() => ({ ...zwangPage.panels.window }));
    assert.ok(to - from < 0.5 * (end - begin) && from < tapped && to > tapped, `from ${from} to ${to}`);
    await quiet(tab);
});

test('every control is reached by the keyboard and has a name', async () => {
    const tab = await browser.show(real(zwang, 'four_bar'));
    const nameless = await tab.evaluate(() =>
        [...document.querySelectorAll('button, select, input, [tabindex="0"]')]
            .filter(
                (one) =>
                    !one.closest('[hidden]') &&
                    !(one.getAttribute('aria-label') || one.textContent.trim() || one.closest('label')),
            )
            .map((one) => one.outerHTML),
    );
    assert.deepStrictEqual(nameless, []);
    const reached = new Set();
    for (let k = 0; k < 90; k++) {
        await tab.keyboard.press('Tab');
        reached.add(
            await tab.evaluate(
                () => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent,
            ),
        );
    }
    for (const name of [
        'Play (Space)',
        'Time',
        'Forces',
        'Length of the force arrows',
        'Add',
        'New plot',
        'Speed',
        'Copy',
    ])
        assert.ok(reached.has(name), `not reached: ${name}`);
    await tab.keyboard.press('?');
    assert.ok(await tab.locator('dialog.keys').isVisible());
    await tab.keyboard.press('Escape');
    const described = await tab.locator('.stage').getAttribute('aria-label');
    assert.match(described, /^Three coupled cranks: .*3 constraint forces/);
    assert.match(await tab.locator('.plot').first().getAttribute('aria-label'), /^Plot over t: angle from/);
    await quiet(tab);
});

// How well two colours can be told apart, as the guidelines for accessible pages (WCAG) have it.
function contrast(a, b) {
    const light = (colour) =>
        colour
            .map((x) => x / 255)
            .map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
            .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

test('light and dark, by the system and by the switch, always to be read', async () => {
    const page = real(zwang, 'four_bar');
    const colours = (tab) =>
        tab.evaluate(() => {
            const style = getComputedStyle(document.documentElement);
            return Object.fromEntries(
                [
                    'card',
                    'ground',
                    'ink',
                    'soft',
                    'accent',
                    'good',
                    'care',
                    'bad',
                    'good-wash',
                    'care-wash',
                    'bad-wash',
                ].map((name) => [
                    name,
                    [1, 3, 5].map((i) =>
                        parseInt(
                            style
                                .getPropertyValue(`--${name}`)
                                .trim()
                                .replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
                                .slice(i, i + 2),
                            16,
                        ),
                    ),
                ]),
            );
        });
    for (const scheme of ['light', 'dark']) {
        const tab = await browser.show(page, { colorScheme: scheme });
        const seen = await colours(tab);
        for (const [front, back] of [
            ['ink', 'card'],
            ['soft', 'card'],
            ['soft', 'ground'],
            ['accent', 'card'],
            ['good', 'good-wash'],
            ['care', 'care-wash'],
            ['bad', 'bad-wash'],
        ])
            assert.ok(
                contrast(seen[front], seen[back]) >= 4.5,
                `${scheme}: ${front} on ${back}: ${contrast(seen[front], seen[back])}`,
            );
        assert.strictEqual(seen.card[0] < 128, scheme === 'dark');
        await tab.getByRole('button', { name: scheme === 'dark' ? 'Light' : 'Dark', exact: true }).click();
        assert.strictEqual((await colours(tab)).card[0] < 128, scheme === 'light');
        await tab.emulateMedia({ media: 'print' });
        assert.ok(!(await tab.locator('.timeline').isVisible()));
        await quiet(tab);
    }
});

test('on paper there are drawings, light ones, and afterwards all is as it was', async () => {
    for (const name of ['four_bar', 'heavy_top']) {
        const tab = await browser.show(real(zwang, name), { colorScheme: 'dark' });
        await tab.emulateMedia({ media: 'print', colorScheme: 'dark' });
        const seen = await tab.evaluate(() => {
            dispatchEvent(new Event('beforeprint'));
            const drawings = [...document.querySelectorAll('svg.paper')];
            const shown = drawings.map((one) => ({
                paths: one.querySelectorAll('path').length,
                wide: one.getBoundingClientRect().width,
                ground: one.querySelector('rect').getAttribute('fill'),
            }));
            const texts = [...document.querySelectorAll('.stage svg.paper text')].map((one) => one.textContent);
            const canvases = [...document.querySelectorAll('.stage canvas, .plot canvas')].filter(
                (one) => one.getClientRects().length > 0,
            ).length;
            dispatchEvent(new Event('afterprint'));
            return {
                shown,
                texts,
                canvases,
                left: document.querySelectorAll('svg.paper').length,
                plots: zwangPage.panels.list.length,
                theme: document.documentElement.dataset.theme,
            };
        });
        assert.strictEqual(seen.shown.length, seen.plots + 1);
        for (const { paths, wide, ground } of seen.shown)
            assert.ok(
                paths > 2 && wide > 300 && parseInt(ground.slice(1, 3), 16) > 240,
                `${paths} paths, ${wide} wide on ${ground}`,
            );
        const names = namesIn(seen.texts);
        assert.strictEqual(new Set(names).size, names.length, `each text once: ${names}`);
        assert.deepStrictEqual([seen.canvases, seen.left, seen.theme], [0, 0, undefined]);
        await quiet(tab);
    }
});
const namesIn = (texts) => texts.filter((text) => /^[a-z]/.test(text) && !/^[xyz]$/.test(text));

test('it begins to move by itself, but not for those who would rather not', async () => {
    const page = real(zwang, 'four_bar');
    const tab = await browser.show(page, { reducedMotion: 'no-preference' });
    await until(tab, 'zwangPage.clock.t > 0', 'it moves');
    await quiet(tab);
    const still = await browser.show(page, { reducedMotion: 'reduce' });
    await still.waitForTimeout(200);
    assert.strictEqual(await now(still), 0);
    await quiet(still);
});

test('little is enough: no scene, one row, no row, values that are no numbers', async () => {
    const { pack } = require('./page_of_run.js');
    for (const t of [[], [3], [0, 1, 1, 2]]) {
        const data = pack([
            { name: 't', kind: 'time', values: t },
            { name: 'x', kind: 'coordinate', values: t.map((s, i) => (i === 1 ? NaN : i === 2 ? Infinity : s)) },
        ]);
        for (const scene of [
            undefined,
            { dimension: 2, shapes: [{ kind: 'ball', p: [{ c: 1 }, 0], radius: 1 }] },
            {
                dimension: 3,
                shapes: [
                    {
                        kind: 'line',
                        p: [
                            [0, 0, 0],
                            [{ c: 1 }, 0, 0],
                        ],
                    },
                ],
            },
        ]) {
            const tab = await browser.show({ version: '0.1.0', title: '', data, scene });
            await tab.keyboard.press('Space');
            await tab.keyboard.press('ArrowRight');
            await tab.getByRole('button', { name: 'log' }).first().click();
            await tab.getByRole('button', { name: 'Phase plot' }).click();
            await settle(tab);
            await quiet(tab);
        }
    }
});

test('what has no place is not drawn, nor drawn elsewhere', async () => {
    const { pack } = require('./page_of_run.js');
    const t = [0, 1, 2];
    const data = pack([
        { name: 't', kind: 'time', values: t },
        { name: 'gone', kind: 'drawing', values: t.map((s) => (s < 1 ? 0 : NaN)) },
    ]);
    const gone = [{ c: 1 }, 1];
    // the first line ends where the second would begin to be drawn from, had its beginning been ignored
    const shapes_ = [
        {
            kind: 'line',
            p: [
                [0, 0],
                [1, 0],
            ],
            color: 'red',
        },
        { kind: 'line', p: [gone, [1, 1]], color: 'red' },
        { kind: 'polygon', p: [[0, 0.2], gone, [0.8, 0.9]], color: 'red' },
        { kind: 'spring', p: [0, 0.5], q: gone, color: 'red' },
        { kind: 'ball', p: [null, 0.5], radius: 0.1, color: 'red' },
        { kind: 'box', p: gone, angle: 0, sizes: [0.2, 0.2], color: 'red' },
        { kind: 'text', p: gone, text: 'gone' },
    ];
    for (const dimension of [2, 3]) {
        const tab = await browser.show({
            version: '0.1.0',
            title: 'gone',
            data,
            scene: { dimension, shapes: shapes_ },
        });
        const red = async (time) => {
            await setTime(tab, time);
            const clip = await tab.locator('.stage').boundingBox();
            return tab.evaluate(countRed, (await tab.screenshot({ clip })).toString('base64'));
        };
        const all = await red(0),
            left = await red(2);
        assert.ok(
            all > 3 * left && left > 50,
            `${dimension}-D: ${all} pixels with everything, ${left} with one line left`,
        );
        const between = await tab.evaluate(() => {
            const { stage } = zwangPage,
                [x, y] = stage.camera.project(1, 0.5, 0),
                canvas = document.createElement('canvas'),
                context = canvas.getContext('2d');
            [canvas.width, canvas.height] = [stage.camera.width, stage.camera.height];
            context.drawImage(document.querySelector('.picture'), 0, 0, canvas.width, canvas.height);
            const { data } = context.getImageData(x - 4, y - 4, 9, 9);
            return data.some((value, i) => i % 4 === 0 && data[i + 3] > 100 && value > 150 && data[i + 1] < 100);
        });
        assert.strictEqual(between, false, 'a line from the end of the first to the end of the second');
        const text = await tab.evaluate(() => zwangPage.stage.svg());
        assert.ok(!/NaN|Infinity|gone</.test(text.replace(/<title>.*?<\/title>/, '')), text);
        await quiet(tab);
    }
});

// Pixels of a picture that are red.
async function countRed(base64) {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement('canvas'),
        context = canvas.getContext('2d');
    [canvas.width, canvas.height] = [image.width, image.height];
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
        if (data[i] > 100 && data[i + 1] < 0.7 * data[i] && data[i + 2] < 0.7 * data[i]) count++;
    return count;
}

test('a file that is not whole says so', async () => {
    const tab = await browser.show({
        version: '0.1.0',
        title: '',
        data: { type: 'f8', rows: 0, columns: [], base64: '' },
    });
    assert.match(await tab.locator('body').textContent(), /cannot be read/);
    await quiet(tab);
});

test('opens in a second, and is small', async () => {
    const page = real(zwang, 'double_pendulum'),
        times = [];
    for (let k = 0; k < 3; k++) {
        const tab = await browser.show(page);
        times.push(await tab.evaluate(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd));
        await quiet(tab);
    }
    const bytes = require('./page_of_run.js').html({ ...page, data: { ...page.data, base64: '' }, text: '' }).length;
    console.log(
        `# the double pendulum opens in ${Math.min(...times).toFixed(0)} ms; a page without its data has ${bytes} bytes`,
    );
    assert.ok(Math.min(...times) < 1000 && bytes < 200_000);
});
