/* geometry/attribute: sets a named attribute.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  const char *name;
  int domain;
  int kind;
  double number;
  KgVector vector;
  KgColor color;
  const char *text;
  const KgField *field;
  const char *at;
  KgGeometry *set;
} Attribute;

enum {
  ATTRIBUTE_NUMBER,
  ATTRIBUTE_INTEGER,
  ATTRIBUTE_VECTOR,
  ATTRIBUTE_COLOR,
  ATTRIBUTE_TEXT,
  ATTRIBUTE_FIELD,
  ATTRIBUTE_INDEX,
  N_KINDS
};

static const KgChoice attribute_domains[] = {
  [KG_POINTS] = { "points", N_ ("Points") },
  [KG_PRIMITIVES] = { "primitives", N_ ("Primitives") },
  [KG_WHOLE] = { "whole", N_ ("Whole geometry") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (attribute_domains, KG_N_DOMAINS);

static const KgChoice attribute_kinds[] = {
  [ATTRIBUTE_NUMBER] = { "number", N_ ("Number") },
  [ATTRIBUTE_INTEGER] = { "integer", N_ ("Integer") },
  [ATTRIBUTE_VECTOR] = { "vector", N_ ("Vector") },
  [ATTRIBUTE_COLOR] = { "color", N_ ("Colour") },
  [ATTRIBUTE_TEXT] = { "text", N_ ("Text") },
  [ATTRIBUTE_FIELD] = { "field", N_ ("Field, sampled at each point") },
  [ATTRIBUTE_INDEX] = { "index", N_ ("Index of each element") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (attribute_kinds, N_KINDS);

static size_t
attribute_count (const Attribute *n)
{
  if (n->domain == KG_POINTS)
    return kg_geometry_get_n_points (n->geometry);
  return n->domain == KG_PRIMITIVES ? kg_geometry_get_n_primitives (n->geometry) : 1;
}

static void
attribute_fill (const Attribute *n, const double *value, uint8_t size)
{
  float *data = kg_geometry_edit_float (n->geometry, (KgDomain) n->domain, n->name, size);

  for (size_t i = 0; i < size * attribute_count (n); i++)
    data[i] = (float) value[i % size];
}

static bool
attribute_sample (const Attribute *n, const KgContext *ctx, GError **error)
{
  const guint width = n->field != NULL ? kg_field_get_width (n->field) : 0;
  g_autoptr (KgGeometry) before = NULL;
  const float *places;

  if (n->field == NULL || n->domain != KG_POINTS) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED,
                  "a field can only set an attribute of points: link a field, and choose points");
    return false;
  }
  /* The places are read from a geometry of their own: the attribute may be what holds them. */
  before = kg_geometry_ref (n->geometry);
  kg_geometry_make_writable (&before);
  places = g_str_equal (n->at, "P") ? kg_geometry_get_positions (before)
                                    : kg_geometry_get_float (before, KG_POINTS, n->at, 3);
  if (places == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the points have no vector attribute \"%s\" at which to sample the field: set it first, or use P",
                  n->at);
    return false;
  }
  kg_field_sample_points (n->field, places, attribute_count (n), ctx->time,
                          kg_geometry_edit_float (n->geometry, KG_POINTS, n->name, (uint8_t) width));
  return true;
}

static bool
attribute_evaluate (Attribute *n, const KgContext *ctx, GError **error)
{
  const size_t count = attribute_count (n);

  if (n->name[0] == '\0' || (g_str_equal (n->name, "P") && n->domain == KG_POINTS && n->kind != ATTRIBUTE_VECTOR &&
                             n->kind != ATTRIBUTE_FIELD)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "\"%s\" cannot be used as the name: type another one (P takes vectors only)", n->name);
    return false;
  }
  if (n->field != NULL && n->kind == ATTRIBUTE_FIELD && kg_field_get_width (n->field) == 1 &&
      g_str_equal (n->name, "P")) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "the field has one component, but P needs three: link a vector field");
    return false;
  }
  kg_geometry_make_writable (&n->geometry);
  if (n->kind == ATTRIBUTE_NUMBER)
    attribute_fill (n, &n->number, 1);
  else if (n->kind == ATTRIBUTE_VECTOR)
    attribute_fill (n, &n->vector.x, 3);
  else if (n->kind == ATTRIBUTE_COLOR)
    attribute_fill (n, &n->color.r, 4);
  else if (n->kind == ATTRIBUTE_TEXT)
    for (size_t i = 0; i < count; i++)
      kg_geometry_set_text (n->geometry, (KgDomain) n->domain, n->name, i, n->text);
  else if (n->kind == ATTRIBUTE_FIELD) {
    if (!attribute_sample (n, ctx, error))
      return false;
  } else {
    int32_t *data = kg_geometry_edit_int (n->geometry, (KgDomain) n->domain, n->name, 1);

    for (size_t i = 0; i < count; i++)
      data[i] = n->kind == ATTRIBUTE_INDEX ? (int32_t) i
                                           : (int32_t) kg_clamp (nearbyint (n->number), -2147483648.0, 2147483647.0);
  }
  if (n->domain == KG_POINTS && g_str_equal (n->name, "P") &&
      kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->set = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot attribute_slots[] = {
  KG_INPUT (Attribute, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("The geometry that gets the attribute.")),
  KG_INPUT (Attribute, name, TEXT, .label = N_ ("Name"), .def_text = "width",
            .help = N_ (
                "Name of the attribute: P position, N normal, Cd colour, width, id, v velocity, mass … or any other.")),
  KG_INPUT (Attribute, domain, CHOICE, .label = N_ ("Domain"), .choices = attribute_domains,
            .help = N_ ("The elements that the attribute belongs to.")),
  KG_INPUT (Attribute, kind, CHOICE, .label = N_ ("Kind"), .choices = attribute_kinds,
            .help = N_ ("What the attribute holds.")),
  KG_INPUT (Attribute, number, NUMBER, .label = N_ ("Number"), .def = 0.1, .soft_max = 1, .min = -1e30, .max = 1e30,
            .help = N_ ("Value if Kind is a number or an integer.")),
  KG_INPUT (Attribute, vector, VECTOR, .label = N_ ("Vector"), .min = -1e30, .max = 1e30,
            .help = N_ ("Value if Kind is a vector.")),
  KG_INPUT (Attribute, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("Value if Kind is a colour.")),
  KG_INPUT (Attribute, text, TEXT, .label = N_ ("Text"), .help = N_ ("Value if Kind is a text.")),
  KG_INPUT (Attribute, field, FIELD, .label = N_ ("Field"), .optional = true,
            .help = N_ ("Field to sample if Kind is a field.")),
  KG_INPUT (
      Attribute, at, TEXT, .label = N_ ("Sample at"), .def_text = "P", .shown_when = "kind=field",
      .help =
          N_ ("Attribute with the positions at which the field is sampled: P, or vectors such as positions at rest, so "
              "that textures stay in place while the geometry is bent.")),
  KG_OUTPUT (Attribute, set, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry with the attribute.")),
};

KG_NODE (
    geometry, attribute, Attribute, .label = N_ ("Attribute"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("set create data value width color id normal property"),
    .help = N_ (
        "Sets an attribute of a geometry: the same value everywhere, the index of each element, or a field sampled at each point. Other nodes read attributes by their names."));
