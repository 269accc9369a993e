/* kg-welcome: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-welcome.h"

#include "config.h"
#include "kg-data.h"
#include "kg-family.h"
#include "kg-json.h"
#include "kg-recent.h"
#include "kg-regular-file.h"

#include <glib/gi18n.h>
#include <string.h>

#define IMAGE_WIDTH 240
#define IMAGE_HEIGHT 135

enum { OPEN, NEW, BROWSE, N_SIGNALS };

static guint signals[N_SIGNALS];

struct _KgWelcome {
  GtkWidget parent_instance;
  GtkWidget *scrolled, *recent_box, *recent, *examples, *search, *nothing;
  GPtrArray *groups; /* GtkFlowBox */
};

G_DEFINE_FINAL_TYPE (KgWelcome, kg_welcome, GTK_TYPE_WIDGET)

/* Data. */

bool
kg_welcome_is_example (const char *path)
{
  g_autofree char *examples = kg_data_find ("graphs");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GFile) a = NULL, b = g_file_new_for_path (folder);

  if (examples == NULL)
    return false;
  a = g_file_new_for_path (examples);
  return g_file_equal (a, b);
}

/* A button or an image that stands for a file. */

static void
set_path (GtkWidget *widget, const char *path)
{
  g_object_set_data_full (G_OBJECT (widget), "path", g_strdup (path), g_free);
}

static const char *
get_path (GtkWidget *widget)
{
  return (const char *) g_object_get_data (G_OBJECT (widget), "path");
}

static GtkWidget *
make_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (class != NULL)
    gtk_widget_add_css_class (label, class);
  return label;
}

static GtkWidget *
make_heading (const char *text, GtkWidget *of)
{
  GtkWidget *heading = make_label (text, "kg-heading");

  gtk_widget_set_margin_top (heading, 12);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (of), GTK_ACCESSIBLE_RELATION_LABELLED_BY, heading, NULL, -1);
  return heading;
}

/* Recent files. */

static void
on_recent (GtkListBox *list, GtkListBoxRow *row, KgWelcome *self)
{
  (void) list;
  g_signal_emit (self, signals[OPEN], 0, get_path (GTK_WIDGET (row)));
}

static GtkWidget *
make_recent (const char *path)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *where;
  g_autofree char *name = g_filename_display_basename (path), *folder = g_path_get_dirname (path);
  g_autofree char *shown = g_filename_display_name (folder), *label = NULL;
  const char *home = g_get_home_dir ();

  if (g_str_has_prefix (shown, home) && (shown[strlen (home)] == '/' || shown[strlen (home)] == '\0')) {
    char *shorter = g_strconcat ("~", shown + strlen (home), NULL);

    g_free (shown);
    shown = shorter;
  }
  where = make_label (shown, "kg-dim");
  gtk_label_set_ellipsize (GTK_LABEL (where), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_margin_top (box, 6);
  gtk_widget_set_margin_bottom (box, 6);
  gtk_widget_set_margin_start (box, 9);
  gtk_widget_set_margin_end (box, 9);
  gtk_box_append (GTK_BOX (box), make_label (name, NULL));
  gtk_box_append (GTK_BOX (box), where);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  set_path (row, path);
  label = g_strdup_printf (_ ("%s in %s"), name, shown);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return row;
}

static void
update_recent (KgWelcome *self)
{
  g_auto (GStrv) paths = kg_recent_dup_paths ();
  GtkWidget *row;

  while ((row = gtk_widget_get_first_child (self->recent)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->recent), row);
  for (char **path = paths; *path != NULL; path++)
    gtk_list_box_append (GTK_LIST_BOX (self->recent), make_recent (*path));
  gtk_widget_set_visible (self->recent_box, *paths != NULL);
}

/* Examples. */

