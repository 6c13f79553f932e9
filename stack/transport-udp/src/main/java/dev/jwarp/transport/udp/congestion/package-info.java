/**
 * How fast a path may be sent to, and what on it was lost: congestion control, pacing, round trips, loss detection. Sans-IO: it
 * knows bytes, serial numbers and a clock that is handed in. Bytes are those on the path: UDP payload with UDP and IP headers.
 */
@NullMarked
package dev.jwarp.transport.udp.congestion;

import org.jspecify.annotations.NullMarked;
