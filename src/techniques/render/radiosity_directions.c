/* radiosity_directions: surfaces whose light depends on the direction, in bins.
 *
 * The bins of a patch are the pixels of a hemicube, each with the exact share of diffuse light that goes through it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-error.h"
#include "kg-random.h"
#include "render/hemicube.h"
#include "render/radiosity_private.h"

#include <omp.h>
#include <string.h>

/* Reflection. */

/* Cook and Torrance 1982: F D G / ((N L) (N V)), with a dielectric's F. */
static double
get_cook_torrance (const RadiosityRule *rule, double shine, KgVector l, KgVector v)
{
  const KgVector h = kg_vector_normalize_or (kg_vector_add (l, v), kg_vector (0, 0, 1));
  const double m2 = 2 / (shine + 2), nl = fmax (l.z, 1e-6), nv = fmax (v.z, 1e-6), nh = fmax (h.z, 1e-6);
  const double vh = fmax (kg_vector_dot (v, h), 1e-6), tan2 = (1 - nh * nh) / (nh * nh);
  const double d = exp (-tan2 / m2) / (m2 * nh * nh * nh * nh);
  const double g = fmin (1, fmin (2 * nh * nv / vh, 2 * nh * nl / vh));
  const double c = vh, r = sqrt (fmax (0, rule->index * rule->index + c * c - 1));
  const double a = (r - c) / (r + c), b = (c * (r + c) - 1) / (c * (r - c) + 1);

  return 0.5 * a * a * (1 + b * b) * d * g / (nl * nv);
}

/* Before it is scaled; the same if both directions are exchanged. */
static double
get_lobe (const RadiosityRule *rule, double shine, KgVector l, KgVector v)
{
  /* Phong: the mirrored l has its x and y reversed. */
  const double cosine = l.z * v.z - l.x * v.x - l.y * v.y;

  if (rule->lobe == RADIOSITY_COOK_TORRANCE)
    return get_cook_torrance (rule, shine, l, v);
  return cosine > 0 ? pow (cosine, shine) : shine > 0 ? 0 : 1;
}

/* The diffuse share has mean 1, and so does the lobe, in all directions together. */
static double
get_reflection (const RadiosityRule *rule, double shine, double mean, KgVector l, KgVector v)
{
  return 1 - rule->gloss + (mean > 0 ? rule->gloss * get_lobe (rule, shine, l, v) / mean : 0);
}

static double
get_lobe_mean (const RadiosityRule *rule, double shine, uint32_t n, const KgVector *d, const double *weights,
               const KgProgressMonitor *monitor)
{
  double sum = 0;

  for (uint32_t i = 0; i < n && !kg_progress_is_cancelled (monitor); i++)
    for (uint32_t k = 0; k < n; k++)
      sum += weights[i] * weights[k] * get_lobe (rule, shine, d[i], d[k]);
  return sum;
}

void
radiosity_scale_reflection (const RadiosityRule *rule, double shine, uint32_t n, const KgVector *d,
                            const double *weights, double *reflection, double *scales, const KgProgressMonitor *monitor)
{
  enum { MOST_SWEEPS = 2000 };
  const double mean = get_lobe_mean (rule, shine, n, d, weights, monitor);
  double error = 1;

  for (uint32_t i = 0; i < n; i++) {
    scales[i] = 1;
    for (uint32_t k = 0; k < n; k++)
      reflection[n * i + k] = get_reflection (rule, shine, mean, d[i], d[k]);
  }
  /* Rows and columns at once, by the root, so that both ends keep the same factor (Knight, Ruiz and Ucar 2014). */
  for (int sweep = 0; sweep < MOST_SWEEPS && error > 1e-13 && !kg_progress_is_cancelled (monitor); sweep++) {
    g_autofree double *sums = g_new (double, n);

    error = 0;
    for (uint32_t i = 0; i < n; i++) {
      sums[i] = 0;
      for (uint32_t k = 0; k < n; k++)
        sums[i] += reflection[n * i + k] * scales[k] * weights[k];
      sums[i] *= scales[i];
      error = fmax (error, fabs (sums[i] - 1));
    }
    for (uint32_t i = 0; i < n; i++)
      scales[i] /= sums[i] > 0 ? sqrt (sums[i]) : 1;
  }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++)
      reflection[n * i + k] *= scales[i] * scales[k];
}

