/* envelope_matrix: symmetric linear systems with few entries, such as those of things that hang in chains and trees.
 *
 * Rows are ordered as Cuthill and McKee (1969) have it, backwards (George 1971), and factorised as L D L'
 * within their envelope, which does not fill up beyond it (Jennings 1966).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/envelope_matrix.h"

/* A pivot that is a smaller share of its entry is rounding. */
#define LEAST_PIVOT 1e-11

/* Which unknowns share an entry. */
typedef struct {
  size_t n;
  size_t *starts; /* neighbours of i are neighbours[starts[i]] to neighbours[starts[i + 1] - 1] */
  uint32_t *neighbours;
} Neighbours;

static void
neighbours_init (Neighbours *all, size_t n, const uint32_t (*pairs)[2], size_t n_pairs)
{
  all->n = n;
  all->starts = g_new0 (size_t, n + 2);
  all->neighbours = g_new (uint32_t, MAX (2 * n_pairs, 1));
  for (size_t k = 0; k < n_pairs; k++)
    for (int end = 0; end < 2; end++)
      all->starts[pairs[k][end] + 2]++;
  for (size_t i = 0; i < n; i++)
    all->starts[i + 2] += all->starts[i + 1];
  for (size_t k = 0; k < n_pairs; k++)
    for (int end = 0; end < 2; end++)
      all->neighbours[all->starts[pairs[k][end] + 1]++] = pairs[k][1 - end];
}

static void
neighbours_clear (Neighbours *all)
{
  g_free (all->starts);
  g_free (all->neighbours);
}

static size_t
get_degree (const Neighbours *all, size_t i)
{
  return all->starts[i + 1] - all->starts[i];
}

/* Writes all that can be reached from a start into the queue, level by level, those with few neighbours first; returns how
 * many.  seen: not 0 for those that were reached before; set for those that are now. */
static size_t
walk (const Neighbours *all, uint32_t start, uint8_t *seen, uint32_t *queue)
{
  size_t filled = 1;

  queue[0] = start;
  seen[start] = 1;
  for (size_t k = 0; k < filled; k++) {
    const size_t level = filled;

    for (size_t e = all->starts[queue[k]]; e < all->starts[queue[k] + 1]; e++) {
      const uint32_t i = all->neighbours[e];
      size_t at = filled;

      if (seen[i])
        continue;
      seen[i] = 1;
      for (; at > level && get_degree (all, queue[at - 1]) > get_degree (all, i); at--)
        queue[at] = queue[at - 1];
      queue[at] = i;
      filled++;
    }
  }
  return filled;
}

static void
find_order (EnvelopeMatrix *matrix, const Neighbours *all)
{
  g_autofree uint8_t *seen = g_new0 (uint8_t, MAX (all->n, 1));
  g_autofree uint32_t *queue = g_new (uint32_t, MAX (all->n, 1));
  size_t placed = 0;

  for (size_t i = 0; i < all->n; i++) {
    size_t n;

    if (seen[i])
      continue;
    /* What is reached last from anywhere is an end, and ends are where to start. */
    n = walk (all, (uint32_t) i, seen, queue);
    for (size_t k = 0; k < n; k++)
      seen[queue[k]] = 0;
    n = walk (all, queue[n - 1], seen, queue);
    for (size_t k = 0; k < n; k++)
      matrix->order[queue[k]] = all->n - 1 - placed - k;
    placed += n;
  }
}

void
envelope_matrix_init (EnvelopeMatrix *matrix, size_t n, const uint32_t (*pairs)[2], size_t n_pairs)
{
  Neighbours all;
  size_t size = 0;

  *matrix = (EnvelopeMatrix){ .n = n,
                              .order = g_new0 (size_t, MAX (n, 1)),
                              .first = g_new0 (size_t, MAX (n, 1)),
                              .start = g_new0 (size_t, MAX (n, 1)),
                              .work = g_new0 (double, MAX (n, 1)) };
  neighbours_init (&all, n, pairs, n_pairs);
  find_order (matrix, &all);
  neighbours_clear (&all);
  for (size_t i = 0; i < n; i++)
    matrix->first[i] = i;
  for (size_t k = 0; k < n_pairs; k++) {
    const size_t a = matrix->order[pairs[k][0]], b = matrix->order[pairs[k][1]];

    matrix->first[MAX (a, b)] = MIN (matrix->first[MAX (a, b)], MIN (a, b));
  }
  for (size_t i = 0; i < n; i++) {
    matrix->start[i] = size - matrix->first[i];
    size += i + 1 - matrix->first[i];
  }
  matrix->values = g_new0 (double, MAX (size, 1));
}

void
envelope_matrix_clear (EnvelopeMatrix *matrix)
{
  g_clear_pointer (&matrix->order, g_free);
  g_clear_pointer (&matrix->first, g_free);
  g_clear_pointer (&matrix->start, g_free);
  g_clear_pointer (&matrix->values, g_free);
  g_clear_pointer (&matrix->work, g_free);
}

/* The row i, from column 0 on, of which only those from first[i] on are there. */
static double *
get_row (const EnvelopeMatrix *matrix, size_t i)
{
  return matrix->values + (ptrdiff_t) matrix->start[i];
}

void
envelope_matrix_set_zero (EnvelopeMatrix *matrix)
{
  const size_t last = matrix->n - 1;

  if (matrix->n > 0)
    memset (matrix->values, 0, (matrix->start[last] + last + 1) * sizeof *matrix->values);
}

void
envelope_matrix_add (EnvelopeMatrix *matrix, size_t i, size_t j, double value)
{
  const size_t a = matrix->order[i], b = matrix->order[j];

  get_row (matrix, MAX (a, b))[MIN (a, b)] += value;
}

bool
envelope_matrix_factorize (EnvelopeMatrix *matrix)
{
  for (size_t i = 0; i < matrix->n; i++) {
    double *row = get_row (matrix, i);
    const double entry = row[i];

    /* First L D, of which the columns before are what is needed; then L. */
    for (size_t j = matrix->first[i]; j < i; j++) {
      const double *above = get_row (matrix, j);

      for (size_t k = MAX (matrix->first[i], matrix->first[j]); k < j; k++)
        row[j] -= row[k] * above[k];
    }
    for (size_t j = matrix->first[i]; j < i; j++) {
      const double scaled = row[j];

      row[j] = scaled / get_row (matrix, j)[j];
      row[i] -= scaled * row[j];
    }
    if (!(row[i] > LEAST_PIVOT * entry))
      return false;
  }
  return true;
}

void
envelope_matrix_solve (const EnvelopeMatrix *matrix, const double *right, double *x)
{
  double *y = matrix->work;

  for (size_t i = 0; i < matrix->n; i++)
    y[matrix->order[i]] = right[i];
  for (size_t i = 0; i < matrix->n; i++)
    for (size_t j = matrix->first[i]; j < i; j++)
      y[i] -= get_row (matrix, i)[j] * y[j];
  for (size_t i = 0; i < matrix->n; i++)
    y[i] /= get_row (matrix, i)[i];
  for (size_t i = matrix->n; i-- > 0;)
    for (size_t j = matrix->first[i]; j < i; j++)
      y[j] -= get_row (matrix, i)[j] * y[i];
  for (size_t i = 0; i < matrix->n; i++)
    x[i] = y[matrix->order[i]];
}
