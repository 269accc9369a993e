/* import-gegl: the operations of GEGL: what there is, and one of them applied to images.
 *
 * A library of hundreds of operations, some with plug-ins of others, runs apart from the program that uses it: it starts when
 * an operation is named, can be stopped at any moment, and may crash.  What reads or writes files, shows windows or runs
 * chains of operations that a text names is not offered.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-import-server.h"
#include "kg-json.h"
#include "kg-math.h"

#include <gegl-plugin.h>
#include <gegl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Images that one operation may take. */
#define MAX_PADS 4
/* A number beyond it is GEGL's way to say that there is no limit. */
#define HUGE_NUMBER 1e300

/* Of GEGL's "categories": these are no operations on images for people, or touch what is outside. */
static const char *const unwanted_categories[] = { "core", "display", "hidden",      "input",
                                                   "meta", "output",  "programming", "video" };

/* Operations that are left out one by one. */
static const char *const unwanted[] = {
  "gegl:gegl",              /* its text is a chain of any operations, those that read and write files included */
  "gegl:lcms-from-profile", /* its profile is a pointer */
  /* What they draw, or the curve that they apply, is no number and no text: without it they do nothing. */
  "gegl:contrast-curve",
  "gegl:fill-path",
  "gegl:path",
  "gegl:vector-stroke",
  "gegl:warp",
};

static bool
is_word (const char *list, const char *word)
{
  const size_t n = strlen (word);

  for (const char *at = strstr (list, word); at != NULL; at = strstr (at + 1, word))
    if ((at == list || at[-1] == ':') && (at[n] == ':' || at[n] == '\0'))
      return true;
  return false;
}

static bool
is_wanted (const char *name)
{
  const char *categories = gegl_operation_get_key (name, "categories");

  if (!g_str_has_prefix (name, "gegl:") && !g_str_has_prefix (name, "svg:"))
    return false;
  for (size_t i = 0; i < G_N_ELEMENTS (unwanted); i++)
    if (g_str_equal (name, unwanted[i]))
      return false;
  for (size_t i = 0; categories != NULL && i < G_N_ELEMENTS (unwanted_categories); i++)
    if (is_word (categories, unwanted_categories[i]))
      return false;
  return true;
}

/* Properties. */

static void
set_text (KgJson *object, const char *name, const char *text)
{
  if (text != NULL)
    kg_json_set (object, name, kg_json_new_string (text));
}

/* What has no limit has no member. */
static void
set_number (KgJson *object, const char *name, double number)
{
  if (fabs (number) < HUGE_NUMBER)
    kg_json_set (object, name, kg_json_new_number (number));
}

static void
set_range (KgJson *to, double least, double most, double soft_least, double soft_most)
{
  set_number (to, "min", least);
  set_number (to, "max", most);
  set_number (to, "soft_min", soft_least);
  set_number (to, "soft_max", soft_most);
}

static void
describe_choices (KgJson *to, const GParamSpecEnum *spec)
{
  KgJson *choices = kg_json_new (KG_JSON_ARRAY);

  for (guint i = 0; i < spec->enum_class->n_values; i++) {
    const GEnumValue *value = &spec->enum_class->values[i];
    KgJson *choice = kg_json_new (KG_JSON_OBJECT);

    set_text (choice, "nick", value->value_nick);
    set_text (choice, "label", value->value_name);
    kg_json_append (choices, choice);
    if (value->value == spec->default_value)
      kg_json_set (to, "default", kg_json_new_number (i));
  }
  kg_json_set (to, "choices", choices);
}

static void
describe_color (KgJson *to, GParamSpec *spec)
{
  const GValue *value = g_param_spec_get_default_value (spec);
  GeglColor *color = G_VALUE_HOLDS_OBJECT (value) ? (GeglColor *) g_value_get_object (value) : NULL;
  double rgba[4] = { 0, 0, 0, 1 };
  KgJson *numbers = kg_json_new (KG_JSON_ARRAY);

  if (color != NULL)
    gegl_color_get_pixel (color, babl_format ("RGBA double"), rgba);
  for (int i = 0; i < 4; i++)
    kg_json_append (numbers, kg_json_new_number (isfinite (rgba[i]) ? rgba[i] : 0));
  kg_json_set (to, "default", numbers);
}

