// The text of a model with its words in colours.
import { el } from './dom';

const KEYWORDS = new Set(
    (
        'model use param coord let lagrangian kinetic potential dissipation mass force constraint weight nonideal control ' +
        'start output when draw simulate for if else component part and or not sum in t pi fixed'
    ).split(' '),
);
// Words only in statements of their own: elsewhere they are names as any other.
const STATEMENT = /(?:^|\{)\s*(?:friction|restitution)\s+[\p{L}_]/u;
const CONTACT = new Set('friction restitution along static pressure tangential'.split(' '));
const GIVEN = /(?:^|\{)\s*(?:input|data)\s+[\p{L}_]/u;
const DATA = new Set('linear cubic hold periodic extend'.split(' '));
const DRIVEN = /(?:^|\{)\s*control\s.*?:/u;
const MOTOR = new Set('by within along weight'.split(' '));
const TOKEN =
    /(#.*)|("(?:[^"\\]|\\.)*"?)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|([\p{L}_][\p{L}\p{N}_]*'*)|([^\s\p{L}\p{N}_"#]+|\s+|.)/gu;

// Whether a word is one of its statement, `before` so many others of the line.
function wordsInPlace(text: string): (word: string, before: number) => boolean {
    if (STATEMENT.test(text)) return (word) => CONTACT.has(word);
    if (GIVEN.test(text)) {
        const data = /(?:^|\{)\s*data\s/.test(text);
        return (word, before) => before === 0 || (data && before > 1 && DATA.has(word));
    }
    if (!DRIVEN.test(text)) return () => false;
    let motors = false;
    return (word) => {
        motors = motors || word === 'by';
        return motors && MOTOR.has(word);
    };
}

function lineOf(text: string): DocumentFragment {
    const made = document.createDocumentFragment();
    const inPlace = wordsInPlace(text);
    let names = 0;
    for (const [whole, comment, string, number, word] of text.matchAll(TOKEN)) {
        const kind = comment
            ? 'comment'
            : string
              ? 'string'
              : number
                ? 'number'
                : word && (KEYWORDS.has(word) || inPlace(word, names++))
                  ? 'word'
                  : '';
        made.append(kind ? el('span', { class: `code-${kind}` }, whole) : whole);
    }
    return made;
}

// Lines with their numbers; the numbers are no part of what is copied.
export function highlighted(text: string): HTMLElement {
    const lines = text.replace(/\n$/, '').split('\n');
    return el(
        'pre',
        { class: 'code', tabindex: '0', 'aria-label': 'Text of the model' },
        ...lines.map((line) => {
            const made = el('span', { class: 'code-line' });
            made.append(lineOf(line), '\n');
            return made;
        }),
    );
}
