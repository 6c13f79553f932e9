package dev.jwarp.vectors;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Tests that await a condition look at once and then each 5 ms, not each 100: most conditions hold within a millisecond. They give up after {@link OwnThread#PATIENCE}. */
public final class ShortPolls implements LauncherSessionListener {
    /** Creates one; JUnit does. */
    public ShortPolls() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(5));
        Awaitility.setDefaultTimeout(OwnThread.PATIENCE);
    }
}
