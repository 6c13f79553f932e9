/** Drivers of UDP ports: sockets, their options, and the common part of all drivers. */
@NullMarked
package dev.jwarp.transport.udp.net;

import org.jspecify.annotations.NullMarked;
