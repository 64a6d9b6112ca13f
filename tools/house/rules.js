// The rules of the house. Each takes a tree and gives findings {file, line, what, help}; with
// `remark` a finding does not fail the check.
'use strict';
const path = require('path');
const { garbled } = require('./comments.js');
const { dangling } = require('./references.js');

// Names that may exist more than once. Files that are read from their folder, CMakeLists.txt,
// layer.cmake, README.md, are none of C, JavaScript or bats and do not count.
const MAY_REPEAT = new Set([]);

const SHELF = { files: 15, lines: 4000, mostFiles: 18, mostLines: 4600 };
const LONGEST_FUNCTION = 62;
const LONGEST_FILE = { src: 700, cli: 700, fmi: 700, tests: 900, bench: 900 };
const C_FOLDERS = ['src', 'cli', 'fmi', 'include', 'tests', 'bench', 'examples'];
const CODE = ['.c', '.h', '.js', '.bats'];

// Base name -> paths, for the names that exist more than once.
function namesakes(tree, folders) {
    const found = new Map();
    for (const file of tree.below(folders, CODE)) {
        const name = path.posix.basename(file);
        if (!found.has(name)) found.set(name, []);
        found.get(name).push(file);
    }
    for (const [name, files] of found) if (files.length < 2) found.delete(name);
    return found;
}

function oneName(tree) {
    const findings = [];
    for (const [name, files] of namesakes(tree, ['src', 'cli', 'fmi', 'bench', 'tests']))
        if (!MAY_REPEAT.has(name))
            findings.push({ file: files[1], line: 1, help: 'give each file a name of its own',
                what: `${name} exists ${files.length} times (${files.filter((file) => file !== files[1]).join(', ')})` });
    return findings;
}

// Files whose comments, or all of whose text, are read for references.
function readable(tree) {
    const folders = [...C_FOLDERS, 'tools', 'cmake'];
    const endings = /(\.(c|h|js|bats|bash|cmake|sh)|CMakeLists\.txt)$/;
    return tree.files.filter((file) => /^(dev|README\.md|CONTRIBUTING\.md|CMakeLists\.txt)$/.test(file) ||
        /^docs\/.*\.md$/.test(file) ||
        (folders.includes(file.split('/')[0]) && (endings.test(file) || /^tools\/[a-z_]+$/.test(file))));
}

function everythingNamedExists(tree) {
    return readable(tree).flatMap((file) =>
        dangling(tree, file).map((found) => ({ file, ...found, help: 'name what exists, or say it here' })));
}

function wholeComments(tree) {
    return tree.below(C_FOLDERS, ['.c', '.h']).flatMap((file) =>
        tree.source(file).comments.flatMap(garbled).map((found) => ({ file, ...found })));
}

function shelfSizes(tree) {
    const findings = [];
    for (const [folder, files] of tree.shelves()) {
        const count = files.filter((file) => file.endsWith('.c')).length;
        const lines = files.reduce((sum, file) => sum + tree.lines(file), 0);
        if (count <= SHELF.files && lines <= SHELF.lines) continue;
        findings.push({ file: folder, line: 1, remark: count <= SHELF.mostFiles && lines <= SHELF.mostLines,
            what: `${count} C files and ${lines} lines on one shelf, about ${SHELF.files} and ${SHELF.lines} are enough`,
            help: 'give what belongs together a shelf of its own' });
    }
    return findings;
}

function lengths(tree) {
    const findings = [];
    for (const file of tree.below(Object.keys(LONGEST_FILE), ['.c', '.h'])) {
        const most = LONGEST_FILE[file.split('/')[0]];
        for (const f of tree.source(file).functions)
            if (f.length > LONGEST_FUNCTION)
                findings.push({ file, line: f.line, help: 'take a step of it out',
                    what: `${f.name} has ${f.length} lines, more than ${LONGEST_FUNCTION}` });
        if (tree.lines(file) > most)
            findings.push({ file, line: most + 1, help: 'split the file',
                what: `${tree.lines(file)} lines, more than ${most}` });
    }
    return findings;
}

// Folders of one machine. (The words are apart so that this file has none itself.)
const MACHINE = new RegExp(`(?<![\\w.$}])/(?:${['wo' + 'rk/', 'ro' + 'ot/', 'ho' + 'me/[a-z]\\w*'].join('|')})`);

function noMachinePaths(tree) {
    const findings = [];
    for (const file of tree.files) {
        const text = tree.text(file);
        if (text.includes('\0') || !MACHINE.test(text)) continue;
        text.split('\n').forEach((line, i) => {
            const match = MACHINE.exec(line);
            if (match)
                findings.push({ file, line: i + 1, what: `${match[0]} is a folder of one machine`,
                    help: 'write a path inside the project' });
        });
    }
    return findings;
}

// Static functions called by one word in several files of src and cli.
function bareNames(tree) {
    const places = new Map();
    for (const file of tree.below(['src', 'cli'], ['.c', '.h']))
        for (const f of tree.source(file).functions) {
            if (!f.isStatic || f.name.includes('_')) continue;
            if (!places.has(f.name)) places.set(f.name, []);
            places.get(f.name).push({ file, line: f.line });
        }
    const several = [...places].filter(([, at]) => at.length > 1).sort(([a], [b]) => (a < b ? -1 : 1));
    return several.flatMap(([name, at]) => at.map((place) => ({ ...place, remark: true,
        what: `${name} is the name of ${at.length} functions`, help: 'give it a verb and an object' })));
}

const RULES = [oneName, everythingNamedExists, wholeComments, shelfSizes, lengths, noMachinePaths];

module.exports = { RULES, bareNames, namesakes, everythingNamedExists, wholeComments };
