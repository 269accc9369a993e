/* spring_self: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/spring_self.h"

#include "geometry/box_tree.h"
#include "geometry/closest_pair.h"
#include "kg-error.h"
#include "kg-floats.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of one step, and sweeps over them. */
#define MOST_PAIRS 20000000
#define SWEEPS 64
/* What is nearer than the thickness by less than this part of it is left. */
#define TOLERANCE 1e-3
/* At a coplanar time features meet when they are so near, as a part of their size. */
#define MEETING 1e-7

typedef struct {
  uint32_t p[2];
} Edge;

/* A kind of feature, with the tree of their boxes. */
typedef struct {
  size_t n;
  uint32_t *points; /* 1, 2 or 3 each */
  guint size;
  BoundingBox *boxes;
  BoxTree *tree;
} Features;

enum { POINTS, EDGES, FACES, N_FEATURES };

struct _SpringSelf {
  const float *rest;
  Features of[N_FEATURES];
};

/* A point and a face, or two edges. */
typedef struct {
  uint32_t p[4];
  bool edges;
  bool measured;    /* the thickness is the pair's own; else that of all */
  double thickness; /* 0: they touch at rest, and may do so */
} Pair;

/* The weights of the four points add to 0: those of the first feature minus those of the second. */
typedef struct {
  KgVector normal; /* unit, towards the first feature */
  double weights[4];
  double depth; /* how much nearer than the thickness */
  bool crossed;
} Contact;

static int
compare_edges (const void *a, const void *b)
{
  const Edge *p = (const Edge *) a, *q = (const Edge *) b;

  if (p->p[0] != q->p[0])
    return p->p[0] < q->p[0] ? -1 : 1;
  return p->p[1] < q->p[1] ? -1 : p->p[1] > q->p[1];
}

static bool
is_torn (const GArray *torn, uint32_t a, uint32_t b)
{
  const Edge edge = { { MIN (a, b), MAX (a, b) } };

  return torn->len > 0 && bsearch (&edge, torn->data, torn->len, sizeof edge, compare_edges) != NULL;
}

static void
add_edge (GArray *edges, uint32_t a, uint32_t b)
{
  const Edge edge = { { MIN (a, b), MAX (a, b) } };

  g_array_append_val (edges, edge);
}

static void
features_init (Features *features, guint size, size_t n)
{
  *features = (Features){
    .n = n, .points = g_new (uint32_t, MAX (size * n, 1)), .size = size, .boxes = g_new (BoundingBox, MAX (n, 1))
  };
}

SpringSelf *
spring_self_new (const SpringNet *net, const float *rest)
{
  SpringSelf *self = g_new0 (SpringSelf, 1);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  g_autoptr (GArray) torn = g_array_new (FALSE, FALSE, sizeof (Edge));
  Features *of = self->of;
  size_t n_faces = 0, n_edges = 0;

  self->rest = rest;
  for (size_t i = 0; i < net->n_springs; i++)
    if (net->springs[i].kind == SPRING_EDGE)
      add_edge (net->springs[i].torn ? torn : edges, net->springs[i].a, net->springs[i].b);
  if (torn->len > 0)
    qsort (torn->data, torn->len, sizeof (Edge), compare_edges);
  features_init (&of[FACES], 3, net->n_triangles);
  for (size_t i = 0; i < net->n_triangles; i++) {
    const uint32_t *t = net->triangles[i];

    if (is_torn (torn, t[0], t[1]) || is_torn (torn, t[1], t[2]) || is_torn (torn, t[2], t[0]))
      continue;
    memcpy (of[FACES].points + 3 * n_faces++, t, 3 * sizeof *t);
    for (int k = 0; k < 3; k++)
      add_edge (edges, t[k], t[(k + 1) % 3]);
  }
  of[FACES].n = n_faces;
  features_init (&of[POINTS], 1, net->n_points);
  for (size_t i = 0; i < net->n_points; i++)
    of[POINTS].points[i] = (uint32_t) i;
  if (edges->len > 0)
    qsort (edges->data, edges->len, sizeof (Edge), compare_edges);
  features_init (&of[EDGES], 2, edges->len);
  for (guint i = 0; i < edges->len; i++) {
    const Edge *edge = &g_array_index (edges, Edge, i);

    if (edge->p[0] != edge->p[1] && (i == 0 || compare_edges (edge, edge - 1) != 0))
      memcpy (of[EDGES].points + 2 * n_edges++, edge->p, sizeof edge->p);
  }
  of[EDGES].n = n_edges;
  return self;
}

