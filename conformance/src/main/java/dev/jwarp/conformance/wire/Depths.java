package dev.jwarp.conformance.wire;

/**
 * The IRD/ORD word of RFC 6581 §6 and §9.
 *
 * @param peerToPeer control flag A
 * @param rtr the Ready-to-Receive messages: {@link #SEND}, {@link #WRITE}, {@link #READ}
 * @param ird inbound read depth, 14 bits
 * @param ord outbound read depth, 14 bits
 */
public record Depths(boolean peerToPeer, int rtr, int ird, int ord) {
    /** Size of the word in bytes. */
    public static final int SIZE = 4;
    /** "No automatic negotiation" (RFC 6581 §9.1). */
    public static final int UNSET = 0x3FFF;

    /** Control flag B: a zero-length Send. */
    public static final int SEND = 4;
    /** Control flag C: a zero-length RDMA Write. */
    public static final int WRITE = 2;
    /** Control flag D: a zero-length RDMA Read. */
    public static final int READ = 1;

    /** Client and server: no Ready-to-Receive message. */
    public static Depths clientServer(int ird, int ord) {
        return new Depths(false, 0, ird, ord);
    }

    public byte[] bytes() {
        return new Octets()
                .u16((peerToPeer ? 0x8000 : 0) | ((rtr & SEND) != 0 ? 0x4000 : 0) | (ird & 0x3FFF))
                .u16(((rtr & WRITE) != 0 ? 0x8000 : 0) | ((rtr & READ) != 0 ? 0x4000 : 0) | (ord & 0x3FFF))
                .bytes();
    }

    static Depths parse(byte[] privateData) {
        int first = (int) Octets.number(privateData, 0, 2);
        int second = (int) Octets.number(privateData, 2, 2);
        int rtr = ((first & 0x4000) != 0 ? SEND : 0)
                | ((second & 0x8000) != 0 ? WRITE : 0)
                | ((second & 0x4000) != 0 ? READ : 0);
        return new Depths((first & 0x8000) != 0, rtr, first & 0x3FFF, second & 0x3FFF);
    }
}
