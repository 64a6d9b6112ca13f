// node reading.js READ PLAIN: two outputs of `zwang derive --json`, to read and as derived. Every entry
// of M, Q, C, A, b, phi and W has the same value in both at random points, and Q = impressed + inertial.
// Prints how many were compared. Expressions are parsed and evaluated here.
'use strict';
const fs = require('fs');

// A number for every name, of hash and point.
function chance(name, point) {
    let h = 2166136261 ^ (point * 7919);
    for (const c of name) h = Math.imul(h ^ c.codePointAt(0), 16777619);
    h = Math.imul(h ^ (h >>> 15), 2246822507);
    h = Math.imul(h ^ (h >>> 13), 3266489909);
    return 0.4 + 1.2 * (((h ^ (h >>> 16)) >>> 0) / 4294967296);
}

// Values with the magnitudes they were added up from: [value, bound].
const FUNCTIONS = {
    sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan,
    sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, exp: Math.exp, log: Math.log, sqrt: Math.sqrt,
    abs: Math.abs, sign: Math.sign, floor: Math.floor, atan2: Math.atan2, hypot: Math.hypot,
    min: Math.min, max: Math.max, if: (c, a, b) => (c ? a : b),
};

class Reader {
    constructor(text, names) {
        this.tokens = text.match(/\d+\.?\d*(?:e[+-]?\d+)?|[\p{L}_][\p{L}\p{N}_]*|<=|>=|==|!=|./gu)
            .filter((t) => t !== ' ');
        this.at = 0;
        this.names = names;
    }
    peek() { return this.tokens[this.at]; }
    take(t) { return this.peek() === t ? (this.at++, true) : false; }
    or() {
        let [a, A] = this.and();
        while (this.take('or')) { const b = this.and()[0]; a = a || b ? 1 : 0; A = 1; }
        return [a, A];
    }
    and() {
        let [a, A] = this.not();
        while (this.take('and')) { const b = this.not()[0]; a = a && b ? 1 : 0; A = 1; }
        return [a, A];
    }
    not() {
        if (this.take('not')) return [this.not()[0] ? 0 : 1, 1];
        return this.comparison();
    }
    comparison() {
        const a = this.sum(), op = this.peek();
        if (!['<', '<=', '>', '>=', '==', '!='].includes(op)) return a;
        this.at++;
        const [x, y] = [a[0], this.sum()[0]];
        const is = {'<': x < y, '<=': x <= y, '>': x > y, '>=': x >= y, '==': x === y, '!=': x !== y};
        return [is[op] ? 1 : 0, 1];
    }
    sum() {
        let [a, A] = this.product();
        for (;;) {
            const minus = this.peek() === '-';
            if (!minus && this.peek() !== '+') return [a, A];
            this.at++;
            const [b, B] = this.product();
            a = minus ? a - b : a + b;
            A += B;
        }
    }
    product() {
        if (this.take('-')) {
            const [a, A] = this.product();
            return [-a, A];
        }
        let [a, A] = this.power();
        for (;;) {
            if (this.take('*')) {
                const [b, B] = this.power();
                [a, A] = [a * b, A * B];
            } else if (this.take('/')) {
                const [b, B] = this.power();
                [a, A] = [a / b, (A / Math.abs(b)) * (B / Math.abs(b))];
            } else return [a, A];
        }
    }
    power() {
        const [a, A] = this.atom();
        if (!this.take('^')) return [a, A];
        const minus = this.take('-'), [e] = this.power();
        const x = Math.pow(a, minus ? -e : e);
        return [x, minus ? Math.abs(x) * Math.pow(A / Math.abs(a), e) : Math.pow(A, e)];
    }
    atom() {
        if (this.take('(')) {
            const inner = this.or();
            if (!this.take(')')) throw new Error('no )');
            return inner;
        }
        const token = this.tokens[this.at++];
        if (/^\d/.test(token)) return [Number(token), Number(token)];
        if (FUNCTIONS[token] && this.peek() === '(') return this.call(token);
        return this.name(token);
    }
    call(token) {
        const args = [];
        this.take('(');
        do args.push(this.or());
        while (this.take(','));
        if (!this.take(')')) throw new Error(`no ) after ${token}`);
        const x = FUNCTIONS[token](...args.map((a) => a[0]));
        let grow = 1;
        for (const [v, V] of args) grow += V / Math.max(Math.abs(v), 1e-300);
        return [x, (Math.abs(x) + args[0][1]) * grow];
    }
    // x, r[2]', link[3].body.q[1]; multiplier(pin)[1]; data road(...)
    name(token) {
        let name = token;
        for (;;) {
            if (this.peek() === '[' || this.peek() === '(') {
                const close = this.peek() === '[' ? ']' : ')';
                let depth = 0;
                do {
                    const t = this.tokens[this.at++];
                    depth += (t === '[' || t === '(') - (t === ']' || t === ')');
                    name += t;
                } while (depth > 0);
                if (!close) break;
            } else if (this.peek() === '.' || this.peek() === "'") {
                name += this.tokens[this.at++];
                if (name.endsWith('.')) name += this.tokens[this.at++];
            } else break;
        }
        const value = this.names(name);
        return [value, Math.abs(value)];
    }
}

// All entries of a family with their names.
function entries(family) {
    const list = new Map();
    const put = (what, x) => list.set(`${what} ${x.row ?? ''} ${x.column ?? ''}`, x.expression);
    for (const what of ['M', 'Q', 'C', 'W', 'impressed', 'inertial'])
        for (const x of family[what] ?? []) put(what, x);
    for (const row of family.rows) {
        list.set(`phi ${row.name}`, row.phi);
        list.set(`b ${row.name}`, row.b);
        for (const x of row.A) list.set(`A ${row.name} ${x.column}`, x.expression);
    }
    return list;
}

function evaluator(family, point) {
    const known = new Map();
    const names = (name) => known.get(name) ?? chance(name, point);
    for (const {name, expression} of family.definitions)
        known.set(name, new Reader(expression, names).or()[0]);
    return (text) => new Reader(text, names).or();
}

const [read, plain] = process.argv.slice(2).map((f) => JSON.parse(fs.readFileSync(f, 'utf8')));
let compared = 0;
function compare(what, a, b) {
    if (!Number.isFinite(b[0])) return;
    const allowed = 1e-9 * (1e-3 + Math.abs(b[0]) + (Number.isFinite(b[1]) ? b[1] : 0));
    if (!(Math.abs(a[0] - b[0]) <= allowed)) throw new Error(`${what}: ${a[0]} is not ${b[0]}`);
    compared++;
}
read.families.forEach((family, k) => {
    for (let point = 1; point <= 3; point++) {
        const x = evaluator(family, point), y = evaluator(plain.families[k], point);
        const [mine, others] = [entries(family), entries(plain.families[k])];
        for (const [name, text] of others) compare(name, x(mine.get(name) ?? '0'), y(text));
        for (const [name, text] of mine)
            if (name.startsWith('Q ')) {
                const row = name.slice(1);
                const F = x(mine.get(`impressed${row}`) ?? '0');
                const H = x(mine.get(`inertial${row}`) ?? '0');
                compare(`F + H of ${row}`, [F[0] + H[0]], [x(text)[0], F[1] + H[1]]);
            }
    }
});
console.log(compared);
