package dev.jwarp.conformance.fuzz;

/** What a campaign needs of a device under test. One thread at a time. */
public interface Peer extends AutoCloseable {
    /**
     * Has one mutated conversation with it. Returns how it ended, in a few words; throws {@code Deviation} if the
     * device spoke ill-formed bytes.
     */
    String play(Recipe recipe);

    /** Has one good conversation. Returns an empty string if the device served it, else what was wrong. */
    String serves();

    @Override
    void close();
}