void
spring_self_free (SpringSelf *self)
{
  for (int k = 0; k < N_FEATURES; k++) {
    g_free (self->of[k].points);
    g_free (self->of[k].boxes);
    g_clear_pointer (&self->of[k].tree, box_tree_free);
  }
  g_free (self);
}

/* What may touch. */

/* Around the ways of all features of a kind, with half of the thickness. */
static bool
update_tree (Features *features, const SpringNet *net, const KgVector *before, double thickness,
             const KgProgressMonitor *monitor)
{
#pragma omp parallel for schedule(static) if (features->n > 4096)
  for (size_t i = 0; i < features->n; i++) {
    const double most = 0.5 * thickness;
    KgVector low = { INFINITY, INFINITY, INFINITY }, high = { -INFINITY, -INFINITY, -INFINITY };

    for (guint k = 0; k < features->size; k++) {
      const uint32_t point = features->points[features->size * i + k];

      for (size_t c = 0; c < 3; c++) {
        const double a = kg_vector_get (before[point], c), b = kg_vector_get (net->points[point].x, c);

        *kg_vector_component (&low, c) = fmin (kg_vector_get (low, c), fmin (a, b) - most);
        *kg_vector_component (&high, c) = fmax (kg_vector_get (high, c), fmax (a, b) + most);
      }
    }
    features->boxes[i] = bounding_box_from_vectors (low, high);
  }
  if (features->tree != NULL)
    box_tree_refit (features->tree, features->boxes);
  else
    features->tree = box_tree_new (features->boxes, features->n, monitor);
  return features->tree != NULL;
}

/* The closest points of the two features of a pair as weights of the four points, and their difference. */
static KgVector
get_closest (const Pair *pair, const KgVector x[4], double weights[4])
{
  KgVector sum = kg_vector (0, 0, 0);

  if (pair->edges) {
    const ClosestLine first = closest_line_new (x[0], kg_vector_subtract (x[1], x[0]), 0, 1);
    const ClosestLine second = closest_line_new (x[2], kg_vector_subtract (x[3], x[2]), 0, 1);
    const ClosestPair closest = closest_pair_of_lines (&first, &second);

    weights[0] = 1 - closest.s;
    weights[1] = closest.s;
    weights[2] = closest.t - 1;
    weights[3] = -closest.t;
  } else {
    const KgVector w = closest_triangle_weights (x[0], x + 1);

    weights[0] = 1;
    weights[1] = -w.x;
    weights[2] = -w.y;
    weights[3] = -w.z;
  }
  for (int k = 0; k < 4; k++)
    sum = kg_vector_add_scaled (sum, weights[k], x[k]);
  return sum;
}

/* Neighbours that share a point, and what nothing can move. */
static bool
is_harmless (const Pair *pair, const SpringNet *net)
{
  const int second = pair->edges ? 2 : 1;
  bool moves = false;

  for (int i = 0; i < 4; i++)
    moves = moves || net->inverse[pair->p[i]] > 0;
  for (int i = 0; i < second; i++)
    for (int k = second; k < 4; k++)
      if (pair->p[i] == pair->p[k])
        return true;
  return !moves;
}

/* The distance that a pair keeps: not more than at rest.  0: it touches at rest. */
static double
get_own_thickness (const Pair *pair, const SpringSelf *self, const SpringNet *net)
{
  KgVector x[4];
  double weights[4], size = 0, rest;

  for (int i = 0; i < 4; i++) {
    x[i] = kg_floats_get_vector (self->rest, (size_t) net->points[pair->p[i]].origin);
    size = fmax (size, kg_vector_distance (x[i], x[0]));
  }
  rest = kg_vector_length (get_closest (pair, x, weights));
  return rest > 1e-6 * size ? fmin (pair->thickness, rest) : 0;
}

