/* joint_list: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/joint_list.h"

#include <string.h>

/* Most numbers behind one word. */
#define MOST_NUMBERS 6

/* Which freedoms a kind of joint has.  Those about or along its axis; z unless a line says otherwise. */
typedef struct {
  const char *name;
  bool slide_along, slide_across, turn_along, turn_across;
} Kind;

static const Kind kinds[] = {
  { "fixed", false, false, false, false }, { "hinge", false, false, true, false },
  { "slider", true, false, false, false }, { "cylinder", true, false, true, false },
  { "planar", false, true, true, false },  { "universal", false, false, false, true },
  { "ball", false, false, true, true },    { "free", true, true, true, true },
};

typedef struct {
  guint line;
  char **words; /* without empty ones */
  guint next;
  KgJoint joint;
  const Kind *kind;
  guint axis;
  guint n_limits;
} Reader;

static bool
is_number (const char *word, double *number)
{
  char *end;

  *number = g_ascii_strtod (word, &end);
  return end != word && *end == '\0' && isfinite (*number);
}

/* At least min and at most max numbers, as many as there are. */
static bool
read_numbers (Reader *reader, const char *what, guint min, guint max, double *numbers, guint *n, GError **error)
{
  guint count = 0;

  while (count < max && reader->words[reader->next] != NULL &&
         is_number (reader->words[reader->next], &numbers[count])) {
    count++;
    reader->next++;
  }
  if (count < min) {
    const char *word = reader->words[reader->next];

    if (word != NULL)
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: %s: \"%s\" is not a number", reader->line, what, word);
    else
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "line %u: %s: the line ends too early (numbers needed: %u, given: %u)", reader->line, what, min,
                    count);
    return false;
  }
  if (n != NULL)
    *n = count;
  return true;
}

static bool
read_axis (Reader *reader, GError **error)
{
  const char *word = reader->words[reader->next];

  if (word == NULL || strlen (word) != 1 || word[0] < 'x' || word[0] > 'z') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: about \"%s\": use x, y or z", reader->line,
                  word != NULL ? word : "");
    return false;
  }
  reader->axis = (guint) (word[0] - 'x');
  reader->next++;
  return true;
}

static bool
read_kind (Reader *reader, GError **error)
{
  const char *word = reader->words[reader->next];

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (word, kinds[i].name) == 0) {
      reader->kind = &kinds[i];
      reader->next++;
      return true;
    }
  kg_set_error (
      error, KG_ERROR_INVALID_VALUE,
      "line %u: a joint cannot be \"%s\": use fixed, hinge, slider, cylinder, planar, universal, ball or free",
      reader->line, word);
  return false;
}

static void
set_freedoms (Reader *reader)
{
  for (guint c = 0; c < 3; c++) {
    const bool along = c == reader->axis;

    reader->joint.slide[c] = along ? reader->kind->slide_along : reader->kind->slide_across;
    reader->joint.free[c] = along ? reader->kind->turn_along : reader->kind->turn_across;
  }
}

/* Limits of the freedoms in their order: slides before rotations, each x, y, z. */
static bool
set_limits (Reader *reader, const double (*limits)[2], GError **error)
{
  guint given = 0;

  for (guint pass = 0; pass < 2; pass++)
    for (guint c = 0; c < 3; c++) {
      const bool slides = pass == 0;
      double low, high;

      if (!(slides ? reader->joint.slide[c] : reader->joint.free[c]) || given == reader->n_limits)
        continue;
      low = limits[given][0];
      high = limits[given][1];
      given++;
      if (low > high) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: the lower limit %g is above the upper %g: swap them",
                      reader->line, low, high);
        return false;
      }
      if (!slides && (low < -180 || high > 180)) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: limits %g° to %g°: use -180 to 180", reader->line, low,
                      high);
        return false;
      }
      *kg_vector_component (slides ? &reader->joint.slide_low : &reader->joint.low, c) = slides ? low : low * KG_DEGREE;
      *kg_vector_component (slides ? &reader->joint.slide_high : &reader->joint.high, c) = slides ? high
                                                                                                  : high * KG_DEGREE;
    }
  if (given == reader->n_limits)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: %u limits are given, but the joint has %u freedoms",
                reader->line, reader->n_limits, given);
  return false;
}

