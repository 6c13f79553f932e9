package dev.jwarp.conformance.suite;

import java.util.List;

/**
 * To which requirement a case that did not pass is charged.
 *
 * @param requirement that a failed case shows to be broken; the one whose breach explains an inconclusive case; empty if none is known
 * @param suspects requirements which, if one of them is broken, explain what was seen
 */
public record Charge(String requirement, List<String> suspects) {
    /** Of cases that passed, and of those that say nothing of a requirement. */
    public static final Charge NONE = new Charge("", List.of());

    /** To a requirement, without a doubt. */
    public static Charge to(String requirement) {
        return new Charge(requirement, List.of());
    }
}
