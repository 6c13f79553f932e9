package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;

/**
 * Where something stood.
 *
 * @param frame in which its last octet came
 * @param firstFrame in which its first octet came
 * @param nanos when the last octet came, since 1970
 * @param tcp false if it came by UDP
 * @param stream the number that Wireshark gives the conversation (tcp.stream, udp.stream)
 * @param fromInitiator whether the side sent it that opened the connection; with UDP the side that was seen first
 */
public record CapturePlace(
        long frame,
        long firstFrame,
        long nanos,
        boolean tcp,
        int stream,
        boolean fromInitiator,
        Endpoint source,
        Endpoint target) {}
