/* tetrahedra: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/tetrahedra.h"

#include "kg-error.h"

#include <stdlib.h>
#include <string.h>

/* Lattice points nearer to the surface than these shares of an edge move onto it (Labelle and Shewchuk 2007, table 1): of the
 * edges along the axes and of those between corners and centres of cells. */
#define NEAR_ALONG 0.24999
#define NEAR_ACROSS 0.41189
/* Tetrahedra of less volume, as a part of a cell's, are none. */
#define FLAT 1e-9

/* Corners of cells first, then centres.  Centres reach one cell farther than corners on both sides. */
typedef struct {
  const TriangleMesh *mesh;
  double cell;
  KgVector low;
  size_t size[3]; /* cells; corners: one more */
  size_t n_corners, n;
  int8_t *sign; /* 1 inside, 0 on the surface, -1 outside */
  KgVector *x;
} Lattice;

static inline size_t
get_corner (const Lattice *l, size_t i, size_t j, size_t k)
{
  return (k * (l->size[1] + 1) + j) * (l->size[0] + 1) + i;
}

static inline size_t
get_center (const Lattice *l, size_t i, size_t j, size_t k)
{
  return l->n_corners + (k * l->size[1] + j) * l->size[0] + i;
}

static bool
lattice_init (Lattice *l, const TriangleMesh *mesh, double cell, GError **error)
{
  KgVector low, high;
  double cells = 1, size[3];

  kg_geometry_get_bounds (mesh->geometry, &low, &high);
  for (size_t c = 0; c < 3; c++) {
    const double length = kg_vector_get (high, c) - kg_vector_get (low, c);

    /* One cell more on each side, and the rest divided between both. */
    size[c] = floor (length / cell) + 3;
    cells *= size[c];
    *kg_vector_component (&low, c) -= 0.5 * (size[c] * cell - length);
  }
  if (!(cells <= TETRAHEDRA_MOST_CELLS)) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%g cells of %g m fill the mesh, and at most %d may: use larger cells, or a smaller mesh", cells,
                  cell, TETRAHEDRA_MOST_CELLS);
    return false;
  }
  *l = (Lattice){ .mesh = mesh, .cell = cell, .low = low };
  for (int c = 0; c < 3; c++)
    l->size[c] = (size_t) size[c];
  l->n_corners = (l->size[0] + 1) * (l->size[1] + 1) * (l->size[2] + 1);
  l->n = l->n_corners + l->size[0] * l->size[1] * l->size[2];
  l->sign = g_new (int8_t, l->n);
  l->x = g_new (KgVector, l->n);
  return true;
}

static void
lattice_clear (Lattice *l)
{
  g_free (l->sign);
  g_free (l->x);
}

static bool
lattice_classify (Lattice *l, const KgProgressMonitor *monitor)
{
  const bool closed = l->mesh->n_open == 0;
  MeshWinding *winding = closed ? NULL : mesh_winding_new (l->mesh);
  bool cancelled = false;

#pragma omp parallel for schedule(dynamic, 256)
  for (size_t index = 0; index < l->n; index++) {
    const bool center = index >= l->n_corners;
    const size_t at = center ? index - l->n_corners : index, more = center ? 0 : 1;
    const size_t columns = l->size[0] + more, rows = l->size[1] + more;
    const double half = center ? 0.5 : 0;
    const KgVector place = { (double) (at % columns) + half, (double) (at / columns % rows) + half,
                             (double) (at / columns / rows) + half };
    bool stop;

    if (index % 256 == 0 && kg_progress_is_cancelled (monitor)) {
#pragma omp atomic write
      cancelled = true;
    }
#pragma omp atomic read
    stop = cancelled;
    if (stop)
      continue;
    l->x[index] = kg_vector_add_scaled (l->low, l->cell, place);
    l->sign[index] = triangle_mesh_contains (l->mesh, winding, closed ? INSIDE_RAY : INSIDE_WINDING, l->x[index]) ? 1
                                                                                                                  : -1;
  }
  g_clear_pointer (&winding, mesh_winding_free);
  return !cancelled;
}

