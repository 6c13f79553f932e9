package dev.jwarp.sockets.stream;

/** The violations of a stream protocol by a peer. The names are stable. */
public enum PeerFault {
    /** Its private data are too short for a stream protocol, like those of a program that uses verbs. */
    RECORD_MISSING("is not a socket: its private data contain no stream record"),
    /** Its record has another version. */
    RECORD_VERSION("speaks another version of the protocol"),
    /** Its record has too little memory or too few credits to send anything. */
    RECORD_WITHOUT_ROOM("offers too few credits or too little memory"),
    /** Its record is that of another protocol. */
    RECORD_FOREIGN("speaks another stream protocol"),
    /** Its record is truncated. */
    RECORD_SHORT("sent a truncated record"),
    /** Its record requires options that this end does not have. */
    OPTION_UNKNOWN("requires options that this end does not have"),
    /** Its record neither requires nor offers an option that this end requires. */
    OPTION_MISSING("lacks options that this end requires"),
    /** A Send does not have four bytes. */
    WORD_LENGTH("sent a message that is not an rsocket word"),
    /** A word has an unknown kind or value. */
    WORD_UNKNOWN("sent an unknown rsocket word"),
    /** The length of a message differs from that of its header or of its kind. */
    MESSAGE_LENGTH("sent a message of invalid length"),
    /** A header has an unknown kind or invalid flags. */
    MESSAGE_UNKNOWN("sent an unknown message"),
    /** It returns more credits than it was sent messages. */
    GRANT_EXCEEDED("returned more credits than it was sent messages"),
    /** It sends a FIN twice, or acknowledges a FIN that was not sent. */
    END_REPEATED("repeated a FIN, or acknowledged one that was not sent"),
    /** It sends more messages than it has credits for. */
    CREDITS_EXCEEDED("sent more messages than it has credits for"),
    /** It announces more bytes than the memory that it may write to has room for. */
    ROOM_EXCEEDED("announced more bytes than it had room for"),
    /** It sends data after the end of its stream. */
    DATA_AFTER_END("sent data after the end of the stream"),
    /** It ends its stream although a message of its program is incomplete. */
    MESSAGE_CUT("ended the stream in the middle of a message"),
    /** It announces memory or moved bytes when it is not its turn, or contrary to the value of the word. */
    TURN_WRONG("moved bytes or announced memory out of turn"),
    /** It ends the connection without the closing messages of the protocol. */
    ENDED_EARLY("ended the connection without closing the stream");

    private final String words;

    PeerFault(String words) {
        this.words = words;
    }

    /** {@return the rest of a sentence that begins with "the peer"} */
    String words() {
        return words;
    }
}
