package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;

/** The two ends of a conversation, whichever speaks. */
record Ends(Endpoint one, Endpoint two) {
    @Override
    public boolean equals(Object other) {
        return other instanceof Ends ends
                && ((one.equals(ends.one) && two.equals(ends.two)) || (one.equals(ends.two) && two.equals(ends.one)));
    }

    @Override
    public int hashCode() {
        return one.hashCode() + two.hashCode();
    }
}
