package dev.jwarp.sockets.connection;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareTurn;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receive and send memory of streams, with a limit for all streams, and three quarters of it for the streams with
 * one address. A count refuses excess requests before the JVM is asked, because the JVM would collect garbage and block
 * the thread that drives all connections. Returned memory is kept and reused. If memory is short, streams are displaced
 * that the program does not know yet, or has closed: those of the address that uses most. Streams that are half-open, or
 * have sent everything, are displaced even if their address is the one that requests memory. Any thread; no call waits
 * for other streams.
 */
public final class StreamMemory {
    /** Time to wait before the JVM is asked for direct memory again after an OutOfMemoryError. */
    static final long PAUSE_NANOS = 60_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(StreamMemory.class);
    private static final int PAGE = 4096;
    private static final byte[] ZEROS = new byte[1 << 16];

    /** Bytes of a stream of the default size: the guaranteed units of {@link ShareLimits}. */
    private static final long USUAL = 1 << 19;

    private static @Nullable StreamMemory ofProcess;

    private final LongSupplier nanoTime;
    private final IntFunction<ByteBuffer> maker;

    // Guarded by this.

    private final Shares shares;

    /** Unused memory, by length. */
    private final Map<Integer, Deque<ByteBuffer>> free = new HashMap<>();

    /** Bytes of all memory, used and unused. */
    private long made;

    private boolean refused;
    private long refusedAt;
    private List<Loan> displaced = new ArrayList<>();

    /** A stream that can be displaced. It is called without the lock of this memory. */
    @FunctionalInterface
    interface Displaced {
        /**
         * Tells the stream to return all memory soon. Any thread, under the locks of the caller that requests memory.
         */
        void giveWay();
    }

    /**
     * Made without memory.
     *
     * @param bytes limit of all streams
     */
    public StreamMemory(long bytes) {
        this(bytes, System::nanoTime, ByteBuffer::allocateDirect);
    }

    StreamMemory(long bytes, LongSupplier nanoTime, IntFunction<ByteBuffer> maker) {
        this.nanoTime = nanoTime;
        this.maker = maker;
        ShareLimits limits =
                ShareLimits.of("memory of streams", SocketSetting.MEMORY.key(), bytes, USUAL, Long.MAX_VALUE);
        shares = new Shares(
                limits.perSource(ShareLimits.mostOfOneSource(bytes)), new SecureRandom().nextLong(), LOG::warn);
    }

    /**
     * {@return the memory of the process}
     *
     * @throws IllegalArgumentException if its setting is invalid
     */
    public static synchronized StreamMemory ofProcess() {
        StreamMemory made = ofProcess;
        if (made == null) {
            long chosen = Long.parseLong(SocketSetting.MEMORY.value());
            made = new StreamMemory(chosen == 0 ? DirectMemoryLimit.bytes() / 2 : chosen);
            ofProcess = made;
        }
        return made;
    }

    /** {@return bytes that streams use} */
    public synchronized long used() {
        return shares.used();
    }

    /** {@return bytes that were allocated from the JVM, used and unused} */
    synchronized long made() {
        return made;
    }

    /**
     * {@return an empty loan for one stream}
     *
     * @param peer address of the peer; null: unknown
     * @param told called when the stream is displaced
     */
    Loan join(@Nullable InetSocketAddress peer, Displaced told) {
        return new Loan(peer == null ? SourceKey.STRANGERS : SourceKey.of(peer), told);
    }

    /** The memory of one stream. Any thread. */
    final class Loan implements ShareHolder {
        private final Displaced told;
        private final Share share;
        private final List<ByteBuffer> blocks = new ArrayList<>();

        /** Bytes of {@link #count} that are not returned. */
        private long counted;

        private boolean left;

        private Loan(long source, Displaced told) {
            this.told = told;
            synchronized (StreamMemory.this) {
                share = shares.join(source, this, nanoTime.getAsLong());
                share.turn(ShareTurn.NEVER);
            }
        }

        @Override
        public void takeBack(long nowNanos) {
            displaced.add(this);
            left = true;
            share.leave();
        }

        private void giveWay() {
            try {
                told.giveWay();
            } catch (RuntimeException e) {
                // An exception would hit the caller that requests memory, which has not failed, and would leak memory
                // that it holds.
                LOG.warn("A stream that must return its memory cannot be ended", e);
            }
        }

        /** Sets when the stream can be displaced; without this call it cannot. */
        void turn(ShareTurn turn) {
            synchronized (StreamMemory.this) {
                if (!left) {
                    share.turn(turn);
                }
            }
        }

        /**
         * {@return memory of zeros, which {@link #close} returns} May displace other streams.
         *
         * @throws RdmaException LIMIT_REACHED if no memory is available
         */
        ByteBuffer take(int length) {
            return take(length, true);
        }

        /**
         * {@return the same, without displacing other streams}
         *
         * @throws RdmaException LIMIT_REACHED if no memory is available
         */
        ByteBuffer takeFree(int length) {
            return take(length, false);
        }

