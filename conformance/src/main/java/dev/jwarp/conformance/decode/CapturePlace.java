package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;

/**
 * The place of an item in the capture.
 *
 * @param frame the frame with the item's last byte
 * @param firstFrame the frame with the item's first byte
 * @param nanos time of the last byte, in nanoseconds since 1970
 * @param tcp true for TCP, false for UDP
 * @param stream the number that Wireshark gives the conversation (tcp.stream, udp.stream)
 * @param fromInitiator whether the sender opened the connection; with UDP whether the sender was seen first
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
