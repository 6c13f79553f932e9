package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.Shares;

/** A holder of so many shares that it enters an empty rank; runs in classes of {@link FailingClasses}. */
public final class RankScenario {
    private static final int MUCH = 100;

    private static final ShareWatcher NOBODY = sentence -> {};

    private RankScenario() {}

    /** Makes each allocation of that step fail in turn. Returns their number. */
    public static int run() {
        int failed = 0;
        while (fails(failed + 1)) {
            failed++;
        }
        return failed;
    }

    private static boolean fails(int number) {
        Shares shares = new Shares(ShareLimits.of("room", "jwarp.room", 10 * MUCH, 1, 1), 42, NOBODY);
        Share share = shares.join(7, now -> {}, 0);
        share.take(1, 0);
        AllocationFault.arm(number);
        try {
            share.take(MUCH, 0);
            return false;
        } catch (OutOfMemoryError e) {
            assertThat(share.held()).isEqualTo(1);
            assertThat(shares.used()).isEqualTo(1);
        } finally {
            AllocationFault.disarm();
        }
        assertThat(share.take(MUCH, 0)).isTrue();
        Share other = shares.join(8, now -> {}, 0);
        assertThat(other.take(10 * MUCH - MUCH - 1, 0)).isTrue();
        share.leave();
        assertThat(shares.used()).isEqualTo(other.held());
        other.leave();
        assertThat(shares.used()).isZero();
        return true;
    }
}
