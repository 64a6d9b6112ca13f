// Pictures of pages for the documents:
//
//     node tests/web/screenshots.js build/zwang docs/pictures
//
// Each model is run by the command from its own folder, so that the page names it as a reader would.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { Browser, settle } = require('./browser.js');
const { root } = require('./page_of_run.js');

const WIDE = { width: 1280, height: 800 },
    NARROW = { width: 390, height: 844 };
// name, time, window, light or dark
const PICTURES = [
    ['bicycle', 1.4, WIDE, 'light'],
    ['double_pendulum', 2.25, WIDE, 'light'],
    ['walking_linkage', 1.02, WIDE, 'light'],
    ['walking_machine', 4.6, WIDE, 'light'],
    ['net', 0.8, WIDE, 'dark'],
    ['gyroscope', 1, WIDE, 'dark'],
    ['scissor', 1, WIDE, 'light'],
    ['tippe_top', 6.5, NARROW, 'light'],
    ['newton_cradle', 0.3, NARROW, 'dark'],
];

async function take(browser, zwang, [name, t, viewport, colorScheme], page, out) {
    const run = spawnSync(zwang, ['run', `${name}.zw`, '-q', '-o', os.devNull, '--report', page], {
        cwd: path.join(root, 'models'),
        encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`${name}: ${run.stderr}`);
    const tab = await browser.open(page, { viewport, colorScheme });
    await tab.evaluate((time) => zwangPage.clock.set(time), t);
    await settle(tab);
    await tab.waitForTimeout(300);
    await tab.screenshot({ path: path.join(out, `${name}.png`) });
    await tab.context().close();
}

async function main([zwang, out]) {
    if (!out) throw new Error('usage: screenshots.js ZWANG FOLDER');
    fs.mkdirSync(out, { recursive: true });
    const browser = await Browser.start(),
        page = path.join(browser.folder, 'page.html');
    try {
        for (const picture of PICTURES) await take(browser, path.resolve(zwang), picture, page, out);
    } finally {
        await browser.close();
    }
}

main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
});
