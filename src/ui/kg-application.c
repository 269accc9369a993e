/* kg-application: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-application.h"

#include "config.h"

#include <glib/gi18n.h>

struct _KgApplication {
  GtkApplication parent_instance;
  KgTypes *types;
};

G_DEFINE_FINAL_TYPE (KgApplication, kg_application, GTK_TYPE_APPLICATION)

static void
kg_application_finalize (GObject *object)
{
  kg_types_unref (KG_APPLICATION (object)->types);
  G_OBJECT_CLASS (kg_application_parent_class)->finalize (object);
}

static void
kg_application_class_init (KgApplicationClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_application_finalize;
}

static void
kg_application_init (KgApplication *self)
{
  self->types = kg_types_new (kg_node_table);
}

KgApplication *
kg_application_new (void)
{
  return KG_APPLICATION (g_object_new (KG_TYPE_APPLICATION, "application-id", "org.kineograph.Kineograph", "flags",
                                       G_APPLICATION_HANDLES_OPEN, NULL));
}

KgTypes *
kg_application_get_types (KgApplication *self)
{
  return self->types;
}
