/** The connection manager and queue pairs with a connection. Internal. */
@NullMarked
package dev.jwarp.rnic.connection;

import org.jspecify.annotations.NullMarked;
