/** The driver of connections and listeners on event loops, and its sockets of java.nio. */
@NullMarked
package dev.jwarp.transport.tcp.net;

import org.jspecify.annotations.NullMarked;