/* The lattice points at the ends of the edges of a point: up to 6 along the axes, then up to 8 across.  Returns how many; *n_along:
 * the former. */
static int
get_neighbours (const Lattice *l, size_t index, size_t neighbours[14], int *n_along)
{
  const bool center = index >= l->n_corners;
  const size_t at = center ? index - l->n_corners : index, more = center ? 0 : 1;
  const size_t size[3] = { l->size[0] + more, l->size[1] + more, l->size[2] + more };
  const size_t place[3] = { at % size[0], at / size[0] % size[1], at / size[0] / size[1] };
  const size_t step[3] = { 1, size[0], size[0] * size[1] };
  int n = 0;

  for (int c = 0; c < 3; c++) {
    if (place[c] > 0)
      neighbours[n++] = index - step[c];
    if (place[c] + 1 < size[c])
      neighbours[n++] = index + step[c];
  }
  *n_along = n;
  for (size_t k = 0; k < 8; k++) {
    /* Cell i lies between the corners i and i + 1. */
    const size_t of[3] = { place[0] + (k & 1), place[1] + (k >> 1 & 1), place[2] + (k >> 2) };

    if (center)
      neighbours[n++] = get_corner (l, of[0], of[1], of[2]);
    else if (of[0] > 0 && of[1] > 0 && of[2] > 0 && of[0] <= l->size[0] && of[1] <= l->size[1] && of[2] <= l->size[2])
      neighbours[n++] = get_center (l, of[0] - 1, of[1] - 1, of[2] - 1);
  }
  return n;
}

/* Where an edge from a lattice point inside to one outside leaves the mesh, as a part of the edge. */
static double
find_cut (const Lattice *l, size_t inside, size_t outside)
{
  const KgVector way = kg_vector_subtract (l->x[outside], l->x[inside]);
  double t = 1;
  uint32_t triangle;

  return triangle_mesh_hit (l->mesh, l->x[inside], way, &t, &triangle) ? t : 0.5;
}

/* Moves what is close to the surface onto it.  Each point looks at the lattice as it was, but for those that are on the surface by
 * then: in their order. */
static void
lattice_warp (Lattice *l)
{
  for (size_t index = 0; index < l->n; index++) {
    size_t neighbours[14];
    int n_along;
    const int n = get_neighbours (l, index, neighbours, &n_along);
    double least = INFINITY;
    KgVector nearest = l->x[index];

    for (int k = 0; k < n; k++) {
      const size_t other = neighbours[k];
      const double near = k < n_along ? NEAR_ALONG : NEAR_ACROSS;
      double part, distance;

      if (l->sign[index] * l->sign[other] >= 0)
        continue;
      part = l->sign[index] > 0 ? find_cut (l, index, other) : 1 - find_cut (l, other, index);
      distance = part * kg_vector_distance (l->x[index], l->x[other]);
      if (part < near && distance < least) {
        least = distance;
        nearest = kg_vector_lerp (l->x[index], l->x[other], part);
      }
    }
    if (least < INFINITY) {
      l->sign[index] = 0;
      l->x[index] = nearest;
    }
  }
}

/* What is made of the lattice. */
typedef struct {
  const Lattice *lattice;
  uint32_t *point_of; /* of lattice points; UINT32_MAX: not used yet */
  GHashTable *cuts;   /* index of the lower lattice point * n + that of the higher one → point + 1 */
  GArray *points, *corners;
} Filling;

static uint32_t
add_lattice_point (Filling *f, size_t index)
{
  if (f->point_of[index] == UINT32_MAX) {
    f->point_of[index] = f->points->len;
    g_array_append_val (f->points, f->lattice->x[index]);
  }
  return f->point_of[index];
}

