/* kg-sheet: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-sheet-private.h"

#include "config.h"
#include "kg-number.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MOTION_ROWS 101
#define MAX_LISTED 8 /* vertices of a primitive that are shown */

static void
column_clear (gpointer data)
{
  KgSheetColumn *column = (KgSheetColumn *) data;

  g_free (column->title);
  g_free (column->numbers);
  g_strfreev (column->texts);
}

/* Takes the title. */
static KgSheetColumn *
add_column (KgSheet *sheet, KgSheetColumnKind kind, char *title)
{
  const KgSheetColumn column = { .title = title, .kind = kind };

  g_array_append_val (sheet->columns, column);
  return &g_array_index (sheet->columns, KgSheetColumn, sheet->columns->len - 1);
}

static double *
add_numbers (KgSheet *sheet, const char *title)
{
  return add_column (sheet, KG_SHEET_NUMBERS, g_strdup (title))->numbers = g_new0 (double, MAX (sheet->n_rows, 1));
}

static char **
add_texts (KgSheet *sheet, const char *title)
{
  return add_column (sheet, KG_SHEET_TEXTS, g_strdup (title))->texts = g_new0 (char *, sheet->n_rows + 1);
}

/* Geometry. */

static const char *
get_suffix (const KgAttribute *attribute, guint component)
{
  static const char *const axes[] = { ".x", ".y", ".z", ".w" }, *const colors[] = { ".r", ".g", ".b", ".a" };

  if (attribute->size == 1)
    return "";
  if (attribute->size > 4)
    return NULL;
  return g_str_has_prefix (attribute->name, "Cd") || strstr (attribute->name, "color") != NULL ? colors[component]
                                                                                               : axes[component];
}

static void
add_attributes (KgSheet *sheet, KgDomain domain)
{
  const KgGeometry *geometry = sheet->value.geometry;

  for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, domain); i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (geometry, domain, i, &attribute);
    for (guint c = 0; c < attribute.size; c++) {
      const char *suffix = get_suffix (&attribute, c);
      char *title = suffix != NULL ? g_strconcat (attribute.name, suffix, NULL)
                                   : g_strdup_printf ("%s.%u", attribute.name, c);
      KgSheetColumn *column = add_column (sheet,
                                          attribute.scalar == KG_FLOAT32 ? KG_SHEET_FLOAT
                                          : attribute.scalar == KG_INT32 ? KG_SHEET_INT
                                                                         : KG_SHEET_STRING,
                                          title);

      column->data = attribute.data;
      column->stride = attribute.size;
      column->offset = c;
    }
  }
}

static void
add_geometry (KgSheet *sheet, guint part)
{
  const KgGeometry *geometry = sheet->value.geometry;

  sheet->n_rows = part == KG_POINTS       ? kg_geometry_get_n_points (geometry)
                  : part == KG_PRIMITIVES ? kg_geometry_get_n_primitives (geometry)
                                          : 1;
  if (part == KG_PRIMITIVES) {
    add_column (sheet, KG_SHEET_KIND, g_strdup (_ ("Kind")));
    add_column (sheet, KG_SHEET_COUNT, g_strdup (_ ("Vertices")));
    add_column (sheet, KG_SHEET_VERTICES, g_strdup (_ ("Points")));
  }
  add_attributes (sheet, (KgDomain) part);
}

static const char *
get_primitive_kind (const KgPrimitive *primitive)
{
  static const char *const bases[] = { N_ ("linear spline"),     N_ ("Hermite spline"), N_ ("Catmull-Rom spline"),
                                       N_ ("Bezier spline"),     N_ ("B-spline"),       N_ ("Kochanek-Bartels spline"),
                                       N_ ("four-point spline"), N_ ("cubic spline") };

  G_STATIC_ASSERT (G_N_ELEMENTS (bases) == KG_N_BASES);
  if (primitive->kind == KG_POLYGON)
    return _ ("polygon");
  if (primitive->kind == KG_SPLINE)
    return _ (bases[primitive->basis]);
  return primitive->closed ? _ ("closed polyline") : _ ("polyline");
}

