/** UDP on an event loop of Netty: sockets of epoll with UDP_SEGMENT and UDP_GRO. */
@NullMarked
package dev.jwarp.transport.udp.netty;

import org.jspecify.annotations.NullMarked;
