/** What a port and its queue pairs ask of each other, and the buffers and writers of the datagrams that a port sends. */
@NullMarked
package dev.jwarp.transport.udp.port;

import org.jspecify.annotations.NullMarked;