/* A material: how it reflects from bin to bin. */
typedef struct {
  double shine, mean;
  double *reflection; /* n n, times the weight of the bin that arrives: row by leaving bin */
  double *scales;
} Material;

/* What one sample of an arriving bin sees. */
typedef struct {
  uint32_t patch; /* or RADIOSITY_OUTSIDE */
  uint16_t bin;   /* of that patch */
  uint16_t from;  /* of this one */
  float share;    /* of what arrives in bin from */
} Sample;

typedef struct {
  size_t n;
  Sample *samples;
} View;

typedef struct {
  const RadiosityScene *scene;
  uint32_t n_bins, n_samples; /* samples of each bin */
  KgVector *directions;       /* unit, of the middles of bins */
  double *weights;
  GArray *materials;  /* Material */
  uint32_t *material; /* of each patch */
  View *views;        /* of each patch */
  double *radiance;   /* 3 n_bins a patch: what is left may be far below the digits of a float */
} Directions;

static void
directions_clear (Directions *s)
{
  g_free (s->directions);
  g_free (s->weights);
  for (guint i = 0; s->materials != NULL && i < s->materials->len; i++) {
    g_free (g_array_index (s->materials, Material, i).reflection);
    g_free (g_array_index (s->materials, Material, i).scales);
  }
  g_clear_pointer (&s->materials, g_array_unref);
  for (size_t i = 0; s->views != NULL && i < s->scene->result->n_patches; i++)
    g_free (s->views[i].samples);
  g_free (s->views);
  g_free (s->material);
  g_free (s->radiance);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Directions, directions_clear)

/* Those that are kept: radiance now and after the next sweep, of double size, samples, and reflection. */
static double
count_numbers (const Directions *s, double n_materials, double n_samples)
{
  return 12.0 * (double) s->scene->result->n_patches * s->n_bins + 3.0 * n_samples +
         2.0 * n_materials * s->n_bins * s->n_bins;
}

static bool
check_numbers (const Directions *s, double n_materials, GError **error)
{
  const size_t n_patches = s->scene->result->n_patches;
  const double numbers = count_numbers (s, n_materials, (double) n_patches * s->n_bins * s->n_samples);

  if (numbers <= RADIOSITY_MOST_NUMBERS)
    return true;
  if (n_materials > 1)
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "%zu patches with %u directions and %.0f different values of shine need %.0f numbers, more than %d: use "
        "larger patches, fewer bins or fewer values",
        n_patches, s->n_bins, n_materials, numbers, RADIOSITY_MOST_NUMBERS);
  else
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu patches with %u directions need %.0f numbers, more than %d: use larger patches or fewer bins",
                  n_patches, s->n_bins, numbers, RADIOSITY_MOST_NUMBERS);
  return false;
}