static char *
list_vertices (const KgPrimitive *primitive)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (primitive->n_vertices, MAX_LISTED); i++)
    g_string_append_printf (text, "%s%u", i > 0 ? " " : "", primitive->vertices[i]);
  if (primitive->n_vertices > MAX_LISTED)
    g_string_append (text, " …");
  return g_string_free (text, FALSE);
}

/* Skeletons. */

static void
add_skeleton (KgSheet *sheet)
{
  const KgSkeleton *skeleton = sheet->value.skeleton;
  const guint n = kg_skeleton_get_n_joints (skeleton);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));
  char **names, **parents;
  double *numbers[10];
  static const char *const titles[] = { N_ ("Offset x"),   N_ ("Offset y"),   N_ ("Offset z"),   N_ ("Rotation w"),
                                        N_ ("Rotation x"), N_ ("Rotation y"), N_ ("Rotation z"), N_ ("World x"),
                                        N_ ("World y"),    N_ ("World z") };

  sheet->n_rows = n;
  kg_skeleton_get_world (skeleton, world);
  names = add_texts (sheet, _ ("Joint"));
  parents = add_texts (sheet, _ ("Parent"));
  for (guint c = 0; c < G_N_ELEMENTS (titles); c++)
    numbers[c] = add_numbers (sheet, _ (titles[c]));
  for (guint i = 0; i < n; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);
    const KgRotation q = kg_skeleton_get_rotation (skeleton, i);
    const double row[] = { joint->offset.x,  joint->offset.y,  joint->offset.z, q.w, q.x, q.y, q.z,
                           world[i].m[0][3], world[i].m[1][3], world[i].m[2][3] };

    names[i] = g_strdup (joint->name);
    parents[i] = g_strdup (joint->parent >= 0 ? kg_skeleton_get_joint (skeleton, (guint) joint->parent)->name : "");
    for (guint c = 0; c < G_N_ELEMENTS (row); c++)
      numbers[c][i] = row[c];
  }
}

/* Images. */

static void
add_image (KgSheet *sheet)
{
  static const char *const planes[] = { N_ ("Red"), N_ ("Green"), N_ ("Blue"), N_ ("Alpha"), N_ ("Depth") };
  const KgImage *image = sheet->value.image;
  const gsize n = (gsize) kg_image_get_width (image) * (gsize) kg_image_get_height (image);
  const float *depth = kg_image_get_depth (image);
  char **names;
  double *low, *high, *mean, *count;

  sheet->n_rows = depth != NULL ? 5 : 4;
  names = add_texts (sheet, _ ("Plane"));
  low = add_numbers (sheet, _ ("Minimum"));
  high = add_numbers (sheet, _ ("Maximum"));
  mean = add_numbers (sheet, _ ("Mean"));
  count = add_numbers (sheet, _ ("Finite pixels"));
  for (gsize p = 0; p < sheet->n_rows; p++) {
    const float *data = p == 4 ? depth : kg_image_get_pixels (image) + p;
    const gsize stride = p == 4 ? 1 : 4;
    double sum = 0, smallest = INFINITY, largest = -INFINITY;
    gsize finite = 0;

    for (gsize i = 0; i < n; i++) {
      const double x = data[i * stride];

      if (!isfinite (x))
        continue;
      smallest = x < smallest ? x : smallest;
      largest = x > largest ? x : largest;
      sum += x;
      finite++;
    }
    names[p] = g_strdup (_ (planes[p]));
    low[p] = finite > 0 ? smallest : NAN;
    high[p] = finite > 0 ? largest : NAN;
    mean[p] = finite > 0 ? sum / (double) finite : NAN;
    count[p] = (double) finite;
  }
}

/* Motions: rows are moments, evaluated when they are looked at. */

