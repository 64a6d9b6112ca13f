/*
 * peer_simbody.cpp: the problems for peers by Simbody.
 *
 * Twice. `rigid`: unilateral contacts with SemiExplicitEulerTimeStepper, Simbody's own way for rigid
 * contact with friction and restitution. `compliant`: Hunt-Crossley contacts, regularised friction,
 * and an error-controlled Runge-Kutta-Merson integrator; there the loss in an impact depends on its
 * speed, so that the ball of a given restitution is left out.
 */
#include <Simbody.h>

#include <iostream>
#include <vector>

#include "peer_problems.h"

using namespace SimTK;

struct Setting {
    const char *name;
    bool compliant;
    double step;     // of the rigid stepper
    bool sharp;      // small thresholds of speed, impacts one after another
    double accuracy; // of the integrator
};

static const Setting settings[] = {
    {"default", false, 1e-3, false, 0.0},
    {"best", false, 1e-4, true, 0.0},
    {"compliant", true, 0.0, false, 1e-3},
    {"compliant best", true, 0.0, true, 1e-6},
};

// A system with what is asked of it. Heights are along z, the cradle lies in the plane of x and y.
struct World {
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    ContactTrackerSubsystem tracker;
    CompliantContactSubsystem contacts;
    std::vector<MobilizedBody> bodies;

    World() : matter(system), forces(system), tracker(system), contacts(system, tracker) {}
};

// The box on something like rubber; the balls hard, and without loss.
static ContactMaterial material(const peer_problem &p)
{
    return p.kind == PEER_BOX ? ContactMaterial(1e6, 1.0, p.mu, p.mu)
                              : ContactMaterial(1e10, 0.0, 0.0, 0.0);
}

static void addGround(World &w, const peer_problem &p)
{
    Rotation down(Pi / 2, YAxis); // a half space is what lies to the side of x
    w.matter.Ground().updBody().addContactSurface(
        Transform(down), ContactSurface(ContactGeometry::HalfSpace(), material(p)));
}

static void addBox(World &w, const Setting &how, const peer_problem &p)
{
    Vec3 half(PEER_BOX_LENGTH / 2, PEER_BOX_LENGTH / 2, PEER_BOX_HEIGHT / 2);
    Body::Rigid body(MassProperties(1.0, Vec3(0), UnitInertia::brick(half)));
    if (how.compliant) {
        body.addContactSurface(Transform(),
                               ContactSurface(ContactGeometry::Brick(half), material(p)));
        addGround(w, p);
    }
    MobilizedBody::Free box(w.matter.Ground(), Transform(), body, Transform());
    for (int i = 0; !how.compliant && i < 4; i++)
        w.matter.adoptUnilateralContact(new PointPlaneContact(
            w.matter.updGround(), ZAxis, 0.0, box,
            Vec3(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], -half[2]), 0.0, p.mu, p.mu,
            0.0));
    w.bodies.push_back(box);
}

static void addBall(World &w)
{
    Body::Rigid body(MassProperties(1.0, Vec3(0), UnitInertia::sphere(PEER_RADIUS)));
    MobilizedBody::Free ball(w.matter.Ground(), Transform(), body, Transform());
    w.matter.adoptUnilateralContact(new SpherePlaneContact(w.matter.updGround(), ZAxis, 0.0, ball,
                                                           Vec3(0), PEER_RADIUS, PEER_RESTITUTION,
                                                           0.0, 0.0, 0.0));
    w.bodies.push_back(ball);
}

static void addCradle(World &w, const Setting &how, const peer_problem &p)
{
    Vec3 centre(0, -PEER_LENGTH, 0);
    Body::Rigid body(MassProperties(1.0, centre, UnitInertia::pointMassAt(centre)));
    if (how.compliant)
        body.addContactSurface(Transform(centre),
                               ContactSurface(ContactGeometry::Sphere(PEER_RADIUS), material(p)));
    for (int i = 0; i < PEER_BALLS; i++)
        w.bodies.push_back(MobilizedBody::Pin(
            w.matter.Ground(), Transform(Vec3(2 * PEER_RADIUS * i, 0, 0)), body, Transform()));
    for (int i = 1; !how.compliant && i < PEER_BALLS; i++)
        w.matter.adoptUnilateralContact(new SphereSphereContact(w.bodies[i - 1], centre,
                                                                PEER_RADIUS, w.bodies[i], centre,
                                                                PEER_RADIUS, 1.0, 0.0, 0.0, 0.0));
}