static bool
make_materials (Directions *s, GError **error)
{
  const RadiosityScene *scene = s->scene;
  const Radiosity *result = scene->result;
  const uint32_t n = s->n_bins;
  g_autoptr (GHashTable) known = g_hash_table_new (g_double_hash, g_double_equal);

  s->materials = g_array_new (FALSE, TRUE, sizeof (Material));
  s->material = g_new (uint32_t, result->n_patches);
  for (size_t i = 0; i < result->n_patches; i++) {
    gpointer index;

    if (!g_hash_table_lookup_extended (known, &result->patches[i].shine, NULL, &index)) {
      const Material material = { .shine = result->patches[i].shine };

      index = GUINT_TO_POINTER (s->materials->len);
      g_hash_table_insert (known, &result->patches[i].shine, index);
      g_array_append_val (s->materials, material);
      if (!check_numbers (s, s->materials->len, error))
        return false;
    }
    s->material[i] = GPOINTER_TO_UINT (index);
  }
  for (guint i = 0; i < s->materials->len; i++) {
    Material *material = &g_array_index (s->materials, Material, i);

    material->mean = get_lobe_mean (scene->rule, material->shine, n, s->directions, s->weights, scene->monitor);
    material->reflection = g_new (double, (size_t) n *n);
    material->scales = g_new (double, n);
    radiosity_scale_reflection (scene->rule, material->shine, n, s->directions, s->weights, material->reflection,
                                material->scales, scene->monitor);
    if (kg_progress_is_cancelled (scene->monitor))
      return false;
    for (uint32_t row = 0; row < n; row++) {
      double sum = 0;

      for (uint32_t k = 0; k < n; k++)
        sum += material->reflection[(size_t) n * row + k] *= s->weights[k];
      /* The rest of the error, so that no sweep adds or loses light. */
      for (uint32_t k = 0; k < n; k++)
        material->reflection[(size_t) n * row + k] /= sum;
    }
  }
  return true;
}

/* Views. */

/* The bin of a patch in which it sends light against d. */
static uint32_t
find_bin (const RadiosityScene *scene, uint32_t patch, KgVector d)
{
  KgVector axes[3];

  radiosity_get_axes (scene->result->patches[patch].normal, axes);
  return hemicube_find_pixel (scene->rule->bins, radiosity_to_local (axes, kg_vector_scale (d, -1)));
}

/* Appends what a patch or element sees: samples in each bin.  Ends in vain when there are more than most. */
static void
look_around (const Directions *s, const RadiosityPatch *own, const RadiosityCell *cell, uint64_t id, double most,
             GArray *samples)
{
  const RadiosityScene *scene = s->scene;
  KgVector axes[3];

  radiosity_get_axes (own->normal, axes);
  for (uint32_t bin = 0; bin < s->n_bins && samples->len <= most && !kg_progress_is_cancelled (scene->monitor); bin++) {
    const guint first = samples->len;
    double total = 0;

    for (uint32_t k = 0; k < s->n_samples; k++) {
      const uint64_t counter = 4 * ((uint64_t) bin * s->n_samples + k);
      double at[4];
      RadiositySeen seen[RADIOSITY_MOST_SEEN];
      KgVector on, x;
      double density;
      int n;

      for (uint32_t c = 0; c < 4; c++)
        at[c] = kg_random_uniform (scene->rule->seed, id, counter + c);
      at[0] = (k + at[0]) / s->n_samples;
      on = hemicube_get_direction (scene->rule->bins, bin, at[0], at[1]);
      density = hemicube_get_density (on);
      total += density;
      x = radiosity_sample_cell (&scene->facets[own->facet], cell, at + 2);
      n = radiosity_look (scene, own->facet, x, kg_vector_normalize_or (radiosity_to_world (axes, on), own->normal),
                          seen);
      for (int i = 0; i < n; i++) {
        Sample sample = { seen[i].patch, 0, (uint16_t) bin, (float) (density * seen[i].share) };

        if (seen[i].patch == RADIOSITY_DARK)
          continue;
        if (seen[i].patch != RADIOSITY_OUTSIDE)
          sample.bin = (uint16_t) find_bin (scene, seen[i].patch, seen[i].d);
        g_array_append_val (samples, sample);
      }
    }
    for (guint i = first; i < samples->len; i++)
      g_array_index (samples, Sample, i).share = (float) ((double) g_array_index (samples, Sample, i).share / total);
  }
}

