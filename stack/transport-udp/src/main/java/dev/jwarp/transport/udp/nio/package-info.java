/** UDP through java.nio, inline: whoever polls moves the datagrams. */
@NullMarked
package dev.jwarp.transport.udp.nio;

import org.jspecify.annotations.NullMarked;
