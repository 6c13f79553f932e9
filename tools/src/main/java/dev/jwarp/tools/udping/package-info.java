/** Pinging over datagrams. */
@NullMarked
package dev.jwarp.tools.udping;

import org.jspecify.annotations.NullMarked;
