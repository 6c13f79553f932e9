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
 * The memory that streams receive into and send from: so many bytes for all of them, three quarters for those with one address. More is refused by arithmetic, before the JVM is
 * asked, which would collect garbage and wait on the thread that drives all. What is given back is kept and used again. If there is too little, streams give way that the
 * program does not know yet, or has closed: of the address that has most, and of the one that asks if they are half made or have sent all. Any thread; no call waits for others.
 */
public final class StreamMemory {
    /** Time before the JVM is asked for direct memory again after it had none. */
    static final long PAUSE_NANOS = 60_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(StreamMemory.class);
    private static final int PAGE = 4096;
    private static final byte[] ZEROS = new byte[1 << 16];

    /** What a stream of the usual size has: no other one of its own address makes it give way for as much. */
    private static final long USUAL = 1 << 19;

    private static @Nullable StreamMemory ofProcess;

    private final LongSupplier nanoTime;
    private final IntFunction<ByteBuffer> maker;

    // Guarded by this.

    private final Shares shares;

    /** Memory that no stream uses, by length. */
    private final Map<Integer, Deque<ByteBuffer>> free = new HashMap<>();

    /** Bytes in use and not. */
    private long made;

    private boolean refused;
    private long refusedAt;
    private List<Loan> displaced = new ArrayList<>();

    /** Streams that are told to give way once no lock is held here. */
    @FunctionalInterface
    interface Displaced {
        /** The stream has to give all memory back soon. Any thread, under the locks of the caller that asks for memory. */
        void giveWay();
    }

    /**
     * With nothing in use.
     *
     * @param bytes for all
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
     * {@return that of the process}
     *
     * @throws IllegalArgumentException if its setting cannot be used
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

    /** {@return bytes that streams have} */
    public synchronized long used() {
        return shares.used();
    }

    /** {@return bytes that were taken from the JVM, in use and not} */
    synchronized long made() {
        return made;
    }

    /**
     * {@return what one stream has: nothing yet}
     *
     * @param peer the other end; null: unknown
     */
    Loan join(@Nullable InetSocketAddress peer, Displaced told) {
        return new Loan(peer == null ? SourceKey.STRANGERS : SourceKey.of(peer), told);
    }

    /** What one stream has. Any thread. */
    final class Loan implements ShareHolder {
        private final Displaced told;
        private final Share share;
        private final List<ByteBuffer> blocks = new ArrayList<>();

        /** Bytes of {@link #count} that are not given back. */
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
                // Who asks for memory is not who failed, and holds memory already that an exception would lose.
                LOG.warn("A stream that has to give back its memory cannot be ended", e);
            }
        }

        /** Says when the stream gives way; without this call it does not. */
        void turn(ShareTurn turn) {
            synchronized (StreamMemory.this) {
                if (!left) {
                    share.turn(turn);
                }
            }
        }

        /**
         * {@return memory, all zero, which is given back by {@link #close}} Others may have to give way.
         *
         * @throws RdmaException LIMIT_REACHED if there is none
         */
        ByteBuffer take(int length) {
            return take(length, true);
        }

        /**
         * {@return the same, of what is free}
         *
         * @throws RdmaException LIMIT_REACHED if there is none
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

        /** {@return whether memory that was made elsewhere may be the stream's, which is given back by {@link #give}} */
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

        /** Memory that was counted by {@link #count} is freed. */
        void give(long bytes) {
            synchronized (StreamMemory.this) {
                long rest = Math.min(bytes, counted); // none after close, which gives back all
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
                    "The JVM has no direct memory left for streams of sockets, which have {} bytes and may have {}: raise"
                            + " -XX:MaxDirectMemorySize, or lower {}. Those that need more than was there once are refused for a minute",
                    used(),
                    shares.limits().capacity(),
                    SocketSetting.MEMORY.key());
        }

        private RdmaException none(int length) {
            return new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    "There are no " + length + " bytes of memory for one more stream: all have "
                            + shares.limits().capacity() + ", those with one address "
                            + shares.limits().perSource() + ". " + SocketSetting.MEMORY.key() + " says how much.");
        }

        /** All is given back: nothing places bytes there, or sends from there, any more. Calls after the first do nothing. */
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

    /** {@return whether the JVM may be asked for so many bytes} Unused memory, which has other lengths, is freed for that. */
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
        // What gave way is still in use for a moment: a little more than the limit may be, but not any amount.
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

    /** How much direct memory the JVM may have: as its option says, else as much as heap. */
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

        /** The JVM has understood it before. */
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
