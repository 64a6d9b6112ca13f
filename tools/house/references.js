// Files and documents that comments and documents name, and whether they exist.
//
//     text.h, test_*.c             a file of that name, anywhere
//     base/text.h                  one whose folders include these, in this order
//     include/zwang.h              exactly that one, as it begins with a folder of the top
//     docs/CLI.md, CLI.md          a document
//     THEORY, THEORY: Start        docs/THEORY.md, with a heading that begins so
//     NAME 3                       a document in capitals, with a heading `## 3 ...`
'use strict';
const path = require('path');

// What is not ours and is meant all the same. A file whose name is in capitals (NAME.c) is any file.
const FOREIGN_NAMES = new Set(['NAME', 'RFC', 'METIS', 'SUNDIALS', 'TOMS', 'LSODA', 'FMI', 'FMU']);
const FOREIGN_FILES = new Set(['metis.h', 'math.h']);
const ANY_FILE = /^[A-Z]+(_none)?\.[ch]$/;
const TOP = ['src', 'cli', 'fmi', 'include', 'tests', 'bench', 'examples', 'tools', 'docs', 'cmake', 'models', 'lib'];

const FILE = /(?<![\w$%/.*{}<-])((?:[\w*-]+\/)*[\w*-]+\.(?:c|h|md))(?![\w*({[-]|\.\w)/g;
const SECTION = /(?<![\w.$])([A-Z]{3,})\s+(\d+(?:\.\d+)?)(?![\w.]*\w)/g;
const TITLED = /(?<![\w.$])([A-Z]{3,})(?:: ([A-Z][a-z]{3,})|(?=[\s),.;]))/g;

// Comments of a file as {line, text}: what stands there for people.
function prose(tree, file) {
    const text = tree.text(file);
    if (/\.[ch]$/.test(file))
        return tree.source(file).comments.map((comment) =>
            ({ line: comment.line, text: comment.text.replace(/\n\s*\*(?!\/)/g, '\n') }));
    const lines = text.split('\n'), node = /\.js$/.test(file) || /^#!.*node/.test(lines[0]);
    const whole = /\.md$/.test(file), found = [];
    let fenced = false;
    lines.forEach((line, i) => {
        if (whole && /^\s*(```|~~~)/.test(line)) fenced = !fenced;
        const comment = node ? /^\s*\/\/.*/ : /(^|\s)#+ .*/;
        const shown = whole ? (fenced ? '' : line) : (comment.exec(line) || [''])[0];
        if (shown !== '') found.push({ line: i + 1, text: shown });
    });
    return found;
}

function exists(tree, name) {
    const parts = name.split('/'), base = parts.pop();
    const pattern = new RegExp(`^${base.replace(/[.]/g, '\\.').replace(/\*/g, '.*')}$`);
    const candidates = base.includes('*') ? tree.files.filter((file) => pattern.test(path.posix.basename(file)))
        : tree.named.get(base) || [];
    if (parts.length === 0) return candidates.length > 0;
    const exact = TOP.includes(parts[0]);
    return candidates.some((file) => {
        const folders = file.split('/').slice(0, -1);
        if (exact) return folders.join('/') === parts.join('/');
        let at = 0;
        for (const folder of folders) if (folder === parts[at]) at++;
        return at === parts.length;
    });
}

function headings(tree, document) {
    return tree.text(document).split('\n').filter((line) => /^#+ /.test(line)).map((line) => line.replace(/^#+ /, ''));
}

const documentOf = (tree, name) => tree.files.find((file) => file === `docs/${name}.md` || file === `${name}.md`);

function checkSection(tree, name, number) {
    const document = documentOf(tree, name);
    if (!document) return `${name} ${number}: there is no docs/${name}.md`;
    const start = new RegExp(`^${number.replace('.', '\\.')}[. ]`);
    const found = headings(tree, document).some((title) => start.test(title));
    return found ? undefined : `${name} ${number}: ${document} has no section ${number}`;
}

function checkTitle(tree, name, title) {
    const document = documentOf(tree, name);
    if (!document || title === undefined) return undefined; // capitals alone may mean anything
    const titles = headings(tree, document).map((line) => line.toLowerCase().replace(/^[\d.]+ /, ''));
    const found = titles.some((line) => line.startsWith(title.toLowerCase()));
    return found ? undefined : `${name}: ${title}: ${document} has no section that begins so`;
}

// What does not exist: {line, what}.
function dangling(tree, file) {
    const found = [];
    for (const piece of prose(tree, file)) {
        const lineOf = (at) => piece.line + piece.text.slice(0, at).split('\n').length - 1;
        const add = (match, what) => what && found.push({ line: lineOf(match.index), what });
        for (const match of piece.text.matchAll(FILE)) {
            const known = FOREIGN_FILES.has(match[1]) || ANY_FILE.test(match[1]) || exists(tree, match[1]);
            add(match, known ? undefined : `${match[1]}: no such file`);
        }
        for (const match of piece.text.matchAll(SECTION))
            if (!FOREIGN_NAMES.has(match[1])) add(match, checkSection(tree, match[1], match[2]));
        for (const match of piece.text.matchAll(TITLED)) add(match, checkTitle(tree, match[1], match[2]));
    }
    return found;
}

module.exports = { dangling };
