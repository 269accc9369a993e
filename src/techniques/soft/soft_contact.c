/* soft_contact: which of several bodies press against each other, where, how hard, and what shape they take.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/soft_contact.h"

#include "kg-floats.h"
#include "soft/contact_field.h"
#include "soft/contact_patch.h"
#include "soft/polygonize.h"

/* Of gradients that a field does not know, metres. */
#define GRADIENT_STEP 1e-3
/* Relative error of a volume that is kept, and steps to it. */
#define VOLUME_ERROR 1e-4
#define VOLUME_STEPS 20

typedef struct {
  KgVector low, high;
} Box;

/* Two bodies that touch. */
typedef struct {
  guint a, b;
  double compression; /* the greatest */
} Pair;

typedef struct {
  const KgField *const *fields;
  guint n;
  const SoftContactOptions *o;
  const KgProgressMonitor *monitor;
  Box *boxes; /* of the surfaces */
  GArray *pairs;
  SoftContact *result;
} Solver;

void
soft_contact_free (SoftContact *contact)
{
  g_clear_pointer (&contact->fields, g_ptr_array_unref);
  g_clear_pointer (&contact->bulges, g_array_unref);
  g_clear_pointer (&contact->rest_volumes, g_array_unref);
  g_clear_pointer (&contact->contacts, kg_geometry_unref);
  g_free (contact);
}

static bool
polygonize_box (const Solver *solver, const KgField *field, const Box *box, PolygonizeMethod method, bool exact,
                PolygonizeResult *result, GError **error)
{
  const PolygonizeOptions options = { .cell = solver->o->cell,
                                      .low = box->low,
                                      .high = box->high,
                                      .level = kg_field_get_level (field),
                                      .time = solver->o->time,
                                      .limit = solver->o->limit,
                                      .method = method,
                                      .exact = exact,
                                      .triangles = true };

  return polygonize (field, &options, solver->monitor, result, error);
}

/* The volume of a body, and in box (nullable) what its surface extends over. */
static bool
measure_body (const Solver *solver, const KgField *field, guint index, double *volume, Box *box, GError **error)
{
  PolygonizeResult result;
  Box bounds;

  if (!kg_field_get_bounds (field, &bounds.low, &bounds.high)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "field %u has no bounds: link a soft object or another body, or intersect it with a box", index + 1);
    return false;
  }
  *volume = 0;
  if (box != NULL)
    *box = (Box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
  if (!(bounds.low.x <= bounds.high.x))
    return true;
  if (!polygonize_box (solver, field, &bounds, POLYGONIZE_WALK, false, &result, error))
    return false;
  *volume = result.volume;
  if (box != NULL && kg_geometry_get_n_points (result.mesh) > 0)
    kg_geometry_get_bounds (result.mesh, &box->low, &box->high);
  kg_geometry_unref (result.mesh);
  return true;
}

/* False where they are apart. */
static bool
intersect_boxes (const Box *a, const Box *b, double margin, Box *both)
{
  bool meet = true;

  for (size_t c = 0; c < 3; c++) {
    const double low = MAX (kg_vector_get (a->low, c), kg_vector_get (b->low, c)) - margin;
    const double high = MIN (kg_vector_get (a->high, c), kg_vector_get (b->high, c)) + margin;

    *kg_vector_component (&both->low, c) = low;
    *kg_vector_component (&both->high, c) = high;
    meet = meet && low < high;
  }
  return meet;
}

typedef struct {
  const KgField *field;
  double time;
} FieldBody;

/* g and its gradient at one place. */
static double
get_potential (gconstpointer data, KgVector p, KgVector *gradient)
{
  const FieldBody *body = (const FieldBody *) data;
  const float x = (float) p.x, y = (float) p.y, z = (float) p.z;
  const KgFieldBlock block = { .n = 1, .x = &x, .y = &y, .z = &z, .time = body->time };
  float value, slope[3];

  kg_field_sample_gradient (body->field, &block, GRADIENT_STEP, &value,
                            (float *const[]){ &slope[0], &slope[1], &slope[2] });
  *gradient = kg_floats_get_vector (slope, 0);
  return (double) value - kg_field_get_level (body->field);
}

