/** Loops that run on event loops of Netty. */
@NullMarked
package dev.jwarp.io.netty;

import org.jspecify.annotations.NullMarked;
