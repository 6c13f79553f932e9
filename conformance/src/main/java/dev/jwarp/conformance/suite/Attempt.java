package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Recorded;
import java.util.List;
import java.util.Set;

/** What a case is given: the way to the device for as long as the case lasts. */
public interface Attempt extends AutoCloseable {
    /** All conversations so far. */
    List<Recorded> recorded();

    /** Requirements that the device must keep for what was said here to mean what it should. */
    default Set<String> relied() {
        return Set.of();
    }

    /** Makes these choices wherever the case leaves them open. Before the case begins; false if they cannot be made with this device. */
    default boolean under(Variation chosen) {
        return chosen.equals(Variation.USUAL);
    }

    /** Whether the case has left choices to the tester. */
    default boolean leavesOpen() {
        return false;
    }

    /** The case did not pass: notes what may explain it. Called when the conversations are closed. */
    default void failed() {}

    /**
     * Ends all conversations and lets no more begin, so that the case comes to its end soon; what it finds out then does not count. Any
     * thread; it interrupts the case's thread too.
     */
    void abandon();

    @Override
    void close();
}