static void
add_motion (KgSheet *sheet)
{
  static const char *const axes[] = { ".x", ".y", ".z", ".w" };
  const KgMotion *motion = sheet->value.motion;
  double low = INFINITY, high = -INFINITY, rate = 0;

  for (guint i = 0; i < kg_motion_get_n_channels (motion); i++) {
    const KgChannel *channel = kg_motion_get_channel (motion, i);
    double a, b, start, own;
    gsize n;

    kg_channel_get_range (channel, &a, &b);
    low = fmin (low, a);
    high = fmax (high, b);
    if (kg_channel_get_samples (channel, &n, &start, &own) != NULL)
      rate = fmax (rate, own);
  }
  add_column (sheet, KG_SHEET_MOMENT, g_strdup (_ ("At")));
  for (guint i = 0; i < kg_motion_get_n_channels (motion); i++) {
    const KgChannel *channel = kg_motion_get_channel (motion, i);
    const guint width = kg_channel_get_width (channel);

    for (guint c = 0; c < width; c++) {
      KgSheetColumn *column = add_column (sheet, KG_SHEET_CHANNEL,
                                          g_strconcat (kg_motion_get_name (motion, i), width > 1 ? axes[c] : "", NULL));

      column->data = channel;
      column->offset = c;
    }
  }
  if (!isfinite (low) || !isfinite (high))
    return;
  sheet->start = low;
  if (!(high > low))
    sheet->n_rows = 1;
  else if (rate > 0 && (high - low) * rate < 1e7) {
    sheet->n_rows = (gsize) round ((high - low) * rate) + 1;
    sheet->step = 1 / rate;
  } else {
    sheet->n_rows = MOTION_ROWS;
    sheet->step = (high - low) / (MOTION_ROWS - 1);
  }
}

static double
get_moment (const KgSheet *sheet, gsize row)
{
  return sheet->start + (double) row * sheet->step;
}

/* Scenes. */

static void
add_places (KgSheet *sheet, const char *what, const KgVector *places)
{
  static const char *const axes[] = { "x", "y", "z" };

  for (guint c = 0; c < 3; c++) {
    g_autofree char *title = g_strdup_printf ("%s %s", what, axes[c]);
    double *numbers = add_numbers (sheet, title);

    for (gsize i = 0; i < sheet->n_rows; i++)
      numbers[i] = c == 0 ? places[i].x : c == 1 ? places[i].y : places[i].z;
  }
}

static void
add_scene (KgSheet *sheet, guint part)
{
  const KgScene *scene = sheet->value.scene;
  g_autofree KgVector *places = NULL;

  sheet->n_rows = part == 0   ? kg_scene_get_n_objects (scene)
                  : part == 1 ? kg_scene_get_n_lights (scene)
                              : kg_scene_get_n_cameras (scene);
  places = g_new0 (KgVector, MAX (sheet->n_rows, 1));
  if (part == 0) {
    double *points = add_numbers (sheet, _ ("Points")), *primitives = add_numbers (sheet, _ ("Primitives"));
    double *instances = add_numbers (sheet, _ ("Instances"));

    for (guint i = 0; i < sheet->n_rows; i++) {
      const KgObject *object = kg_scene_get_object (scene, i);

      points[i] = (double) kg_geometry_get_n_points (object->geometry);
      primitives[i] = (double) kg_geometry_get_n_primitives (object->geometry);
      instances[i] = (double) kg_object_get_n_instances (object);
      places[i] = kg_transform_get_place (&object->transform);
    }
    add_places (sheet, _ ("Position"), places);
  } else if (part == 1) {
    char **kinds = add_texts (sheet, _ ("Kind"));
    double *intensities = add_numbers (sheet, _ ("Intensity"));

    for (guint i = 0; i < sheet->n_rows; i++) {
      const KgLight *light = kg_scene_get_light (scene, i);

      kinds[i] = g_strdup (light->kind == KG_LIGHT_AMBIENT       ? _ ("ambient")
                           : light->kind == KG_LIGHT_DIRECTIONAL ? _ ("directional")
                                                                 : _ ("point"));
      intensities[i] = light->intensity;
      places[i] = light->kind == KG_LIGHT_POINT ? light->position : light->direction;
    }
    add_places (sheet, _ ("Position or direction"), places);
  } else {
    double *fov = add_numbers (sheet, _ ("Field of view"));

    for (guint i = 0; i < sheet->n_rows; i++) {
      const KgCamera *camera = kg_scene_get_camera (scene, i);

      fov[i] = camera->orthographic ? 0 : camera->fov / KG_DEGREE;
      places[i] = kg_transform_get_place (&camera->transform);
    }
    add_places (sheet, _ ("Position"), places);
  }
}

