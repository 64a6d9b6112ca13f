// The files of a tree: which there are, what they hold, and who includes whom.
//
// Files are those that git knows or would take, or simply all of them where there is no repository.
// A *shelf* is a folder under src or cli that has C files in it, a *layer* the first folder below
// src.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { readC } = require('./c_source.js');

function walk(root, folder, found) {
    for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
        const name = folder ? `${folder}/${entry.name}` : entry.name;
        if (entry.isDirectory() && !/^(\.git|build.*)$|(^|\/)node_modules$/.test(name)) walk(root, name, found);
        else if (entry.isFile()) found.push(name);
    }
    return found;
}

function list(root) {
    if (fs.existsSync(path.join(root, '.git'))) {
        const git = spawnSync('git', ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
            { encoding: 'utf8', maxBuffer: 1 << 26 });
        if (git.status === 0) {
            const names = [...new Set(git.stdout.split('\0').filter(Boolean))];
            return names.filter((name) => fs.statSync(path.join(root, name), { throwIfNoEntry: false })?.isFile());
        }
    }
    return walk(root, '', []);
}

class Tree {
    constructor(root) {
        this.root = root;
        this.files = list(root).sort();
        this.texts = new Map();
        this.sources = new Map();
        this.named = new Map(); // base name -> paths
        for (const file of this.files) {
            const name = path.posix.basename(file);
            if (!this.named.has(name)) this.named.set(name, []);
            this.named.get(name).push(file);
        }
    }

    text(file) {
        if (!this.texts.has(file)) this.texts.set(file, fs.readFileSync(path.join(this.root, file), 'utf8'));
        return this.texts.get(file);
    }

    lines(file) {
        const text = this.text(file);
        return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    }

    // What readC makes of a C file.
    source(file) {
        if (!this.sources.has(file)) this.sources.set(file, readC(this.text(file)));
        return this.sources.get(file);
    }

    // Files below one of the folders whose names end as one of the endings.
    below(folders, endings) {
        return this.files.filter((file) => folders.some((folder) => file.startsWith(folder + '/')) &&
            endings.some((ending) => file.endsWith(ending)));
    }

    // Folder -> its own C files and headers, for every folder under src and cli with C files.
    shelves() {
        const shelves = new Map();
        for (const file of this.below(['src', 'cli'], ['.c', '.h'])) {
            const folder = path.posix.dirname(file);
            if (!shelves.has(folder)) shelves.set(folder, []);
            shelves.get(folder).push(file);
        }
        for (const [folder, files] of shelves)
            if (!files.some((file) => file.endsWith('.c'))) shelves.delete(folder);
        return shelves;
    }

    // The file that `name` means in an include of `file`: of the same folder, the same layer, the
    // public header of another layer, or the only one of that name. undefined: not ours.
    included(file, name) {
        const candidates = (this.named.get(path.posix.basename(name)) || [])
            .filter((other) => other === name || other.endsWith('/' + name));
        const best = (ok) => candidates.find(ok);
        const layer = layerOf(file), stem = path.posix.basename(name, '.h');
        return best((other) => path.posix.dirname(other) === path.posix.dirname(file)) ||
            best((other) => layerOf(other) === layer) ||
            best((other) => layerOf(other) === `src/${stem}` || other === 'include/zwang.h') ||
            (candidates.length === 1 ? candidates[0] : undefined);
    }
}

// The first folder below src; cli, tests and so on as they are.
function layerOf(file) {
    const parts = file.split('/');
    return parts[0] === 'src' ? parts.slice(0, 2).join('/') : parts[0];
}

// Sets of two or more nodes that reach each other (Tarjan). edges: Map node -> Set of nodes.
function cycles(edges) {
    const index = new Map(), low = new Map(), stack = [], open = new Set(), found = [];
    const visit = (node) => {
        index.set(node, index.size);
        low.set(node, index.get(node));
        stack.push(node);
        open.add(node);
        for (const next of edges.get(node) || []) {
            if (!index.has(next)) {
                visit(next);
                low.set(node, Math.min(low.get(node), low.get(next)));
            } else if (open.has(next)) {
                low.set(node, Math.min(low.get(node), index.get(next)));
            }
        }
        if (low.get(node) !== index.get(node)) return;
        const set = [];
        let last;
        do {
            last = stack.pop();
            open.delete(last);
            set.push(last);
        } while (last !== node);
        if (set.length > 1) found.push(set.sort());
    };
    for (const node of [...edges.keys()].sort()) if (!index.has(node)) visit(node);
    return found;
}

module.exports = { Tree, layerOf, cycles };
