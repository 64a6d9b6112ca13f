/*
 * peer_dart.cpp: the problems for peers by DART.
 *
 * Rigid contacts by a boxed LCP at every step of time (Dantzig's method, projected Gauss-Seidel where
 * it fails), with coefficients of friction and restitution. The ground is a thick box.
 */
#include <cmath>
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/constraint/ContactConstraint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <string>
#include <vector>

#include "peer_problems.h"

using namespace dart;

struct Setting {
    const char *name;
    double step;
    bool best;    // the detector that knows boxes and spheres exactly, the least softness
    double apart; // room between the balls of the cradle, so that one impact comes after another
};

static const Setting settings[] = {{"default", 1e-3, false, 0.0}, {"best", 1e-4, true, 1e-4}};

// Friction and restitution of a contact: the smaller of the two coefficients, their product.
static void setSurface(dynamics::ShapeNode *shape, double mu, double e)
{
    shape->getDynamicsAspect()->setFrictionCoeff(mu);
    shape->getDynamicsAspect()->setRestitutionCoeff(e);
}

static void addShape(dynamics::BodyNode *body, const dynamics::ShapePtr &shape,
                     const Eigen::Vector3d &at, double mu, double e)
{
    auto *node =
        body->createShapeNodeWith<dynamics::CollisionAspect, dynamics::DynamicsAspect>(shape);
    node->setRelativeTranslation(at);
    setSurface(node, mu, e);
}

static void addGround(const simulation::WorldPtr &world, double mu)
{
    auto ground = dynamics::Skeleton::create("ground");
    auto *body = ground->createJointAndBodyNodePair<dynamics::WeldJoint>().second;
    addShape(body, std::make_shared<dynamics::BoxShape>(Eigen::Vector3d(40, 4, 1)), {0, 0, -0.5},
             mu, 1.0);
    world->addSkeleton(ground);
}

static dynamics::SkeletonPtr addFree(const simulation::WorldPtr &world,
                                     const dynamics::ShapePtr &shape, double z, double mu, double e)
{
    auto thing = dynamics::Skeleton::create("thing");
    auto pair = thing->createJointAndBodyNodePair<dynamics::FreeJoint>();
    addShape(pair.second, shape, Eigen::Vector3d::Zero(), mu, e);
    pair.second->setInertia(
        dynamics::Inertia(1.0, Eigen::Vector3d::Zero(), shape->computeInertia(1.0)));
    pair.first->setPosition(5, z);
    world->addSkeleton(thing);
    return thing;
}

static dynamics::SkeletonPtr addPendulum(const simulation::WorldPtr &world, int i, double angle,
                                         double radius)
{
    auto thing = dynamics::Skeleton::create("pendulum" + std::to_string(i));
    dynamics::RevoluteJoint::Properties joint;
    joint.mAxis = -Eigen::Vector3d::UnitY();
    joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(2 * PEER_RADIUS * i, 0, 2);
    auto pair = thing->createJointAndBodyNodePair<dynamics::RevoluteJoint>(nullptr, joint);
    Eigen::Vector3d centre(0, 0, -PEER_LENGTH);
    addShape(pair.second, std::make_shared<dynamics::SphereShape>(radius), centre, 0.0, 1.0);
    pair.second->setInertia(dynamics::Inertia(1.0, centre, 1e-12 * Eigen::Matrix3d::Identity()));
    pair.first->setPosition(0, angle);
    world->addSkeleton(thing);
    return thing;
}

struct Scene {
    simulation::WorldPtr world = simulation::World::create();
    std::vector<dynamics::SkeletonPtr> things;
};

static Scene build(const Setting &how, const peer_problem &p)
{
    Scene s;
    double lean = p.kind == PEER_BOX ? PEER_SLOPE : 0.0;
    s.world->setTimeStep(how.step);
    s.world->setGravity(PEER_GRAVITY * Eigen::Vector3d(std::sin(lean), 0, -std::cos(lean)));
    if (how.best) {
        s.world->getConstraintSolver()->setCollisionDetector(
            collision::DARTCollisionDetector::create());
        constraint::ContactConstraint::setConstraintForceMixing(1e-9);
    }
    if (p.kind != PEER_CRADLE) addGround(s.world, p.mu);
    if (p.kind == PEER_BOX) {
        auto shape = std::make_shared<dynamics::BoxShape>(
            Eigen::Vector3d(PEER_BOX_LENGTH, PEER_BOX_LENGTH, PEER_BOX_HEIGHT));
        s.things.push_back(addFree(s.world, shape, PEER_BOX_HEIGHT / 2, p.mu, 0.0));
        s.things[0]->setVelocity(3, p.speed);
    } else if (p.kind == PEER_BALL) {
        auto shape = std::make_shared<dynamics::SphereShape>(PEER_RADIUS);
        s.things.push_back(
            addFree(s.world, shape, PEER_RADIUS + PEER_HEIGHT, 0.0, PEER_RESTITUTION));
    } else {
        for (int i = 0; i < PEER_BALLS; i++)
            s.things.push_back(addPendulum(s.world, i, i < p.lifted ? -PEER_LIFT : 0.0,
                                           PEER_RADIUS - how.apart / 2));
    }
    return s;
}

static void readState(const Scene &s, const peer_problem &p, peer_state *out)
{
    if (p.kind == PEER_CRADLE) {
        for (int i = 0; i < PEER_BALLS; i++)
            out->q[i] = s.things[i]->getPosition(0), out->v[i] = s.things[i]->getVelocity(0);
        return;
    }
    int axis = p.kind == PEER_BOX ? 0 : 2;
    const dynamics::BodyNode *body = s.things[0]->getBodyNode(0);
    out->q[0] =
        body->getTransform().translation()[axis] - (p.kind == PEER_BALL ? PEER_RADIUS : 0.0);
    out->v[0] = body->getLinearVelocity()[axis];
}

static double run(void *user, const peer_problem *problem, peer_record *r)
{
    const Setting &how = *static_cast<const Setting *>(user);
    const peer_problem &p = *problem;
    double called = peer_seconds();
    Scene s = build(how, p);
    readState(s, p, &r->at[0]);
    long each = std::lround(p.until / p.samples / how.step);
    double began = peer_seconds();
    r->ready = began - called;
    for (int i = 1; i <= p.samples; i++) {
        for (long k = 0; k < each; k++) {
            s.world->step();
            if (p.kind != PEER_BALL) continue;
            peer_state now;
            readState(s, p, &now);
            peer_watch(r, now.q[0], now.v[0]);
        }
        readState(s, p, &r->at[i]);
    }
    return peer_seconds() - began;
}

int main()
{
    for (Setting how : settings)
        for (const peer_problem &p : peer_list) peer_measure("DART", how.name, &p, run, &how);
}
