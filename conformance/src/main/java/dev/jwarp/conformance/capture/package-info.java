/**
 * Capture files as tcpdump and Wireshark write them, read down to TCP segments and UDP datagrams. Reads a stream, holds little, and checks every
 * length before it uses it.
 */
@NullMarked
package dev.jwarp.conformance.capture;

import org.jspecify.annotations.NullMarked;
