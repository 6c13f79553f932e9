package dev.jwarp.sockets.stream;

/** All that can be wrong with what a peer says or does in a stream. The names are stable. */
public enum PeerFault {
    /** Its private data are too short for a protocol of streams, as those of a program with verbs are. */
    RECORD_MISSING("is no socket: its private data hold no record of a stream"),
    /** Its record is of another version. */
    RECORD_VERSION("speaks another version of the protocol"),
    /** Its record tells of memory or credits with which nothing could be sent. */
    RECORD_WITHOUT_ROOM("offers no room"),
    /** Its record is of another protocol. */
    RECORD_FOREIGN("speaks another protocol of streams"),
    /** Its record ends before it should. */
    RECORD_SHORT("has cut its record short"),
    /** Its record names options that are needed and not known. */
    OPTION_UNKNOWN("needs what is not known here"),
    /** Its record neither needs nor offers an option that this end needs. */
    OPTION_MISSING("does not have what this end needs"),
    /** A Send has other than four bytes. */
    WORD_LENGTH("sent what is no word of rsockets"),
    /** A word says what rsockets do not know. */
    WORD_UNKNOWN("sent a word that rsockets do not know"),
    /** A message has another length than its header says, or than its kind has. */
    MESSAGE_LENGTH("sent a message of a length that cannot be"),
    /** A header says what credits do not know. */
    MESSAGE_UNKNOWN("sent a message that credits do not know"),
    /** It gives back more than it was sent. */
    GRANT_EXCEEDED("gives back more credits than it was sent messages"),
    /** An end twice, or an answer to none. */
    END_REPEATED("said an end again, or answered one that was not said"),
    /** More messages than it has credits for. */
    CREDITS_EXCEEDED("sent more messages than it may"),
    /** More bytes than there is room for where it may write. */
    ROOM_EXCEEDED("says that it wrote more bytes than it had room for"),
    /** Data behind the end that it has announced. */
    DATA_AFTER_END("sent data after it had said that no more come"),
    /** It says that it sends no more, and a message of its program has no end. */
    MESSAGE_CUT("ended in the middle of a message of its program"),
    /** It tells of memory, or of bytes that it has moved, and it is not its turn, or the word says something else. */
    TURN_WRONG("moves bytes, or tells of memory, out of turn"),
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
