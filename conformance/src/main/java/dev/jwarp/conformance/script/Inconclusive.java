package dev.jwarp.conformance.script;

import java.util.List;

/** The case could not be brought to the point where the requirement shows: no verdict on the peer. */
public final class Inconclusive extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> suspects; // never serialized

    public Inconclusive(String why) {
        this(why, List.of());
    }

    /**
     * A case that could not be brought there, perhaps as the peer breaks one of these requirements.
     *
     * @param suspects the first of them that is broken is the cause
     */
    public Inconclusive(String why, List<String> suspects) {
        super(why, null, false, false);
        this.suspects = List.copyOf(suspects);
    }

    /** Requirements which, if the peer breaks one of them, explain it. */
    public List<String> suspects() {
        return suspects;
    }
}
