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
const TOKEN =
    /(#.*)|("(?:[^"\\]|\\.)*"?)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|([\p{L}_][\p{L}\p{N}_]*'*)|([^\s\p{L}\p{N}_"#]+|\s+|.)/gu;

function lineOf(text: string): DocumentFragment {
    const made = document.createDocumentFragment();
    const contact = STATEMENT.test(text);
    for (const [whole, comment, string, number, word] of text.matchAll(TOKEN)) {
        const kind = comment
            ? 'comment'
            : string
              ? 'string'
              : number
                ? 'number'
                : word && (KEYWORDS.has(word) || (contact && CONTACT.has(word)))
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