static guint
hash_cut (gconstpointer key)
{
  const uint64_t mixed = *(const uint64_t *) key * UINT64_C (0x9e3779b97f4a7c15);

  return (guint) (mixed >> 32);
}

static gboolean
equal_cuts (gconstpointer a, gconstpointer b)
{
  return *(const uint64_t *) a == *(const uint64_t *) b;
}

/* What stands for a lattice point in the tetrahedra of one that is inside: itself, or where the edge to it leaves the mesh. */
static uint32_t
add_point (Filling *f, size_t inside, size_t other)
{
  const Lattice *l = f->lattice;
  uint64_t key = MIN (inside, other) * (uint64_t) l->n + MAX (inside, other);
  gpointer known;

  if (l->sign[other] >= 0)
    return add_lattice_point (f, other);
  known = g_hash_table_lookup (f->cuts, &key);
  if (known == NULL) {
    const KgVector x = kg_vector_lerp (l->x[inside], l->x[other], find_cut (l, inside, other));

    g_array_append_val (f->points, x);
    known = GSIZE_TO_POINTER ((gsize) f->points->len);
    g_hash_table_insert (f->cuts, g_memdup2 (&key, sizeof key), known);
  }
  return (uint32_t) (GPOINTER_TO_SIZE (known) - 1);
}

static void
add_tetrahedron (Filling *f, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  const KgVector *points = (const KgVector *) (const void *) f->points->data;
  const double cell = f->lattice->cell;
  uint32_t corners[4] = { a, b, c, d };
  double volume;

  if (a == b || a == c || a == d || b == c || b == d || c == d)
    return;
  volume = tetrahedron_get_volume ((KgVector[]){ points[a], points[b], points[c], points[d] });
  if (volume < 0) {
    corners[2] = d;
    corners[3] = c;
  }
  if (fabs (volume) > FLAT * cell * cell * cell)
    g_array_append_val (f->corners, corners);
}

/* Between the triangles 0 1 2 and 3 4 5, with edges from each corner of the one to that of the other; corners that are the same make
 * it a pyramid. */
static void
add_prism (Filling *f, const uint32_t given[6])
{
  uint32_t v[6];
  int lowest = 0;

  for (int k = 1; k < 6; k++)
    if (given[k] < given[lowest])
      lowest = k;
  /* Turned and upended so that the lowest is the first. */
  for (int k = 0; k < 3; k++) {
    v[k] = given[(lowest / 3) * 3 + (lowest + k) % 3];
    v[k + 3] = given[(1 - lowest / 3) * 3 + (lowest + k) % 3];
  }
  if (MIN (v[1], v[5]) < MIN (v[2], v[4])) {
    add_tetrahedron (f, v[0], v[1], v[2], v[5]);
    add_tetrahedron (f, v[0], v[1], v[5], v[4]);
  } else {
    add_tetrahedron (f, v[0], v[1], v[2], v[4]);
    add_tetrahedron (f, v[0], v[4], v[2], v[5]);
  }
  add_tetrahedron (f, v[0], v[4], v[5], v[3]);
}

/* The part inside of one tetrahedron of the lattice. */
static void
add_part (Filling *f, const size_t of[4])
{
  const int8_t *sign = f->lattice->sign;
  size_t in[4], out[4];
  int n_in = 0, n_out = 0, n_cut = 0;

  for (int k = 0; k < 4; k++) {
    n_cut += sign[of[k]] < 0;
    if (sign[of[k]] > 0)
      in[n_in++] = of[k];
    else
      out[n_out++] = of[k];
  }
  if (n_in == 0)
    return;
  if (n_in == 4 || n_cut == 0) {
    add_tetrahedron (f, add_lattice_point (f, of[0]), add_lattice_point (f, of[1]), add_lattice_point (f, of[2]),
                     add_lattice_point (f, of[3]));
  } else if (n_in == 1) {
    add_tetrahedron (f, add_lattice_point (f, in[0]), add_point (f, in[0], out[0]), add_point (f, in[0], out[1]),
                     add_point (f, in[0], out[2]));
  } else if (n_in == 2) {
    add_prism (f, (uint32_t[]){ add_lattice_point (f, in[0]), add_point (f, in[0], out[0]),
                                add_point (f, in[0], out[1]), add_lattice_point (f, in[1]),
                                add_point (f, in[1], out[0]), add_point (f, in[1], out[1]) });
  } else {
    add_prism (f, (uint32_t[]){ add_lattice_point (f, in[0]), add_lattice_point (f, in[1]),
                                add_lattice_point (f, in[2]), add_point (f, in[0], out[0]),
                                add_point (f, in[1], out[0]), add_point (f, in[2], out[0]) });
  }
}

