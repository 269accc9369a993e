/* lattice: reading, writing and evaluating free-form deformation lattices.
 *
 * Evaluation works on displacements: the Bernstein polynomials sum to one and reproduce the identity on the rest
 * lattice, so a point moves by the weighted sum of what its control points moved.  In floats this keeps an untouched
 * lattice exact, and points far from the origin precise.
 * Source: Sederberg and Parry 1986, equations 1 to 3.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/lattice.h"

#include "kg-floats.h"
#include "kg-kernel.h"

#include <string.h>

/* Points of one block: its coordinates and weights stay in the first-level cache. */
#define BLOCK 256
/* Blocks that a thread takes at a time: a thread that is held up leaves the rest to the others. */
#define BLOCKS_AT_ONCE 16
/* Coefficients of one cubic. */
#define POWERS 4

static KgVector
read_vector (const KgGeometry *geometry, const char *name, bool *found)
{
  const float *x = kg_geometry_get_float (geometry, KG_WHOLE, name, 3);

  *found &= x != NULL;
  return x != NULL ? kg_floats_get_vector (x, 0) : kg_vector (0, 0, 0);
}

bool
lattice_read (const KgGeometry *geometry, Lattice *lattice, GError **error)
{
  const int32_t *size = kg_geometry_get_int (geometry, KG_WHOLE, "lattice", 4);
  bool found = size != NULL;
  KgTransform frame, inverse;

  lattice->rest = kg_geometry_get_float (geometry, KG_POINTS, "rest", 3);
  lattice->positions = kg_geometry_get_positions (geometry);
  lattice->n_points = kg_geometry_get_n_points (geometry);
  lattice->origin = read_vector (geometry, "origin", &found);
  lattice->s = read_vector (geometry, "S", &found);
  lattice->t = read_vector (geometry, "T", &found);
  lattice->u = read_vector (geometry, "U", &found);
  if (!found || lattice->rest == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "this geometry is not a lattice: link one from FFD Lattice");
    return false;
  }
  for (int i = 0; i < 3; i++)
    lattice->divisions[i] = size[i];
  lattice->basis = size[3] > LATTICE_BERNSTEIN && size[3] < LATTICE_N_BASES ? (LatticeBasis) size[3]
                                                                            : LATTICE_BERNSTEIN;
  if (MIN (size[0], MIN (size[1], size[2])) < 1 || MAX (size[0], MAX (size[1], size[2])) > LATTICE_MAX ||
      lattice->n_points != (size_t) (size[0] + 1) * (size_t) (size[1] + 1) * (size_t) (size[2] + 1)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "a lattice of %d × %d × %d divisions cannot have %zu points: do not add or remove points between the lattice and this node",
        size[0], size[1], size[2], lattice->n_points);
    return false;
  }
  frame = (KgTransform){ { { lattice->s.x, lattice->t.x, lattice->u.x, 0 },
                           { lattice->s.y, lattice->t.y, lattice->u.y, 0 },
                           { lattice->s.z, lattice->t.z, lattice->u.z, 0 },
                           { 0, 0, 0, 1 } } };
  if (!kg_transform_invert (frame, &inverse)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the frame of the lattice is flat: give it an extent in all three directions");
    return false;
  }
  return true;
}

static void
set_vector (KgGeometry *geometry, const char *name, KgVector v)
{
  float *x = kg_geometry_edit_float (geometry, KG_WHOLE, name, 3);

  kg_floats_set_vector (x, 0, v);
}

static void
add_lines (KgGeometry *geometry, const int d[3])
{
  const size_t strides[] = { (size_t) (d[1] + 1) * (size_t) (d[2] + 1), (size_t) (d[2] + 1), 1 };
  uint32_t vertices[LATTICE_MAX + 1];

  for (int axis = 0; axis < 3; axis++) {
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;

    for (int i = 0; i <= d[a]; i++)
      for (int j = 0; j <= d[b]; j++) {
        const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = (uint32_t) d[axis] + 1, .vertices = vertices };

        for (int k = 0; k <= d[axis]; k++)
          vertices[k] = (uint32_t) ((size_t) i * strides[a] + (size_t) j * strides[b] + (size_t) k * strides[axis]);
        kg_geometry_add_primitive (geometry, &line);
      }
  }
}

