package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Transcript;
import java.util.List;

/** An attempt without conversations. */
class Passive implements Attempt {
    @Override
    public List<Transcript> recorded() {
        return List.of();
    }

    @Override
    public void abandon() {}

    @Override
    public void close() {}
}
