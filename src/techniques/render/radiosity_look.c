/* radiosity_look: what a ray meets, and the form factors of rays and of hemicubes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-random.h"
#include "render/hemicube.h"
#include "render/radiosity_private.h"

#include <float.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Rays. */

typedef struct {
  const RadiosityScene *scene;
  uint32_t own; /* facet: plane, so that it does not see itself */
  KgVector x, d;
  double t, limit; /* of the hit; and as the tree counts */
  uint32_t triangle;
  double b1, b2;
  bool hit;
} Ray;

/* How far the corners of a triangle may have moved along a direction as they were rounded to float32, about. */
static double
get_rounding (const RadiosityTriangle *triangle, KgVector along)
{
  const KgVector a = triangle->a, b = kg_vector_add (a, triangle->e1), c = kg_vector_add (a, triangle->e2);
  const double x = fmax (fabs (a.x), fmax (fabs (b.x), fabs (c.x))),
               y = fmax (fabs (a.y), fmax (fabs (b.y), fabs (c.y))),
               z = fmax (fabs (a.z), fmax (fabs (b.z), fabs (c.z)));

  return (double) FLT_EPSILON * (fabs (along.x) * x + fabs (along.y) * y + fabs (along.z) * z);
}

/* A distance along a normal that rounding makes: of corners at a place, or of those of a large and tilted triangle, which may be far
 * away. */
static double
get_tolerance (KgVector place, const RadiosityTriangle *a, const RadiosityTriangle *b, KgVector normal)
{
  return 2 * fmax ((double) FLT_EPSILON * kg_vector_get_largest (place),
                   fmax (get_rounding (a, normal), get_rounding (b, normal)));
}

/* A triangle in the plane of a facet. */
static RadiosityTriangle
get_triangle (const RadiosityScene *scene, uint32_t facet)
{
  const RadiosityFacet *f = &scene->facets[facet];

  return (RadiosityTriangle){ .a = f->a, .e1 = f->e, .e2 = f->f, .facet = facet };
}

/* Whether two triangles are in one plane at a place of a, but for rounding. */
static bool
lie_on_each_other (const RadiosityScene *scene, const RadiosityTriangle *a, const RadiosityTriangle *b, KgVector place)
{
  const KgVector normal = scene->facets[a->facet].normal, other = scene->facets[b->facet].normal;

  return fabs (kg_vector_dot (normal, other)) > 0.9999 &&
         fabs (kg_vector_dot (kg_vector_subtract (b->a, place), other)) <= get_tolerance (place, a, b, normal);
}

/* Whether what a ray meets at its start is in its way: the facet it comes from may share an edge with it, and rounding must not decide.
 * What lies face to face on the facet, as a box on the floor does, covers its front, but what leaves its back goes into the other body's
 * opposite.  A wall beside it stops the ray if it rises above the facet, and the ray goes to its other side. */
static bool
blocks_start (const Ray *ray, const RadiosityTriangle *triangle, double t)
{
  const double near = ray->scene->near;
  const RadiosityFacet *facet;
  RadiosityTriangle of_own;
  KgVector other, from, to;

  if (ray->own == RADIOSITY_NO_FACET)
    return t >= 0;
  facet = &ray->scene->facets[ray->own];
  of_own = get_triangle (ray->scene, ray->own);
  other = ray->scene->facets[triangle->facet].normal;
  if (lie_on_each_other (ray->scene, &of_own, triangle, ray->x))
    return kg_vector_dot (facet->normal, other) < 0 && kg_vector_dot (ray->d, facet->normal) > 0;
  if (fabs (t) > 1e-3 * near)
    return t > 0;
  from = kg_vector_subtract (radiosity_get_point (facet, facet->n == 4 ? 0.5 : 1.0 / 3, facet->n == 4 ? 0.5 : 1.0 / 3),
                             ray->x);
  to = kg_vector_subtract (kg_vector_add_scaled (triangle->a, 1.0 / 3, kg_vector_add (triangle->e1, triangle->e2)),
                           ray->x);
  return kg_vector_dot (to, facet->normal) * kg_vector_dot (ray->d, facet->normal) > 0 &&
         kg_vector_dot (from, other) * kg_vector_dot (ray->d, other) < 0;
}

