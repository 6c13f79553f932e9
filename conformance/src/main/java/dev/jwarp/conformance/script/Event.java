package dev.jwarp.conformance.script;

/**
 * One thing that happened in a conversation.
 *
 * @param nanos since the conversation began
 * @param kind what happened
 * @param octets the kept bytes that were sent or received; empty for other events
 * @param length how many bytes were sent or received, kept or not
 * @param note a description of the event; may be empty
 */
public record Event(long nanos, Kind kind, byte[] octets, long length, String note) {
    /** An event whose bytes are kept. */
    public Event(long nanos, Kind kind, byte[] octets, String note) {
        this(nanos, kind, octets, octets.length, note);
    }

    /** Whether all bytes were kept. */
    public boolean kept() {
        return octets.length == length;
    }

    /** Kinds of events. */
    public enum Kind {
        /** The TCP connection is open. */
        CONNECTED,
        /** The tester sent bytes. */
        SENT,
        /** Bytes of the peer arrived. */
        RECEIVED,
        /** The tester ended its direction with FIN. */
        CLOSED,
        /** The tester reset the connection. */
        RESET,
        /** The peer ended its direction with FIN. */
        PEER_CLOSED,
        /** The peer reset the connection. */
        PEER_RESET,
        /** A remark for the report. */
        NOTE
    }
}
