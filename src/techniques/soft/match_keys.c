/* match_keys: which keys of one soft object become which of another, and what is between.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/match_keys.h"

#include "kg-floats.h"
#include "kg-kernel.h"
#include "rotation/conversion.h"
#include "soft/key_attributes.h"
#include "soft/part_tree.h"
#include "soft/soft_keys.h"
#include "soft/transport.h"

/* Most pairs of keys that are compared within one cell. */
#define MAX_COMPARISONS 20000000
/* A centre on the wall of a cell lies in the next one, also after rounding to float32. */
#define WALL 1e-5

typedef struct {
  KeyAttributes a;
  size_t n;
} Keys;

typedef struct {
  KgVector low, high;
} Box;

/* A key in its cell. */
typedef struct {
  uint32_t key;
  int32_t part;
  uint32_t cell;
  KgVector u; /* its place in the box of its part, 0..1 */
} Cellmate;

static Keys
keys_read (const KgGeometry *geometry)
{
  return (Keys){ .a = key_attributes_find (geometry), .n = kg_geometry_get_n_points (geometry) };
}

/* Of the influence or of the body, as the key tells it. */
static KgVector
keys_get_axes (const Keys *k, size_t i)
{
  bool influence;

  return key_attributes_get_half_extent (&k->a, i, &influence);
}

/* Whether some keys tell the extent of their influence, and some that of their body. */
static void
keys_find_extents (const Keys *k, bool *influences, bool *bodies)
{
  for (size_t i = 0; i < k->n; i++) {
    bool influence;

    key_attributes_get_half_extent (&k->a, i, &influence);
    if (key_attributes_has_frame (&k->a, i))
      influence = !key_attributes_has_body_frame (&k->a, i);
    *(influence ? influences : bodies) = true;
  }
}

static int32_t
keys_get_part (const Keys *k, size_t i)
{
  return k->a.part != NULL ? k->a.part[i] : 0;
}

/* The column of an axis, as long as that. */
static KgVector
keys_get_axis (const Keys *k, size_t i, size_t axis)
{
  KgVector v = { 0, 0, 0 };

  *kg_vector_component (&v, axis) = kg_vector_get (keys_get_axes (k, i), axis);
  return kg_rotation_apply (key_attributes_get_orient (&k->a, i), v);
}

/* The box around the keys of a part; false where it has none. */
static bool
keys_get_box (const Keys *k, int32_t part, Box *box)
{
  bool any = false;

  box->low = kg_vector (INFINITY, INFINITY, INFINITY);
  box->high = kg_vector (-INFINITY, -INFINITY, -INFINITY);
  for (size_t i = 0; i < k->n; i++) {
    const KgVector p = key_attributes_get_place (&k->a, i), x = keys_get_axis (k, i, 0), y = keys_get_axis (k, i, 1);
    const KgVector z = keys_get_axis (k, i, 2);

    if (keys_get_part (k, i) != part)
      continue;
    any = true;
    for (size_t c = 0; c < 3; c++) {
      const double extent = sqrt (kg_vector_get (x, c) * kg_vector_get (x, c) +
                                  kg_vector_get (y, c) * kg_vector_get (y, c) +
                                  kg_vector_get (z, c) * kg_vector_get (z, c));

      *kg_vector_component (&box->low, c) = MIN (kg_vector_get (box->low, c), kg_vector_get (p, c) - extent);
      *kg_vector_component (&box->high, c) = MAX (kg_vector_get (box->high, c), kg_vector_get (p, c) + extent);
    }
  }
  return any;
}

static KgVector
box_normalize (const Box *box, KgVector p)
{
  KgVector u;

  for (size_t c = 0; c < 3; c++) {
    const double low = kg_vector_get (box->low, c), size = kg_vector_get (box->high, c) - low;

    *kg_vector_component (&u, c) = size > 0 ? (kg_vector_get (p, c) - low) / size : 0.5;
  }
  return u;
}

static KgVector
box_get_place (const Box *box, KgVector u)
{
  return kg_vector (box->low.x + u.x * (box->high.x - box->low.x), box->low.y + u.y * (box->high.y - box->low.y),
                    box->low.z + u.z * (box->high.z - box->low.z));
}

static uint32_t
get_cell (KgVector u, const int64_t cells[3])
{
  uint32_t cell = 0;

  for (size_t c = 3; c-- > 0;) {
    const double at = floor ((double) cells[c] * kg_vector_get (u, c) + WALL);

    cell = cell * (uint32_t) cells[c] + (uint32_t) kg_clamp (at, 0, (double) cells[c] - 1);
  }
  return cell;
}

static void
get_cells (const MatchOptions *options, int32_t part, int64_t cells[3])
{
  for (int c = 0; c < 3; c++)
    cells[c] = options->cells;
  for (size_t row = 0; options->parts != NULL && row < kg_table_get_n_rows (options->parts); row++) {
    const double *r = kg_table_get_row (options->parts, row);

    for (int c = 0; c < 3 && r[0] == part; c++)
      cells[c] = (int64_t) kg_clamp (r[c + 1], 1, 100);
  }
}

static int
compare_parts (gconstpointer a, gconstpointer b)
{
  const PartMatch *p = (const PartMatch *) a, *q = (const PartMatch *) b;

  return (p->part > q->part) - (p->part < q->part);
}

static void
count_part (GArray *parts, int32_t id, size_t source, size_t destination)
{
  PartMatch *found = NULL;

  for (guint i = 0; i < parts->len && found == NULL; i++)
    if (g_array_index (parts, PartMatch, i).part == id)
      found = &g_array_index (parts, PartMatch, i);
  if (found == NULL) {
    const PartMatch part = { .part = id };

    g_array_append_val (parts, part);
    found = &g_array_index (parts, PartMatch, parts->len - 1);
  }
  found->source += source;
  found->destination += destination;
}

