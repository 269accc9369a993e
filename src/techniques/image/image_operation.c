/* image_operation: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_operation.h"

/* Operations that are done at once, at most: one that comes later begins with their result. */
#define MAX_STEPS 64

/* Pixels of a task of one thread: enough that sharing out costs nothing, few enough to be cancelled soon. */
#define TASK 16384

ImageSource
image_source (const KgImage *image, const KgImage *frame, double right, double down)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const double aspect = kg_image_get_pixel_aspect (frame), own = kg_image_get_pixel_aspect (image);
  const double top = 0.5 * (kg_image_get_height (frame) - height) + down;
  ImageSource source = { .pixels = kg_image_get_pixels (image),
                         .depth = kg_image_get_depth (image),
                         .width = width,
                         .height = height,
                         .stretch = own > 0 ? aspect / own : 1 };

  if (!(fabs (source.stretch - 1) > 1e-6 && source.stretch > 0))
    source.stretch = 1;
  source.dx = (int) kg_clamp (floor (0.5 * (kg_image_get_width (frame) - width) + right + 0.5), -1e6, 1e6);
  source.dy = (int) kg_clamp (floor (top + 0.5), -1e6, 1e6);
  source.x0 = 0.5 * width - source.stretch * (0.5 * kg_image_get_width (frame) + floor (right + 0.5));
  return source;
}

/* A tent as wide as a pixel of the wider grid on either side: interpolates where the image grows, and leaves nothing out where
 * it shrinks. */
static void
fetch_stretched (const ImageSource *source, int x, const float *row, size_t n, float *to)
{
  const double radius = fmax (1, source->stretch);

  for (size_t i = 0; i < n; i++, to += 4) {
    const double centre = source->x0 + source->stretch * (x + (double) i + 0.5);
    double sum[4] = { 0 }, weights = 0;

    if (centre > -radius && centre < source->width + radius)
      for (double k = ceil (centre - radius - 0.5); k + 0.5 < centre + radius; k++) {
        const double weight = 1 - fabs (k + 0.5 - centre) / radius;

        weights += weight;
        for (int c = 0; c < 4 && k >= 0 && k < source->width; c++)
          sum[c] += weight * (double) row[4 * (size_t) k + (size_t) c];
      }
    for (int c = 0; c < 4; c++)
      to[c] = weights > 0 ? (float) (sum[c] / weights) : 0;
  }
}

const float *
image_source_fetch (const ImageSource *source, int x, int y, size_t n, float *scratch)
{
  const int from = x - source->dx, end = from + (int) n;
  const float *row = source->pixels +
                     4 * (size_t) kg_clamp (y - source->dy, 0, source->height - 1) * (size_t) source->width;
  const bool inside = y >= source->dy && y - source->dy < source->height;

  if (inside && source->stretch != 1)
    fetch_stretched (source, x, row, n, scratch);
  else if (inside && from >= 0 && end <= source->width)
    return row + 4 * (size_t) from;
  else {
    const int first = MAX (from, 0), last = MIN (end, source->width);

    memset (scratch, 0, 4 * n * sizeof *scratch);
    if (inside && first < last)
      memcpy (scratch + 4 * (size_t) (first - from), row + 4 * (size_t) first,
              4 * (size_t) (last - first) * sizeof *scratch);
  }
  return scratch;
}

const float *
image_source_fetch_depth (const ImageSource *source, int x, int y, size_t n, float *scratch)
{
  const bool inside = source->depth != NULL && y >= source->dy && y - source->dy < source->height;
  const float *row = inside ? source->depth + (size_t) (y - source->dy) * (size_t) source->width : NULL;

  for (size_t i = 0; i < n; i++) {
    /* Distances are not mixed: between two things there is nothing. */
    const double at = source->stretch == 1 ? x + (double) i - source->dx
                                           : floor (source->x0 + source->stretch * (x + (double) i + 0.5));

    scratch[i] = inside && at >= 0 && at < source->width ? row[(size_t) at] : INFINITY;
  }
  return scratch;
}

