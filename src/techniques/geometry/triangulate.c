/* triangulate: cutting off ears, with holes joined to the outline by bridges.
 * Sources: Eberly 2002, Triangulation by Ear Clipping; the search along a z-order curve and the order in which hopeless
 * rings are treated follow Mapbox's earcut.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangulate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Rings with fewer corners than this are searched one by one. */
#define CURVE_MIN 80
#define NONE UINT32_MAX

typedef struct {
  double x, y;
  uint32_t index; /* of the point */
  uint32_t previous, next;
  uint32_t z; /* along the curve */
  uint32_t previous_z, next_z;
} Node;

/* How far a ring has been treated. */
typedef enum { PASS_NEW, PASS_FILTERED, PASS_CURED } Pass;

typedef struct {
  uint32_t start;
  Pass pass;
} Ring;

typedef struct {
  const double *points;
  GArray *nodes; /* Node; bridges and diagonals append copies */
  GArray *todo;  /* Ring */
  GArray *triangles;
  double x, y, scale; /* of the curve's square; scale 0: no curve */
  guint64 work;       /* steps that are left */
} Cutter;

static Node *
get (const Cutter *c, uint32_t i)
{
  return &g_array_index (c->nodes, Node, i);
}

/* Twice the area of the triangle; negative where a ring in the outline's direction turns inwards at q. */
static double
area (const Node *p, const Node *q, const Node *r)
{
  return (q->y - p->y) * (r->x - q->x) - (q->x - p->x) * (r->y - q->y);
}

static bool
equals (const Node *a, const Node *b)
{
  return a->x == b->x && a->y == b->y;
}

static double
area_at (const Cutter *c, const Node *p)
{
  return area (get (c, p->previous), p, get (c, p->next));
}

static bool
is_in_triangle (double ax, double ay, double bx, double by, double cx, double cy, const Node *p)
{
  return (cx - p->x) * (ay - p->y) >= (ax - p->x) * (cy - p->y) &&
         (ax - p->x) * (by - p->y) >= (bx - p->x) * (ay - p->y) &&
         (bx - p->x) * (cy - p->y) >= (cx - p->x) * (by - p->y);
}

static bool
count_step (Cutter *c)
{
  if (c->work == 0)
    return false;
  c->work--;
  return true;
}

static void
count_steps (Cutter *c, guint64 steps)
{
  c->work -= MIN (c->work, steps);
}

static void
emit (Cutter *c, uint32_t p, uint32_t q, uint32_t r)
{
  const uint32_t corners[] = { get (c, p)->index, get (c, q)->index, get (c, r)->index };

  g_array_append_vals (c->triangles, corners, 3);
}

static void
remove_node (Cutter *c, uint32_t at)
{
  const Node *p = get (c, at);

  get (c, p->next)->previous = p->previous;
  get (c, p->previous)->next = p->next;
  if (p->previous_z != NONE)
    get (c, p->previous_z)->next_z = p->next_z;
  if (p->next_z != NONE)
    get (c, p->next_z)->previous_z = p->previous_z;
}

/* Links a ring, in the direction asked for; returns its last node. */
static uint32_t
add_ring (Cutter *c, uint32_t first, uint32_t end, bool outline)
{
  const uint32_t base = c->nodes->len, n = end - first;
  double sum = 0;

  for (uint32_t i = first, j = end - 1; i < end; j = i++)
    sum += (c->points[2 * j] - c->points[2 * i]) * (c->points[2 * i + 1] + c->points[2 * j + 1]);
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t i = outline == (sum > 0) ? first + k : end - 1 - k;
    const Node node = {
      c->points[2 * i], c->points[2 * i + 1], i, base + (k + n - 1) % n, base + (k + 1) % n, 0, NONE, NONE
    };

    g_array_append_val (c->nodes, node);
  }
  return base + n - 1;
}

/* Takes out corners that repeat their neighbour or lie on a straight line, from start to end; returns a node that is
 * left. */
