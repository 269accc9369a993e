/* sketch: geometric relations between points of a drawing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/sketch.h"

#include "kg-error.h"
#include "kg-math.h"
#include "value/least_squares.h"

#include <string.h>

#define PRECISION 1e-9
/* Relations that fight depend on each other: steps that are hardly damped then lose as many digits as this leaves. */
#define FIGHTING_DAMPING 1e-7
/* How much a point that follows resists, beside the dragged one: at first, and at least. */
#define EASE 1e-4
#define LEAST_EASE 1e-6
#define MAX_DRAGS 200

static const struct {
  const char *name;
  guint n_points, n_values, n_rows;
} kinds[] = {
  [SKETCH_FIX] = { "fix", 1, 2, 2 },
  [SKETCH_COINCIDE] = { "coincide", 2, 0, 2 },
  [SKETCH_HORIZONTAL] = { "horizontal", 2, 0, 1 },
  [SKETCH_VERTICAL] = { "vertical", 2, 0, 1 },
  [SKETCH_DISTANCE] = { "distance", 2, 1, 1 },
  [SKETCH_PARALLEL] = { "parallel", 4, 0, 1 },
  [SKETCH_PERPENDICULAR] = { "perpendicular", 4, 0, 1 },
  [SKETCH_EQUAL] = { "equal", 4, 0, 1 },
  [SKETCH_ANGLE] = { "angle", 4, 1, 1 },
  [SKETCH_ON] = { "on", 3, 0, 1 },
  [SKETCH_MIDDLE] = { "middle", 3, 0, 2 },
  [SKETCH_SYMMETRIC] = { "symmetric", 4, 0, 2 },
  [SKETCH_TANGENT] = { "tangent", 3, 1, 1 },
};
G_STATIC_ASSERT (G_N_ELEMENTS (kinds) == SKETCH_N_KINDS);

/* Reading. */

static bool
read_number (const char *word, const double numbers[4], double *x, GError **error)
{
  char *end;

  if (word[0] >= 'a' && word[0] <= 'd' && word[1] == '\0') {
    *x = numbers[word[0] - 'a'];
    return true;
  }
  *x = g_ascii_strtod (word, &end);
  if (*end != '\0' || !isfinite (*x)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" is not a number: write one, or a letter from a to d", word);
    return false;
  }
  return true;
}

static bool
read_relation (char *const *words, guint n_words, guint n_points, const double numbers[4], SketchRelation *relation,
               GError **error)
{
  guint kind = 0, expected;

  while (kind < SKETCH_N_KINDS && strcmp (words[0], kinds[kind].name) != 0)
    kind++;
  if (kind == SKETCH_N_KINDS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "\"%s\" is not a relation: use fix, coincide, horizontal, vertical, distance, parallel, "
                  "perpendicular, equal, angle, on, middle, symmetric or tangent",
                  words[0]);
    return false;
  }
  relation->kind = (SketchKind) kind;
  relation->drawn = kind == SKETCH_FIX && n_words == 2;
  expected = kinds[kind].n_points + (relation->drawn ? 0 : kinds[kind].n_values);
  if (n_words - 1 != expected) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s needs %u points and numbers, and has %u: add or remove some",
                  words[0], expected, n_words - 1);
    return false;
  }
  for (guint i = 0; i < expected; i++) {
    double x;

    if (!read_number (words[i + 1], numbers, &x, error))
      return false;
    if (i >= kinds[kind].n_points) {
      relation->values[i - kinds[kind].n_points] = kind == SKETCH_ANGLE ? x * KG_DEGREE : x;
      continue;
    }
    if (x != floor (x) || x < 0 || x >= n_points) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "there is no point %g: the drawing has %u points, counted from 0", x,
                    n_points);
      return false;
    }
    relation->points[i] = (guint) x;
  }
  if (kinds[kind].n_points > 1 && relation->points[0] == relation->points[1]) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %u is related to itself: name two points", relation->points[0]);
    return false;
  }
  if ((kind == SKETCH_DISTANCE || kind == SKETCH_TANGENT) && relation->values[0] < 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "a distance of %g is below 0: use 0 or more", relation->values[0]);
    return false;
  }
  return true;
}

