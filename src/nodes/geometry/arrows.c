/* geometry/arrows: what points want, where they go and how they face, drawn as arrows.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/arrows.h"
#include "kg-floats.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  const char *name;
  int domain;
  double scale;
  bool equal;
  double most;
  double least;
  int anchor;
  int shape;
  double width;
  double head_width;
  double head_length;
  int64_t sides;
  KgVector facing;
  KgGeometry *arrows;
  int64_t count;
} Arrows;

enum { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END, N_ANCHORS };

static const KgChoice arrows_domains[] = {
  [KG_POINTS] = { "points", N_ ("Points") },
  [KG_PRIMITIVES] = { "primitives", N_ ("Primitives, at their centres") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arrows_domains, KG_PRIMITIVES + 1);

static const KgChoice arrows_anchors[] = {
  [ANCHOR_START] = { "start", N_ ("Starts there") },
  [ANCHOR_MIDDLE] = { "middle", N_ ("Is centred there") },
  [ANCHOR_END] = { "end", N_ ("Ends there") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arrows_anchors, N_ANCHORS);

static const KgChoice arrows_shapes[] = {
  [ARROW_SOLID] = { "solid", N_ ("A body") },
  [ARROW_FLAT] = { "flat", N_ ("A flat polygon") },
  [ARROW_LINES] = { "lines", N_ ("Lines") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (arrows_shapes, ARROW_N_SHAPES);

static bool
arrows_can_draw (const KgAttribute *attribute)
{
  return attribute->scalar == KG_FLOAT32 && (attribute->size == 3 || attribute->size == 4);
}

/* The attribute: vectors, or rotations, which point along their z. */
static bool
arrows_find (const Arrows *n, KgAttribute *attribute, GError **error)
{
  GString *there;

  if (kg_geometry_find_attribute (n->geometry, (KgDomain) n->domain, n->name, attribute) && arrows_can_draw (attribute))
    return true;
  there = g_string_new (NULL);
  for (guint i = 0; i < kg_geometry_get_n_attributes (n->geometry, (KgDomain) n->domain); i++) {
    kg_geometry_get_attribute (n->geometry, (KgDomain) n->domain, i, attribute);
    if (arrows_can_draw (attribute))
      g_string_append_printf (there, "%s%s", there->len > 0 ? ", " : "", attribute->name);
  }
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "the %s have no attribute \"%s\" of three or four numbers: type the name of one of these: %s",
                n->domain == KG_POINTS ? "points" : "primitives", n->name,
                there->len > 0 ? there->str : "there are none");
  g_string_free (there, TRUE);
  return false;
}

static KgVector
arrows_get_vector (const KgAttribute *attribute, size_t i)
{
  const float *data = (const float *) attribute->data;

  return attribute->size == 3 ? kg_floats_get_vector (data, i)
                              : kg_rotation_apply (kg_floats_get_rotation (data, i), kg_vector (0, 0, 1));
}

static KgVector
arrows_get_place (const Arrows *n, size_t i)
{
  return n->domain == KG_POINTS ? kg_floats_get_vector (kg_geometry_get_positions (n->geometry), i)
                                : kg_geometry_get_primitive_center (n->geometry, i);
}

/* Tail and tip of the arrow of element i; false where it has none. */
static bool
arrows_aim (const Arrows *n, const KgAttribute *attribute, size_t i, KgVector *tail, KgVector *tip)
{
  const KgVector vector = arrows_get_vector (attribute, i), place = arrows_get_place (n, i);
  const double value = kg_vector_length (vector);
  double length = n->equal ? n->scale : n->scale * value;
  KgVector way;

  if (!(value > 0) || value < n->least || !kg_vector_is_finite (vector) || !kg_vector_is_finite (place))
    return false;
  if (n->most > 0)
    length = kg_clamp (length, -n->most, n->most);
  way = kg_vector_scale (vector, length / value);
  *tail = kg_vector_add_scaled (place, n->anchor == ANCHOR_START ? 0 : n->anchor == ANCHOR_MIDDLE ? -0.5 : -1, way);
  *tip = kg_vector_add (*tail, way);
  return kg_vector_distance (*tail, *tip) > 0;
}

/* The colours of what the arrows belong to. */
static void
arrows_set_color (const Arrows *n, const uint32_t *of, size_t count, size_t per_arrow)
{
  for (uint8_t size = 3; size <= 4; size++) {
    const float *from = kg_geometry_get_float (n->geometry, (KgDomain) n->domain, "Cd", size);
    float *to;

    if (from == NULL)
      continue;
    to = kg_geometry_edit_float (n->arrows, KG_POINTS, "Cd", size);
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; k < per_arrow; k++)
        memcpy (to + size * (i * per_arrow + k), from + size * of[i], size * sizeof (float));
  }
}