/* Mirrors add what they show to each sample: from a few rays, how many samples there will be. */
static double
estimate_samples (const Directions *s)
{
  enum { N_RAYS = 256 };
  const RadiosityScene *scene = s->scene;
  const size_t n = scene->result->n_patches;
  double sum = 0;

  for (size_t k = 0; k < N_RAYS && !kg_progress_is_cancelled (scene->monitor); k++) {
    const size_t patch = k * n / N_RAYS;
    const RadiosityPatch *own = &scene->result->patches[patch];
    const RadiosityCell cell = radiosity_get_patch_cell (scene, patch);
    RadiositySeen seen[RADIOSITY_MOST_SEEN];
    double at[5];
    KgVector axes[3], on;

    for (uint32_t c = 0; c < 5; c++)
      at[c] = kg_random_uniform (scene->rule->seed, n + scene->result->n_elements + k, c);
    radiosity_get_axes (own->normal, axes);
    on = hemicube_get_direction (scene->rule->bins, (uint32_t) (at[4] * s->n_bins), at[0], at[1]);
    sum += radiosity_look (scene, own->facet, radiosity_sample_cell (&scene->facets[own->facet], &cell, at + 2),
                           kg_vector_normalize_or (radiosity_to_world (axes, on), own->normal), seen);
  }
  return sum / N_RAYS * (double) n * s->n_bins * s->n_samples;
}

static bool
check_samples (const Directions *s, double n_samples, GError **error)
{
  const double numbers = count_numbers (s, s->materials->len, n_samples);

  if (numbers <= RADIOSITY_MOST_NUMBERS || kg_progress_is_cancelled (s->scene->monitor))
    return true;
  kg_set_error (
      error, KG_ERROR_LIMIT,
      "what mirrors show to %zu patches with %u directions needs about %.0f numbers, more than %d: use larger "
      "patches, fewer bins or rays, or a smaller mirror",
      s->scene->result->n_patches, s->n_bins, numbers, RADIOSITY_MOST_NUMBERS);
  return false;
}

static bool
make_views (Directions *s, GError **error)
{
  const RadiosityScene *scene = s->scene;
  const size_t n = scene->result->n_patches;
  const double most = (RADIOSITY_MOST_NUMBERS - count_numbers (s, s->materials->len, 0)) / 3;
  size_t n_done = 0, n_samples = 0;
  bool stopped = false;

  if (!check_samples (s, estimate_samples (s), error))
    return false;
  s->views = g_new0 (View, n);
#pragma omp parallel for schedule(dynamic, 8) reduction(|| : stopped)
  for (size_t i = 0; i < n; i++) {
    const RadiosityCell cell = radiosity_get_patch_cell (scene, i);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (Sample));
    size_t done, so_far;

#pragma omp atomic read
    so_far = n_samples;
    stopped = stopped || (double) so_far > most || kg_progress_is_cancelled (scene->monitor);
    if (stopped)
      continue;
    look_around (s, &scene->result->patches[i], &cell, i, most - (double) so_far, samples);
#pragma omp atomic
    n_samples += samples->len;
    s->views[i].n = samples->len;
    s->views[i].samples = g_new (Sample, MAX (samples->len, 1));
    if (samples->len > 0)
      memcpy (s->views[i].samples, samples->data, samples->len * sizeof (Sample));
#pragma omp atomic capture
    done = ++n_done;
    kg_progress_report (scene->monitor, 0.3 * (double) done / (double) n);
  }
  return check_samples (s, (double) n_samples, error) && !stopped;
}

/* What arrives in each bin: 3 numbers each. */
static void
receive (const Directions *s, const Sample *samples, size_t n, double *arriving)
{
  memset (arriving, 0, 3 * s->n_bins * sizeof *arriving);
  for (size_t i = 0; i < n; i++) {
    const Sample *sample = &samples[i];
    double *to = arriving + 3 * sample->from;

    if (sample->patch == RADIOSITY_OUTSIDE)
      for (size_t c = 0; c < 3; c++)
        to[c] += (double) sample->share * s->scene->rule->background[c];
    else {
      const double *from = s->radiance + 3 * ((size_t) sample->patch * s->n_bins + sample->bin);

      for (size_t c = 0; c < 3; c++)
        to[c] += (double) sample->share * from[c];
    }
  }
}

