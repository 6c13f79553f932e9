/** How large the datagrams are that a path takes: a search that asks no socket and no clock. */
@NullMarked
package dev.jwarp.transport.udp.path;

import org.jspecify.annotations.NullMarked;
