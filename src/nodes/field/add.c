/* field/add: fields together.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgList fields;
  KgList weights;
  KgField *field;
} Add;

/* The sum of the children, each times its parameter: a number where all are, else a vector, in which scalar children count as
 * multiples of y, as in kg_field_new_sum. */
static void
add_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const guint width = kg_field_get_width (field);
  const double *weights = kg_field_get_parameters (field);
  const KgFieldArrays parts = kg_field_take_arrays (block);

  for (guint c = 0; c < width; c++)
    memset (out[c], 0, block->n * sizeof (float));
  for (guint k = 0; k < kg_field_get_n_children (field); k++) {
    const KgField *child = kg_field_get_child (field, k);
    const bool scalar = kg_field_get_width (child) == 1;
    const guint from = scalar && width == 3 ? 1 : 0, to = scalar ? from + 1 : 3;
    float *const sampled[] = { parts[from], parts[1], parts[2] };
    const float weight = (float) weights[k];

    kg_field_sample (child, block, sampled);
    for (guint c = from; c < to; c++) {
      float *restrict sum = out[c];

      for (size_t i = 0; i < block->n; i++)
        sum[i] += weight * parts[c][i];
    }
  }
  kg_field_release_arrays (block, parts);
}

static const KgFieldClass add_class = { "weighted sum", 3, add_sample };
static const KgFieldClass add_scalars_class = { "weighted sum of numbers", 1, add_sample };

static bool
add_evaluate (Add *n, const KgContext *ctx, GError **error)
{
  g_autofree const KgField **children = g_new (const KgField *, MAX (n->fields.n, 1));
  g_autofree double *weights = g_new (double, MAX (n->fields.n, 1));
  bool scalars = n->fields.n > 0;

  (void) ctx;
  for (guint i = 0; i < n->fields.n; i++) {
    children[i] = n->fields.items[i].field;
    weights[i] = i < n->weights.n ? n->weights.items[i].number : 1;
    scalars = scalars && kg_field_get_width (children[i]) == 1;
  }
  n->field = n->weights.n == 0 && !scalars ? kg_field_new_sum (children, n->fields.n, error)
                                           : kg_field_new (scalars ? &add_scalars_class : &add_class, weights,
                                                           n->fields.n, children, n->fields.n, error);
  return n->field != NULL;
}

static const KgSlot add_slots[] = {
  KG_INPUTS (Add, fields, FIELD, .label = N_ ("Fields"), .optional = true, .help = N_ ("Fields to add.")),
  KG_INPUTS (Add, weights, NUMBER, .label = N_ ("Weights"), .optional = true,
             .help = N_ ("Weight of each field, in order; 1 for fields without a weight.")),
  KG_OUTPUT (
      Add, field, FIELD, .label = N_ ("Field"),
      .help =
          N_ ("Sum of the fields: a number at each point if all of them are numbers, else a vector, to which numbers "
              "add along y.")),
};

KG_NODE (
    field, add, Add, .label = N_ ("Add Fields"), .version = 2, .since = "0.1",
    .tags = N_ ("force sum combine weight scale mix"),
    .help = N_ (
        "Adds fields into one, each scaled by its weight: for example all forces of a scene, to use them in several places, or a force that becomes stronger or weaker over time."));
