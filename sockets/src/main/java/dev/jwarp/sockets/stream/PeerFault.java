package dev.jwarp.sockets.stream;

/** All that can be wrong with what a peer says or does in a stream. The names are stable. */
public enum PeerFault {
    /** Its private data are too short for a protocol of streams, as those of a program with verbs are. */
    RECORD_MISSING("is no socket: its private data hold no record of rsockets"),
    /** Its record is of another version. */
    RECORD_VERSION("speaks another version of rsockets"),
    /** Its record tells of memory or credits with which nothing could be sent. */
    RECORD_WITHOUT_ROOM("offers no room"),
    /** A Send has other than four bytes. */
    WORD_LENGTH("sent what is no word of rsockets"),
    /** A word says what rsockets do not know. */
    WORD_UNKNOWN("sent a word that rsockets do not know"),
    /** More messages than it has credits for. */
    CREDITS_EXCEEDED("sent more messages than it may"),
    /** More bytes than there is room for where it may write. */
    ROOM_EXCEEDED("says that it wrote more bytes than it had room for"),
    /** Data behind the end that it has announced. */
    DATA_AFTER_END("sent data after it had said that no more come"),
    /** The connection ended without a word that it would. */
    ENDED_EARLY("ended the connection without a word");

    private final String words;

    PeerFault(String words) {
        this.words = words;
    }

    /** {@return what is wrong, of a sentence that begins with "the peer"} */
    String words() {
        return words;
    }
}