/* Small values: one row, or the lines of a text, or the rows of a matrix. */

static void
add_row (KgSheet *sheet, guint n, const double *numbers, const char *titles)
{
  sheet->n_rows = 1;
  for (guint i = 0; i < n; i++) {
    const char title[] = { titles[i], '\0' };

    *add_numbers (sheet, n > 1 ? title : _ ("Value")) = numbers[i];
  }
}

static void
add_text (KgSheet *sheet, const char *text)
{
  KgSheetColumn *column = add_column (sheet, KG_SHEET_TEXTS, g_strdup (_ ("Text")));

  column->texts = g_strsplit (text, "\n", -1);
  sheet->n_rows = g_strv_length (column->texts);
}

static void
add_transform (KgSheet *sheet)
{
  static const char *const titles[] = { "x", "y", "z", "w" };

  sheet->n_rows = 4;
  for (guint c = 0; c < 4; c++) {
    double *numbers = add_numbers (sheet, titles[c]);

    for (guint r = 0; r < 4; r++)
      numbers[r] = sheet->value.transform->m[r][c];
  }
}

static void
add_table (KgSheet *sheet)
{
  const KgTable *table = sheet->value.table;

  sheet->n_rows = kg_table_get_n_rows (table);
  for (guint c = 0; c < kg_table_get_n_columns (table); c++) {
    KgSheetColumn *column =
        add_column (sheet, KG_SHEET_DOUBLE,
                    kg_table_has_names (table) ? g_strdup (kg_table_get_name (table, c)) : g_strdup_printf ("%u", c));

    column->data = kg_table_get_cells (table);
    column->stride = kg_table_get_n_columns (table);
    column->offset = c;
  }
}

static void
add_field (KgSheet *sheet)
{
  const KgField *field = sheet->value.field;

  sheet->n_rows = kg_field_get_n_parameters (field);
  {
    double *numbers = add_numbers (sheet, _ ("Parameter"));

    for (gsize i = 0; i < sheet->n_rows; i++)
      numbers[i] = kg_field_get_parameters (field)[i];
  }
}

static void
add_small (KgSheet *sheet)
{
  const KgValue *v = &sheet->value;

  switch (v->kind) {
  case KG_NUMBER:
    add_row (sheet, 1, &v->number, "");
    break;
  case KG_INTEGER:
    add_row (sheet, 1, &(double){ (double) v->integer }, "");
    break;
  case KG_BOOLEAN:
    add_text (sheet, v->boolean ? _ ("yes") : _ ("no"));
    break;
  case KG_TEXT:
    add_text (sheet, v->text != NULL ? v->text : "");
    break;
  case KG_VECTOR:
    add_row (sheet, 3, (const double[]){ v->vector.x, v->vector.y, v->vector.z }, "xyz");
    break;
  case KG_COLOR:
    add_row (sheet, 4, (const double[]){ v->color.r, v->color.g, v->color.b, v->color.a }, "rgba");
    break;
  case KG_ROTATION:
    add_row (sheet, 4, (const double[]){ v->rotation.w, v->rotation.x, v->rotation.y, v->rotation.z }, "wxyz");
    break;
  case KG_TRANSFORM:
    add_transform (sheet);
    break;
  default:
    break;
  }
}

/* Sounds: a row for each sample. */

