/* probe: reports to a test what is in the windows of the program that loads it, and when they have come to rest.
 *
 * GIO loads it through GIO_EXTRA_MODULES, so that the program under test is the program that people get.  It listens at
 * the socket KG_TEST_PROBE.  Each request is a line that begins with a number, each answer that number and JSON:
 *
 *   N tree         all windows and the widgets that are mapped in them, parents before children: role, accessible name,
 *                  text, place on the screen, states
 *   N settle MS    answers when the program has nothing left to do, nor is going to within so many milliseconds from
 *                  when it first had nothing left to do
 *   N double MS    from now on, two clicks within so many milliseconds are a double click
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <gdk/x11/gdkx.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* After everything that the program does by itself. */
#define PRIORITY_LAST (G_MAXINT - 1)
#define MAX_SOURCES 256
#define A_FRAME 20      /* milliseconds, and a bit, that the next one is drawn in */
#define LISTEN_EVERY 10 /* milliseconds, until there is a display */

typedef struct {
  int fd;
  guint64 number; /* of the request that is worked on */
  int within;     /* of a settle, in milliseconds */
  gint64 until;   /* the same, in microseconds on the clock; 0: it has not been idle yet */
  guint source;   /* of a settle that is not answered */
  GString *request;
} Client;

G_MODULE_EXPORT void g_io_module_load (GIOModule *module);
G_MODULE_EXPORT void g_io_module_unload (GIOModule *module);
G_MODULE_EXPORT char **g_io_module_query (void);

/* JSON. */

static void
append_text (GString *out, const char *name, const char *text)
{
  g_string_append_printf (out, ", \"%s\": \"", name);
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_c (out, '\\');
    if ((guchar) *p < 0x20)
      g_string_append_printf (out, "\\u%04x", (guint) *p);
    else
      g_string_append_c (out, *p);
  }
  g_string_append_c (out, '"');
}

static void
append_state (GString *out, const char *name, bool set)
{
  if (set)
    g_string_append_printf (out, ", \"%s\": true", name);
}

/* Names. */

/* (transfer full) (nullable) A property that holds a text.  GTK gives it only to those who expect another one. */
static char *
dup_property (GtkWidget *widget, GtkAccessibleProperty property)
{
  if (!gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), property))
    return NULL;
  return gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget), property, "\001");
}

static const char *
get_own_text (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    return gtk_label_get_text (GTK_LABEL (widget));
  if (GTK_IS_INSCRIPTION (widget))
    return gtk_inscription_get_text (GTK_INSCRIPTION (widget));
  return NULL;
}

/* The texts of all labels in a widget. */
static void
append_content (GString *text, GtkWidget *widget)
{
  const char *own = get_own_text (widget);

  if (own != NULL && *own != '\0')
    g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", own);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_child_visible (child) && gtk_widget_get_visible (child) && !GTK_IS_NATIVE (child))
      append_content (text, child);
}

static bool
role_is_of_menu (GtkAccessibleRole role)
{
  return role == GTK_ACCESSIBLE_ROLE_MENU_ITEM || role == GTK_ACCESSIBLE_ROLE_MENU_ITEM_CHECKBOX ||
         role == GTK_ACCESSIBLE_ROLE_MENU_ITEM_RADIO;
}

static bool
is_named_by_content (GtkAccessibleRole role)
{
  switch (role) {
  case GTK_ACCESSIBLE_ROLE_BUTTON:
  case GTK_ACCESSIBLE_ROLE_CHECKBOX:
  case GTK_ACCESSIBLE_ROLE_COLUMN_HEADER:
  case GTK_ACCESSIBLE_ROLE_COMBO_BOX:
  case GTK_ACCESSIBLE_ROLE_GRID_CELL:
  case GTK_ACCESSIBLE_ROLE_LABEL:
  case GTK_ACCESSIBLE_ROLE_LINK:
  case GTK_ACCESSIBLE_ROLE_LIST_ITEM:
  case GTK_ACCESSIBLE_ROLE_OPTION:
  case GTK_ACCESSIBLE_ROLE_RADIO:
  case GTK_ACCESSIBLE_ROLE_ROW:
  case GTK_ACCESSIBLE_ROLE_SWITCH:
  case GTK_ACCESSIBLE_ROLE_TAB:
    return true;
  default:
    return false;
  }
}

