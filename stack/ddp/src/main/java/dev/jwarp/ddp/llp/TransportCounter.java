package dev.jwarp.ddp.llp;

/**
 * A counter of a transport at one moment.
 *
 * @param name in lower case with underscores, such as {@code tcp_crc_mismatch}
 * @param value how often
 * @param sentence what it counts, without a full stop
 */
public record TransportCounter(String name, long value, String sentence) {}
