package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.LimitSink;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The messages that ended recently, whose late segments are dropped (datagram-iWARP §7): one set for messages of a
 * single datagram, one for messages of several. Shared by the endpoints of one owner; owner thread only. Message Ids
 * are not ordered, so no message can move a window past others (DG-5.3-3).
 */
public final class SeenMessages {
    /** Default number of keys of a generation. */
    public static final int KEYS = 32_768;

    /** Default minimum time that a message is remembered, in nanoseconds: 2 seconds (DG-5.3-1). */
    public static final long NANOS = TimeUnit.SECONDS.toNanos(2); // T_SEEN

    private final SeenSet single;
    private final SeenSet several;
    private final KeyedHash hash;

    /**
     * Creates empty sets.
     *
     * @param randomness source of the hash key: a {@code SecureRandom}; a seeded generator in simulations
     * @param keys of a generation, 1,024 to 2^24; the default is {@link #KEYS}
     * @param nanos minimum time that a message is remembered, unless {@code keys} others end meanwhile; the default is
     *     {@link #NANOS}
     */
    public SeenMessages(RandomGenerator randomness, int keys, long nanos) {
        hash = new KeyedHash(randomness);
        single = new SeenSet(keys, nanos);
        several = new SeenSet(keys, nanos);
    }

    /** Creates empty sets with the defaults. */
    public SeenMessages(RandomGenerator randomness) {
        this(randomness, KEYS, NANOS);
    }

    /** Reports the use of the limits. Any thread. */
    public void limits(LimitSink sink) {
        sink.limit("seen-messages-of-one-datagram", single.size(), single.limit());
        sink.limit("seen-messages-of-several", several.size(), several.limit());
    }

    KeyedHash hash() {
        return hash;
    }

    SeenSet single() {
        return single;
    }

    SeenSet several() {
        return several;
    }
}