bool
lattice_write (KgGeometry *geometry, const Lattice *lattice, GError **error)
{
  const int *d = lattice->divisions;
  const size_t n = (size_t) (d[0] + 1) * (size_t) (d[1] + 1) * (size_t) (d[2] + 1);
  int32_t *size;
  float *p, *rest;

  if (!kg_geometry_set_n_points (geometry, n, error))
    return false;
  size = kg_geometry_edit_int (geometry, KG_WHOLE, "lattice", 4);
  for (int i = 0; i < 3; i++)
    size[i] = d[i];
  size[3] = (int32_t) lattice->basis;
  set_vector (geometry, "origin", lattice->origin);
  set_vector (geometry, "S", lattice->s);
  set_vector (geometry, "T", lattice->t);
  set_vector (geometry, "U", lattice->u);
  p = kg_geometry_edit_positions (geometry);
  rest = kg_geometry_edit_float (geometry, KG_POINTS, "rest", 3);
  for (int i = 0; i <= d[0]; i++)
    for (int j = 0; j <= d[1]; j++)
      for (int k = 0; k <= d[2]; k++) {
        KgVector x = kg_vector_add_scaled (lattice->origin, (double) i / d[0], lattice->s);

        x = kg_vector_add_scaled (x, (double) j / d[1], lattice->t);
        x = kg_vector_add_scaled (x, (double) k / d[2], lattice->u);
        for (int c = 0; c < 3; c++)
          *p++ = *rest++ = (float) kg_vector_get (x, c);
      }
  add_lines (geometry, d);
  return true;
}

/* Evaluation. */

/* The part of the lattice that a kernel reads: displacements as separate coordinates, and where each local
 * coordinate comes from. */
typedef struct {
  int d[3];
  LatticeBasis basis;
  float origin[3];
  float to_local[3][3];
  float *displacement[3];
  int row;     /* floats from one row of displacements to the next: a multiple of four */
  bool powers; /* displacement holds coefficients of powers, for accumulate_powers */
} Kernel;

/* Bernstein polynomials of degree d at n places: row i of weights is B(i, d). */
static void
bernstein (const float *restrict x, size_t n, int d, float (*restrict weights)[BLOCK])
{
  for (size_t p = 0; p < n; p++)
    weights[0][p] = 1;
  for (int k = 1; k <= d; k++) {
    /* From degree k - 1 to k: B(i) = (1 - x) B(i) + x B(i - 1). */
    for (size_t p = 0; p < n; p++)
      weights[k][p] = x[p] * weights[k - 1][p];
    for (int i = k - 1; i > 0; i--)
      for (size_t p = 0; p < n; p++)
        weights[i][p] = (1 - x[p]) * weights[i][p] + x[p] * weights[i - 1][p];
    for (size_t p = 0; p < n; p++)
      weights[0][p] *= 1 - x[p];
  }
}

/* Weights of the cell and its neighbours, written out to all d + 1 rows.  A neighbour that is missing beyond the border is the
 * mirror image of the next one in the border point: then the weights reproduce straight lines up to the border, so that a
 * lattice that is rotated as a whole rotates what it holds.  Beyond the border the cell there continues straight. */