/* What a sweep changes, for each colour. */
typedef struct {
  double largest, change; /* radiance, and how much of it is new */
  double least, most;     /* change, in shares of that of the sweep before at the same place */
  double bound;           /* the largest change, in shares of 1 - mirror */
} Sweep;

static Sweep
join_sweeps (Sweep a, Sweep b)
{
  return (Sweep){ fmax (a.largest, b.largest), fmax (a.change, b.change), fmin (a.least, b.least),
                  fmax (a.most, b.most), fmax (a.bound, b.bound) };
}

static const Sweep no_sweep = { 0, 0, INFINITY, 0, 0 };

/* value: after a sweep; now: before it; before: before the one before it. */
static void
add_change (Sweep *sweep, double value, double now, double before, double mirror)
{
  const double change = fabs (value - now), last = fabs (now - before);

  sweep->largest = fmax (sweep->largest, value);
  sweep->change = fmax (sweep->change, change);
  sweep->bound = fmax (sweep->bound, change / (1 - mirror));
  /* A negative background takes light away. */
  if (value < now || now < before)
    sweep->most = INFINITY;
  else if (last > 0) {
    sweep->least = fmin (sweep->least, change / last);
    sweep->most = fmax (sweep->most, change / last);
  } else if (change > 0)
    sweep->most = INFINITY;
}

/* One sweep of all patches.  next has the radiance before the last one, and gets the new one. */
static void
sweep_all (const Directions *s, double *next, double *arriving, Sweep sweeps[3])
{
  const Radiosity *result = s->scene->result;
  const uint32_t n = s->n_bins;

  for (size_t c = 0; c < 3; c++)
    sweeps[c] = no_sweep;
#pragma omp parallel
  {
    double *light = arriving + 3 * (size_t) n * (size_t) omp_get_thread_num ();
    Sweep own[3] = { no_sweep, no_sweep, no_sweep };

#pragma omp for schedule(dynamic, 8)
    for (size_t i = 0; i < result->n_patches; i++) {
      const RadiosityPatch *patch = &result->patches[i];
      const Material *material = &g_array_index (s->materials, Material, s->material[i]);

      if (kg_progress_is_cancelled (s->scene->monitor))
        continue;
      receive (s, s->views[i].samples, s->views[i].n, light);
      for (uint32_t bin = 0; bin < n; bin++) {
        const double *row = material->reflection + (size_t) n * bin;
        const size_t at = 3 * (i * n + bin);
        double sum[3] = { 0, 0, 0 };

        for (uint32_t k = 0; k < n; k++)
          for (size_t c = 0; c < 3; c++)
            sum[c] += row[k] * light[3 * k + c];
        for (size_t c = 0; c < 3; c++) {
          const double value = patch->emission[c] + patch->reflectance[c] * sum[c];

          add_change (&own[c], value, s->radiance[at + c], next[at + c], patch->mirror);
          next[at + c] = value;
        }
      }
    }
#pragma omp critical
    for (size_t c = 0; c < 3; c++)
      sweeps[c] = join_sweeps (sweeps[c], own[c]);
  }
}

/* The largest share of the light that arrives and is not left as a mirror that any patch scatters: no sweep changes more, in
 * shares of 1 - mirror, than this of what the one before it did. */
static void
find_albedos (const Radiosity *result, double albedos[3])
{
  for (size_t c = 0; c < 3; c++)
    albedos[c] = 0;
  for (size_t i = 0; i < result->n_patches; i++)
    for (size_t c = 0; c < 3; c++)
      albedos[c] = fmax (albedos[c], result->patches[i].reflectance[c] / (1 - result->patches[i].mirror));
}

