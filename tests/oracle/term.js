// Expressions of a model as small trees: built by the generators, printed as text of the model
// language, differentiated, and turned into functions of JavaScript. Nothing here is shared with
// what it judges, and nothing is simplified beyond 0 and 1.
//
// Equal trees are one object (a table by key), so derivatives stay small. Variables are q[i], v[i],
// a[i] (coordinate, velocity, acceleration) and t.
//
// Switches. What jumps or bends at a condition is written with the sign S of a guard g, which is a
// variable of its own, held while the motion is on one side:
//     abs(g) = S g,  sign(g) = S,  if(g > 0, a, b) = b + (a - b)(1 + S)/2,  max(a, b) likewise,
//     floor(u) = S, a whole number with u between S and S + 1
// Then everything between two changes is smooth, and a motion that slides on g = 0 has an S between
// -1 and 1 (held.js).
'use strict';

class Terms {
    constructor(names) {
        this.names = names;
        this.table = new Map();
        this.switches = []; // {guard, whole}: by their number in S
        this.count = 0;
    }

    // The tree with this operation, made once.
    make(op, args, extra) {
        const key = `${op}(${args.map((a) => a.id).join()})${extra ?? ''}`;
        let node = this.table.get(key);
        if (!node) this.table.set(key, (node = {op, args, extra, id: this.count++}));
        return node;
    }

    num(x) { return this.make('num', [], x); }
    q(i) { return this.make('q', [], i); }
    v(i) { return this.make('v', [], i); }
    a(i) { return this.make('a', [], i); }
    get t() { return this.make('t', []); }
    of(x) { return typeof x === 'number' ? this.num(x) : x; }

    add(...xs) { return xs.map((x) => this.of(x)).reduce((a, b) => this.plus(a, b)); }
    plus(a, b) {
        if (is(a, 0)) return b;
        if (is(b, 0)) return a;
        if (a.op === 'num' && b.op === 'num') return this.num(a.extra + b.extra);
        return this.make('+', [a, b]);
    }
    neg(a) { return this.mul(-1, a); }
    sub(a, b) { return this.plus(this.of(a), this.neg(b)); }
    mul(...xs) { return xs.map((x) => this.of(x)).reduce((a, b) => this.times(a, b)); }
    times(a, b) {
        if (is(a, 0) || is(b, 0)) return this.num(0);
        if (is(a, 1)) return b;
        if (is(b, 1)) return a;
        if (a.op === 'num' && b.op === 'num') return this.num(a.extra * b.extra);
        return this.make('*', [a, b]);
    }
    div(a, b) {
        [a, b] = [this.of(a), this.of(b)];
        return is(a, 0) ? a : is(b, 1) ? a : this.make('/', [a, b]);
    }
    pow(a, n) { return n === 0 ? this.num(1) : n === 1 ? this.of(a) : this.make('^', [this.of(a)], n); }
    call(name, a) { return this.make(name, [this.of(a)]); }
    sin(a) { return this.call('sin', a); }
    cos(a) { return this.call('cos', a); }
    exp(a) { return this.call('exp', a); }
    sqrt(a) { return this.call('sqrt', a); }
    square(a) { return this.pow(a, 2); }
    dot(xs, ys) { return this.add(0, ...xs.map((x, k) => this.mul(x, ys[k]))); }

    // The number of the switch with this guard.
    slot(guard, whole = false) {
        let k = this.switches.findIndex((s) => s.guard === guard && s.whole === whole);
        if (k < 0) k = this.switches.push({guard, whole}) - 1;
        return this.make('S', [], k);
    }
    abs(a) { return this.make('abs', [this.of(a), this.slot(this.of(a))]); }
    sign(a) { return this.make('sign', [this.of(a), this.slot(this.of(a))]); }
    floor(a) { return this.make('floor', [this.of(a), this.slot(this.of(a), true)]); }
    max(a, b) { return this.choice('max', a, b, this.sub(this.of(a), b)); }
    min(a, b) { return this.choice('min', a, b, this.sub(this.of(b), a)); }
    // if(g > 0, a, b)
    choose(g, a, b) { return this.choice('if', a, b, this.of(g)); }
    choice(op, a, b, g) { return this.make(op, [this.of(a), this.of(b), this.slot(g), g]); }
    // if(lo > 0 and hi > 0, a, b)
    between(lo, hi, a, b) {
        return this.make('both', [this.of(a), this.of(b), this.slot(lo), this.slot(hi), lo, hi]);
    }

    // A tree of other Terms as one of these, its variables replaced: `by` has functions q, v, a of an
    // index and a tree t.
    carry(node, by, done = new Map()) {
        if (done.has(node)) return done.get(node);
        const w = (k) => this.carry(node.args[k], by, done);
        let out;
        switch (node.op) {
        case 'num': out = this.num(node.extra); break;
        case 'q': case 'v': case 'a': out = by[node.op](node.extra); break;
        case 't': out = by.t; break;
        case '+': out = this.plus(w(0), w(1)); break;
        case '*': out = this.times(w(0), w(1)); break;
        case '/': out = this.div(w(0), w(1)); break;
        case '^': out = this.pow(w(0), node.extra); break;
        case 'abs': case 'sign': case 'floor': out = this[node.op](w(0)); break;
        case 'max': case 'min': out = this[node.op](w(0), w(1)); break;
        case 'if': out = this.choose(w(3), w(0), w(1)); break;
        case 'both': out = this.between(w(4), w(5), w(0), w(1)); break;
        default: out = this.call(node.op, w(0));
        }
        done.set(node, out);
        return out;
    }