static State start(World &w, const Setting &how, const peer_problem &p)
{
    Vec3 down = p.kind == PEER_CRADLE ? Vec3(0, -1, 0)
                : p.kind == PEER_BOX  ? Vec3(std::sin(PEER_SLOPE), 0, -std::cos(PEER_SLOPE))
                                      : Vec3(0, 0, -1);
    Force::UniformGravity(w.forces, w.matter, PEER_GRAVITY * down);
    if (p.kind == PEER_BOX) addBox(w, how, p);
    if (p.kind == PEER_BALL) addBall(w);
    if (p.kind == PEER_CRADLE) addCradle(w, how, p);
    w.system.realizeTopology();
    State s = w.system.getDefaultState();
    w.system.realizeModel(s);
    if (p.kind == PEER_BOX) {
        w.bodies[0].setQToFitTranslation(s, Vec3(0, 0, PEER_BOX_HEIGHT / 2));
        w.bodies[0].setUToFitLinearVelocity(s, Vec3(p.speed, 0, 0));
    }
    if (p.kind == PEER_BALL)
        w.bodies[0].setQToFitTranslation(s, Vec3(0, 0, PEER_RADIUS + PEER_HEIGHT));
    for (int i = 0; p.kind == PEER_CRADLE && i < p.lifted; i++)
        w.bodies[i].setOneQ(s, 0, -PEER_LIFT);
    return s;
}

static void readState(const World &w, const peer_problem &p, const State &s, peer_state *out)
{
    w.system.realize(s, Stage::Velocity);
    if (p.kind == PEER_CRADLE) {
        for (int i = 0; i < PEER_BALLS; i++)
            out->q[i] = w.bodies[i].getOneQ(s, 0), out->v[i] = w.bodies[i].getOneU(s, 0);
        return;
    }
    int axis = p.kind == PEER_BOX ? 0 : 2;
    out->q[0] =
        w.bodies[0].getBodyOriginLocation(s)[axis] - (p.kind == PEER_BALL ? PEER_RADIUS : 0.0);
    out->v[0] = w.bodies[0].getBodyOriginVelocity(s)[axis];
}

static double runRigid(const Setting &how, const peer_problem &p, peer_record *r)
{
    // the default holds the box to the last digit, and this would take minutes
    if (how.sharp && p.until > 50.0) return PEER_LEFT_OUT;
    double called = peer_seconds();
    World w;
    State s = start(w, how, p);
    SemiExplicitEulerTimeStepper stepper(w.system);
    if (how.sharp) {
        stepper.setInducedImpactModel(SemiExplicitEulerTimeStepper::Sequential);
        stepper.setMaxInducedImpactsPerStep(100);
        stepper.setConstraintTolerance(1e-8);
        stepper.setDefaultImpactCaptureVelocity(1e-7);
        stepper.setDefaultImpactMinCORVelocity(1e-7);
        stepper.setDefaultFrictionTransitionVelocity(1e-7);
    }
    stepper.initialize(s);
    readState(w, p, stepper.getState(), &r->at[0]);
    long each = std::lround(p.until / p.samples / how.step);
    double began = peer_seconds();
    r->ready = began - called;
    for (int i = 1; i <= p.samples; i++) {
        for (long k = 1; k <= each; k++) {
            stepper.stepTo(how.step * double((i - 1) * each + k));
            if (p.kind != PEER_BALL) continue;
            peer_state now;
            readState(w, p, stepper.getState(), &now);
            peer_watch(r, now.q[0], now.v[0]);
        }
        readState(w, p, stepper.getState(), &r->at[i]);
    }
    return peer_seconds() - began;
}

static double runCompliant(const Setting &how, const peer_problem &p, peer_record *r)
{
    if (p.kind == PEER_BALL) return PEER_LEFT_OUT;
    double called = peer_seconds();
    World w;
    State s = start(w, how, p);
    if (how.sharp) w.contacts.setTransitionVelocity(1e-3);
    RungeKuttaMersonIntegrator integrator(w.system);
    integrator.setAccuracy(how.accuracy);
    TimeStepper stepper(w.system, integrator);
    stepper.initialize(s);
    readState(w, p, integrator.getState(), &r->at[0]);
    double began = peer_seconds();
    r->ready = began - called;
    for (int i = 1; i <= p.samples; i++) {
        stepper.stepTo(p.until * i / p.samples);
        readState(w, p, integrator.getState(), &r->at[i]);
    }
    return peer_seconds() - began;
}

static double run(void *user, const peer_problem *p, peer_record *r)
{
    const Setting &how = *static_cast<const Setting *>(user);
    try {
        return how.compliant ? runCompliant(how, *p, r) : runRigid(how, *p, r);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "peer_simbody: %s, %s: %s\n", how.name, p->name, e.what());
        return PEER_FAILED;
    }
}

int main()
{
    peer_hush(); // Debian's build tells all that it does
    std::cout.setstate(std::ios::badbit);
    std::cerr.setstate(std::ios::badbit);
    for (Setting how : settings)
        for (const peer_problem &p : peer_list) peer_measure("Simbody", how.name, &p, run, &how);
}
