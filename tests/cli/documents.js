// Runs what a document shows and compares.
//
//     node documents.js DOCUMENT FOLDER [BASE]
//
// ZWANG in the environment is the command. FOLDER is an empty folder in which everything happens, in
// the order of the document; links are looked up from BASE, the document's own folder at first. The
// last line printed counts what was tried. The word behind the fence says what a block is:
//
//   zwang            a whole model: checked and run (to its own end, or for a tenth of a second)
//   zwang FILE.zw    the same, and kept under this name for the commands that follow
//   zwang >>FILE.zw  lines that the reader adds to that file; then as above
//   zwang wrong ...  a model that `check` must refuse; what it says is shown by a command after it
//   console          lines `$ COMMAND` (with here-documents), each followed by all that it prints
//   sh               commands that succeed; what they print is not shown
//   c                a C file that compiles without warnings
//   python           Python, all blocks of the document one program; run at the end, if ZWANG_PYTHON says by whom
//   printed          what the block of Python before it prints
//   text             not code: formulas, patterns
//
// A comment <!-- with ... --> on the lines before a fragment stands before it, so that it is a whole
// model. In models `output NAME = E   # = VALUE` claims a value at the start.
//
// What a command prints: words are the same, numbers agree to 1e-9 of the larger one or 1e-12. `...` alone
// in a line stands for any number of lines, behind a number with a point for more digits, else for anything. In a verdict, which begins with a
// line `FILE: t = ...`, numbers and the names of the worst rows are free, they belong to one machine
// and one moment; energies and works agree to 1e-4. A status other than 0 must be shown, by
// `$ echo $?` as the next command. Each shown line is also spoiled, which must be seen.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

const [file, folder, base = path.dirname(file)] = process.argv.slice(2);
const zwang = process.env.ZWANG;
const source = fs.readFileSync(file, 'utf8').split('\n');
const counts = { models: 0, commands: 0, lines: 0, values: 0, python: 0 };

function fail(line, text) {
    console.log(`${file}:${line}: ${text}`);
    process.exit(1);
}

// ---------------------------------------------------------------------------------------- comparing

const number = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/;
const token = new RegExp(`-?\\d+\\.\\d+\\.\\.\\.|\\.\\.\\.|${number.source}|[^]`, 'gu');
const tokens = (line) => line.match(token) || [];
const isNumber = (word) => word !== undefined && number.test(word);
const decimals = (word) => /\.(\d+)\.\.\.$/.exec(word)?.[1].length;      // of a number whose digits go on

// free: how a line of a verdict is compared.
function kind(line, verdict) {
    if (!verdict) return { rel: 1e-9, abs: 1e-12 };
    if (/^(energy| {2}work)/.test(line)) return { rel: 1e-4, abs: 1e-6 };
    return { rel: Infinity, abs: Infinity };
}

const near = (a, b, { rel, abs }) => rel === Infinity ||
    Math.abs(a - b) <= Math.max(abs, rel * Math.max(Math.abs(a), Math.abs(b)));

// The number s is shown, p is printed.
function numbers(s, p, tolerance) {
    const digits = decimals(s), a = parseFloat(s), b = Number(p);
    return digits === undefined ? near(a, b, tolerance) : Math.abs(a - b) <= 10 ** -digits;
}