/* False for a kind that no input has: paths of files, pointers, curves. */
static bool
describe_kind (KgJson *to, GParamSpec *spec)
{
  const char *kind = NULL;

  if (GEGL_IS_PARAM_SPEC_FILE_PATH (spec) || GEGL_IS_PARAM_SPEC_URI (spec)) {
    return false;
  } else if (G_IS_PARAM_SPEC_ENUM (spec)) {
    kind = "choice";
    describe_choices (to, G_PARAM_SPEC_ENUM (spec));
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    kind = "boolean";
    kg_json_set (to, "default", kg_json_new_number (G_PARAM_SPEC_BOOLEAN (spec)->default_value));
  } else if (G_IS_PARAM_SPEC_DOUBLE (spec)) {
    const GParamSpecDouble *number = G_PARAM_SPEC_DOUBLE (spec);
    const bool shown = GEGL_IS_PARAM_SPEC_DOUBLE (spec);

    kind = "number";
    kg_json_set (to, "default", kg_json_new_number (isfinite (number->default_value) ? number->default_value : 0));
    set_range (to, number->minimum, number->maximum,
               shown ? GEGL_PARAM_SPEC_DOUBLE (spec)->ui_minimum : number->minimum,
               shown ? GEGL_PARAM_SPEC_DOUBLE (spec)->ui_maximum : number->maximum);
  } else if (G_IS_PARAM_SPEC_INT (spec)) {
    const GParamSpecInt *number = G_PARAM_SPEC_INT (spec);
    const bool shown = GEGL_IS_PARAM_SPEC_INT (spec);

    kind = "integer";
    kg_json_set (to, "default", kg_json_new_number (number->default_value));
    set_range (to, number->minimum, number->maximum, shown ? GEGL_PARAM_SPEC_INT (spec)->ui_minimum : number->minimum,
               shown ? GEGL_PARAM_SPEC_INT (spec)->ui_maximum : number->maximum);
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    const GParamSpecUInt *number = G_PARAM_SPEC_UINT (spec);

    kind = "integer";
    kg_json_set (to, "default", kg_json_new_number (number->default_value));
    set_range (to, number->minimum, number->maximum, number->minimum, MIN (number->maximum, 1000));
  } else if (g_type_is_a (spec->value_type, GEGL_TYPE_COLOR)) {
    kind = "color";
    describe_color (to, spec);
  } else if (G_IS_PARAM_SPEC_STRING (spec)) {
    kind = "text";
    set_text (to, "default", G_PARAM_SPEC_STRING (spec)->default_value);
  }
  set_text (to, "kind", kind);
  return kind != NULL;
}

/* (transfer full) (nullable) */
static KgJson *
describe_property (const char *operation, GParamSpec *spec)
{
  KgJson *to = kg_json_new (KG_JSON_OBJECT);

  set_text (to, "name", spec->name);
  set_text (to, "label", g_param_spec_get_nick (spec));
  set_text (to, "help", g_param_spec_get_blurb (spec));
  set_text (to, "unit", gegl_operation_get_property_key (operation, spec->name, "unit"));
  if (gegl_operation_get_property_key (operation, spec->name, "multiline") != NULL)
    kg_json_set (to, "multiline", kg_json_new (KG_JSON_TRUE));
  /* What is only read is no input. */
  if ((spec->flags & G_PARAM_WRITABLE) != 0 && describe_kind (to, spec))
    return to;
  kg_json_free (to);
  return NULL;
}

/* Operations. */

static bool
is_listed (const char *const *names, const char *name)
{
  return names != NULL && g_strv_contains (names, name);
}

/* The images that it takes, its own first.  False for a sink, and for one with too many. */
static bool
describe_pads (KgJson *to, const char *operation)
{
  g_autoptr (GeglNode) node = gegl_node_new ();
  GeglNode *made = gegl_node_new_child (node, "operation", operation, NULL);
  g_autofree char **takes = gegl_node_list_input_pads (made), **gives = gegl_node_list_output_pads (made);
  KgJson *pads = kg_json_new (KG_JSON_ARRAY);
  const guint n = takes != NULL ? g_strv_length (takes) : 0;

  kg_json_set (to, "pads", pads);
  if (is_listed ((const char *const *) takes, "input"))
    kg_json_append (pads, kg_json_new_string ("input"));
  for (guint i = n; i-- > 0;)
    if (!g_str_equal (takes[i], "input"))
      kg_json_append (pads, kg_json_new_string (takes[i]));
  return n <= MAX_PADS && is_listed ((const char *const *) gives, "output") &&
         (n == 0 || is_listed ((const char *const *) takes, "input"));
}

