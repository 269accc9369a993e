/* transform/parent: a part that moves with an owner, which can change.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-suggest.h"
#include "transform/ownership.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  KgGeometry *child;
  KgTransform local;
  KgList owners;
  const char *names;
  const char *changes;
  const KgMotion *owner;
  int after;
  double ease;
  bool keep_acceleration;
  bool keep_world;
  KgTransform world;
  KgGeometry *geometry;
  KgVector velocity;
  int64_t current;
} Parent;

static const KgChoice parent_afters[] = {
  [OWNERSHIP_STOP] = { "stop", N_ ("Stop") },
  [OWNERSHIP_COAST] = { "coast", N_ ("Coast: keep the velocity") },
  [OWNERSHIP_EASE] = { "ease", N_ ("Ease: slow down evenly") },
  [OWNERSHIP_SMOOTH] = { "smooth", N_ ("Smooth: keep the acceleration at first") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (parent_afters, OWNERSHIP_N_AFTERS);

/* Seconds before a change in which velocity and acceleration are measured, unless the change before is nearer. */
#define NEAR_STEP 1e-3
#define FAR_STEP 1e-2
/* Each change asks for the owners at six times, of which there may be 4096. */
#define MAX_CHANGES 600
/* Times that are asked for now: at the frame, and before and after it for the velocity. */
#define N_NOW 3
/* Before, and after, each change. */
#define N_BEFORE (OWNERSHIP_NEAR + OWNERSHIP_FAR - 1)
#define N_AHEAD (OWNERSHIP_NEAR + OWNERSHIP_FAR - 2)

typedef struct {
  double time;
  int owner; /* -1: the world */
} Change;

static int
compare_changes (gconstpointer a, gconstpointer b)
{
  return kg_compare_doubles (&((const Change *) a)->time, &((const Change *) b)->time);
}

/* A number, a name of the list, or "world". */
static bool
parent_find_owner (const Parent *n, const char *word, int *owner)
{
  g_auto (GStrv) names = g_strsplit_set (n->names, " \t\n,;", -1);
  char *end;
  const double number = g_ascii_strtod (word, &end);
  int index = 0;

  *owner = -1;
  if (strcmp (word, "world") == 0)
    return true;
  for (guint i = 0; names[i] != NULL; i++) {
    if (strcmp (names[i], word) == 0) {
      *owner = index;
      return true;
    }
    index += names[i][0] != '\0';
  }
  if (end == word || *end != '\0' || !(number >= -1 && number < 1e6) || number != floor (number))
    return false;
  *owner = (int) number;
  return true;
}

static bool
parent_read_text (const Parent *n, const KgContext *ctx, GArray *changes, GError **error)
{
  g_auto (GStrv) lines = g_strsplit_set (n->changes, "\n;", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit_set (g_strstrip (lines[i]), " \t,", 2);
    const char *second = words[0] != NULL && words[1] != NULL ? g_strstrip (words[1]) : "";
    Change change;
    char *end;

    if (lines[i][0] == '\0' || lines[i][0] == '#')
      continue;
    change.time = (g_ascii_strtod (words[0], &end) - ctx->start) / ctx->rate;
    if (*end != '\0' || !isfinite (change.time) || !parent_find_owner (n, second, &change.owner)) {
      g_auto (GStrv) names = g_strsplit_set (n->names, " \t\n,;", -1);
      g_autofree char *meant = kg_suggest (second, (const char *const *) names);

      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "changes, line %u: \"%s\" is not a frame and an owner: write \"13 1\", or a name listed in names, or world%s",
          i + 1, lines[i], meant);
      return false;
    }
    g_array_append_val (changes, change);
  }
  return true;
}

/* Where keys change the whole number that they hold. */
static bool
parent_read_keys (const Parent *n, const KgContext *ctx, GArray *changes, GError **error)
{
  const KgChannel *channel = kg_motion_get_n_channels (n->owner) > 0 ? kg_motion_get_channel (n->owner, 0) : NULL;
  gsize count = 0;
  const KgKey *keys = channel != NULL ? kg_channel_get_keys (channel, &count) : NULL;

  if (keys == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "owner has no keys: key the index of the owner, or write the changes as text");
    return false;
  }
  for (gsize i = 0; i < count; i++) {
    const Change change = { (keys[i].at - ctx->start) / ctx->rate,
                            (int) kg_clamp (floor (keys[i].value[0] + 0.5), -1, 1e6) };

    if (changes->len == 0 || g_array_index (changes, Change, changes->len - 1).owner != change.owner)
      g_array_append_val (changes, change);
  }
  return true;
}