/* The four tetrahedra around the face between a cell and the next one along an axis. */
static void
add_around_face (Filling *f, const size_t cell[3], int axis)
{
  const Lattice *l = f->lattice;
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  size_t next[3] = { cell[0], cell[1], cell[2] }, corners[4];
  size_t centers[2];

  next[axis]++;
  centers[0] = get_center (l, cell[0], cell[1], cell[2]);
  centers[1] = get_center (l, next[0], next[1], next[2]);
  for (int k = 0; k < 4; k++) {
    size_t place[3] = { next[0], next[1], next[2] };

    place[u] += k == 1 || k == 2;
    place[v] += k >= 2;
    corners[k] = get_corner (l, place[0], place[1], place[2]);
  }
  for (int k = 0; k < 4; k++)
    add_part (f, (size_t[]){ centers[0], centers[1], corners[k], corners[(k + 1) % 4] });
}

bool
tetrahedra_fill (const TriangleMesh *mesh, double cell, Tetrahedra *tetrahedra, const KgProgressMonitor *monitor,
                 GError **error)
{
  Lattice lattice;
  Filling f = { &lattice, NULL, NULL, NULL, NULL };
  bool done;

  *tetrahedra = (Tetrahedra){ .n = 0 };
  if (!lattice_init (&lattice, mesh, cell, error))
    return false;
  done = lattice_classify (&lattice, monitor);
  if (done) {
    lattice_warp (&lattice);
    f.point_of = g_new (uint32_t, lattice.n);
    memset (f.point_of, 0xff, lattice.n * sizeof *f.point_of);
    f.cuts = g_hash_table_new_full (hash_cut, equal_cuts, g_free, NULL);
    f.points = g_array_new (FALSE, FALSE, sizeof (KgVector));
    f.corners = g_array_new (FALSE, FALSE, 4 * sizeof (uint32_t));
  }
  for (size_t k = 0; done && k < lattice.size[2]; k++) {
    done = !kg_progress_is_cancelled (monitor);
    for (size_t j = 0; j < lattice.size[1]; j++)
      for (size_t i = 0; i < lattice.size[0]; i++) {
        const size_t at[3] = { i, j, k };

        for (int axis = 0; axis < 3; axis++)
          if (at[axis] + 1 < lattice.size[axis])
            add_around_face (&f, at, axis);
      }
  }
  if (done && f.corners->len == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "no tetrahedron of cells of %g m fits into the mesh: use smaller cells, or link a solid mesh", cell);
    done = false;
  }
  if (done) {
    tetrahedra->n_points = f.points->len;
    tetrahedra->n = f.corners->len;
    tetrahedra->points = (KgVector *) (void *) g_array_free (g_steal_pointer (&f.points), FALSE);
    tetrahedra->corners = (uint32_t (*)[4]) (void *) g_array_free (g_steal_pointer (&f.corners), FALSE);
  }
  g_clear_pointer (&f.cuts, g_hash_table_unref);
  g_clear_pointer (&f.points, g_array_unref);
  g_clear_pointer (&f.corners, g_array_unref);
  g_free (f.point_of);
  lattice_clear (&lattice);
  return done;
}

