/** UDP on a Netty event loop of its own, threaded: epoll's sockets with UDP_SEGMENT and UDP_GRO. */
@NullMarked
package dev.jwarp.transport.udp.netty;

import org.jspecify.annotations.NullMarked;
