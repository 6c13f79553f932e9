package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.LimitSink;
import java.util.random.RandomGenerator;

/**
 * The messages that ended a short while ago, so that their late segments do nothing (datagram-iWARP §7): one set for
 * messages of a single datagram, one for messages of several. The endpoints of one owner share it; owner thread only.
 * Message Ids are not compared, so no message can move a window past others (DG-5.3-3).
 */
public final class SeenMessages {
    /** Keys of a generation unless told otherwise. */
    public static final int KEYS = 32_768;

    /** Nanoseconds a message is known at least, unless told otherwise: 2 seconds (DG-5.3-1). */
    public static final long NANOS = 2_000_000_000L;

    private final SeenSet single;
    private final SeenSet several;
    private final KeyedHash hash;

    /**
     * Creates empty sets.
     *
     * @param randomness gives the key of the hashes: a {@code SecureRandom}; a seeded generator in simulations
     * @param keys of a generation, 1,024 to 2^24; the default is {@link #KEYS}
     * @param nanos for which a message is known at least, unless {@code keys} others end meanwhile; {@link #NANOS}
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

    /** Tells how much of its limits is used. Any thread. */
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