/* How many times the last change all later ones are together, and (return) the largest error of it.  Sweeps only add light,
 * and what they do is linear: where each changes between least and most of the last, so do all that follow (as in the theorem
 * of Collatz and Wielandt), and their sum is a geometric series between two. */
static double
find_rest (const Sweep *sweep, double albedo, double *rest)
{
  const double bound = sweep->bound * albedo / (1 - albedo);
  double from, to;

  *rest = 0;
  if (!(sweep->most < 1))
    return bound;
  from = fmin (sweep->least, sweep->most) / (1 - fmin (sweep->least, sweep->most));
  to = sweep->most / (1 - sweep->most);
  if (bound < 0.5 * (to - from) * sweep->change)
    return bound;
  *rest = 0.5 * (from + to);
  return 0.5 * (to - from) * sweep->change;
}

static bool
sweep_until_balanced (Directions *s)
{
  const RadiosityScene *scene = s->scene;
  const size_t n = 3 * scene->result->n_patches * s->n_bins;
  const double tolerance = scene->rule->tolerance;
  g_autofree double *arriving = g_new (double, 3 * (size_t) s->n_bins * (size_t) MAX (omp_get_max_threads (), 1));
  g_autofree double *next = g_new0 (double, n);
  double albedos[3], first = 0, missing, change, largest, rest[3];

  s->radiance = g_new0 (double, n);
  find_albedos (scene->result, albedos);
  do {
    double *done = next;
    Sweep sweeps[3];

    sweep_all (s, next, arriving, sweeps);
    if (kg_progress_is_cancelled (scene->monitor))
      return false;
    next = s->radiance;
    s->radiance = done;
    missing = change = largest = 0;
    for (size_t c = 0; c < 3; c++) {
      missing = fmax (missing, find_rest (&sweeps[c], albedos[c], &rest[c]));
      change = fmax (change, sweeps[c].change);
      largest = fmax (largest, sweeps[c].largest);
    }
    first = fmax (first, missing);
    kg_progress_report (scene->monitor,
                        missing > 0 ? 0.3 + 0.5 * kg_clamp (log (missing / first) / log (fmin (tolerance, 0.5)), 0, 1)
                                    : 0.8);
    /* Beyond the digits nothing changes any more. */
  } while (missing > tolerance * largest && change > 1e-13 * largest);
  for (size_t i = 0; i < n; i++)
    s->radiance[i] += rest[i % 3] * (s->radiance[i] - next[i]);
  return true;
}

/* Towards the eye. */

/* Light towards v, in the axes of the patch, exactly in this direction rather than in its bin. */
static void
reflect_towards (const Directions *s, const Material *material, const RadiosityPatch *patch, const double *arriving,
                 KgVector v, double light[3])
{
  double sum[3] = { 0, 0, 0 }, total = 0;

  for (uint32_t k = 0; k < s->n_bins; k++) {
    const double weight = s->weights[k] * material->scales[k] *
                          get_reflection (s->scene->rule, material->shine, material->mean, s->directions[k], v);

    total += weight;
    for (size_t c = 0; c < 3; c++)
      sum[c] += weight * arriving[3 * k + c];
  }
  for (size_t c = 0; c < 3; c++)
    light[c] = patch->emission[c] + (total > 0 ? patch->reflectance[c] * sum[c] / total : 0);
}

/* What a mirror shows an eye that looks along d. */
static void
add_mirrored (const Directions *s, const RadiosityPatch *own, KgVector d, double light[3])
{
  const RadiosityScene *scene = s->scene;
  RadiositySeen seen[RADIOSITY_MOST_SEEN];
  const int n = radiosity_look (scene, own->facet, own->center,
                                kg_vector_add_scaled (d, -2 * kg_vector_dot (d, own->normal), own->normal), seen);

  for (int i = 0; i < n; i++) {
    const double *from;

    if (seen[i].patch == RADIOSITY_DARK)
      continue;
    from = seen[i].patch == RADIOSITY_OUTSIDE
               ? NULL
               : s->radiance + 3 * ((size_t) seen[i].patch * s->n_bins + find_bin (scene, seen[i].patch, seen[i].d));
    for (size_t c = 0; c < 3; c++)
      light[c] += own->mirror * seen[i].share * (from != NULL ? from[c] : scene->rule->background[c]);
  }
}

