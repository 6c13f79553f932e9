package dev.jwarp.verbs;

import java.time.Duration;

/**
 * How soon a connection notices that its peer is gone while it is idle: the peer's host is off, or the network is cut.
 * The operating system sends probes (TCP keep-alive), and the peer's operating system answers them; programs do not see
 * them. When the last probe has no answer the connection ends with {@link RdmaErrorCode#TIMED_OUT}: after about {@code
 * idle + interval * probes}. Where the operating system has no such times for one connection, its own times hold.
 *
 * <p>While the peer has not acknowledged bytes that were sent, TCP sends those again instead, and gives up when the
 * operating system decides: Linux after about 15 minutes ({@code net.ipv4.tcp_retries2}). Where TCP itself takes no
 * more bytes, {@code jwarp.tcp.send-timeout} holds.
 *
 * <p>The operating system counts in whole seconds; what is given is rounded up.
 *
 * @param idle how long nothing has come before the first probe, more than 0, at most 32767 seconds; {@link Duration#ZERO} in {@link
 *     #OFF} alone
 * @param interval how long to wait for an answer before the next probe, more than 0, at most 32767 seconds
 * @param probes how many probes may stay without an answer, 1 to 127
 */
public record KeepAlive(Duration idle, Duration interval, int probes) {
    /** No probes: an idle connection stays open without limit after its peer is gone. */
    public static final KeepAlive OFF = new KeepAlive(Duration.ZERO, Duration.ZERO, 0);
}