    // ------------------------------------------------------------------------ derivatives

    // What a tree means once its switches are held: only + * / ^ and smooth functions remain.
    smooth(node, done = (this.smoothed ??= new Map())) {
        if (done.has(node)) return done.get(node);
        const w = () => node.args.map((a) => this.smooth(a, done));
        const half = (s) => this.mul(0.5, this.add(1, s));
        let out;
        switch (node.op) {
        case 'abs': { const [a, s] = w(); out = this.mul(s, a); break; }
        case 'sign': case 'floor': out = node.args[1]; break;
        case 'max': case 'min': case 'if': {
            const [a, b, s] = w();
            out = this.add(b, this.mul(this.sub(a, b), half(s)));
            break;
        }
        case 'both': {
            const [a, b, s, u] = w();
            out = this.add(b, this.mul(this.sub(a, b), half(s), half(u)));
            break;
        }
        case '+': out = this.plus(...w()); break;
        case '*': out = this.times(...w()); break;
        case '/': out = this.div(...w()); break;
        case '^': out = this.pow(w()[0], node.extra); break;
        default: out = node.args.length ? this.call(node.op, w()[0]) : node;
        }
        done.set(node, out);
        return out;
    }

    // The partial derivative of a smooth tree by a variable: 'q', 'v', 'a' with an index, or 't'.
    diff(node, kind, index) {
        const name = `${kind}${index}`;
        const done = ((this.derived ??= new Map()).get(name) ?? this.derived.set(name, new Map()).get(name));
        const by = (n) => {
            if (!done.has(n)) done.set(n, this.derive(n, kind, index, by));
            return done.get(n);
        };
        return by(node);
    }
    derive(n, kind, index, by) {
        const [a, b] = n.args;
        switch (n.op) {
        case 'num': case 'S': return this.num(0);
        case 'q': case 'v': case 'a': return this.num(n.op === kind && n.extra === index ? 1 : 0);
        case 't': return this.num(kind === 't' ? 1 : 0);
        case '+': return this.plus(by(a), by(b));
        case '*': return this.plus(this.times(by(a), b), this.times(a, by(b)));
        case '/': return this.sub(this.div(by(a), b), this.div(this.times(a, by(b)), this.square(b)));
        case '^': return this.mul(n.extra, this.pow(a, n.extra - 1), by(a));
        case 'sin': return this.times(this.cos(a), by(a));
        case 'cos': return this.mul(-1, this.sin(a), by(a));
        case 'exp': return this.times(n, by(a));
        case 'sqrt': return this.div(by(a), this.mul(2, n));
        default: throw new Error(`no derivative of ${n.op}`);
        }
    }

    // ------------------------------------------------------------------------ text and code

    // As text of the model language.
    text(n) {
        const w = (k) => this.text(n.args[k]);
        switch (n.op) {
        case 'num': return number_text(n.extra);
        case 'q': return this.names[n.extra];
        case 'v': return `${this.names[n.extra]}'`;
        case 'a': return `${this.names[n.extra]}''`;
        case 't': return 't';
        case '+': return `(${w(0)} + ${w(1)})`;
        case '*': return is(n.args[0], -1) ? `(-${w(1)})` : `${w(0)}*${w(1)}`;
        case '/': return `(${w(0)})/(${w(1)})`;
        case '^': return `(${w(0)})^${n.extra < 0 ? `(${n.extra})` : n.extra}`;
        case 'max': case 'min': return `${n.op}(${w(0)}, ${w(1)})`;
        case 'if': return `if(${w(3)} > 0, ${w(0)}, ${w(1)})`;
        case 'both': return `if(${w(4)} > 0 and ${w(5)} > 0, ${w(0)}, ${w(1)})`;
        default: return `${n.op}(${w(0)})`;
        }
    }

    // A function (q, v, t, S, a, out) that fills `out` with the values of smooth trees.
    compile(outputs) {
        const lines = [], place = new Map();
        const value = (n) => {
            if (place.has(n)) return place.get(n);
            const s = code(n, n.args.map(value));
            const simple = n.args.length === 0;
            if (!simple) lines.push(`const n${n.id} = ${s};`);
            place.set(n, simple ? s : `n${n.id}`);
            return place.get(n);
        };
        const last = outputs.map((n, k) => [k, value(n)]).map(([k, s]) => `out[${k}] = ${s};`);
        return new Function('q', 'v', 't', 'S', 'a', 'out', [...lines, ...last].join('\n'));
    }
}

function is(node, x) { return node.op === 'num' && node.extra === x; }

// A number so that it reads back to the same bits.
function number_text(x) {
    const s = String(x).replace('e+', 'e');
    return x < 0 ? `(${s})` : s;
}

function code(n, w) {
    switch (n.op) {
    case 'num': return n.extra < 0 ? `(${n.extra})` : String(n.extra);
    case 'q': case 'v': case 'a': case 'S': return `${n.op}[${n.extra}]`;
    case 't': return 't';
    case '+': case '*': case '/': return `${w[0]} ${n.op} ${w[1]}`;
    case '^': return n.extra === 2 ? `${w[0]} * ${w[0]}` : `Math.pow(${w[0]}, ${n.extra})`;
    default: return `Math.${n.op}(${w[0]})`;
    }
}

module.exports = {Terms, number_text};