function plain(line, verdict) {
    return verdict ? line.replace(/[\d.]+ (µs|ms|s)$/, '0 s').replace(/\(`[^`]*`/g, '(`x`') : line;
}

// alike(s, p): do the tokens match, `...` standing for any?
function alike(s, p, tolerance) {
    let i = 0, j = 0, star = -1, mark = 0;
    while (j < p.length) {
        if (i < s.length && s[i] === '...') { star = i++; mark = j; continue; }
        const same = i < s.length && (isNumber(s[i]) && isNumber(p[j])
            ? numbers(s[i], p[j], tolerance) : s[i] === p[j]);
        if (same) { i++; j++; continue; }
        if (star < 0) return false;
        i = star + 1;
        j = ++mark;
    }
    while (i < s.length && s[i] === '...') i++;
    return i === s.length;
}

// differs(shown, printed): null, or what is wrong and in which shown line.
function differs(shown, printed) {
    let verdict = false, at = 0;
    const matches = (line, other) => alike(tokens(plain(line, verdict)), tokens(plain(other, verdict)), kind(line, verdict));
    for (let k = 0; k < shown.length; k++) {
        verdict = verdict || /^[^ ]+: t = /.test(shown[k]);
        if (shown[k].trim() === '...') {
            const next = shown[k + 1];
            while (at < printed.length && !(next !== undefined && matches(next, printed[at]))) at++;
            continue;
        }
        if (at < printed.length && matches(shown[k], printed[at])) { at++; continue; }
        return { k, text: `shown:   ${shown[k]}\nprinted: ${printed[at] === undefined ? '(nothing more)' : printed[at]}` };
    }
    return at < printed.length ? { k: shown.length - 1, text: `not shown: ${printed[at]}` } : null;
}

// spoils(shown, k): the lines with one mistake in line k, several ways.
function spoils(shown, k) {
    const verdict = shown.slice(0, k + 1).some((line) => /^[^ ]+: t = /.test(line));
    const free = kind(shown[k], verdict).rel === Infinity;
    const wrong = [shown[k].replace(/\S/, ''), `${shown[k]}x`];
    const words = tokens(shown[k]);
    const last = words.map(isNumber).lastIndexOf(true);
    if (!free && !verdict && last >= 0) {
        const digits = decimals(words[last]), value = parseFloat(words[last]);
        words[last] = digits === undefined ? String(value * 1.001 + 0.00137)
            : `${(value + 3 * 10 ** -digits).toFixed(digits)}...`;
        wrong.push(words.join(''));
    }
    return wrong.map((line) => shown.map((old, i) => i === k ? line : old));
}

function compare(shown, printed, line, command) {
    const wrong = differs(shown, printed);
    if (wrong) fail(line + wrong.k, `${command}\n${wrong.text}`);
    for (let k = 0; k < shown.length; k++) {
        if (shown[k].trim() === '...' || /^\s*$/.test(shown[k])) continue;
        counts.lines++;
        for (const spoiled of spoils(shown, k)) {
            if (!differs(spoiled, printed)) fail(line + k, `a mistake would not be seen: ${spoiled[k]}`);
        }
    }
}

// ------------------------------------------------------------------------------------------ running

// `zwang` and `build/zwang` are the command under test
for (const place of ['bin', 'build']) {
    fs.mkdirSync(path.join(folder, place), { recursive: true });
    fs.symlinkSync(path.resolve(zwang), path.join(folder, place, 'zwang'));
}
const environment = { ...process.env, PATH: `${path.resolve(folder, 'bin')}:${process.env.PATH}` };

function run(program, args) {
    const out = spawnSync(program, args, { cwd: folder, env: environment, encoding: 'utf8', timeout: 120000, maxBuffer: 1 << 26 });
    return { status: out.status, stdout: out.stdout || '', stderr: out.stderr || String(out.error || '') };
}

function needs(line, out, good, command) {
    if (!good) fail(line, `${command}\nstatus ${out.status}\n${out.stdout.slice(0, 2000)}${out.stderr.slice(0, 4000)}`);
}

const split = (text) => text === '' ? [] : text.replace(/\n$/, '').split('\n');
// What is said on the way after a second or more: a slow machine says it, a fast one does not.
const progress = /^zwang: (t = \S+ of \S+, \S+ steps\/s|\S+ of \S+ runs, \S+ a second), .+ left/;

let status = 0, unshown = 0;

function shell(command, shown, line) {
    if (unshown && command.trim() !== 'echo $?') fail(line, `the status ${status} of line ${unshown} is not shown by echo $?`);
    const out = run('bash', ['-c', `(exit ${status}); ${command}`]);
    status = out.status;
    unshown = status === 0 ? 0 : line;
    counts.commands++;
    compare(shown, split(out.stdout).concat(split(out.stderr).filter((text) => !progress.test(text))), line + 1, command);
}

// console: lines `$ ...` with what follows them; a here-document belongs to its command.
function console_block(lines, line) {
    if (!/^\$ /.test(lines[0])) fail(line, 'a console block begins with a command');
    let k = 0;
    while (k < lines.length) {
        const from = k;
        let command = lines[k++].slice(2);
        const here = /<<'?(\w+)'?/.exec(command);
        while (/\\$/.test(lines[k - 1]) && k < lines.length) command += `\n${lines[k++]}`;
        if (here) {
            do command += `\n${lines[k]}`; while (k < lines.length && lines[k++] !== here[1]);
        }
        const shown = [];
        while (k < lines.length && !/^\$ /.test(lines[k])) shown.push(lines[k++]);
        shell(command, shown, line + from + (command.split('\n').length - 1));
    }
}

// Values claimed by `output NAME = E  # = VALUE`.
function values(name, text, line) {
    const claims = [...text.matchAll(/^\s*output\s+(\w+)\s*=[^#\n]*#\s*=\s*(.+)$/gm)];
    if (claims.length === 0) return;
    const args = ['run', '-q', '--at', '0', '--columns', claims.map((c) => c[1]).join(','), name];
    const out = run(zwang, args);
    needs(line, out, out.status === 0, args.join(' '));
    const [header, row] = split(out.stdout).map((text) => text.split(','));
    for (const [, output, claim] of claims) {
        if (!/^[-+*/^.,()[\]\s\dA-Za-z]+$/.test(claim)) fail(line, `not a value: ${claim}`);
        const names = Object.getOwnPropertyNames(Math);
        const value = new Function(...names, 'pi', `return (${claim})`)(...names.map((n) => Math[n]), Math.PI);
        const want = [value].flat(Infinity);
        const got = header.map((h, i) => h === output || h.startsWith(`${output}[`) ? Number(row[i]) : null).filter((v) => v !== null);
        if (got.length !== want.length || !got.every((v, i) => near(v, want[i], { rel: 1e-9, abs: 1e-12 }))) {
            fail(line, `${output} is ${got.join(', ')}, shown as ${claim}`);
        }
        counts.values++;
    }
}

function model_block(words, lines, line, before) {
    const wrong = words.includes('wrong');
    const target = words.find((word) => word.endsWith('.zw')) || `line_${line}.zw`;
    const name = target.replace(/^>>/, '');
    const place = path.join(folder, name);
    if (words.some((word) => word !== 'wrong' && word !== target)) fail(line, `what is ${words.join(' ')}?`);
    const old = target.startsWith('>>') ? fs.readFileSync(place, 'utf8') : '';
    const text = `${old}${before}${lines.join('\n')}\n`;
    fs.writeFileSync(place, text);
    counts.models++;
    const checked = run(zwang, ['check', name]);
    needs(line, checked, checked.status === (wrong ? 1 : 0), `zwang check ${name}`);
    if (wrong) return;
    values(name, text, line);
    const args = ['run', name, '-o', 'rows.csv'].concat(/^\s*simulate/m.test(text) ? [] : ['--until', '0.1']);
    const out = run(zwang, args);
    needs(line, out, out.status === 0 && /^trust +ok/m.test(out.stderr), args.join(' '));
}

// With the name of a file it is kept there.
function c_block([file = 'block.c'], lines, line) {
    fs.writeFileSync(path.join(folder, file), `${lines.join('\n')}\n`);
    const include = path.join(__dirname, '../../include');
    const args = ['-std=c11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', `-I${include}`, file];
    const out = run('cc', args);
    needs(line, out, out.status === 0, `cc ${args.join(' ')}`);
}

function sh_block(lines, line) {
    const out = run('bash', ['-e', '-c', lines.join('\n')]);
    needs(line, out, out.status === 0, lines[0]);
    counts.commands++;
}

// Python: the blocks are one program with a mark behind each, so that it is known what each has printed.
const programs = [];
const mark = '\x1e';

function printed_block(lines, line) {
    const last = programs[programs.length - 1];
    if (!last || last.shown) fail(line, 'nothing has printed this');
    last.shown = lines;
    last.at = line;
}

function run_programs() {
    const text = programs.map(({ lines }) => `${lines.join('\n')}\nprint('${mark}', flush=True)\n`).join('');
    fs.writeFileSync(path.join(folder, 'blocks.py'), text);
    const out = run(process.env.ZWANG_PYTHON, ['-W', 'error', 'blocks.py']);
    const parts = out.stdout.split(`${mark}\n`);
    programs.forEach(({ lines, line, shown = [], at = line }, k) => {
        if (k + 1 >= parts.length) fail(line, `python failed here\n${out.stdout.slice(-2000)}${out.stderr.slice(-4000)}`);
        counts.python++;
        compare(shown, split(parts[k]), at, lines[lines.length - 1]);
    });
}

// ------------------------------------------------------------------------------------------ reading

function block(info, lines, line, before) {
    const [word, ...words] = info.trim().split(/\s+/);
    if (word === 'zwang') model_block(words, lines, line, before);
    else if (before) fail(line, '<!-- with --> belongs to a fragment of a model');
    else if (word === 'console') console_block(lines, line);
    else if (word === 'sh') sh_block(lines, line);
    else if (word === 'c') c_block(words, lines, line);
    else if (word === 'python') programs.push({ lines, line });
    else if (word === 'printed') printed_block(lines, line);
    else if (word !== 'text') fail(line - 1, `what is a block of '${info}'?`);
    else if (/(^|\n)\$ |\bzwang [a-z]/.test(lines.join('\n'))) fail(line, 'commands in a text');
}

// Anchors as the places that show these documents make them from headings.
const slug = (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/ /g, '-');

function anchors(place) {
    return fs.readFileSync(place, 'utf8').split('\n').filter((line) => /^#+ /.test(line))
        .map((line) => slug(line.replace(/^#+ /, '')));
}

function links(text, line) {
    for (const [, target] of text.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [name, anchor] = target.split('#');
        const place = name ? path.join(base, name) : file;
        if (!fs.existsSync(place)) fail(line, `no such file: ${target}`);
        if (anchor && !anchors(place).includes(anchor)) fail(line, `no such heading: ${target}`);
    }
}

let before = '', k = 0;
while (k < source.length) {
    const line = source[k++];
    if (/^<!-- with\b/.test(line)) {
        const from = k - 1;
        while (!/-->/.test(source[k - 1])) {
            if (k === source.length) fail(from + 1, 'a comment does not end');
            k++;
        }
        before = `${source.slice(from, k).join('\n').replace(/^<!-- with\s?/, '').replace(/\s*-->$/, '')}\n`;
    } else if (/^```/.test(line)) {
        const from = k;
        while (k < source.length && !/^```$/.test(source[k])) k++;
        if (k++ === source.length) fail(from, 'a block does not end');
        if (k - 1 === from) fail(from, 'an empty block');
        block(line.slice(3), source.slice(from, k - 1), from + 1, before);
        before = '';
    } else {
        if (before) fail(k, 'nothing follows <!-- with -->');
        if (/^ {4,}(\$ |(build\/)?zwang )/.test(line)) fail(k, 'a command that is not run');
        links(line, k);
    }
}
if (programs.length && process.env.ZWANG_PYTHON) run_programs();
if (unshown) fail(unshown, `the status ${status} is not shown`);
console.log(Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', '));
