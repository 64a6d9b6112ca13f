// What stands in a C file, without a compiler: comments, includes, functions, structures.
//
//     text --one pass over comments and quotes--> code: the same text, blanks in their places
//          --directives blanked--> tokens --braces at file level--> functions, structures
//
// Lines stay where they are at every stage. Bodies of macros are not looked into, so that functions
// that a macro defines are not seen; nor are those in other branches of an #if than the first.
'use strict';

const QUIET = /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'/g;
const DIRECTIVE = /^[ \t]*#(?:[^\n\\]|\\[^])*/gm;
const TOKEN = /[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|"|[^\s\w]/g;

const blank = (text) => text.replace(/[^\n]/g, ' ');

// A counter of lines for positions that only grow.
function lineCounter(text) {
    let at = 0, line = 1;
    return (position) => {
        for (; at < position; at++) if (text.charCodeAt(at) === 10) line++;
        return line;
    };
}

// code: comments are blanks, quotes are "" and blanks. comments: {line, end, text, column}.
function strip(text) {
    const comments = [], lineAt = lineCounter(text);
    const code = text.replace(QUIET, (piece, position) => {
        if (piece[0] !== '/') return piece.length < 2 ? piece : `"${blank(piece.slice(2))}"`;
        const line = lineAt(position), start = text.lastIndexOf('\n', position - 1) + 1;
        comments.push({ line, end: line + piece.split('\n').length - 1, text: piece,
            column: position - start, alone: text.slice(start, position).trim() === '' });
        return blank(piece);
    });
    return { code, comments };
}

// Tokens {text, line} and, among them, the directives that open and close branches.
function tokenize(code) {
    const tokens = [], branches = [], lineAt = lineCounter(code);
    const bare = code.replace(DIRECTIVE, (piece, position) => {
        const word = /#\s*(\w*)/.exec(piece)[1];
        if (/^(if|ifdef|ifndef|elif|else|endif)$/.test(word)) branches.push({ position, word: word.slice(0, 2) });
        return blank(piece);
    });
    let next = 0;
    for (const match of bare.matchAll(TOKEN)) {
        while (next < branches.length && branches[next].position < match.index)
            tokens.push({ branch: branches[next++].word, text: '#', line: lineAt(match.index) });
        tokens.push({ text: match[0], line: lineAt(match.index) });
    }
    return tokens;
}

// Without the branches of an #if but the first: what a reader of one configuration sees.
function firstBranches(tokens) {
    const seen = [], open = [];
    for (const token of tokens) {
        if (token.branch === undefined) {
            if (open.every((first) => first)) seen.push(token);
        } else if (token.branch === 'if') {
            open.push(true);
        } else if (token.branch === 'el') {
            if (open.length > 0) open[open.length - 1] = false;
        } else {
            open.pop();
        }
    }
    return seen;
}

const isWord = (token) => token !== undefined && /^[A-Za-z_]/.test(token.text);

// The index behind the bracket that closes the one at `at`; behind `at` itself where there is none.
function skip(tokens, at) {
    if (at >= tokens.length || !/^[([{]$/.test(tokens[at].text)) return at + 1;
    const close = { '(': ')', '[': ']', '{': '}' };
    const open = tokens[at].text, end = close[open];
    let depth = 0;
    for (let i = at; i < tokens.length; i++) {
        if (tokens[i].text === open) depth++;
        else if (tokens[i].text === end && --depth === 0) return i + 1;
    }
    return tokens.length;
}

// Name of the function that tokens [from, brace) declare, or nothing: the word before the last
// bracket at their own level, when no `=` stands among them.
function functionName(tokens, from, brace) {
    let name;
    for (let i = from; i < brace; i++) {
        const text = tokens[i].text;
        if (text === '=') return undefined;
        if (text !== '(' && text !== '[') continue;
        const end = Math.min(skip(tokens, i), brace);
        if (text === '(' && end === brace && isWord(tokens[i - 1])) name = tokens[i - 1].text;
        i = end - 1;
    }
    return name;
}

// How deep statements are nested in tokens [at, end): each if, loop or switch counts one, with braces
// or without; else if counts as its if. A macro with a block behind it is a loop.
function depthOf(tokens, at, end) {
    let deepest = 0;
    const textAt = (i) => (i < end ? tokens[i].text : undefined);
    const statement = (i, depth) => {
        if (i >= end) return end;
        deepest = Math.max(deepest, depth);
        const word = tokens[i].text;
        if (word === '{') {
            i++;
            while (i < end && textAt(i) !== '}') i = statement(i, depth);
            return i + 1;
        }
        if (word === 'if') {
            i = statement(skip(tokens, i + 1), depth + 1);
            if (textAt(i) === 'else')
                i = statement(i + 1, textAt(i + 1) === 'if' ? depth : depth + 1);
            return i;
        }
        if (word === 'for' || word === 'while' || word === 'switch') {
            i = skip(tokens, i + 1);
            return textAt(i) === ';' ? i + 1 : statement(i, depth + 1);
        }
        if (word === 'do') {
            i = statement(i + 1, depth + 1); // then: while (...);
            i = skip(tokens, i + 1);
            return i + 1;
        }
        if (word === 'case' || word === 'default' || (isWord(tokens[i]) && textAt(i + 1) === ':')) {
            while (i < end && tokens[i].text !== ':') i++;
            return i + 1;
        }
        if (isWord(tokens[i]) && textAt(i + 1) === '(') {
            const behind = skip(tokens, i + 1);
            if (textAt(behind) === '{') return statement(behind, depth + 1);
        }
        while (i < end && tokens[i].text !== ';') {
            if (/^[([{]$/.test(tokens[i].text)) i = skip(tokens, i);
            else if (tokens[i].text === '}') return i; // a block ends without a semicolon: a macro
            else i++;
        }
        return i + 1;
    };
    while (at < end) at = statement(at, 0);
    return deepest;
}

// Members that tokens [at, end) declare; those of a struct inside count in its place.
function countFields(tokens, at, end) {
    let count = 0;
    while (at < end) {
        let names = 1, inner = 0, empty = true;
        for (; at < end && tokens[at].text !== ';'; empty = false) {
            const text = tokens[at].text;
            if (text === '{') {
                inner += countFields(tokens, at + 1, skip(tokens, at) - 1);
                at = skip(tokens, at);
            } else if (text === '(' || text === '[') {
                at = skip(tokens, at);
            } else {
                if (text === ',') names++;
                at++;
            }
        }
        at++;
        if (!empty) count += inner > 0 ? inner : names;
    }
    return count;
}

// struct and union at `at`, when it has a body: pushed with its name and the number of its fields.
function takeStructure(tokens, from, brace, structures) {
    const before = tokens[brace - 1], tagged = tokens[brace - 2];
    const isKey = (token) => token && (token.text === 'struct' || token.text === 'union');
    if (!isKey(before) && !(isWord(before) && isKey(tagged))) return;
    const behind = skip(tokens, brace);
    const tag = isKey(before) ? undefined : before.text;
    const typedef = tokens[from].text === 'typedef' && isWord(tokens[behind]) ? tokens[behind].text : undefined;
    structures.push({ name: typedef || tag || '(no name)', line: tokens[brace].line,
        fields: countFields(tokens, brace + 1, behind - 1) });
}

// Functions {name, line, end, length, depth, isStatic}, structures {name, line, fields}.
function definitions(tokens) {
    const functions = [], structures = [];
    let from = 0;
    for (let i = 0; i < tokens.length; i++) {
        const text = tokens[i].text;
        if (text === ';' || text === '}') {
            from = i + 1;
        } else if (text === '(' || text === '[') {
            i = skip(tokens, i) - 1;
        } else if (text === '{') {
            if (i - from === 3 && tokens[from].text === 'extern') { // extern "C" {
                from = i + 1;
                continue;
            }
            const end = skip(tokens, i), name = functionName(tokens, from, i);
            if (name !== undefined) {
                const line = tokens[from].line, last = tokens[end - 1].line;
                functions.push({ name, line, end: last, length: last - line + 1,
                    depth: depthOf(tokens, i + 1, end - 1),
                    isStatic: tokens.slice(from, i).some((token) => token.text === 'static') });
                from = end;
            } else {
                takeStructure(tokens, from, i, structures);
            }
            i = end - 1;
        }
    }
    return { functions, structures };
}

function includesOf(text, code) {
    const lines = code.split('\n'), found = [];
    text.split('\n').forEach((line, i) => {
        const match = /^\s*#\s*include\s*"([^"]+)"/.exec(line);
        if (match && /^\s*#\s*include/.test(lines[i])) found.push({ line: i + 1, name: match[1] });
    });
    return found;
}

function readC(text) {
    const { code, comments } = strip(text);
    const tokens = firstBranches(tokenize(code));
    const { functions, structures } = definitions(tokens);
    const ends = new Set(comments.filter((comment) => comment.alone).map((comment) => comment.end));
    for (const f of functions) f.commented = ends.has(f.line - 1);
    return { code, comments, includes: includesOf(text, code), functions, structures };
}

module.exports = { readC };
