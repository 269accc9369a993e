/* curve/hilbert: the curve that fills a square, or a cube.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"

#include <math.h>

typedef struct {
  int64_t order;
  int dimension;
  double morph;
  double size;
  KgVector center;
  KgGeometry *curve;
  double length;
} Hilbert;

enum { DIMENSION_2, DIMENSION_3, N_DIMENSIONS };

static const KgChoice hilbert_dimensions[] = {
  [DIMENSION_2] = { "2", N_ ("Square") },
  [DIMENSION_3] = { "3", N_ ("Cube") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (hilbert_dimensions, N_DIMENSIONS);

/* Most cells: those of a square of order 10. */
#define MAX_BITS 20

/* Cell number index, of n axes of so many bits, by undoing a Gray code bit by bit (Skilling 2004). */
static void
get_cell (uint32_t index, guint n, guint bits, uint32_t *cell)
{
  uint32_t t;

  for (guint i = 0; i < n; i++)
    cell[i] = 0;
  for (guint k = 0; k < n * bits; k++)
    cell[k % n] |= ((index >> (n * bits - 1 - k)) & 1) << (bits - 1 - k / n);
  t = cell[n - 1] >> 1;
  for (guint i = n - 1; i > 0; i--)
    cell[i] ^= cell[i - 1];
  cell[0] ^= t;
  for (uint32_t q = 2; q < (uint32_t) 1 << bits; q <<= 1)
    for (guint i = n; i-- > 0;) {
      const uint32_t p = q - 1;

      if (cell[i] & q)
        cell[0] ^= p;
      else {
        t = (cell[0] ^ cell[i]) & p;
        cell[0] ^= t;
        cell[i] ^= t;
      }
    }
}

/* The middle of a cell, in a square of side 1 about the origin. */
static KgVector
get_place (uint32_t index, guint n, guint order)
{
  uint32_t cell[3] = { 0 };
  KgVector place = { 0, 0, 0 };

  get_cell (index, n, order, cell);
  for (size_t i = 0; i < n; i++)
    *kg_vector_component (&place, i) = (cell[i] + 0.5) / (double) ((uint32_t) 1 << order) - 0.5;
  return place;
}

/* Curves of successive orders go through the halves of the square along different axes.  axes: those of the first two steps
 * between its quarters (or eighths), and the other, so that each order passes through the cells of the one before in order. */
static void
find_axes (guint n, guint order, size_t axes[3])
{
  const uint32_t quarter = (uint32_t) 1 << (n * (order - 1));
  KgVector before = get_place (0, n, order);
  bool taken[3] = { false };

  for (uint32_t k = 0; k < 2; k++) {
    const KgVector after = get_place ((k + 1) * quarter, n, order);

    axes[k] = 0;
    for (size_t i = 0; i < n; i++)
      if ((kg_vector_get (before, i) < 0) != (kg_vector_get (after, i) < 0))
        axes[k] = i;
    taken[axes[k]] = true;
    before = after;
  }
  for (size_t i = 0; i < 3; i++)
    if (!taken[i])
      axes[2] = i;
}

static KgVector
put_upright (KgVector p, const size_t axes[3])
{
  return kg_vector (kg_vector_get (p, axes[0]), kg_vector_get (p, axes[1]), kg_vector_get (p, axes[2]));
}

static bool
hilbert_evaluate (Hilbert *n, const KgContext *ctx, GError **error)
{
  const guint axes = n->dimension == DIMENSION_2 ? 2 : 3, order = (guint) n->order;
  const double morph = kg_clamp (n->morph, 0, 1);
  const guint finer = order + (morph > 0 ? 1 : 0);
  size_t count, fine_axes[3], coarse_axes[3];
  float *p;
  KgVector before = { 0, 0, 0 };

  n->curve = kg_geometry_new ();
  if (axes * finer > MAX_BITS) {
    kg_set_error (error, KG_ERROR_LIMIT, "order %u fills too many cells: use at most %u, or %u while it changes", order,
                  MAX_BITS / axes, MAX_BITS / axes - 1);
    return false;
  }
  count = (size_t) 1 << (axes * finer);
  if (!kg_geometry_set_n_points (n->curve, count, error))
    return false;
  find_axes (axes, finer, fine_axes);
  find_axes (axes, order, coarse_axes);
  p = kg_geometry_edit_positions (n->curve);
  for (size_t i = 0; i < count; i++) {
    KgVector at = put_upright (get_place ((uint32_t) i, axes, finer), fine_axes);

    if (i % 4096 == 0 && kg_context_is_cancelled (ctx))
      return false;
    if (finer > order)
      at = kg_vector_lerp (put_upright (get_place ((uint32_t) (i >> axes), axes, order), coarse_axes), at, morph);
    at = kg_vector_add_scaled (n->center, n->size, at);
    n->length += i > 0 ? kg_vector_distance (at, before) : 0;
    before = at;
    kg_floats_set_vector (p, i, at);
  }
  {
    g_autofree uint32_t *vertices = g_new (uint32_t, count);

    for (size_t i = 0; i < count; i++)
      vertices[i] = (uint32_t) i;
    kg_geometry_add_primitives (n->curve, KG_POLYLINE, false, 1, (uint32_t) count, vertices);
  }
  return true;
}

static const KgSlot hilbert_slots[] = {
  KG_INPUT (Hilbert, order, INTEGER, .label = N_ ("Order"), .def = 3, .min = 1, .max = 10,
            .help = N_ ("Each order divides every cell in four, or in a cube in eight.")),
  KG_INPUT (Hilbert, dimension, CHOICE, .label = N_ ("Fills"), .choices = hilbert_dimensions,
            .help = N_ ("What the curve fills.")),
  KG_INPUT (Hilbert, morph, NUMBER, .label = N_ ("Morph"), .max = 1,
            .help = N_ ("0: this order; 1: the next. Between them each point moves straight to its new place.")),
  KG_INPUT (Hilbert, size, NUMBER, .unit = KG_METRES, .label = N_ ("Size"), .def = 2, .min = 0, .max = 1e6,
            .soft_max = 10, .help = N_ ("Side of the square, or of the cube.")),
  KG_INPUT (Hilbert, center, VECTOR, .unit = KG_METRES, .label = N_ ("Centre"),
            .help = N_ ("Centre of the square, or of the cube.")),
  KG_OUTPUT (Hilbert, curve, GEOMETRY, .label = N_ ("Curve"),
             .help = N_ ("One line through the centres of all cells.")),
  KG_OUTPUT (Hilbert, length, NUMBER, .unit = KG_METRES, .label = N_ ("Length"), .help = N_ ("Length of the line.")),
};

KG_NODE (
    curve, hilbert, Hilbert, .label = N_ ("Hilbert Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("space filling fractal square cube"),
    .formula = "cell(d) = Skilling's inverse of the Gray code of d; x' = (1 − m) x(order) + m x(order + 1)",
    .source = "Hilbert, 1891; Skilling, Programming the Hilbert curve, 2004; Max, space-filling curves in motion",
    .help = N_ (
        "Makes the line that passes through every cell of a square or cube, and unfolds from one order to the next."));
