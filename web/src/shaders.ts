// The programs of the graphics card. Lines are capsules of so many pixels, drawn in the plane of the
// screen; balls are true spheres, found by the ray through each pixel; everything else is triangles.

const HEAD = `#version 300 es
precision highp float;
`;

// Light from above on the left of the eye, and a little from everywhere.
const LIGHT = `
vec3 lit(vec3 colour, vec3 n) {
    vec3 l = normalize(vec3(-0.35, 0.75, 0.6));
    float around = 0.5 + 0.5 * n.y, direct = max(dot(n, l), 0.0);
    float shine = pow(max(dot(n, normalize(l + vec3(0.0, 0.0, 1.0))), 0.0), 40.0);
    return colour * (0.46 + 0.16 * around + 0.46 * direct) + 0.16 * shine;
}
`;

export const LINE_VERTEX = `${HEAD}
uniform mat4 both;
uniform vec2 screen;
in vec2 corner;
in vec3 from;
in vec3 to;
in vec4 colour;
in float width;
out vec2 along;
flat out float size;
flat out float reach;
flat out vec4 shade;
void main() {
    vec4 a = both * vec4(from, 1.0), b = both * vec4(to, 1.0);
    float near = 1e-4;
    if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 p = a.xy / a.w * screen * 0.5, q = b.xy / b.w * screen * 0.5;
    reach = distance(p, q);
    vec2 d = reach > 1e-6 ? (q - p) / reach : vec2(1.0, 0.0), n = vec2(-d.y, d.x);
    size = 0.5 * width;
    float margin = size + 1.0, end = step(0.0, corner.x);
    vec2 at = mix(p, q, end) + d * corner.x * margin + n * corner.y * margin;
    along = vec2(end * reach + corner.x * margin, corner.y * margin);
    shade = colour;
    gl_Position = vec4(at / (screen * 0.5), mix(a.z / a.w, b.z / b.w, end), 1.0);
}`;

export const LINE_FRAGMENT = `${HEAD}
uniform float alpha;
in vec2 along;
flat in float size;
flat in float reach;
flat in vec4 shade;
out vec4 seen;
void main() {
    float beyond = max(max(-along.x, along.x - reach), 0.0), off = length(vec2(beyond, along.y));
    float cover = clamp(size + 0.5 - off, 0.0, 1.0);
    if (cover <= 0.0) discard;
    float round = size > 1.2 ? sqrt(max(0.0, 1.0 - off * off / (size * size))) : 1.0;
    seen = vec4(shade.rgb * (0.74 + 0.26 * round), shade.a * cover * alpha);
}`;

export const BALL_VERTEX = `${HEAD}
uniform mat4 view;
uniform mat4 projection;
in vec2 corner;
in vec4 ball;
in vec4 colour;
out vec3 at;
flat out vec3 centre;
flat out float radius;
flat out vec4 shade;
void main() {
    centre = (view * vec4(ball.xyz, 1.0)).xyz;
    radius = ball.w;
    float d = length(centre);
    vec3 dir = centre / d, right = normalize(cross(dir, vec3(0.0, 1.0, 0.001))), up = cross(right, dir);
    float grown = radius * 1.06 * d / sqrt(max(d * d - radius * radius, 0.01 * d * d));
    at = centre + (right * corner.x + up * corner.y) * grown;
    shade = colour;
    gl_Position = projection * vec4(at, 1.0);
}`;

export const BALL_FRAGMENT = `${HEAD}${LIGHT}
uniform mat4 projection;
uniform float alpha;
in vec3 at;
flat in vec3 centre;
flat in float radius;
flat in vec4 shade;
out vec4 seen;
void main() {
    vec3 ray = normalize(at);
    float b = dot(ray, centre), inside = radius * radius - dot(centre - b * ray, centre - b * ray);
    float cover = clamp(inside / max(fwidth(inside), 1e-12) + 0.5, 0.0, 1.0);
    if (cover <= 0.0) discard;
    vec3 p = ray * (b - sqrt(max(inside, 0.0)));
    vec4 clip = projection * vec4(p, 1.0);
    gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
    seen = vec4(lit(shade.rgb, normalize(p - centre)), shade.a * cover * alpha);
}`;

export const MESH_VERTEX = `${HEAD}
uniform mat4 view;
uniform mat4 projection;
in vec3 place;
in vec3 normal;
in vec4 m0;
in vec4 m1;
in vec4 m2;
in vec4 m3;
in vec4 colour;
out vec3 n;
out vec3 at;
flat out vec4 shade;
vec3 divided(vec3 axis) { return axis / max(dot(axis, axis), 1e-30); }
void main() {
    vec4 world = mat4(m0, m1, m2, m3) * vec4(place, 1.0);
    vec3 turned = divided(m0.xyz) * normal.x + divided(m1.xyz) * normal.y + divided(m2.xyz) * normal.z;
    n = mat3(view) * turned;
    at = (view * world).xyz;
    shade = colour;
    gl_Position = projection * vec4(at, 1.0);
}`;

export const MESH_FRAGMENT = `${HEAD}${LIGHT}
uniform float alpha;
in vec3 n;
in vec3 at;
flat in vec4 shade;
out vec4 seen;
void main() {
    vec3 facing = normalize(n);
    if (dot(facing, at) > 0.0) facing = -facing;
    seen = vec4(lit(shade.rgb, facing), shade.a * alpha);
}`;