static void
finish_element (const Directions *s, size_t index, double *arriving)
{
  const RadiosityScene *scene = s->scene;
  RadiosityPatch *own = &scene->result->elements[index];
  const Material *material = &g_array_index (s->materials, Material, s->material[scene->result->patch[index]]);
  const KgVector d =
      kg_vector_normalize_or (kg_vector_subtract (own->center, scene->rule->eye), kg_vector_scale (own->normal, -1));
  double sum[3] = { 0, 0, 0 };
  KgVector axes[3], v;

  radiosity_get_axes (own->normal, axes);
  v = radiosity_to_local (axes, kg_vector_scale (d, -1));
  if (scene->rule->elements > 1) {
    const RadiosityCell cell = radiosity_get_element_cell (scene, index);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (Sample));

    look_around (s, own, &cell, scene->result->n_patches + index, INFINITY, samples);
    receive (s, (const Sample *) (const void *) samples->data, samples->len, arriving);
  } else
    receive (s, s->views[index].samples, s->views[index].n, arriving);
  for (uint32_t k = 0; k < s->n_bins; k++)
    for (size_t c = 0; c < 3; c++)
      sum[c] += s->weights[k] * arriving[3 * k + c];
  for (size_t c = 0; c < 3; c++)
    own->shown[c] = own->radiosity[c] = own->emission[c] + own->reflectance[c] * sum[c];
  /* From behind it is not seen. */
  if (v.z > 0) {
    reflect_towards (s, material, own, arriving, v, own->shown);
    if (own->mirror > 0)
      add_mirrored (s, own, d, own->shown);
  }
}

static bool
finish (Directions *s)
{
  const RadiosityScene *scene = s->scene;
  Radiosity *result = scene->result;
  g_autofree double *arriving = g_new (double, 3 * (size_t) s->n_bins * (size_t) MAX (omp_get_max_threads (), 1));
  bool stopped = false;

  for (size_t i = 0; i < result->n_patches; i++)
    for (size_t c = 0; c < 3; c++) {
      double sum = 0;

      for (uint32_t bin = 0; bin < s->n_bins; bin++)
        sum += s->weights[bin] * s->radiance[3 * (i * s->n_bins + bin) + c];
      result->patches[i].radiosity[c] = sum;
    }
#pragma omp parallel for schedule(dynamic, 8) reduction(|| : stopped)
  for (size_t i = 0; i < result->n_elements; i++) {
    stopped = stopped || kg_progress_is_cancelled (scene->monitor);
    if (!stopped)
      finish_element (s, i, arriving + 3 * (size_t) s->n_bins * (size_t) omp_get_thread_num ());
  }
  return !stopped;
}

bool
radiosity_solve_directions (RadiosityScene *scene, GError **error)
{
  const RadiosityRule *rule = scene->rule;
  g_auto (Directions) s = { .scene = scene, .n_bins = hemicube_get_n_pixels (rule->bins) };

  s.n_samples = MAX (1, (rule->rays + s.n_bins / 2) / s.n_bins);
  if (!check_numbers (&s, 1, error))
    return false;
  s.directions = hemicube_make_directions (rule->bins);
  s.weights = g_new (double, s.n_bins);
  for (uint32_t i = 0; i < s.n_bins; i++)
    s.weights[i] = hemicube_get_exact_factor (rule->bins, i);
  return make_materials (&s, error) && make_views (&s, error) && sweep_until_balanced (&s) && finish (&s);
}
