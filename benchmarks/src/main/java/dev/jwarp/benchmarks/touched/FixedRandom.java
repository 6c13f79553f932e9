package dev.jwarp.benchmarks.touched;

import java.security.Provider;
import java.security.SecureRandomSpi;
import java.security.Security;
import java.util.Random;

/**
 * Makes every {@code SecureRandom} of this JVM return the same numbers in each run: the keys of hash tables decide
 * which entries collide, and with that what a look-up touches.
 */
public final class FixedRandom extends SecureRandomSpi {
    private static final long serialVersionUID = 1;
    private static final Random ALL = new Random(1);

    /** Made by the JDK. */
    public FixedRandom() {}

    /** Replaces the source of each {@code SecureRandom} that is made later. */
    static void install() {
        Security.insertProviderAt(new Fixed(), 1);
    }

    private static final class Fixed extends Provider {
        private static final long serialVersionUID = 1;

        Fixed() {
            super("Fixed", "1", "the same numbers in each run");
            putService(new Service(this, "SecureRandom", "Fixed", FixedRandom.class.getName(), null, null));
        }
    }

    @Override
    protected void engineSetSeed(byte[] seed) {}

    @Override
    protected void engineNextBytes(byte[] bytes) {
        ALL.nextBytes(bytes);
    }

    @Override
    protected byte[] engineGenerateSeed(int count) {
        byte[] seed = new byte[count];
        ALL.nextBytes(seed);
        return seed;
    }
}
