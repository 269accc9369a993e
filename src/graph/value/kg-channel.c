/* kg-channel: making channels, and what can be read of them.  The mathematics is in kg-channel-evaluate.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-channel-private.h"

const char *const kg_interpolation_nicks[] = { "constant", "linear", "bezier", "tcb", NULL };
const char *const kg_tangent_nicks[] = { "auto", "aligned", "free", NULL };
const char *const kg_extend_nicks[] = { "hold", "linear", "cycle", "cycle-offset", "mirror", NULL };

void
kg_key_init (KgKey *key, double at, double value)
{
  *key = (KgKey){ .at = at, .value = { value }, .interpolation = KG_INTERPOLATE_LINEAR };
}

static bool
check_finite (const double *x, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!isfinite (x[i]))
      return false;
  return true;
}

static bool
check_key (const KgKey *key, guint width, gsize index, GError **error)
{
  const double others[] = { key->at, key->in.reach, key->out.reach, key->tension, key->continuity, key->bias };

  if (!check_finite (others, G_N_ELEMENTS (others)) || !check_finite (key->value, width) ||
      !check_finite (key->in.rise, width) || !check_finite (key->out.rise, width)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "key %zu has a number that is not finite", index);
    return false;
  }
  if (key->in.reach < 0 || key->out.reach < 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "key %zu has a handle with a negative reach: use 0 or more", index);
    return false;
  }
  return true;
}

static KgChannel *
channel_new (guint width, bool rotation, KgExtend before, KgExtend after)
{
  KgChannel *channel = g_new0 (KgChannel, 1);

  g_atomic_ref_count_init (&channel->refs);
  channel->width = width;
  channel->rotation = rotation;
  channel->before = before;
  channel->after = after;
  return channel;
}

static bool
check_shape (guint width, bool rotation, gsize n, const char *none, GError **error)
{
  if (n == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s", kg_translate (none));
    return false;
  }
  if (width < 1 || width > KG_CHANNEL_MAX_WIDTH || (rotation && width != 4)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "values of %u numbers: use 1 to %d (4 for rotations)", width,
                  KG_CHANNEL_MAX_WIDTH);
    return false;
  }
  return true;
}

/* Stable: of keys at one place the later in the list stays later. */
static void
sort_keys (KgKey *keys, gsize n)
{
  bool sorted = true;

  for (gsize i = 1; i < n && sorted; i++)
    sorted = keys[i - 1].at <= keys[i].at;
  if (sorted)
    return;
  {
    g_autofree KgKey *other = g_new (KgKey, n);

    for (gsize run = 1; run < n; run *= 2) {
      for (gsize start = 0; start < n; start += 2 * run) {
        const gsize middle = MIN (start + run, n), end = MIN (start + 2 * run, n);

        for (gsize a = start, b = middle, k = start; k < end; k++)
          other[k] = b >= end || (a < middle && keys[a].at <= keys[b].at) ? keys[a++] : keys[b++];
      }
      memcpy (keys, other, n * sizeof *keys);
    }
  }
}

bool
kg_rotation_make_unit (KgRotation *q, GError **error)
{
  if (q->w == 0 && q->x == 0 && q->y == 0 && q->z == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a rotation of 0, 0, 0, 0: use a non-zero quaternion; 1, 0, 0, 0 is no rotation");
    return false;
  }
  *q = kg_rotation_normalize (*q);
  return true;
}

static bool
check_rotation (const double *q, gsize i, bool is_key, GError **error)
{
  if (kg_rotation_make_unit (&(KgRotation){ q[0], q[1], q[2], q[3] }, error))
    return true;
  kg_prefix_error (error, is_key ? N_ ("key %zu: ") : N_ ("sample %zu: "), i);
  return false;
}

/* Unit quaternions on one half of the sphere, so that neighbours are interpolated the short way. */
static void
prepare_rotations (double *x, gsize n, gsize stride)
{
  for (gsize i = 0; i < n; i++) {
    double *q = x + i * stride;
    const KgRotation unit = kg_rotation_normalize ((KgRotation){ q[0], q[1], q[2], q[3] });
    double sign = 1;

    if (i > 0) {
      const double *p = q - stride;

      sign = p[0] * unit.w + p[1] * unit.x + p[2] * unit.y + p[3] * unit.z < 0 ? -1 : 1;
    }
    q[0] = sign * unit.w;
    q[1] = sign * unit.x;
    q[2] = sign * unit.y;
    q[3] = sign * unit.z;
  }
}

