/** Path MTU discovery: a search without socket and clock. */
@NullMarked
package dev.jwarp.transport.udp.path;

import org.jspecify.annotations.NullMarked;
