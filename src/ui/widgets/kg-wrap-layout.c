/* kg-wrap-layout: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-wrap-layout.h"

#include "config.h"

struct _KgWrapLayout {
  GtkLayoutManager parent_instance;
  int spacing;
};

G_DEFINE_FINAL_TYPE (KgWrapLayout, kg_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

/* Natural sizes: what is in a bar does not shrink, it goes to the next line. */
static void
get_size (GtkWidget *child, int *width, int *height)
{
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, width, NULL, NULL);
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, *width, NULL, height, NULL, NULL);
}

/* Places the children of one line, from first to before end, in the middle of its height. */
static void
allocate_line (KgWrapLayout *self, GtkWidget *first, const GtkWidget *end, int y, int line_height, int right)
{
  const bool mirrored = gtk_widget_get_direction (gtk_widget_get_parent (first)) == GTK_TEXT_DIR_RTL;
  int x = 0;

  for (GtkWidget *child = first; child != end; child = gtk_widget_get_next_sibling (child)) {
    int width, height;

    if (!gtk_widget_should_layout (child))
      continue;
    get_size (child, &width, &height);
    gtk_widget_size_allocate (
        child, &(GtkAllocation){ mirrored ? right - x - width : x, y + (line_height - height) / 2, width, height }, -1);
    x += width + self->spacing;
  }
}

/* The height of all lines; with allocate, the children are placed too. */
static int
lay_out (KgWrapLayout *self, GtkWidget *widget, int available, bool allocate)
{
  GtkWidget *first = gtk_widget_get_first_child (widget);
  int x = 0, y = 0, line_height = 0;

  for (GtkWidget *child = first; child != NULL; child = gtk_widget_get_next_sibling (child)) {
    int width, height;

    if (!gtk_widget_should_layout (child))
      continue;
    get_size (child, &width, &height);
    if (x > 0 && x + width > available) {
      if (allocate)
        allocate_line (self, first, child, y, line_height, available);
      y += line_height + self->spacing;
      x = line_height = 0;
      first = child;
    }
    x += width + self->spacing;
    line_height = MAX (line_height, height);
  }
  if (allocate && first != NULL)
    allocate_line (self, first, NULL, y, line_height, available);
  return y + line_height;
}

static GtkSizeRequestMode
kg_wrap_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  (void) manager;
  (void) widget;
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
kg_wrap_layout_measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation, int for_size,
                        int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  KgWrapLayout *self = KG_WRAP_LAYOUT (manager);
  int widest = 0, all = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    int width, height;

    if (!gtk_widget_should_layout (child))
      continue;
    get_size (child, &width, &height);
    widest = MAX (widest, width);
    all += width + (all > 0 ? self->spacing : 0);
  }
  *minimum = widest;
  *natural = all;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    *minimum = *natural = lay_out (self, widget, for_size < 0 ? all : for_size, false);
  *minimum_baseline = *natural_baseline = -1;
}

static void
kg_wrap_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline)
{
  (void) height;
  (void) baseline;
  lay_out (KG_WRAP_LAYOUT (manager), widget, width, true);
}

static void
kg_wrap_layout_class_init (KgWrapLayoutClass *class)
{
  GtkLayoutManagerClass *manager = GTK_LAYOUT_MANAGER_CLASS (class);

  manager->get_request_mode = kg_wrap_layout_get_request_mode;
  manager->measure = kg_wrap_layout_measure;
  manager->allocate = kg_wrap_layout_allocate;
}

static void
kg_wrap_layout_init (KgWrapLayout *self)
{
  (void) self;
}

GtkLayoutManager *
kg_wrap_layout_new (int spacing)
{
  KgWrapLayout *self = KG_WRAP_LAYOUT (g_object_new (KG_TYPE_WRAP_LAYOUT, NULL));

  self->spacing = spacing;
  return GTK_LAYOUT_MANAGER (self);
}
