/** Drives the engine from Netty's event loops. */
@NullMarked
package dev.jwarp.transport.tcp.netty;

import org.jspecify.annotations.NullMarked;
