// What a page is made of: the JSON that the command writes into it. DATA.md is the same in words.

export type Kind =
    | 'time'
    | 'coordinate'
    | 'velocity'
    | 'acceleration'
    | 'output'
    | 'energy'
    | 'force'
    | 'multiplier'
    | 'contact'
    | 'residual'
    | 'inconsistency'
    | 'gaussian'
    | 'step'
    | 'drawing';

export interface ColumnInfo {
    name: string;
    kind: Kind;
    family?: string;
    unit?: string;
}

export interface PackedData {
    type: 'f8' | 'f4';
    rows: number;
    columns: ColumnInfo[];
    base64: string;
}

// A constant, or the column of that number.
export type Scalar = number | { c: number };
export type Place = Scalar[];

export interface Shape {
    kind: string;
    name?: string;
    color?: string;
    width?: number;
    p?: Place | Place[];
    q?: Place;
    v?: Place;
    radius?: Scalar;
    R?: Scalar[];
    angle?: Scalar;
    sizes?: Scalar[];
    map?: number[][];
    grid?: [number, number];
    text?: string;
}

export interface SceneInfo {
    dimension: 2 | 3;
    up?: number[];
    shapes: Shape[];
    default?: boolean;
}

export interface ForceInfo {
    name: string;
    kind: 'ideal' | 'nonideal';
    p: Place;
    v: Place;
}

// A place or a number that does not exist is null; without `p` its place is not known.
export interface ContactInfo {
    name: string;
    friction: boolean;
    p?: Place;
    n?: Place;
    f?: Place;
    slope: Scalar;
    state: Scalar;
}

export interface EventInfo {
    t: number;
    name: string;
    message?: string;
    contact?: number;
    what?: string;
}

export interface ConstraintInfo {
    name: string;
    kind: string;
    rows: number;
    redundant?: boolean;
    conflict?: boolean;
    text?: string;
}

export interface PageInfo {
    version: string;
    title: string;
    command?: string;
    file?: string;
    text?: string;
    parameters?: { name: string; value: unknown }[];
    data: PackedData;
    thinned?: { from: number; to: number };
    scene?: SceneInfo;
    forces?: ForceInfo[];
    contacts?: ContactInfo[];
    events?: EventInfo[];
    verdict?: { trust: string; lines: string[] };
    constraints?: ConstraintInfo[];
    equations?: { title: string; mathml: string }[];
    energy?: { columns: string[] };
}
