package dev.jwarp.conformance.script;

import java.util.List;

/** The case did not reach the point where its requirement shows. There is no verdict on the device. */
public final class Inconclusive extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> suspects; // never serialized

    public Inconclusive(String why) {
        this(why, List.of());
    }

    /**
     * A case that did not reach the point of its requirement, perhaps because the device breaks one of these
     * requirements.
     *
     * @param suspects requirements; the first one that the device breaks is the cause
     */
    public Inconclusive(String why, List<String> suspects) {
        super(why, null, false, false);
        this.suspects = List.copyOf(suspects);
    }

    /** Requirements, each of which would explain the result if the device breaks it. */
    public List<String> suspects() {
        return suspects;
    }
}