/* How far it is from p, where the potential is g and falls by slope for each metre, out of a body: by secants, and as the slope
 * suggests if these do not arrive. */
static double
find_way_out (const FieldBody *body, KgVector p, KgVector out, double g, double slope)
{
  const double near = 1e-6 * (g + fabs (kg_field_get_level (body->field)));
  double way = g / slope, before = 0, g_before = g;

  /* The secant is not a number where the potential is even. */
  for (guint step = 0; step < 16 && way > 0 && way < 1e6; step++) {
    const double last = way;
    float place[3], value;
    double g_now;

    kg_floats_set_vector (place, 0, kg_vector_add_scaled (p, way, out));
    kg_field_sample_points (body->field, place, 1, body->time, &value);
    g_now = (double) value - kg_field_get_level (body->field);
    if (fabs (g_now) <= near)
      return way;
    way -= g_now * (way - before) / (g_now - g_before);
    before = last;
    g_before = g_now;
  }
  return g / slope;
}

/* The contact surface as it is put together. */
typedef struct {
  GArray *p, *normals, *pressures, *depths, *areas; /* float */
  GArray *a, *b;                                    /* int32_t */
  GArray *triangles;                                /* uint32_t */
} Patch;

static Patch
patch_new (void)
{
  return (Patch){ .p = g_array_new (false, false, sizeof (float)),
                  .normals = g_array_new (false, false, sizeof (float)),
                  .pressures = g_array_new (false, false, sizeof (float)),
                  .depths = g_array_new (false, false, sizeof (float)),
                  .areas = g_array_new (false, false, sizeof (float)),
                  .a = g_array_new (false, false, sizeof (int32_t)),
                  .b = g_array_new (false, false, sizeof (int32_t)),
                  .triangles = g_array_new (false, false, sizeof (uint32_t)) };
}

