/**
 * Datagram sockets on queue pairs of type UD, and beside them plain UDP at the same ports; for who drives a context in
 * a way of its own.
 */
@org.jspecify.annotations.NullMarked
package dev.jwarp.sockets.datagram;
