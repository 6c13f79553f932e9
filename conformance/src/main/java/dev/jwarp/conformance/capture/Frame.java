package dev.jwarp.conformance.capture;

/**
 * One frame of a capture.
 *
 * @param number as Wireshark counts: from 1
 * @param nanos time in nanoseconds since 1970; 0 if the file does not have it
 * @param linkType type of the first header: a LINKTYPE_ number of the pcap registry
 * @param octets the captured bytes of the frame; if the snapshot length of the capture cut the frame, its first bytes
 * @param originalLength number of bytes of the frame on the wire, captured or not
 */
public record Frame(long number, long nanos, int linkType, byte[] octets, long originalLength) {}
