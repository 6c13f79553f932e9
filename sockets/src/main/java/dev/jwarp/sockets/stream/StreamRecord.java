package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * What an end with a protocol of jwarp's says of itself in the private data of Request, Reply and Reject.
 *
 * <pre>
 *   0: "JWST" (4) | 4: version | 5: protocol | 6: length of the record (2)
 *   8: options that it needs (4) | 12: options that it offers (4)
 *  16: credits (2) | 18: reason (2), 0 but in a refusal | 20: octets of a receive buffer (4)
 *  24: 0 (4) | 28: key of its word (4) | 32: address of its word (8), if it offers or needs {@link #DIRECT}
 * </pre>
 *
 * All is big-endian. The first 8 octets mean the same in every version.
 *
 * @param protocol its number; 0, rsockets, is in refusals only
 * @param needs options without which it takes no part, a bit each
 * @param credits messages that it may be sent at first
 * @param reason why it refuses; 0: it does not
 * @param buffer octets of the longest message that it takes, with its header
 * @param word where its word is; null: it neither offers nor needs {@link #DIRECT}
 */
record StreamRecord(
        int protocol, int needs, int offers, int credits, int reason, int buffer, DirectWord.@Nullable Place word) {
    /** Of options: a write is a message, whose end the reader sees. */
    static final int MESSAGES = 1;

    /** Of options: data that are not copied. */
    static final int DIRECT = 1 << 1;

    /** Octets of a record of who offers or needs {@link #DIRECT}. */
    static final int DIRECT_LENGTH = 40;
    /** Octets of a record; more may follow, which mean nothing yet. */
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

    /** One without a word. */
    StreamRecord(int protocol, int needs, int offers, int credits, int reason, int buffer) {
        this(protocol, needs, offers, credits, reason, buffer, null);
    }

    /** {@return whether private data begin as a record does} */
    static boolean begins(ByteBuffer told) {
        ByteBuffer record = told.slice().order(ByteOrder.BIG_ENDIAN);
        return record.remaining() >= NEEDS_OFFSET && record.getInt(0) == MAGIC;
    }

    /** {@return the name of the protocol of a record that {@link #begins}} */
    static String protocol(ByteBuffer told) {
        return StreamProtocol.word(told.get(told.position() + PROTOCOL_OFFSET) & 0xFF);
    }

    /**
     * Reads what a peer said that is to speak credits.
     *
     * @param told its private data, from position to limit, neither of which is changed
     * @param own what this end makes of the stream
     * @throws StreamException if that is no record, or one with which there is no stream
     */
    static StreamRecord read(ByteBuffer told, CreditEngine.Options own) throws StreamException {
        if (!begins(told)) {
            if (RsocketRecord.looksLike(told)) {
                throw foreign(StreamProtocol.RSOCKETS.word(), StreamProtocol.CREDITS);
            }
            throw new StreamException(
                    PeerFault.RECORD_MISSING, told.remaining() + " bytes, and none of jwarp's begins so");
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
                    read.credits + " credits for messages of " + read.buffer + " bytes, and " + LEAST_CREDITS
                            + " for messages of " + LEAST_BUFFER + " is the least");
        }
        return read;
    }

    private static String options(int bits) {
        return (bits & MESSAGES) != 0
                ? "messages; the option MESSAGES of both ends says whether writes are such"
                : "options 0x" + Integer.toHexString(bits);
    }

    /** {@return what is thrown where a peer speaks something else than this end} */
    static StreamException foreign(String theirs, StreamProtocol ours) {
        return new StreamException(
                PeerFault.RECORD_FOREIGN, theirs + ", and here is " + ours.word() + "; the option PROTOCOL says which");
    }

    /** {@return the fields of a record that begins as one does} */
    static StreamRecord parse(ByteBuffer told) throws StreamException {
        ByteBuffer record = told.slice().order(ByteOrder.BIG_ENDIAN);
        int version = record.get(VERSION_OFFSET) & 0xFF;
        if (version != VERSION) {
            throw new StreamException(PeerFault.RECORD_VERSION, version + ", and here is " + VERSION);
        }
        int length = record.getShort(LENGTH_OFFSET) & 0xFFFF;
        if (length < LENGTH || record.remaining() < length) {
            throw new StreamException(
                    PeerFault.RECORD_SHORT,
                    record.remaining() + " bytes came, it says that it has " + length + ", and the least is " + LENGTH);
        }
        int needs = record.getInt(NEEDS_OFFSET);
        int offers = record.getInt(OFFERS_OFFSET);
        boolean credits = (record.get(PROTOCOL_OFFSET) & 0xFF) == StreamProtocol.CREDITS.code();
        boolean direct = credits && ((needs | offers) & DIRECT) != 0;
        if (direct && length < DIRECT_LENGTH) {
            throw new StreamException(
                    PeerFault.RECORD_SHORT,
                    "it says that it has " + length + " bytes, and needs " + DIRECT_LENGTH
                            + " to tell of data that are not copied");
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