/* Whether a triangle at t is before what the ray has hit.  Where two bodies touch, both are at one place: who looks from within a body
 * sees its inside rather than the other body. */
static bool
is_before (const Ray *ray, uint32_t index, double t)
{
  const RadiosityScene *scene = ray->scene;

  if (ray->hit && scene->rule->sides == RADIOSITY_BOTH && fabs (t - ray->t) < scene->near) {
    const RadiosityTriangle *triangle = &scene->triangles[index], *met = &scene->triangles[ray->triangle];
    const KgVector normal = scene->facets[triangle->facet].normal;

    if (kg_vector_dot (normal, scene->facets[met->facet].normal) < 0 &&
        lie_on_each_other (scene, triangle, met, kg_vector_add_scaled (ray->x, t, ray->d)))
      return kg_vector_dot (ray->d, normal) > 0;
  }
  return t < ray->t || (t == ray->t && index < ray->triangle);
}

/* Möller and Trumbore 1997. */
static bool
hit_triangle (gpointer data, uint32_t index)
{
  /* Neighbours overlap by this: no ray passes between them. */
  const double grazing = 1e-9;
  Ray *ray = data;
  const RadiosityTriangle *triangle = &ray->scene->triangles[index];
  KgVector p, q, s;
  double determinant, inverse, u, v, t;

  if (triangle->facet == RADIOSITY_NO_FACET || triangle->facet == ray->own)
    return true;
  p = kg_vector_cross (ray->d, triangle->e2);
  determinant = kg_vector_dot (triangle->e1, p);
  if (determinant == 0)
    return true;
  inverse = 1 / determinant;
  s = kg_vector_subtract (ray->x, triangle->a);
  u = kg_vector_dot (s, p) * inverse;
  if (!(u >= -grazing && u <= 1 + grazing))
    return true;
  q = kg_vector_cross (s, triangle->e1);
  v = kg_vector_dot (ray->d, q) * inverse;
  if (!(v >= -grazing && u + v <= 1 + grazing))
    return true;
  t = kg_vector_dot (triangle->e2, q) * inverse;
  if (!is_before (ray, index, t))
    return true;
  /* By its distance from the plane: what lies on the facet is met far away by rays that graze it. */
  if (t * fabs (kg_vector_dot (ray->d, ray->scene->facets[triangle->facet].normal)) < ray->scene->near &&
      !blocks_start (ray, triangle, t))
    return true;
  ray->t = t;
  ray->limit = t + 2 * ray->scene->near;
  ray->triangle = index;
  ray->b1 = u;
  ray->b2 = v;
  ray->hit = true;
  return true;
}

static bool
trace (Ray *ray)
{
  ray->t = ray->limit = INFINITY;
  ray->triangle = G_MAXUINT32;
  ray->hit = false;
  box_tree_visit_ray (ray->scene->tree, ray->x, ray->d, &ray->limit, hit_triangle, ray);
  return ray->hit;
}

/* The patch at a place of a triangle that is met along d, if only on its dark back. */
static uint32_t
find_met_patch (const RadiosityScene *scene, uint32_t index, double b1, double b2, KgVector d)
{
  const RadiosityTriangle *triangle = &scene->triangles[index];
  const RadiosityFacet *facet = &scene->facets[triangle->facet];
  const bool back = scene->rule->sides == RADIOSITY_BOTH && kg_vector_dot (d, facet->normal) > 0;
  double u = b1, v = b2;

  if (facet->n == 4 && facet->flat) {
    /* The triangles are a, a + e, a + e + f and a, a + e + f, a + f. */
    u = triangle->second ? b1 : b1 + b2;
    v = triangle->second ? b1 + b2 : b2;
  } else if (facet->n == 4)
    radiosity_find_uv (
        facet, kg_vector_add_scaled (kg_vector_add_scaled (triangle->a, b1, triangle->e1), b2, triangle->e2), &u, &v);
  return (uint32_t) (facet->first + (back ? radiosity_get_n_cells (facet, 1) : 0) +
                     radiosity_find_cell (facet, 1, u, v));
}

