// Contacts in the pages that the command writes: their places, what they do, their forces, cones of friction, and the
// strips of time. Numbers are compared with closed forms, or with a run of its own.
//
//     node tests/web/contact_test.js build/zwang
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
let browser, folder;
before(async () => {
    browser = await Browser.start();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-contact-'));
});
after(async () => {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
});

function pageOf(model, ...words) {
    const page = path.join(folder, `${path.basename(model, '.zw')}${words.length}.html`);
    const run = spawnSync(zwang, ['run', model, '-q', '-o', os.devNull, '--report', page, ...words], {
        encoding: 'utf8',
    });
    assert.strictEqual(run.status, 0, run.stderr);
    return page;
}
const gallery = (name) => path.join(root, 'models', `${name}.zw`);

function written(name, text) {
    const file = path.join(folder, `${name}.zw`);
    fs.writeFileSync(file, text);
    return file;
}

const at = async (tab, t) => {
    await tab.evaluate((time) => zwangPage.clock.set(time), t);
    await settle(tab);
    return tab.evaluate(() => zwangPage.shownContacts());
};
const near = (a, b, off, what) =>
    assert.ok(Math.hypot(...a.map((x, i) => x - b[i])) <= off, `${what}: ${a} instead of ${b}`);
const words = (tab) =>
    tab.evaluate(() =>
        Object.fromEntries(
            [...document.querySelectorAll('.contacts li')].map((row) => [
                row.querySelector('code').textContent,
                row.querySelector('.doing').textContent,
            ]),
        ),
    );

// The tip of the whole force lies in the base of the cone; how far out, as a part of its radius.
function tipOf({ cone }) {
    const away = (a, b) => Math.hypot(...a.map((x, i) => x - b[i])),
        radius = away(cone.rim[0], cone.base);
    for (const point of cone.rim) assert.ok(Math.abs(away(point, cone.base) - radius) < 1e-9 * radius);
    return away(cone.tip, cone.base) / radius;
}

// ------------------------------------------------------------------------- gallery

test('rocking_block: on which edge it stands, and the force in its cone', async () => {
    const tab = await browser.open(pageOf(gallery('rocking_block')));
    for (const t of [0.2, 0.6, 1.2]) {
        const [left, right] = await at(tab, t),
            th = await tab.evaluate(() =>
                zwangPage.columns.value(zwangPage.columns.find('th'), zwangPage.columns.moment(zwangPage.clock.t)),
            );
        const [stands, lifted] = th > 0 ? [left, right] : [right, left];
        assert.deepStrictEqual([stands.doing, lifted.doing], ['sticks', 'open'], `at ${t}`);
        near(stands.place.slice(1), [0, 0], 1e-9, 'the edge is on the floor');
        near([lifted.place[1]], [0.2 * Math.abs(Math.sin(th))], 1e-9, 'the other is up');
        assert.ok(stands.normal[1] > 8 && Math.abs(stands.normal[0]) < 1e-12);
        assert.strictEqual(stands.slope, 1);
        const out = tipOf(stands);
        assert.ok(out > 0.01 && out < 0.99, `it does not slip: ${out}`);
        assert.ok(Math.abs(out - Math.abs(stands.friction[0] / stands.normal[1])) < 1e-9);
        const said = await words(tab);
        assert.match(said[stands.name], /^sticks, \d+(\.\d+)? %$/);
        assert.strictEqual(said[lifted.name], 'open');
    }
    const [left, right] = await at(tab, 7);
    near([...left.normal, ...right.normal], [0, 4.905, 0, 0, 4.905, 0], 1e-8, 'it stands on both');
    await quiet(tab);
});

test('ladder: wall and floor, each where it touches', async () => {
    const tab = await browser.open(pageOf(gallery('ladder')));
    const [bottom, wall] = await at(tab, 0.2);
    assert.deepStrictEqual([bottom.doing, wall.doing], ['slides', 'touches']);
    near([wall.place[0], bottom.place[1]], [0, 0], 1e-9, 'on the wall, on the floor');
    assert.ok(wall.normal[0] > 20 && Math.abs(wall.normal[1]) < 1e-9 && bottom.normal[1] > 50);
    assert.strictEqual(bottom.cone, undefined, 'without friction there is no cone');
    const later = await at(tab, 0.9);
    assert.deepStrictEqual(
        later.map(({ doing }) => doing),
        ['slides', 'open', 'open'],
    );
    const end = await at(tab, 1.5);
    assert.deepStrictEqual(
        end.map(({ doing }) => doing),
        ['slides', 'open', 'touches'],
    );
    await quiet(tab);
});

