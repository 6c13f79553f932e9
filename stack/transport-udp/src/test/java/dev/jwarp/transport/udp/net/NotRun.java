package dev.jwarp.transport.udp.net;

import org.junit.jupiter.api.Assumptions;

/** Leaves a test out where it cannot be run, and says so where people look: surefire keeps the reason to itself. */
public final class NotRun {
    private NotRun() {}

    /** Ends the test as not run unless {@code possible}. */
    public static void unless(boolean possible, String reason) {
        if (!possible) {
            System.err.println("NOT RUN: " + reason);
            Assumptions.abort("NOT RUN: " + reason);
        }
    }
}