void
tetrahedra_clear (Tetrahedra *tetrahedra)
{
  g_clear_pointer (&tetrahedra->points, g_free);
  g_clear_pointer (&tetrahedra->corners, g_free);
}

/* Faces. */

/* Seen from outside. */
static const int face_corners[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };

typedef struct {
  uint32_t sorted[3];
  uint32_t at; /* tetrahedron * 4 + face */
} Face;

static int
compare_faces (const void *a, const void *b)
{
  const Face *p = (const Face *) a, *q = (const Face *) b;

  for (int k = 0; k < 3; k++)
    if (p->sorted[k] != q->sorted[k])
      return p->sorted[k] < q->sorted[k] ? -1 : 1;
  return p->at < q->at ? -1 : p->at > q->at;
}

static Face
get_face (const Tetrahedra *tetrahedra, uint32_t at)
{
  const uint32_t *corners = tetrahedra->corners[at / 4];
  Face face = {
    { corners[face_corners[at % 4][0]], corners[face_corners[at % 4][1]], corners[face_corners[at % 4][2]] }, at
  };

  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 2; i++)
      if (face.sorted[i] > face.sorted[i + 1]) {
        const uint32_t kept = face.sorted[i];

        face.sorted[i] = face.sorted[i + 1];
        face.sorted[i + 1] = kept;
      }
  return face;
}

GArray *
tetrahedra_get_surface (const Tetrahedra *tetrahedra)
{
  GArray *surface = g_array_new (FALSE, FALSE, 3 * sizeof (uint32_t));
  const size_t n = 4 * tetrahedra->n;
  g_autofree Face *faces = g_new (Face, MAX (n, 1));
  g_autofree uint8_t *outer = g_new0 (uint8_t, MAX (n, 1));

  for (size_t i = 0; i < n; i++)
    faces[i] = get_face (tetrahedra, (uint32_t) i);
  qsort (faces, n, sizeof *faces, compare_faces);
  for (size_t i = 0; i < n; i++)
    outer[faces[i].at] = (i == 0 || memcmp (faces[i].sorted, faces[i - 1].sorted, sizeof faces->sorted) != 0) &&
                         (i + 1 == n || memcmp (faces[i].sorted, faces[i + 1].sorted, sizeof faces->sorted) != 0);
  for (size_t i = 0; i < n; i++) {
    const uint32_t *corners = tetrahedra->corners[i / 4];
    const uint32_t face[3] = { corners[face_corners[i % 4][0]], corners[face_corners[i % 4][1]],
                               corners[face_corners[i % 4][2]] };

    if (outer[i])
      g_array_append_val (surface, face);
  }
  return surface;
}

TetrahedraMeasure
tetrahedra_measure (const Tetrahedra *tetrahedra)
{
  TetrahedraMeasure measure = { 0, KG_PI, 0 };

  for (size_t i = 0; i < tetrahedra->n; i++) {
    KgVector x[4], normals[4];

    for (int k = 0; k < 4; k++)
      x[k] = tetrahedra->points[tetrahedra->corners[i][k]];
    measure.volume += tetrahedron_get_volume (x);
    for (int k = 0; k < 4; k++) {
      const int *c = face_corners[k];

      normals[k] = kg_vector_normalize_or (
          kg_vector_cross (kg_vector_subtract (x[c[1]], x[c[0]]), kg_vector_subtract (x[c[2]], x[c[0]])),
          kg_vector (0, 0, 0));
    }
    for (int a = 0; a < 4; a++)
      for (int b = a + 1; b < 4; b++) {
        const double angle = KG_PI - acos (kg_clamp (kg_vector_dot (normals[a], normals[b]), -1, 1));

        measure.least_angle = fmin (measure.least_angle, angle);
        measure.most_angle = fmax (measure.most_angle, angle);
      }
  }
  return measure;
}
