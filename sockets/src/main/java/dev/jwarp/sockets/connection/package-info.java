/** Streams on queue pairs: how they are connected, accepted and ended, for those who drive a context in ways of their own. */
@org.jspecify.annotations.NullMarked
package dev.jwarp.sockets.connection;
