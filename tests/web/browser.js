// A browser without a window for the tests of the page, and what is asked of every page: no error, no word
// on the console, nothing fetched.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const assert = require('assert');
const { pathToFileURL } = require('url');
const { html, root } = require('./page_of_run.js');

const ARGUMENTS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

function program() {
    const named = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['chromium', 'chromium-browser', 'google-chrome'];
    const folders = ['', ...(process.env.PATH ?? '').split(':')];
    const found = named
        .flatMap((name) => folders.map((folder) => path.join(folder, name)))
        .find((file) => fs.existsSync(file));
    if (!found) throw new Error('there is no chromium here');
    return found;
}

class Browser {
    static async start() {
        const { chromium } = require(path.join(root, 'web', 'node_modules', 'playwright-core'));
        const made = new Browser();
        made.browser = await chromium.launch({ executablePath: program(), args: ARGUMENTS });
        made.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-web-'));
        made.count = 0;
        return made;
    }

    async close() {
        await this.browser.close();
        fs.rmSync(this.folder, { recursive: true });
    }

    // Opens the page in a window; options as Playwright has them, {before} is run in it before anything else.
    async show(page, options = {}) {
        const file = path.join(this.folder, `page ${this.count++}.html`);
        fs.writeFileSync(file, html(page));
        return this.open(file, options);
    }

    // The same for a page that is a file already.
    async open(file, options = {}) {
        const { before, ...context } = options;
        const made = await this.browser.newContext({
            viewport: { width: 1280, height: 800 },
            reducedMotion: 'reduce',
            ...context,
        });
        const tab = await made.newPage();
        tab.faults = [];
        tab.on('console', (message) => {
            if (!message.text().includes('willReadFrequently')) tab.faults.push(`console: ${message.text()}`); // it is we who read
        });
        tab.on('pageerror', (error) => tab.faults.push(`error: ${error.stack}`));
        tab.on('request', (request) => {
            if (!/^(file|data|blob):/.test(request.url())) tab.faults.push(`request: ${request.url()}`);
        });
        if (before) await tab.addInitScript(before);
        await tab.goto(String(pathToFileURL(file)));
        await settle(tab);
        return tab;
    }
}

// Two frames later everything that was asked for is drawn. (No waitForFunction: the page forbids eval.)
const settle = (tab) =>
    tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

// Ends with a page: it must have been quiet.
async function quiet(tab) {
    assert.deepStrictEqual(tab.faults, []);
    await tab.context().close();
}

// Tries `look` until it gives something true.
async function until(tab, look, what) {
    for (let k = 0; k < 100; k++) {
        if (await tab.evaluate(look)) return;
        await tab.waitForTimeout(50);
    }
    assert.fail(`not seen: ${what}`);
}

module.exports = { Browser, settle, quiet, until };
