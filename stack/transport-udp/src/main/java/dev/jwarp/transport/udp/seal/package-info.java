/** Authenticated datagrams: keys, envelopes, and what of them has come already; no sockets, no files, a clock that is handed in. */
@org.jspecify.annotations.NullMarked
package dev.jwarp.transport.udp.seal;