static uint32_t
filter (Cutter *c, uint32_t start, uint32_t end)
{
  uint32_t p = start;
  bool again;

  do {
    const Node *node = get (c, p);

    again = false;
    if (equals (node, get (c, node->next)) || area_at (c, node) == 0) {
      remove_node (c, p);
      p = end = node->previous;
      if (p == get (c, p)->next)
        break;
      again = true;
    } else
      p = node->next;
  } while (again || p != end);
  return end;
}

/* Cuts a ring in two along the line from a to b, or joins two rings by a bridge: both ends become two nodes.  Returns
 * the other one at b. */
static uint32_t
split (Cutter *c, uint32_t a, uint32_t b)
{
  const uint32_t a2 = c->nodes->len, b2 = a2 + 1, after = get (c, a)->next, before = get (c, b)->previous;
  Node copies[] = { *get (c, a), *get (c, b) };

  copies[0].previous = b2;
  copies[0].next = after;
  copies[1].previous = before;
  copies[1].next = a2;
  copies[0].previous_z = copies[0].next_z = copies[1].previous_z = copies[1].next_z = NONE;
  g_array_append_vals (c->nodes, copies, 2);
  get (c, a)->next = b;
  get (c, b)->previous = a;
  get (c, after)->previous = a2;
  get (c, before)->next = b2;
  return b2;
}

/* Whether the line from a towards b starts inside of the ring. */
static bool
is_locally_inside (const Cutter *c, const Node *a, const Node *b)
{
  const Node *before = get (c, a->previous), *after = get (c, a->next);

  return area (before, a, after) < 0 ? area (a, b, after) >= 0 && area (a, before, b) >= 0
                                     : area (a, b, before) < 0 || area (a, after, b) < 0;
}

/* Holes. */

static bool
sector_contains (const Cutter *c, const Node *m, const Node *p)
{
  return area (get (c, m->previous), m, get (c, p->previous)) < 0 && area (get (c, p->next), m, get (c, m->next)) < 0;
}

/* The corner of the outline that the leftmost corner of a hole can be joined to (Eberly, section 5), or NONE. */
static uint32_t
find_bridge (Cutter *c, uint32_t hole, uint32_t outline)
{
  const Node *h = get (c, hole), *node;
  double reach = -INFINITY, steepest = INFINITY, mx, my;
  uint32_t m = NONE, p = outline, stop;

  /* The nearest edge to the left, and its left end. */
  do {
    const Node *a = get (c, p), *b = get (c, a->next);

    if (h->y <= a->y && h->y >= b->y && a->y != b->y) {
      const double x = a->x + (h->y - a->y) * (b->x - a->x) / (b->y - a->y);

      if (x <= h->x && x > reach) {
        reach = x;
        m = a->x < b->x ? p : a->next;
        if (x == h->x)
          return m;
      }
    }
    p = a->next;
  } while (p != outline && count_step (c));
  if (m == NONE)
    return NONE;
  /* Corners between the hole, the edge and its end stand in the way: the one at the smallest angle is seen. */
  stop = p = m;
  mx = get (c, m)->x;
  my = get (c, m)->y;
  do {
    node = get (c, p);
    if (h->x > node->x && node->x >= mx &&
        is_in_triangle (h->y < my ? h->x : reach, h->y, mx, my, h->y < my ? reach : h->x, h->y, node)) {
      const double slope = fabs (h->y - node->y) / (h->x - node->x);
      const Node *best = get (c, m);

      if (is_locally_inside (c, node, h) &&
          (slope < steepest ||
           (slope == steepest && (node->x > best->x || (node->x == best->x && sector_contains (c, best, node)))))) {
        m = p;
        steepest = slope;
      }
    }
    p = node->next;
  } while (p != stop && count_step (c));
  return m;
}

typedef struct {
  double x, y;
  uint32_t node;
} Leftmost;

static int
compare_leftmost (gconstpointer a, gconstpointer b)
{
  const Leftmost *p = (const Leftmost *) a, *q = (const Leftmost *) b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}