/* One of the possible pairs in a cell. */
typedef struct {
  double distance2;
  uint32_t a, b; /* indices in the cell */
} Candidate;

static int
compare_candidates (gconstpointer x, gconstpointer y)
{
  const Candidate *p = (const Candidate *) x, *q = (const Candidate *) y;

  return p->distance2 != q->distance2 ? (p->distance2 > q->distance2) - (p->distance2 < q->distance2)
         : p->a != q->a               ? (p->a > q->a) - (p->a < q->a)
                                      : (p->b > q->b) - (p->b < q->b);
}

static double
get_distance2 (KgVector a, KgVector b)
{
  const KgVector d = kg_vector_subtract (a, b);

  return kg_vector_dot (d, d);
}

/* Pairs the keys of one cell: the nearest first, each once; then those that are left with whichever is nearest. */
static bool
pair_cell (const Keys *s, const Keys *d, const Cellmate *first, size_t n, const Cellmate *second, size_t m,
           KeyMatch *match, GError **error)
{
  g_autofree uint32_t *partner_of_first = g_new (uint32_t, n), *partner_of_second = g_new (uint32_t, m);
  g_autofree uint32_t *count_first = g_new0 (uint32_t, n), *count_second = g_new0 (uint32_t, m);
  g_autofree Candidate *candidates = NULL;

  if (n > MAX_COMPARISONS / m) {
    kg_set_error (error, KG_ERROR_LIMIT, "a cell holds %zu and %zu keys, too many to compare: use more cells", n, m);
    return false;
  }
  candidates = g_new (Candidate, n * m);
  for (uint32_t a = 0; a < n; a++)
    for (uint32_t b = 0; b < m; b++)
      candidates[a * m + b] = (Candidate){ get_distance2 (first[a].u, second[b].u), a, b };
  qsort (candidates, n * m, sizeof *candidates, compare_candidates);
  memset (partner_of_first, 0xff, n * sizeof *partner_of_first);
  memset (partner_of_second, 0xff, m * sizeof *partner_of_second);
  for (size_t i = 0; i < n * m; i++)
    if (partner_of_first[candidates[i].a] == UINT32_MAX && partner_of_second[candidates[i].b] == UINT32_MAX) {
      partner_of_first[candidates[i].a] = candidates[i].b;
      partner_of_second[candidates[i].b] = candidates[i].a;
    }
  for (size_t i = 0; i < n * m; i++) {
    if (partner_of_first[candidates[i].a] == UINT32_MAX)
      partner_of_first[candidates[i].a] = candidates[i].b;
    if (partner_of_second[candidates[i].b] == UINT32_MAX)
      partner_of_second[candidates[i].b] = candidates[i].a;
  }
  /* The larger side has one pair for each of its keys. */
  for (size_t i = 0; i < MAX (n, m); i++) {
    count_first[n >= m ? i : partner_of_second[i]]++;
    count_second[n >= m ? partner_of_first[i] : i]++;
  }
  for (size_t i = 0; i < MAX (n, m); i++) {
    const size_t a = n >= m ? i : partner_of_second[i], b = n >= m ? partner_of_first[i] : i;
    const KeyPair pair = { .source = first[a].key,
                           .destination = second[b].key,
                           .source_share = 1.0 / count_first[a],
                           .destination_share = 1.0 / count_second[b],
                           .from = key_attributes_get_place (&s->a, first[a].key),
                           .to = key_attributes_get_place (&d->a, second[b].key) };

    g_array_append_val (match->pairs, pair);
  }
  return true;
}

/* A key without a partner, which stands at the same place of the other box, if there is one. */
static void
add_single (KeyMatch *match, const Keys *keys, const Cellmate *mate, bool shrinks, const Box *other)
{
  const KgVector own = key_attributes_get_place (&keys->a, mate->key),
                 far = other != NULL ? box_get_place (other, mate->u) : own;
  const KeyPair pair = { .source = shrinks ? (int64_t) mate->key : -1,
                         .destination = shrinks ? -1 : (int64_t) mate->key,
                         .source_share = 1,
                         .destination_share = 1,
                         .from = shrinks ? own : far,
                         .to = shrinks ? far : own };

  g_array_append_val (match->pairs, pair);
}

static int
compare_cellmates (gconstpointer a, gconstpointer b)
{
  const Cellmate *p = (const Cellmate *) a, *q = (const Cellmate *) b;

  return p->cell != q->cell ? (p->cell > q->cell) - (p->cell < q->cell) : (p->key > q->key) - (p->key < q->key);
}

/* The keys of a part by their cells.  (element-type Cellmate) (transfer full) */
static GArray *
find_cellmates (const Keys *k, int32_t part, const Box *box, const int64_t cells[3])
{
  GArray *mates = g_array_new (false, false, sizeof (Cellmate));

  for (size_t i = 0; i < k->n; i++)
    if (keys_get_part (k, i) == part) {
      Cellmate mate = { .key = (uint32_t) i,
                        .part = part,
                        .u = box_normalize (box, key_attributes_get_place (&k->a, i)) };

      mate.cell = get_cell (mate.u, cells);
      g_array_append_val (mates, mate);
    }
  g_array_sort (mates, compare_cellmates);
  return mates;
}

/* The end of the cell that begins at i. */
static guint
find_end (const GArray *mates, guint i)
{
  guint end = i;

  while (end < mates->len && g_array_index (mates, Cellmate, end).cell == g_array_index (mates, Cellmate, i).cell)
    end++;
  return end;
}