static bool
has_mnemonic (GtkWidget *widget)
{
  return (GTK_IS_BUTTON (widget) && gtk_button_get_use_underline (GTK_BUTTON (widget))) ||
         (GTK_IS_CHECK_BUTTON (widget) && gtk_check_button_get_use_underline (GTK_CHECK_BUTTON (widget)));
}

/* (transfer full) As assistive technology names it: what the program says, what stands in it, its tooltip, what
 * stands in an empty entry. */
static char *
dup_name (GtkWidget *widget, GtkAccessibleRole role)
{
  g_autofree char *label = dup_property (widget, GTK_ACCESSIBLE_PROPERTY_LABEL);
  g_autoptr (GString) content = g_string_new (NULL);
  const char *tooltip = gtk_widget_get_tooltip_text (widget);

  /* GTK does not take the mark of the mnemonic out of the name that it gives a button. */
  if (label != NULL && *label != '\0' && !(has_mnemonic (widget) && strchr (label, '_') != NULL))
    return g_steal_pointer (&label);
  if (GTK_IS_WINDOW (widget))
    return g_strdup (gtk_window_get_title (GTK_WINDOW (widget)) != NULL ? gtk_window_get_title (GTK_WINDOW (widget))
                                                                        : "");
  /* The entry of a menu has its shortcut beside its text. */
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "text") != NULL && role_is_of_menu (role)) {
    char *text = NULL;

    g_object_get (widget, "text", &text, NULL);
    return text != NULL ? text : g_strdup ("");
  }
  if (is_named_by_content (role))
    append_content (content, widget);
  if (content->len == 0 && tooltip != NULL)
    g_string_assign (content, tooltip);
  if (content->len == 0 && g_object_class_find_property (G_OBJECT_GET_CLASS (widget), "placeholder-text") != NULL) {
    g_autofree char *text = NULL;

    g_object_get (widget, "placeholder-text", &text, NULL);
    if (text != NULL)
      g_string_assign (content, text);
  }
  return g_string_free (g_steal_pointer (&content), FALSE);
}

static void
append_value (GString *out, GtkWidget *widget)
{
  g_autofree char *value = dup_property (widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT);
  g_autofree char *description = dup_property (widget, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);

  if (value != NULL)
    append_text (out, "value", value);
  if (description != NULL)
    append_text (out, "description", description);
  if (GTK_IS_EDITABLE (widget))
    append_text (out, "text", gtk_editable_get_text (GTK_EDITABLE (widget)));
  else if (GTK_IS_TEXT_VIEW (widget)) {
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget));
    GtkTextIter start, end;
    g_autofree char *text = NULL;

    gtk_text_buffer_get_bounds (buffer, &start, &end);
    text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
    append_text (out, "text", text);
  } else if (get_own_text (widget) != NULL)
    append_text (out, "text", get_own_text (widget));
}

/* Places. */

/* Where the surface of a window or popover begins on the screen. */
static void
find_origin (GtkNative *native, double *x, double *y)
{
  GdkSurface *surface = gtk_native_get_surface (native);
  Display *display = gdk_x11_display_get_xdisplay (gdk_surface_get_display (surface));
  const int scale = gdk_surface_get_scale_factor (surface);
  Window child;
  int root_x = 0, root_y = 0;

  XTranslateCoordinates (display, gdk_x11_surface_get_xid (surface), DefaultRootWindow (display), 0, 0, &root_x,
                         &root_y, &child);
  gtk_native_get_surface_transform (native, x, y);
  *x += root_x / scale;
  *y += root_y / scale;
}

