// Equations: MathML as the command writes it, and nothing else. What is no element of MathML, or an
// attribute that has no business there, does not get into the page.

const MATH = 'http://www.w3.org/1998/Math/MathML';
const ELEMENTS = new Set([
    'math',
    'mrow',
    'mi',
    'mn',
    'mo',
    'mtext',
    'ms',
    'mspace',
    'mfrac',
    'msqrt',
    'mroot',
    'msub',
    'msup',
    'msubsup',
    'munder',
    'mover',
    'munderover',
    'mmultiscripts',
    'mprescripts',
    'mtable',
    'mtr',
    'mtd',
    'mstyle',
    'mpadded',
    'mphantom',
    'semantics',
]);
const ATTRIBUTES = new Set([
    'display',
    'displaystyle',
    'mathvariant',
    'stretchy',
    'fence',
    'separator',
    'form',
    'accent',
    'accentunder',
    'width',
    'height',
    'depth',
    'lspace',
    'rspace',
    'columnalign',
    'rowspan',
    'columnspan',
    'scriptlevel',
    'linethickness',
    'symmetric',
    'largeop',
    'movablelimits',
    'minsize',
    'maxsize',
]);

function copied(from: Element): Element | undefined {
    if (!ELEMENTS.has(from.localName)) return undefined;
    const made = document.createElementNS(MATH, from.localName);
    for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
    for (const child of from.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) made.append(child.textContent ?? '');
        else if (child instanceof Element) {
            const inner = copied(child);
            if (inner) made.append(inner);
        }
    }
    if (made.localName === 'mtable') align(made);
    return made;
}

// How the columns of a table are set: not every browser reads it from the table.
function align(table: Element): void {
    const words = (table.getAttribute('columnalign') ?? '')
        .split(/\s+/)
        .filter((word) => /^(left|right|center)$/.test(word));
    if (words.length === 0) return;
    for (const row of table.children)
        [...row.children].forEach((cell, j) => {
            (cell as MathMLElement).style.textAlign = words[Math.min(j, words.length - 1)];
        });
}

// The formulas in a text of MathML: one or several <math>, or what belongs into one.
export function formulas(text: string): Element[] {
    const whole = new DOMParser().parseFromString(`<div xmlns="${MATH}">${text}</div>`, 'application/xml');
    if (whole.getElementsByTagName('parsererror').length > 0) return [];
    const tops = [...whole.documentElement.children];
    if (tops.length === 0) return [];
    if (tops.every((top) => top.localName === 'math')) return tops.map(copied).filter((made) => made !== undefined);
    const math = document.createElementNS(MATH, 'math');
    math.setAttribute('display', 'block');
    math.append(...tops.map(copied).filter((made) => made !== undefined));
    return [math];
}