static void
patch_clear (Patch *patch)
{
  GArray *const arrays[] = { patch->p,     patch->normals, patch->pressures, patch->depths,
                             patch->areas, patch->a,       patch->b,         patch->triangles };

  for (size_t i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Patch, patch_clear)

static void
patch_add_point (Patch *patch, const Solver *solver, const Pair *pair, KgVector p, double area)
{
  KgVector slope_a, slope_b;
  const FieldBody first = { solver->fields[pair->a], solver->o->time },
                  second = { solver->fields[pair->b], solver->o->time };
  const double g = get_potential (&second, p, &slope_b);
  const float pressure = (float) MAX (g, 0), share = (float) area;
  const int32_t a = (int32_t) pair->a, b = (int32_t) pair->b;
  float place[3], normal[3], depth = 0;
  double g_first, length_a, length_b;

  g_first = get_potential (&first, p, &slope_a);
  length_a = kg_vector_length (slope_a);
  length_b = kg_vector_length (slope_b);
  if (g_first > 0 && g > 0 && length_a > 0 && length_b > 0)
    depth = (float) (find_way_out (&first, p, kg_vector_scale (slope_a, -1 / length_a), g_first, length_a) +
                     find_way_out (&second, p, kg_vector_scale (slope_b, -1 / length_b), g, length_b));
  kg_floats_set_vector (place, 0, p);
  kg_floats_set_vector (normal, 0, kg_vector_normalize_or (kg_vector_subtract (slope_b, slope_a), kg_vector (0, 1, 0)));
  g_array_append_vals (patch->p, place, 3);
  g_array_append_vals (patch->normals, normal, 3);
  g_array_append_val (patch->pressures, pressure);
  g_array_append_val (patch->depths, depth);
  g_array_append_val (patch->areas, share);
  g_array_append_val (patch->a, a);
  g_array_append_val (patch->b, b);
}

/* The part of a triangle of the border where both bodies are, as a fan.  numbers: of the points that are whole corners. */
static void
patch_clip (Patch *patch, const Solver *solver, const Pair *pair, const KgGeometry *border, const float *g,
            const uint32_t corners[3], uint32_t *numbers)
{
  const float *p = kg_geometry_get_positions (border);
  uint32_t polygon[4];
  guint n = 0;

  for (guint i = 0; i < 3; i++) {
    const uint32_t from = corners[i], to = corners[(i + 1) % 3];

    if (g[from] >= 0) {
      if (numbers[from] == UINT32_MAX) {
        numbers[from] = patch->pressures->len;
        patch_add_point (patch, solver, pair, kg_floats_get_vector (p, from), 0);
      }
      polygon[n++] = numbers[from];
    }
    if ((g[from] >= 0) != (g[to] >= 0)) {
      const double t = (double) g[from] / ((double) g[from] - (double) g[to]);

      polygon[n++] = patch->pressures->len;
      patch_add_point (patch, solver, pair,
                       kg_vector_lerp (kg_floats_get_vector (p, from), kg_floats_get_vector (p, to), t), 0);
    }
  }
  for (guint i = 1; i + 1 < n; i++) {
    const uint32_t triangle[] = { polygon[0], polygon[i], polygon[i + 1] };
    const float *q = (const float *) (const void *) patch->p->data;
    const KgVector first = kg_floats_get_vector (q, triangle[0]);
    const KgVector cross = kg_vector_cross (kg_vector_subtract (kg_floats_get_vector (q, triangle[1]), first),
                                            kg_vector_subtract (kg_floats_get_vector (q, triangle[2]), first));
    const double area = 0.5 * kg_vector_length (cross);

    solver->result->area += area;
    for (guint c = 0; c < 3; c++)
      g_array_index (patch->areas, float, triangle[c]) += (float) (area / 3);
    g_array_append_vals (patch->triangles, triangle, 3);
  }
}

/* Whether two bodies whose potentials have no border to show are both in the middle of what they have in common: nothing says
 * then which way they would have to go. */
static bool
is_lost (const ContactPair *pair, const Box *box)
{
  const KgVector middle = kg_vector_lerp (box->low, box->high, 0.5);
  KgVector slope;

  return pair->potential (pair->a, middle, &slope) > 0 && pair->potential (pair->b, middle, &slope) > 0;
}

static void
solver_lose (Solver *solver, guint a, guint b)
{
  if (solver->result->n_lost++ > 0)
    return;
  solver->result->lost[0] = a;
  solver->result->lost[1] = b;
}

/* Adds the contact surface of a pair, if it touches. */
static bool
solver_find_contact (Solver *solver, guint a, guint b, Patch *patch, GError **error)
{
  g_autoptr (KgField) border = NULL;
  g_autoptr (KgGeometry) mesh = NULL;
  g_autofree float *g = NULL;
  g_autofree uint32_t *numbers = NULL;
  Pair pair = { .a = a, .b = b };
  const double level = kg_field_get_level (solver->fields[b]);
  const FieldBody first = { solver->fields[a], solver->o->time }, second = { solver->fields[b], solver->o->time };
  const ContactPair border_pair = { get_potential, &first, &second };
  PolygonizeResult result;
  size_t n, best = 0;
  KgVector deepest;
  Box box;

  if (!intersect_boxes (&solver->boxes[a], &solver->boxes[b], solver->o->cell, &box))
    return true;
  if (kg_field_equal (solver->fields[a], solver->fields[b])) {
    solver_lose (solver, a, b);
    return true;
  }
  border = contact_field_new_border (solver->fields[a], solver->fields[b], error);
  if (border == NULL || !polygonize_box (solver, border, &box, POLYGONIZE_FULL, true, &result, error))
    return false;
  mesh = result.mesh;
  n = kg_geometry_get_n_points (mesh);
  if (n == 0) {
    if (is_lost (&border_pair, &box))
      solver_lose (solver, a, b);
    return true;
  }
  g = g_new (float, n);
  kg_field_sample_points (solver->fields[b], kg_geometry_get_positions (mesh), n, solver->o->time, g);
  for (size_t i = 0; i < n; i++) {
    g[i] -= (float) level;
    if (g[i] > g[best])
      best = i;
  }
  /* A touch that is smaller than a cell shows between the samples only. */
  deepest = kg_floats_get_vector (kg_geometry_get_positions (mesh), best);
  pair.compression = contact_pair_climb (&border_pair, &deepest, solver->o->cell, 1e-4 * solver->o->cell);
  if (!(pair.compression > 1e-6 * level))
    return true;
  g_array_append_val (solver->pairs, pair);
  numbers = g_new (uint32_t, n);
  memset (numbers, 0xff, n * sizeof *numbers);
  for (size_t i = 0; i < kg_geometry_get_n_primitives (mesh); i++) {
    KgPrimitive triangle;

    kg_geometry_get_primitive (mesh, i, &triangle);
    if (g[triangle.vertices[0]] >= 0 || g[triangle.vertices[1]] >= 0 || g[triangle.vertices[2]] >= 0)
      patch_clip (patch, solver, &pair, mesh, g, triangle.vertices, numbers);
  }
  return true;
}

static bool
solver_take_patch (Solver *solver, const Patch *patch, GError **error)
{
  KgGeometry *geometry = kg_geometry_new ();
  const size_t n = patch->pressures->len;
  const struct {
    const char *name;
    const GArray *array;
  } floats[] = { { "pressure", patch->pressures }, { "depth", patch->depths }, { "area", patch->areas } },
    ints[] = { { "a", patch->a }, { "b", patch->b } };

  solver->result->contacts = geometry;
  if (!kg_geometry_set_n_points (geometry, n, error))
    return false;
  if (n == 0)
    return true;
  memcpy (kg_geometry_edit_positions (geometry), patch->p->data, 3 * n * sizeof (float));
  memcpy (kg_geometry_edit_float (geometry, KG_POINTS, "N", 3), patch->normals->data, 3 * n * sizeof (float));
  for (size_t i = 0; i < G_N_ELEMENTS (floats); i++)
    memcpy (kg_geometry_edit_float (geometry, KG_POINTS, floats[i].name, 1), floats[i].array->data, n * sizeof (float));
  for (size_t i = 0; i < G_N_ELEMENTS (ints); i++)
    memcpy (kg_geometry_edit_int (geometry, KG_POINTS, ints[i].name, 1), ints[i].array->data, n * sizeof (int32_t));
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, patch->triangles->len / 3, 3,
                              (const uint32_t *) (const void *) patch->triangles->data);
  return true;
}

