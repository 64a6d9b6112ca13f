// Numbers as people read them, and the marks of axes.

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const MINUS = '−';

function power(exponent: number): string {
    const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPT[Number(digit)]).join('');
    return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

// A value with so many digits, as short as it goes.
export function figure(value: number, digits = 5): string {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? 'none' : value > 0 ? '∞' : MINUS + '∞';
    if (value === 0) return '0';
    const size = Math.abs(value),
        sign = value < 0 ? MINUS : '';
    if (size >= 1e-4 && size < 1e6) return sign + String(Number(size.toPrecision(digits)));
    const [mantissa, exponent] = size.toExponential(digits - 1).split('e');
    const short = String(Number(mantissa));
    return sign + (short === '1' ? '' : short + '·') + power(Number(exponent));
}

// 1, 2 or 5 times a power of ten, next to x from below or above.
export function niceStep(x: number): number {
    const base = 10 ** Math.floor(Math.log10(x)),
        rest = x / base;
    return base * (rest <= 1.0001 ? 1 : rest <= 2.0001 ? 2 : rest <= 5.0001 ? 5 : 10);
}

export interface Tick {
    at: number;
    text: string;
}

// About `count` marks between low and high.
export function linearTicks(low: number, high: number, count: number): Tick[] {
    if (!(high > low)) return [{ at: low, text: figure(low) }];
    const step = niceStep((high - low) / Math.max(1, count));
    const digits = Math.max(1, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step)) + 1);
    const ticks: Tick[] = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
        const at = k * step;
        ticks.push({ at, text: k === 0 ? '0' : figure(at, Math.min(15, digits)) });
    }
    return ticks;
}

// Powers of ten between two logarithms.
export function logTicks(low: number, high: number, count: number): Tick[] {
    const every = Math.max(1, Math.ceil((high - low) / Math.max(1, count)));
    const ticks: Tick[] = [];
    for (let k = Math.ceil(low - 1e-9); k <= high + 1e-9; k++)
        if (k % every === 0) ticks.push({ at: k, text: k >= -2 && k <= 4 ? String(10 ** k) : power(k) });
    return ticks;
}
