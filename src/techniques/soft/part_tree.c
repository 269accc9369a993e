/* part_tree: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/part_tree.h"

void
part_names_clear (PartNames *names)
{
  g_clear_pointer (&names->numbers, g_hash_table_unref);
}

static int32_t
part_names_get (PartNames *names, const char *text)
{
  gpointer number;

  if (names->numbers == NULL)
    names->numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!g_hash_table_lookup_extended (names->numbers, text, NULL, &number)) {
    number = GINT_TO_POINTER ((int) g_hash_table_size (names->numbers));
    g_hash_table_insert (names->numbers, g_strdup (text), number);
  }
  return GPOINTER_TO_INT (number);
}

/* (transfer full) Without what separates nothing: a/b of /a//b/.  A number where it is empty. */
static char *
dup_path (const KgGeometry *keys, const int32_t *part, size_t i)
{
  const char *path = kg_geometry_get_text (keys, KG_POINTS, "path", i);
  g_auto (GStrv) words = g_strsplit (path != NULL ? path : "", "/", -1);
  g_autoptr (GString) clean = g_string_new (NULL);

  for (guint w = 0; words[w] != NULL; w++)
    if (words[w][0] != '\0')
      g_string_append_printf (clean, "%s%s", clean->len > 0 ? "/" : "", words[w]);
  if (clean->len == 0)
    g_string_printf (clean, "%d", part != NULL ? part[i] : 0);
  return g_string_free (g_steal_pointer (&clean), FALSE);
}

bool
part_names_are_used (const KgGeometry *keys)
{
  for (size_t i = 0; i < kg_geometry_get_n_points (keys); i++) {
    const char *path = kg_geometry_get_text (keys, KG_POINTS, "path", i);

    if (path != NULL && path[0] != '\0')
      return true;
  }
  return false;
}

int32_t *
part_names_read (PartNames *names, const KgGeometry *keys)
{
  const int32_t *part = kg_geometry_get_int (keys, KG_POINTS, "part", 1);
  const size_t n = kg_geometry_get_n_points (keys);
  int32_t *parts = g_new (int32_t, MAX (n, 1));

  for (size_t i = 0; i < n; i++) {
    g_autofree char *path = dup_path (keys, part, i);

    parts[i] = part_names_get (names, path);
  }
  return parts;
}

/* The number that a part has among names. */
static int32_t
part_names_get_number (PartNames *names, int32_t part)
{
  g_autofree char *text = g_strdup_printf ("%d", part);

  return part < 0 || names == NULL ? part : part_names_get (names, text);
}

static PartNode *
get_node (const PartTree *tree, int64_t i)
{
  return &g_array_index (tree->nodes, PartNode, (guint) i);
}

/* Creates it where it is missing. */
static int64_t
find_node (PartTree *tree, GHashTable *by_part, int32_t part)
{
  const gpointer found = g_hash_table_lookup (by_part, GINT_TO_POINTER (part));
  const PartNode node = { .part = part, .label = part, .parent = -1, .first_child = -1, .next_sibling = -1 };

  if (found != NULL)
    return GPOINTER_TO_INT (found) - 1;
  g_array_append_val (tree->nodes, node);
  get_node (tree, tree->nodes->len - 1)->keys = g_array_new (false, false, sizeof (size_t));
  g_hash_table_insert (by_part, GINT_TO_POINTER (part), GINT_TO_POINTER ((int) tree->nodes->len));
  return tree->nodes->len - 1;
}

static bool
tree_add_key (PartTree *tree, GHashTable *by_part, size_t key, int32_t part, int32_t above, GError **error)
{
  const int64_t node = find_node (tree, by_part, part);
  const int64_t parent = above < 0 || above == part ? -1 : find_node (tree, by_part, above);
  GArray *keys = get_node (tree, node)->keys;

  if (keys->len > 0 && get_node (tree, node)->parent != parent) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "key %zu attaches part %d to part %d, but another key differs: give all keys of a part the same parent", key,
        part, above);
    return false;
  }
  get_node (tree, node)->parent = parent;
  g_array_append_val (keys, key);
  return true;
}

/* With all parts on the way. */
static void
tree_add_path (PartTree *tree, GHashTable *by_part, PartNames *names, size_t key, const char *path)
{
  int64_t node = -1;

  for (const char *word = path; word != NULL;) {
    const char *end = strchr (word, '/');
    g_autofree char *whole = end != NULL ? g_strndup (path, (gsize) (end - path)) : g_strdup (path);
    g_autofree char *label = end != NULL ? g_strndup (word, (gsize) (end - word)) : g_strdup (word);
    const int64_t next = find_node (tree, by_part, part_names_get (names, whole));

    get_node (tree, next)->label = part_names_get (names, label);
    get_node (tree, next)->parent = node;
    node = next;
    word = end != NULL ? end + 1 : NULL;
  }
  g_array_append_val (get_node (tree, node)->keys, key);
}

