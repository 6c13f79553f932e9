package dev.jwarp.rdmap.message;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A Terminate, decoded (RFC 5040 §4.8). A value; any thread.
 */
public final class TerminateMessage {
    /** Which picture the control word follows. */
    public enum Layout {
        /** The picture of RFC 5040 §4.8, figures 7 and 8. */
        RFC,
        /**
         * What Linux's siw makes of it on a little-endian host: layer and error type change places, and the flags are in
         * the three lowest bits in reverse order. Recognized, never sent.
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

    /** {@return which picture it follows} */
    public Layout layout() {
        return layout;
    }

    /** {@return 0 RDMAP, 1 DDP, 2 the lower layer; any other value to 15 is unassigned} */
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

    /** {@return octets of the offending DDP segment as the peer gives them, or {@link #NO_LENGTH}} */
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

    /** {@return the octets behind the DDP header of the Terminate itself, as they were on the wire; read-only} */
    public ByteBuffer octets() {
        return ByteBuffer.wrap(octets).asReadOnlyBuffer();
    }

    /** {@return what it says, in words: the row of the table, the layout if unusual, and the octets} */
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
