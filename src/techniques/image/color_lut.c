/* color_lut: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_lut.h"

#include "kg-math.h"

struct _ColorLut {
  int n_line, n_cube;           /* entries of the line, and along a side of the cube; 0: none */
  double low[2][3], high[2][3]; /* domains of both */
  float *line, *cube;           /* red, green, blue; red is the fastest side of the cube */
};

/* Domains narrower than this have no inside. */
#define LEAST_DOMAIN 1e-9

void
color_lut_free (ColorLut *lut)
{
  g_free (lut->line);
  g_free (lut->cube);
  g_free (lut);
}

ColorLut *
color_lut_new_cube (const float *entries, guint size, GError **error)
{
  const size_t bytes = 3 * (size_t) size * size * size * sizeof *entries;
  ColorLut *lut;
  float *cube;

  g_return_val_if_fail (size >= 2 && size <= COLOR_LUT_MAX_CUBE, NULL);
  cube = (float *) g_try_malloc (bytes);
  if (cube == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for a table of %u entries a side", size);
    return NULL;
  }
  memcpy (cube, entries, bytes);
  lut = g_new0 (ColorLut, 1);
  for (int i = 0; i < 6; i++)
    lut->high[i / 3][i % 3] = 1;
  lut->n_cube = (int) size;
  lut->cube = cube;
  return lut;
}

/* Reads n finite numbers and nothing else. */
static bool
read_numbers (const char *text, guint n, double *numbers)
{
  for (guint i = 0; i < n; i++) {
    char *end;

    numbers[i] = g_ascii_strtod (text, &end);
    if (end == text || !(fabs (numbers[i]) <= 1e30))
      return false;
    text = end;
  }
  return text[strspn (text, " \t\r")] == '\0';
}

static bool
read_size (const char *line, const char *rest, size_t number, int most, int *size, GError **error)
{
  double n;

  if (*size == 0 && read_numbers (rest, 1, &n) && n >= 2 && n <= most && n == floor (n)) {
    *size = (int) n;
    return true;
  }
  kg_set_error (error, KG_ERROR_INVALID_FILE, "line %zu: \"%.60s\" is not a size from 2 to %d, given once", number,
                line, most);
  return false;
}

/* A line that begins with a keyword; false without an error: an unknown one. */
static bool
read_keyword (ColorLut *lut, const char *line, size_t number, GError **error)
{
  const size_t length = strcspn (line, " \t\r");
  g_autofree char *word = g_strndup (line, length);
  const char *rest = line + length;
  double v[3] = { 0 };
  bool good = true;

  if (g_str_equal (word, "LUT_1D_SIZE"))
    return read_size (line, rest, number, COLOR_LUT_MAX_LINE, &lut->n_line, error);
  if (g_str_equal (word, "LUT_3D_SIZE"))
    return read_size (line, rest, number, COLOR_LUT_MAX_CUBE, &lut->n_cube, error);
  if (g_str_equal (word, "DOMAIN_MIN") || g_str_equal (word, "DOMAIN_MAX")) {
    good = read_numbers (rest, 3, v);
    for (int i = 0; i < 6; i++)
      (word[8] == 'I' ? lut->low : lut->high)[i / 3][i % 3] = v[i % 3];
  } else if (g_str_equal (word, "LUT_1D_INPUT_RANGE") || g_str_equal (word, "LUT_3D_INPUT_RANGE")) {
    good = read_numbers (rest, 2, v);
    for (int c = 0; c < 3; c++) {
      lut->low[word[4] == '3'][c] = v[0];
      lut->high[word[4] == '3'][c] = v[1];
    }
  } else if (!g_str_equal (word, "TITLE")) {
    /* It may be any file: what is in it is not told. */
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "line %zu begins with a word that is unknown in .cube files: choose such a file, or remove the line",
                  number);
    return false;
  }
  if (!good)
    kg_set_error (error, KG_ERROR_INVALID_FILE, "line %zu: \"%.60s\" is not followed by the right number of numbers",
                  number, line);
  return good;
}

static bool
check_domain (const ColorLut *lut, GError **error)
{
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 3; c++)
      if (!(lut->high[k][c] - lut->low[k][c] > LEAST_DOMAIN)) {
        kg_set_error (error, KG_ERROR_INVALID_FILE, "the domain goes from %g to %g: give it two different ends",
                      lut->low[k][c], lut->high[k][c]);
        return false;
      }
  return true;
}

