package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The record of an end with a protocol of jwarp, in the private data of Request, Reply and Reject.
 *
 * <pre>
 *   0: "JWST" (4) | 4: version | 5: protocol | 6: length of the record (2)
 *   8: options that it needs (4) | 12: options that it offers (4)
 *  16: credits (2) | 18: reason (2), 0 except in a refusal | 20: octets of a receive buffer (4)
 *  24: 0 (4) | 28: key of its word (4) | 32: address of its word (8), if it offers or needs {@link #DIRECT}
 * </pre>
 *
 * All fields are big-endian. The first 8 octets have the same meaning in every version.
 *
 * @param protocol number of the protocol; 0, rsockets, in refusals only
 * @param needs required options, a bit each
 * @param offers offered options, a bit each
 * @param credits initial credits for messages to the sender
 * @param reason reason of a refusal; 0: no refusal
 * @param buffer octets of the longest message that the sender accepts, with its header
 * @param word location of the sender's word; null if it neither offers nor needs {@link #DIRECT}
 */
record StreamRecord(
        int protocol, int needs, int offers, int credits, int reason, int buffer, DirectWord.@Nullable Place word) {
    /** Option: each write is a message whose end the reader sees. */
    static final int MESSAGES = 1;

    /** Option: zero-copy data. */
    static final int DIRECT = 1 << 1;

    /** Octets of a record with {@link #DIRECT}. */
    static final int DIRECT_LENGTH = 40;
    /** Octets of a record; further octets are ignored. */
    static final int LENGTH = 24;

    static final int VERSION = 1;
    static final int LEAST_CREDITS = 4;
    static final int MOST_CREDITS = 256;
    static final int LEAST_BUFFER = 64;

    private static final int MAGIC = 0x4A57_5354;
    private static final int VERSION_OFFSET = 4;
    private static final int PROTOCOL_OFFSET = 5;
    private static final int LENGTH_OFFSET = 6;
    private static final int NEEDS_OFFSET = 8;
    private static final int OFFERS_OFFSET = 12;
    private static final int CREDITS_OFFSET = 16;
    private static final int REASON_OFFSET = 18;
    private static final int BUFFER_OFFSET = 20;
    private static final int WORD_KEY_OFFSET = 28;
    private static final int WORD_ADDRESS_OFFSET = 32;

    /** Made without a word. */
    StreamRecord(int protocol, int needs, int offers, int credits, int reason, int buffer) {
        this(protocol, needs, offers, credits, reason, buffer, null);
    }

    /** {@return whether private data begin like a record} */
    static boolean begins(ByteBuffer told) {
        ByteBuffer record = told.slice().order(ByteOrder.BIG_ENDIAN);
        return record.remaining() >= NEEDS_OFFSET && record.getInt(0) == MAGIC;
    }

    /** {@return the name of the protocol of a record that {@link #begins}} */
    static String protocol(ByteBuffer told) {
        return StreamProtocol.word(told.get(told.position() + PROTOCOL_OFFSET) & 0xFF);
    }

    /**
     * Reads the record of a peer for a credit stream.
     *
     * @param told private data of the peer, from position to limit; neither is changed
     * @param own options of this end
     * @throws StreamException if the private data are not a record, or no stream is possible with the peer
     */
    static StreamRecord read(ByteBuffer told, CreditEngine.Options own) throws StreamException {
        if (!begins(told)) {
            if (RsocketRecord.looksLike(told)) {
                throw foreign(StreamProtocol.RSOCKETS.word(), StreamProtocol.CREDITS);
            }
            throw new StreamException(
                    PeerFault.RECORD_MISSING, told.remaining() + " bytes that do not begin as a record");
        }
        StreamRecord read = parse(told);
        if (read.protocol != StreamProtocol.CREDITS.code()) {
            throw foreign(StreamProtocol.word(read.protocol), StreamProtocol.CREDITS);
        }
        int unknown = read.needs & ~(own.needs() | own.offers());
        if (unknown != 0) {
            throw new StreamException(PeerFault.OPTION_UNKNOWN, options(unknown));
        }
        int missing = own.needs() & ~(read.needs | read.offers);
        if (missing != 0) {
            throw new StreamException(PeerFault.OPTION_MISSING, options(missing));
        }
        if (read.credits < LEAST_CREDITS || read.buffer < LEAST_BUFFER) {
            throw new StreamException(
                    PeerFault.RECORD_WITHOUT_ROOM,
                    read.credits + " credits for messages of " + read.buffer + " bytes; the minimum is " + LEAST_CREDITS
                            + " credits for messages of " + LEAST_BUFFER + " bytes");
        }
        return read;
    }

    private static String options(int bits) {
        return (bits & MESSAGES) != 0
                ? "messages: the option MESSAGES must be the same at both ends"
                : "options 0x" + Integer.toHexString(bits);
    }

    /** {@return the exception for a peer with another protocol} */
    static StreamException foreign(String theirs, StreamProtocol ours) {
        return new StreamException(
                PeerFault.RECORD_FOREIGN,
                theirs + ", but this end speaks " + ours.word() + ": set the same PROTOCOL at both ends");
    }

    /** {@return the fields of a record that {@link #begins}} */
    static StreamRecord parse(ByteBuffer told) throws StreamException {
        ByteBuffer record = told.slice().order(ByteOrder.BIG_ENDIAN);
        int version = record.get(VERSION_OFFSET) & 0xFF;
        if (version != VERSION) {
            throw new StreamException(PeerFault.RECORD_VERSION, version + ", not " + VERSION);
        }
        int length = record.getShort(LENGTH_OFFSET) & 0xFFFF;
        if (length < LENGTH || record.remaining() < length) {
            throw new StreamException(
                    PeerFault.RECORD_SHORT,
                    record.remaining() + " bytes arrived, its length field is " + length + ", and the minimum is "
                            + LENGTH);
        }
        int needs = record.getInt(NEEDS_OFFSET);
        int offers = record.getInt(OFFERS_OFFSET);
        boolean credits = (record.get(PROTOCOL_OFFSET) & 0xFF) == StreamProtocol.CREDITS.code();
        boolean direct = credits && ((needs | offers) & DIRECT) != 0;
        if (direct && length < DIRECT_LENGTH) {
            throw new StreamException(
                    PeerFault.RECORD_SHORT,
                    "its length field is " + length + ", and the minimum with zero-copy data is " + DIRECT_LENGTH);
        }
        return new StreamRecord(
                record.get(PROTOCOL_OFFSET) & 0xFF,
                needs,
                offers,
                record.getShort(CREDITS_OFFSET) & 0xFFFF,
                record.getShort(REASON_OFFSET) & 0xFFFF,
                record.getInt(BUFFER_OFFSET),
                direct
                        ? new DirectWord.Place(record.getLong(WORD_ADDRESS_OFFSET), record.getInt(WORD_KEY_OFFSET))
                        : null);
    }

    /** {@return the record as private data} */
    byte[] bytes() {
        DirectWord.Place place = word;
        int length = place == null ? LENGTH : DIRECT_LENGTH;
        ByteBuffer record = ByteBuffer.allocate(length);
        if (place != null) {
            record.putInt(WORD_KEY_OFFSET, place.key()).putLong(WORD_ADDRESS_OFFSET, place.address());
        }
        return record.putInt(0, MAGIC)
                .put(VERSION_OFFSET, (byte) VERSION)
                .put(PROTOCOL_OFFSET, (byte) protocol)
                .putShort(LENGTH_OFFSET, (short) length)
                .putInt(NEEDS_OFFSET, needs)
                .putInt(OFFERS_OFFSET, offers)
                .putShort(CREDITS_OFFSET, (short) credits)
                .putShort(REASON_OFFSET, (short) reason)
                .putInt(BUFFER_OFFSET, buffer)
                .array();
    }
}