/* (transfer full) (nullable) */
static KgJson *
describe_operation (const char *name)
{
  KgJson *to = kg_json_new (KG_JSON_OBJECT), *properties = kg_json_new (KG_JSON_ARRAY);
  guint n = 0;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (name, &n);

  set_text (to, "name", name);
  set_text (to, "title", gegl_operation_get_key (name, "title"));
  set_text (to, "help", gegl_operation_get_key (name, "description"));
  set_text (to, "categories", gegl_operation_get_key (name, "categories"));
  kg_json_set (to, "properties", properties);
  for (guint i = 0; i < n; i++) {
    KgJson *property = describe_property (name, specs[i]);

    if (property != NULL)
      kg_json_append (properties, property);
  }
  if (describe_pads (to, name))
    return to;
  kg_json_free (to);
  return NULL;
}

static bool
list_operations (KgImportServer *server, GError **error)
{
  guint n = 0;
  g_autofree char **names = gegl_list_operations (&n);
  g_autoptr (KgJson) operations = kg_json_new (KG_JSON_ARRAY);
  g_autoptr (GString) text = g_string_new (NULL);
  void *memory;

  for (guint i = 0; i < n; i++) {
    KgJson *operation = is_wanted (names[i]) ? describe_operation (names[i]) : NULL;

    if (operation != NULL)
      kg_json_append (operations, operation);
  }
  kg_json_write (operations, text);
  memory = kg_import_take_memory (server, text->len, error);
  if (memory != NULL)
    memcpy (memory, text->str, text->len);
  return memory != NULL;
}

/* One operation. */

static double
get_number (const KgJson *object, const char *name)
{
  const KgJson *number = kg_json_get (object, name);

  return number != NULL ? kg_json_get_number (number) : 0;
}

static void
set_color (GeglNode *node, const char *name, const KgJson *numbers)
{
  GeglColor *color = gegl_color_new (NULL);
  float rgba[4] = { 0 };

  for (guint i = 0; i < 4 && i < kg_json_get_n (numbers); i++)
    rgba[i] = (float) kg_json_get_number (kg_json_get_item (numbers, i));
  gegl_color_set_pixel (color, babl_format ("RGBA float"), rgba);
  gegl_node_set (node, name, color, NULL);
  g_object_unref (color);
}