/* other: the part of the destination. */
static bool
match_part (const Keys *s, const Keys *d, const MatchOptions *options, PartMatch *part, int32_t other, KeyMatch *match,
            GError **error)
{
  Box from, to;
  const bool has_from = keys_get_box (s, part->part, &from), has_to = keys_get_box (d, other, &to);
  int64_t cells[3];
  g_autoptr (GArray) first = NULL, second = NULL;

  get_cells (options, part->part, cells);
  first = find_cellmates (s, part->part, &from, cells);
  second = find_cellmates (d, other, &to, cells);
  for (guint i = 0, k = 0; i < first->len || k < second->len; part->used++) {
    const Cellmate *a = &g_array_index (first, Cellmate, i), *b = &g_array_index (second, Cellmate, k);
    const bool only_first = k == second->len || (i < first->len && a->cell < b->cell);
    const bool only_second = i == first->len || (k < second->len && b->cell < a->cell);
    const guint end = only_second ? i : find_end (first, i), stop = only_first ? k : find_end (second, k);

    if (!only_first && !only_second) {
      part->matched += MAX (end - i, stop - k);
      if (!pair_cell (s, d, a, end - i, b, stop - k, match, error))
        return false;
    } else {
      for (guint m = i; m < end; m++)
        add_single (match, s, &g_array_index (first, Cellmate, m), true, has_to ? &to : NULL);
      for (guint m = k; m < stop; m++)
        add_single (match, d, &g_array_index (second, Cellmate, m), false, has_from ? &from : NULL);
    }
    i = end;
    k = stop;
  }
  return true;
}

/* Most keys of a part that are carried to others. */
#define MAX_TRANSPORT 1000
/* Most keys that are compared to count those that pass each other. */
#define MAX_CROSSINGS 5000

/* Force times volume; what has none counts a little, so that it goes along. */
static double
keys_get_mass (const Keys *k, size_t i)
{
  const KgVector axes = keys_get_axes (k, i);
  const double force = fabs (key_attributes_get_force (&k->a, i));

  return MAX (force * fabs (axes.x * axes.y * axes.z), 1e-9);
}

/* Of the keys of one side, so that they add to 1.  (transfer full) */
static double *
find_masses (const Keys *k, const GArray *mates)
{
  double *masses = g_new (double, mates->len), sum = 0;

  for (guint i = 0; i < mates->len; i++)
    sum += masses[i] = keys_get_mass (k, g_array_index (mates, Cellmate, i).key);
  for (guint i = 0; i < mates->len; i++)
    masses[i] /= sum;
  return masses;
}

static bool
transport_part (const Keys *s, const Keys *d, PartMatch *part, const KgProgressMonitor *monitor, KeyMatch *match,
                GError **error)
{
  static const int64_t one[] = { 1, 1, 1 };
  Box from, to;
  const bool has_from = keys_get_box (s, part->part, &from), has_to = keys_get_box (d, part->part, &to);
  g_autoptr (GArray) first = find_cellmates (s, part->part, &from, one);
  g_autoptr (GArray) second = find_cellmates (d, part->part, &to, one);
  const size_t n = first->len, m = second->len;
  g_autofree double *costs = NULL, *flows = NULL, *masses = NULL, *others = NULL;

  for (guint i = 0; i < n && !has_to; i++)
    add_single (match, s, &g_array_index (first, Cellmate, i), true, NULL);
  for (guint k = 0; k < m && !has_from; k++)
    add_single (match, d, &g_array_index (second, Cellmate, k), false, NULL);
  if (!has_from || !has_to)
    return true;
  if (n > MAX_TRANSPORT || m > MAX_TRANSPORT) {
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "part %d has %zu and %zu keys, more than the %d that can be matched at once: match by cells, or divide it "
        "into parts",
        part->part, n, m, MAX_TRANSPORT);
    return false;
  }
  costs = g_new (double, n *m);
  flows = g_new (double, n *m);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < m; k++)
      costs[i * m + k] = get_distance2 (g_array_index (first, Cellmate, i).u, g_array_index (second, Cellmate, k).u);
  masses = find_masses (s, first);
  others = find_masses (d, second);
  if (!transport_solve (costs, masses, n, others, m, flows, monitor)) {
    kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
    return false;
  }
  part->used = 1;
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < m; k++) {
      const uint32_t a = g_array_index (first, Cellmate, i).key, b = g_array_index (second, Cellmate, k).key;
      const double flow = flows[i * m + k];
      const KeyPair pair = { .source = a,
                             .destination = b,
                             .source_share = flow / masses[i],
                             .destination_share = flow / others[k],
                             .from = key_attributes_get_place (&s->a, a),
                             .to = key_attributes_get_place (&d->a, b) };

      if (!(flow > 0))
        continue;
      part->matched++;
      g_array_append_val (match->pairs, pair);
    }
  return true;
}

static int32_t
pair_get_part (const Keys *s, const Keys *d, const KeyPair *pair)
{
  return pair->source >= 0 ? keys_get_part (s, (size_t) pair->source) : keys_get_part (d, (size_t) pair->destination);
}

/* Numbers of the pairs, each in an array of its own. */
enum { FROM_X, FROM_Y, FROM_Z, TO_X, TO_Y, TO_Z, PART, N_NUMBERS };

