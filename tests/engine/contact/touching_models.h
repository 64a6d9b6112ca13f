/*
 * Small models of contact with answers that are known, shared by the tests of this folder.
 */
#ifndef TOUCHING_MODELS_H
#define TOUCHING_MODELS_H

/* Thrown along the ground; bounces, is slowed down by each impact, comes to rest. */
static const char ball[] = "param e = 0.8, mu = 0.3, g = 9.81\ncoord x, y\n"
                           "kinetic (x'^2 + y'^2)/2\npotential g*y\n"
                           "constraint ground: y >= 0\nrestitution ground: e\n"
                           "friction ground: mu along x'\nstart y = 1, x' = 3\n"
                           "output hit = impulse(ground)\noutput how = contact(ground)\n"
                           "output pressed = multiplier(ground)\noutput rub = friction(ground)\n"
                           "output high = gap(ground)\noutput glide = slip(ground)\n"
                           "when high > 0.5: y' = y'\n";

/* A block on a belt, held by a spring: it sticks up to 0.4 g, and slides at 0.2 g. */
static const char belt[] = "param mu = 0.2, v = 0.3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                           "potential 9.81*y + 5*x^2\nconstraint belt: y >= 0\n"
                           "friction belt: mu along x' - v, static = 0.4\nstart x' = v\n"
                           "output rub = friction(belt)\noutput how = contact(belt)\n"
                           "output glide = slip(belt)\noutput pressed = multiplier(belt)\n";

/* A weight falls until a rope is taut. */
static const char rope[] = "param L = 1\ncoord r[2]\nkinetic dot(r', r')/2\npotential 9.81*r[2]\n"
                           "constraint rope: norm(r) <= L\nstart r = [0, -0.5]\n"
                           "output tension = multiplier(rope)\n";

/* a is driven and must not turn faster than b: a one-way clutch. */
static const char clutch[] = "coord a, b\nkinetic (a'^2 + b'^2)/2\nforce a: 2\n"
                             "constraint clutch: b' - a' >= 0\nstart b' = 1\n"
                             "output carried = multiplier(clutch)\n";

/* Two wheels that turn together, driven against each other: the joint between them rubs until they
 * stand, and then holds them. */
static const char joint[] = "param T = 3\ncoord a, b\nkinetic (a'^2 + b'^2)/2\n"
                            "force a: T\nforce b: 0.1*cos(3*t) - T\nconstraint axle: a - b = 0\n"
                            "friction axle: 0.05 along a', static = 0.3\nstart a' = 0.1, b' = 0.1\n"
                            "output rub = friction(axle)\noutput how = contact(axle)\n";

/* A puck on a table between two walls; friction in the plane and about a second law of it. */
static const char puck[] = "param mu = 0.3\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                           "potential 9.81*z\nforce x: 2*sin(5*t)\nforce y: 4*cos(4*t)\n"
                           "constraint table: z >= 0\nfriction table: mu along [x', y']\n"
                           "friction table: 0.01 along y'\n"
                           "constraint walls: -0.2 <= x <= 0.5\nrestitution walls: 0.5\n"
                           "start x' = 3, y' = 0.4\n";

/* Four legs of which one is too many. */
static const char table[] =
    "param W = 1480.5\ncoord z, p, r\nkinetic (50*z'^2 + 9*p'^2 + 9*r'^2)/2\n"
    "potential W*(z + 0.05*p + 0.1*r)\n"
    "constraint leg: [z + p + r, z + p - r, z - p + r, z - p - r] >= 0\n"
    "output load = multiplier(leg)\n";

/* Held to a line with a friction of its own, by what the line carries; bounces between walls. */
static const char line[] = "param mu = 0.2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                           "force y: 3 + 2*sin(7*t)\nconstraint rail: y = 0\n"
                           "nonideal x: -mu*abs(multiplier(rail))*tanh(20*x')\n"
                           "constraint walls: 0 <= x <= 1\nrestitution walls: 0.7\n"
                           "start x = 0.5, x' = 3\n";

#endif
