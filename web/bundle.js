// Bundles the pages: src/page.ts and page.css become dist/page.js and dist/page.css, of sweeps likewise.
//
//     node bundle.js            checks the types and writes dist
//     node bundle.js --check    status 1 if what would be written is not what is there
//
// `./dev web` runs it, once what the lock file names is there. The same sources give the same bytes.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const LARGEST = 200_000; // bytes of a page without its data
const LICENCES = `page.js, page.css, sweep.js and sweep.css hold no library: all of it is Zwang's own, under the licence in the file LICENSE of
its repository (MIT). What they are made with, esbuild (MIT) and TypeScript (Apache-2.0), leaves nothing in them.
`;

// Types are TypeScript's business, esbuild only takes them away.
function checkTypes() {
    const compiler = path.join(here, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status } = spawnSync(process.execPath, [compiler, '-p', here], { stdio: 'inherit' });
    if (status !== 0) process.exit(1);
}

// The page of a run, or of a sweep: NAME.js and NAME.css.
async function bundled(name) {
    const options = {
        bundle: true,
        minify: true,
        write: false,
        legalComments: 'none',
        logLevel: 'error',
        charset: 'utf8',
        absWorkingDir: here,
    };
    const script = await build({
        ...options,
        entryPoints: [`src/${name}.ts`],
        format: 'iife',
        target: 'es2022',
        metafile: true,
    });
    const style = await build({
        ...options,
        entryPoints: [`src/${name}.css`],
        target: ['chrome111', 'firefox113', 'safari16.4'],
    });
    const foreign = Object.keys(script.metafile.inputs).filter((file) => file.includes('node_modules'));
    if (foreign.length > 0) throw new Error(`LICENSES.txt does not know of ${foreign.join(', ')}`);
    // neither may end the element that it is put into
    const text = script.outputFiles[0].text.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
    return { [`${name}.js`]: text, [`${name}.css`]: style.outputFiles[0].text };
}

checkTypes();
const files = { ...(await bundled('page')), ...(await bundled('sweep')), 'LICENSES.txt': LICENCES };
const size = files['page.js'].length + files['page.css'].length;
if (size > LARGEST) throw new Error(`the page has ${size} bytes, more than ${LARGEST}`);
fs.mkdirSync(path.join(here, 'dist'), { recursive: true });
for (const [name, text] of Object.entries(files)) {
    const file = path.join(here, 'dist', name),
        there = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    if (text === there) continue;
    if (process.argv.includes('--check')) {
        console.error(`web/dist/${name} is not what web/src makes: run ./dev web`);
        process.exitCode = 1;
    } else {
        fs.writeFileSync(file, text);
        console.log(`web/dist/${name}: ${text.length} bytes`);
    }
}
