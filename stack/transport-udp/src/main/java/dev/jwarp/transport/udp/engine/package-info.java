/** The engine of a UDP port, without the socket: demultiplexing, scheduling of sends, timeouts, groups. */
@NullMarked
package dev.jwarp.transport.udp.engine;

import org.jspecify.annotations.NullMarked;