KgChannel *
kg_channel_new_keys (guint width, bool rotation, const KgKey *keys, gsize n, KgExtend before, KgExtend after,
                     GError **error)
{
  KgChannel *channel;

  if (!check_shape (width, rotation, n, N_ ("no keys: give at least one"), error))
    return NULL;
  for (gsize i = 0; i < n; i++)
    if (!check_key (&keys[i], width, i, error) || (rotation && !check_rotation (keys[i].value, i, true, error)))
      return NULL;
  channel = channel_new (width, rotation, before, after);
  channel->n = n;
  channel->keys = (KgKey *) g_memdup2 (keys, n * sizeof *keys);
  for (gsize i = 0; i < n; i++)
    for (guint c = width; c < KG_CHANNEL_MAX_WIDTH; c++)
      channel->keys[i].value[c] = channel->keys[i].in.rise[c] = channel->keys[i].out.rise[c] = 0;
  sort_keys (channel->keys, n);
  if (rotation)
    prepare_rotations (channel->keys[0].value, n, sizeof (KgKey) / sizeof (double));
  kg_channel_prepare (channel);
  return channel;
}

KgChannel *
kg_channel_new_samples (guint width, bool rotation, double start, double rate, const double *samples, gsize n,
                        KgExtend before, KgExtend after, GError **error)
{
  KgChannel *channel;

  if (!check_shape (width, rotation, n, N_ ("no samples: give at least one"), error))
    return NULL;
  if (!isfinite (start) || !(rate > 0) || !isfinite (rate)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "samples from %g at a rate of %g: use a rate above 0", start, rate);
    return NULL;
  }
  for (gsize i = 0; i < n * width; i++)
    if (!isfinite (samples[i])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "sample %zu is not finite", i / width);
      return NULL;
    }
  for (gsize i = 0; rotation && i < n; i++)
    if (!check_rotation (samples + 4 * i, i, false, error))
      return NULL;
  channel = channel_new (width, rotation, before, after);
  channel->n = n;
  channel->start = start;
  channel->rate = rate;
  channel->samples = (double *) g_memdup2 (samples, n * width * sizeof *samples);
  if (rotation)
    prepare_rotations (channel->samples, n, 4);
  return channel;
}

KgChannel *
kg_channel_new_function (const KgFunction *function, const double *parameters, double low, double high)
{
  KgChannel *channel = channel_new (1, false, KG_EXTEND_HOLD, KG_EXTEND_HOLD);

  channel->function = function;
  channel->parameters = (double *) g_memdup2 (parameters, function->n_parameters * sizeof *parameters);
  channel->low = low;
  channel->high = high;
  return channel;
}

KgChannel *
kg_channel_new_pieces (guint degree, gsize n, const double *breaks, const double *coefficients, KgExtend before,
                       KgExtend after, GError **error)
{
  KgChannel *channel;

  if (!check_shape (1, false, n, N_ ("no pieces: give at least one"), error))
    return NULL;
  if (degree > KG_CHANNEL_MAX_DEGREE) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "polynomials of degree %u: use at most %d", degree,
                  KG_CHANNEL_MAX_DEGREE);
    return NULL;
  }
  for (gsize i = 0; i < n; i++)
    if (!check_finite (breaks + i, 2) || !(breaks[i] < breaks[i + 1]) ||
        !check_finite (coefficients + i * (degree + 1), degree + 1)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "piece %zu from %g to %g: use finite numbers and increasing breaks",
                    i, breaks[i], breaks[i + 1]);
      return NULL;
    }
  channel = channel_new (1, false, before, after);
  channel->n = n;
  channel->degree = degree;
  channel->breaks = (double *) g_memdup2 (breaks, (n + 1) * sizeof *breaks);
  channel->coefficients = (double *) g_memdup2 (coefficients, n * (degree + 1) * sizeof *coefficients);
  return channel;
}

KgChannel *
kg_channel_ref (const KgChannel *channel)
{
  KgChannel *c = (KgChannel *) channel;

  g_atomic_ref_count_inc (&c->refs);
  return c;
}

void
kg_channel_unref (KgChannel *channel)
{
  if (!g_atomic_ref_count_dec (&channel->refs))
    return;
  g_free (channel->keys);
  g_free (channel->slopes);
  g_free (channel->samples);
  g_free (channel->breaks);
  g_free (channel->coefficients);
  g_free (channel->parameters);
  g_free (channel);
}

