package dev.jwarp.conformance.capture;

/**
 * One frame of a capture.
 *
 * @param number as Wireshark counts: from 1
 * @param nanos when, in nanoseconds since 1970; 0 if the file does not say
 * @param linkType what the bytes begin with: a LINKTYPE_ number of the pcap registry
 * @param octets what was captured of it
 * @param originalLength bytes that were on the wire; more than those captured if a snapshot length cut it
 */
public record Frame(long number, long nanos, int linkType, byte[] octets, long originalLength) {

    /** Bytes that the snapshot length cut off. */
    public long cut() {
        return Math.max(0, originalLength - octets.length);
    }
}