bool
image_enlarge (KgImage **image, const KgImage *other, GError **error)
{
  const double stretch = kg_image_get_pixel_aspect (other) / kg_image_get_pixel_aspect (*image);
  const double wide = ceil (kg_image_get_width (other) * (fabs (stretch - 1) > 1e-6 ? stretch : 1) - 1e-6);
  const int width = MAX (kg_image_get_width (*image), (int) kg_clamp (wide, 1, KG_IMAGE_MAX_SIDE + 1));
  const int height = MAX (kg_image_get_height (*image), kg_image_get_height (other));
  g_autoptr (KgImage) larger = NULL;
  ImageSource source;
  float *pixels, *depth;

  if (width == kg_image_get_width (*image) && height == kg_image_get_height (*image))
    return true;
  larger = kg_image_new (width, height, kg_image_get_depth (*image) != NULL, error);
  if (larger == NULL)
    return false;
  kg_image_set_pixel_aspect (larger, kg_image_get_pixel_aspect (*image));
  source = image_source (*image, larger, 0, 0);
  pixels = kg_image_edit_pixels (larger);
  depth = source.depth != NULL ? kg_image_edit_depth (larger) : NULL;
  for (int y = 0; y < source.height; y++) {
    const size_t to = (size_t) (y + source.dy) * (size_t) width + (size_t) source.dx;
    const size_t from = (size_t) y * (size_t) source.width;

    memcpy (pixels + 4 * to, source.pixels + 4 * from, 4 * (size_t) source.width * sizeof (float));
    if (depth != NULL)
      memcpy (depth + to, source.depth + from, (size_t) source.width * sizeof (float));
  }
  kg_image_unref (*image);
  *image = g_steal_pointer (&larger);
  return true;
}

bool
image_each_rows (int width, int height, ImageRows rows, gpointer data, const KgProgressMonitor *monitor)
{
  const int band = MAX (1, TASK / MAX (width, 1)), n = (height + band - 1) / band;

#pragma omp parallel for schedule(dynamic) if ((size_t) width * (size_t) height >= KG_PARALLEL_FROM)
  for (int i = 0; i < n; i++)
    if (!kg_progress_is_cancelled (monitor))
      rows (data, i * band, MIN (height, (i + 1) * band));
  return !kg_progress_is_cancelled (monitor);
}

/* A block on the stack: r, g, b and a apart. */
typedef float Planes[4][IMAGE_BLOCK];

KG_KERNEL static void
split (const float *restrict rgba, size_t n, Planes planes)
{
  float *restrict r = planes[0], *restrict g = planes[1], *restrict b = planes[2], *restrict a = planes[3];

#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    r[i] = rgba[4 * i];
    g[i] = rgba[4 * i + 1];
    b[i] = rgba[4 * i + 2];
    a[i] = rgba[4 * i + 3];
  }
}

KG_KERNEL static void
join (Planes planes, size_t n, float *restrict rgba)
{
  const float *restrict r = planes[0], *restrict g = planes[1], *restrict b = planes[2], *restrict a = planes[3];

#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    rgba[4 * i] = r[i];
    rgba[4 * i + 1] = g[i];
    rgba[4 * i + 2] = b[i];
    rgba[4 * i + 3] = a[i];
  }
}

/* Where alpha is 0 or less, rgb is left: unpremultiply is undone there. */
KG_KERNEL static void
unpremultiply (Planes planes, size_t n)
{
  const float *restrict a = planes[3];

  for (int c = 0; c < 3; c++) {
    float *restrict v = planes[c];

#pragma omp simd
    for (size_t i = 0; i < n; i++)
      v[i] = v[i] / (a[i] > 0 ? a[i] : 1);
  }
}

