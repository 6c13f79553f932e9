package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Recorded;
import java.util.List;

/** An attempt without conversations. */
class Passive implements Attempt {
    @Override
    public List<Recorded> recorded() {
        return List.of();
    }

    @Override
    public void abandon() {}

    @Override
    public void close() {}
}
