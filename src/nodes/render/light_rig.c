/* render/light_rig: the lamps of a sequence, and what a shot changes about them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-suggest.h"

#include <math.h>
#include <string.h>

typedef struct {
  const KgGeometry *subject;
  KgVector center;
  int kind;
  double distance;
  double key, ratio, rim;
  double key_azimuth, key_elevation;
  double fill_azimuth, fill_elevation;
  double rim_azimuth, rim_elevation;
  KgColor key_color, fill_color, rim_color;
  const char *lamps;
  const char *overrides;
  KgScene *scene;
  double contrast;
  double stops;
  double key_strength, fill_strength, rim_strength;
} LightRig;

enum { RIG_DIRECTIONAL, RIG_POINT, RIG_N_KINDS };

static const KgChoice rig_kinds[] = {
  [RIG_DIRECTIONAL] = { "directional", N_ ("Directional: equally bright everywhere") },
  [RIG_POINT] = { "point", N_ ("Point: lamps at a distance, weaker farther away") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rig_kinds, RIG_N_KINDS);

/* What a shot can change about a lamp, by name; angles in degrees. */
enum { RIG_STRENGTH, RIG_AZIMUTH, RIG_ELEVATION, RIG_DISTANCE, RIG_RED, RIG_GREEN, RIG_BLUE, RIG_N_PARAMETERS };
static const char *const rig_parameters[] = { "strength", "azimuth", "elevation", "distance",
                                              "red",      "green",   "blue",      NULL };

enum { RIG_KEY, RIG_FILL, RIG_RIM, RIG_N_OWN };
static const char *const rig_own[] = { "key", "fill", "rim", NULL };

static const char *const rig_operations[] = { "set", "multiply", "add", NULL };

/* Lines of the overrides that are read, and lamps. */
#define MAX_OVERRIDES 10000
#define MAX_LAMPS 200

typedef struct {
  double values[RIG_N_PARAMETERS];
} Lamp;

/* All lamps of the rig: key, fill and rim, then those that are listed. */
typedef struct {
  Lamp lamps[MAX_LAMPS];
  char *names[MAX_LAMPS + 1]; /* owned; ends with NULL */
  guint n;
} Rig;

static void
rig_free (Rig *rig)
{
  for (guint i = 0; i < rig->n; i++)
    g_free (rig->names[i]);
  g_free (rig);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rig, rig_free)

/* -1 where it is none of them. */
static int
find_name (const char *const *names, const char *name)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], name))
      return i;
  return -1;
}

static bool
fail_name (guint line, bool operation, const char *name, GError **error)
{
  const char *const *names = operation ? rig_operations : rig_parameters;
  g_autofree char *meant = kg_suggest (name, names), *all = g_strjoinv (", ", (char **) names);

  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                operation ? N_ ("line %u: unknown operation \"%s\"%s (there are %s)")
                          : N_ ("line %u: unknown parameter \"%s\"%s (there are %s)"),
                line, name, meant, all);
  return false;
}

/* lamp parameter operation value */
static bool
light_rig_read_line (Rig *rig, const char *text, guint line, const KgContext *ctx, GError **error)
{
  g_auto (GStrv) split = g_strsplit_set (text, " \t", -1);
  const char *words[4] = { NULL };
  guint n = 0;
  int lamp, parameter, operation;
  double value, *of;
  char *end;

  for (guint i = 0; split[i] != NULL; i++)
    if (split[i][0] != '\0') {
      if (n < 4)
        words[n] = split[i];
      n++;
    }
  if (n != 4) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "line %u: %u words: write a lamp, a parameter, set, multiply or add, and a value, such as fill "
                  "strength multiply 0.5",
                  line, n);
    return false;
  }
  parameter = find_name (rig_parameters, words[1]);
  operation = find_name (rig_operations, words[2]);
  value = g_ascii_strtod (words[3], &end);
  if (parameter < 0)
    return fail_name (line, false, words[1], error);
  if (operation < 0)
    return fail_name (line, true, words[2], error);
  if (end == words[3] || *end != '\0' || !(fabs (value) <= 1e6)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: \"%s\" is not a number from -1e6 to 1e6", line, words[3]);
    return false;
  }
  lamp = find_name ((const char *const *) rig->names, words[0]);
  if (lamp < 0) {
    g_autofree char *meant = kg_suggest (words[0], (const char *const *) rig->names);

    kg_context_warn (ctx, "line %u is ignored: there is no lamp \"%s\"%s", line, words[0], meant);
    return true;
  }
  of = &rig->lamps[lamp].values[parameter];
  *of = kg_clamp (operation == 0 ? value : operation == 1 ? *of * value : *of + value, -1e12, 1e12);
  return true;
}