static void
append_widget (GString *out, GtkWidget *widget, guint depth, double origin_x, double origin_y)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GtkAccessibleRole role;
  GtkStateFlags flags;
  graphene_rect_t bounds = { 0 };
  GEnumClass *roles;
  g_autofree char *name = NULL;

  if (!gtk_widget_get_mapped (widget))
    return;
  if (GTK_IS_NATIVE (widget))
    find_origin (GTK_NATIVE (widget), &origin_x, &origin_y);
  role = gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget));
  flags = gtk_widget_get_state_flags (widget);
  if (!gtk_widget_compute_bounds (widget, GTK_WIDGET (native), &bounds))
    return;
  name = dup_name (widget, role);
  roles = (GEnumClass *) g_type_class_ref (GTK_TYPE_ACCESSIBLE_ROLE);
  g_string_append_printf (out, "%s{\"depth\": %u, \"role\": \"%s\", \"type\": \"%s\"", depth > 0 ? ", " : "", depth,
                          g_enum_get_value (roles, (int) role)->value_nick, G_OBJECT_TYPE_NAME (widget));
  g_type_class_unref (roles);
  append_text (out, "name", name);
  append_value (out, widget);
  g_string_append_printf (out, ", \"place\": [%d, %d, %d, %d]", (int) (origin_x + (double) bounds.origin.x),
                          (int) (origin_y + (double) bounds.origin.y), (int) bounds.size.width,
                          (int) bounds.size.height);
  append_state (out, "insensitive", (flags & GTK_STATE_FLAG_INSENSITIVE) != 0);
  append_state (out, "focused", (flags & GTK_STATE_FLAG_FOCUSED) != 0);
  append_state (out, "checked", (flags & GTK_STATE_FLAG_CHECKED) != 0);
  append_state (out, "selected", (flags & GTK_STATE_FLAG_SELECTED) != 0);
  append_state (out, "takes_drop", (flags & GTK_STATE_FLAG_DROP_ACTIVE) != 0);
  append_state (out, "active", GTK_IS_WINDOW (widget) && gtk_window_is_active (GTK_WINDOW (widget)));
  g_string_append_c (out, '}');
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    append_widget (out, child, depth + 1, origin_x, origin_y);
}

static void
append_tree (GString *out)
{
  GListModel *windows = gtk_window_get_toplevels ();
  bool first = true;

  g_string_append_c (out, '[');
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++) {
    g_autoptr (GtkWidget) window = GTK_WIDGET (g_list_model_get_item (windows, i));

    if (!gtk_widget_get_mapped (window))
      continue;
    g_string_append (out, first ? "[" : ", [");
    append_widget (out, window, 0, 0, 0);
    g_string_append_c (out, ']');
    first = false;
  }
  g_string_append_c (out, ']');
}

/* Answers. */

static void
client_free (Client *client)
{
  g_clear_handle_id (&client->source, g_source_remove);
  close (client->fd);
  g_string_free (client->request, TRUE);
  g_free (client);
}

static void
answer (Client *client, const char *json)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize done = 0;

  g_string_printf (text, "%" G_GUINT64_FORMAT " %s\n", client->number, json);
  while (done < text->len) {
    const gssize n = send (client->fd, text->str + done, text->len - done, MSG_NOSIGNAL);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    done += (gsize) n;
  }
}

/* In how many milliseconds something is due: 0 when it is, -1 when nothing is. */
static int
find_due (void)
{
  GPollFD polls[MAX_SOURCES];
  int priority, timeout;

  if (g_main_context_prepare (g_main_context_default (), &priority))
    return 0;
  (void) g_main_context_query (g_main_context_default (), G_MAXINT, &timeout, polls, MAX_SOURCES);
  return timeout;
}