        private ByteBuffer take(int length, boolean fromOthers) {
            List<Loan> given;
            ByteBuffer block = null;
            boolean mayMake = false;
            synchronized (StreamMemory.this) {
                if (reserve(length + PAGE, fromOthers)) {
                    block = reuse(length);
                    mayMake = block == null && makeRoom(length + PAGE);
                    if (block == null && !mayMake) {
                        share.give(length + PAGE);
                    }
                }
                given = displaced;
                if (!given.isEmpty()) {
                    displaced = new ArrayList<>();
                }
            }
            given.forEach(Loan::giveWay);
            if (block != null) {
                clear(block);
            } else if (mayMake) {
                block = make(length);
            } else {
                throw none(length);
            }
            synchronized (StreamMemory.this) {
                blocks.add(block);
            }
            return block;
        }

        /** {@return whether memory from elsewhere is counted for the stream} {@link #give} returns it. */
        boolean count(int bytes) {
            synchronized (StreamMemory.this) {
                if (!reserve(bytes, false)) {
                    return false;
                }
                if (!makeRoom(bytes)) {
                    share.give(bytes);
                    return false;
                }
                counted += bytes;
                return true;
            }
        }

        /** Returns bytes of {@link #count}, whose memory was freed. */
        void give(long bytes) {
            synchronized (StreamMemory.this) {
                long rest = Math.min(bytes, counted); // 0 after close(), which returns all
                counted -= rest;
                unmade(rest);
            }
        }

        private void unmade(long bytes) {
            made -= bytes;
            if (!left) {
                share.give(bytes);
            }
        }

        private boolean reserve(long bytes, boolean fromOthers) {
            long now = nanoTime.getAsLong();
            return !left && (fromOthers ? share.take(bytes, now) : share.takeFree(bytes, now));
        }

        private ByteBuffer make(int length) {
            try {
                ByteBuffer whole = maker.apply(length + PAGE);
                int start = (PAGE - whole.alignmentOffset(0, PAGE)) % PAGE;
                return whole.slice(start, length);
            } catch (Throwable e) {
                notMade(length + PAGE, e instanceof OutOfMemoryError);
                if (e instanceof OutOfMemoryError) {
                    throw none(length);
                }
                throw e;
            }
        }

        private void notMade(int bytes, boolean exhausted) {
            synchronized (StreamMemory.this) {
                unmade(bytes);
                if (!exhausted) {
                    return;
                }
                refused = true;
                refusedAt = nanoTime.getAsLong();
            }
            LOG.warn(
                    "The JVM has no direct memory left for streams of sockets, which use {} of their {} bytes: raise"
                            + " -XX:MaxDirectMemorySize, or lower {}. Streams that need new direct memory are refused for one"
                            + " minute",
                    used(),
                    shares.limits().capacity(),
                    SocketSetting.MEMORY.key());
        }

        private RdmaException none(int length) {
            return new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    "There are no " + length + " bytes of memory for another stream: the limit is "
                            + shares.limits().capacity() + " for all streams, and "
                            + shares.limits().perSource() + " for those with one address. Raise "
                            + SocketSetting.MEMORY.key() + ".");
        }

        /** Returns all memory. No receive or send may still use it. Further calls do nothing. */
        void close() {
            synchronized (StreamMemory.this) {
                for (ByteBuffer block : blocks) {
                    free.computeIfAbsent(block.capacity(), length -> new ArrayDeque<>())
                            .push(block);
                }
                blocks.clear();
                made -= counted;
                counted = 0;
                left = true;
                share.leave();
            }
        }
    }

    private @Nullable ByteBuffer reuse(int length) {
        Deque<ByteBuffer> same = free.get(length);
        return same == null ? null : same.poll();
    }

    /** {@return whether the JVM may be asked for so many bytes} Frees unused memory of other lengths for that. */
    private boolean makeRoom(int bytes) {
        if (refused && nanoTime.getAsLong() - refusedAt < PAUSE_NANOS) {
            return false;
        }
        refused = false;
        long most = shares.limits().capacity();
        for (Deque<ByteBuffer> those : free.values()) {
            while (made + bytes > most && !those.isEmpty()) {
                made -= those.pop().capacity() + PAGE;
            }
        }
        // Memory of displaced streams remains in use for a moment, so the limit may be exceeded by an eighth.
        if (made + bytes > most + most / 8) {
            return false;
        }
        made += bytes;
        return true;
    }

    private static void clear(ByteBuffer block) {
        for (int at = 0; at < block.capacity(); at += ZEROS.length) {
            block.put(at, ZEROS, 0, Math.min(ZEROS.length, block.capacity() - at));
        }
    }

    /** The limit of the JVM's direct memory: its option, or else the maximum heap. */
    static final class DirectMemoryLimit {
        private static final String OPTION = "-XX:MaxDirectMemorySize=";

        private DirectMemoryLimit() {}

        static long bytes() {
            return of(
                    ManagementFactory.getRuntimeMXBean().getInputArguments(),
                    Runtime.getRuntime().maxMemory());
        }

        static long of(List<String> options, long heap) {
            long bytes = heap;
            for (String option : options) {
                if (option.startsWith(OPTION)) {
                    long said = parse(option.substring(OPTION.length()).toLowerCase(Locale.ROOT));
                    bytes = said == 0 ? heap : said;
                }
            }
            return bytes;
        }

        /** Parses a value that the JVM has accepted. */
        private static long parse(String size) {
            int last = size.length() - 1;
            if (size.startsWith("0x")) {
                return Long.decode(size);
            }
            int shift = 10 * (1 + "kmgt".indexOf(size.charAt(last)));
            return Long.parseLong(shift == 0 ? size : size.substring(0, last)) << shift;
        }
    }
}