static bool
light_rig_override (const LightRig *n, Rig *rig, const KgContext *ctx, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (n->overrides, "\n", MAX_OVERRIDES + 2);

  for (guint i = 0; lines[i] != NULL; i++) {
    if (i > MAX_OVERRIDES) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %d lines of overrides: write fewer", MAX_OVERRIDES);
      return false;
    }
    if (kg_context_is_cancelled (ctx))
      return false;
    lines[i][strcspn (lines[i], "#")] = '\0';
    if (g_strstrip (lines[i])[0] != '\0' && !light_rig_read_line (rig, lines[i], i + 1, ctx, error))
      return false;
  }
  for (guint k = 0; k < rig->n; k++)
    for (int p = 0; p < RIG_N_PARAMETERS; p++) {
      const double lowest = p == RIG_AZIMUTH || p == RIG_ELEVATION ? -INFINITY : p == RIG_DISTANCE ? 1e-3 : 0;
      double *value = &rig->lamps[k].values[p];

      if (*value < lowest) {
        kg_context_warn (ctx, "the overrides make the %s of the lamp \"%s\" %g: %g is used", rig_parameters[p],
                         rig->names[k], *value, lowest);
        *value = lowest;
      }
    }
  return true;
}

/* From the front, which is along z: to the right, and up. */
static KgVector
get_direction (const Lamp *lamp)
{
  const double azimuth = lamp->values[RIG_AZIMUTH] * KG_PI / 180;
  const double elevation = lamp->values[RIG_ELEVATION] * KG_PI / 180;

  return kg_vector (cos (elevation) * sin (azimuth), sin (elevation), cos (elevation) * cos (azimuth));
}

static void
light_rig_add (const LightRig *n, const Lamp *lamp, KgVector center)
{
  const KgVector way = get_direction (lamp);
  const double *v = lamp->values;
  const KgLight light = { .kind = n->kind == RIG_POINT ? KG_LIGHT_POINT : KG_LIGHT_DIRECTIONAL,
                          .position = kg_vector_add (center, kg_vector_scale (way, v[RIG_DISTANCE])),
                          .direction = kg_vector_scale (way, -1),
                          .color = { v[RIG_RED], v[RIG_GREEN], v[RIG_BLUE], 1 },
                          .intensity = v[RIG_STRENGTH],
                          .falloff = KG_FALLOFF_INVERSE_SQUARE,
                          .distance = v[RIG_DISTANCE] };

  kg_scene_add_light (n->scene, &light);
}

static Lamp
make_lamp (const LightRig *n, double strength, double azimuth, double elevation, KgColor color)
{
  return (Lamp){ { [RIG_STRENGTH] = strength,
                   [RIG_AZIMUTH] = azimuth * 180 / KG_PI,
                   [RIG_ELEVATION] = elevation * 180 / KG_PI,
                   [RIG_DISTANCE] = n->distance,
                   [RIG_RED] = color.r,
                   [RIG_GREEN] = color.g,
                   [RIG_BLUE] = color.b } };
}

static void
rig_add (Rig *rig, const char *name, Lamp lamp)
{
  rig->names[rig->n] = g_strdup (name);
  rig->lamps[rig->n++] = lamp;
}

/* name azimuth elevation strength, and if wanted red green blue, and a distance. */
static bool
light_rig_read_lamp (const LightRig *n, Rig *rig, const char *text, guint line, GError **error)
{
  g_auto (GStrv) split = g_strsplit_set (text, " \t", -1);
  const char *name = NULL;
  double numbers[7] = { 0, 0, 1, 1, 1, 1, n->distance };
  guint count = 0;

  for (guint i = 0; split[i] != NULL; i++) {
    char *end;

    if (split[i][0] == '\0')
      continue;
    if (name == NULL) {
      name = split[i];
      continue;
    }
    if (count < G_N_ELEMENTS (numbers)) {
      numbers[count] = g_ascii_strtod (split[i], &end);
      if (end == split[i] || *end != '\0' || !(fabs (numbers[count]) <= 1e6)) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "lamps: line %u: \"%s\" is not a number from -1e6 to 1e6", line,
                      split[i]);
        return false;
      }
    }
    count++;
  }
  if (count != 3 && count != 6 && count != 7) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "lamps: line %u: %u numbers: write a name, azimuth, elevation and strength, and optionally red, green and blue, and a distance, such as window -80 10 0.4 0.6 0.8 1",
        line, count);
    return false;
  }
  if (find_name ((const char *const *) rig->names, name) >= 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "lamps: line %u: there is already a lamp \"%s\": choose another name",
                  line, name);
    return false;
  }
  for (guint i = 2; i < G_N_ELEMENTS (numbers); i++)
    if (!(numbers[i] >= (i == 6 ? 1e-3 : 0))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    i == 6 ? N_ ("lamps: line %u: a distance of %g: use at least 0.001")
                           : N_ ("lamps: line %u: light of %g: use 0 or more"),
                    line, numbers[i]);
      return false;
    }
  rig_add (rig, name,
           (Lamp){ { [RIG_STRENGTH] = numbers[2],
                     [RIG_AZIMUTH] = numbers[0],
                     [RIG_ELEVATION] = numbers[1],
                     [RIG_DISTANCE] = numbers[6],
                     [RIG_RED] = numbers[3],
                     [RIG_GREEN] = numbers[4],
                     [RIG_BLUE] = numbers[5] } });
  return true;
}

