/** What a context has for connections: connection manager, queue pairs of type RC, the streams between. Internal. */
@NullMarked
package dev.jwarp.rnic.connection;

import org.jspecify.annotations.NullMarked;
