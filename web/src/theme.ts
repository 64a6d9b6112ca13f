// Light and dark, and colours that can be told apart: by people who see fewer of them, too (after Okabe
// and Ito), on either ground.

export type Rgb = [number, number, number];

const SERIES = {
    light: ['#0072b2', '#d55e00', '#009e73', '#b0568f', '#9a6a00', '#3a9bd6', '#5b5b5b', '#7a4fbf'],
    dark: ['#56b4e9', '#ff8a3d', '#2fc79a', '#e59ac8', '#e6b53c', '#9ad0f5', '#b8bcc4', '#b79bf0'],
};

// What the canvases need of the style sheet, read once a change.
export interface Paint {
    dark: boolean;
    ground: string;
    ink: string;
    soft: string;
    faint: string;
    accent: string;
    body: string;
    ideal: string;
    nonideal: string;
    touches: string;
    slides: string;
    sticks: string;
    series: string[];
}

const listeners: (() => void)[] = [];
let current: Paint | undefined;

export function isDark(): boolean {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

export function paint(): Paint {
    if (current) return current;
    const style = getComputedStyle(document.documentElement);
    const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    current = {
        dark: isDark(),
        ground: read('stage'),
        ink: read('ink'),
        soft: read('soft'),
        faint: read('faint'),
        accent: read('accent'),
        body: read('body'),
        ideal: read('ideal'),
        nonideal: read('nonideal'),
        touches: read('touches'),
        slides: read('slides'),
        sticks: read('sticks'),
        series: SERIES[isDark() ? 'dark' : 'light'],
    };
    return current;
}

export function onTheme(listener: () => void): void {
    listeners.push(listener);
}

function changed(): void {
    current = undefined;
    seen.clear();
    for (const listener of listeners) listener();
}

export function setTheme(theme: 'light' | 'dark' | undefined): void {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    changed();
}

// Follows the system, and is light on paper.
export function watchTheme(): void {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
    let before: string | undefined;
    addEventListener('beforeprint', () => {
        before = document.documentElement.dataset.theme;
        setTheme('light');
    });
    addEventListener('afterprint', () => setTheme(before as 'light' | 'dark' | undefined));
}

// ------------------------------------------------------------------------ colours of a model

const parsed = new Map<string, Rgb>(),
    seen = new Map<string, string>();
let probe: CanvasRenderingContext2D | null | undefined;

// A CSS colour as red, green and blue of 0 to 1; the accent where it is none.
export function rgb(colour: string): Rgb {
    const known = parsed.get(colour);
    if (known) return known;
    probe ??= document.createElement('canvas').getContext('2d');
    let made: Rgb = [0.5, 0.5, 0.5];
    if (probe) {
        probe.fillStyle = '#808080';
        probe.fillStyle = colour; // an unknown colour leaves it as it was
        const hex = /^#([0-9a-f]{6})$/.exec(probe.fillStyle);
        if (hex) made = [0, 2, 4].map((i) => parseInt(hex[1].slice(i, i + 2), 16) / 255) as Rgb;
    }
    parsed.set(colour, made);
    return made;
}

export function css([r, g, b]: Rgb): string {
    return (
        '#' +
        [r, g, b]
            .map((x) =>
                Math.round(255 * Math.min(1, Math.max(0, x)))
                    .toString(16)
                    .padStart(2, '0'),
            )
            .join('')
    );
}

export function mix(a: Rgb, b: Rgb, part: number): Rgb {
    return [0, 1, 2].map((i) => a[i] + part * (b[i] - a[i])) as Rgb;
}

function luminance(colour: Rgb): number {
    const [r, g, b] = colour.map((x) => (x <= 0.04 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

// A colour of the model, moved towards the ink until it can be seen on this ground: navy is chosen on
// white paper and must be there in the dark as well.
export function visible(colour: string): string {
    const known = seen.get(colour);
    if (known) return known;
    const { ground, ink } = paint();
    let shade = rgb(colour);
    for (let k = 0; k < 8 && contrast(shade, rgb(ground)) < 2.6; k++) shade = mix(shade, rgb(ink), 0.18);
    seen.set(colour, css(shade));
    return css(shade);
}
