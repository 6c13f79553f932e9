/**
 * Congestion control, pacing, round-trip times and loss detection. Sans-IO: the input is bytes, serial numbers and the
 * time. Bytes are those on the path: UDP payload with UDP and IP headers.
 */
@NullMarked
package dev.jwarp.transport.udp.congestion;

import org.jspecify.annotations.NullMarked;