/* The same; RADIOSITY_DARK: its back. */
static uint32_t
find_patch (const RadiosityScene *scene, uint32_t index, double b1, double b2, KgVector d)
{
  if (scene->rule->sides == RADIOSITY_FRONT &&
      kg_vector_dot (d, scene->facets[scene->triangles[index].facet].normal) > 0)
    return RADIOSITY_DARK;
  return find_met_patch (scene, index, b1, b2, d);
}

/* What mirrors leave of a ray of which nothing more is followed. */
static double
get_least_share (const RadiosityScene *scene)
{
  return kg_clamp (0.1 * scene->rule->tolerance, 1e-7, 1e-3);
}

/* The share of the light that leaves a patch, or outside, that is its own. */
static double
get_own_part (const RadiosityScene *scene, uint32_t patch)
{
  return patch == RADIOSITY_OUTSIDE || patch == RADIOSITY_DARK ? 1 : 1 - scene->result->patches[patch].mirror;
}

/* For chance: hardly any two rays have the same. */
static uint64_t
get_ray_id (const Ray *ray)
{
  uint64_t bits[3];

  memcpy (bits, &ray->d, sizeof bits);
  return bits[0] ^ (bits[1] << 21 | bits[1] >> 43) ^ (bits[2] << 42 | bits[2] >> 22);
}

/* Beyond the most that are kept, a thing seen shares a place with another that was, and one of them stands for both, by chance and in
 * proportion to its part of the light: the mean is right, and so is the light of all of them. */
static void
add_one_seen (const RadiosityScene *scene, RadiositySeen *seen, size_t n, RadiositySeen one, uint64_t id)
{
  RadiositySeen *other;
  double part, other_part;

  if (n < RADIOSITY_MOST_SEEN) {
    seen[n] = one;
    return;
  }
  /* The first stays: it is what the ray met. */
  other = &seen[1 + n % (RADIOSITY_MOST_SEEN - 1)];
  part = one.share * get_own_part (scene, one.patch);
  other_part = other->share * get_own_part (scene, other->patch);
  if (kg_random_uniform (scene->rule->seed, id, n) * (part + other_part) < part)
    *other = one;
  other->share = (part + other_part) / get_own_part (scene, other->patch);
}

/* From a hit on, which ray has. */
static int
follow (Ray *ray, RadiositySeen *seen)
{
  const RadiosityScene *scene = ray->scene;
  const uint64_t id = get_ray_id (ray);
  const double least = get_least_share (scene);
  double share = 1;
  size_t n = 0;

  for (bool ended = false; !ended; n++) {
    RadiositySeen one = { RADIOSITY_OUTSIDE, share, ray->d };
    const RadiosityTriangle *triangle;
    const RadiosityFacet *facet;

    ended = !ray->hit;
    if (ray->hit) {
      triangle = &scene->triangles[ray->triangle];
      facet = &scene->facets[triangle->facet];
      one.patch = find_patch (scene, ray->triangle, ray->b1, ray->b2, ray->d);
      ended = facet->mirror <= 0 || one.patch == RADIOSITY_DARK;
      if (!ended) {
        share *= facet->mirror;
        ended = share < least || (n % 4096 == 4095 && kg_progress_is_cancelled (scene->monitor));
        /* What is left is as if mirrors went on to show the like of this. */
        if (ended)
          one.share /= 1 - facet->mirror;
      }
    }
    add_one_seen (scene, seen, n, one, id);
    if (ended)
      continue;
    ray->x = kg_vector_add_scaled (kg_vector_add_scaled (triangle->a, ray->b1, triangle->e1), ray->b2, triangle->e2);
    ray->d = kg_vector_add_scaled (ray->d, -2 * kg_vector_dot (ray->d, facet->normal), facet->normal);
    ray->own = triangle->facet;
    trace (ray);
  }
  return (int) MIN (n, RADIOSITY_MOST_SEEN);
}

int
radiosity_look (const RadiosityScene *scene, uint32_t facet, KgVector x, KgVector d, RadiositySeen *seen)
{
  Ray ray = { .scene = scene, .own = facet, .x = x, .d = d };

  trace (&ray);
  return follow (&ray, seen);
}

