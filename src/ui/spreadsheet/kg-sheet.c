/* kg-sheet: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-sheet.h"

#include "config.h"
#include "kg-number.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MOTION_ROWS 101
#define MAX_LISTED 8 /* vertices of a primitive that are shown */

typedef enum {
  COLUMN_ROW,
  COLUMN_FLOAT, /* one component of an array of float */
  COLUMN_INT,
  COLUMN_STRING,
  COLUMN_DOUBLE,
  COLUMN_NUMBERS, /* the sheet's own */
  COLUMN_TEXTS,
  COLUMN_MOMENT, /* of a motion */
  COLUMN_CHANNEL,
  COLUMN_KIND, /* of primitives */
  COLUMN_COUNT,
  COLUMN_VERTICES,
} ColumnKind;

typedef struct {
  char *title;
  ColumnKind kind;
  const void *data;
  guint stride, offset;
  double *numbers;
  char **texts;
} Column;

struct _KgSheet {
  KgValue value;
  gsize n_rows;
  GArray *columns;
  double start, step; /* of the rows of a motion */
};

static void
column_clear (gpointer data)
{
  Column *column = (Column *) data;

  g_free (column->title);
  g_free (column->numbers);
  g_strfreev (column->texts);
}

static const Column *
get_column (const KgSheet *sheet, guint index)
{
  return &g_array_index (sheet->columns, Column, index);
}

/* Takes the title. */
static Column *
add_column (KgSheet *sheet, ColumnKind kind, char *title)
{
  const Column column = { .title = title, .kind = kind };

  g_array_append_val (sheet->columns, column);
  return &g_array_index (sheet->columns, Column, sheet->columns->len - 1);
}

static double *
add_numbers (KgSheet *sheet, const char *title)
{
  return add_column (sheet, COLUMN_NUMBERS, g_strdup (title))->numbers = g_new0 (double, MAX (sheet->n_rows, 1));
}

