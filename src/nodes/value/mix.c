/* value/mix: something between two values.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/value_mix.h"

#include "kg-node.h"

typedef struct {
  KgValue a;
  KgValue b;
  double t;
  bool clamp;
  KgValue mixed;
} Mix;

static bool
mix_evaluate (Mix *n, const KgContext *ctx, GError **error)
{
  const double t = n->clamp ? kg_clamp (n->t, 0, 1) : n->t;
  g_auto (KgValue) a = KG_VALUE_INIT, b = KG_VALUE_INIT;
  KgKind kind = n->a.kind;

  (void) ctx;
  /* Integers and booleans mix as numbers; the second takes the kind of the first where a conversion is known. */
  if (kind == KG_INTEGER || kind == KG_BOOLEAN)
    kind = KG_NUMBER;
  if (!kg_value_convert (&n->a, kind, &a, error) || !kg_value_convert (&n->b, kind, &b, error)) {
    kg_prefix_error (error, "a and b do not match: ");
    return false;
  }
  return value_mix (&a, &b, t, &n->mixed, error);
}

static const KgSlot mix_slots[] = {
  KG_INPUT (Mix, a, ANY, .label = N_ ("a"),
            .help = N_ ("Value at 0: a number, vector, colour, rotation or transform.")),
  KG_INPUT (Mix, b, ANY, .label = N_ ("b"), .help = N_ ("Value at 1, of the same type.")),
  KG_INPUT (Mix, t, NUMBER, .label = N_ ("Mix"), .def = 0.5, .soft_max = 1, .help = N_ ("Share of b: 0 to 1.")),
  KG_INPUT (
      Mix, clamp, BOOLEAN, .label = N_ ("Clamp"),
      .help = N_ ("Limits the mix to the range from 0 to 1; otherwise it continues in a straight line beyond them.")),
  KG_OUTPUT (Mix, mixed, ANY, .label = N_ ("Mixed"), .like = "a", .help = N_ ("Mixed value.")),
};

KG_NODE (
    value, mix, Mix, .label = N_ ("Mix"), .version = 1, .since = "0.1",
    .tags = N_ ("lerp linear interpolation blend between average fade"),
    .formula = "(1 − t) a + t b = a + t (b − a); "
               "rotations by slerp",
    .source = "Parent, Computer Animation, B.4.2",
    .help = N_ (
        "Interpolates linearly between two values. Rotations rotate at a constant speed about one axis; the translation, rotation and stretch of transforms are interpolated separately."));