static uint32_t
join_holes (Cutter *c, uint32_t outline, const uint32_t *ends, uint32_t n_rings)
{
  g_autofree Leftmost *holes = g_new (Leftmost, n_rings);
  uint32_t n = 0;

  for (uint32_t r = 1; r < n_rings; r++) {
    const uint32_t first = c->nodes->len;
    Leftmost left = { INFINITY, INFINITY, first };

    if (ends[r] - ends[r - 1] < 3)
      continue;
    add_ring (c, ends[r - 1], ends[r], false);
    for (uint32_t i = first; i < c->nodes->len; i++) {
      const Leftmost other = { get (c, i)->x, get (c, i)->y, i };

      if (compare_leftmost (&other, &left) < 0)
        left = other;
    }
    holes[n++] = left;
  }
  /* From left to right: each finds all that lies to its left joined already. */
  qsort (holes, n, sizeof *holes, compare_leftmost);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t bridge = find_bridge (c, holes[i].node, outline);

    if (bridge != NONE) {
      const uint32_t back = split (c, bridge, holes[i].node);

      filter (c, back, get (c, back)->next);
      outline = filter (c, bridge, get (c, bridge)->next);
    }
  }
  return outline;
}

/* The curve: corners near each other on the plane are near each other on it. */

static uint32_t
spread_bits (uint32_t x)
{
  x = (x | x << 8) & 0x00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f;
  x = (x | x << 2) & 0x33333333;
  return (x | x << 1) & 0x55555555;
}

static uint32_t
get_z (const Cutter *c, double x, double y)
{
  return spread_bits ((uint32_t) ((x - c->x) * c->scale)) | spread_bits ((uint32_t) ((y - c->y) * c->scale)) << 1;
}

static int
compare_uint64 (gconstpointer a, gconstpointer b)
{
  const guint64 p = *(const guint64 *) a, q = *(const guint64 *) b;

  return p < q ? -1 : p > q;
}

static void
lay_curve (Cutter *c, uint32_t start)
{
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint64));
  uint32_t p = start;

  do {
    Node *node = get (c, p);
    guint64 key;

    node->z = get_z (c, node->x, node->y);
    key = (guint64) node->z << 32 | p;
    g_array_append_val (order, key);
    p = node->next;
  } while (p != start);
  qsort (order->data, order->len, sizeof (guint64), compare_uint64);
  count_steps (c, 16 * (guint64) order->len);
  for (guint i = 0; i < order->len; i++) {
    Node *node = get (c, (uint32_t) g_array_index (order, guint64, i));

    node->previous_z = i > 0 ? (uint32_t) g_array_index (order, guint64, i - 1) : NONE;
    node->next_z = i + 1 < order->len ? (uint32_t) g_array_index (order, guint64, i + 1) : NONE;
  }
}

/* Ears. */

typedef struct {
  const Node *a, *b, *c;
  double low[2], high[2];
} Ear;

/* A corner inside of the triangle that bends the ring inwards: the ear cannot be cut. */
static bool
is_in_ear (const Cutter *c, const Ear *ear, const Node *p)
{
  return p->x >= ear->low[0] && p->x <= ear->high[0] && p->y >= ear->low[1] && p->y <= ear->high[1] &&
         is_in_triangle (ear->a->x, ear->a->y, ear->b->x, ear->b->y, ear->c->x, ear->c->y, p) && area_at (c, p) >= 0;
}