ColorLut *
color_lut_parse (const char *text, GError **error)
{
  g_autoptr (ColorLut) lut = g_new0 (ColorLut, 1);
  size_t n_line = 0, n_cube = 0, n = 0, number = 0;

  for (int i = 0; i < 6; i++)
    lut->high[i / 3][i % 3] = 1;
  while (*text != '\0') {
    const size_t length = strcspn (text, "\n");
    g_autofree char *line = g_strstrip (g_strndup (text, MIN (length, 1000)));
    double v[3];

    const char *start = text;

    text += length + (text[length] == '\n');
    number++;
    if (line[0] == '\0' || line[0] == '#')
      continue;
    if (g_ascii_isalpha (line[0]) && n == 0) {
      if (!read_keyword (lut, line, number, error))
        return NULL;
      continue;
    }
    if (n == 0) {
      if (lut->n_line == 0 && lut->n_cube == 0) {
        kg_set_error (error, KG_ERROR_INVALID_FILE, "line %zu: numbers before LUT_1D_SIZE or LUT_3D_SIZE", number);
        return NULL;
      }
      n_line = (size_t) lut->n_line;
      n_cube = (size_t) lut->n_cube * (size_t) lut->n_cube * (size_t) lut->n_cube;
      /* An entry has at least five characters and a line end: what cannot be there is not made room for. */
      if (strlen (start) + 1 < 6 * (n_line + n_cube)) {
        kg_set_error (error, KG_ERROR_INVALID_FILE, "the file ends before its %zu entries", n_line + n_cube);
        return NULL;
      }
      lut->line = g_new0 (float, 3 * n_line + 3);
      lut->cube = g_new0 (float, 3 * n_cube + 3);
    }
    if (n == n_line + n_cube || !read_numbers (line, 3, v)) {
      kg_set_error (error, KG_ERROR_INVALID_FILE,
                    n == n_line + n_cube ? N_ ("line %zu follows the last entry: remove it, or raise the size")
                                         : N_ ("line %zu is not three numbers: an entry is red, green and blue"),
                    number);
      return NULL;
    }
    for (int c = 0; c < 3; c++)
      *(n < n_line ? &lut->line[3 * n + (size_t) c] : &lut->cube[3 * (n - n_line) + (size_t) c]) = (float) v[c];
    n++;
  }
  if (n == 0 || n < n_line + n_cube) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "the file ends after %zu entries of %zu", n, n_line + n_cube);
    return NULL;
  }
  if (!check_domain (lut, error))
    return NULL;
  return g_steal_pointer (&lut);
}

/* Cell and place in it of a number in a domain of n entries. */
static inline float
find_cell (float x, double low, double high, int n, int *cell)
{
  const double u = kg_clamp (((double) x - low) / (high - low), 0, 1) * (n - 1);

  *cell = MIN ((int) u, n - 2);
  return (float) (u - *cell);
}

static void
apply_cube (const ColorLut *lut, float *r, float *g, float *b, size_t n)
{
  const size_t size = (size_t) lut->n_cube, steps[3] = { 3, 3 * size, 3 * size * size };
  float *const channels[] = { r, g, b };

  for (size_t i = 0; i < n; i++) {
    const float *p = lut->cube;
    float t[3];
    int order[3] = { 0, 1, 2 };

    for (int c = 0; c < 3; c++) {
      int cell;

      t[c] = find_cell (channels[c][i], lut->low[1][c], lut->high[1][c], lut->n_cube, &cell);
      p += (size_t) cell * steps[c];
    }
    /* From the corner of the cell along the axes in the order of their parts: a way along the edges of the tetrahedron. */
    for (int k = 0; k < 3; k++) {
      const int a = k == 1 ? 1 : 0;

      if (t[order[a]] < t[order[a + 1]]) {
        const int swap = order[a];

        order[a] = order[a + 1];
        order[a + 1] = swap;
      }
    }
    const float *q = p + steps[order[0]], *s = q + steps[order[1]], *e = s + steps[order[2]];
    const float w[] = { 1 - t[order[0]], t[order[0]] - t[order[1]], t[order[1]] - t[order[2]], t[order[2]] };

    for (int c = 0; c < 3; c++)
      channels[c][i] = w[0] * p[c] + w[1] * q[c] + w[2] * s[c] + w[3] * e[c];
  }
}

void
color_lut_apply (const ColorLut *lut, float *r, float *g, float *b, size_t n)
{
  float *const channels[] = { r, g, b };

  for (size_t c = 0; c < 3 && lut->n_line > 0; c++)
    for (size_t i = 0; i < n; i++) {
      int cell;
      const float t = find_cell (channels[c][i], lut->low[0][c], lut->high[0][c], lut->n_line, &cell);
      const float *p = lut->line + 3 * (size_t) cell + c;

      channels[c][i] = p[0] + t * (p[3] - p[0]);
    }
  if (lut->n_cube > 0)
    apply_cube (lut, r, g, b, n);
}
