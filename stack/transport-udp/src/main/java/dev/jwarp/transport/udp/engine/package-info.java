/** The engine of a UDP port, without the socket: which queue pair a datagram is for, whose turn to send it is, timeouts, groups. */
@NullMarked
package dev.jwarp.transport.udp.engine;

import org.jspecify.annotations.NullMarked;