/* The body as it is with a bulge. */
static KgField *
solver_press (const Solver *solver, guint index, double bulge, GError **error)
{
  const double most = 0.5 * kg_field_get_level (solver->fields[index]);
  const KgField *others[SOFT_CONTACT_MAX];
  double tops[SOFT_CONTACT_MAX];
  guint n = 0;

  for (guint i = 0; i < solver->pairs->len; i++) {
    const Pair *pair = &g_array_index (solver->pairs, Pair, i);

    if (pair->a != index && pair->b != index)
      continue;
    others[n] = solver->fields[pair->a == index ? pair->b : pair->a];
    tops[n++] = MIN (bulge * pair->compression, most);
  }
  return contact_field_new (solver->fields[index], others, tops, n, solver->o->width, error);
}

/* What a bulge leaves too much of the volume, or with a minus too little. */
static bool
solver_get_excess (const Solver *solver, guint index, double bulge, double *excess, GError **error)
{
  g_autoptr (KgField) field = solver_press (solver, index, bulge, error);
  double volume;

  if (field == NULL || !measure_body (solver, field, index, &volume, NULL, error))
    return false;
  *excess = volume - g_array_index (solver->result->rest_volumes, double, index);
  return true;
}

/* The bulge that keeps the volume of a body; the volume grows with it. */
static bool
solver_find_bulge (Solver *solver, guint index, double *bulge, GError **error)
{
  const double volume = g_array_index (solver->result->rest_volumes, double, index);
  double low = 0, high = 1, at_low, at_high;
  int side = 0;

  *bulge = 0;
  if (!solver_get_excess (solver, index, 0, &at_low, error))
    return false;
  if (at_low >= 0)
    return true;
  for (;;) {
    if (!solver_get_excess (solver, index, high, &at_high, error))
      return false;
    if (at_high >= 0 || high >= SOFT_CONTACT_MAX_BULGE)
      break;
    low = high;
    at_low = at_high;
    high = MIN (2 * high, SOFT_CONTACT_MAX_BULGE);
  }
  *bulge = high;
  if (at_high < -VOLUME_ERROR * volume) {
    solver->result->n_short++;
    return true;
  }
  /* Regula falsi, an end that stays twice being pulled in (Dowell and Jarratt 1971). */
  for (guint step = 0; step < VOLUME_STEPS; step++) {
    double excess;

    *bulge = at_high > at_low ? low - (high - low) * at_low / (at_high - at_low) : high;
    if (!solver_get_excess (solver, index, *bulge, &excess, error))
      return false;
    if (fabs (excess) <= VOLUME_ERROR * volume)
      break;
    if (excess < 0) {
      low = *bulge;
      at_low = excess;
      at_high *= side < 0 ? 0.5 : 1;
      side = -1;
    } else {
      high = *bulge;
      at_high = excess;
      at_low *= side > 0 ? 0.5 : 1;
      side = 1;
    }
  }
  return true;
}