static bool
is_ear (Cutter *c, uint32_t tip)
{
  const Node *b = get (c, tip), *a = get (c, b->previous), *d = get (c, b->next);
  const Ear ear = { a,
                    b,
                    d,
                    { fmin (a->x, fmin (b->x, d->x)), fmin (a->y, fmin (b->y, d->y)) },
                    { fmax (a->x, fmax (b->x, d->x)), fmax (a->y, fmax (b->y, d->y)) } };

  if (area (a, b, d) >= 0)
    return false;
  if (c->scale > 0) {
    const uint32_t low = get_z (c, ear.low[0], ear.low[1]), high = get_z (c, ear.high[0], ear.high[1]);

    for (uint32_t i = b->previous_z; i != NONE && get (c, i)->z >= low; i = get (c, i)->previous_z)
      if (!count_step (c) || (i != b->previous && i != b->next && is_in_ear (c, &ear, get (c, i))))
        return false;
    for (uint32_t i = b->next_z; i != NONE && get (c, i)->z <= high; i = get (c, i)->next_z)
      if (!count_step (c) || (i != b->previous && i != b->next && is_in_ear (c, &ear, get (c, i))))
        return false;
    return true;
  }
  for (uint32_t i = d->next; i != b->previous; i = get (c, i)->next)
    if (!count_step (c) || is_in_ear (c, &ear, get (c, i)))
      return false;
  return true;
}

/* Rings that cross themselves. */

