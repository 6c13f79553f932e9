package dev.jwarp.mpa;

/** The largest ULPDU that fits into one TCP segment (RFC 5044 §4.5). */
public final class Mulpdu {
    /** RFC 5044 §4.5, MPA-4.5-3: the minimum, even for smaller segments. */
    public static final int MINIMUM = 128;

    /** RFC 5044 §3, MPA-3-2: the maximum. */
    public static final int MAXIMUM = Fpdu.MAX_ULPDU_SENT;

    private Mulpdu() {}

    /**
     * {@return the MULPDU, {@link #MINIMUM} to {@link #MAXIMUM} octets}
     *
     * @param emss effective maximum segment size of the TCP connection: payload octets of its largest segment
     * @param markers whether we send Markers
     */
    public static int of(int emss, boolean markers) {
        if (emss < 1) {
            throw new IllegalArgumentException("EMSS " + emss + ": a TCP segment holds at least one byte");
        }
        // RFC 5044 §4.5, MPA-4.5-1, MPA-4.5-2: subtracts six octets of framing, the Markers, and the rest modulo 4.
        long markerOctets = markers ? Marker.LENGTH * ((emss + (long) Marker.INTERVAL - 1) / Marker.INTERVAL) : 0;
        long mulpdu = emss - (Fpdu.ULPDU_OFFSET + Fpdu.CRC_LENGTH + markerOctets + emss % 4);
        return (int) Math.max(MINIMUM, Math.min(MAXIMUM, mulpdu));
    }
}
