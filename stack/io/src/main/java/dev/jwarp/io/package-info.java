/** The event loop of sockets: ownership, waiting and threads. */
@NullMarked
package dev.jwarp.io;

import org.jspecify.annotations.NullMarked;
