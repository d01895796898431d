/* weft.h - the whole public C interface of weft, for programs that use it without Lua.
 *
 * A context first (base/types.h), then fabrics, garments and bodies, then a world that steps them; results are read
 * from the members and written with io/. Every header says shapes, units and errors. examples/free_fall.c is a whole
 * program and says how it is built.
 */
#ifndef WEFT_H
#define WEFT_H

#include "base/types.h"

#include "mesh/mesh.h"
#include "mesh/intersect.h"
#include "mesh/solid.h"
#include "mesh/triangulate.h"

#include "fabric/fabric.h"
#include "fabric/fit.h"

#include "garment/pattern.h"
#include "garment/assemble.h"
#include "garment/place.h"

#include "body/body.h"
#include "body/mannequin.h"
#include "body/measure.h"

#include "contact/colliders/collider.h"

#include "air/aerodynamic_law.h"
#include "air/flow.h"
#include "air/obstacles.h"
#include "air/sources.h"
#include "air/streamlines.h"
#include "air/wind.h"
#include "air/wind_particles.h"

#include "io/obj.h"
#include "io/ply.h"
#include "io/triangles.h"
#include "io/vtk.h"

#include "step/equation.h"
#include "step/integrator.h"
#include "step/march.h"
#include "step/problems.h"
#include "step/stability.h"

#include "world/air.h"
#include "world/cloth.h"
#include "world/export.h"
#include "world/garment_cloth.h"
#include "world/sewing.h"
#include "world/shadow.h"
#include "world/testbench.h"
#include "world/trial.h"
#include "world/world.h"

#endif
