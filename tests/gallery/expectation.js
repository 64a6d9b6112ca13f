// Reads what a model of the gallery expects of itself; models/README.md has the grammar.
//
// An expectation is {line, kind, claims, ...}: the clauses of its head, and what it claims. The kinds are
// at (times), throughout, end, check and words; one from a reference becomes one of kind at for each
// of the times of the file.
'use strict';
const fs = require('fs'), path = require('path');
const {evaluate} = require('./expression.js');

const references = path.join(__dirname, '..', 'reference');

// The expectations [{line, text}] of the text of a model, and what it lacks.
function read_model(text) {
    const lines = text.split('\n'), expectations = [], missing = [];
    lines.forEach((line, k) => {
        if (/^#\s*expect/i.test(line)) expectations.push({line: k + 1, text: line.replace(/^# expect /, '')});
        else if (/^# {3,}\S/.test(line) && expectations.length && expectations.at(-1).open === k)
            expectations.at(-1).text += ' ' + line.slice(1).trim();
        else return;
        expectations.at(-1).open = k + 1;
    });
    const source = lines.findIndex((line) => /^# Source: \S/.test(line));
    const need = (holds, what) => holds || missing.push(what);
    need(source >= 2 && lines.slice(0, source).every((line) => /^#/.test(line)),
        'a story of two lines of comment or more, and then a line `# Source: ...`');
    need(expectations.length, 'an expectation');
    for (const word of ['model', 'draw', 'simulate'])
        need(lines.some((line) => new RegExp(`^\\s*${word} `).test(line)), `a statement \`${word}\``);
    return {expectations, missing};
}

const SETTING = String.raw`\p{L}[\p{L}\p{N}_]* = (?:\[[^:]*?\](?=[\s,:])|[^\s,:]+)`;
const TIMES = String.raw`t = [^\s,:]+(?:, [^\s,:]+)*`;

// The parts of a text between commas outside of brackets.
function list(text) {
    const parts = [''];
    let depth = 0;
    for (const c of text) {
        depth += '(['.includes(c) - ')]'.includes(c);
        if (c === ',' && depth === 0) parts.push('');
        else parts[parts.length - 1] += c;
    }
    return parts.map((part) => part.trim());
}

const times = (text) => list(text.slice(4)).map((time) => evaluate(time));

// The clauses of a head: how one begins, and what it sets.
const CLAUSES = [
    [`with (${SETTING}(?:, ${SETTING})*)`, (e, text) => { e.settings = list(text); }],
    [`at (${TIMES})`, (e, text) => { e.times = times(text); }],
    ['throughout', (e) => { e.kind = 'throughout'; }],
    [`end at (${TIMES})`, (e, text) => { e.kind = 'end'; [e.end] = times(text); }],
    ['from check says', (e) => { e.kind = 'words'; }],
    ['from check', (e) => { e.kind = 'check'; }],
    [String.raw`from reference/(\w+)\.json`, (e, text) => { e.kind = 'reference'; e.file = text; }],
    [String.raw`case (\w+) = (\S+)`, (e, key, value) => { e.case = [key, value]; }],
    [String.raw`case (\w+)`, (e, value) => { e.case = ['case', value]; }],
    [String.raw`within (\S+)( relative)?`, (e, text, relative) => { e.within = evaluate(text); e.relative = !!relative; }],
    [String.raw`by (\w+)`, (e, text) => { e.method = text; }],
    [String.raw`tol (\S+)`, (e, text) => { e.tol = evaluate(text); }],
    [String.raw`until (\S+)`, (e, text) => { e.until = evaluate(text); }],
    [String.raw`in under (\S+) s`, (e, text) => { e.seconds = evaluate(text); }],
    [`trust (ok|remarks|any)`, (e, text) => { e.trust = text; }],
    [String.raw`status (\d)`, (e, text) => { e.status = Number(text); }],
].map(([pattern, set]) => [new RegExp(`^${pattern}(?=\\s|$)`, 'u'), set]);

// The fields that a clause may set besides the kind.
const OF_CHECK = ['settings', 'status'];
const OF_RUN = [...OF_CHECK, 'within', 'relative', 'method', 'tol', 'until', 'seconds', 'trust'];
const FIELDS = {
    at: [...OF_RUN, 'times'], throughout: OF_RUN, end: [...OF_RUN, 'end'], check: OF_CHECK, words: OF_CHECK,
    reference: [...OF_RUN, 'times', 'file', 'case'],
};

function read_head(head) {
    const e = {};
    for (let rest = head.trim(); rest;) {
        const clause = CLAUSES.find(([pattern]) => pattern.test(rest));
        if (!clause) throw new Error(`cannot read \`${rest}\``);
        const found = clause[0].exec(rest), set = {};
        clause[1](set, ...found.slice(1));
        if (Object.keys(set).some((field) => field in e)) throw new Error(`\`${found[0]}\` is one too many`);
        Object.assign(e, set);
        rest = rest.slice(found[0].length).trim();
    }
    if (!e.kind && e.times) e.kind = 'at';
    if (!e.kind) throw new Error('it does not say where: `at t = ...`, `throughout`, `from ...` or `end at t = ...`');
    const odd = Object.keys(e).find((field) => field !== 'kind' && !FIELDS[e.kind].includes(field));
    if (odd) throw new Error(`\`${odd}\` means nothing here`);
    return e;
}

// `LEFT = RIGHT` with one of the signs = ~ < >
function read_claim(text) {
    const found = /^([^=~<>]+?) *([=~<>]) *([^=~<>]+)$/.exec(text.trim());
    if (!found) throw new Error(`cannot read \`${text.trim()}\``);
    return {left: found[1], sign: found[2], right: found[3]};
}

// "one", "another"
function read_words(text) {
    if (text.replace(/"[^"]*"/g, '').replace(/[\s,]/g, '')) throw new Error(`cannot read \`${text.trim()}\``);
    return [...text.matchAll(/"([^"]*)"/g)].map((word) => word[1]);
}

function read_expectation({line, text}) {
    const [, head, , tail = ''] = /^([^:]*)(:(.*))?$/s.exec(text);
    const e = {line, settings: [], trust: 'ok', status: 0, words: [], claims: [], ...read_head(head)};
    if (e.kind === 'words') e.words = read_words(tail);
    else if (tail) e.claims = list(tail.trim()).map(read_claim);
    if (!e.claims.length && !e.words.length && e.kind !== 'end') throw new Error('it claims nothing');
    const inexact = e.claims.some((claim) => /[=~]/.test(claim.sign)) || e.kind === 'end';
    if (inexact && e.kind !== 'check' && !(e.within > 0)) throw new Error('it has no `within`');
    return e;
}

// ---------------------------------------------------------------------------- reference

// `qdd[1]` or `Fx` of an entry
function reference_value(entry, name) {
    const [, word, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(name) || [];
    const value = index ? (entry.values[word] || [])[index - 1] : entry.values[word];
    if (typeof value !== 'string') throw new Error(`the reference has no ${name}`);
    return evaluate(value);
}

// The entries of the file that an expectation is about, each with the times at which it holds.
function entries_of(e) {
    const all = JSON.parse(fs.readFileSync(path.join(references, `${e.file}.json`), 'utf8')).reference;
    const timed = all.map((entry) => ({...entry, times: entry.t ? [Number(entry.t)] : e.times || []}));
    const of_case = timed.filter((entry) => !e.case || String(entry[e.case[0]]) === e.case[1]);
    const entries = of_case.filter((entry) => !e.times || entry.times.some((time) => e.times.includes(time)));
    const found = entries.flatMap((entry) => entry.times);
    if (!of_case.length) throw new Error(`${e.file} has no such case`);
    if (new Set(found).size < found.length) throw new Error(`${e.file} has several cases: say which`);
    if (!found.length || (e.times || []).some((time) => !found.includes(time)))
        throw new Error(`${e.file} does not have these times`);
    return entries;
}

// `NAME = FACTOR*COLUMN` as a claim about the column
function turned(claim, entry) {
    const [, minus, factor, left] = /^(-?)(?:([\d.e+-]+)\*)?(.+)$/.exec(claim.right);
    return {left, sign: claim.sign, factor: (minus ? -1 : 1) * Number(factor || 1), right: reference_value(entry, claim.left)};
}

// An expectation from a file: one with times and numbers for each of its entries.
function expand(e) {
    if (e.kind !== 'reference') return [e];
    return entries_of(e).map((entry) => ({...e, kind: 'at', times: entry.times, claims: e.claims.map((claim) => turned(claim, entry))}));
}

module.exports = {read_model, read_expectation, expand, list};