/* before: the pixels as they were; those with an alpha of 0 or less stay so. */
KG_KERNEL static void
premultiply (Planes planes, Planes before, size_t n)
{
  const float *restrict a = before[3], *restrict now = planes[3];

  for (int c = 0; c < 3; c++) {
    const float *restrict old = before[c];
    float *restrict v = planes[c];

#pragma omp simd
    for (size_t i = 0; i < n; i++)
      v[i] = a[i] > 0 ? v[i] * now[i] : old[i];
  }
  {
    float *restrict alpha = planes[3];

#pragma omp simd
    for (size_t i = 0; i < n; i++)
      alpha[i] = a[i] > 0 ? alpha[i] : a[i];
  }
}

/* The bits of the absolute value: as whole numbers they are in the order of the values, and those of infinity are below those of what
 * is not a number. */
static inline int32_t
get_size (float x)
{
  int32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits & 0x7fffffff;
}

/* Reading costs less than writing, and nearly all numbers are finite.  The largest of each channel: a sum would wait for each of its
 * terms. */
KG_KERNEL static bool
are_finite (const float *restrict v, size_t n)
{
  int32_t most = 0;

#pragma omp simd reduction(max : most)
  for (size_t i = 0; i < n; i++) {
    const int32_t x = get_size (v[i]);

    most = x > most ? x : most;
  }
  return most < 0x7f800000;
}

static bool
is_finite (Planes planes, size_t n)
{
  return are_finite (planes[0], n) && are_finite (planes[1], n) && are_finite (planes[2], n) &&
         are_finite (planes[3], n);
}

KG_KERNEL static void
make_all_finite (float *restrict v, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float top = v[i] > FLT_MAX ? FLT_MAX : v[i], x = top < -FLT_MAX ? -FLT_MAX : top;

    v[i] = x == x ? x : 0;
  }
}

static void
make_finite (Planes planes, size_t n)
{
  for (int c = 0; c < 4; c++)
    make_all_finite (planes[c], n);
}

KG_KERNEL static bool
is_one (const float *restrict v, size_t n)
{
  const float one = 1;
  uint32_t differs = 0, of_one;

  memcpy (&of_one, &one, sizeof of_one);
#pragma omp simd reduction(| : differs)
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;

    memcpy (&bits, &v[i], sizeof bits);
    differs |= bits ^ of_one;
  }
  return differs == 0;
}

/* Of what was opaque. */
KG_KERNEL static void
multiply (Planes planes, size_t n)
{
  const float *restrict a = planes[3];

  for (int c = 0; c < 3; c++) {
    float *restrict v = planes[c];

#pragma omp simd
    for (size_t i = 0; i < n; i++)
      v[i] *= a[i];
  }
}

/* The mask's numbers over its pixels; by: not automatic. */
KG_KERNEL static void
weigh (const float *restrict rgba, size_t n, ImageMask by, bool invert, float mix, float *restrict m)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float light = image_luminance (rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]);
    const float v = by == IMAGE_MASK_LUMINANCE ? light : rgba[4 * i + 3];
    const float high = v < 1 ? v : 1, clamped = high > 0 ? high : 0;

    m[i] = mix * (invert ? 1 - clamped : clamped);
  }
}

KG_KERNEL static void
mix_in (Planes before, const float *restrict m, size_t n, Planes planes)
{
  for (int c = 0; c < 4; c++) {
    const float *restrict old = before[c];
    float *restrict v = planes[c];

#pragma omp simd
    for (size_t i = 0; i < n; i++)
      v[i] = m[i] == 0 ? old[i] : (1 - m[i]) * old[i] + m[i] * v[i];
  }
}

ImageMask
image_mask_resolve (const KgImage *mask, ImageMask by)
{
  if (by != IMAGE_MASK_AUTOMATIC)
    return by;
  return kg_image_is_opaque (mask) ? IMAGE_MASK_LUMINANCE : IMAGE_MASK_ALPHA;
}