/* (transfer full) (nullable) In order of time, each time once; at least one. */
static GArray *
parent_list_changes (const Parent *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
  const Change first = { 0, 0 };
  guint count = 0;

  if (n->owner != NULL ? !parent_read_keys (n, ctx, changes, error) : !parent_read_text (n, ctx, changes, error))
    return NULL;
  if (changes->len == 0)
    g_array_append_val (changes, first);
  g_array_sort (changes, compare_changes);
  for (guint i = 0; i < changes->len; i++) {
    const Change change = g_array_index (changes, Change, i);

    /* Of several changes in one frame the last counts. */
    if (count > 0 && g_array_index (changes, Change, count - 1).time == change.time)
      count--;
    g_array_index (changes, Change, count++) = change;
  }
  g_array_set_size (changes, count);
  if (count > MAX_CHANGES) {
    kg_set_error (error, KG_ERROR_LIMIT, "%u changes of owner: at most %d can be followed", count, MAX_CHANGES);
    return NULL;
  }
  return g_steal_pointer (&changes);
}

/* Those that have happened, without the first, which holds from the start. */
static guint
parent_count_past (const GArray *changes, double time)
{
  guint n = 1;

  while (n < changes->len && g_array_index (changes, Change, n).time <= time)
    n++;
  return n;
}

static double
get_step (const GArray *changes, guint i, double step)
{
  const Change *change = &g_array_index (changes, Change, i);

  /* The first change is no change: it holds from the start. */
  return i < 2 ? step : fmin (step, (change->time - change[-1].time) / 4);
}

/* The times at which owners and the motion of the part are needed: now, and before each change. */
static void
parent_list_times (const GArray *changes, guint past, double time, GArray *times)
{
  const double now[N_NOW] = { time, time - NEAR_STEP, time + NEAR_STEP };

  g_array_append_vals (times, now, N_NOW);
  for (guint i = 1; i < past; i++) {
    const double at = g_array_index (changes, Change, i).time;

    for (int k = 0; k < OWNERSHIP_NEAR; k++)
      g_array_append_vals (times, (double[]){ at - k * get_step (changes, i, NEAR_STEP) }, 1);
    for (int k = 1; k < OWNERSHIP_FAR; k++)
      g_array_append_vals (times, (double[]){ at - k * get_step (changes, i, FAR_STEP) }, 1);
  }
}

/* Those at which the motion of the part alone is needed: after each change. */
static void
parent_list_times_ahead (const GArray *changes, guint past, GArray *times)
{
  for (guint i = 1; i < past; i++) {
    const double at = g_array_index (changes, Change, i).time;

    for (int k = 1; k < OWNERSHIP_NEAR; k++)
      g_array_append_vals (times, (double[]){ at + k * get_step (changes, i, NEAR_STEP) }, 1);
    for (int k = 1; k < OWNERSHIP_FAR; k++)
      g_array_append_vals (times, (double[]){ at + k * get_step (changes, i, FAR_STEP) }, 1);
  }
}

static bool
parent_demand (const Parent *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  g_autoptr (GArray) changes = parent_list_changes (n, ctx, error), times = NULL, ahead = NULL;

  if (changes == NULL)
    return false;
  times = g_array_new (FALSE, FALSE, sizeof (double));
  ahead = g_array_new (FALSE, FALSE, sizeof (double));
  parent_list_times (changes, parent_count_past (changes, ctx->time), ctx->time, times);
  parent_list_times_ahead (changes, parent_count_past (changes, ctx->time), ahead);
  for (guint i = 0; i < times->len; i++) {
    kg_demand_at (demand, offsetof (Parent, owners), g_array_index (times, double, i));
    kg_demand_at (demand, offsetof (Parent, local), g_array_index (times, double, i));
  }
  for (guint i = 0; i < ahead->len; i++)
    kg_demand_at (demand, offsetof (Parent, local), g_array_index (ahead, double, i));
  return true;
}

/* Sample i of an owner, and of the motion of the part. */
static KgTransform
get_owner (const KgContext *ctx, int owner, guint sample)
{
  const KgList list = kg_context_get_list (ctx, offsetof (Parent, owners), sample);

  return owner < 0 || (guint) owner >= list.n ? kg_transform_identity () : *list.items[owner].transform;
}

static KgTransform
get_placed (const KgContext *ctx, const Ownership *ownership, double time, guint sample)
{
  return ownership_place (ownership, time, get_owner (ctx, ownership->owner, sample),
                          *kg_context_get_sample (ctx, offsetof (Parent, local), sample)->transform);
}

static bool
parent_check_owner (const Parent *n, const KgContext *ctx, int owner, GError **error)
{
  const guint count = kg_context_get_list (ctx, offsetof (Parent, owners), 0).n;

  (void) n;
  if (owner < 0 || count == 0 || (guint) owner < count)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "there is no owner %d among the %u that are linked: they are counted from 0", owner, count);
  return false;
}

