/* particle_looks: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_looks.h"

#include "kg-expression.h"
#include "kg-random.h"
#include "sim/particle_birth.h"

/* Most lines. */
#define MOST_LINES 64
/* Numbers that each particle keeps. */
#define DRAWS 4
/* Numbers that all variables have together. */
#define INPUTS 22

enum {
  OWN_P,
  OWN_V,
  OWN_CD,
  OWN_AGE,
  OWN_LIFE,
  OWN_ID,
  OWN_MASS,
  OWN_WIDTH,
  OWN_SPEED,
  OWN_U,
  OWN_TIME = OWN_U + DRAWS,
  OWN_FRAME,
  N_OWN
};

typedef struct {
  char *name;
  int component; /* -1: all of it */
  guint width;   /* numbers of the formula */
  KgProgram *program;
} Line;

struct _ParticleLooks {
  GArray *lines; /* Line */
};

static const KgFormulaVariable variables[N_OWN] = {
  [OWN_P] = { "P", 3, true, 0 },       [OWN_V] = { "v", 3, true, 0 },         [OWN_CD] = { "Cd", 4, true, 0 },
  [OWN_AGE] = { "age", 1, true, 0 },   [OWN_LIFE] = { "life", 1, true, 0 },   [OWN_ID] = { "id", 1, true, 0 },
  [OWN_MASS] = { "mass", 1, true, 0 }, [OWN_WIDTH] = { "width", 1, true, 0 }, [OWN_SPEED] = { "speed", 1, true, 0 },
  [OWN_U] = { "u1", 1, true, 0 },      [OWN_U + 1] = { "u2", 1, true, 0 },    [OWN_U + 2] = { "u3", 1, true, 0 },
  [OWN_U + 3] = { "u4", 1, true, 0 },  [OWN_TIME] = { "time", 1, false, 0 },  [OWN_FRAME] = { "frame", 1, false, 0 },
};

static void
clear_line (gpointer data)
{
  Line *line = (Line *) data;

  g_free (line->name);
  g_clear_pointer (&line->program, kg_program_unref);
}

void
particle_looks_free (ParticleLooks *looks)
{
  g_array_unref (looks->lines);
  g_free (looks);
}

/* Splits "name.component" and checks it. */
static bool
parse_target (const char *text, Line *line, guint number, GError **error)
{
  static const char *const known[] = { "P", "v", "age", "life", "id", "mass" };
  static const char components[] = "rgbaxyzw";
  g_auto (GStrv) parts = g_strsplit (text, ".", 2);
  const char *component = parts[0] != NULL ? parts[1] : NULL;
  const bool color = parts[0] != NULL && g_str_equal (parts[0], "Cd");

  line->name = g_strdup (parts[0] != NULL ? parts[0] : "");
  line->component = -1;
  for (const char *c = line->name; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c) && *c != '_')
      line->name[0] = '\0';
  if (line->name[0] == '\0' || g_ascii_isdigit (line->name[0])) {
    kg_set_error (error, KG_ERROR_EXPRESSION,
                  "line %u sets \"%s\", which is not a name: write, for example, width = 0.1", number, text);
    return false;
  }
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (line->name, known[i])) {
      kg_set_error (error, KG_ERROR_EXPRESSION,
                    "line %u sets %s, which belongs to the motion: set Cd, width or another attribute", number,
                    known[i]);
      return false;
    }
  if (component == NULL)
    return true;
  if (!color || strlen (component) != 1 || strchr (components, component[0]) == NULL) {
    kg_set_error (error, KG_ERROR_EXPRESSION,
                  "line %u sets \"%s\", but there is no such component: Cd has r, g, b and a", number, text);
    return false;
  }
  line->component = (int) ((strchr (components, component[0]) - components) % 4);
  return true;
}

static bool
parse_line (ParticleLooks *looks, const char *text, guint number, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *target = NULL;
  g_autoptr (GError) problem = NULL;
  Line line = { .component = -1 };
  guint wanted;

  if (equals == NULL || looks->lines->len >= MOST_LINES) {
    kg_set_error (error, KG_ERROR_EXPRESSION,
                  equals == NULL ? "line %u sets nothing: write, for example, width = 0.1"
                                 : "line %u is one too many: write at most 64",
                  number);
    return false;
  }
  target = g_strstrip (g_strndup (text, (gsize) (equals - text)));
  if (!parse_target (target, &line, number, error)) {
    g_free (line.name);
    return false;
  }
  line.program = kg_formula_compile (equals + 1, variables, N_OWN, &problem);
  line.width = line.program != NULL ? kg_program_get_n_results (line.program) : 0;
  wanted = line.component >= 0 || g_str_equal (line.name, "width") ? 1 : g_str_equal (line.name, "N") ? 3 : 0;
  if (problem == NULL && ((wanted != 0 && line.width != wanted) || line.width > 4 || line.width == 2 ||
                          (g_str_equal (line.name, "Cd") && line.component < 0 && line.width < 3)))
    kg_set_error (&problem, KG_ERROR_EXPRESSION, "%s cannot be set to %u numbers", target, line.width);
  if (problem != NULL) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "line %u: %s", number, problem->message);
    clear_line (&line);
    return false;
  }
  g_array_append_val (looks->lines, line);
  return true;
}

