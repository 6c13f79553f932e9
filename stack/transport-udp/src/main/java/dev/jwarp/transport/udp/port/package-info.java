/**
 * The interfaces between a port and its queue pairs, and the buffers and writers of the datagrams that a port sends.
 */
@NullMarked
package dev.jwarp.transport.udp.port;

import org.jspecify.annotations.NullMarked;
