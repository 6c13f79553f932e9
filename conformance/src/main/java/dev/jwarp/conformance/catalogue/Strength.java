package dev.jwarp.conformance.catalogue;

/** How strongly an RFC asks (RFC 2119). */
public enum Strength {
    MUST,
    MUST_NOT,
    SHOULD,
    SHOULD_NOT,
    MAY;

    static Strength of(String words) {
        return valueOf(words.trim().replace(' ', '_'));
    }

    /** True for MUST and MUST NOT: a peer that does otherwise does not conform. */
    public boolean binding() {
        return this == MUST || this == MUST_NOT;
    }

    /** The words of RFC 2119. */
    public String words() {
        return name().replace('_', ' ');
    }
}
