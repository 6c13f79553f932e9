/** Drives the engine from the thread that calls, on java.nio. */
@NullMarked
package dev.jwarp.transport.tcp.nio;

import org.jspecify.annotations.NullMarked;