/* (transfer full) What an owner is called in messages. */
static char *
dup_name (const Parent *n, int owner)
{
  g_auto (GStrv) names = g_strsplit_set (n->names, " \t\n,;", -1);
  int index = 0;

  for (guint i = 0; names[i] != NULL; i++)
    if (names[i][0] != '\0' && index++ == owner)
      return g_strdup (names[i]);
  return g_strdup_printf ("%d", owner);
}

/* What an owner flattens is not lost, but nobody sees it. */
static void
parent_warn_if_flat (const Parent *n, const KgContext *ctx, int owner, double time, KgTransform transform)
{
  g_autofree char *name = NULL;
  KgTransform inverse;

  if (owner < 0 || kg_transform_invert (transform, &inverse))
    return;
  name = dup_name (n, owner);
  kg_context_warn (ctx, "owner \"%s\" is flattened at frame %g, and the child with it: give it a scale along each axis",
                   name, ctx->start + time * ctx->rate);
}

/* The part as it goes on from a change, its owner at rest. */
static KgTransform
get_placed_ahead (const KgContext *ctx, const Ownership *ownership, const OwnershipRelease *release, guint sample)
{
  return ownership_place (ownership, release->time, release->old_owner,
                          *kg_context_get_sample (ctx, offsetof (Parent, local), sample)->transform);
}

/* Goes through one change; sample, ahead: the first of its six before it, and of its five after it. */
static bool
parent_change (const Parent *n, const KgContext *ctx, const GArray *changes, guint i, guint sample, guint ahead,
               Ownership *ownership, GError **error)
{
  const Change *change = &g_array_index (changes, Change, i);
  OwnershipRelease release = { .time = change->time,
                               .owner = change->owner,
                               .after = (OwnershipAfter) n->after,
                               .keep_acceleration = n->keep_acceleration,
                               .ease = n->ease,
                               .near_step = get_step (changes, i, NEAR_STEP),
                               .far_step = get_step (changes, i, FAR_STEP),
                               .old_owner = get_owner (ctx, ownership->owner, sample),
                               .new_owner = get_owner (ctx, change->owner, sample) };
  Ownership next;

  if (!n->keep_world) {
    ownership_begin (ownership, change->owner, change->time);
    return true;
  }
  parent_warn_if_flat (n, ctx, ownership->owner, change->time, release.old_owner);
  for (guint k = 0; k < OWNERSHIP_NEAR; k++)
    release.near[k] = get_placed (ctx, ownership, change->time - k * release.near_step, sample + k);
  release.far[0] = release.near[0];
  for (guint k = 1; k < OWNERSHIP_FAR; k++)
    release.far[k] = get_placed (ctx, ownership, change->time - k * release.far_step, sample + OWNERSHIP_NEAR - 1 + k);
  release.near_ahead[0] = release.far_ahead[0] = release.near[0];
  for (guint k = 1; k < OWNERSHIP_NEAR; k++)
    release.near_ahead[k] = get_placed_ahead (ctx, ownership, &release, ahead + k - 1);
  for (guint k = 1; k < OWNERSHIP_FAR; k++)
    release.far_ahead[k] = get_placed_ahead (ctx, ownership, &release, ahead + OWNERSHIP_NEAR + k - 2);
  if (!ownership_release (ownership, &release, &next)) {
    g_autofree char *name = dup_name (n, change->owner);

    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "owner \"%s\" is flattened at frame %g, so that nothing can be placed in it: give it a scale, or change owners at another frame",
        name, ctx->start + change->time * ctx->rate);
    return false;
  }
  *ownership = next;
  return true;
}

static bool
parent_evaluate (Parent *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) changes = parent_list_changes (n, ctx, error);
  Ownership ownership;
  KgTransform before, after;
  double back;
  guint past;

  n->world = kg_transform_identity ();
  if (changes == NULL)
    return false;
  past = parent_count_past (changes, ctx->time);
  for (guint i = 0; i < past; i++)
    if (!parent_check_owner (n, ctx, g_array_index (changes, Change, i).owner, error))
      return false;
  ownership_begin (&ownership, g_array_index (changes, Change, 0).owner, g_array_index (changes, Change, 0).time);
  for (guint i = 1; i < past; i++)
    if (!parent_change (n, ctx, changes, i, N_NOW + (i - 1) * N_BEFORE,
                        N_NOW + (past - 1) * N_BEFORE + (i - 1) * N_AHEAD, &ownership, error))
      return false;
  n->current = ownership.owner;
  parent_warn_if_flat (n, ctx, ownership.owner, ctx->time, get_owner (ctx, ownership.owner, 0));
  n->world = get_placed (ctx, &ownership, ctx->time, 0);
  before = get_placed (ctx, &ownership, ctx->time - NEAR_STEP, 1);
  after = get_placed (ctx, &ownership, ctx->time + NEAR_STEP, 2);
  back = NEAR_STEP;
  if (past > 1 && ctx->time - NEAR_STEP < ownership.time) {
    before = n->world;
    back = 0;
  }
  n->velocity = kg_vector_scale (kg_vector_subtract (kg_transform_get_place (&after), kg_transform_get_place (&before)),
                                 1 / (NEAR_STEP + back));
  if (n->child != NULL) {
    kg_geometry_make_writable (&n->child);
    kg_geometry_transform (n->child, &n->world);
  }
  n->geometry = n->child != NULL ? g_steal_pointer (&n->child) : kg_geometry_new ();
  return true;
}

