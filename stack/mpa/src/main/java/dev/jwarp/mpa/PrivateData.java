package dev.jwarp.mpa;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Private data of the layer above in a start-up frame (RFC 5044 §7.1.4): an immutable string of octets. */
public final class PrivateData {
    /** Maximum octets of a frame's private data, including the IRD/ORD word (RFC 5044 §7.1.1, MPA-7.1.1-13). */
    public static final int MAX_LENGTH = 512;

    /** Maximum octets of the layer above in an enhanced frame (RFC 6581 §9, MPA2-9-2). */
    public static final int MAX_ENHANCED_LENGTH = MAX_LENGTH - EnhancedData.LENGTH;

    /** No private data. */
    public static final PrivateData NONE = new PrivateData(new byte[0]);

    private final byte[] octets;

    private PrivateData(byte[] octets) {
        this.octets = octets;
    }

    /** {@return private data with a copy of these octets} */
    public static PrivateData of(byte[] octets) {
        return octets.length == 0 ? NONE : new PrivateData(octets.clone());
    }

    /** {@return private data with a copy of the remaining {@code octets}, whose position does not change} */
    public static PrivateData of(ByteBuffer octets) {
        byte[] copy = new byte[octets.remaining()];
        octets.get(octets.position(), copy);
        return copy.length == 0 ? NONE : new PrivateData(copy);
    }

    /** {@return the number of octets} */
    public int length() {
        return octets.length;
    }

    /** {@return a copy of the octets} */
    public byte[] toByteArray() {
        return octets.clone();
    }

    void putInto(ByteBuffer out) {
        out.put(octets);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PrivateData that && Arrays.equals(octets, that.octets);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(octets);
    }

    /** {@return the octets in hexadecimal} */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(octets);
    }
}