void
radiosity_get_axes (KgVector normal, KgVector axes[3])
{
  axes[0] = kg_vector_perpendicular (normal);
  axes[1] = kg_vector_cross (normal, axes[0]);
  axes[2] = normal;
}

static double
wrap (double x)
{
  return x - floor (x);
}

/* Ray k of element: where it starts, and its direction, distributed by the cosine. */
static void
get_ray (const RadiosityScene *scene, size_t element, const RadiosityCell *cell, const KgVector axes[3], uint32_t k,
         KgVector *x, KgVector *d)
{
  double at[4], r, angle;

  /* The same stratified points for all, shifted around a torus by chance (Cranley and Patterson 1976). */
  for (size_t c = 0; c < 4; c++)
    at[c] = wrap (scene->samples[4 * (size_t) k + c] + kg_random_uniform (scene->rule->seed, element, c));
  r = sqrt (at[0]);
  angle = 2 * KG_PI * at[1];
  *x = radiosity_sample_cell (&scene->facets[scene->result->elements[element].facet], cell, at + 2);
  *d = radiosity_to_world (axes, kg_vector (r * cos (angle), r * sin (angle), sqrt (1 - at[0])));
}

/* Form factors. */

/* What a ray to a near patch met: that patch, or what it mirrors. */
typedef struct {
  uint32_t patch;
  bool near;
  double share;
} Met;

/* What a thread needs for one row after the other. */
typedef struct {
  const RadiosityScene *scene;
  double *sums;      /* of patches: 0 between two rows */
  uint32_t *touched; /* patches whose sum is not */
  uint32_t n_touched;
  double outside, dark;
  HemicubePixel *pixels; /* hemicube */
  const double *weights; /* of its pixels, together 1 */
  const KgVector *to;    /* them, unit */
  size_t n_near;
} Worker;

static void
add_share (Worker *w, uint32_t patch, double share)
{
  if (patch == RADIOSITY_OUTSIDE)
    w->outside += share;
  else if (patch == RADIOSITY_DARK)
    w->dark += share;
  else {
    if (w->sums[patch] == 0)
      w->touched[w->n_touched++] = patch;
    w->sums[patch] += share;
  }
}

static void
add_seen (Worker *w, const RadiositySeen *seen, int n, double share)
{
  for (int i = 0; i < n; i++)
    add_share (w, seen[i].patch, share * seen[i].share);
}

static void
clear_row (Worker *w)
{
  for (uint32_t i = 0; i < w->n_touched; i++)
    w->sums[w->touched[i]] = 0;
  w->n_touched = 0;
  w->outside = w->dark = 0;
}

static void
scale_row (Worker *w, double by)
{
  if (by == 0) {
    clear_row (w);
    return;
  }
  for (uint32_t i = 0; i < w->n_touched; i++)
    w->sums[w->touched[i]] *= by;
  w->outside *= by;
  w->dark *= by;
}

/* Asked now and then within a row: one may take long. */
static bool
is_stopped (const Worker *w, size_t i)
{
  return i % 1024 == 1023 && kg_progress_is_cancelled (w->scene->monitor);
}

static void
add_rays (Worker *w, size_t element)
{
  const RadiosityScene *scene = w->scene;
  const RadiosityPatch *own = &scene->result->elements[element];
  const RadiosityCell cell = radiosity_get_element_cell (scene, element);
  KgVector axes[3];

  radiosity_get_axes (own->normal, axes);
  for (uint32_t k = 0; k < scene->rule->rays && !is_stopped (w, k); k++) {
    RadiositySeen seen[RADIOSITY_MOST_SEEN];
    KgVector x, d;

    get_ray (scene, element, &cell, axes, k, &x, &d);
    add_seen (w, seen, radiosity_look (scene, own->facet, x, d, seen), 1.0 / scene->rule->rays);
  }
}

/* Whether an element and what a ray meets first are too near for what is seen from the centre to hold for all of it. */
static bool
is_near (const RadiosityPatch *own, const Ray *ray)
{
  const RadiosityPatch *other;
  KgVector between;
  double size;

  if (!ray->hit)
    return false;
  other = &ray->scene->result->patches[find_met_patch (ray->scene, ray->triangle, ray->b1, ray->b2, ray->d)];
  size = other->size > own->size ? other->size : own->size;
  between = kg_vector_subtract (own->center, other->center);
  return kg_vector_dot (between, between) < size * size;
}