/* Every word that is searched for is in what the example says of itself. */
static gboolean
is_found (GtkFlowBoxChild *child, gpointer data)
{
  const KgWelcome *self = (const KgWelcome *) data;
  const char *words = (const char *) g_object_get_data (G_OBJECT (child), "words");
  g_autofree char *wanted = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  g_auto (GStrv) parts = g_strsplit (wanted, " ", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0' && strstr (words, parts[i]) == NULL)
      return FALSE;
  return TRUE;
}

/* Groups of which nothing is found go, with their headings. */
static void
on_search (KgWelcome *self)
{
  guint n = 0;

  for (guint i = 0; i < self->groups->len; i++) {
    GtkWidget *flow = GTK_WIDGET (g_ptr_array_index (self->groups, i));
    bool any = false;

    gtk_flow_box_invalidate_filter (GTK_FLOW_BOX (flow));
    for (GtkWidget *child = gtk_widget_get_first_child (flow); child != NULL && !any;
         child = gtk_widget_get_next_sibling (child))
      any = is_found (GTK_FLOW_BOX_CHILD (child), self);
    gtk_widget_set_visible (gtk_widget_get_parent (flow), any);
    n += any;
  }
  gtk_widget_set_visible (self->nothing, n == 0);
  if (n == 0) {
    g_autofree char *text =
        g_strdup_printf (_ ("No example mentions “%s”."), gtk_editable_get_text (GTK_EDITABLE (self->search)));

    gtk_label_set_text (GTK_LABEL (self->nothing), text);
  }
}

static void
on_example (GtkFlowBox *box, GtkFlowBoxChild *child, KgWelcome *self)
{
  (void) box;
  g_signal_emit (self, signals[OPEN], 0, get_path (GTK_WIDGET (child)));
}

/* (transfer full) (nullable) A text member of the file. */
static char *
get_member (const KgJson *file, const char *name)
{
  const KgJson *member = kg_json_is (file, KG_JSON_OBJECT) ? kg_json_get (file, name) : NULL;

  return g_strdup (kg_json_get_string (member));
}

/* A paintable of the size on screen: the file has more pixels, for screens that have more.  Empty without a file. */
static GtkWidget *
make_image (const char *path)
{
  g_autoptr (GdkTexture) texture = path != NULL && kg_regular_file_check (path, "an image", NULL)
                                       ? gdk_texture_new_from_filename (path, NULL)
                                       : NULL;
  const graphene_rect_t place = GRAPHENE_RECT_INIT (0, 0, IMAGE_WIDTH, IMAGE_HEIGHT);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr (GdkPaintable) paintable = NULL;
  GtkWidget *image;

  /* An example of one's own in KINEOGRAPH_DATA may have no image: its place stays. */
  if (texture != NULL)
    gtk_snapshot_append_texture (snapshot, texture, &place);
  else
    gtk_snapshot_append_color (snapshot, &(GdkRGBA){ 0.5f, 0.5f, 0.5f, 0.25f }, &place);
  paintable = gtk_snapshot_free_to_paintable (snapshot, &GRAPHENE_SIZE_INIT (IMAGE_WIDTH, IMAGE_HEIGHT));
  image = gtk_picture_new_for_paintable (paintable);
  gtk_picture_set_can_shrink (GTK_PICTURE (image), FALSE);
  gtk_widget_set_halign (image, GTK_ALIGN_START);
  return image;
}

/* What an example is about: the family that most of its nodes are of, leaving those aside that every graph has. */
static void
set_group (GtkWidget *child, const KgJson *file)
{
  static const char *const common[] = { "value", "graph", "render", "image", "transform", NULL };
  const KgJson *nodes = kg_json_is (file, KG_JSON_OBJECT) ? kg_json_get (file, "nodes") : NULL;
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *best = "";
  guint most = 0;

  if (kg_json_is (nodes, KG_JSON_OBJECT))
    for (KgJsonIter member = kg_json_iterate (nodes); kg_json_next (&member);) {
      const KgJson *type = kg_json_is (member.value, KG_JSON_OBJECT) ? kg_json_get (member.value, "type") : NULL;
      const char *id = kg_json_get_string (type), *slash = id != NULL ? strchr (id, '/') : NULL;
      g_autofree char *family = slash != NULL ? g_strndup (id, (gsize) (slash - id)) : NULL;
      gpointer key, count;

      if (family == NULL || g_strv_contains (common, family) || kg_family_get_label (family) == NULL)
        continue;
      if (!g_hash_table_lookup_extended (counts, family, &key, &count)) {
        key = g_strdup (family);
        count = NULL;
      } else
        g_hash_table_steal (counts, family);
      g_hash_table_insert (counts, key, GUINT_TO_POINTER (GPOINTER_TO_UINT (count) + 1));
      /* Of several with as many the first in the file. */
      if (GPOINTER_TO_UINT (count) + 1 > most) {
        most = GPOINTER_TO_UINT (count) + 1;
        best = (const char *) key;
      }
    }
  g_object_set_data_full (G_OBJECT (child), "group", g_strdup (best), g_free);
}

/* (transfer full) What it is found by. */
static char *
dup_words (const char *title, const char *comment, const char *stem)
{
  g_autofree char *all = g_strjoin (" ", title, comment, stem, NULL);

  return g_utf8_casefold (all, -1);
}

static GtkWidget *
make_example (const char *path)
{
  GtkWidget *child = gtk_flow_box_child_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *image;
  g_autofree char *name = g_path_get_basename (path), *stem = g_strndup (name, strlen (name) - strlen (".json"));
  g_autofree char *file = g_strconcat ("thumbnails/", stem, ".png", NULL), *thumbnail = kg_data_find (file);
  g_autofree char *text = kg_regular_file_read (path, "a graph", NULL, NULL), *title = NULL, *comment = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = NULL;

  if (text != NULL)
    json = kg_json_parse (text, -1, problems);
  title = get_member (json, "title");
  comment = get_member (json, "comment");
  image = make_image (thumbnail);
  gtk_box_append (GTK_BOX (box), image);
  gtk_box_append (GTK_BOX (box), make_label (title != NULL ? title : stem, NULL));
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), box);
  gtk_widget_set_tooltip_text (child, comment);
  gtk_widget_set_halign (child, GTK_ALIGN_START);
  gtk_widget_set_valign (child, GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, title != NULL ? title : stem,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, comment != NULL ? comment : "", -1);
  set_path (child, path);
  set_group (child, json);
  g_object_set_data_full (G_OBJECT (child), "words",
                          dup_words (title != NULL ? title : stem, comment != NULL ? comment : "", stem), g_free);
  return child;
}

