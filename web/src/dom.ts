// Elements by a call. Text goes in as text only: nothing in this page is made from markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

function fill(made: Element, attributes: Attributes, children: Child[]): void {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (typeof value === 'function') made.addEventListener(name, value);
        else made.setAttribute(name, value === true ? '' : String(value));
    }
    for (const child of children) if (child) made.append(child);
}

// el('button', {class: 'quiet', click: () => ...}, 'Text')
export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    fill(made, attributes, children);
    return made;
}

const SVG = 'http://www.w3.org/2000/svg';

// A small picture of strokes in a box of 24 by 24.
export function icon(path: string, filled = false): SVGSVGElement {
    const made = document.createElementNS(SVG, 'svg');
    const stroke = document.createElementNS(SVG, 'path');
    stroke.setAttribute('d', path);
    if (filled) stroke.setAttribute('class', 'filled');
    fill(made, { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, [stroke]);
    return made;
}

export const ICONS = {
    play: 'M7 4.5v15l13-7.5z',
    pause: 'M8 5v14M16 5v14',
    back: 'M15 6l-6 6 6 6',
    forward: 'M9 6l6 6-6 6',
    start: 'M18 6l-7 6 7 6M6 6v12',
    loop: 'M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5',
    close: 'M6 6l12 12M18 6L6 18',
    plus: 'M12 5v14M5 12h14',
    light: 'M12 7a5 5 0 1 0 0 10a5 5 0 1 0 0-10M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19',
    dark: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
    fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
    save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
};

// A button that shows a picture only; `title` is its name.
export function iconButton(path: string, title: string, click: () => void): HTMLButtonElement {
    const made = el('button', { type: 'button', class: 'icon-button', title, 'aria-label': title }, icon(path));
    made.addEventListener('click', click);
    return made;
}

// A button that is either pressed or not.
export function toggle(
    label: string,
    pressed: boolean,
    change: (pressed: boolean) => void,
    title?: string,
): HTMLButtonElement {
    const made = el('button', { type: 'button', class: 'toggle', 'aria-pressed': String(pressed), title }, label);
    made.addEventListener('click', () => {
        const now = made.getAttribute('aria-pressed') !== 'true';
        made.setAttribute('aria-pressed', String(now));
        change(now);
    });
    return made;
}

// A choice of one of several, with a name for those who cannot see it.
export function choice(
    label: string,
    options: [string, string][],
    value: string,
    change: (value: string) => void,
): HTMLSelectElement {
    const made = el('select', { 'aria-label': label, title: label });
    for (const [key, text] of options) made.append(el('option', { value: key, selected: key === value }, text));
    made.addEventListener('change', () => change(made.value));
    return made;
}

// Hands a file to the person in front of the page.
export function download(name: string, content: Blob | string, type = 'text/plain'): void {
    const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
    const link = el('a', { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// What a title may be in the name of a file.
export function fileName(title: string): string {
    return (
        title
            .normalize('NFKC')
            .replace(/[^\p{L}\p{N}]+/gu, '_')
            .replace(/^_+|_+$/g, '')
            .slice(0, 60) || 'zwang'
    );
}
