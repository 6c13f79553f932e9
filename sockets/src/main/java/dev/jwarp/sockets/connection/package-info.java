/** Streams on queue pairs: connecting, accepting and closing, for callers that drive the context themselves. */
@org.jspecify.annotations.NullMarked
package dev.jwarp.sockets.connection;
