package dev.jwarp.verbs;

import java.time.Duration;

/**
 * TCP keep-alive: how soon an idle connection detects that its peer's host is down or the network is cut. The operating
 * systems exchange the probes; programs do not see them. If the last probe is not answered, the connection ends with
 * {@link RdmaErrorCode#TIMED_OUT}, about {@code idle + interval * probes} after the last received byte. An operating
 * system that cannot set these times per connection uses its own.
 *
 * <p>While sent bytes are unacknowledged, TCP retransmits them instead and gives up when the operating system decides:
 * on Linux after about 15 minutes ({@code net.ipv4.tcp_retries2}). While TCP accepts no more bytes,
 * {@code jwarp.tcp.stall-timeout} applies.
 *
 * <p>The operating system counts in whole seconds; other values are rounded up.
 *
 * @param idle time without received bytes before the first probe: more than 0, at most 32767 seconds;
 *     {@link Duration#ZERO} only in {@link #OFF}
 * @param interval time to wait for an answer before the next probe: more than 0, at most 32767 seconds
 * @param probes number of unanswered probes after which the connection ends, 1 to 127
 */
public record KeepAlive(Duration idle, Duration interval, int probes) {
    /** No probes: an idle connection stays open indefinitely after its peer is gone. */
    public static final KeepAlive OFF = new KeepAlive(Duration.ZERO, Duration.ZERO, 0);
}