/* Appends the pairs of two kinds of features. */
static bool
find_pairs (const SpringSelf *self, const SpringNet *net, int first, int second, double thickness, GArray *pairs,
            const KgProgressMonitor *monitor, GError **error)
{
  const Features *a = &self->of[first], *b = &self->of[second];
  g_autoptr (GArray)
      near = box_tree_find_pairs (a->tree, first == second ? NULL : b->tree, MOST_PAIRS, NULL, monitor, NULL);

  if (near == NULL) {
    if (!kg_progress_is_cancelled (monitor))
      kg_set_error (error, KG_ERROR_LIMIT,
                    "more than %d pairs of points, edges and faces are nearer to each other than %g m: reduce the "
                    "self-thickness, or use more substeps",
                    MOST_PAIRS, thickness);
    return false;
  }
  for (guint i = 0; i < near->len; i++) {
    const BoxPair *found = &g_array_index (near, BoxPair, i);
    Pair pair = { .edges = first == EDGES, .thickness = thickness };

    memcpy (pair.p, a->points + a->size * found->a, a->size * sizeof *pair.p);
    memcpy (pair.p + a->size, b->points + b->size * found->b, b->size * sizeof *pair.p);
    if (!is_harmless (&pair, net))
      g_array_append_val (pairs, pair);
  }
  return true;
}

/* When four points that move straight are in one plane: the roots of a cubic polynomial within 0 to 1, rising.  Returns how
 * many. */
static int
find_coplanar (const KgVector from[4], const KgVector to[4], double times[3])
{
  KgVector a[3], b[3];
  double c[4], bounds[4] = { 0, 1, 1, 1 }, disc;
  int n_bounds = 1, n = 0;

  for (int k = 0; k < 3; k++) {
    a[k] = kg_vector_subtract (from[k + 1], from[0]);
    b[k] = kg_vector_subtract (kg_vector_subtract (to[k + 1], to[0]), a[k]);
  }
  {
    const KgVector aa = kg_vector_cross (a[1], a[2]), bb = kg_vector_cross (b[1], b[2]);
    const KgVector ab = kg_vector_add (kg_vector_cross (a[1], b[2]), kg_vector_cross (b[1], a[2]));

    c[0] = kg_vector_dot (a[0], aa);
    c[1] = kg_vector_dot (b[0], aa) + kg_vector_dot (a[0], ab);
    c[2] = kg_vector_dot (a[0], bb) + kg_vector_dot (b[0], ab);
    c[3] = kg_vector_dot (b[0], bb);
  }
  {
    /* As a Bézier curve it is between its control points. */
    const double p[4] = { c[0], c[0] + c[1] / 3, c[0] + (2 * c[1] + c[2]) / 3, c[0] + c[1] + c[2] + c[3] };

    if ((p[0] > 0 && p[1] > 0 && p[2] > 0 && p[3] > 0) || (p[0] < 0 && p[1] < 0 && p[2] < 0 && p[3] < 0))
      return 0;
  }
  /* Between its extremes it rises or falls. */
  disc = c[2] * c[2] - 3 * c[3] * c[1];
  if (disc > 0) {
    const double q = -(c[2] + copysign (sqrt (disc), c[2]));
    const double roots[2] = { c[3] != 0 ? q / (3 * c[3]) : 2, q != 0 ? c[1] / q : 2 };
    const int low = roots[0] < roots[1] ? 0 : 1;

    for (int k = 0; k < 2; k++) {
      const double root = roots[k == 0 ? low : 1 - low];

      if (root > 0 && root < 1)
        bounds[n_bounds++] = root;
    }
  }
  bounds[n_bounds] = 1;
  for (int k = 0; k < n_bounds; k++) {
    double low = bounds[k], high = bounds[k + 1];
    const double at_low = ((c[3] * low + c[2]) * low + c[1]) * low + c[0];
    const double at_high = ((c[3] * high + c[2]) * high + c[1]) * high + c[0];

    if ((at_low > 0) == (at_high > 0) && at_high != 0)
      continue;
    for (int round = 0; round < 60 && low < high; round++) {
      const double middle = 0.5 * (low + high), value = ((c[3] * middle + c[2]) * middle + c[1]) * middle + c[0];

      if ((value > 0) == (at_low > 0))
        low = middle;
      else
        high = middle;
    }
    times[n++] = high;
  }
  return n;
}

