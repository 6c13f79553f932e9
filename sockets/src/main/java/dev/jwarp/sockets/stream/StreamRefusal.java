package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The private data of a Reject: the protocol of this end, and the reason. A peer with rsockets does not read them. */
public final class StreamRefusal {
    private static final int NO_RECORD = 1;
    private static final int PROTOCOL = 2;
    private static final int VERSION = 3;
    private static final int SHORT = 4;
    private static final int OPTIONS = 5;
    private static final int ROOM = 6;
    private static final int MISSING = 7;
    private static final int FULL = 8;

    private static final String MESSAGES = ": the option MESSAGES must be the same at both ends";

    private StreamRefusal() {}

    /**
     * {@return the private data}
     *
     * @param own protocol of this end
     * @param why reason of the refusal
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
     * {@return the private data for a peer for which there is no place or no memory}
     *
     * @param own protocol of this end
     */
    public static byte[] full(StreamProtocol own) {
        return new StreamRecord(own.code(), 0, 0, 0, FULL, 0).bytes();
    }

    /**
     * {@return a sentence for the end that was refused; null if the private data have no reason}
     *
     * @param privateData of the Reject; not changed
     * @param own protocol of this end
     */
    public static @Nullable String sentence(ByteBuffer privateData, StreamProtocol own) {
        if (!StreamRecord.begins(privateData)) {
            return null;
        }
        StreamRecord told;
        try {
            told = StreamRecord.parse(privateData);
        } catch (StreamException e) {
            return "the peer rejects this connection, and its reason is unreadable: " + e.sentence();
        }
        String why =
                switch (told.reason()) {
                    case PROTOCOL ->
                        "it speaks " + StreamProtocol.word(told.protocol()) + ", but this end speaks " + own.word()
                                + ": set the same PROTOCOL at both ends";
                    case VERSION -> "it speaks another version of the protocol";
                    case SHORT -> "it received a truncated record from this end";
                    case OPTIONS -> "it lacks options that this end requires" + MESSAGES;
                    case MISSING -> "this end lacks options that the peer requires" + MESSAGES;
                    case ROOM -> "this end offers too few credits or too little memory";
                    case FULL ->
                        "it has no place or no memory for another connection: raise its backlog or its"
                                + " jwarp.sockets.memory";
                    default -> "it found no stream record in the request";
                };
        return "the peer rejects this connection: " + why;
    }
}