static gboolean
look_again (gpointer data)
{
  Client *client = (Client *) data;
  int due, left;

  gdk_display_sync (gdk_display_get_default ());
  due = find_due ();
  /* What it begins to wait for while it works through the events that came before counts too. */
  if (due != 0 && client->until == 0)
    client->until = g_get_monotonic_time () + 1000 * client->within;
  left = (int) ((client->until - g_get_monotonic_time ()) / 1000);
  if (due < 0 || due > MAX (left, A_FRAME)) {
    client->source = 0;
    answer (client, "true");
    return G_SOURCE_REMOVE;
  }
  if (due == 0)
    return G_SOURCE_CONTINUE;
  client->source = g_timeout_add_full (PRIORITY_LAST, (guint) due, look_again, client, NULL);
  return G_SOURCE_REMOVE;
}

static void
handle (Client *client, char *line)
{
  char *request;

  client->number = g_ascii_strtoull (line, &request, 10);
  g_strchug (request);
  if (g_str_has_prefix (request, "settle ")) {
    client->within = (int) g_ascii_strtoll (request + strlen ("settle "), NULL, 10);
    client->until = 0;
    /* A request that is no longer waited for would keep the program busy. */
    g_clear_handle_id (&client->source, g_source_remove);
    gdk_display_sync (gdk_display_get_default ());
    client->source = g_idle_add_full (PRIORITY_LAST, look_again, client, NULL);
  } else if (g_str_has_prefix (request, "double ")) {
    g_object_set (gtk_settings_get_default (), "gtk-double-click-time",
                  (int) g_ascii_strtoll (request + strlen ("double "), NULL, 10), NULL);
    answer (client, "true");
  } else {
    g_autoptr (GString) text = g_string_new (NULL);

    append_tree (text);
    answer (client, text->str);
  }
}

static gboolean
on_request (int fd, GIOCondition condition, gpointer data)
{
  Client *client = (Client *) data;
  char bytes[256];
  const gssize n = recv (fd, bytes, sizeof bytes, 0);
  char *end;

  (void) condition;
  if (n < 0 && errno == EINTR)
    return G_SOURCE_CONTINUE;
  if (n <= 0) {
    client_free (client);
    return G_SOURCE_REMOVE;
  }
  g_string_append_len (client->request, bytes, n);
  end = strchr (client->request->str, '\n');
  if (end != NULL) {
    g_autofree char *line = g_strndup (client->request->str, (gsize) (end - client->request->str));

    g_string_erase (client->request, 0, (gssize) strlen (line) + 1);
    handle (client, line);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_connection (int fd, GIOCondition condition, gpointer data)
{
  const int connection = accept (fd, NULL, NULL);
  Client *client;

  (void) condition;
  (void) data;
  if (connection < 0)
    return G_SOURCE_CONTINUE;
  client = g_new0 (Client, 1);
  client->fd = connection;
  client->request = g_string_new (NULL);
  g_unix_fd_add (connection, G_IO_IN, on_request, client);
  return G_SOURCE_CONTINUE;
}

/* As soon as the main loop of the program has a display; without one there is nothing to report. */
static gboolean
listen_for_tests (gpointer data)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd;

  if (gdk_display_get_default () == NULL)
    return G_SOURCE_CONTINUE;
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_strlcpy (address.sun_path, (const char *) data, sizeof address.sun_path);
  if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) != 0 || listen (fd, 4) != 0)
    g_error ("cannot listen at %s: %s", address.sun_path, g_strerror (errno));
  g_unix_fd_add (fd, G_IO_IN, on_connection, NULL);
  return G_SOURCE_REMOVE;
}

void
g_io_module_load (GIOModule *module)
{
  const char *path = g_getenv ("KG_TEST_PROBE");

  /* GIO would take it out of memory again. */
  g_type_module_use (G_TYPE_MODULE (module));
  if (path != NULL)
    g_timeout_add_full (G_PRIORITY_HIGH, LISTEN_EVERY, listen_for_tests, g_strdup (path), g_free);
}

void
g_io_module_unload (GIOModule *module)
{
  (void) module;
}

char **
g_io_module_query (void)
{
  return g_new0 (char *, 1);
}
