package dev.jwarp.rdmap.message;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A decoded Terminate (RFC 5040 §4.8). Immutable; any thread. */
public final class TerminateMessage {
    /** The bit layout of the control word. */
    public enum Layout {
        /** The layout of RFC 5040 §4.8, figures 7 and 8. */
        RFC,
        /**
         * The layout of Linux's siw on a little-endian host: layer and error type are swapped, and the flags are in the
         * three lowest bits in reverse order. Recognized, never sent.
         */
        SIW_LITTLE_ENDIAN
    }

    /** The value of {@link #segmentLength()} when the message has none. */
    public static final int NO_LENGTH = -1;

    private final Layout layout;
    /** Layer, error type and error code: 4, 4 and 8 bits. */
    private final int cause;

    private final int segmentLength;
    private final byte[] ddpHeader;
    private final byte[] readRequest;
    private final byte[] octets;

    /** @param cause layer, error type and error code: 4, 4 and 8 bits */
    TerminateMessage(Layout layout, int cause, int segmentLength, byte[] ddpHeader, byte[] readRequest, byte[] octets) {
        this.layout = layout;
        this.cause = cause;
        this.segmentLength = segmentLength;
        this.ddpHeader = ddpHeader;
        this.readRequest = readRequest;
        this.octets = octets;
    }

    /** {@return the bit layout of the control word} */
    public Layout layout() {
        return layout;
    }

    /** {@return the layer: 0 RDMAP, 1 DDP, 2 the lower layer; 3 to 15 are unassigned} */
    public int layer() {
        return cause >>> 12;
    }

    /** {@return the error type, 0 to 15} */
    public int errorType() {
        return cause >>> 8 & 0xf;
    }

    /** {@return the error code, 0 to 255} */
    public int errorCode() {
        return cause & 0xff;
    }

    /** {@return the row of the error table, or null if no RFC has this triple} */
    public @Nullable TerminateCode code() {
        return TerminateCode.of(layer(), errorType(), errorCode());
    }

    /** {@return octets of the offending DDP segment as the peer states them, or {@link #NO_LENGTH}} */
    public int segmentLength() {
        return segmentLength;
    }

    /** {@return the copied DDP header: a read-only buffer of 14 or 18 octets, or empty} */
    public ByteBuffer ddpHeader() {
        return ByteBuffer.wrap(ddpHeader).asReadOnlyBuffer();
    }

    /** {@return the copied Read Request header: a read-only buffer of 28 octets, or empty} */
    public ByteBuffer readRequest() {
        return ByteBuffer.wrap(readRequest).asReadOnlyBuffer();
    }

    /** {@return the octets behind the DDP header of this Terminate, as received; read-only} */
    public ByteBuffer octets() {
        return ByteBuffer.wrap(octets).asReadOnlyBuffer();
    }

    /** {@return the Terminate in words: the row of the error table, the layout if it is siw's, and the octets} */
    @Override
    public String toString() {
        TerminateCode code = code();
        return (code == null
                        ? String.format(
                                Locale.ROOT, "unknown error 0x%x/0x%x/0x%02x", layer(), errorType(), errorCode())
                        : code)
                + (layout == Layout.RFC ? "" : ", in siw's bit order")
                + ", bytes " + HexFormat.of().formatHex(octets);
    }
}