/* Whether another body lies on the centre of an element, where a hemicube sees nothing of it. */
static bool
is_covered (const RadiosityScene *scene, const RadiosityPatch *own)
{
  const RadiosityTriangle of_own = get_triangle (scene, own->facet);
  Ray ray = { .scene = scene, .own = own->facet, .x = own->center, .d = own->normal };

  return trace (&ray) && lie_on_each_other (scene, &of_own, &scene->triangles[ray.triangle], own->center);
}

static void
draw_scene (Worker *w, const RadiosityPatch *own, const KgVector axes[3])
{
  const RadiosityScene *scene = w->scene;
  const uint32_t n = scene->rule->hemicube;
  const bool backs_first = scene->rule->sides == RADIOSITY_BOTH;

  hemicube_clear (n, w->pixels);
  /* What faces the point first: where it meets a face that does not, along the outline of a box, it is what is seen.  If both sides
   * count, where two bodies touch, what does not comes first: there the point is within one of them. */
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < scene->mesh->n && !is_stopped (w, i); i++) {
      const RadiosityTriangle *triangle = &scene->triangles[i];
      const KgVector from = kg_vector_subtract (triangle->a, own->center);
      KgVector corners[3];

      if (triangle->facet == RADIOSITY_NO_FACET || triangle->facet == own->facet ||
          (kg_vector_dot (from, scene->facets[triangle->facet].normal) < 0) == (pass == (backs_first ? 0 : 1)))
        continue;
      corners[0] = radiosity_to_local (axes, from);
      corners[1] = kg_vector_add (corners[0], radiosity_to_local (axes, triangle->e1));
      corners[2] = kg_vector_add (corners[0], radiosity_to_local (axes, triangle->e2));
      hemicube_draw (n, w->pixels, corners, (uint32_t) i);
    }
}

/* Rays for the near patches alone, the rest is scaled to what they leave; or for all, where there is no rest. */
static void
add_near_rays (Worker *w, size_t element, bool all)
{
  const RadiosityScene *scene = w->scene;
  const RadiosityPatch *own = &scene->result->elements[element];
  const RadiosityCell cell = radiosity_get_element_cell (scene, element);
  g_autoptr (GArray) met = g_array_new (FALSE, FALSE, sizeof (Met));
  uint32_t n_rays = 0;
  KgVector axes[3];

  radiosity_get_axes (own->normal, axes);
  for (uint32_t k = 0; k < scene->rule->rays && !is_stopped (w, k); k++) {
    Ray ray = { .scene = scene, .own = own->facet };
    RadiositySeen seen[RADIOSITY_MOST_SEEN];
    bool near;
    int n;

    get_ray (scene, element, &cell, axes, k, &ray.x, &ray.d);
    trace (&ray);
    near = is_near (own, &ray);
    if (!near && !all)
      continue;
    n_rays++;
    n = follow (&ray, seen);
    for (int i = 0; i < n; i++) {
      const Met one = { seen[i].patch, near && i == 0, seen[i].share / scene->rule->rays };

      g_array_append_val (met, one);
    }
  }
  scale_row (w, 1 - (double) n_rays / scene->rule->rays);
  for (guint i = 0; i < met->len; i++) {
    const Met *one = &g_array_index (met, Met, i);

    w->n_near += one->near && one->patch != RADIOSITY_DARK && w->sums[one->patch] == 0;
    add_share (w, one->patch, one->share);
  }
}

