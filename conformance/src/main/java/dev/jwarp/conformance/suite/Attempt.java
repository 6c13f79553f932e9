package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Transcript;
import java.util.List;
import java.util.Set;

/** What a case is given: access to the device for as long as the case lasts. */
public interface Attempt extends AutoCloseable {
    /** All conversations so far. */
    List<Transcript> recorded();

    /** Requirements that the device must keep for these conversations to mean what they should. */
    default Set<String> relied() {
        return Set.of();
    }

    /**
     * Sets the choices of the tester where the case leaves them open; called before the case begins. Returns
     * false if this device does not allow them.
     */
    default boolean under(Variation chosen) {
        return chosen.equals(Variation.USUAL);
    }

    /** Whether the case has left choices to the tester. */
    default boolean leavesOpen() {
        return false;
    }

    /** Notes what may explain that the case did not pass; called after the conversations are closed. */
    default void failed() {}

    /**
     * Ends all conversations and lets no more begin, so that the case ends soon. What the case finds out after
     * that does not count. Any thread may call this; the caller then interrupts the thread of the case.
     */
    void abandon();

    @Override
    void close();
}
