package dev.jwarp.mpa;

/**
 * The problems of a Request or a Reply. For each of them: close TCP, inform the layer above, send nothing (RFC 5044
 * §7.1.1, §8 (4)). All of them are {@link MpaError#INVALID_START_FRAME}.
 */
public enum StartFrameProblem {
    WRONG_KEY("the first bytes are not the key of an MPA frame: the peer does not speak MPA", "RFC 5044 §7.1.1"),
    REQUEST_FOR_REPLY("the peer answered with a Request of its own: both sides are initiators", "RFC 5044 §7.1.2 (8)"),
    REPLY_FOR_REQUEST("the peer began with a Reply: both sides are responders", "RFC 5044 §7.1.2 (8)"),
    UNSUPPORTED_REVISION("the frame has an MPA revision that is not supported here", "RFC 5044 §7.1.1"),
    PRIVATE_DATA_TOO_LONG("the frame announces more than 512 bytes of private data", "RFC 5044 §7.1.1"),
    MISSING_READ_DEPTHS(
            "the frame says that it begins with IRD and ORD, but its private data is shorter than four bytes",
            "RFC 6581 §6"),
    OCTETS_BEHIND_REQUEST("bytes follow the Request before any Reply was sent", "RFC 5044 §7.1.2 (9)"),
    ENDED_EARLY("the connection ended inside the start-up frame", "RFC 5044 §7.1.2 (2)"),
    REPLY_NOT_ENHANCED("the Reply ignores that the Request asked for the enhanced set-up", "RFC 6581 §10"),
    REPLY_ENHANCED("the Reply uses the enhanced set-up that the Request did not ask for", "RFC 6581 §10");

    private final String sentence;
    private final String source;

    StartFrameProblem(String sentence, String source) {
        this.sentence = sentence;
        this.source = source;
    }

    /** {@return a description of the problem, without a full stop} */
    public String sentence() {
        return sentence;
    }

    /** {@return the violated rule} */
    public String source() {
        return source;
    }
}
