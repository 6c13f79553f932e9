package dev.jwarp.llp.datagram;

/**
 * The message of the segments passed to {@link SegmentWriter}, as the port sees it. The port only compares messages by
 * identity and passes them back to their {@link DatagramUpperLayer}.
 */
public interface OutboundMessage {}
