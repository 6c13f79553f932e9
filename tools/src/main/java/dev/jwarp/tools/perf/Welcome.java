package dev.jwarp.tools.perf;

import java.nio.ByteBuffer;

/**
 * A server's answer to a {@link Hello}, as private data: 48 bytes (docs/perf-exchange.md).
 *
 * @param dataPort the port of the data connections; 0 without connections, as for datagrams
 * @param token a secret that each data connection has to show
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

    /**
     * {@return the answer of a server}
     *
     * @throws IllegalArgumentException with a sentence, if the bytes are not an answer
     */
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
     * The private data of a data connection: 16 bytes.
     *
     * @param index the number of its queue pair, from 0
     * @param token the token of the server's answer
     */
    record Ticket(int index, long token) {
        static final int LENGTH = 16;

        byte[] toOctets() {
            ByteBuffer out = ByteBuffer.allocate(LENGTH);
            PerfWire.start(out);
            out.putShort((short) index).putLong(token);
            return out.array();
        }

        /**
         * {@return the ticket in private data}
         *
         * @throws IllegalArgumentException with a sentence, if the bytes are not a ticket
         */
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