/* How many of the pairs before i pass it: in vectors, and by the sums that kg_vector_dot makes. */
KG_KERNEL static size_t
count_crossings_of (double *const numbers[N_NUMBERS], size_t i)
{
  const double *restrict fx = numbers[FROM_X], *restrict fy = numbers[FROM_Y], *restrict fz = numbers[FROM_Z];
  const double *restrict tx = numbers[TO_X], *restrict ty = numbers[TO_Y], *restrict tz = numbers[TO_Z];
  const double *restrict part = numbers[PART];
  const double ax = fx[i], ay = fy[i], az = fz[i], bx = tx[i], by = ty[i], bz = tz[i], own = part[i];
  int64_t n = 0;

  for (size_t k = 0; k < i; k++) {
    const double dot = (ax - fx[k]) * (bx - tx[k]) + (ay - fy[k]) * (by - ty[k]) + (az - fz[k]) * (bz - tz[k]);

    n += dot < 0 && part[k] == own ? 1 : 0;
  }
  return (size_t) n;
}

/* Two keys pass each other where the way from one to the other turns round by more than a right angle. */
static size_t
count_crossings (const Keys *s, const Keys *d, const GArray *pairs)
{
  const size_t n_pairs = MIN (pairs->len, MAX_CROSSINGS);
  g_autofree double *all = g_new (double, MAX (N_NUMBERS * n_pairs, 1));
  double *numbers[N_NUMBERS];
  size_t n = 0;

  for (guint c = 0; c < N_NUMBERS; c++)
    numbers[c] = all + c * n_pairs;
  for (size_t i = 0; i < n_pairs; i++) {
    const KeyPair *pair = &g_array_index (pairs, KeyPair, i);

    for (int c = 0; c < 3; c++) {
      numbers[FROM_X + c][i] = kg_vector_get (pair->from, c);
      numbers[TO_X + c][i] = kg_vector_get (pair->to, c);
    }
    numbers[PART][i] = pair_get_part (s, d, pair);
    n += count_crossings_of (numbers, i);
  }
  return n;
}

/* The last row of a part counts. */
static void
bend_paths (const Keys *s, const Keys *d, const KgTable *arcs, GArray *pairs)
{
  for (guint i = 0; i < pairs->len; i++) {
    KeyPair *pair = &g_array_index (pairs, KeyPair, i);
    const int32_t part = pair_get_part (s, d, pair);

    for (size_t row = 0; row < kg_table_get_n_rows (arcs); row++) {
      const double *r = kg_table_get_row (arcs, row);

      if (r[0] == part)
        pair->bow = kg_vector (r[1], r[2], r[3]);
    }
  }
}

static void
add_alone (KeyMatch *match, const Keys *keys, size_t i, bool shrinks)
{
  const Cellmate mate = { .key = (uint32_t) i };

  add_single (match, keys, &mate, shrinks, NULL);
}

static void
add_pair (KeyMatch *match, const Keys *s, size_t i, const Keys *d, size_t k)
{
  const KeyPair pair = { .source = (int64_t) i,
                         .destination = (int64_t) k,
                         .source_share = 1,
                         .destination_share = 1,
                         .from = key_attributes_get_place (&s->a, i),
                         .to = key_attributes_get_place (&d->a, k) };

  g_array_append_val (match->pairs, pair);
}

static void
match_order (const Keys *s, const Keys *d, KeyMatch *match)
{
  for (size_t i = 0; i < MAX (s->n, d->n); i++)
    if (i < MIN (s->n, d->n))
      add_pair (match, s, i, d, i);
    else
      add_alone (match, i < s->n ? s : d, i, i < s->n);
}

/* Of keys with the same id the first ones are partners. */
static void
match_ids (const Keys *s, const Keys *d, KeyMatch *match)
{
  g_autoptr (GHashTable) by_id = g_hash_table_new (NULL, NULL);
  g_autofree uint8_t *taken = g_new0 (uint8_t, MAX (d->n, 1));

  for (size_t k = d->n; k-- > 0;)
    g_hash_table_insert (by_id, GINT_TO_POINTER (d->a.id != NULL ? d->a.id[k] : (int32_t) k), GSIZE_TO_POINTER (k + 1));
  for (size_t i = 0; i < s->n; i++) {
    const gpointer id = GINT_TO_POINTER (s->a.id != NULL ? s->a.id[i] : (int32_t) i);
    const size_t k = GPOINTER_TO_SIZE (g_hash_table_lookup (by_id, id));

    if (k > 0 && !taken[k - 1]) {
      taken[k - 1] = 1;
      add_pair (match, s, i, d, k - 1);
    } else
      add_alone (match, s, i, true);
  }
  for (size_t k = 0; k < d->n; k++)
    if (!taken[k])
      add_alone (match, d, k, false);
}

/* The key that a cell of a table says, or -1 where it is blank.  False: there is none of that index. */
static bool
read_index (double cell, const Keys *k, const char *side, size_t row, int64_t *index, GError **error)
{
  *index = -1;
  if (isnan (cell))
    return true;
  if (!(cell >= 0 && cell < (double) k->n && cell == floor (cell))) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "pairs, row %zu: %s has no key %g: it has %zu, counted from 0",
                  row + 1, side, cell, k->n);
    return false;
  }
  *index = (int64_t) cell;
  return true;
}

