// Arithmetic of the right sides of expectations: numbers, t, pi, + - * / ^, brackets, functions.
// ^ is right-associative and binds tighter than a sign, as in the model language.
'use strict';

const FUNCTIONS = ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'exp', 'log',
    'sqrt', 'abs', 'hypot'];
const TOKEN = /\s*(\d+(?:\.\d+)?(?:e[-+]?\d+)?|\w+|[-+*/^(),])/y;

function tokens(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    for (let at = 0; text.slice(at).trim(); at = TOKEN.lastIndex) {
        const token = TOKEN.exec(text);
        if (!token) throw new Error(`\`${text}\` is not arithmetic`);
        found.push(token[1]);
    }
    return found;
}

// The value of a text at the time t, which may be absent.
function evaluate(text, t) {
    const rest = tokens(text);
    const fail = () => { throw new Error(`\`${text}\` is not arithmetic of numbers${t === undefined ? '' : ', t'} and pi`); };
    const take = (token) => rest[0] === token && rest.shift() !== undefined;
    const need = (token) => take(token) || fail();

    function primary() {
        const token = rest.shift() || fail();
        if (/^\d/.test(token)) return Number(token);
        if (token === 'pi') return Math.PI;
        if (token === 't' && t !== undefined) return t;
        if (token !== '(' && !FUNCTIONS.includes(token)) fail();
        if (token !== '(') need('(');
        const values = [sum()];
        while (token !== '(' && take(',')) values.push(sum());
        need(')');
        return token === '(' ? values[0] : Math[token](...values);
    }
    function power() {
        const base = primary();
        return take('^') ? base ** sign() : base;
    }
    function sign() {
        return take('-') ? -sign() : take('+') ? sign() : power();
    }
    function product() {
        let value = sign();
        for (;;) {
            if (take('*')) value *= sign();
            else if (take('/')) value /= sign();
            else return value;
        }
    }
    function sum() {
        let value = product();
        for (;;) {
            if (take('+')) value += product();
            else if (take('-')) value -= product();
            else return value;
        }
    }

    const value = sum();
    return rest.length || !Number.isFinite(value) ? fail() : value;
}

module.exports = {evaluate};