/* What passed through within the step; the normal is that of the plane in which the features met, against the way. */
static bool
find_crossing (const Pair *pair, const KgVector from[4], const KgVector to[4], Contact *contact)
{
  double times[3];
  const int n = find_coplanar (from, to, times);

  for (int i = 0; i < n; i++) {
    KgVector x[4], way = kg_vector (0, 0, 0), apart = kg_vector (0, 0, 0);
    double size = 0;

    for (int k = 0; k < 4; k++) {
      x[k] = kg_vector_lerp (from[k], to[k], times[i]);
      size = fmax (size, kg_vector_distance (x[k], x[0]));
    }
    if (!(kg_vector_length (get_closest (pair, x, contact->weights)) <= MEETING * size))
      continue;
    for (int k = 0; k < 4; k++) {
      way = kg_vector_add_scaled (way, contact->weights[k], kg_vector_subtract (to[k], from[k]));
      apart = kg_vector_add_scaled (apart, contact->weights[k], to[k]);
    }
    contact->normal = pair->edges ? kg_vector_cross (kg_vector_subtract (x[1], x[0]), kg_vector_subtract (x[3], x[2]))
                                  : kg_vector_cross (kg_vector_subtract (x[2], x[1]), kg_vector_subtract (x[3], x[1]));
    /* Parallel edges and faces without area have none. */
    if (!(kg_vector_length (contact->normal) > 1e-9 * size * size) || kg_vector_dot (contact->normal, way) == 0)
      continue;
    contact->normal = kg_vector_normalize_or (contact->normal, kg_vector (0, 1, 0));
    if (kg_vector_dot (contact->normal, way) > 0)
      contact->normal = kg_vector_scale (contact->normal, -1);
    contact->depth = pair->thickness - kg_vector_dot (contact->normal, apart);
    contact->crossed = contact->depth > pair->thickness;
    if (contact->crossed)
      return true;
  }
  return false;
}

static bool
find_contact (const Pair *pair, const SpringNet *net, const KgVector *before, Contact *contact)
{
  KgVector from[4], to[4], apart;
  double distance;

  for (int k = 0; k < 4; k++) {
    from[k] = before[pair->p[k]];
    to[k] = net->points[pair->p[k]].x;
  }
  if (find_crossing (pair, from, to, contact))
    return true;
  contact->crossed = false;
  apart = get_closest (pair, to, contact->weights);
  distance = kg_vector_length (apart);
  contact->depth = pair->thickness - distance;
  if (!(contact->depth > TOLERANCE * pair->thickness) || !(distance > 1e-9 * pair->thickness))
    return false;
  contact->normal = kg_vector_scale (apart, 1 / distance);
  return true;
}

/* Pushes. */

static inline bool
pair_moved (const Pair *pair, const uint8_t *moved)
{
  return moved[pair->p[0]] || moved[pair->p[1]] || moved[pair->p[2]] || moved[pair->p[3]];
}

static void
push (SpringNet *net, const Pair *pair, const Contact *contact, double restitution, double friction)
{
  KgVector speed = kg_vector (0, 0, 0), along;
  double inverse = 0, towards, impulse = 0, slide;

  for (int k = 0; k < 4; k++) {
    inverse += contact->weights[k] * contact->weights[k] * net->inverse[pair->p[k]];
    speed = kg_vector_add_scaled (speed, contact->weights[k], net->points[pair->p[k]].v);
  }
  if (!(inverse > 0))
    return;
  towards = kg_vector_dot (speed, contact->normal);
  along = kg_vector_add_scaled (speed, -towards, contact->normal);
  slide = kg_vector_length (along);
  if (towards < 0)
    impulse = -(1 + restitution) * towards / inverse;
  if (slide > 0)
    along = kg_vector_scale (along, -fmin (friction * impulse, slide / inverse) / slide);
  for (int k = 0; k < 4; k++) {
    SpringPoint *p = &net->points[pair->p[k]];
    const double share = contact->weights[k] * net->inverse[pair->p[k]];

    p->x = kg_vector_add_scaled (p->x, share * contact->depth / inverse, contact->normal);
    p->v = kg_vector_add_scaled (p->v, share, kg_vector_add_scaled (along, impulse, contact->normal));
  }
}