/* One operation. */
typedef struct {
  ImageKernel kernel;     /* NULL: result has what it makes */
  ImageWholeKernel whole; /* NULL: there is none, or it would not do */
  const void *data;
  bool straight, invert_mask;
  bool keeps; /* see ImageWear */
  float mix;
  bool masked;
  ImageMask mask_by;
  ImageSource mask;
  const ImageSource *others;
  guint n_others;
  /* Of what is left pending. */
  gpointer own_data;
  KgImage *own_mask;
} Step;

/* A pass over the pixels: all operations on a block while it is in the cache of the processor. */
typedef struct {
  const float *before; /* of the first operation's image */
  const float *result; /* of an operation that is no kernel */
  float *to;
  int width, height;
  const Step *steps;
  guint n_steps;
} Pass;

/* before: room.  check: makes what is not finite so; without, a later step sees that there was something. */
static void
run_step (const Pass *pass, const Step *step, int x, int y, size_t n, bool check, Planes planes, Planes before)
{
  /* Of what is opaque, straight colours are the same numbers. */
  const bool opaque = step->straight && is_one (planes[3], n);
  const bool mixed = step->masked || step->mix < 1;
  float scratch[4 * IMAGE_BLOCK];
  Planes others[IMAGE_MAX_OTHERS];
  ImageBlock block = { .x = x, .y = y, .n = n, .r = planes[0], .g = planes[1], .b = planes[2], .a = planes[3] };

  if (mixed || (step->straight && !opaque))
    for (int c = 0; c < 4; c++)
      memcpy (before[c], planes[c], n * sizeof (float));
  if (step->kernel != NULL) {
    if (step->straight && !opaque)
      unpremultiply (planes, n);
    for (guint i = 0; i < step->n_others; i++) {
      split (image_source_fetch (&step->others[i], x, y, n, scratch), n, others[i]);
      if (step->straight)
        unpremultiply (others[i], n);
      for (int c = 0; c < 4; c++)
        block.others[i][c] = others[i][c];
    }
    step->kernel (&block, step->data);
    if (step->straight && !opaque)
      premultiply (planes, before, n);
    else if (step->straight && !is_one (planes[3], n))
      multiply (planes, n);
  } else
    split (pass->result + 4 * ((size_t) y * (size_t) pass->width + (size_t) x), n, planes);
  if (check && !is_finite (planes, n))
    make_finite (planes, n);
  if (mixed) {
    float m[IMAGE_BLOCK];

    if (step->masked)
      weigh (image_source_fetch (&step->mask, x, y, n, scratch), n, step->mask_by, step->invert_mask, step->mix, m);
    else
      for (size_t i = 0; i < n; i++)
        m[i] = step->mix;
    mix_in (before, m, n, planes);
  }
}

/* All steps.  hopeful: those after which what is not finite stays so are looked at together, after the last of them in a row; false
 * where there was something then, and planes hold nothing that counts. */
static bool
run_steps (const Pass *pass, int x, int y, size_t n, bool hopeful, Planes planes, Planes before)
{
  bool put_off = false;

  for (guint i = 0; i < pass->n_steps; i++) {
    const Step *step = &pass->steps[i];
    const bool later = hopeful && step->keeps && i + 1 < pass->n_steps && pass->steps[i + 1].keeps;

    run_step (pass, step, x, y, n, !later && !put_off, planes, before);
    if (put_off && !later && !is_finite (planes, n))
      return false;
    put_off = later;
  }
  return true;
}

static void
run_whole (const Pass *pass, int x, int y, size_t n)
{
  const Step *step = &pass->steps[0];
  const size_t at = 4 * ((size_t) y * (size_t) pass->width + (size_t) x);
  float scratch[IMAGE_MAX_OTHERS][4 * IMAGE_BLOCK];
  const float *others[IMAGE_MAX_OTHERS];

  for (guint i = 0; i < step->n_others; i++)
    others[i] = image_source_fetch (&step->others[i], x, y, n, scratch[i]);
  step->whole (pass->before + at, others, n, step->data, pass->to + at);
  if (!are_finite (pass->to + at, 4 * n))
    make_all_finite (pass->to + at, 4 * n);
}