test('ladder with friction: it stays, the force inside of its cone', async () => {
    const tab = await browser.open(pageOf(gallery('ladder'), '--set', 'mu=0.5'));
    const [bottom, wall] = await at(tab, 1),
        push = (10 * 9.81) / (2 * Math.tan(1.2)); // of the wall, by moments about the foot
    assert.strictEqual(bottom.doing, 'sticks');
    near(bottom.normal, [0, 98.1, 0], 1e-8, 'floor');
    near(bottom.friction, [-push, 0, 0], 1e-8, 'friction');
    near(wall.normal, [push, 0, 0], 1e-8, 'wall');
    assert.ok(Math.abs(tipOf(bottom) - push / (0.5 * 98.1)) < 1e-8);
    await quiet(tab);
});

test('bowling_ball: a cone in space, on whose rim the force is until it rolls', async () => {
    const tab = await browser.open(pageOf(gallery('bowling_ball')));
    assert.ok(await tab.evaluate(() => zwangPage.stage.usesWebGL));
    const [slides] = await at(tab, 1);
    assert.deepStrictEqual([slides.name, slides.doing], ['lane', 'slides']);
    near(slides.normal, [0, 0, 68.67], 1e-8, 'weight');
    near(slides.friction, [-0.15 * 68.67, 0, 0], 1e-8, 'mu times it');
    assert.ok(slides.cone.rim.length > 20 && Math.abs(tipOf(slides) - 1) < 1e-9);
    const [rolls] = await at(tab, 2.5);
    assert.strictEqual(rolls.doing, 'sticks');
    assert.ok(tipOf(rolls) < 1e-6);
    // when it begins to roll is known to all digits, though rows are 0.01 apart
    const change = await tab.evaluate(() => zwangPage.contacts.stories[0].stretches.map(({ from }) => from));
    assert.ok(Math.abs(change[1] - (2 * 8) / (7 * 0.15 * 9.81)) < 1e-7, String(change));
    await quiet(tab);
});

test('five_blocks: ten corners, shares by the balance of moments', async () => {
    const tab = await browser.open(pageOf(gallery('five_blocks'))),
        list = await at(tab, 50);
    assert.strictEqual(list.length, 10);
    for (const contact of list) {
        const [, side, i] = /^below_(left|right)\[(\d)\]$/.exec(contact.name),
            sign = side === 'left' ? -1 : 1,
            above = (6 - i) * 9.81,
            height = 0.9 - 0.2 * (i - 1);
        assert.strictEqual(contact.doing, 'sticks');
        near(contact.place, [0.2 * sign, 0.2 * (i - 1), 0], 1e-12, contact.name);
        near([contact.normal[1]], [above / 2 + (sign * height) / 0.4], 1e-7, contact.name);
        assert.ok(tipOf(contact) < 1, contact.name);
    }
    await quiet(tab);
});

// -------------------------------------------------------------------- other models

const DROP = `model "Drop"
coord x, y
param g = 9.81, mu = 0.25
kinetic (x'^2 + y'^2)/2
potential g*y
constraint below: y >= 0.5
friction below: mu along x
restitution below: 0.5
start x = 0, y = 1, x' = 1
draw line([-1, 0], [3, 0])
draw ball([x, y], 0.5)
simulate t = 0..4, tol = 1e-10, every = 0.05
`;

test('a ball touches below its middle; impacts are marks in its strip', async () => {
    const tab = await browser.open(pageOf(written('drop', DROP)));
    const [ball] = await at(tab, 4);
    near(ball.place.slice(1), [0, 0], 1e-9, 'below the middle');
    near(ball.normal, [0, 9.81, 0], 1e-9, 'weight');
    const story = await tab.evaluate(() => zwangPage.contacts.stories[0]);
    assert.ok(Math.abs(story.impacts[0] - Math.sqrt(1 / 9.81)) < 1e-8);
    assert.ok(Math.abs(story.impacts[1] - 2 * Math.sqrt(1 / 9.81)) < 1e-8);
    await quiet(tab);
});

test('places that nothing tells are listed, and said with draw contact', async () => {
    const angle = `model "Stop"
coord a
kinetic a'^2/2
potential 9.81*sin(a)
constraint below: sin(a) >= 0
friction below: 0.3 along cos(a)
start a = 1
draw line([0, 0], [cos(a), sin(a)])
simulate t = 0..1, every = 0.1
`;
    const silent = await browser.open(pageOf(written('silent', angle)));
    assert.deepStrictEqual(await at(silent, 1), []);
    assert.deepStrictEqual(Object.keys(await words(silent)), ['below']);
    assert.ok((await silent.getByText('not known').count()) > 0);
    await quiet(silent);
    const said = angle.replace('simulate', 'draw contact(below, [cos(a), sin(a)], [0, 1], [1, 0])\nsimulate');
    const tab = await browser.open(pageOf(written('said', said)));
    const [tip] = await at(tab, 1);
    near(tip.place, [1, 0, 0], 1e-7, 'the tip');
    near(tip.normal, [0, 9.81, 0], 1e-6, 'the floor carries it');
    await quiet(tab);
});

// ------------------------------------------------------------------------ the page