/* Children in the order of the nodes. */
static bool
tree_link (PartTree *tree, GError **error)
{
  const int64_t n = tree->nodes->len;
  g_autofree uint8_t *rooted = g_new0 (uint8_t, (size_t) MAX (n, 1));

  for (int64_t i = 0; i < n; i++) {
    int64_t at = i, steps = 0;

    while (at >= 0 && !rooted[at] && steps++ <= n)
      at = get_node (tree, at)->parent;
    if (steps > n) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "part %d is attached to itself: give one of the parts above it no parent",
                    get_node (tree, i)->part);
      return false;
    }
    for (at = i; at >= 0 && !rooted[at]; at = get_node (tree, at)->parent)
      rooted[at] = 1;
  }
  for (int64_t i = n; i-- > 0;) {
    PartNode *node = get_node (tree, i);
    int64_t *first = node->parent < 0 ? &tree->first_root : &get_node (tree, node->parent)->first_child;

    node->next_sibling = *first;
    *first = i;
  }
  return true;
}

void
part_tree_clear (PartTree *tree)
{
  for (guint i = 0; tree->nodes != NULL && i < tree->nodes->len; i++)
    g_array_unref (get_node (tree, i)->keys);
  g_clear_pointer (&tree->nodes, g_array_unref);
}

bool
part_tree_read (const KgGeometry *keys, PartNames *names, PartTree *tree, GError **error)
{
  const bool paths = names != NULL && part_names_are_used (keys);
  const int32_t *part = kg_geometry_get_int (keys, KG_POINTS, "part", 1);
  const int32_t *parent = kg_geometry_get_int (keys, KG_POINTS, "parent", 1);
  g_autoptr (GHashTable) by_part = g_hash_table_new (NULL, NULL);

  *tree = (PartTree){ .nodes = g_array_new (false, false, sizeof (PartNode)), .first_root = -1 };
  for (size_t i = 0; i < kg_geometry_get_n_points (keys); i++)
    if (paths) {
      g_autofree char *path = dup_path (keys, part, i);

      tree_add_path (tree, by_part, names, i, path);
    } else if (!tree_add_key (tree, by_part, i, part_names_get_number (names, part != NULL ? part[i] : 0),
                              part_names_get_number (names, parent != NULL ? parent[i] : -1), error))
      return false;
  return tree_link (tree, error);
}

/* Sides whose children are still to be matched. */
typedef struct {
  const PartTree *source, *destination;
  GArray *pairs;
} Matching;

static void
add_pair (const Matching *m, const PartPair *above, int64_t source, int64_t destination)
{
  const bool both = above != NULL && above->source >= 0 && above->destination >= 0;
  const PartPair pair = { .source = source,
                          .destination = destination,
                          .above_source = both            ? above->source
                                          : above != NULL ? above->above_source
                                                          : -1,
                          .above_destination = both            ? above->destination
                                               : above != NULL ? above->above_destination
                                                               : -1,
                          .level = above != NULL ? above->level + 1 : 0 };

  g_array_append_val (m->pairs, pair);
}

/* (element-type int64_t) (transfer full) */
static GArray *
list_siblings (const PartTree *tree, int64_t first)
{
  GArray *list = g_array_new (false, false, sizeof (int64_t));

  for (int64_t i = first; i >= 0; i = get_node (tree, i)->next_sibling)
    g_array_append_val (list, i);
  return list;
}

static void
match_siblings (const Matching *m, const PartPair *above, int64_t first, int64_t second)
{
  g_autoptr (GArray) a = list_siblings (m->source, first), b = list_siblings (m->destination, second);
  g_autoptr (GHashTable) by_label = g_hash_table_new (NULL, NULL);
  g_autofree int64_t *partner = g_new (int64_t, MAX (a->len, 1));
  g_autofree uint8_t *taken = g_new0 (uint8_t, MAX (b->len, 1));
  guint next = 0;

  for (guint k = 0; k < b->len; k++)
    g_hash_table_insert (by_label, GINT_TO_POINTER (get_node (m->destination, g_array_index (b, int64_t, k))->label),
                         GUINT_TO_POINTER (k + 1));
  for (guint i = 0; i < a->len; i++) {
    const int32_t label = get_node (m->source, g_array_index (a, int64_t, i))->label;
    const guint k = GPOINTER_TO_UINT (g_hash_table_lookup (by_label, GINT_TO_POINTER (label)));

    partner[i] = (int64_t) k - 1;
    if (k > 0)
      taken[k - 1] = 1;
  }
  for (guint i = 0; i < a->len; i++) {
    while (partner[i] < 0 && next < b->len && taken[next])
      next++;
    if (partner[i] < 0 && next < b->len) {
      taken[next] = 1;
      partner[i] = next;
    }
    add_pair (m, above, g_array_index (a, int64_t, i),
              partner[i] < 0 ? -1 : g_array_index (b, int64_t, (guint) partner[i]));
  }
  for (guint k = 0; k < b->len; k++)
    if (!taken[k])
      add_pair (m, above, -1, g_array_index (b, int64_t, k));
}

GArray *
part_tree_match (const PartTree *source, const PartTree *destination, const KgProgressMonitor *monitor)
{
  const Matching m = { source, destination, g_array_new (false, false, sizeof (PartPair)) };

  match_siblings (&m, NULL, source->first_root, destination->first_root);
  for (guint i = 0; i < m.pairs->len; i++) {
    const PartPair pair = g_array_index (m.pairs, PartPair, i);

    if (kg_progress_is_cancelled (monitor)) {
      g_array_unref (m.pairs);
      return NULL;
    }
    match_siblings (&m, &pair, pair.source < 0 ? -1 : get_node (source, pair.source)->first_child,
                    pair.destination < 0 ? -1 : get_node (destination, pair.destination)->first_child);
  }
  return m.pairs;
}