static char **
add_texts (KgSheet *sheet, const char *title)
{
  return add_column (sheet, COLUMN_TEXTS, g_strdup (title))->texts = g_new0 (char *, sheet->n_rows + 1);
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
      Column *column = add_column (sheet,
                                   attribute.scalar == KG_FLOAT32 ? COLUMN_FLOAT
                                   : attribute.scalar == KG_INT32 ? COLUMN_INT
                                                                  : COLUMN_STRING,
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
    add_column (sheet, COLUMN_KIND, g_strdup (_ ("Kind")));
    add_column (sheet, COLUMN_COUNT, g_strdup (_ ("Vertices")));
    add_column (sheet, COLUMN_VERTICES, g_strdup (_ ("Points")));
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
  add_column (sheet, COLUMN_MOMENT, g_strdup (_ ("At")));
  for (guint i = 0; i < kg_motion_get_n_channels (motion); i++) {
    const KgChannel *channel = kg_motion_get_channel (motion, i);
    const guint width = kg_channel_get_width (channel);

    for (guint c = 0; c < width; c++) {
      Column *column = add_column (sheet, COLUMN_CHANNEL,
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

static KgVector
get_translation (const KgTransform *transform)
{
  return kg_vector (transform->m[0][3], transform->m[1][3], transform->m[2][3]);
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

    for (guint i = 0; i < sheet->n_rows; i++) {
      const KgObject *object = kg_scene_get_object (scene, i);

      points[i] = (double) kg_geometry_get_n_points (object->geometry);
      primitives[i] = (double) kg_geometry_get_n_primitives (object->geometry);
      places[i] = get_translation (&object->transform);
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
      places[i] = get_translation (&camera->transform);
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
  Column *column = add_column (sheet, COLUMN_TEXTS, g_strdup (_ ("Text")));

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
    Column *column =
        add_column (sheet, COLUMN_DOUBLE,
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

KgSheet *
kg_sheet_new (const KgValue *value, guint part)
{
  KgSheet *sheet = g_new0 (KgSheet, 1);

  sheet->value = kg_value_copy (value);
  sheet->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_array_set_clear_func (sheet->columns, column_clear);
  add_column (sheet, COLUMN_ROW, g_strdup ("#"));
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
  return get_column (sheet, column)->title;
}

bool
kg_sheet_is_number (const KgSheet *sheet, guint column)
{
  const ColumnKind kind = get_column (sheet, column)->kind;

  return kind != COLUMN_STRING && kind != COLUMN_TEXTS && kind != COLUMN_KIND && kind != COLUMN_VERTICES;
}

static double
get_number (const KgSheet *sheet, gsize row, const Column *column)
{
  const gsize index = row * column->stride + column->offset;
  double value[KG_CHANNEL_MAX_WIDTH];
  KgPrimitive primitive;

  switch (column->kind) {
  case COLUMN_ROW:
    return (double) row;
  case COLUMN_FLOAT:
    return ((const float *) column->data)[index];
  case COLUMN_INT:
    return ((const int32_t *) column->data)[index];
  case COLUMN_DOUBLE:
    return ((const double *) column->data)[index];
  case COLUMN_NUMBERS:
    return column->numbers[row];
  case COLUMN_MOMENT:
    return get_moment (sheet, row);
  case COLUMN_CHANNEL:
    kg_channel_evaluate ((const KgChannel *) column->data, get_moment (sheet, row), value);
    return value[column->offset];
  case COLUMN_COUNT:
    kg_geometry_get_primitive (sheet->value.geometry, row, &primitive);
    return primitive.n_vertices;
  case COLUMN_STRING:
  case COLUMN_TEXTS:
  case COLUMN_KIND:
  case COLUMN_VERTICES:
  default:
    return NAN;
  }
}

/* Of a column of text; sometimes made on demand: to_free is then what to release. */
static const char *
get_text (const KgSheet *sheet, gsize row, const Column *column, char **to_free)
{
  const char *text = NULL;
  KgPrimitive primitive;

  *to_free = NULL;
  if (column->kind == COLUMN_STRING)
    text = ((char *const *) column->data)[row * column->stride + column->offset];
  else if (column->kind == COLUMN_TEXTS)
    text = column->texts[row];
  else {
    kg_geometry_get_primitive (sheet->value.geometry, row, &primitive);
    if (column->kind == COLUMN_KIND)
      text = get_primitive_kind (&primitive);
    else
      text = *to_free = list_vertices (&primitive);
  }
  return text != NULL ? text : "";
}

double
kg_sheet_get_number (const KgSheet *sheet, gsize row, guint column)
{
  return get_number (sheet, row, get_column (sheet, column));
}

char *
kg_sheet_dup_text (const KgSheet *sheet, gsize row, guint column)
{
  const Column *c = get_column (sheet, column);
  char *made;

  if (!kg_sheet_is_number (sheet, column)) {
    const char *text = get_text (sheet, row, c, &made);

    return made != NULL ? made : g_strdup (text);
  }
  {
    const double number = get_number (sheet, row, c);

    /* Nothing is a number here: a plane without finite pixels. */
    if (isnan (number) && c->kind == COLUMN_NUMBERS)
      return g_strdup ("–");
    return kg_number_format_digits (number, c->kind == COLUMN_FLOAT ? 6 : 10);
  }
}

/* Sorting. */

typedef struct {
  uint64_t key;
  guint32 row;
} Entry;

/* Unsigned integers in the order of the numbers; NaN behind all. */
static uint64_t
get_key (double number, bool descending)
{
  uint64_t bits;

  if (isnan (number))
    return UINT64_MAX;
  number += 0.0; /* -0 is 0 */
  memcpy (&bits, &number, sizeof bits);
  bits = bits >> 63 ? ~bits : bits | (uint64_t) 1 << 63;
  return descending ? ~bits : bits;
}

/* By bytes from the least significant one; bytes that are equal everywhere (most, for single precision) cost nothing. */
static void
sort_entries (Entry *entries, gsize n)
{
  g_autofree Entry *other = g_new (Entry, n);
  g_autofree gsize *counts = g_new0 (gsize, 8 * 256);
  Entry *from = entries, *to = other;

  for (gsize i = 0; i < n; i++)
    for (guint byte = 0; byte < 8; byte++)
      counts[byte * 256 + (entries[i].key >> 8 * byte & 255)]++;
  for (guint byte = 0; byte < 8; byte++) {
    gsize *count = counts + byte * 256, sum = 0;

    if (count[from[0].key >> 8 * byte & 255] == n)
      continue;
    for (guint i = 0; i < 256; i++) {
      const gsize here = count[i];

      count[i] = sum;
      sum += here;
    }
    for (gsize i = 0; i < n; i++)
      to[count[from[i].key >> 8 * byte & 255]++] = from[i];
    {
      Entry *swap = from;

      from = to;
      to = swap;
    }
  }
  if (from != entries)
    memcpy (entries, from, n * sizeof *entries);
}

typedef struct {
  char *text;
  const char *shown;
  guint32 row;
  gsize order;
} TextEntry;

static int
compare_texts (gconstpointer a, gconstpointer b, gpointer data)
{
  const TextEntry *p = (const TextEntry *) a, *q = (const TextEntry *) b;
  const int result = strcmp (p->shown, q->shown) * (*(const bool *) data ? -1 : 1);

  return result != 0 ? result : p->order < q->order ? -1 : 1;
}

static void
sort_texts (const KgSheet *sheet, const Column *column, bool descending, guint32 *rows, gsize n)
{
  g_autofree TextEntry *entries = g_new (TextEntry, n);

  for (gsize i = 0; i < n; i++) {
    entries[i].shown = get_text (sheet, rows[i], column, &entries[i].text);
    entries[i].row = rows[i];
    entries[i].order = i;
  }
  g_qsort_with_data (entries, (int) n, sizeof *entries, compare_texts, &descending);
  for (gsize i = 0; i < n; i++) {
    rows[i] = entries[i].row;
    g_free (entries[i].text);
  }
}

void
kg_sheet_sort (const KgSheet *sheet, guint column, bool descending, guint32 *rows, gsize n)
{
  const Column *c = get_column (sheet, column);

  if (n < 2)
    return;
  if (!kg_sheet_is_number (sheet, column)) {
    sort_texts (sheet, c, descending, rows, n);
    return;
  }
  {
    g_autofree Entry *entries = g_new (Entry, n);

    for (gsize i = 0; i < n; i++)
      entries[i] = (Entry){ get_key (get_number (sheet, rows[i], c), descending), rows[i] };
    sort_entries (entries, n);
    for (gsize i = 0; i < n; i++)
      rows[i] = entries[i].row;
  }
}

/* Searching. */

typedef enum { TEST_NONE, TEST_LESS, TEST_AT_MOST, TEST_GREATER, TEST_AT_LEAST, TEST_EQUAL, TEST_DIFFERENT } Test;

typedef struct {
  Test test;
  guint column; /* of a comparison */
  bool has_number;
  double number, tolerance;
  char *text;
} Query;

/* A number is found where it is shown: "1.5" stands for 1.45 to 1.55, "2" for 2. */
static bool
read_number (const char *text, Query *query)
{
  int decimals;
  const bool good = kg_number_read (text, &query->number, &decimals);
  const double digits = 1e-6 * fmax (fabs (query->number), 1e-6);

  query->tolerance = decimals >= 0 ? fmax (0.5 * pow (10, -decimals), digits) : digits;
  return good;
}

static int
find_column (const KgSheet *sheet, const char *title)
{
  for (guint i = 0; i < sheet->columns->len; i++)
    if (g_ascii_strcasecmp (get_column (sheet, i)->title, title) == 0)
      return (int) i;
  return -1;
}

static bool
read_comparison (const KgSheet *sheet, const char *text, Query *query)
{
  const gsize left = strcspn (text, "<>=!"), sign = strspn (text + left, "<>=!");
  g_autofree char *title = g_strstrip (g_strndup (text, left)), *sign_text = g_strndup (text + left, sign);
  g_autofree char *right = g_strstrip (g_strdup (text + left + sign));
  static const struct {
    const char *sign;
    Test test;
  } tests[] = { { "<", TEST_LESS },  { "<=", TEST_AT_MOST }, { ">", TEST_GREATER },   { ">=", TEST_AT_LEAST },
                { "=", TEST_EQUAL }, { "==", TEST_EQUAL },   { "!=", TEST_DIFFERENT } };
  const int column = find_column (sheet, title);

  if (column < 0 || !read_number (right, query))
    return false;
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    if (g_str_equal (sign_text, tests[i].sign)) {
      query->test = tests[i].test;
      query->column = (guint) column;
      return true;
    }
  return false;
}

/* single: the column holds floats, among which 0.1 means the float nearest to it. */
static bool
compare (const Query *query, double number, bool single)
{
  const double difference = number - (single ? (double) (float) query->number : query->number);

  switch (query->test) {
  case TEST_LESS:
    return difference < 0;
  case TEST_AT_MOST:
    return difference <= 0;
  case TEST_GREATER:
    return difference > 0;
  case TEST_AT_LEAST:
    return difference >= 0;
  case TEST_EQUAL:
    return fabs (difference) <= query->tolerance;
  case TEST_DIFFERENT:
    return fabs (difference) > query->tolerance;
  case TEST_NONE:
  default:
    return false;
  }
}

static bool
contains (const char *text, const char *lower)
{
  g_autofree char *own = NULL;

  /* Most text is plain; only the rest needs its letters folded with care. */
  if (g_str_is_ascii (text))
    return strcasestr (text, lower) != NULL;
  own = g_utf8_strdown (text, -1);
  return strstr (own, lower) != NULL;
}

static bool
matches (const KgSheet *sheet, const Query *query, gsize row)
{
  if (query->test != TEST_NONE) {
    const Column *column = get_column (sheet, query->column);

    return compare (query, get_number (sheet, row, column), column->kind == COLUMN_FLOAT);
  }
  for (guint i = 0; i < sheet->columns->len; i++) {
    const Column *column = get_column (sheet, i);

    if (kg_sheet_is_number (sheet, i)) {
      if (query->has_number && fabs (get_number (sheet, row, column) - query->number) <= query->tolerance)
        return true;
    } else {
      char *made;
      const bool found = contains (get_text (sheet, row, column, &made), query->text);

      g_free (made);
      if (found)
        return true;
    }
  }
  return false;
}

gsize
kg_sheet_search (const KgSheet *sheet, const char *text, guint32 *rows)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text)), *lower = g_utf8_strdown (stripped, -1);
  Query query = { .text = lower };
  gsize n = 0;

  if (!read_comparison (sheet, stripped, &query))
    query.has_number = read_number (stripped, &query);
  for (gsize i = 0; i < sheet->n_rows; i++)
    if (matches (sheet, &query, i))
      rows[n++] = (guint32) i;
  return n;
}