test('contacts are a layer: a key, a button, and its legend', async () => {
    const tab = await browser.open(pageOf(gallery('rocking_block')));
    await at(tab, 0.3);
    const ink = () =>
        tab.evaluate(() => {
            const canvas = document.querySelector('.overlay'),
                { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return data.reduce((sum, x, i) => sum + (i % 4 === 3 && x > 0 ? 1 : 0), 0);
        });
    const button = tab.getByRole('button', { name: 'Contacts', exact: true }),
        shown = await ink();
    assert.strictEqual(await button.getAttribute('aria-pressed'), 'true');
    for (const word of ['open', 'sticks', 'cone of friction'])
        assert.ok((await tab.locator('.motion .legend').textContent()).includes(word), word);
    await tab.keyboard.press('c');
    await settle(tab);
    assert.strictEqual(await button.getAttribute('aria-pressed'), 'false');
    assert.ok((await ink()) < 0.5 * shown, 'it is gone');
    await button.click();
    await settle(tab);
    assert.ok(Math.abs((await ink()) - shown) < 0.02 * shown, 'and back');
    assert.ok((await tab.evaluate(() => zwangPage.stage.svg())).includes('>sticks<'), 'in the SVG, too');
    await quiet(tab);
});

test('a strip sets the time: by the hand, and by keys from change to change', async () => {
    const tab = await browser.open(pageOf(gallery('ladder')));
    const strip = tab.getByRole('slider', { name: 'wall over time' }),
        now = () => tab.evaluate(() => zwangPage.clock.t);
    await strip.scrollIntoViewIfNeeded();
    const box = await strip.boundingBox();
    await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs((await now()) - 1) < 0.01);
    await tab.evaluate(() => zwangPage.clock.set(0));
    await strip.focus();
    await tab.keyboard.press('ArrowRight');
    const leaves = await now(),
        [from] = await tab.evaluate(() => zwangPage.contacts.stories[1].stretches.slice(1).map((one) => one.from));
    assert.strictEqual(leaves, from);
    assert.strictEqual((await words(tab)).wall, 'open');
    assert.match(await strip.getAttribute('aria-valuetext'), /^open from 0\.7/);
    await tab.keyboard.press('ArrowLeft');
    assert.strictEqual(await now(), 0);
    await quiet(tab);
});

test('words of contacts have their colour in their own statements, elsewhere they are names', async () => {
    const tab = await browser.open(pageOf(gallery('ladder')));
    const lines = await tab.evaluate(() =>
        [...document.querySelectorAll('.code-line')].map((line) => [
            line.textContent.trim(),
            [...line.querySelectorAll('.code-word')].map((word) => word.textContent),
        ]),
    );
    const wordsOf = (begin) => lines.find(([text]) => text.startsWith(begin))[1];
    assert.deepStrictEqual(wordsOf('friction bottom'), ['friction', 'along']);
    assert.deepStrictEqual(wordsOf('output along'), ['output']);
    await quiet(tab);
});

test('words of inputs, data and motors have their colour in their own statements', async () => {
    const tab = await browser.open(
        pageOf(written('words',
            [
                'input u = 0, by = 1',
                'coord x, within',
                "kinetic x'^2 + within'^2",
                'force x: u*by - within',
                'control go: x = sin(t) by x within -20..20 weight 2',
                'output data = x*within',
                'simulate t = 0..1',
            ].join('\n'),
        )),
    );
    const lines = await tab.evaluate(() =>
        [...document.querySelectorAll('.code-line')].map((line) =>
            [...line.querySelectorAll('.code-word')].map((word) => word.textContent),
        ),
    );
    assert.deepStrictEqual(lines, [
        ['input'],
        ['coord'],
        ['kinetic'],
        ['force'],
        ['control', 't', 'by', 'within', 'weight'],
        ['output'],
        ['simulate', 't'],
    ]);
    await quiet(tab);
});

for (const [width, height] of [
    [400, 700],
    [1600, 1000],
])
    for (const colorScheme of ['light', 'dark'])
        test(`nothing is wider than a window of ${width}, ${colorScheme}`, async () => {
            const tab = await browser.open(pageOf(gallery('five_blocks')), {
                viewport: { width, height },
                colorScheme,
            });
            await at(tab, 50);
            const seen = await tab.evaluate(() => ({
                wide: document.documentElement.scrollWidth,
                strips: [...document.querySelectorAll('.strip')].map((one) => one.clientWidth),
                painted: [...document.querySelectorAll('.strip canvas')].every((canvas) => {
                    const { data } = canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1);
                    return data[3] === 255;
                }),
            }));
            assert.ok(seen.wide <= width, `${seen.wide}`);
            assert.ok(seen.strips.length === 10 && seen.strips.every((one) => one > 100), String(seen.strips));
            assert.ok(seen.painted, 'every strip has its colour');
            await quiet(tab);
        });