static int
sign (double x)
{
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/* For three points on a line: whether q lies between the other two. */
static bool
is_on (const Node *p, const Node *q, const Node *r)
{
  return q->x <= fmax (p->x, r->x) && q->x >= fmin (p->x, r->x) && q->y <= fmax (p->y, r->y) &&
         q->y >= fmin (p->y, r->y);
}

static bool
intersects (const Node *p1, const Node *q1, const Node *p2, const Node *q2)
{
  const int a = sign (area (p1, q1, p2)), b = sign (area (p1, q1, q2)), d = sign (area (p2, q2, p1)),
            e = sign (area (p2, q2, q1));

  return (a != b && d != e) || (a == 0 && is_on (p1, p2, q1)) || (b == 0 && is_on (p1, q2, q1)) ||
         (d == 0 && is_on (p2, p1, q2)) || (e == 0 && is_on (p2, q1, q2));
}

/* Cuts off small loops, where an edge crosses the one after the next. */
static uint32_t
remove_small_loops (Cutter *c, uint32_t start)
{
  uint32_t p = start;

  do {
    const uint32_t a = get (c, p)->previous, q = get (c, p)->next, b = get (c, q)->next;

    if (!equals (get (c, a), get (c, b)) && intersects (get (c, a), get (c, p), get (c, q), get (c, b)) &&
        is_locally_inside (c, get (c, a), get (c, b)) && is_locally_inside (c, get (c, b), get (c, a))) {
      emit (c, a, p, b);
      remove_node (c, p);
      remove_node (c, q);
      p = start = b;
    }
    p = get (c, p)->next;
  } while (p != start);
  return filter (c, p, p);
}

static bool
is_middle_inside (Cutter *c, const Node *a, const Node *b)
{
  const double x = 0.5 * (a->x + b->x), y = 0.5 * (a->y + b->y);
  const Node *p = a;
  bool inside = false;

  do {
    const Node *q = get (c, p->next);

    if ((p->y > y) != (q->y > y) && x < (q->x - p->x) * (y - p->y) / (q->y - p->y) + p->x)
      inside = !inside;
    p = q;
  } while (p != a && count_step (c));
  return inside;
}

static bool
crosses_ring (Cutter *c, const Node *a, const Node *b)
{
  const Node *p = a;

  do {
    const Node *q = get (c, p->next);

    if (p->index != a->index && q->index != a->index && p->index != b->index && q->index != b->index &&
        intersects (p, q, a, b))
      return true;
    p = q;
  } while (p != a && count_step (c));
  return false;
}

static bool
is_diagonal (Cutter *c, const Node *a, const Node *b)
{
  if (a->index == b->index || get (c, a->next)->index == b->index || get (c, a->previous)->index == b->index ||
      crosses_ring (c, a, b))
    return false;
  if (equals (a, b))
    return area_at (c, a) > 0 && area_at (c, b) > 0;
  return is_locally_inside (c, a, b) && is_locally_inside (c, b, a) && is_middle_inside (c, a, b) &&
         (area (get (c, a->previous), a, get (c, b->previous)) != 0 || area (a, get (c, b->previous), b) != 0);
}

static void
push (Cutter *c, uint32_t start, Pass pass)
{
  const Ring ring = { start, pass };

  g_array_append_val (c->todo, ring);
}

/* Cuts the ring in two along any diagonal. */
static bool
divide (Cutter *c, uint32_t start)
{
  uint32_t a = start;

  do {
    for (uint32_t b = get (c, get (c, a)->next)->next; b != get (c, a)->previous; b = get (c, b)->next)
      if (!count_step (c))
        return false;
      else if (is_diagonal (c, get (c, a), get (c, b))) {
        const uint32_t other = split (c, a, b);

        push (c, filter (c, a, get (c, a)->next), PASS_NEW);
        push (c, filter (c, other, get (c, other)->next), PASS_NEW);
        return true;
      }
    a = get (c, a)->next;
  } while (a != start);
  return false;
}

/* What can be cut no further, as a fan. */
static void
emit_fan (Cutter *c, uint32_t start)
{
  for (uint32_t p = get (c, start)->next; get (c, p)->next != start; p = get (c, p)->next)
    emit (c, start, p, get (c, p)->next);
}

static void
cut_ring (Cutter *c, Ring ring)
{
  uint32_t ear = ring.start, stop = ear;

  if (ring.pass == PASS_NEW && c->scale > 0)
    lay_curve (c, ear);
  while (get (c, ear)->previous != get (c, ear)->next) {
    const uint32_t before = get (c, ear)->previous, after = get (c, ear)->next;

    count_steps (c, 1);
    if (is_ear (c, ear)) {
      emit (c, before, ear, after);
      remove_node (c, ear);
      /* Leaving one out makes less slivers. */
      ear = stop = get (c, after)->next;
      continue;
    }
    ear = after;
    if (ear != stop)
      continue;
    if (c->work == 0)
      emit_fan (c, ear);
    else if (ring.pass == PASS_NEW)
      push (c, filter (c, ear, ear), PASS_FILTERED);
    else if (ring.pass == PASS_FILTERED)
      push (c, remove_small_loops (c, filter (c, ear, ear)), PASS_CURED);
    else if (!divide (c, ear))
      emit_fan (c, ear);
    break;
  }
}

void
triangulate (const double *points, const uint32_t *ends, uint32_t n_rings, GArray *triangles)
{
  const uint32_t n = n_rings > 0 ? ends[n_rings - 1] : 0;
  Cutter c = { .points = points, .triangles = triangles, .work = 1000000 + 4000 * (guint64) n };
  uint32_t outline;

  if (n_rings == 0 || ends[0] < 3)
    return;
  c.nodes = g_array_sized_new (FALSE, FALSE, sizeof (Node), n + 2 * n_rings);
  c.todo = g_array_new (FALSE, FALSE, sizeof (Ring));
  outline = add_ring (&c, 0, ends[0], true);
  if (n_rings > 1)
    outline = join_holes (&c, outline, ends, n_rings);
  if (n > CURVE_MIN) {
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, size;

    for (uint32_t i = 0; i < n; i++)
      for (int k = 0; k < 2; k++) {
        low[k] = fmin (low[k], points[2 * i + k]);
        high[k] = fmax (high[k], points[2 * i + k]);
      }
    size = fmax (high[0] - low[0], high[1] - low[1]);
    c.x = low[0];
    c.y = low[1];
    c.scale = size > 0 ? 32767 / size : 0;
    if (!isfinite (c.scale))
      c.scale = 0;
  }
  push (&c, outline, PASS_NEW);
  while (c.todo->len > 0) {
    const Ring ring = g_array_index (c.todo, Ring, c.todo->len - 1);

    g_array_set_size (c.todo, c.todo->len - 1);
    cut_ring (&c, ring);
  }
  g_array_unref (c.nodes);
  g_array_unref (c.todo);
}