static void
cells (LatticeBasis basis, const float *restrict x, size_t n, int d, float (*restrict weights)[BLOCK])
{
  memset (weights, 0, (size_t) (d + 1) * sizeof *weights);
  for (size_t p = 0; p < n; p++) {
    const float at = x[p] * (float) d;
    /* What is not a number has weights that are none, of the first cell. */
    const int cell = at > 0 ? (int) fminf (at, (float) (d - 1)) : 0;
    const float t = at - (float) cell, v = 1 - t;
    float w[] = { 0, v, t, 0 };

    if (t >= 0 && v >= 0 && basis == LATTICE_BSPLINE) {
      w[0] = v * v * v / 6;
      w[1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
      w[2] = (4 - 6 * v * v + 3 * v * v * v) / 6;
      w[3] = t * t * t / 6;
    } else if (t >= 0 && v >= 0 && basis == LATTICE_CATMULL_ROM) {
      w[0] = -0.5f * t * v * v;
      w[1] = 1 + t * t * (1.5f * t - 2.5f);
      w[2] = 1 + v * v * (1.5f * v - 2.5f);
      w[3] = -0.5f * v * t * t;
    }
    weights[cell][p] += w[1] + (cell == 0 ? 2 * w[0] : 0) - (cell == d - 1 ? w[3] : 0);
    weights[cell + 1][p] += w[2] + (cell == d - 1 ? 2 * w[3] : 0) - (cell == 0 ? w[0] : 0);
    if (cell > 0)
      weights[cell - 1][p] += w[0];
    if (cell < d - 1)
      weights[cell + 2][p] += w[3];
  }
}

/* Sums displacements over the lattice for n points given their weights: one direction after the other, so that a
 * control point costs three products a point and not four.  Control points of a row are taken four at a time, whose sum
 * never leaves the registers; rows are filled up with zeros. */
static void
accumulate (const Kernel *kernel, size_t n, float (*restrict ws)[BLOCK], float (*restrict wt)[BLOCK],
            float (*restrict wu)[BLOCK], float (*restrict sum)[BLOCK])
{
  float plane[3][BLOCK];
  size_t c = 0;

  for (int axis = 0; axis < 3; axis++)
    memset (sum[axis], 0, n * sizeof (float));
  for (int i = 0; i <= kernel->d[0]; i++) {
    for (int axis = 0; axis < 3; axis++)
      memset (plane[axis], 0, n * sizeof (float));
    for (int j = 0; j <= kernel->d[1]; j++)
      for (int k = 0; k < kernel->row; k += 4, c += 4) {
        const float *restrict x = kernel->displacement[0] + c;
        const float *restrict y = kernel->displacement[1] + c;
        const float *restrict z = kernel->displacement[2] + c;
        const float *restrict w0 = wu[k], *restrict w1 = wu[k + 1], *restrict w2 = wu[k + 2], *restrict w3 = wu[k + 3];
        const float *restrict w = wt[j];

        for (size_t p = 0; p < n; p++) {
          plane[0][p] += w[p] * (w0[p] * x[0] + w1[p] * x[1] + w2[p] * x[2] + w3[p] * x[3]);
          plane[1][p] += w[p] * (w0[p] * y[0] + w1[p] * y[1] + w2[p] * y[2] + w3[p] * y[3]);
          plane[2][p] += w[p] * (w0[p] * z[0] + w1[p] * z[1] + w2[p] * z[2] + w3[p] * z[3]);
        }
      }
    for (int axis = 0; axis < 3; axis++)
      for (size_t p = 0; p < n; p++)
        sum[axis][p] += ws[i][p] * plane[axis][p];
  }
}

/* From Bernstein coefficients on 0..1 to those of powers of 2 x - 1, in place: about the middle they stay small. */
static void
convert_to_powers (double *b, int d, size_t stride)
{
  double factor = 1;

  /* Forward differences times binomials are coefficients of powers of x ... */
  for (int k = 1; k <= d; k++)
    for (int i = d; i >= k; i--)
      b[(size_t) i * stride] -= b[(size_t) (i - 1) * stride];
  /* ... halved for each power those of 2 x ... */
  for (int k = 0; k <= d; k++) {
    b[(size_t) k * stride] *= factor;
    factor *= 0.5 * (d - k) / (k + 1);
  }
  /* ... and moved by one. */
  for (int k = 0; k < d; k++)
    for (int i = d - 1; i >= k; i--)
      b[(size_t) i * stride] += b[(size_t) (i + 1) * stride];
}

/* Up to degree 3 powers are nearly as exact as Bernstein polynomials, and Horner's rule needs fewer operations and no
 * weights. */
static void
accumulate_powers (const Kernel *kernel, size_t n, float (*restrict local)[BLOCK], float (*restrict sum)[BLOCK])
{
  float centered[3][BLOCK], plane[3][BLOCK];
  const float *const s = centered[0], *const t = centered[1], *const u = centered[2];

  for (int axis = 0; axis < 3; axis++) {
    memset (sum[axis], 0, n * sizeof (float));
    for (size_t p = 0; p < n; p++)
      centered[axis][p] = 2 * local[axis][p] - 1;
  }
  for (int i = kernel->d[0]; i >= 0; i--) {
    for (int axis = 0; axis < 3; axis++)
      memset (plane[axis], 0, n * sizeof (float));
    for (int j = kernel->d[1]; j >= 0; j--) {
      const size_t c = (size_t) (i * (kernel->d[1] + 1) + j) * POWERS;
      const float *restrict x = kernel->displacement[0] + c;
      const float *restrict y = kernel->displacement[1] + c;
      const float *restrict z = kernel->displacement[2] + c;

      for (size_t p = 0; p < n; p++) {
        plane[0][p] = plane[0][p] * t[p] + (((x[3] * u[p] + x[2]) * u[p] + x[1]) * u[p] + x[0]);
        plane[1][p] = plane[1][p] * t[p] + (((y[3] * u[p] + y[2]) * u[p] + y[1]) * u[p] + y[0]);
        plane[2][p] = plane[2][p] * t[p] + (((z[3] * u[p] + z[2]) * u[p] + z[1]) * u[p] + z[0]);
      }
    }
    for (int axis = 0; axis < 3; axis++)
      for (size_t p = 0; p < n; p++)
        sum[axis][p] = sum[axis][p] * s[p] + plane[axis][p];
  }
}

/* Local coordinates of places. */
static inline void
find_local (const Kernel *kernel, float (*restrict at)[BLOCK], size_t n, float (*restrict local)[BLOCK])
{
  for (int c = 0; c < 3; c++) {
    const float *m = kernel->to_local[c];
    const float ox = kernel->origin[0], oy = kernel->origin[1], oz = kernel->origin[2];

    for (size_t p = 0; p < n; p++)
      local[c][p] = m[0] * (at[0][p] - ox) + m[1] * (at[1][p] - oy) + m[2] * (at[2][p] - oz);
  }
}

/* Which points are inside of the frame; false when none is. */
static inline bool
find_inside (float (*restrict local)[BLOCK], size_t n, int32_t *restrict inside)
{
  int32_t any = 0;

  for (size_t p = 0; p < n; p++) {
    inside[p] = (local[0][p] >= 0) & (local[0][p] <= 1) & (local[1][p] >= 0) & (local[1][p] <= 1) & (local[2][p] >= 0) &
                (local[2][p] <= 1);
    any |= inside[p];
  }
  return any != 0;
}

KG_KERNEL static void
deform_block (const Kernel *kernel, const float *from, float *to, size_t n, bool inside_only)
{
  float at[3][BLOCK], local[3][BLOCK], sum[3][BLOCK];
  float ws[LATTICE_MAX + 1][BLOCK], wt[LATTICE_MAX + 1][BLOCK], wu[LATTICE_MAX + 4][BLOCK];
  float (*const weights[])[BLOCK] = { ws, wt, wu };
  int32_t inside[BLOCK];

  kg_split3 (from, n, at[0], at[1], at[2]);
  find_local (kernel, at, n, local);
  if (inside_only && !find_inside (local, n, inside)) {
    memmove (to, from, 3 * n * sizeof (float));
    return;
  }
  if (kernel->powers)
    accumulate_powers (kernel, n, local, sum);
  else {
    for (int c = 0; c < 3; c++)
      if (kernel->basis == LATTICE_BERNSTEIN)
        bernstein (local[c], n, kernel->d[c], weights[c]);
      else
        cells (kernel->basis, local[c], n, kernel->d[c], weights[c]);
    for (int k = kernel->d[2] + 1; k < kernel->row; k++)
      memset (wu[k], 0, n * sizeof (float));
    accumulate (kernel, n, ws, wt, wu, sum);
  }
  for (int c = 0; c < 3; c++)
    if (inside_only)
      for (size_t p = 0; p < n; p++)
        at[c][p] = inside[p] ? at[c][p] + sum[c][p] : at[c][p];
    else
      for (size_t p = 0; p < n; p++)
        at[c][p] += sum[c][p];
  kg_join3 (at[0], at[1], at[2], n, to);
}

/* Displacements of coordinate c: rows filled up with zeros, as values or as coefficients of powers. */
static void
write_displacement (const Lattice *lattice, const Kernel *kernel, size_t c)
{
  const size_t columns = (size_t) lattice->divisions[2] + 1;
  g_autofree double *moved = g_new (double, lattice->n_points);
  size_t stride = 1;

  for (size_t i = 0; i < lattice->n_points; i++)
    moved[i] = (double) (lattice->positions[3 * i + c] - lattice->rest[3 * i + c]);
  for (int axis = 2; kernel->powers && axis >= 0; axis--) {
    const size_t line = stride * ((size_t) lattice->divisions[axis] + 1);

    for (size_t i = 0; i < lattice->n_points; i++)
      if (i % line < stride)
        convert_to_powers (moved + i, lattice->divisions[axis], stride);
    stride = line;
  }
  for (size_t i = 0; i < lattice->n_points; i++)
    kernel->displacement[c][i / columns * (size_t) kernel->row + i % columns] = (float) moved[i];
}

void
lattice_deform (const Lattice *lattice, const float *from, float *to, size_t n, bool inside_only)
{
  const KgTransform frame = { { { lattice->s.x, lattice->t.x, lattice->u.x, 0 },
                                { lattice->s.y, lattice->t.y, lattice->u.y, 0 },
                                { lattice->s.z, lattice->t.z, lattice->u.z, 0 },
                                { 0, 0, 0, 1 } } };
  const size_t columns = (size_t) lattice->divisions[2] + 1, row = (columns + 3) / 4 * 4;
  const size_t n_rows = lattice->n_points / columns;
  g_autofree float *displacement = g_new0 (float, 3 * n_rows * row);
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;
  Kernel kernel = { .basis = lattice->basis, .row = (int) row };
  const int *d = lattice->divisions;
  KgTransform inverse;

  kg_transform_invert (frame, &inverse);
  kernel.powers = lattice->basis == LATTICE_BERNSTEIN && MAX (d[0], MAX (d[1], d[2])) < POWERS;
  for (int c = 0; c < 3; c++) {
    kernel.d[c] = lattice->divisions[c];
    kernel.origin[c] = (float) kg_vector_get (lattice->origin, c);
    kernel.displacement[c] = displacement + (size_t) c * n_rows * row;
    for (int k = 0; k < 3; k++)
      kernel.to_local[c][k] = (float) inverse.m[c][k];
    write_displacement (lattice, &kernel, (size_t) c);
  }
#pragma omp parallel for schedule(dynamic, BLOCKS_AT_ONCE) if (n >= KG_PARALLEL_FROM)
  for (size_t b = 0; b < n_blocks; b++)
    deform_block (&kernel, from + 3 * b * BLOCK, to + 3 * b * BLOCK, MIN (BLOCK, n - b * BLOCK), inside_only);
}
