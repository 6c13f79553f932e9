package dev.jwarp.tools.udping;

import java.nio.ByteBuffer;

/**
 * What a server of udping says of itself to hosts that resolve its service, as private data: 32 bytes, big-endian.
 *
 * @param writeAddress of its memory to be written
 * @param writeKey of it
 * @param readAddress of its memory to be read
 * @param readKey of it
 * @param slot bytes of a slot; ping number n uses slot n modulo {@code slots}
 * @param slots how many there are
 */
record Invitation(long writeAddress, int writeKey, long readAddress, int readKey, int slot, int slots) {
    /** "jwudping": the id of the service. */
    static final long SERVICE = 0x6a77_7564_7069_6e67L;

    private static final int LENGTH = 32;

    /** {@return it as private data} */
    byte[] toOctets() {
        return ByteBuffer.allocate(LENGTH)
                .putLong(writeAddress)
                .putInt(writeKey)
                .putLong(readAddress)
                .putInt(readKey)
                .putInt(slot)
                .putInt(slots)
                .array();
    }

    /**
     * {@return what the private data say}
     *
     * @throws IllegalArgumentException if they are something else
     */
    static Invitation of(byte[] octets) {
        if (octets.length != LENGTH) {
            throw new IllegalArgumentException(octets.length + " bytes are no invitation to ping");
        }
        ByteBuffer from = ByteBuffer.wrap(octets);
        Invitation invitation = new Invitation(
                from.getLong(), from.getInt(), from.getLong(), from.getInt(), from.getInt(), from.getInt());
        if (invitation.slot < UdpingSettings.LEAST || invitation.slots < 1) {
            throw new IllegalArgumentException("an invitation to ping without memory");
        }
        return invitation;
    }

    /** {@return where ping number {@code ping} has its place, from the start of the memory} */
    int offset(long ping) {
        return (int) (ping % slots) * slot;
    }
}