/* (transfer none) The flow box of a group, with its heading. */
static GtkWidget *
add_group (KgWelcome *self, const char *family)
{
  GtkWidget *flow = gtk_flow_box_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  const char *label = kg_family_get_label (family);

  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (flow), GTK_SELECTION_NONE);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (flow), 6);
  gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (flow), 9);
  gtk_flow_box_set_row_spacing (GTK_FLOW_BOX (flow), 9);
  gtk_flow_box_set_filter_func (GTK_FLOW_BOX (flow), is_found, self, NULL);
  g_signal_connect_object (flow, "child-activated", G_CALLBACK (on_example), self, 0);
  gtk_box_append (GTK_BOX (box), make_heading (label != NULL ? label : _ ("Other"), flow));
  gtk_box_append (GTK_BOX (box), flow);
  gtk_box_append (GTK_BOX (self->examples), box);
  g_object_set_data_full (G_OBJECT (flow), "group", g_strdup (family), g_free);
  g_ptr_array_add (self->groups, flow);
  return flow;
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const char *x = (const char *) g_object_get_data (*(GObject *const *) a, "group");
  const char *y = (const char *) g_object_get_data (*(GObject *const *) b, "group");
  const char *p = kg_family_get_label (x), *q = kg_family_get_label (y);

  /* What is of no family comes last. */
  return p == NULL || q == NULL ? (p == NULL) - (q == NULL) : g_utf8_collate (p, q);
}

static void
add_examples (KgWelcome *self)
{
  g_autofree char *folder = kg_data_find ("graphs");
  g_autoptr (GPtrArray) paths = folder != NULL ? kg_regular_file_list (folder, ".json", NULL) : NULL;
  g_autoptr (GPtrArray) children = g_ptr_array_new ();
  GtkWidget *flow = NULL;

  for (guint i = 0; paths != NULL && i < paths->len; i++)
    g_ptr_array_add (children, make_example ((const char *) g_ptr_array_index (paths, i)));
  g_ptr_array_sort (children, compare_groups);
  for (guint i = 0; i < children->len; i++) {
    GtkWidget *child = GTK_WIDGET (g_ptr_array_index (children, i));
    const char *group = (const char *) g_object_get_data (G_OBJECT (child), "group");

    if (flow == NULL || !g_str_equal (group, (const char *) g_object_get_data (G_OBJECT (flow), "group")))
      flow = add_group (self, group);
    gtk_flow_box_append (GTK_FLOW_BOX (flow), child);
  }
}

/* The widget. */

static void
on_new (KgWelcome *self)
{
  g_signal_emit (self, signals[NEW], 0);
}