static const KgSlot parent_slots[] = {
  KG_INPUT (Parent, child, GEOMETRY, .label = N_ ("Child"), .optional = true,
            .help = N_ ("Geometry that moves with its owner.")),
  KG_INPUT (Parent, local, TRANSFORM, .label = N_ ("Local"),
            .help = N_ ("Own motion of the child, relative to its owner.")),
  KG_INPUTS (
      Parent, owners, TRANSFORM, .optional = true, .label = N_ ("Owners"),
      .help = N_ (
          "World transforms of all owners, counted from 0. Link the World output of another Parent to make a hierarchy.")),
  KG_INPUT (Parent, names, TEXT, .early = true, .label = N_ ("Names"),
            .help = N_ ("Names of the owners, separated by blanks, for use in the changes.")),
  KG_INPUT (
      Parent, changes, TEXT, .early = true, .multiline = true, .label = N_ ("Changes"), .def_text = "1 0",
      .help = N_ (
          "Changes of the owner, one per line: a frame, and the index or name of an owner, or world. The first owner "
          "applies from the start.")),
  KG_INPUT (Parent, owner, MOTION, .early = true, .optional = true, .label = N_ ("Owner"),
            .help = N_ ("Keys with the index of the owner, used instead of the changes as text; -1 is the world.")),
  KG_INPUT (Parent, after, CHOICE, .label = N_ ("After a change"), .choices = parent_afters, .def = OWNERSHIP_EASE,
            .help = N_ ("What happens to the velocity that the child had in the world.")),
  KG_INPUT (Parent, ease, NUMBER, .unit = KG_SECONDS, .shown_when = "after=ease|smooth", .label = N_ ("Ease"), .def = 1,
            .min = 0, .max = 1e4, .soft_max = 5, .help = N_ ("Time in which the velocity falls to zero.")),
  KG_INPUT (Parent, keep_acceleration, BOOLEAN, .shown_when = "after=coast", .label = N_ ("Keep the acceleration"),
            .help = N_ ("The child also keeps accelerating as it did.")),
  KG_INPUT (
      Parent, keep_world, BOOLEAN, .label = N_ ("Keep the place"), .def = 1,
      .help =
          N_ ("The child stays where it is when its owner changes; otherwise it jumps to the same position relative to "
              "its new owner.")),
  KG_OUTPUT (Parent, world, TRANSFORM, .label = N_ ("World"), .help = N_ ("Transform of the child in the world.")),
  KG_OUTPUT (Parent, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The child at its position in the world.")),
  KG_OUTPUT (Parent, velocity, VECTOR, .unit = KG_METRES_PER_SECOND, .label = N_ ("Velocity"),
             .help = N_ ("Velocity of the origin of the child in the world.")),
  KG_OUTPUT (Parent, current, INTEGER, .label = N_ ("Current owner"),
             .help = N_ ("Index of the owner at this frame; -1 is the world.")),
};

KG_NODE_WITH_DEMAND (
    transform, parent, Parent, .label = N_ ("Parent"), .version = 2, .since = "0.1",
    .tags = N_ ("owner hierarchy attach constraint child pick up hand over release orphan"),
    .formula = "W(t) = O(t) O(g)⁻¹ X(t) B T(t): owner O, change at g, own motion T, flight X after the release\n"
               "ease: v D (u − u²/2), u = (t − g)/D; smooth: D (v (u − u³ + u⁴/2) + a D (u²/2 − 2u³/3 + u⁴/4))",
    .source = "Wyvill, tutorial on computer animation and soft objects, 1988: change of owner",
    .help = N_ (
        "Moves a geometry with an owner, which can change over time. The child stays where it is at a change, and keeps moving as it did until its velocity has been eased out: a puff of smoke leaves the chimney, a ball leaves the hand, a cup is picked up."));