static void
run_block (const Pass *pass, int x, int y, size_t n)
{
  const size_t at = 4 * ((size_t) y * (size_t) pass->width + (size_t) x);
  Planes planes, before;

  if (pass->n_steps == 1 && pass->steps[0].whole != NULL) {
    run_whole (pass, x, y, n);
    return;
  }
  split (pass->before + at, n, planes);
  if (!run_steps (pass, x, y, n, true, planes, before)) {
    split (pass->before + at, n, planes);
    run_steps (pass, x, y, n, false, planes, before);
  }
  join (planes, n, pass->to + at);
}

static inline void
prefetch (const float *pixels, size_t n)
{
  enum { LINE = 16 };

  for (size_t i = 0; i < 4 * n; i += LINE)
    __builtin_prefetch (pixels + i);
}

/* Asks for the pixels of a block before they are needed: while the steps of the one before it are done, memory has nothing to do. */
static void
prefetch_block (const Pass *pass, int x, int y, size_t n)
{
  const float *from = pass->before + 4 * ((size_t) y * (size_t) pass->width + (size_t) x);

  prefetch (from, n);
  for (guint k = 0; k < pass->n_steps; k++)
    for (guint i = 0; i < pass->steps[k].n_others; i++) {
      const ImageSource *other = &pass->steps[k].others[i];
      const int left = x - other->dx, row = y - other->dy;

      if (other->stretch == 1 && left >= 0 && left + (int) n <= other->width && row >= 0 && row < other->height)
        prefetch (other->pixels + 4 * ((size_t) row * (size_t) other->width + (size_t) left), n);
    }
}

static bool
run (const Pass *pass, const KgProgressMonitor *monitor)
{
  const gsize blocks = (gsize) ((pass->width + IMAGE_BLOCK - 1) / IMAGE_BLOCK);
  const gsize n = blocks * (gsize) pass->height;
  const gsize step = MAX (1, TASK / MIN (IMAGE_BLOCK, pass->width));

#pragma omp parallel for schedule(dynamic) if ((size_t) pass->width * (size_t) pass->height >= KG_PARALLEL_FROM)
  for (gsize first = 0; first < n; first += step)
    for (gsize i = first; i < MIN (n, first + step) && (i > first || !kg_progress_is_cancelled (monitor)); i++) {
      const int x = (int) (i % blocks) * IMAGE_BLOCK, y = (int) (i / blocks);

      if (i + 1 < MIN (n, first + step)) {
        const int next = (int) ((i + 1) % blocks) * IMAGE_BLOCK;

        prefetch_block (pass, next, (int) ((i + 1) / blocks), (size_t) MIN (IMAGE_BLOCK, pass->width - next));
      }
      run_block (pass, x, y, (size_t) MIN (IMAGE_BLOCK, pass->width - x));
    }
  return !kg_progress_is_cancelled (monitor);
}

static void
step_init (Step *step, const KgImage *frame, const ImageWear *wear)
{
  *step = (Step){
    .straight = wear->straight, .invert_mask = wear->invert_mask, .keeps = wear->keeps, .mix = (float) wear->mix
  };
  if (wear->mask != NULL) {
    step->masked = true;
    step->mask = image_source (wear->mask, frame, 0, 0);
    step->mask_by = image_mask_resolve (wear->mask, wear->mask_by);
  }
  if (wear->mask == NULL && wear->mix >= 1 && !wear->straight)
    step->whole = wear->whole;
}

/* Operations that an image has pending. */
typedef struct {
  GArray *steps; /* Step */
  KgBuffer *shared;
  float *to;
  int width, height;
} Chain;

static void
chain_free (gpointer data)
{
  Chain *chain = (Chain *) data;

  for (guint i = 0; i < chain->steps->len; i++) {
    Step *step = &g_array_index (chain->steps, Step, i);

    g_free (step->own_data);
    g_clear_pointer (&step->own_mask, kg_image_unref);
  }
  g_array_unref (chain->steps);
  g_clear_pointer (&chain->shared, kg_buffer_unref);
  g_free (chain);
}