static bool
read_options (Reader *reader, GError **error)
{
  double numbers[MOST_NUMBERS] = { 0 }, limits[6][2];

  while (reader->words[reader->next] != NULL) {
    const char *word = reader->words[reader->next++];
    guint n = 0;

    memset (numbers, 0, sizeof numbers);
    if (strcmp (word, "about") == 0) {
      if (!read_axis (reader, error))
        return false;
    } else if (strcmp (word, "limits") == 0) {
      if (reader->n_limits == 6) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: more than six limits are given: remove some",
                      reader->line);
        return false;
      }
      if (!read_numbers (reader, word, 2, 2, limits[reader->n_limits], NULL, error))
        return false;
      reader->n_limits++;
    } else if (strcmp (word, "rest") == 0) {
      if (!read_numbers (reader, word, 3, 3, numbers, NULL, error))
        return false;
      reader->joint.rest =
          kg_rotation_from_angles (kg_vector_scale (kg_vector (numbers[0], numbers[1], numbers[2]), KG_DEGREE));
    } else if (strcmp (word, "mass") == 0) {
      if (!read_numbers (reader, word, 1, 1, numbers, NULL, error))
        return false;
      reader->joint.mass = numbers[0];
      if (numbers[0] < 0) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: the mass is %g kg: use 0 or more", reader->line,
                      numbers[0]);
        return false;
      }
    } else if (strcmp (word, "center") == 0) {
      if (!read_numbers (reader, word, 3, 3, numbers, NULL, error))
        return false;
      reader->joint.center = kg_vector (numbers[0], numbers[1], numbers[2]);
    } else if (strcmp (word, "tensor") == 0) {
      if (!read_numbers (reader, word, 3, 6, numbers, &n, error))
        return false;
      memcpy (reader->joint.inertia, numbers, sizeof numbers);
      if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: the tensor has the moments %g, %g, %g: use 0 or more",
                      reader->line, numbers[0], numbers[1], numbers[2]);
        return false;
      }
    } else {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "line %u: \"%s\" is unknown: use about, limits, rest, mass, center or tensor", reader->line, word);
      return false;
    }
  }
  set_freedoms (reader);
  return set_limits (reader, (const double (*)[2]) limits, error);
}

static bool
read_line (Reader *reader, KgSkeleton *skeleton, GError **error)
{
  const guint n = g_strv_length (reader->words);
  double numbers[3];
  int parent = -1;

  if (n < 6) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "line %u: a joint is written as name parent kind x y z, but there are %u words", reader->line, n);
    return false;
  }
  if (strcmp (reader->words[1], "-") != 0) {
    parent = kg_skeleton_find_joint (skeleton, reader->words[1]);
    if (parent < 0) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                    "line %u: no joint \"%s\" comes before \"%s\": write parents first, or - for a root", reader->line,
                    reader->words[1], reader->words[0]);
      return false;
    }
  }
  kg_joint_init (&reader->joint, reader->words[0], parent);
  reader->next = 2;
  reader->axis = 2;
  if (!read_kind (reader, error) || !read_numbers (reader, "position", 3, 3, numbers, NULL, error))
    return false;
  reader->joint.offset = kg_vector (numbers[0], numbers[1], numbers[2]);
  if (!read_options (reader, error))
    return false;
  if (kg_skeleton_add_joint (skeleton, &reader->joint, error) >= 0)
    return true;
  kg_prefix_error (error, "line %u: ", reader->line);
  return false;
}

KgSkeleton *
joint_list_read (const char *text, GError **error)
{
  g_autoptr (KgSkeleton) skeleton = kg_skeleton_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
    g_auto (GStrv) split = NULL, kept = NULL;
    Reader reader = { .line = i + 1 };

    lines[i][strcspn (lines[i], "#")] = '\0';
    split = g_strsplit_set (lines[i], " \t\r,", -1);
    for (guint k = 0; split[k] != NULL; k++)
      if (split[k][0] != '\0')
        g_strv_builder_add (words, split[k]);
    kept = g_strv_builder_end (words);
    reader.words = kept;
    if (kept[0] != NULL && !read_line (&reader, skeleton, error))
      return NULL;
  }
  if (kg_skeleton_get_n_joints (skeleton) == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there are no joints: write a line such as \"hip - hinge 0 1 0\"");
    return NULL;
  }
  return g_steal_pointer (&skeleton);
}
