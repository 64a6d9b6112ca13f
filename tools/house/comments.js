// Comments that a formatter, or a hurried hand, has garbled. What a machine can see:
//
//   - a rule of dashes whose title stands in the next line
//   - a row of a table or a drawing, indented, that goes on in the first column
//   - two items of a numbered list in one line of prose
//   - a formula cut in two before or behind its operator
//
// Reading is still needed: a table may be wrong and look whole.
'use strict';

const EDGE = 80; // a row that ends before this column was not cut off by anybody

// The lines of a block comment without its frame: {text, indent, line, width}. indent is that inside
// the comment, width the columns the line takes in the file.
function body(comment) {
    return comment.text.split('\n').map((raw, i) => {
        const open = i === 0 ? ' '.repeat(comment.column) + raw : raw;
        const text = open.replace(/^\s*\/?\*+(?!\/)[ ]?/, '').replace(/\s*\*\/$/, '').replace(/\s+$/, '');
        return { text: text.trim(), indent: text.length - text.trimStart().length, line: comment.line + i,
            width: [...open.trimEnd()].length };
    });
}

const firstWord = (text) => text.split(/\s/)[0];
const SHORT_TITLE = /^[\w ]{1,30}$/;

function brokenRule(lines) {
    if (!/^-{8,}( \w+)*$/.test(lines[0].text) || lines.length !== 2) return [];
    if (!SHORT_TITLE.test(lines[1].text) || lines[1].text.split(' ').length > 3) return [];
    return [{ line: lines[0].line, what: 'the title of a rule stands in the next line', help: 'write both in one line' }];
}

// The row before is indented and as long as a formatter lets it be, and no sentence begins here; or
// this line has a gap of a table inside: then it is the end of that row, or the next ones.
function runOver(above, line) {
    if (above.indent < 3 || line.indent > 0 || above.text === '' || line.text === '') return [];
    const full = above.width + 1 + [...firstWord(line.text)].length > EDGE && !/^[A-Z][a-z]/.test(line.text);
    const gap = /\S {3,}(?=\S)/.exec(line.text);
    const row = gap && gap.index + gap[0].length === above.indent; // of a table that is not indented
    if (row || (!full && !gap)) return [];
    return [{ line: line.line, what: 'a table or a drawing goes on in the first column',
        help: 'indent what belongs to it, leave a blank line before what does not' }];
}

function twoItems(line) {
    if (!/(^|[.;:] )1[.)] \S.*[.;,] 2[.)] \S/.test(line.text)) return [];
    return [{ line: line.line, what: 'two items of a list in one line', help: 'give each its own' }];
}

function cutFormula(above, line) {
    if (above.indent > 0 || line.indent > 0 || above.text === '' || line.text === '') return [];
    const before = /[\w)\]]$/.test(above.text) && /^[-+=/<>] [\w(|]/.test(line.text);
    const behind = /[\w)\]] [-+=<]$/.test(above.text) && /^[\w(|]/.test(line.text);
    if (!before && !behind) return [];
    return [{ line: line.line, what: 'a formula is cut at its operator', help: 'keep it in one line' }];
}

function garbled(comment) {
    if (!comment.text.startsWith('/*') || !comment.text.includes('\n')) return [];
    const lines = body(comment);
    const found = brokenRule(lines);
    if (found.length > 0) return found;
    lines.forEach((line, i) => {
        found.push(...twoItems(line));
        if (i > 0) found.push(...runOver(lines[i - 1], line), ...cutFormula(lines[i - 1], line));
    });
    return found;
}

module.exports = { garbled };