static bool
match_by_hand (const Keys *s, const Keys *d, const KgTable *table, KeyMatch *match, GError **error)
{
  const size_t n = table != NULL ? kg_table_get_n_rows (table) : 0;
  g_autofree uint32_t *uses = g_new0 (uint32_t, s->n + d->n + 1);
  uint32_t *const others = uses + s->n;

  for (size_t row = 0; row < n; row++) {
    const double *cells = kg_table_get_row (table, row);
    int64_t a, b;

    if (!read_index (cells[0], s, "the source", row, &a, error) ||
        !read_index (cells[1], d, "the destination", row, &b, error))
      return false;
    if (a >= 0)
      uses[a]++;
    if (b >= 0)
      others[b]++;
    if (a >= 0 && b >= 0)
      add_pair (match, s, (size_t) a, d, (size_t) b);
    else if (a >= 0 || b >= 0)
      add_alone (match, a >= 0 ? s : d, (size_t) MAX (a, b), a >= 0);
  }
  for (guint i = 0; i < match->pairs->len; i++) {
    KeyPair *pair = &g_array_index (match->pairs, KeyPair, i);

    if (pair->source >= 0)
      pair->source_share = 1.0 / uses[pair->source];
    if (pair->destination >= 0)
      pair->destination_share = 1.0 / others[pair->destination];
  }
  for (size_t i = 0; i < s->n + d->n; i++)
    if (uses[i] == 0)
      add_alone (match, i < s->n ? s : d, i < s->n ? i : i - s->n, i < s->n);
  return true;
}

/* The mean place of the keys of a part, or of the closest part above it that has keys; false: there is none. */
static bool
find_centre (const Keys *k, const PartTree *tree, int64_t node, KgVector *centre)
{
  const GArray *keys = NULL;

  for (; node >= 0; node = g_array_index (tree->nodes, PartNode, (guint) node).parent) {
    keys = g_array_index (tree->nodes, PartNode, (guint) node).keys;
    if (keys->len > 0)
      break;
  }
  if (node < 0)
    return false;
  *centre = kg_vector (0, 0, 0);
  for (guint i = 0; i < keys->len; i++)
    *centre = kg_vector_add_scaled (*centre, 1.0 / keys->len,
                                    key_attributes_get_place (&k->a, g_array_index (keys, size_t, i)));
  return true;
}

/* Keys of one side, from the first on, that grow out of a part of the other side, or shrink into it. */
static void
add_branch (KeyMatch *match, const Keys *own, const GArray *keys, guint first, bool shrinks, const Keys *other,
            const PartTree *tree, int64_t node)
{
  KgVector centre;
  const bool found = find_centre (other, tree, node, &centre);

  for (guint i = first; i < keys->len; i++) {
    KeyPair *pair;

    add_alone (match, own, g_array_index (keys, size_t, i), shrinks);
    pair = &g_array_index (match->pairs, KeyPair, match->pairs->len - 1);
    if (found)
      *(shrinks ? &pair->to : &pair->from) = centre;
  }
}

static PartMatch *
find_part (const KeyMatch *match, int32_t part)
{
  const PartMatch wanted = { .part = part };

  return (PartMatch *) bsearch (&wanted, match->parts->data, match->parts->len, sizeof wanted, compare_parts);
}

static void
count_level (GArray *levels, const PartPair *pair)
{
  LevelMatch *level;

  if (levels->len <= pair->level)
    g_array_set_size (levels, pair->level + 1);
  level = &g_array_index (levels, LevelMatch, pair->level);
  level->pairs++;
  level->growing += pair->source < 0;
  level->shrinking += pair->destination < 0;
}

static bool
match_branches (const Keys *s, const Keys *d, const PartTree *from, const PartTree *to, const PartPair *pair,
                const MatchOptions *options, KeyMatch *match, GError **error)
{
  const PartNode *a = pair->source < 0 ? NULL : &g_array_index (from->nodes, PartNode, (guint) pair->source);
  const PartNode *b = pair->destination < 0 ? NULL : &g_array_index (to->nodes, PartNode, (guint) pair->destination);
  const guint both = a != NULL && b != NULL ? MIN (a->keys->len, b->keys->len) : 0;

  if (both > 0 && options->method == MATCH_HIERARCHY_CELLS)
    return match_part (s, d, options, find_part (match, a->part), b->part, match, error);
  for (guint i = 0; i < both; i++)
    add_pair (match, s, g_array_index (a->keys, size_t, i), d, g_array_index (b->keys, size_t, i));
  if (both > 0)
    find_part (match, a->part)->matched += both;
  if (a != NULL)
    add_branch (match, s, a->keys, both, true, d, to, b != NULL ? pair->destination : pair->above_destination);
  if (b != NULL)
    add_branch (match, d, b->keys, both, false, s, from, a != NULL ? pair->source : pair->above_source);
  return true;
}

static bool
match_trees (const Keys *s, const Keys *d, const MatchOptions *options, PartNames *names,
             const KgProgressMonitor *monitor, KeyMatch *match, GError **error)
{
  g_auto (PartTree) from = { NULL, -1 }, to = { NULL, -1 };
  g_autoptr (GArray) pairs = NULL;

  if (!part_tree_read (s->a.geometry, names, &from, error) || !part_tree_read (d->a.geometry, names, &to, error))
    return false;
  pairs = part_tree_match (&from, &to, monitor);
  for (guint i = 0; pairs != NULL && i < pairs->len; i++) {
    const PartPair *pair = &g_array_index (pairs, PartPair, i);

    if (kg_progress_is_cancelled (monitor))
      g_clear_pointer (&pairs, g_array_unref);
    else if (match_branches (s, d, &from, &to, pair, options, match, error))
      count_level (match->levels, pair);
    else
      return false;
  }
  if (pairs == NULL)
    kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
  return pairs != NULL;
}

static bool
keys_are_planes (const Keys *k, size_t i)
{
  return k->a.kind != NULL && k->a.kind[i] == SOFT_KEY_PLANE;
}

/* A plane does not become a body, nor the other way round: one fades while the other comes. */
static void
part_kinds (const Keys *s, const Keys *d, GArray *pairs)
{
  const guint n = pairs->len;

  for (guint i = 0; i < n; i++) {
    KeyPair *pair = &g_array_index (pairs, KeyPair, i), second = *pair;

    if (pair->source < 0 || pair->destination < 0 ||
        keys_are_planes (s, (size_t) pair->source) == keys_are_planes (d, (size_t) pair->destination))
      continue;
    pair->destination = -1;
    pair->to = pair->from;
    second.source = -1;
    second.from = second.to;
    g_array_append_val (pairs, second);
  }
}