static void
add_sound (KgSheet *sheet)
{
  const KgSound *sound = sheet->value.sound;
  const guint n = kg_sound_get_n_channels (sound);

  sheet->n_rows = kg_sound_get_n_samples (sound);
  for (guint c = 0; c < n; c++) {
    KgSheetColumn *column = add_column (sheet, KG_SHEET_FLOAT, g_strdup_printf (_ ("Channel %u"), c + 1));

    column->data = kg_sound_get_samples (sound);
    column->stride = n;
    column->offset = c;
  }
}

KgSheet *
kg_sheet_new (const KgValue *value, guint part)
{
  KgSheet *sheet = g_new0 (KgSheet, 1);

  sheet->value = kg_value_copy (value);
  sheet->columns = g_array_new (FALSE, FALSE, sizeof (KgSheetColumn));
  g_array_set_clear_func (sheet->columns, column_clear);
  add_column (sheet, KG_SHEET_ROW, g_strdup ("#"));
  if (value->kind == KG_GEOMETRY)
    add_geometry (sheet, part);
  else if (value->kind == KG_SKELETON)
    add_skeleton (sheet);
  else if (value->kind == KG_IMAGE)
    add_image (sheet);
  else if (value->kind == KG_MOTION)
    add_motion (sheet);
  else if (value->kind == KG_SCENE)
    add_scene (sheet, part);
  else if (value->kind == KG_FIELD)
    add_field (sheet);
  else if (value->kind == KG_TABLE)
    add_table (sheet);
  else if (value->kind == KG_SOUND)
    add_sound (sheet);
  else
    add_small (sheet);
  return sheet;
}

void
kg_sheet_free (KgSheet *sheet)
{
  g_array_unref (sheet->columns);
  kg_value_clear (&sheet->value);
  g_free (sheet);
}

guint
kg_sheet_get_n_parts (const KgValue *value)
{
  return value->kind == KG_GEOMETRY || value->kind == KG_SCENE ? 3 : 1;
}

const char *
kg_sheet_get_part_name (const KgValue *value, guint part)
{
  static const char *const domains[] = { N_ ("Points"), N_ ("Primitives"), N_ ("Whole") };
  static const char *const members[] = { N_ ("Objects"), N_ ("Lights"), N_ ("Cameras") };

  return value->kind == KG_GEOMETRY ? _ (domains[part]) : value->kind == KG_SCENE ? _ (members[part]) : "";
}

char *
kg_sheet_describe (const KgValue *value)
{
  switch (value->kind) {
  case KG_GEOMETRY:
    return g_strdup_printf (_ ("Points: %'zu · Primitives: %'zu · Vertices: %'zu"),
                            kg_geometry_get_n_points (value->geometry), kg_geometry_get_n_primitives (value->geometry),
                            kg_geometry_get_n_vertices (value->geometry));
  case KG_SKELETON:
    return g_strdup_printf (_ ("Joints: %u"), kg_skeleton_get_n_joints (value->skeleton));
  case KG_IMAGE:
    return g_strdup_printf (_ ("Image: %d × %d pixels"), kg_image_get_width (value->image),
                            kg_image_get_height (value->image));
  case KG_MOTION:
    return g_strdup_printf (_ ("Channels: %u"), kg_motion_get_n_channels (value->motion));
  case KG_SCENE:
    return g_strdup_printf (_ ("Objects: %u · Lights: %u · Cameras: %u"), kg_scene_get_n_objects (value->scene),
                            kg_scene_get_n_lights (value->scene), kg_scene_get_n_cameras (value->scene));
  case KG_FIELD:
    return g_strdup_printf (_ ("Field: %s"), kg_field_get_name (value->field));
  case KG_TABLE:
    return g_strdup_printf (_ ("Rows: %'zu · Columns: %u"), kg_table_get_n_rows (value->table),
                            kg_table_get_n_columns (value->table));
  case KG_SOUND:
    return g_strdup_printf (_ ("Sound: %.3f s · Channels: %u · Samples per second: %d"),
                            (double) kg_sound_get_n_samples (value->sound) / kg_sound_get_rate (value->sound),
                            kg_sound_get_n_channels (value->sound), kg_sound_get_rate (value->sound));
  default:
    return g_strdup ("");
  }
}