static void
add_hemicube (Worker *w, size_t element)
{
  /* What is seen of all that is far through a gap no wider than this is no measure of it. */
  const double least_far = 0.01;
  const RadiosityScene *scene = w->scene;
  const RadiosityPatch *own = &scene->result->elements[element];
  const uint32_t n = scene->rule->hemicube;
  double far = 0;
  bool near = false;
  KgVector axes[3];

  if (is_covered (scene, own)) {
    add_near_rays (w, element, true);
    return;
  }
  radiosity_get_axes (own->normal, axes);
  draw_scene (w, own, axes);
  for (uint32_t i = 0; i < hemicube_get_n_pixels (n); i++) {
    const HemicubePixel *pixel = &w->pixels[i];
    RadiositySeen seen[RADIOSITY_MOST_SEEN];
    Ray ray = { .scene = scene, .d = radiosity_to_world (axes, w->to[i]) };

    if (pixel->id != HEMICUBE_NOTHING) {
      ray.hit = true;
      ray.triangle = pixel->id;
      ray.b1 = pixel->b[0];
      ray.b2 = pixel->b[1];
    }
    if (is_near (own, &ray)) {
      near = true;
      continue;
    }
    far += w->weights[i];
    add_seen (w, seen, follow (&ray, seen), w->weights[i]);
  }
  if (near && far <= least_far) {
    clear_row (w);
    add_near_rays (w, element, true);
    return;
  }
  scale_row (w, 1 / far);
  if (near)
    add_near_rays (w, element, false);
}

static int
compare_patches (const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

static void
take_row (Worker *w, RadiosityRow *row)
{
  qsort (w->touched, w->n_touched, sizeof *w->touched, compare_patches);
  row->n = w->n_touched;
  row->outside = w->outside;
  row->factors = g_new (RadiosityFactor, MAX (row->n, 1));
  for (uint32_t i = 0; i < row->n; i++)
    row->factors[i] = (RadiosityFactor){ w->touched[i], (float) w->sums[w->touched[i]] };
  clear_row (w);
}

/* (transfer full) */
static double *
make_weights (uint32_t n)
{
  double *weights = g_new (double, hemicube_get_n_pixels (n)), total = 0;

  for (uint32_t i = 0; i < hemicube_get_n_pixels (n); i++)
    total += weights[i] = hemicube_get_factor (n, i);
  for (uint32_t i = 0; i < hemicube_get_n_pixels (n); i++)
    weights[i] /= total;
  return weights;
}

bool
radiosity_find_factors (RadiosityScene *scene, double from, double to)
{
  enum { ROWS_AT_ONCE = 16 };
  Radiosity *result = scene->result;
  const bool hemicube = scene->rule->factors == RADIOSITY_HEMICUBE;
  const uint32_t n_pixels = hemicube ? hemicube_get_n_pixels (scene->rule->hemicube) : 0;
  const int n_workers = MAX (omp_get_max_threads (), 1);
  g_autofree double *weights = hemicube ? make_weights (scene->rule->hemicube) : NULL,
                    *sums = g_new0 (double, (size_t) n_workers * result->n_patches);
  g_autofree KgVector *to_pixels = hemicube ? hemicube_make_directions (scene->rule->hemicube) : NULL;
  g_autofree uint32_t *touched = g_new (uint32_t, (size_t) n_workers * result->n_patches);
  g_autofree HemicubePixel *pixels = hemicube ? g_new (HemicubePixel, (size_t) n_workers * n_pixels) : NULL;
  size_t n_near = 0, n_done = 0;
  bool stopped = false;

  result->rows = g_new0 (RadiosityRow, result->n_elements);
#pragma omp parallel for schedule(dynamic) reduction(+ : n_near) reduction(|| : stopped)
  for (size_t first = 0; first < result->n_elements; first += ROWS_AT_ONCE) {
    const size_t thread = (size_t) omp_get_thread_num (), end = MIN (first + ROWS_AT_ONCE, result->n_elements);
    Worker w = { .scene = scene,
                 .sums = sums + thread * result->n_patches,
                 .touched = touched + thread * result->n_patches,
                 .pixels = hemicube ? pixels + thread * n_pixels : NULL,
                 .weights = weights,
                 .to = to_pixels };
    size_t done;

    for (size_t i = first; i < end && !stopped; i++) {
      stopped = kg_progress_is_cancelled (scene->monitor);
      if (stopped)
        break;
      if (hemicube)
        add_hemicube (&w, i);
      else
        add_rays (&w, i);
      take_row (&w, &result->rows[i]);
    }
    n_near += w.n_near;
#pragma omp atomic capture
    done = n_done += end - first;
    kg_progress_report (scene->monitor, kg_lerp (from, to, (double) done / (double) result->n_elements));
  }
  result->n_near = n_near;
  return !stopped;
}
