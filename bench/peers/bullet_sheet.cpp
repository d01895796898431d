// bullet_sheet.cpp - a sheet hung by two corners in Bullet's position-based soft body, timed, for bench/bullet.lua.
//
//   bullet_sheet side frames fps substeps iterations mass pinned
//
// The mesh is weft's: side x side vertices along the weft first, alternating diagonals, Y up, 1 m x 1 m, level at
// first. `pinned` (m) is how much of the last row is held at either end; 0: the corner points. Before each frame it
// waits for a line of input, so that who measures can take turns. It writes a line "frame <n> <seconds> <seconds of
// processor time>", then a line "x y z" for each vertex.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

static double processor_seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static btSoftBody *make_sheet(btSoftBodyWorldInfo &info, int side, double mass, double pinned)
{
    int cells = side - 1;
    std::vector<btScalar> points;
    std::vector<int> faces;
    for (int j = 0; j < side; j++) {
        for (int i = 0; i < side; i++) {
            points.push_back(btScalar(double(i) / cells - 0.5));
            points.push_back(0);
            points.push_back(btScalar(0.5 - double(j) / cells));
        }
    }
    for (int j = 0; j < cells; j++) {
        for (int i = 0; i < cells; i++) {
            int a = j * side + i, b = a + 1, c = b + side, d = a + side;
            bool rising = (i + j) % 2 == 0;
            int pair[2][3] = {{a, b, rising ? c : d}, {rising ? a : b, c, d}};
            faces.insert(faces.end(), &pair[0][0], &pair[0][0] + 6);
        }
    }
    btSoftBody *sheet = btSoftBodyHelpers::CreateFromTriMesh(info, points.data(), faces.data(), int(faces.size() / 3),
                                                             false);
    sheet->setTotalMass(btScalar(mass), true);
    for (int i = 0; i < side; i++) {
        double s = double(i) / cells;
        if (s <= pinned + 1e-9 || s >= 1 - pinned - 1e-9) {
            sheet->setMass(cells * side + i, 0);
        }
    }
    sheet->m_materials[0]->m_kLST = 1;
    sheet->m_cfg.collisions = 0;
    return sheet;
}

int main(int count, char **arguments)
{
    if (count != 8) {
        std::fprintf(stderr, "usage: bullet_sheet side frames fps substeps iterations mass pinned\n");
        return 2;
    }
    int side = std::atoi(arguments[1]), frames = std::atoi(arguments[2]);
    double fps = std::atof(arguments[3]);
    int substeps = std::atoi(arguments[4]), iterations = std::atoi(arguments[5]);
    if (side < 2 || !(fps > 0) || substeps < 1 || iterations < 1) {
        std::fprintf(stderr, "bullet_sheet: bad arguments\n");
        return 2;
    }

    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, btScalar(-9.81), 0));
    btSoftBodyWorldInfo &info = world.getWorldInfo();
    info.m_gravity.setValue(0, btScalar(-9.81), 0);
    info.air_density = 0;
    btSoftBody *sheet = make_sheet(info, side, std::atof(arguments[6]), std::atof(arguments[7]));
    sheet->m_cfg.piterations = iterations;
    world.addSoftBody(sheet);

    for (int frame = 0; frame <= frames; frame++) {
        int c;
        do {
            c = std::getchar();
        } while (c != '\n' && c != EOF);
        if (c == EOF) {
            break;
        }
        auto start = std::chrono::steady_clock::now();
        double processor_start = processor_seconds();
        if (frame > 0) {
            world.stepSimulation(btScalar(1 / fps), substeps, btScalar(1 / fps / substeps));
        }
        double processor = processor_seconds() - processor_start;
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::printf("frame %d %.6f %.6f\n", frame, seconds.count(), processor);
        for (int i = 0; i < sheet->m_nodes.size(); i++) {
            const btVector3 &x = sheet->m_nodes[i].m_x;
            std::printf("%.9g %.9g %.9g\n", double(x.x()), double(x.y()), double(x.z()));
        }
        std::fflush(stdout);
    }
    world.removeSoftBody(sheet);
    delete sheet;
    return 0;
}