ParticleLooks *
particle_looks_new (const char *text, GError **error)
{
  g_autoptr (ParticleLooks) looks = g_new0 (ParticleLooks, 1);
  g_auto (GStrv) rows = g_strsplit (text, "\n", -1);

  looks->lines = g_array_new (false, false, sizeof (Line));
  g_array_set_clear_func (looks->lines, clear_line);
  for (guint i = 0; rows[i] != NULL; i++) {
    const char *row = g_strstrip (rows[i]);

    if (row[0] != '\0' && row[0] != '#' && !parse_line (looks, row, i + 1, error))
      return NULL;
  }
  return g_steal_pointer (&looks);
}

/* Columns of doubles of the points first .. first + n - 1, one behind the other. */
static void
fill_columns (const ParticleMoment *moment, const KgGeometry *points, size_t first, size_t n, double *columns,
              const double **inputs)
{
  static const char *const names[] = { "P", "v", "Cd", "age", "life", NULL, "mass", "width" };
  const float *v = kg_geometry_get_float (points, KG_POINTS, "v", 3);
  const int32_t *id = kg_geometry_get_int (points, KG_POINTS, "id", 1);
  guint input = 0;

  for (guint k = 0; k < N_OWN; k++)
    for (guint c = 0; c < variables[k].width; c++, input++) {
      double *column = columns + input * KG_PROGRAM_BLOCK;
      const guint width = variables[k].width;
      const float *array = k < G_N_ELEMENTS (names) && names[k] != NULL
                               ? kg_geometry_get_float (points, KG_POINTS, names[k], (uint8_t) width)
                               : NULL;

      inputs[input] = column;
      if (k == OWN_TIME || k == OWN_FRAME) {
        *column = k == OWN_TIME ? moment->time : moment->frame;
        continue;
      }
      for (size_t i = 0; i < n; i++)
        if (array != NULL)
          column[i] = (double) array[width * (first + i) + c];
        else if (k == OWN_ID)
          column[i] = id[first + i];
        else if (k == OWN_SPEED)
          column[i] = sqrt ((double) v[3 * (first + i)] * (double) v[3 * (first + i)] +
                            (double) v[3 * (first + i) + 1] * (double) v[3 * (first + i) + 1] +
                            (double) v[3 * (first + i) + 2] * (double) v[3 * (first + i) + 2]);
        else
          column[i] = kg_random_uniform (moment->seed, (uint64_t) (uint32_t) id[first + i],
                                         PARTICLE_DRAW_LOOKS + (uint64_t) (k - OWN_U));
    }
}

/* One line for a block of points; returns how many values it leaves as they were. */
static size_t
apply_line (const Line *line, const double *const *inputs, size_t first, size_t n, float *attribute, guint size)
{
  double values[4][KG_PROGRAM_BLOCK];
  double *const results[] = { values[0], values[1], values[2], values[3] };
  const bool color = g_str_equal (line->name, "Cd"), bounded = color || g_str_equal (line->name, "width");
  size_t bad = 0;

  kg_program_run (line->program, inputs, n, results);
  for (guint r = 0; r < line->width; r++) {
    const guint c = line->component >= 0 ? (guint) line->component : r;

    for (size_t i = 0; i < n; i++) {
      const double x = bounded ? fmax (values[r][i], 0) : values[r][i];

      if (!isfinite (values[r][i]) || fabs (x) > (double) G_MAXFLOAT)
        bad++;
      else
        attribute[size * (first + i) + c] = (float) (color && c == 3 ? fmin (x, 1) : x);
    }
  }
  return bad;
}

size_t
particle_looks_apply (const ParticleLooks *looks, const ParticleMoment *moment, KgGeometry *points)
{
  const size_t n = kg_geometry_get_n_points (points);
  size_t bad = 0;

  for (guint k = 0; k < looks->lines->len; k++) {
    const Line *line = &g_array_index (looks->lines, Line, k);
    const guint size = g_str_equal (line->name, "Cd") ? 4 : line->width;
    float *attribute = kg_geometry_edit_float (points, KG_POINTS, line->name, (uint8_t) size);

#pragma omp parallel for schedule(dynamic, 16) reduction(+ : bad)
    for (size_t first = 0; first < n; first += KG_PROGRAM_BLOCK) {
      double columns[INPUTS * KG_PROGRAM_BLOCK];
      const double *inputs[INPUTS];
      const size_t count = MIN (n - first, KG_PROGRAM_BLOCK);

      fill_columns (moment, points, first, count, columns, inputs);
      bad += apply_line (line, inputs, first, count, attribute, size);
    }
  }
  return bad;
}
