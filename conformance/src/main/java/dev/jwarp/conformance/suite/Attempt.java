package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Transcript;
import java.util.List;
import java.util.Set;

/** Access to the device for one case, for as long as the case lasts. */
public interface Attempt extends AutoCloseable {
    /** All conversations so far. */
    List<Transcript> recorded();

    /** Requirements that these conversations rely on: if the device breaks one, they do not show what they should. */
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

    /** Notes facts that may explain why the case did not pass; called after the conversations are closed. */
    default void failed() {}

    /**
     * Ends all conversations and allows no new ones, so that the case ends soon. What the case finds out after
     * this call does not count. Any thread may call this; the caller then interrupts the thread of the case.
     */
    void abandon();

    @Override
    void close();
}