guint
kg_channel_get_width (const KgChannel *channel)
{
  return channel->width;
}

bool
kg_channel_is_rotation (const KgChannel *channel)
{
  return channel->rotation;
}

void
kg_channel_get_range (const KgChannel *channel, double *low, double *high)
{
  if (channel->keys != NULL) {
    *low = channel->keys[0].at;
    *high = channel->keys[channel->n - 1].at;
  } else if (channel->samples != NULL) {
    *low = channel->start;
    *high = channel->start + (double) (channel->n - 1) / channel->rate;
  } else if (channel->breaks != NULL) {
    *low = channel->breaks[0];
    *high = channel->breaks[channel->n];
  } else {
    *low = channel->low;
    *high = channel->high;
  }
}

const KgKey *
kg_channel_get_keys (const KgChannel *channel, gsize *n)
{
  *n = channel->keys != NULL ? channel->n : 0;
  return channel->keys;
}

const double *
kg_channel_get_samples (const KgChannel *channel, gsize *n, double *start, double *rate)
{
  *n = channel->samples != NULL ? channel->n : 0;
  *start = channel->start;
  *rate = channel->rate;
  return channel->samples;
}

const double *
kg_channel_get_pieces (const KgChannel *channel, gsize *n, guint *degree, const double **breaks)
{
  *n = channel->breaks != NULL ? channel->n : 0;
  *degree = channel->degree;
  *breaks = channel->breaks;
  return channel->coefficients;
}

const char *
kg_channel_get_function (const KgChannel *channel)
{
  return channel->function != NULL ? channel->function->name : NULL;
}

void
kg_channel_get_extend (const KgChannel *channel, KgExtend *before, KgExtend *after)
{
  *before = channel->before;
  *after = channel->after;
}

KgHash
kg_channel_hash (const KgChannel *channel, KgHash hash)
{
  hash = kg_hash_uint (kg_hash_uint (hash, channel->width), channel->rotation);
  hash = kg_hash_uint (kg_hash_uint (hash, channel->before), channel->after);
  for (gsize i = 0; channel->keys != NULL && i < channel->n; i++) {
    const KgKey *key = &channel->keys[i];
    const double numbers[] = { key->at, key->in.reach, key->out.reach, key->tension, key->continuity, key->bias };

    hash = kg_hash_uint (kg_hash_uint (hash, key->interpolation), key->tangents);
    for (guint k = 0; k < G_N_ELEMENTS (numbers); k++)
      hash = kg_hash_double (hash, numbers[k]);
    for (guint c = 0; c < channel->width; c++) {
      hash = kg_hash_double (kg_hash_double (hash, key->value[c]), key->in.rise[c]);
      hash = kg_hash_double (hash, key->out.rise[c]);
    }
  }
  if (channel->samples != NULL)
    hash = kg_hash_doubles (hash, channel->samples, channel->n * channel->width);
  if (channel->breaks != NULL) {
    hash = kg_hash_uint (hash, channel->degree);
    hash = kg_hash_doubles (hash, channel->breaks, channel->n + 1);
    hash = kg_hash_doubles (hash, channel->coefficients, channel->n * (channel->degree + 1));
  }
  hash = kg_hash_double (kg_hash_double (hash, channel->start), channel->rate);
  hash = kg_hash_double (kg_hash_double (hash, channel->low), channel->high);
  if (channel->function != NULL) {
    hash = kg_hash_text (hash, channel->function->name);
    for (guint i = 0; i < channel->function->n_parameters; i++)
      hash = kg_hash_double (hash, channel->parameters[i]);
  }
  return hash;
}

bool
kg_channel_equal (const KgChannel *a, const KgChannel *b)
{
  if (a == b)
    return true;
  /* Everything that makes a channel goes into its hash, bit for bit. */
  return a->n == b->n && a->function == b->function &&
         kg_hash_equal (kg_channel_hash (a, kg_hash_begin (KG_HASH_CHANNEL, 0)),
                        kg_channel_hash (b, kg_hash_begin (KG_HASH_CHANNEL, 0)));
}

size_t
kg_channel_get_bytes (const KgChannel *channel)
{
  size_t element = channel->width * sizeof (double);

  if (channel->keys != NULL)
    element = sizeof (KgKey) + sizeof (KgSlopes);
  else if (channel->breaks != NULL)
    element = (channel->degree + 2) * sizeof (double);
  return sizeof *channel + channel->n * element;
}