gsize
kg_sheet_get_n_rows (const KgSheet *sheet)
{
  return sheet->n_rows;
}

guint
kg_sheet_get_n_columns (const KgSheet *sheet)
{
  return sheet->columns->len;
}

const char *
kg_sheet_get_title (const KgSheet *sheet, guint column)
{
  return kg_sheet_get_column (sheet, column)->title;
}

bool
kg_sheet_is_number (const KgSheet *sheet, guint column)
{
  const KgSheetColumnKind kind = kg_sheet_get_column (sheet, column)->kind;

  return kind != KG_SHEET_STRING && kind != KG_SHEET_TEXTS && kind != KG_SHEET_KIND && kind != KG_SHEET_VERTICES;
}

double
kg_sheet_get_column_number (const KgSheet *sheet, gsize row, const KgSheetColumn *column)
{
  const gsize index = row * column->stride + column->offset;
  double value[KG_CHANNEL_MAX_WIDTH];
  KgPrimitive primitive;

  switch (column->kind) {
  case KG_SHEET_ROW:
    return (double) row;
  case KG_SHEET_FLOAT:
    return ((const float *) column->data)[index];
  case KG_SHEET_INT:
    return ((const int32_t *) column->data)[index];
  case KG_SHEET_DOUBLE:
    return ((const double *) column->data)[index];
  case KG_SHEET_NUMBERS:
    return column->numbers[row];
  case KG_SHEET_MOMENT:
    return get_moment (sheet, row);
  case KG_SHEET_CHANNEL:
    kg_channel_evaluate ((const KgChannel *) column->data, get_moment (sheet, row), value);
    return value[column->offset];
  case KG_SHEET_COUNT:
    kg_geometry_get_primitive (sheet->value.geometry, row, &primitive);
    return primitive.n_vertices;
  case KG_SHEET_STRING:
  case KG_SHEET_TEXTS:
  case KG_SHEET_KIND:
  case KG_SHEET_VERTICES:
  default:
    return NAN;
  }
}

const char *
kg_sheet_get_column_text (const KgSheet *sheet, gsize row, const KgSheetColumn *column, char **to_free)
{
  const char *text = NULL;
  KgPrimitive primitive;

  *to_free = NULL;
  if (column->kind == KG_SHEET_STRING)
    text = ((char *const *) column->data)[row * column->stride + column->offset];
  else if (column->kind == KG_SHEET_TEXTS)
    text = column->texts[row];
  else {
    kg_geometry_get_primitive (sheet->value.geometry, row, &primitive);
    if (column->kind == KG_SHEET_KIND)
      text = get_primitive_kind (&primitive);
    else
      text = *to_free = list_vertices (&primitive);
  }
  return text != NULL ? text : "";
}

double
kg_sheet_get_number (const KgSheet *sheet, gsize row, guint column)
{
  return kg_sheet_get_column_number (sheet, row, kg_sheet_get_column (sheet, column));
}

char *
kg_sheet_dup_text (const KgSheet *sheet, gsize row, guint column)
{
  const KgSheetColumn *c = kg_sheet_get_column (sheet, column);
  char *made;

  if (!kg_sheet_is_number (sheet, column)) {
    const char *text = kg_sheet_get_column_text (sheet, row, c, &made);

    return made != NULL ? made : g_strdup (text);
  }
  {
    const double number = kg_sheet_get_column_number (sheet, row, c);

    /* A plane without finite pixels. */
    if (isnan (number) && c->kind == KG_SHEET_NUMBERS)
      return g_strdup ("–");
    return kg_number_format_digits (number, c->kind == KG_SHEET_FLOAT ? 6 : 10);
  }
}
