/**
 * The part of a context for connections: connection manager, queue pairs of type RC, and the streams that connect them.
 * Internal.
 */
@NullMarked
package dev.jwarp.rnic.connection;

import org.jspecify.annotations.NullMarked;
