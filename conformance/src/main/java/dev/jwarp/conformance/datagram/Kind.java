package dev.jwarp.conformance.datagram;

/** Kinds of datagrams (datagram-iWARP §4.4), with the flags that each must have (§4.2). */
public enum Kind {
    DATA(0, "DATA", 0),
    NOTIFY(1, "NOTIFY", Datagram.R),
    CHALLENGE(2, "CHALLENGE", Datagram.R),
    RESOLVE(3, "RESOLVE", 0),
    RESOLVED(4, "RESOLVED", Datagram.R),
    RD_OPEN(5, "RD-OPEN", 0),
    RD_ACCEPT(6, "RD-ACCEPT", Datagram.R),
    RD_ACK(7, "RD-ACK", Datagram.R),
    RD_RESET(8, "RD-RESET", Datagram.R),
    SEALED(9, "envelope", 0),
    PATH_PROBE(11, "PATH-PROBE", 0),
    PATH_REPLY(12, "PATH-REPLY", Datagram.R),
    /** In Version 0 only. */
    VERSION_LIST(15, "VERSION LIST", Datagram.R),
    /** A number without a Kind. */
    UNKNOWN(-1, "an unknown Kind", 0);

    final int number;
    private final String words;
    /** The flags that each datagram of this Kind has. */
    final int must;

    Kind(int number, String words, int must) {
        this.number = number;
        this.words = words;
        this.must = must;
    }

    static Kind of(int version, int number) {
        for (Kind kind : values()) {
            if (kind.number == number && (kind == VERSION_LIST) == (version == 0)) {
                return kind;
            }
        }
        return UNKNOWN;
    }

    /** The name in the document. */
    public String words() {
        return words;
    }
}
