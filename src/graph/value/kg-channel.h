/* kg-channel: one function of one variable: keys, samples, pieces of polynomials, or a closed form.
 * Used by keyed inputs (the variable is the frame number) and inside motions (seconds, or 0..1 for an ease).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-types.h"

G_BEGIN_DECLS

#define KG_CHANNEL_MAX_WIDTH 4
#define KG_CHANNEL_MAX_DEGREE 12

/* How a key leads to the next one. */
typedef enum {
  KG_INTERPOLATE_CONSTANT,
  KG_INTERPOLATE_LINEAR,
  KG_INTERPOLATE_BEZIER, /* cubic with the tangents of both keys */
  KG_INTERPOLATE_TCB,    /* Kochanek and Bartels 1984 */
  KG_N_INTERPOLATIONS
} KgInterpolation;

typedef enum {
  KG_TANGENT_AUTO,    /* slope from the neighbours, flat at extremes so that nothing overshoots */
  KG_TANGENT_ALIGNED, /* slope given, equal on both sides; lengths may differ */
  KG_TANGENT_FREE,    /* both sides given */
  KG_N_TANGENT_MODES
} KgTangentMode;

/* Beyond the first or last key. */
typedef enum {
  KG_EXTEND_HOLD,
  KG_EXTEND_LINEAR,
  KG_EXTEND_CYCLE,
  KG_EXTEND_CYCLE_OFFSET,
  KG_EXTEND_MIRROR,
  KG_N_EXTENDS
} KgExtend;

/* A tangent as a handle, relative to its key: reach along the variable (>= 0, away from the key) and the
 * change of the value over that reach.  Handles longer than the span to the next key are shortened together
 * so that the curve stays a function (as in the F-curves of common animation programs). */
typedef struct {
  double reach;
  double rise[KG_CHANNEL_MAX_WIDTH];
} KgHandle;

typedef struct {
  double at; /* frame, second, or 0..1 */
  double value[KG_CHANNEL_MAX_WIDTH];
  KgInterpolation interpolation; /* towards the next key */
  KgTangentMode tangents;
  KgHandle in, out;                 /* used unless tangents is auto */
  double tension, continuity, bias; /* used by TCB */
} KgKey;

/* A closed form: values of a function with its derivative and integral.  parameters: as many doubles as the
 * form needs.  All three callbacks write one number; derivative and integral may be NULL (then taken
 * numerically: central difference, adaptive Gauss-Kronrod). */
typedef struct {
  const char *name;
  guint n_parameters;
  double (*value) (const double *parameters, double x);
  double (*derivative) (const double *parameters, double x);
  double (*integral) (const double *parameters, double x); /* from 0 to x */
} KgFunction;

/* A key with everything at its default: linear, auto tangents, zero handles. */
void kg_key_init (KgKey *key, double at, double value);

/* Normalises a quaternion to a rotation; zero is refused. */
bool kg_rotation_make_unit (KgRotation *q, GError **error);

/* width: components (1 number, 3 vector, 4 colour or rotation).  rotation: keys are quaternions, interpolated
 * by slerp (linear) or cubics on the sphere (other; tension, continuity and bias count, handles do not).  Keys may come in any order; two keys at one
 * place make a step: the later in the list wins from there on.  Fails on no key, on numbers not finite and
 * on a negative reach.  (transfer full) */
KgChannel *kg_channel_new_keys (guint width, bool rotation, const KgKey *keys, gsize n, KgExtend before, KgExtend after,
                                GError **error);
/* samples: n * width numbers at start, start + 1 / rate, ...; linear between them.  (transfer full) */
KgChannel *kg_channel_new_samples (guint width, bool rotation, double start, double rate, const double *samples,
                                   gsize n, KgExtend before, KgExtend after, GError **error);
/* One component over [low, high], held (slope 0) outside.  (transfer full) */
KgChannel *kg_channel_new_function (const KgFunction *function, const double *parameters, double low, double high);
/* One component, made of n polynomials of the same degree (0 to KG_CHANNEL_MAX_DEGREE): piece i lies between breaks[i]
 * and breaks[i + 1] (n + 1 increasing numbers) and is the sum of coefficients[i * (degree + 1) + k] u^k, where u runs
 * from 0 to 1 across it.  Where pieces do not meet it jumps: the later piece holds from its break on.  Derivative and
 * integral are exact.  (transfer full) (nullable) */
KgChannel *kg_channel_new_pieces (guint degree, gsize n, const double *breaks, const double *coefficients,
                                  KgExtend before, KgExtend after, GError **error);

KgChannel *kg_channel_ref (const KgChannel *channel);
void kg_channel_unref (KgChannel *channel);

guint kg_channel_get_width (const KgChannel *channel);
bool kg_channel_is_rotation (const KgChannel *channel);
/* The range in which the channel is defined by its keys, samples or form. */
void kg_channel_get_range (const KgChannel *channel, double *low, double *high);
/* n keys, sorted (NULL and 0 when it has none: samples or a form). */
const KgKey *kg_channel_get_keys (const KgChannel *channel, gsize *n);
/* (nullable) n * width numbers; NULL when it has none. */
const double *kg_channel_get_samples (const KgChannel *channel, gsize *n, double *start, double *rate);
/* (nullable) The coefficients of its n pieces, and their n + 1 breaks. */
const double *kg_channel_get_pieces (const KgChannel *channel, gsize *n, guint *degree, const double **breaks);
/* (nullable) The name of its closed form. */
const char *kg_channel_get_function (const KgChannel *channel);
void kg_channel_get_extend (const KgChannel *channel, KgExtend *before, KgExtend *after);
/* The slopes (d value / d at) that the curve has entering and leaving key i, as evaluated. */
void kg_channel_get_slopes (const KgChannel *channel, gsize i, double in[KG_CHANNEL_MAX_WIDTH],
                            double out[KG_CHANNEL_MAX_WIDTH]);

/* Where a channel is read for a variable beyond its range. */
typedef struct {
  double at;     /* inside the range */
  double rounds; /* whole ranges from there, negative before it */
  bool reversed; /* the range runs backwards */
  bool outside; /* what was requested is beyond the range; extend says how it goes on there, HOLD if it has no length */
  KgExtend extend;
} KgChannelPlace;

KgChannelPlace kg_channel_fold (const KgChannel *channel, double at);
/* value: width numbers.  Exact at keys (the same bits). */
void kg_channel_evaluate (const KgChannel *channel, double at, double *value);
/* First derivative by the variable, from the right at a corner. */
void kg_channel_differentiate (const KgChannel *channel, double at, double *derivative);
/* The same, from the right at the end of its range too, where kg_channel_differentiate is that of its last span. */
void kg_channel_differentiate_right (const KgChannel *channel, double at, double *derivative);
/* Component-wise integral from a to b, exact for polynomial pieces where the form permits, else to 1e-10.
 * Not for rotations. */
void kg_channel_integrate (const KgChannel *channel, double a, double b, double *integral);

bool kg_channel_equal (const KgChannel *a, const KgChannel *b);
KgHash kg_channel_hash (const KgChannel *channel, KgHash hash);
size_t kg_channel_get_bytes (const KgChannel *channel);

/* Nicks for the file, indexed by the enumerations above, NULL-terminated. */
extern const char *const kg_interpolation_nicks[];
extern const char *const kg_tangent_nicks[];
extern const char *const kg_extend_nicks[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgChannel, kg_channel_unref)

G_END_DECLS
