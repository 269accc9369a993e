/* field/add: fields together.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgList fields;
  KgField *field;
} Add;

static bool
add_evaluate (Add *n, const KgContext *ctx, GError **error)
{
  g_autofree const KgField **children = g_new (const KgField *, MAX (n->fields.n, 1));

  (void) ctx;
  for (guint i = 0; i < n->fields.n; i++)
    children[i] = n->fields.items[i].field;
  n->field = kg_field_new_sum (children, n->fields.n, error);
  return n->field != NULL;
}

static const KgSlot add_slots[] = {
  KG_INPUTS (Add, fields, FIELD, .label = N_ ("Fields"), .optional = true, .help = N_ ("What to add up.")),
  KG_OUTPUT (Add, field, FIELD, .label = N_ ("Field"), .help = N_ ("Their sum.")),
};

KG_NODE (field, add, Add, .label = N_ ("Add Fields"), .version = 1, .since = "0.1", .tags = N_ ("force sum combine"),
         .help = N_ ("Adds fields up to one: all forces of a scene, to be used in several places."));