void
key_match_clear (KeyMatch *match)
{
  g_clear_pointer (&match->pairs, g_array_unref);
  g_clear_pointer (&match->parts, g_array_unref);
  g_clear_pointer (&match->levels, g_array_unref);
}

bool
match_keys (const KgGeometry *source, const KgGeometry *destination, const MatchOptions *options,
            const KgProgressMonitor *monitor, KeyMatch *match, GError **error)
{
  Keys s = keys_read (source), d = keys_read (destination);
  g_auto (PartNames) names = { NULL };
  const bool named = part_names_are_used (source) || part_names_are_used (destination);
  g_autofree int32_t *from = NULL, *to = NULL;

  if (named) {
    s.a.part = from = part_names_read (&names, source);
    d.a.part = to = part_names_read (&names, destination);
  }
  match->pairs = g_array_new (false, false, sizeof (KeyPair));
  match->parts = g_array_new (false, false, sizeof (PartMatch));
  match->levels = g_array_new (false, true, sizeof (LevelMatch));
  for (size_t i = 0; i < s.n; i++)
    count_part (match->parts, keys_get_part (&s, i), 1, 0);
  for (size_t i = 0; i < d.n; i++)
    count_part (match->parts, keys_get_part (&d, i), 0, 1);
  g_array_sort (match->parts, compare_parts);
  if (options->method == MATCH_ORDER)
    match_order (&s, &d, match);
  else if (options->method == MATCH_ID)
    match_ids (&s, &d, match);
  else if (options->method == MATCH_BY_HAND) {
    if (!match_by_hand (&s, &d, options->pairs, match, error))
      return false;
  } else if (options->method == MATCH_HIERARCHY || options->method == MATCH_HIERARCHY_CELLS) {
    if (!match_trees (&s, &d, options, named ? &names : NULL, monitor, match, error))
      return false;
  } else if (options->method == MATCH_SURFACE) {
    for (size_t i = 0; i < s.n + d.n; i++)
      add_alone (match, i < s.n ? &s : &d, i < s.n ? i : i - s.n, i < s.n);
  } else
    for (guint i = 0; i < match->parts->len; i++) {
      if (!kg_progress_check (monitor, error))
        return false;
      if (options->method == MATCH_TRANSPORT
              ? !transport_part (&s, &d, &g_array_index (match->parts, PartMatch, i), monitor, match, error)
              : !match_part (&s, &d, options, &g_array_index (match->parts, PartMatch, i),
                             g_array_index (match->parts, PartMatch, i).part, match, error))
        return false;
    }
  part_kinds (&s, &d, match->pairs);
  if (options->arcs != NULL && options->method != MATCH_SURFACE)
    bend_paths (&s, &d, options->arcs, match->pairs);
  match->crossings = options->method == MATCH_SURFACE ? 0 : count_crossings (&s, &d, match->pairs);
  return true;
}

/* The attributes of the keys between. */
typedef struct {
  float *p, *axes, *size, *frame, *orient, *power, *force, *sized,
      *color;                   /* axes, size or frame may be NULL where no key needs them */
  int32_t *group, *part, *kind; /* kind: NULL where all are ellipsoids */
} Blend;

/* K of a key, whose columns are its axes, as a rotation times a stretch. */
typedef struct {
  KgRotation turn;
  double stretch[3][3]; /* symmetric */
} Shape;

/* One side of a pair. */
typedef struct {
  KgVector axes;
  bool influence; /* axes and frame are those of the influence, not of the body */
  bool framed;    /* the shape is that of the attribute frame, and not made of turn and axes */
  Shape shape;    /* of frames only */
  KgRotation turn;
  double power, force, sized;
  float color[4];
  int32_t group, part, kind;
} Side;

/* The extent of the influence of a key is said by one side of a pair, and that of its body by the other: they are then taken to
 * be in a soft object with its defaults. */
static const Density usual_density = { .kind = DENSITY_WYVILL, .level = 0.5 };

static void
shape_scale (Shape *shape, double factor)
{
  for (int i = 0; i < 9; i++)
    shape->stretch[i / 3][i % 3] *= factor;
}

/* Of three columns, in one float after the other.  A mirrored one is turned round along one axis, which leaves the body. */
static Shape
shape_from_frame (const float *frame)
{
  KgTransform t = kg_transform_identity (), stretch;
  Shape shape = { .turn = kg_rotation_identity () };
  bool reflects;

  for (size_t i = 0; i < 9; i++)
    t.m[i % 3][i / 3] = (double) frame[i];
  if (!conversion_from_matrix (&t, &shape.turn, &stretch, &reflects)) {
    /* Flat: no body either way. */
    shape.turn = kg_rotation_identity ();
    stretch = t;
  }
  for (int i = 0; i < 9; i++)
    shape.stretch[i / 3][i % 3] = (reflects ? -1 : 1) * stretch.m[i / 3][i % 3];
  return shape;
}

static Shape
shape_from_axes (KgRotation turn, KgVector axes)
{
  return (Shape){ turn, { { axes.x, 0, 0 }, { 0, axes.y, 0 }, { 0, 0, axes.z } } };
}

/* Its columns, as the attribute frame has them. */
static void
shape_get_columns (const Shape *shape, KgVector columns[3])
{
  for (size_t c = 0; c < 3; c++)
    columns[c] =
        kg_rotation_apply (shape->turn, kg_vector (shape->stretch[0][c], shape->stretch[1][c], shape->stretch[2][c]));
}

