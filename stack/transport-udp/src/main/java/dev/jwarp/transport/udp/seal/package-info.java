/** Protected datagrams: keys, envelopes and replay windows; no sockets, no files; the clock is a parameter. */
@org.jspecify.annotations.NullMarked
package dev.jwarp.transport.udp.seal;