static bool
is_pressed (const Solver *solver, guint index)
{
  for (guint i = 0; i < solver->pairs->len; i++)
    if (g_array_index (solver->pairs, Pair, i).a == index || g_array_index (solver->pairs, Pair, i).b == index)
      return true;
  return false;
}

/* Whether two bodies may press each other. */
static bool
may_press (const KgTable *pairs, guint a, guint b)
{
  const size_t n = pairs != NULL ? kg_table_get_n_rows (pairs) : 0;

  for (size_t row = 0; row < n; row++) {
    const double *ids = kg_table_get_row (pairs, row);

    if ((ids[0] == a && ids[1] == b) || (ids[0] == b && ids[1] == a))
      return true;
  }
  return n == 0;
}

/* False: a pair names a body that is not there, or one twice. */
static bool
check_pairs (const KgTable *pairs, guint n_bodies, GError **error)
{
  for (size_t row = 0; pairs != NULL && row < kg_table_get_n_rows (pairs); row++) {
    const double *ids = kg_table_get_row (pairs, row);

    for (int i = 0; i < 2; i++)
      if (!(ids[i] >= 0 && ids[i] < n_bodies && ids[i] == floor (ids[i])) || ids[0] == ids[1]) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "pairs, row %zu: %g and %g are not two of the %u bodies, counted from 0", row + 1, ids[0], ids[1],
                      n_bodies);
        return false;
      }
  }
  return true;
}

static bool
solver_run (Solver *solver, GError **error)
{
  g_auto (Patch) patch = patch_new ();

  for (guint i = 0; i < solver->n; i++) {
    double volume;

    if (!measure_body (solver, solver->fields[i], i, &volume, &solver->boxes[i], error))
      return false;
    g_array_append_val (solver->result->rest_volumes, volume);
  }
  for (guint a = 0; a < solver->n; a++)
    for (guint b = a + 1; b < solver->n; b++)
      if (may_press (solver->o->pairs, a, b) && !solver_find_contact (solver, a, b, &patch, error))
        return false;
  solver->result->n_pairs = solver->pairs->len;
  for (guint i = 0; i < solver->n; i++) {
    double bulge = solver->o->bulge;
    KgField *field;

    if (solver->o->keep_volume && is_pressed (solver, i) && !solver_find_bulge (solver, i, &bulge, error))
      return false;
    field = solver_press (solver, i, bulge, error);
    if (field == NULL)
      return false;
    g_ptr_array_add (solver->result->fields, field);
    g_array_append_val (solver->result->bulges, bulge);
  }
  return solver_take_patch (solver, &patch, error);
}

SoftContact *
soft_contact_solve (const KgField *const *fields, guint n, const SoftContactOptions *options,
                    const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (SoftContact) result = g_new0 (SoftContact, 1);
  g_autofree Box *boxes = g_new (Box, MAX (n, 1));
  g_autoptr (GArray) pairs = g_array_new (false, false, sizeof (Pair));
  Solver solver = { fields, n, options, monitor, boxes, pairs, result };

  result->fields = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_field_unref);
  result->bulges = g_array_new (false, false, sizeof (double));
  result->rest_volumes = g_array_new (false, false, sizeof (double));
  if (n > SOFT_CONTACT_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "%u bodies are more than %d: link fewer fields", n, SOFT_CONTACT_MAX);
    return NULL;
  }
  return check_pairs (options->pairs, n, error) && solver_run (&solver, error) ? g_steal_pointer (&result) : NULL;
}