static bool
chain_run (gpointer data, const KgProgressMonitor *monitor)
{
  const Chain *chain = (const Chain *) data;
  const Pass pass = { .before = chain->shared != NULL ? (const float *) kg_buffer_get_data (chain->shared) : chain->to,
                      .to = chain->to,
                      .width = chain->width,
                      .height = chain->height,
                      .steps = (const Step *) (const void *) chain->steps->data,
                      .n_steps = chain->steps->len };

  return run (&pass, monitor);
}

/* The chain of *image, which is the caller's alone then.  What takes memory is done here, so that nothing can fail later. */
static Chain *
get_chain (KgImage **image)
{
  Chain *chain;

  kg_image_make_writable (image);
  chain = (Chain *) kg_image_get_pending (*image, chain_run);
  if (chain != NULL && chain->steps->len >= MAX_STEPS) {
    kg_image_complete (*image, NULL);
    chain = NULL;
  }
  if (chain == NULL) {
    g_autoptr (KgBuffer) shared = NULL;
    float *to = kg_image_edit_pixels_uncopied (*image, &shared);

    chain = g_new (Chain, 1);
    *chain = (Chain){ .steps = g_array_new (FALSE, FALSE, sizeof (Step)),
                      .shared = g_steal_pointer (&shared),
                      .to = to,
                      .width = kg_image_get_width (*image),
                      .height = kg_image_get_height (*image) };
    kg_image_set_pending (*image, (KgImagePending){ chain_run, chain_free, chain });
  }
  return chain;
}

bool
image_combine (KgImage **image, const ImageSource *others, guint n_others, const ImageWear *wear, ImageKernel kernel,
               const void *data, const KgProgressMonitor *monitor)
{
  Step step;

  g_return_val_if_fail (n_others <= IMAGE_MAX_OTHERS, false);
  if (wear->mix > 0) {
    Chain *chain = get_chain (image);

    step_init (&step, *image, wear);
    step.kernel = kernel;
    step.data = data;
    step.others = others;
    step.n_others = n_others;
    g_array_append_val (chain->steps, step);
  }
  return kg_image_complete (*image, monitor);
}

bool
image_apply (KgImage **image, const ImageWear *wear, ImageKernel kernel, const void *data,
             const KgProgressMonitor *monitor)
{
  return image_combine (image, NULL, 0, wear, kernel, data, monitor);
}

bool
image_apply_later (KgImage **image, const ImageWear *wear, ImageKernel kernel, const void *data, size_t size,
                   bool later, const KgProgressMonitor *monitor)
{
  Step step;
  Chain *chain;

  if (!later)
    return image_apply (image, wear, kernel, data, monitor);
  if (!(wear->mix > 0))
    return true;
  chain = get_chain (image);
  step_init (&step, *image, wear);
  step.kernel = kernel;
  step.own_data = g_memdup2 (data, size);
  step.data = step.own_data;
  step.own_mask = wear->mask != NULL ? kg_image_ref (wear->mask) : NULL;
  g_array_append_val (chain->steps, step);
  return true;
}

bool
image_wear (const KgImage *before, const ImageWear *wear, KgImage **after, const KgProgressMonitor *monitor)
{
  Step step;
  Pass pass = { .before = kg_image_get_pixels (before),
                .width = kg_image_get_width (before),
                .height = kg_image_get_height (before),
                .steps = &step,
                .n_steps = 1 };

  g_return_val_if_fail (kg_image_get_width (before) == kg_image_get_width (*after) &&
                            kg_image_get_height (before) == kg_image_get_height (*after),
                        false);
  step_init (&step, *after, wear);
  step.straight = step.keeps = false;
  kg_image_make_writable (after);
  pass.to = kg_image_edit_pixels (*after);
  pass.result = pass.to;
  return run (&pass, monitor);
}
