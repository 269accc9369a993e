/* rig/freedoms: counts the freedoms of a figure, and the equations that its motion asks for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/linkage.h"

#include <inttypes.h>

typedef struct {
  const KgSkeleton *skeleton;
  int base;
  int64_t links;
  int64_t pins;
  int64_t held;
  int64_t freedoms;
  int64_t coordinates;
  int64_t constraints;
  int64_t unknowns;
  char *report;
} Freedoms;

enum { BASE_FREE, BASE_FIXED, N_BASES };

static const KgChoice freedoms_bases[] = {
  [BASE_FREE] = { "free", N_ ("Free") },
  [BASE_FIXED] = { "fixed", N_ ("Fixed") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (freedoms_bases, N_BASES);

/* A body for each joint; joints with up to six freedoms, which constraints take away from six for each body. */
static void
count_skeleton (Freedoms *n, GString *report)
{
  static const char *const names[] = { N_ ("rigid"),
                                       N_ ("one freedom (hinge or slide)"),
                                       N_ ("two freedoms (universal)"),
                                       N_ ("three freedoms (ball)"),
                                       N_ ("four freedoms"),
                                       N_ ("five freedoms"),
                                       N_ ("six freedoms (free)") };
  g_auto (Linkage) linkage = { 0 };
  guint counts[G_N_ELEMENTS (names)] = { 0 };

  linkage_init (&linkage, n->skeleton);
  for (guint i = 0; i < linkage.n_joints; i++)
    counts[MIN (linkage.first[i + 1] - linkage.first[i], 6)]++;
  for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
    if (counts[k] > 0)
      g_string_append_printf (report, "%u × %s: %u\n", counts[k], kg_translate (names[k]), k * counts[k]);
  if (n->base == BASE_FREE)
    g_string_append_printf (report, "%s: 6\n", kg_translate ("free base"));
  n->freedoms = linkage.n + (n->base == BASE_FREE ? 6 : 0);
  n->coordinates = 6 * (int64_t) linkage.n_joints;
  n->constraints = MAX (n->coordinates - n->freedoms, 0);
}

static bool
freedoms_evaluate (Freedoms *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GString) report = g_string_new (NULL);

  (void) error;
  if (n->skeleton != NULL)
    count_skeleton (n, report);
  else {
    n->coordinates = 3 * n->links;
    n->constraints = 2 * n->pins + 2 * n->held;
    n->freedoms = n->coordinates - n->constraints;
    if (n->freedoms < 0)
      kg_context_warn (ctx,
                       "%" PRId64 " links have %" PRId64 " coordinates, but pins and held points give %" PRId64
                       " equations: some of them are redundant",
                       n->links, n->coordinates, n->constraints);
    n->freedoms = MAX (n->freedoms, 0);
  }
  n->unknowns = n->coordinates + n->constraints;
  g_string_append_printf (report,
                          kg_translate ("%" PRId64 " freedoms, %" PRId64 " coordinates, %" PRId64
                                        " equations of constraint, %" PRId64 " unknowns"),
                          n->freedoms, n->coordinates, n->constraints, n->unknowns);
  n->report = g_string_free (g_steal_pointer (&report), FALSE);
  return true;
}

static const KgSlot freedoms_slots[] = {
  KG_INPUT (Freedoms, skeleton, SKELETON, .optional = true, .label = N_ ("Skeleton"),
            .help = N_ ("A figure in space. Without it, links in a plane are counted.")),
  KG_INPUT (
      Freedoms, base, CHOICE, .label = N_ ("Base"), .choices = freedoms_bases,
      .help = N_ ("Whether the root of the skeleton can move and rotate freely, which adds six degrees of freedom.")),
  KG_INPUT (Freedoms, links, INTEGER, .label = N_ ("Links"), .def = 3, .min = 0, .max = 1e9, .soft_max = 20,
            .help = N_ ("Rods in the plane: three coordinates each.")),
  KG_INPUT (Freedoms, pins, INTEGER, .label = N_ ("Pins"), .def = 2, .min = 0, .max = 1e9, .soft_max = 20,
            .help = N_ ("Hinges between two links: two equations each.")),
  KG_INPUT (Freedoms, held, INTEGER, .label = N_ ("Held points"), .min = 0, .max = 1e9, .soft_max = 5,
            .help = N_ ("Points that are held at a place: two equations each.")),
  KG_OUTPUT (Freedoms, freedoms, INTEGER, .label = N_ ("Freedoms"),
             .help = N_ ("Number of coordinates that describe a pose, and of equations of motion in them.")),
  KG_OUTPUT (Freedoms, coordinates, INTEGER, .label = N_ ("Coordinates"),
             .help = N_ ("Number of coordinates of all bodies, as if nothing joined them.")),
  KG_OUTPUT (Freedoms, constraints, INTEGER, .label = N_ ("Constraints"),
             .help = N_ ("Number of equations that join them.")),
  KG_OUTPUT (Freedoms, unknowns, INTEGER, .label = N_ ("Unknowns"),
             .help = N_ ("Accelerations and multipliers: the size of the system with constraints.")),
  KG_OUTPUT (Freedoms, report, TEXT, .label = N_ ("Report"), .help = N_ ("The count, line by line.")),
};

KG_NODE (
    rig, freedoms, Freedoms, .label = N_ ("Freedoms"), .version = 1, .since = "0.1",
    .tags = N_ ("degrees of freedom count constraints equations joints"),
    .formula = "space: Σ joints (hinge 1, universal 2, ball 3) + 6 of a free base; plane: 3 links − 2 pins − 2 held",
    .source = "Wyvill, tutorial on computer animation and soft objects, 1988: counting freedoms and equations",
    .help = N_ (
        "Counts the freedoms of a skeleton, or of links in a plane, and the equations that a simulation of it solves."));