static void
on_browse (KgWelcome *self)
{
  g_signal_emit (self, signals[BROWSE], 0);
}

static GtkWidget *
make_button (KgWelcome *self, const char *text, const char *icon, GCallback callback)
{
  GtkWidget *button = gtk_button_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);
  GtkWidget *label = gtk_label_new_with_mnemonic (text);

  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name (icon));
  gtk_box_append (GTK_BOX (box), label);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), button);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
  g_signal_connect_object (button, "clicked", callback, self, G_CONNECT_SWAPPED);
  return button;
}

static GtkWidget *
make_head (KgWelcome *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);
  GtkWidget *title = make_label (_ ("Kineograph"), "title-1"), *new;
  GtkWidget *line = make_label (_ ("Animation from wired nodes: start empty, or take an example apart."), "kg-dim");

  new = make_button (self, _ ("_New Graph"), "document-new-symbolic", G_CALLBACK (on_new));
  gtk_widget_add_css_class (new, "suggested-action");
  gtk_label_set_ellipsize (GTK_LABEL (line), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_wrap (GTK_LABEL (line), TRUE);
  gtk_box_append (GTK_BOX (buttons), new);
  gtk_box_append (GTK_BOX (buttons),
                  make_button (self, _ ("_Open…"), "document-open-symbolic", G_CALLBACK (on_browse)));
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), line);
  gtk_box_append (GTK_BOX (head), buttons);
  return head;
}

static GtkWidget *
make_recent_box (KgWelcome *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->recent = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->recent), GTK_SELECTION_NONE);
  gtk_list_box_set_show_separators (GTK_LIST_BOX (self->recent), TRUE);
  gtk_widget_add_css_class (self->recent, "frame");
  gtk_box_append (GTK_BOX (box), make_heading (_ ("Recent"), self->recent));
  gtk_box_append (GTK_BOX (box), self->recent);
  g_signal_connect_object (self->recent, "row-activated", G_CALLBACK (on_recent), self, 0);
  return box;
}

static GtkWidget *
make_examples_box (KgWelcome *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *heading = make_label (_ ("Examples"), "title-3");

  self->groups = g_ptr_array_new ();
  self->search = gtk_search_entry_new ();
  g_object_set (self->search, "placeholder-text", _ ("Search examples"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->search), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Search examples"),
                                  -1);
  g_signal_connect_object (self->search, "search-changed", G_CALLBACK (on_search), self, G_CONNECT_SWAPPED);
  gtk_widget_set_hexpand (heading, TRUE);
  gtk_box_append (GTK_BOX (head), heading);
  gtk_box_append (GTK_BOX (head), self->search);
  gtk_widget_set_margin_top (head, 12);
  self->examples = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  self->nothing = make_label (NULL, "kg-dim");
  gtk_widget_set_visible (self->nothing, FALSE);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), self->nothing);
  gtk_box_append (GTK_BOX (box), self->examples);
  return box;
}

static void
kg_welcome_dispose (GObject *object)
{
  g_clear_pointer (&KG_WELCOME (object)->scrolled, gtk_widget_unparent);
  g_clear_pointer (&KG_WELCOME (object)->groups, g_ptr_array_unref);
  G_OBJECT_CLASS (kg_welcome_parent_class)->dispose (object);
}

static void
kg_welcome_class_init (KgWelcomeClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_welcome_dispose;
  signals[OPEN] =
      g_signal_new ("open", KG_TYPE_WELCOME, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[NEW] = g_signal_new ("new", KG_TYPE_WELCOME, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[BROWSE] = g_signal_new ("browse", KG_TYPE_WELCOME, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (class), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
kg_welcome_init (KgWelcome *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  gtk_widget_set_margin_top (box, 36);
  gtk_widget_set_margin_bottom (box, 36);
  gtk_widget_set_margin_start (box, 36);
  gtk_widget_set_margin_end (box, 36);
  gtk_box_append (GTK_BOX (box), make_head (self));
  self->recent_box = make_recent_box (self);
  gtk_box_append (GTK_BOX (box), self->recent_box);
  gtk_box_append (GTK_BOX (box), make_examples_box (self));
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), box);
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
  add_examples (self);
  update_recent (self);
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (update_recent), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
kg_welcome_new (void)
{
  return GTK_WIDGET (g_object_new (KG_TYPE_WELCOME, NULL));
}