GArray *
sketch_read (const char *text, guint n_points, const double numbers[4], GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (SketchRelation));
  g_auto (GStrv) rows = g_strsplit_set (text, "\n;", -1);

  for (guint i = 0; rows[i] != NULL; i++) {
    SketchRelation relation = { .line = i + 1 };
    g_autoptr (GPtrArray) words = g_ptr_array_new ();
    char *rest = NULL;

    rows[i][strcspn (rows[i], "#")] = '\0';
    for (char *word = strtok_r (rows[i], " \t\r,", &rest); word != NULL; word = strtok_r (NULL, " \t\r,", &rest))
      g_ptr_array_add (words, word);
    if (words->len == 0)
      continue;
    if (all->len >= SKETCH_MAX_RELATIONS) {
      kg_set_error (error, KG_ERROR_LIMIT, "there are more than %d relations: divide the drawing",
                    SKETCH_MAX_RELATIONS);
      return NULL;
    }
    if (!read_relation ((char *const *) words->pdata, words->len, n_points, numbers, &relation, error)) {
      kg_prefix_error (error, "line %u: ", i + 1);
      return NULL;
    }
    g_array_append_val (all, relation);
  }
  return g_steal_pointer (&all);
}

/* Errors. */

/* A number with its derivatives by x and y of up to four points. */
typedef struct {
  double value, slopes[8];
} Number;

static Number
combine (Number a, double by_a, Number b, double by_b, double value)
{
  Number sum = { .value = value };

  for (int i = 0; i < 8; i++)
    sum.slopes[i] = by_a * a.slopes[i] + by_b * b.slopes[i];
  return sum;
}

static Number
subtract (Number a, Number b)
{
  return combine (a, 1, b, -1, a.value - b.value);
}

static Number
multiply (Number a, Number b)
{
  return combine (a, b.value, b, a.value, a.value * b.value);
}

static Number
divide (Number a, Number b)
{
  return combine (a, 1 / b.value, b, -a.value / (b.value * b.value), a.value / b.value);
}

/* The length, with a direction also where it is 0. */
static Number
length (Number x, Number y)
{
  const double r = hypot (x.value, y.value);

  return r > 1e-300 ? combine (x, x.value / r, y, y.value / r, r) : combine (x, 1, y, 0, 0);
}

static Number
shift (Number a, double by)
{
  a.value -= by;
  return a;
}

static Number
cross (const Number a[2], const Number b[2])
{
  return subtract (multiply (a[0], b[1]), multiply (a[1], b[0]));
}

static Number
dot (const Number a[2], const Number b[2])
{
  const Number x = multiply (a[0], b[0]), y = multiply (a[1], b[1]);

  return combine (x, 1, y, 1, x.value + y.value);
}

