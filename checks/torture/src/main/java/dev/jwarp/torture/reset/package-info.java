/** Peers that reset a connection while one thread posts and another polls. */
@NullMarked
package dev.jwarp.torture.reset;

import org.jspecify.annotations.NullMarked;