static bool
arrows_evaluate (Arrows *n, const KgContext *ctx, GError **error)
{
  const ArrowStyle style = { .shape = (ArrowShape) n->shape,
                             .width = n->width,
                             .head_width = n->head_width,
                             .head_length = n->head_length,
                             .sides = (size_t) n->sides,
                             .facing = n->facing };
  const size_t most = n->domain == KG_POINTS ? kg_geometry_get_n_points (n->geometry)
                                             : kg_geometry_get_n_primitives (n->geometry);
  g_autofree uint32_t *of = g_new (uint32_t, MAX (most, 1));
  g_autofree KgVector *tails = g_new (KgVector, MAX (most, 1)), *tips = g_new (KgVector, MAX (most, 1));
  KgAttribute attribute;
  size_t count = 0;

  if (most > 0 && !arrows_find (n, &attribute, error))
    return false;
  for (size_t i = 0; i < most; i++) {
    if (i % 65536 == 65535 && kg_context_is_cancelled (ctx))
      return false;
    if (arrows_aim (n, &attribute, i, &tails[count], &tips[count]))
      of[count++] = (uint32_t) i;
  }
  n->arrows = arrows_new (&style, count, tails, tips, error);
  if (n->arrows == NULL)
    return false;
  arrows_set_color (n, of, count, arrow_style_count_points (&style));
  n->count = (int64_t) count;
  return true;
}

static const KgSlot arrows_slots[] = {
  KG_INPUT (Arrows, geometry, GEOMETRY, .label = N_ ("Geometry"),
            .help = N_ ("What has the attribute: particles, members of a flock, agents, a mesh.")),
  KG_INPUT (Arrows, name, TEXT, .label = N_ ("Attribute"), .def_text = "v",
            .help = N_ ("Name of the attribute: v, N, intent, wish_avoid … or any other of three numbers. One of "
                        "four numbers, such as orient, is read as a rotation, whose z axis is drawn with length 1.")),
  KG_INPUT (Arrows, domain, CHOICE, .label = N_ ("Domain"), .choices = arrows_domains,
            .help = N_ ("The elements that the attribute belongs to.")),
  KG_INPUT (Arrows, scale, NUMBER, .label = N_ ("Scale"), .def = 0.2, .min = -1e6, .max = 1e6, .soft_min = 0,
            .soft_max = 2,
            .help = N_ ("Length of an arrow in metres for an attribute of length 1. Negative: arrows point the other "
                        "way.")),
  KG_INPUT (Arrows, equal, BOOLEAN, .label = N_ ("All alike"),
            .help = N_ ("Makes all arrows Scale metres long, whatever the length of their vectors.")),
  KG_INPUT (Arrows, most, NUMBER, .label = N_ ("Longest"), .unit = KG_METRES, .min = 0, .max = 1e6, .soft_max = 10,
            .help = N_ ("No arrow is longer than this; 0 sets no limit.")),
  KG_INPUT (Arrows, least, NUMBER, .label = N_ ("Smallest value"), .min = 0, .max = 1e30, .soft_max = 1,
            .help = N_ ("Vectors shorter than this have no arrow.")),
  KG_INPUT (Arrows, anchor, CHOICE, .label = N_ ("At the point"), .choices = arrows_anchors,
            .help = N_ ("Which part of an arrow is at its point.")),
  KG_INPUT (Arrows, shape, CHOICE, .label = N_ ("Shape"), .choices = arrows_shapes, .group = N_ ("Shape"),
            .help = N_ ("Bodies suit scenes; polygons and lines also suit flat drawings.")),
  KG_INPUT (Arrows, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.04, .min = 1e-6, .max = 1e6,
            .soft_min = 0.001, .soft_max = 0.5, .group = N_ ("Shape"),
            .help = N_ ("Thickness of the shaft. Arrows shorter than two heads are scaled down as a whole.")),
  KG_INPUT (Arrows, head_width, NUMBER, .label = N_ ("Head width"), .def = 3, .min = 1, .max = 1000, .soft_max = 10,
            .group = N_ ("Shape"), .help = N_ ("Width of the head, as a multiple of the width of the shaft.")),
  KG_INPUT (Arrows, head_length, NUMBER, .label = N_ ("Head length"), .def = 4, .min = 0, .max = 1000, .soft_max = 10,
            .group = N_ ("Shape"), .help = N_ ("Length of the head, as a multiple of the width of the shaft.")),
  KG_INPUT (Arrows, sides, INTEGER, .label = N_ ("Sides"), .def = 8, .min = 3, .max = 1000, .soft_max = 32,
            .group = N_ ("Shape"), .shown_when = "shape=solid", .help = N_ ("Number of sides around a body.")),
  KG_INPUT (Arrows, facing, VECTOR, .label = N_ ("Facing"), .def_v = { 0, 0, 1 }, .group = N_ ("Shape"),
            .shown_when = "shape=flat|lines", .handle = { KG_HANDLE_NONE },
            .help = N_ ("Flat arrows and the heads of lines face this direction: set it to point towards the camera.")),
  KG_OUTPUT (Arrows, arrows, GEOMETRY, .label = N_ ("Arrows"),
             .help = N_ ("The arrows, each with the colour of its element.")),
  KG_OUTPUT (Arrows, count, INTEGER, .label = N_ ("Count"),
             .help = N_ ("Number of arrows: vectors of length 0 have none.")),
};

KG_NODE (geometry, arrows, Arrows, .label = N_ ("Arrows"), .version = 1, .since = "0.1",
         .tags = N_ ("vector visualise visualize velocity normal force urge wish debug glyph quiver"),
         .help = N_ (
             "Draws an attribute as arrows, one at each point: velocities of particles, what the urges of a flock ask "
             "for, normals of a surface. The arrows are geometry, for the viewport and for movies alike."));