/* The errors of a relation: as many as its kind has rows. */
static void
get_errors (const SketchRelation *relation, const double *points, Number errors[2])
{
  Number x[4][2], u[2], v[2];

  for (guint i = 0; i < 4; i++)
    for (guint c = 0; c < 2; c++) {
      x[i][c] = (Number){ .value = points[2 * relation->points[i] + c] };
      x[i][c].slopes[2 * i + c] = i < kinds[relation->kind].n_points;
    }
  for (guint c = 0; c < 2; c++) {
    u[c] = subtract (x[1][c], x[0][c]);
    v[c] = subtract (x[3][c], x[2][c]);
  }
  switch (relation->kind) {
  case SKETCH_FIX:
    errors[0] = shift (x[0][0], relation->values[0]);
    errors[1] = shift (x[0][1], relation->values[1]);
    break;
  case SKETCH_COINCIDE:
    errors[0] = u[0];
    errors[1] = u[1];
    break;
  case SKETCH_HORIZONTAL:
    errors[0] = u[1];
    break;
  case SKETCH_VERTICAL:
    errors[0] = u[0];
    break;
  case SKETCH_DISTANCE:
    errors[0] = shift (length (u[0], u[1]), relation->values[0]);
    break;
  case SKETCH_EQUAL:
    errors[0] = subtract (length (u[0], u[1]), length (v[0], v[1]));
    break;
  case SKETCH_PARALLEL:
  case SKETCH_PERPENDICULAR:
    /* A sine or cosine, times the mean length: metres, as all others. */
    errors[0] = divide (relation->kind == SKETCH_PARALLEL ? cross (u, v) : dot (u, v), length (u[0], u[1]));
    break;
  case SKETCH_ANGLE: {
    const Number s = cross (u, v), c = dot (u, v);
    const double turn = atan2 (s.value, c.value) - relation->values[0];
    const double r2 = s.value * s.value + c.value * c.value;

    errors[0] = combine (s, c.value / r2, c, -s.value / r2, remainder (turn, 2 * KG_PI));
    break;
  }
  case SKETCH_ON:
  case SKETCH_TANGENT: {
    /* The distance of a point from a line. */
    const guint p = relation->kind == SKETCH_ON ? 0 : 2, q = relation->kind == SKETCH_ON ? 1 : 0, r = q + 1;
    const Number line[2] = { subtract (x[r][0], x[q][0]), subtract (x[r][1], x[q][1]) };
    const Number way[2] = { subtract (x[p][0], x[q][0]), subtract (x[p][1], x[q][1]) };

    errors[0] = divide (cross (line, way), length (line[0], line[1]));
    if (relation->kind == SKETCH_TANGENT)
      errors[0] = shift (errors[0], copysign (relation->values[0], errors[0].value));
    break;
  }
  case SKETCH_MIDDLE:
    for (guint c = 0; c < 2; c++)
      errors[c] = subtract (x[0][c], combine (x[1][c], 0.5, x[2][c], 0.5, 0.5 * (x[1][c].value + x[2][c].value)));
    break;
  case SKETCH_SYMMETRIC: {
    Number way[2];

    for (guint c = 0; c < 2; c++)
      way[c] = subtract (combine (x[0][c], 0.5, x[1][c], 0.5, 0.5 * (x[0][c].value + x[1][c].value)), x[2][c]);
    errors[0] = divide (dot (u, v), length (v[0], v[1]));
    errors[1] = divide (cross (way, v), length (v[0], v[1]));
    break;
  }
  case SKETCH_N_KINDS:
    break;
  }
}

typedef struct {
  const GArray *relations;
  guint n_points, n_rows;
  double precision, tolerance; /* of errors, of steps */
  double damping;              /* of steps */
} Sketch;

static void
evaluate (gconstpointer data, const double *x, double *residuals, double *jacobian)
{
  const Sketch *sketch = (const Sketch *) data;
  guint row = 0;

  for (guint i = 0; i < sketch->relations->len; i++) {
    const SketchRelation *relation = &g_array_index (sketch->relations, SketchRelation, i);
    Number errors[2];

    get_errors (relation, x, errors);
    for (guint k = 0; k < kinds[relation->kind].n_rows; k++, row++) {
      residuals[row] = isfinite (errors[k].value) ? errors[k].value : 1e150;
      for (guint p = 0; jacobian != NULL && p < kinds[relation->kind].n_points; p++)
        for (guint c = 0; c < 2; c++) {
          const double slope = errors[k].slopes[2 * p + c];

          jacobian[(size_t) row * 2 * sketch->n_points + 2 * relation->points[p] + c] += isfinite (slope) ? slope : 0;
        }
    }
  }
}

