package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The private data of a Reject: which protocol this end speaks, and why it refuses the peer. A peer with rsockets does not read them. */
public final class StreamRefusal {
    private static final int NO_RECORD = 1;
    private static final int PROTOCOL = 2;
    private static final int VERSION = 3;
    private static final int SHORT = 4;
    private static final int OPTIONS = 5;
    private static final int ROOM = 6;
    private static final int MISSING = 7;
    private static final int FULL = 8;

    private static final String MESSAGES = "; with credits the option MESSAGES has to be the same at both ends";

    private StreamRefusal() {}

    /**
     * {@return the private data}
     *
     * @param own what this end speaks
     * @param why the peer is refused
     */
    public static byte[] bytes(StreamProtocol own, StreamException why) {
        int reason =
                switch (why.fault()) {
                    case RECORD_FOREIGN -> PROTOCOL;
                    case RECORD_VERSION -> VERSION;
                    case RECORD_SHORT -> SHORT;
                    case OPTION_UNKNOWN -> OPTIONS;
                    case RECORD_WITHOUT_ROOM -> ROOM;
                    case OPTION_MISSING -> MISSING;
                    default -> NO_RECORD;
                };
        return new StreamRecord(own.code(), 0, 0, 0, reason, 0).bytes();
    }

    /**
     * {@return the private data for a peer that there is no place or no memory for}
     *
     * @param own what this end speaks
     */
    public static byte[] full(StreamProtocol own) {
        return new StreamRecord(own.code(), 0, 0, 0, FULL, 0).bytes();
    }

    /**
     * {@return a sentence for the end that was refused; null: the private data do not say why}
     *
     * @param privateData of the Reject; not changed
     * @param own what this end speaks
     */
    public static @Nullable String sentence(ByteBuffer privateData, StreamProtocol own) {
        if (!StreamRecord.begins(privateData)) {
            return null;
        }
        StreamRecord told;
        try {
            told = StreamRecord.parse(privateData);
        } catch (StreamException e) {
            return "the peer refuses this end, and " + e.sentence();
        }
        String why =
                switch (told.reason()) {
                    case PROTOCOL ->
                        "it speaks " + StreamProtocol.word(told.protocol()) + ", and this end " + own.word()
                                + "; the option PROTOCOL says which";
                    case VERSION -> "it speaks another version of the protocol";
                    case SHORT -> "the record of this end has come cut short";
                    case OPTIONS -> "it does not have options that this end needs" + MESSAGES;
                    case MISSING -> "this end does not have options that it needs" + MESSAGES;
                    case ROOM -> "this end offers it no room";
                    case FULL ->
                        "it has no place for one more connection, or no memory; its backlog, and its jwarp.sockets.memory, say how much";
                    default -> "it has found no record of a stream";
                };
        return "the peer refuses this end: " + why;
    }
}