/* Sizes of a body that points may pass in a step. */
#define MOST_SIZES 100

/* Whether points move by many times the size of the body, apart from what all of them move by together: it flies apart, and
 * everything is near to everything. */
static bool
flies_apart (const SpringNet *net, const KgVector *before)
{
  KgVector mean = { 0, 0, 0 }, low = before[0], high = before[0];
  double most = 0;

  for (size_t i = 0; i < net->n_points; i++) {
    mean = kg_vector_add (mean, kg_vector_subtract (net->points[i].x, before[i]));
    low = kg_vector_min (low, before[i]);
    high = kg_vector_max (high, before[i]);
  }
  mean = kg_vector_scale (mean, 1 / (double) net->n_points);
  for (size_t i = 0; i < net->n_points; i++)
    most = fmax (most, kg_vector_length (kg_vector_subtract (kg_vector_subtract (net->points[i].x, before[i]), mean)));
  return most > MOST_SIZES * kg_vector_distance (low, high);
}

bool
spring_self_collide (SpringSelf *self, SpringNet *net, const SpringContact *contact, const KgVector *before,
                     size_t *n_left, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  g_autofree uint8_t *touches = NULL, *moved = NULL, *moves = NULL;

  *n_left = 0;
  if (net->n_points > 0 && flies_apart (net, before)) {
    kg_set_error (
        error, KG_ERROR_DIVERGED,
        "the body flies apart: in one step points move a hundred times its size; use more substeps, more damping, "
        "or weaker forces");
    return false;
  }
  for (int k = 0; k < N_FEATURES; k++)
    if (!update_tree (&self->of[k], net, before, contact->thickness, monitor))
      return false;
  if (!find_pairs (self, net, POINTS, FACES, contact->thickness, pairs, monitor, error) ||
      !find_pairs (self, net, EDGES, EDGES, contact->thickness, pairs, monitor, error))
    return false;
  touches = g_new (uint8_t, MAX (pairs->len, 1));
  moved = g_new (uint8_t, MAX (net->n_points, 1));
  moves = g_new (uint8_t, MAX (net->n_points, 1));
  memset (moved, 1, net->n_points);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    Pair *all = (Pair *) (void *) pairs->data;
    size_t n = 0;

    if (kg_progress_is_cancelled (monitor))
      return false;
#pragma omp parallel for schedule(static) if (pairs->len > 1024)
    for (guint i = 0; i < pairs->len; i++) {
      Contact found;

      /* What has not moved since it was found apart is so still. */
      touches[i] = all[i].thickness > 0 && pair_moved (&all[i], moved) && find_contact (&all[i], net, before, &found);
      if (touches[i] && !all[i].measured) {
        all[i].measured = true;
        all[i].thickness = get_own_thickness (&all[i], self, net);
      }
    }
    memset (moves, 0, net->n_points);
    /* One after the other in their order: each sees what those before it have moved. */
    *n_left = 0;
    for (guint i = 0; i < pairs->len; i++) {
      Contact found;

      if (!(all[i].thickness > 0) || !(touches[i] || pair_moved (&all[i], moves)) ||
          !find_contact (&all[i], net, before, &found))
        continue;
      if (!all[i].measured) {
        all[i].measured = true;
        all[i].thickness = get_own_thickness (&all[i], self, net);
        if (!(all[i].thickness > 0) || !find_contact (&all[i], net, before, &found))
          continue;
      }
      *n_left += found.crossed;
      n++;
      for (int k = 0; k < 4; k++)
        moves[all[i].p[k]] = 1;
      push (net, &all[i], &found, contact->restitution, contact->friction);
    }
    if (n == 0)
      break;
    memcpy (moved, moves, net->n_points);
  }
  return true;
}