/* Moves the points the shortest way to where the relations are met.  False when it is cancelled. */
static bool
meet (const Sketch *sketch, double *x, SketchReport *report, const KgProgressMonitor *monitor)
{
  const guint n = 2 * sketch->n_points;
  const LeastSquares problem = {
    n, n, sketch->n_rows, evaluate, NULL, sketch, 300, sketch->tolerance, sketch->damping
  };
  g_autofree double *residuals = g_new0 (double, sketch->n_rows + 1);
  LeastSquaresReport solved;

  if (!least_squares_solve (&problem, x, residuals, &solved, monitor))
    return false;
  report->residual = 0;
  for (guint i = 0; i < sketch->n_rows; i++)
    report->residual = fmax (report->residual, fabs (residuals[i]));
  report->iterations += solved.iterations;
  report->solved = report->residual <= sketch->precision;
  return true;
}

typedef struct {
  guint point;
  const double *goal;
  double *jacobian, *residuals, *matrix, *factors, *step, *to;
} Drag;

static void
drag_clear (Drag *drag)
{
  g_free (drag->jacobian);
  g_free (drag->residuals);
  g_free (drag->matrix);
  g_free (drag->factors);
  g_free (drag->step);
  g_free (drag->to);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Drag, drag_clear)

static double
drag_get_distance (const Drag *drag, const double *x)
{
  return hypot (x[2 * drag->point] - drag->goal[0], x[2 * drag->point + 1] - drag->goal[1]);
}

/* The step to the goal that the relations allow to first order: s = -B⁻¹ (g + Jᵀ λ) with J s = 0, B = 1 + ease for the
 * dragged point and ease for the others, g its way from the goal.  False where it has none. */
static bool
drag_get_step (Drag *drag, const Sketch *sketch, const double *x, double ease)
{
  const guint n = 2 * sketch->n_points, m = sketch->n_rows, first = 2 * drag->point;
  double largest = 0;

  memset (drag->jacobian, 0, (size_t) m * n * sizeof *drag->jacobian);
  memset (drag->step, 0, n * sizeof *drag->step);
  evaluate (sketch, x, drag->residuals, drag->jacobian);
  for (guint c = 0; c < 2; c++)
    drag->step[first + c] = -(x[first + c] - drag->goal[c]) / (1 + ease);
  for (guint a = 0; a < m; a++) {
    const double *row = drag->jacobian + (size_t) a * n;

    drag->factors[a] = row[first] * drag->step[first] + row[first + 1] * drag->step[first + 1];
    for (guint b = 0; b <= a; b++) {
      const double *other = drag->jacobian + (size_t) b * n;
      double sum = 0;

      for (guint k = 0; k < n; k++)
        sum += row[k] * other[k] / (k / 2 == drag->point ? 1 + ease : ease);
      drag->matrix[(size_t) a * m + b] = sum;
    }
    largest = fmax (largest, drag->matrix[(size_t) a * m + a]);
  }
  /* Relations that repeat others depend on them. */
  for (guint a = 0; a < m; a++)
    drag->matrix[(size_t) a * m + a] += 1e-13 * largest + 1e-300;
  if (!least_squares_cholesky (drag->matrix, m, drag->factors))
    return false;
  for (guint a = 0; a < m; a++)
    for (guint k = 0; k < n; k++)
      drag->step[k] -= drag->jacobian[(size_t) a * n + k] * drag->factors[a] / (k / 2 == drag->point ? 1 + ease : ease);
  return true;
}

/* Takes steps that bring the point nearer to its goal and meet the relations, until none does. */
static bool
drag_descend (Drag *drag, const Sketch *sketch, double *x, SketchReport *report, const KgProgressMonitor *monitor)
{
  const guint n = 2 * sketch->n_points;
  double ease = EASE, grow = 4, distance = drag_get_distance (drag, x);

  for (int i = 0; i < MAX_DRAGS && distance > sketch->tolerance && ease < 1e12; i++) {
    SketchReport next = { .iterations = 0 };
    double length = 0;

    if (drag_get_step (drag, sketch, x, ease)) {
      for (guint k = 0; k < n; k++) {
        drag->to[k] = x[k] + drag->step[k];
        length = fmax (length, fabs (drag->step[k]));
      }
      if (length <= sketch->tolerance)
        break;
      if (!meet (sketch, drag->to, &next, monitor))
        return false;
      report->iterations += next.iterations;
      if (next.solved && drag_get_distance (drag, drag->to) < distance) {
        memcpy (x, drag->to, n * sizeof *x);
        distance = drag_get_distance (drag, x);
        ease = fmax (0.3 * ease, LEAST_EASE);
        grow = 4;
        continue;
      }
    }
    ease *= grow;
    grow *= 2;
  }
  return true;
}

