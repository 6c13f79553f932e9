package dev.jwarp.transport.udp.net;

import org.junit.jupiter.api.Assumptions;

/** Skips a test that cannot run here, and prints the reason, which surefire does not. */
public final class NotRun {
    private NotRun() {}

    /** Skips the test unless {@code possible}. */
    public static void unless(boolean possible, String reason) {
        if (!possible) {
            System.err.println("NOT RUN: " + reason);
            Assumptions.abort("NOT RUN: " + reason);
        }
    }
}
