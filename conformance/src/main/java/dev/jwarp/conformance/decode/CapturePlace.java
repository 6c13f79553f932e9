package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;

/**
 * The place of an item in the capture.
 *
 * @param frame the frame in which its last byte came
 * @param firstFrame the frame in which its first byte came
 * @param nanos when its last byte came, since 1970
 * @param tcp whether it came by TCP; else by UDP
 * @param stream the number that Wireshark gives the conversation (tcp.stream, udp.stream)
 * @param fromInitiator whether the side that opened the connection sent it; with UDP the side that was seen first
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