/* Where the relations hold, brings a point as near to its goal as they allow.  False when it is cancelled. */
static bool
drag_to (const Sketch *sketch, double *points, guint point, const double goal[2], double size, SketchReport *report,
         const KgProgressMonitor *monitor)
{
  const guint n = 2 * sketch->n_points;
  const size_t m = sketch->n_rows;
  g_auto (Drag) drag = { point,
                         goal,
                         g_new0 (double, m *n + 1),
                         g_new0 (double, m + 1),
                         g_new0 (double, m *m + 1),
                         g_new0 (double, m + 1),
                         g_new0 (double, n + 1),
                         g_new0 (double, n + 1) };
  g_autofree double *other = g_new0 (double, n + 1);
  SketchReport nudged = { .iterations = 0 };

  if (!drag_descend (&drag, sketch, points, report, monitor))
    return false;
  if (drag_get_distance (&drag, points) <= 10 * sketch->tolerance)
    return true;
  /* A stretched linkage has no slope towards nearer places: whether it can bend shows beside it. */
  for (guint k = 0; k < n; k++)
    other[k] = points[k] + 1e-3 * size * sin (1.7 * k + 0.4);
  if (!meet (sketch, other, &nudged, monitor) ||
      (nudged.solved && !drag_descend (&drag, sketch, other, report, monitor)))
    return false;
  if (nudged.solved && drag_get_distance (&drag, other) < drag_get_distance (&drag, points) - 1e-6 * size)
    memcpy (points, other, n * sizeof *points);
  return true;
}

