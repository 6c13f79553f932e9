package dev.jwarp.conformance.capture;

/**
 * One frame of a capture.
 *
 * @param number as Wireshark counts: from 1
 * @param nanos time in nanoseconds since 1970; 0 if the file does not have it
 * @param linkType type of the first header: a LINKTYPE_ number of the pcap registry
 * @param octets the captured bytes: all of the frame, or only its first bytes if the capture limits the length of frames
 * @param originalLength number of bytes on the wire; larger than the captured number if a snapshot length cut the frame
 */
public record Frame(long number, long nanos, int linkType, byte[] octets, long originalLength) {

    /** Bytes that the snapshot length cut off. */
    public long cut() {
        return Math.max(0, originalLength - octets.length);
    }
}
