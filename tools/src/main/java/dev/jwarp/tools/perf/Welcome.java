package dev.jwarp.tools.perf;

import java.nio.ByteBuffer;

/**
 * What a server answers to a {@link Hello}, as private data: 48 bytes (docs/perf-exchange.md).
 *
 * @param dataPort where the data connections are to go; 0 if there are none, as for datagrams
 * @param token to be shown by each of them, so that no other connection is taken for one
 * @param version of the server's jwarp
 */
record Welcome(int dataPort, long token, String version) {
    static final int LENGTH = 48;

    byte[] toOctets() {
        ByteBuffer out = ByteBuffer.allocate(LENGTH);
        PerfWire.start(out);
        out.putShort((short) dataPort).putLong(token);
        PerfWire.text(out, version);
        return out.array();
    }

    /** {@return what a server answers} @throws IllegalArgumentException with a sentence, if it is no such answer */
    static Welcome of(byte[] octets) {
        if (octets.length != LENGTH) {
            throw new IllegalArgumentException(
                    octets.length + " bytes of private data are not an answer of jwarp perf");
        }
        ByteBuffer in = ByteBuffer.wrap(octets);
        PerfWire.check(in);
        return new Welcome(in.getShort() & 0xffff, in.getLong(), PerfWire.text(in));
    }

    /**
     * What a data connection says of itself, as private data: 16 bytes.
     *
     * @param index which of the queue pairs it is for, from 0
     * @param token of the answer
     */
    record Ticket(int index, long token) {
        static final int LENGTH = 16;

        byte[] toOctets() {
            ByteBuffer out = ByteBuffer.allocate(LENGTH);
            PerfWire.start(out);
            out.putShort((short) index).putLong(token);
            return out.array();
        }

        /** {@return what it says} @throws IllegalArgumentException with a sentence, if it is no such thing */
        static Ticket of(byte[] octets) {
            if (octets.length != LENGTH) {
                throw new IllegalArgumentException(octets.length + " bytes of private data are not a ticket");
            }
            ByteBuffer in = ByteBuffer.wrap(octets);
            PerfWire.check(in);
            return new Ticket(in.getShort() & 0xffff, in.getLong());
        }
    }
}