/* Rows in order; those that depend on earlier ones are reported with the lines that they depend on. */
static void
find_dependent (const Sketch *sketch, const double *x, SketchReport *report)
{
  const guint n = 2 * sketch->n_points;
  g_autofree double *jacobian = g_new0 (double, (size_t) sketch->n_rows *n + 1);
  g_autofree double *residuals = g_new0 (double, sketch->n_rows + 1);
  g_autofree guint *kept = g_new0 (guint, sketch->n_rows + 1), *line = g_new0 (guint, sketch->n_rows + 1);
  g_autofree double *units = g_new0 (double, (size_t) MIN (sketch->n_rows, n) * n + 1);
  guint rank = 0, row = 0, last = 0;

  evaluate (sketch, x, residuals, jacobian);
  for (guint i = 0; i < sketch->relations->len; i++) {
    const SketchRelation *relation = &g_array_index (sketch->relations, SketchRelation, i);

    for (guint k = 0; k < kinds[relation->kind].n_rows; k++, row++) {
      const double *from = jacobian + (size_t) row * n;
      double size = 0, rest = 0;

      line[row] = relation->line;
      if (rank < n) {
        double *unit = units + (size_t) rank * n;

        memcpy (unit, from, n * sizeof *unit);
        /* Twice is enough (Kahan). */
        for (int pass = 0; pass < 2; pass++)
          for (guint r = 0; r < rank; r++) {
            double along = 0;

            for (guint c = 0; c < n; c++)
              along += unit[c] * units[(size_t) r * n + c];
            for (guint c = 0; c < n; c++)
              unit[c] -= along * units[(size_t) r * n + c];
          }
        for (guint c = 0; c < n; c++) {
          size += from[c] * from[c];
          rest += unit[c] * unit[c];
        }
        if (rest > 1e-14 * size) {
          for (guint c = 0; c < n; c++)
            unit[c] /= sqrt (rest);
          kept[rank++] = row;
          continue;
        }
      }
      /* from = sum of factors times the rows that are kept: those that take part are its opponents. */
      {
        g_autofree double *matrix = g_new0 (double, (size_t) rank *rank + 1), *factors = g_new0 (double, rank + 1);
        g_autoptr (GString) others = g_string_new (NULL);
        guint n_others = 0;
        GString *to = report->solved ? report->repeated : report->conflicts;

        if (relation->line == last)
          continue;
        last = relation->line;
        for (guint r = 0; r < rank; r++)
          for (guint c = 0; c < n; c++) {
            factors[r] += jacobian[(size_t) kept[r] * n + c] * from[c];
            for (guint q = 0; q <= r; q++)
              matrix[(size_t) r * rank + q] += jacobian[(size_t) kept[r] * n + c] * jacobian[(size_t) kept[q] * n + c];
          }
        if (least_squares_cholesky (matrix, rank, factors))
          for (guint r = 0, before = 0; r < rank; r++)
            if (fabs (factors[r]) > 1e-7 && line[kept[r]] != before) {
              before = line[kept[r]];
              n_others++;
              g_string_append_printf (others, "%s%u", others->len > 0 ? ", " : "", before);
            }
        if (others->len == 0)
          g_string_append_printf (to,
                                  report->solved ? kg_translate (N_ ("line %u holds for any positions\n"))
                                                 : kg_translate (N_ ("line %u cannot hold for any positions\n")),
                                  relation->line);
        else
          g_string_append_printf (to,
                                  report->solved ? g_dngettext (GETTEXT_PACKAGE, "line %u follows from line %s\n",
                                                                "line %u follows from lines %s\n", n_others)
                                                 : g_dngettext (GETTEXT_PACKAGE, "line %u contradicts line %s\n",
                                                                "line %u contradicts lines %s\n", n_others),
                                  relation->line, others->str);
      }
    }
  }
  report->freedoms = (int) n - (int) rank;
}

void
sketch_report_clear (SketchReport *report)
{
  if (report->conflicts != NULL)
    g_string_free (report->conflicts, TRUE);
  if (report->repeated != NULL)
    g_string_free (report->repeated, TRUE);
}

bool
sketch_solve (const GArray *relations, double *points, guint n_points, int dragged, const double goal[2],
              SketchReport *report, const KgProgressMonitor *monitor)
{
  g_autoptr (GArray) all = g_array_sized_new (FALSE, FALSE, sizeof (SketchRelation), relations->len);
  Sketch sketch = { .relations = all, .n_points = n_points };
  double size = 0;

  *report = (SketchReport){ .conflicts = g_string_new (NULL), .repeated = g_string_new (NULL) };
  g_array_append_vals (all, relations->data, relations->len);
  for (guint i = 0; i < all->len; i++) {
    SketchRelation *relation = &g_array_index (all, SketchRelation, i);

    sketch.n_rows += kinds[relation->kind].n_rows;
    if (relation->drawn)
      memcpy (relation->values, points + 2 * relation->points[0], sizeof relation->values);
  }
  for (guint i = 0; i < 2 * n_points; i++)
    size = fmax (size, fabs (points[i]));
  sketch.precision = PRECISION * (1 + size) * 10;
  sketch.tolerance = 1e-13 * (1 + size);
  if (!meet (&sketch, points, report, monitor))
    return false;
  sketch.damping = FIGHTING_DAMPING;
  if (!report->solved && !meet (&sketch, points, report, monitor))
    return false;
  sketch.damping = 0;
  if (dragged >= 0 && report->solved &&
      (!drag_to (&sketch, points, (guint) dragged, goal, size, report, monitor) ||
       !meet (&sketch, points, report, monitor)))
    return false;
  find_dependent (&sketch, points, report);
  return true;
}