static Side
get_side (const Keys *k, size_t i, double share)
{
  Side side = { .turn = key_attributes_get_orient (&k->a, i),
                .power = key_attributes_get_power (&k->a, i),
                .force = share * key_attributes_get_force (&k->a, i),
                .sized = key_attributes_get_sized (&k->a, i),
                .color = { 1, 1, 1, 1 },
                .group = key_attributes_get_group (&k->a, i),
                .part = keys_get_part (k, i),
                .kind = k->a.kind != NULL ? k->a.kind[i] : SOFT_KEY_ELLIPSOID };

  side.axes = key_attributes_get_half_extent (&k->a, i, &side.influence);
  side.framed = key_attributes_has_frame (&k->a, i);
  if (side.framed) {
    side.influence = !key_attributes_has_body_frame (&k->a, i);
    side.shape = shape_from_frame (k->a.frame + 9 * i);
  }
  if (k->a.color != NULL)
    memcpy (side.color, k->a.color + k->a.color_size * i, k->a.color_size * sizeof (float));
  return side;
}

/* Body / influence. */
static double
get_usual_ratio (double sized)
{
  const double body = density_get_body (&usual_density, fabs (sized));

  return body > 0 ? body : density_get_body (&usual_density, 1);
}

/* Tells the extent of the influence of the same key in place of that of its body. */
static void
side_tell_influence (Side *side)
{
  const double factor = side->influence ? 1 : 1 / get_usual_ratio (side->sized);

  side->influence = true;
  side->axes = kg_vector_scale (side->axes, factor);
  shape_scale (&side->shape, factor);
}

/* The same key, but that nothing is seen of it.  Planes only fade. */
static Side
get_nothing (Side side, MatchZero zero)
{
  const bool plane = side.kind == SOFT_KEY_PLANE;

  if (zero != MATCH_ZERO_FORCE && !plane) {
    side.axes = kg_vector (0, 0, 0);
    shape_scale (&side.shape, 0);
  }
  if (zero != MATCH_ZERO_AXES || plane)
    side.force = 0;
  return side;
}

/* Half turns about its own axes leave a key as it is: the one that is nearest. */
static KgRotation
get_nearest_turn (KgRotation from, KgRotation to, int *half)
{
  static const KgRotation halves[] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } };
  KgRotation best = to;
  double most = -1;

  *half = 0;
  for (int i = 0; i < 4; i++) {
    const KgRotation q = kg_rotation_multiply (to, halves[i]);
    const double dot = fabs (q.w * from.w + q.x * from.x + q.y * from.y + q.z * from.z);

    if (dot > most + 1e-12) {
      most = dot;
      best = q;
      *half = i;
    }
  }
  return best;
}

static void
get_columns (const Side *side, KgVector columns[3])
{
  for (size_t c = 0; c < 3; c++) {
    KgVector v = { 0, 0, 0 };

    *kg_vector_component (&v, c) = kg_vector_get (side->axes, c);
    columns[c] = kg_rotation_apply (side->turn, v);
  }
}

/* The rotation next to three vectors of length 1. */
static KgRotation
get_polar_rotation (const KgVector columns[3], KgRotation fallback)
{
  KgTransform t = kg_transform_identity (), stretch;
  KgRotation turn;
  bool reflects;

  for (size_t r = 0; r < 3; r++)
    for (size_t c = 0; c < 3; c++)
      t.m[r][c] = kg_vector_get (columns[c], r);
  return conversion_from_matrix (&t, &turn, &stretch, &reflects) ? turn : fallback;
}

/* Axes that are none stay in the other's directions. */
static void
blend_axes (const Side *from, const Side *to, MatchAxes how, double t, KgVector *axes, KgRotation *turn)
{
  KgVector a[3], b[3], unit[3];
  int half;

  if (how == MATCH_BY_ROTATION) {
    *axes = kg_vector_lerp (from->axes, to->axes, t);
    *turn = kg_rotation_slerp (from->turn, get_nearest_turn (from->turn, to->turn, &half), t);
    return;
  }
  get_columns (from, a);
  get_columns (to, b);
  for (size_t c = 0; c < 3; c++) {
    const KgVector v = kg_vector_lerp (a[c], b[c], t);
    const double length = kg_vector_length (v);

    *kg_vector_component (axes, c) = length > 0 ? length : 1e-6;
    unit[c] = kg_vector_normalize_or (v, kg_vector (0, 0, 0));
  }
  *turn = get_polar_rotation (unit, kg_rotation_slerp (from->turn, to->turn, t));
}

/* The same of keys whose axes are not perpendicular: the columns between. */
static void
blend_shapes (const Side *from, const Side *to, MatchAxes how, double t, KgVector columns[3])
{
  const Shape a = from->framed ? from->shape : shape_from_axes (from->turn, from->axes);
  const Shape b = to->framed ? to->shape : shape_from_axes (to->turn, to->axes);
  KgVector first[3], second[3];
  Shape between;
  int half;

  if (how == MATCH_BY_VECTORS) {
    shape_get_columns (&a, first);
    shape_get_columns (&b, second);
    for (size_t c = 0; c < 3; c++)
      columns[c] = kg_vector_lerp (first[c], second[c], t);
    return;
  }
  between.turn = kg_rotation_slerp (a.turn, get_nearest_turn (a.turn, b.turn, &half), t);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      /* A half turn about one axis turns the two others round. */
      const bool turned = half > 0 && (r == half - 1) != (c == half - 1);
      const double end = (turned ? -1 : 1) * b.stretch[r][c];

      between.stretch[r][c] = a.stretch[r][c] + t * (end - a.stretch[r][c]);
    }
  shape_get_columns (&between, columns);
}