static bool
light_rig_read_lamps (const LightRig *n, Rig *rig, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (n->lamps, "\n", MAX_OVERRIDES + 2);

  for (guint i = 0; lines[i] != NULL; i++) {
    lines[i][strcspn (lines[i], "#")] = '\0';
    if (g_strstrip (lines[i])[0] == '\0')
      continue;
    if (rig->n >= MAX_LAMPS || i > MAX_OVERRIDES) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %d lamps: list fewer", MAX_LAMPS);
      return false;
    }
    if (!light_rig_read_lamp (n, rig, lines[i], i + 1, error))
      return false;
  }
  return true;
}

static bool
light_rig_evaluate (LightRig *n, const KgContext *ctx, GError **error)
{
  KgVector low, high, center = n->center;
  g_autoptr (Rig) rig = g_new0 (Rig, 1);

  if (!(n->ratio > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the ratio of key to fill is %g: it must be above 0", n->ratio);
    return false;
  }
  if (n->subject != NULL) {
    if (kg_geometry_get_bounds (n->subject, &low, &high))
      center = kg_vector_lerp (low, high, 0.5);
    else
      kg_context_warn (ctx, "the subject has no points: the lamps are placed about the centre instead");
  }
  rig_add (rig, rig_own[RIG_KEY], make_lamp (n, n->key, n->key_azimuth, n->key_elevation, n->key_color));
  rig_add (rig, rig_own[RIG_FILL], make_lamp (n, n->key / n->ratio, n->fill_azimuth, n->fill_elevation, n->fill_color));
  rig_add (rig, rig_own[RIG_RIM], make_lamp (n, n->rim, n->rim_azimuth, n->rim_elevation, n->rim_color));
  if (!light_rig_read_lamps (n, rig, error) || !light_rig_override (n, rig, ctx, error))
    return false;
  n->scene = kg_scene_new ();
  for (guint k = 0; k < rig->n; k++)
    light_rig_add (n, &rig->lamps[k], center);
  n->key_strength = rig->lamps[RIG_KEY].values[RIG_STRENGTH];
  n->fill_strength = rig->lamps[RIG_FILL].values[RIG_STRENGTH];
  n->rim_strength = rig->lamps[RIG_RIM].values[RIG_STRENGTH];
  if (n->fill_strength > 0) {
    n->contrast = (n->key_strength + n->fill_strength) / n->fill_strength;
    n->stops = log2 (n->contrast);
  } else
    kg_context_warn (ctx, "there is no fill light: the shadow side is black, and the contrast is not defined");
  return true;
}

#define RIG_ANGLE(slot_, label_, value_, lowest_, highest_, group_, help_)                                             \
  KG_INPUT (LightRig, slot_, NUMBER, .label = label_, .unit = KG_DEGREES, .def = value_, .soft_min = lowest_,          \
            .soft_max = highest_, .min = -1e6, .max = 1e6, .group = group_, .help = help_)

static const KgSlot light_rig_slots[] = {
  KG_INPUT (LightRig, subject, GEOMETRY, .label = N_ ("Subject"), .optional = true,
            .help = N_ ("The subject to light: the lamps are placed about the centre of its bounds.")),
  KG_INPUT (LightRig, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .shown_when = "subject=unlinked",
            .help = N_ ("Point that the lamps are aimed at without a subject.")),
  KG_INPUT (LightRig, kind, CHOICE, .label = N_ ("Kind"), .choices = rig_kinds,
            .help = N_ ("Whether the lamps are far away, or at a distance at which they have their strengths.")),
  KG_INPUT (LightRig, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 4, .min = 1e-3, .max = 1e6,
            .soft_max = 20, .shown_when = "kind=point",
            .help = N_ ("Distance from the centre of the subject to each lamp.")),
  KG_INPUT (LightRig, key, NUMBER, .label = N_ ("Key"), .def = 1, .max = 1e6, .soft_max = 4,
            .help = N_ ("Strength of the key, the main lamp.")),
  KG_INPUT (
      LightRig, ratio, NUMBER, .label = N_ ("Ratio"), .def = 4, .max = 1e6, .soft_max = 16,
      .help = N_ (
          "How many times stronger the key is than the fill, which lights the shadows. 2 is soft, 8 hard. A surface "
          "lit by both lamps is brighter than one lit by the fill alone by a factor of this plus one.")),
  KG_INPUT (LightRig, rim, NUMBER, .label = N_ ("Rim"), .def = 0.5, .max = 1e6, .soft_max = 4,
            .help = N_ ("Strength of the rim lamp, which draws an edge of light from behind.")),
  RIG_ANGLE (key_azimuth, N_ ("Key Azimuth"), 45, -180, 180, N_ ("Angles"),
             N_ ("Direction of the key: from the front, which is along z, to the right.")),
  RIG_ANGLE (key_elevation, N_ ("Key Elevation"), 45, -90, 90, N_ ("Angles"), N_ ("Elevation of the key.")),
  RIG_ANGLE (fill_azimuth, N_ ("Fill Azimuth"), -45, -180, 180, N_ ("Angles"),
             N_ ("Direction of the fill, on the other side.")),
  RIG_ANGLE (fill_elevation, N_ ("Fill Elevation"), 20, -90, 90, N_ ("Angles"), N_ ("Elevation of the fill.")),
  RIG_ANGLE (rim_azimuth, N_ ("Rim Azimuth"), 180, -180, 180, N_ ("Angles"),
             N_ ("Direction of the rim lamp, from behind.")),
  RIG_ANGLE (rim_elevation, N_ ("Rim Elevation"), 45, -90, 90, N_ ("Angles"), N_ ("Elevation of the rim lamp.")),
  KG_INPUT (LightRig, key_color, COLOR, .label = N_ ("Key Colour"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Colours"),
            .help = N_ ("Colour of the key.")),
  KG_INPUT (LightRig, fill_color, COLOR, .label = N_ ("Fill Colour"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Colours"),
            .help = N_ ("Colour of the fill.")),
  KG_INPUT (LightRig, rim_color, COLOR, .label = N_ ("Rim Colour"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Colours"),
            .help = N_ ("Colour of the rim lamp.")),
  KG_INPUT (
      LightRig, lamps, TEXT, .multiline = true, .label = N_ ("More Lamps"), .group = N_ ("More Lamps"),
      .help = N_ (
          "Lamps in addition to key, fill and rim, one per line: a name, azimuth and elevation in degrees, a "
          "strength, and optionally red, green and blue, and a distance in metres. window -80 10 0.4 0.6 0.8 1 is a "
          "bluish light from the left. # starts a comment.")),
  KG_INPUT (
      LightRig, overrides, TEXT, .multiline = true, .label = N_ ("Overrides"), .group = N_ ("Shot"),
      .help = N_ (
          "What a shot changes, one change per line: a lamp, a parameter (strength, azimuth, elevation, distance, red, green, blue), the word set, multiply or add, and a value. For example, \"fill strength multiply 0.5\" halves the fill. The fill does not follow a key that is overridden.")),
  KG_OUTPUT (LightRig, scene, SCENE, .label = N_ ("Scene"),
             .help = N_ ("A scene with the lamps: key, fill and rim, then the others.")),
  KG_OUTPUT (
      LightRig, contrast, NUMBER, .label = N_ ("Contrast"),
      .help = N_ (
          "Light on a surface that key and fill meet at a right angle, divided by that of the fill alone. 0 without "
          "fill.")),
  KG_OUTPUT (LightRig, stops, NUMBER, .label = N_ ("Stops"),
             .help = N_ ("The contrast in stops, each twice the light.")),
  KG_OUTPUT (LightRig, key_strength, NUMBER, .label = N_ ("Key Strength"),
             .help = N_ ("Strength of the key after the overrides.")),
  KG_OUTPUT (LightRig, fill_strength, NUMBER, .label = N_ ("Fill Strength"),
             .help = N_ ("Strength of the fill after the overrides.")),
  KG_OUTPUT (LightRig, rim_strength, NUMBER, .label = N_ ("Rim Strength"),
             .help = N_ ("Strength of the rim lamp after the overrides.")),
};

KG_NODE (
    render, light_rig, LightRig, .label = N_ ("Light Rig"), .version = 1, .since = "0.1",
    .tags = N_ (
        "three-point lighting key fill rim lamp practical kicker window sequence shot override ratio contrast studio"),
    .formula = "fill = key/ratio;   lit side : shadow side = (key + fill) : fill = (ratio + 1) : 1",
    .source = "Parent, Computer Animation: lights are set for a sequence and refined for each shot",
    .help = N_ (
        "Lights a subject with three lamps: a key, a fill on the other side, and a rim from behind. They are set once "
        "for a sequence; each shot changes them with a list of overrides."));