/* A sample on its way out of the body. */
typedef struct {
  size_t index;
  double low, high, f_low, f_high; /* ways with g > 0 and g <= 0, and g there */
  bool left;                       /* it has come out */
} Probe;

/* g of all probes after ways. */
static void
probe_sample (const KgField *field, double time, const Probe *probes, size_t n, const double *ways, const float *places,
              const float *normals, float *g)
{
  const double level = kg_field_get_level (field);
  g_autofree float *at = g_new (float, 3 * n);

  for (size_t i = 0; i < n; i++)
    kg_floats_set_vector (at, i,
                          kg_vector_add_scaled (kg_floats_get_vector (places, probes[i].index), ways[i],
                                                kg_floats_get_vector (normals, probes[i].index)));
  kg_field_sample_points (field, at, n, time, g);
  for (size_t i = 0; i < n; i++)
    g[i] -= (float) level;
}

/* Along the normals to the surface: steps that double until it is passed, then halving with secants. */
static void
probe_refine (const KgField *field, double time, Probe *probes, size_t n, const float *places, const float *normals,
              float *depths)
{
  g_autofree double *ways = g_new (double, n);
  g_autofree float *g = g_new (float, n);
  bool left = false;

  for (guint step = 0; step < 40 && !left; step++) {
    for (size_t i = 0; i < n; i++)
      ways[i] = probes[i].high;
    probe_sample (field, time, probes, n, ways, places, normals, g);
    left = true;
    for (size_t i = 0; i < n; i++) {
      Probe *p = &probes[i];

      p->left = p->left || g[i] <= 0;
      left = left && p->left;
      if (g[i] <= 0)
        p->f_high = (double) g[i];
      else if (!p->left) {
        p->low = p->high;
        p->f_low = (double) g[i];
        p->high *= 2;
      }
    }
  }
  for (guint step = 0; step < 40; step++) {
    for (size_t i = 0; i < n; i++) {
      const Probe *p = &probes[i];
      const double secant = p->low + (p->high - p->low) * p->f_low / (p->f_low - p->f_high);

      ways[i] = step % 3 == 2 || !isfinite (secant) ? 0.5 * (p->low + p->high) : secant;
    }
    probe_sample (field, time, probes, n, ways, places, normals, g);
    for (size_t i = 0; i < n; i++) {
      const bool in = g[i] > 0;

      *(in ? &probes[i].low : &probes[i].high) = ways[i];
      *(in ? &probes[i].f_low : &probes[i].f_high) = (double) g[i];
    }
  }
  for (size_t i = 0; i < n; i++)
    if (probes[i].left)
      depths[probes[i].index] = (float) (0.5 * (probes[i].low + probes[i].high));
}

void
soft_contact_probe (const KgField *field, const float *places, size_t n, double time, bool exact, float *depths,
                    float *normals)
{
  const double level = kg_field_get_level (field);
  g_autofree float *values = g_new (float, MAX (n, 1)), *slopes = g_new (float, 3 * MAX (n, 1));
  g_autofree Probe *probes = g_new (Probe, MAX (n, 1));
  size_t n_inside = 0;

  kg_field_sample_gradients (field, places, n, time, GRADIENT_STEP, values, slopes);
  for (size_t i = 0; i < n; i++) {
    const double g = (double) values[i] - level, slope = kg_vector_length (kg_floats_get_vector (slopes, i));
    const bool steep = slope > 1e-10 * fabs (level);

    /* In the middle of a body every way out is as good; out of its reach there is none to it. */
    kg_floats_set_vector (normals, i,
                          steep ? kg_vector_scale (kg_floats_get_vector (slopes, i), -1 / slope)
                                : kg_vector (0, g > 0 ? 1 : 0, 0));
    depths[i] = steep ? (float) kg_clamp (g / slope, -1e6, 1e6) : g > 0 ? 1e-3f : -1e6f;
    if (g > 0 && depths[i] > 0)
      probes[n_inside++] = (Probe){ .index = i, .high = (double) depths[i], .f_low = g };
  }
  if (exact && n_inside > 0)
    probe_refine (field, time, probes, n_inside, places, normals, depths);
}