KgVector
key_pair_get_place (const KeyPair *pair, double t)
{
  return kg_vector_add_scaled (kg_vector_lerp (pair->from, pair->to, t), 4 * t * (1 - t), pair->bow);
}

static void
blend_write (const Blend *blend, size_t i, const KeyPair *pair, Side *from, Side *to, MatchAxes how, double t)
{
  const KgVector p = key_pair_get_place (pair, t);
  /* As the side says it that is nearer, so that both ends are exact. */
  const bool influence = t < 0.5 ? from->influence : to->influence;
  float *extent = influence ? blend->axes : blend->size;
  double scale = 1;
  KgVector axes;
  KgRotation turn;

  if (from->influence != to->influence) {
    scale = influence ? 1 : get_usual_ratio (from->sized + t * (to->sized - from->sized));
    side_tell_influence (from);
    side_tell_influence (to);
  }
  blend_axes (from, to, how, t, &axes, &turn);
  if (from->framed || to->framed) {
    KgVector columns[3];

    blend_shapes (from, to, how, t, columns);
    for (size_t c = 0; c < 3; c++)
      kg_floats_set_vector (blend->frame + 9 * i, c, kg_vector_scale (columns[c], scale));
    axes = kg_vector (kg_vector_length (columns[0]), kg_vector_length (columns[1]), kg_vector_length (columns[2]));
  }
  kg_floats_set_vector (blend->p, i, p);
  kg_floats_set_vector (extent, i, kg_vector_scale (axes, scale));
  kg_floats_set_rotation (blend->orient, i, turn);
  blend->power[i] = (float) (from->power + t * (to->power - from->power));
  blend->force[i] = (float) (from->force + t * (to->force - from->force));
  blend->sized[i] = (float) (from->sized + t * (to->sized - from->sized));
  for (size_t c = 0; c < 4; c++)
    blend->color[4 * i + c] = (float) ((double) from->color[c] + t * ((double) to->color[c] - (double) from->color[c]));
  blend->group[i] = t < 0.5 ? from->group : to->group;
  blend->part[i] = from->part;
  if (blend->kind != NULL)
    blend->kind[i] = from->kind;
}

static void
copy_path (KgGeometry *keys, size_t i, const KgGeometry *from, size_t k)
{
  const char *path = kg_geometry_get_text (from, KG_POINTS, "path", k);

  if (path != NULL)
    kg_geometry_set_text (keys, KG_POINTS, "path", i, path);
}

KgGeometry *
match_keys_blend (const KgGeometry *source, const KgGeometry *destination, const MatchOptions *options,
                  const KeyMatch *match, double amount, GError **error)
{
  const Keys s = keys_read (source), d = keys_read (destination);
  const bool sine = options->weights == MATCH_SINE_COSINE, given = options->weights == MATCH_GIVEN;
  const double fading = given ? options->fading : sine ? cos (amount * G_PI / 2) : 1 - amount;
  const double rising = given ? options->rising : sine ? sin (amount * G_PI / 2) : amount;
  g_autoptr (KgGeometry) keys = kg_geometry_new ();
  bool influences = false, bodies = false;
  Blend blend;

  if (!kg_geometry_set_n_points (keys, match->pairs->len, error))
    return NULL;
  keys_find_extents (&s, &influences, &bodies);
  keys_find_extents (&d, &influences, &bodies);
  blend = (Blend){
    .p = kg_geometry_edit_positions (keys),
    .axes = influences ? kg_geometry_edit_float (keys, KG_POINTS, "axes", 3) : NULL,
    .size = bodies ? kg_geometry_edit_float (keys, KG_POINTS, "size", 3) : NULL,
    .frame = s.a.frame != NULL || d.a.frame != NULL ? kg_geometry_edit_float (keys, KG_POINTS, "frame", 9) : NULL,
    .orient = kg_geometry_edit_float (keys, KG_POINTS, "orient", 4),
    .power = kg_geometry_edit_float (keys, KG_POINTS, "power", 1),
    .force = kg_geometry_edit_float (keys, KG_POINTS, "force", 1),
    .sized = kg_geometry_edit_float (keys, KG_POINTS, "sized", 1),
    .color = kg_geometry_edit_float (keys, KG_POINTS, "Cd", 4),
    .group = kg_geometry_edit_int (keys, KG_POINTS, "group", 1),
    .part = kg_geometry_edit_int (keys, KG_POINTS, "part", 1),
    .kind = s.a.kind != NULL || d.a.kind != NULL ? kg_geometry_edit_int (keys, KG_POINTS, "kind", 1) : NULL
  };
  for (guint i = 0; i < match->pairs->len; i++) {
    const KeyPair *pair = &g_array_index (match->pairs, KeyPair, i);
    const bool shrinks = pair->destination < 0, grows = pair->source < 0;
    Side from = grows ? get_side (&d, (size_t) pair->destination, pair->destination_share)
                      : get_side (&s, (size_t) pair->source, pair->source_share);
    Side to = shrinks ? from : get_side (&d, (size_t) pair->destination, pair->destination_share);

    if (options->method == MATCH_SURFACE) {
      from.force = to.force = from.force * (shrinks ? fading : rising);
    } else if (grows)
      from = get_nothing (from, options->zero);
    else if (shrinks)
      to = get_nothing (to, options->zero);
    blend_write (&blend, i, pair, &from, &to, options->axes, amount);
    copy_path (keys, i, grows ? destination : source, (size_t) (grows ? pair->destination : pair->source));
  }
  return g_steal_pointer (&keys);
}
