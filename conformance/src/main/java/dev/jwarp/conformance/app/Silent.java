package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Segment;

/** Nothing is known of the program above the device: only what needs no program can be tested. */
public final class Silent implements Application {
    /** Knows nothing. */
    public Silent() {}

    @Override
    public String name() {
        return "none";
    }

    @Override
    public boolean can(Ability ability) {
        return false;
    }

    @Override
    public void begin(Talk talk) {
        // Nothing to say.
    }

    @Override
    public Segment probe() {
        throw new Skip("needs " + Ability.PROBE.words());
    }

    @Override
    public void expectAnswer() {
        throw new Skip("needs " + Ability.PROBE.words());
    }
}
