/**
 * Capture files of tcpdump and Wireshark, parsed down to TCP segments and UDP datagrams. Reads a stream, holds little
 * of it, and checks every length before use.
 */
@NullMarked
package dev.jwarp.conformance.capture;

import org.jspecify.annotations.NullMarked;