static void
set_property (GeglNode *node, GParamSpec *spec, const KgJson *value)
{
  g_auto (GValue) to = G_VALUE_INIT;

  if (g_type_is_a (spec->value_type, GEGL_TYPE_COLOR)) {
    set_color (node, spec->name, value);
    return;
  }
  g_value_init (&to, spec->value_type);
  if (G_IS_PARAM_SPEC_ENUM (spec)) {
    const GEnumClass *class = G_PARAM_SPEC_ENUM (spec)->enum_class;
    const guint index = (guint) kg_json_get_number (value);

    g_value_set_enum (&to, index < class->n_values ? class->values[index].value : 0);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    g_value_set_boolean (&to, kg_json_get_number (value) != 0);
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (&to, kg_json_get_number (value));
  else if (G_IS_PARAM_SPEC_INT (spec))
    g_value_set_int (&to, (int) kg_clamp (kg_json_get_number (value), G_MININT, G_MAXINT));
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (&to, (guint) kg_clamp (kg_json_get_number (value), 0, G_MAXUINT));
  else if (G_IS_PARAM_SPEC_STRING (spec) && kg_json_is (value, KG_JSON_STRING))
    g_value_set_string (&to, kg_json_get_string (value));
  else
    return;
  gegl_node_set_property (node, spec->name, &to);
}

static void
set_properties (GeglNode *node, const char *operation, const KgJson *values)
{
  guint n = 0;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (operation, &n);

  for (guint i = 0; i < n; i++) {
    const KgJson *value = kg_json_get (values, specs[i]->name);

    if (value != NULL && !GEGL_IS_PARAM_SPEC_FILE_PATH (specs[i]) && !GEGL_IS_PARAM_SPEC_URI (specs[i]))
      set_property (node, specs[i], value);
  }
}

static void
on_progress (GeglNode *node, double done, gpointer data)
{
  (void) node;
  kg_import_report ((KgImportServer *) data, done);
}

/* Links the images to their pads.  Each lies centred on the frame; memory: of the pixels, one image after the other. */
static bool
link_images (GeglNode *parent, GeglNode *node, const KgJson *images, const GeglRectangle *frame, float *pixels,
             size_t n_pixels)
{
  const Babl *format = babl_format ("RaGaBaA float");

  for (guint i = 0; i < kg_json_get_n (images); i++) {
    const KgJson *image = kg_json_get_item (images, i), *pad = kg_json_get (image, "pad");
    const int width = (int) get_number (image, "width"), height = (int) get_number (image, "height");
    const GeglRectangle place = { (frame->width - width) / 2, (frame->height - height) / 2, width, height };
    g_autoptr (GeglBuffer) buffer = NULL;
    GeglNode *source;

    if (width < 1 || height < 1 || !kg_json_is (pad, KG_JSON_STRING) || (size_t) width * (size_t) height > n_pixels)
      return false;
    buffer = gegl_buffer_linear_new_from_data (pixels, format, &place, GEGL_AUTO_ROWSTRIDE, NULL, NULL);
    source = gegl_node_new_child (parent, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
    if (!gegl_node_connect_to (source, "output", node, kg_json_get_string (pad)))
      return false;
    pixels += 4 * (size_t) width * (size_t) height;
    n_pixels -= (size_t) width * (size_t) height;
  }
  return true;
}

/* input: the words of the request, which end with 0, and from the next multiple of 16 bytes on the pixels. */
static bool
apply (KgImportServer *server, const KgImportRequest *request, GError **error)
{
  char *input = (char *) kg_import_get_input (server, request->bytes, error);
  const size_t length = input != NULL ? strnlen (input, request->bytes) : 0;
  const size_t skip = MIN ((length + 16) & ~(size_t) 15, request->bytes);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) words = NULL;
  const KgJson *name;
  g_autoptr (GeglNode) parent = NULL;
  GeglRectangle frame = { 0 };
  GeglNode *node;
  float *result;

  if (input == NULL)
    return false;
  words = kg_json_parse (input, (gssize) length, problems);
  name = words != NULL ? kg_json_get (words, "operation") : NULL;
  frame.width = words != NULL ? (int) get_number (words, "width") : 0;
  frame.height = words != NULL ? (int) get_number (words, "height") : 0;
  if (!kg_json_is (name, KG_JSON_STRING) || !gegl_has_operation (kg_json_get_string (name)) ||
      !is_wanted (kg_json_get_string (name)) || frame.width < 1 || frame.height < 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the request is not for an operation of GEGL");
    return false;
  }
  parent = gegl_node_new ();
  node = gegl_node_new_child (parent, "operation", kg_json_get_string (name), NULL);
  g_signal_connect (node, "progress", G_CALLBACK (on_progress), server);
  set_properties (node, kg_json_get_string (name), kg_json_get (words, "properties"));
  if (!link_images (parent, node, kg_json_get (words, "images"), &frame, (float *) (void *) (input + skip),
                    (request->bytes - skip) / (4 * sizeof (float)))) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the images do not fit the operation of GEGL");
    return false;
  }
  result = (float *) kg_import_take_memory (
      server, (uint64_t) frame.width * (uint64_t) frame.height * 4 * sizeof *result, error);
  if (result != NULL)
    gegl_node_blit (node, 1, &frame, babl_format ("RaGaBaA float"), result, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  return result != NULL;
}

static bool
answer (KgImportServer *server, const KgImportRequest *request, KgImportReply *reply, GError **error)
{
  static bool is_begun;

  (void) reply;
  if (!is_begun) {
    /* This program's own licence: GEGL keeps those operations back that others may not use. */
    g_object_set (gegl_config (), "application-license", "GPL3", NULL);
    gegl_init (NULL, NULL);
  }
  is_begun = true;
  if (request->operation == KG_IMPORT_LIST)
    return list_operations (server, error);
  if (request->operation == KG_IMPORT_APPLY)
    return apply (server, request, error);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the request is not for an operation of GEGL");
  return false;
}

int
main (int argc, char **argv)
{
  /* Small images need little: the limit is that of the machine. */
  static const KgImportReader reader = { .memory = UINT64_MAX >> 8, .answer = answer };

  /* The same bits each time: one thread, no graphics card, and conversions that are not chosen by how fast they were. */
  setenv ("GEGL_THREADS", "1", 1);
  setenv ("GEGL_USE_OPENCL", "no", 1);
  setenv ("BABL_TOLERANCE", "0", 1);
  setenv ("BABL_INHIBIT_CACHE", "1", 1);
  /* It may write no files. */
  setenv ("GEGL_SWAP", "RAM", 1);
  /* Its warnings are its own business, also where ours end the program. */
  unsetenv ("G_DEBUG");
  return kg_import_serve (argc, argv, &reader);
}
