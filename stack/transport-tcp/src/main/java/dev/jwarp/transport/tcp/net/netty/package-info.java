/** TCP_INFO of Linux, for the drivers of java.nio and of Netty. */
@NullMarked
package dev.jwarp.transport.tcp.net.netty;

import org.jspecify.annotations.NullMarked;
