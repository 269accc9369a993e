/* soft/contact: soft bodies that press against each other.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "soft/contact_field.h"
#include "soft/soft_contact.h"
#include "soft/solid_algebra.h"

#include <inttypes.h>

typedef struct {
  KgList fields;
  KgList colors;
  const KgTable *only;
  int64_t index;
  double width;
  double bulge;
  bool keep_volume;
  double cell;
  int64_t limit;
  KgField *field;
  KgField *united;
  KgField *color;
  KgGeometry *contacts;
  bool touching;
  int64_t pairs;
  double area;
  double height;
} Contact;

static bool
contact_read_list (const KgList *list, guint width, const char *what, const KgField **fields, GError **error)
{
  for (guint i = 0; i < list->n; i++) {
    fields[i] = list->items[i].field;
    if (kg_field_get_width (fields[i]) != width) {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "item %u of %s is a field of %u numbers, but needs %u", i + 1, what,
                    kg_field_get_width (fields[i]), width);
      return false;
    }
  }
  return true;
}

static bool
contact_make_color (Contact *n, const SoftContact *contact, GError **error)
{
  g_autofree const KgField **colors = g_new (const KgField *, MAX (n->colors.n, 1));

  if (!contact_read_list (&n->colors, 3, "Colours", colors, error))
    return false;
  if (n->colors.n != 0 && n->colors.n != n->fields.n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there are %u colours for %u fields: link one for each, or none",
                  n->colors.n, n->fields.n);
    return false;
  }
  n->color = n->colors.n > 0 ? contact_field_new_colors ((const KgField *const *) contact->fields->pdata, colors,
                                                         n->colors.n, error)
                             : kg_field_new_constant_vector (kg_vector (1, 1, 1));
  return n->color != NULL;
}

static bool
contact_take (Contact *n, const SoftContact *contact, GError **error)
{
  n->contacts = kg_geometry_ref (contact->contacts);
  n->pairs = contact->n_pairs;
  n->touching = contact->n_pairs > 0;
  n->area = contact->area;
  if (contact->fields->len == 0) {
    n->field = kg_field_new_constant (0);
    n->united = kg_field_new_constant (0);
    n->color = kg_field_new_constant_vector (kg_vector (1, 1, 1));
    return true;
  }
  n->field = kg_field_ref ((KgField *) g_ptr_array_index (contact->fields, (guint) n->index));
  n->height = g_array_index (contact->bulges, double, (guint) n->index);
  n->united =
      solid_algebra_new (SOLID_UNION, 1, (const KgField *const *) contact->fields->pdata, contact->fields->len, error);
  return n->united != NULL && contact_make_color (n, contact, error);
}

static bool
contact_evaluate (Contact *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const SoftContactOptions options = { .time = ctx->time,
                                       .width = n->width,
                                       .bulge = n->bulge,
                                       .keep_volume = n->keep_volume,
                                       .cell = n->cell,
                                       .limit = (size_t) n->limit,
                                       .pairs = n->only };
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->fields.n, 1));
  g_autoptr (SoftContact) contact = NULL;

  if (!contact_read_list (&n->fields, 1, "Fields", fields, error))
    return false;
  if (n->fields.n > 0 && n->index >= (int64_t) n->fields.n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "index is %" PRId64 ", but there are %u fields, counted from 0",
                  n->index, n->fields.n);
    return false;
  }
  contact = soft_contact_solve (fields, n->fields.n, &options, &monitor, error);
  if (contact == NULL)
    return false;
  if (contact->n_short > 0)
    kg_context_warn (ctx, "the largest bulge does not keep the volume of %u bodies: raise the width", contact->n_short);
  if (contact->n_lost > 0)
    kg_context_warn (
        ctx,
        "fields %u and %u are at the same position, or one is inside the other, so that no surface lies between them: "
        "move one",
        contact->lost[0], contact->lost[1]);
  return contact_take (n, contact, error);
}

static const KgTableColumn contact_pairs[] = {
  { "first", N_ ("First body"), 0, false },
  { "second", N_ ("Second body"), 1, false },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot contact_slots[] = {
  KG_INPUTS (Contact, fields, FIELD, .label = N_ ("Fields"), .optional = true,
             .help = N_ ("Soft objects, or other bodies with bounds, that must not overlap.")),
  KG_INPUTS (Contact, colors, FIELD, .label = N_ ("Colours"), .optional = true,
             .help = N_ ("A field of colours for each of the fields, or none.")),
  KG_INPUT (
      Contact, only, TABLE, .label = N_ ("Only these pairs"), .columns = contact_pairs, .def_text = "",
      .help = N_ ("Pairs of bodies that press each other, counted from 0; others pass through each other. Without any "
                  "row, all press each other.")),
  KG_INPUT (Contact, index, INTEGER, .label = N_ ("Index"), .min = 0, .max = SOFT_CONTACT_MAX - 1,
            .help = N_ ("Index of the body that is output as Field, from 0.")),
  KG_INPUT (Contact, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.3, .min = 0, .max = 1e6,
            .soft_max = 1,
            .help = N_ ("Distance from a contact within which bodies bulge, only within the influence of both.")),
  KG_INPUT (Contact, bulge, NUMBER, .label = N_ ("Bulge"), .def = 0.4, .min = 0, .max = SOFT_CONTACT_MAX_BULGE,
            .soft_max = 2, .shown_when = "keep_volume=false",
            .help = N_ ("Height of the bulge, relative to the greatest compression.")),
  KG_INPUT (Contact, keep_volume, BOOLEAN, .label = N_ ("Keep volume"),
            .help = N_ ("Chooses the bulge of each body so that its volume stays as it is without contact. This takes "
                        "several times as long.")),
  KG_INPUT (Contact, cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.05, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 0.5,
            .help = N_ ("Size of the cells in which contacts are searched for and volumes are measured.")),
  KG_INPUT (Contact, limit, INTEGER, .label = N_ ("Limit"), .def = 1e7, .min = 8, .max = 4e8, .soft_max = 1e8,
            .help = N_ ("Largest number of cells for one body or contact, checked before memory is allocated.")),
  KG_OUTPUT (Contact, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("The body with that index, pressed by the others. Without contact it is its original field.")),
  KG_OUTPUT (Contact, united, FIELD, .label = N_ ("Union"),
             .help = N_ ("All bodies, pressed against each other, as a field for one common skin; its level is 1.")),
  KG_OUTPUT (Contact, color, FIELD, .label = N_ ("Colour"), .help = N_ ("The colours of the bodies, as a field.")),
  KG_OUTPUT (Contact, contacts, GEOMETRY, .label = N_ ("Contacts"),
             .help = N_ ("The contact surfaces as triangles. Points have N (out of body a), pressure (how far the "
                         "field is above its level), depth of the overlap, area (their share), a and b.")),
  KG_OUTPUT (Contact, touching, BOOLEAN, .label = N_ ("Touching"), .help = N_ ("Whether any two bodies touch.")),
  KG_OUTPUT (Contact, pairs, INTEGER, .label = N_ ("Pairs"), .help = N_ ("Number of pairs of bodies that touch.")),
  KG_OUTPUT (Contact, area, NUMBER, .label = N_ ("Area"),
             .help = N_ ("Area of all contact surfaces, in square metres.")),
  KG_OUTPUT (Contact, height, NUMBER, .label = N_ ("Bulge"), .help = N_ ("The bulge of the body of that index.")),
};

KG_NODE (soft, contact, Contact, .label = N_ ("Soft Contact"), .version = 2, .since = "0.1", .time = KG_TIME_READS,
         .tags = N_ ("soft object clay contact collision press squash bulge deform volume implicit"),
         .formula = "inside the other body: F − (F′ − level′); near it, at the distance d: F + h(d)\n"
                    "h(0) = 0, h′(0) = |∇F′|, h(w/2) = bulge · greatest compression, h(w) = h′(w) = 0",
         .source = "Gascuel, An Implicit Formulation for Precise Contact Modeling between Flexible Solids, 1993",
         .help = N_ ("Presses soft bodies against each other: where two overlap, they meet in one exact surface, and "
                     "bulge around it. Keys of one soft object would flow together instead."));
