/* soft/combine: union, intersection and difference of bodies that fields stand for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "soft/solid_algebra.h"

typedef struct {
  KgList fields;
  int operation;
  double p;
  KgField *field;
} Combine;

static const KgChoice combine_operations[] = {
  [SOLID_BLEND] = { "blend", N_ ("Blend: the sum") },
  [SOLID_UNION] = { "union", N_ ("Union") },
  [SOLID_INTERSECTION] = { "intersection", N_ ("Intersection") },
  [SOLID_DIFFERENCE] = { "difference", N_ ("Difference: the first without the others") },
  [SOLID_RICCI_UNION] = { "ricci-union", N_ ("Union, blended (Ricci)") },
  [SOLID_RICCI_INTERSECTION] = { "ricci-intersection", N_ ("Intersection, blended (Ricci)") },
  [SOLID_RICCI_DIFFERENCE] = { "ricci-difference", N_ ("Difference, blended (Ricci)") },
  [SOLID_ROUNDED_UNION] = { "rounded", N_ ("Union, smooth off the edge (R-function)") },
  [SOLID_ROUNDED_INTERSECTION] = { "rounded-intersection", N_ ("Intersection, smooth off the edge (R-function)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (combine_operations, SOLID_N_OPERATIONS);

static bool
combine_evaluate (Combine *n, const KgContext *ctx, GError **error)
{
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->fields.n, 1));

  (void) ctx;
  for (guint i = 0; i < n->fields.n; i++) {
    fields[i] = n->fields.items[i].field;
    if (kg_field_get_width (fields[i]) != 1) {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "field %u is a field of vectors: link fields of numbers", i + 1);
      return false;
    }
  }
  n->field = n->fields.n > 0 ? solid_algebra_new ((SolidOperation) n->operation, n->p, fields, n->fields.n, error)
                             : kg_field_new_constant (0);
  return n->field != NULL;
}

static const KgSlot combine_slots[] = {
  KG_INPUTS (Combine, fields, FIELD, .label = N_ ("Fields"), .optional = true,
             .help = N_ ("Fields of numbers that represent bodies, in order.")),
  KG_INPUT (Combine, operation, CHOICE, .label = N_ ("Operation"), .choices = combine_operations, .def = SOLID_UNION,
            .help = N_ ("How the bodies are combined.")),
  KG_INPUT (Combine, p, NUMBER, .label = N_ ("Power"), .def = 8, .min = 1, .max = 64, .soft_max = 32,
            .shown_when = "operation=ricci-union|ricci-intersection|ricci-difference",
            .help = N_ ("Small values blend over a wide area; large values come close to sharp edges.")),
  KG_OUTPUT (Combine, field, FIELD, .label = N_ ("Field"), .help = N_ ("The combined body; its level is 1.")),
};

KG_NODE (
    soft, combine, Combine, .label = N_ ("Combine Bodies"), .version = 1, .since = "0.1",
    .tags = N_ ("csg boolean union intersection difference subtract cut drill weld ricci implicit soft"),
    .formula = "h = F/level; union max(h, k); intersection min(h, k); difference min(h, 2 − k)\n"
               "Ricci: (hᵖ + kᵖ)^(1/p), (h⁻ᵖ + k⁻ᵖ)^(−1/p); rounded: g + l ± √(g² + l²), g = h − 1, l = k − 1",
    .source = "Ricci, A Constructive Geometry for Computer Graphics, 1973; Rvachev 1963; Pasko and others 1995",
    .help = N_ (
        "Combines bodies that are given as fields: joins them, cuts one out of another, or keeps their intersection. "
        "Use the dual surface of Polygonise to keep edges sharp."));
