package dev.jwarp.tools.perf;

import dev.jwarp.tools.perf.PerfSettings.AtomicKind;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.perf.PerfSettings.RateUnit;
import dev.jwarp.verbs.QueuePairType;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The request of a client, as private data of its control connection: 96 bytes (docs/perf-exchange.md).
 *
 * @param test the test
 * @param load the parameters on which both ends have to agree
 * @param version of the client's jwarp
 */
record Hello(PerfTest test, Load load, String version) {
    static final int LENGTH = 96;

    private static final int ALL_SIZES = 1;
    private static final int BIDIRECTIONAL = 2;
    private static final int INFINITE = 4;
    private static final int COMPARE_AND_SWAP = 8;
    private static final int KNOWN = 15;
    private static final long LONGEST = Duration.ofDays(20_000).toNanos();

    byte[] toOctets() {
        ByteBuffer out = ByteBuffer.allocate(LENGTH);
        PerfWire.start(out);
        out.put(PerfWire.code(PerfTest.values(), test)).put(PerfWire.code(QueuePairType.values(), load.type()));
        out.putInt((load.allSizes() ? ALL_SIZES : 0)
                | (load.bidirectional() ? BIDIRECTIONAL : 0)
                | (load.infinite() ? INFINITE : 0)
                | (load.atomic() == AtomicKind.CMP_AND_SWAP ? COMPARE_AND_SWAP : 0));
        out.putInt(load.size());
        out.putLong(load.iterations());
        out.putLong(load.duration().toNanos());
        out.putLong(load.warmUp().toNanos());
        out.putInt(load.queuePairs());
        out.putInt(load.outstandingReads());
        out.putInt(load.mtu());
        out.put(PerfWire.code(RateUnit.values(), load.rateUnit())).put(new byte[3]);
        out.putDouble(load.rate());
        PerfWire.text(out, version);
        return out.array();
    }

    /**
     * {@return the request of a client}
     *
     * @throws IllegalArgumentException with a sentence, if the bytes are not a valid request
     */
    static Hello of(byte[] octets) {
        if (octets.length != LENGTH) {
            throw new IllegalArgumentException(
                    octets.length + " bytes of private data are not a request of jwarp perf");
        }
        ByteBuffer in = ByteBuffer.wrap(octets);
        PerfWire.check(in);
        PerfTest test = PerfWire.one(PerfTest.values(), in.get(), "test");
        QueuePairType type = PerfWire.one(QueuePairType.values(), in.get(), "type of queue pair");
        int flags = in.getInt();
        if ((flags & ~KNOWN) != 0) {
            throw new IllegalArgumentException("unknown flags: " + Integer.toHexString(flags));
        }
        int size = PerfWire.in("size", in.getInt(), 1, 1 << 29);
        long iterations = PerfWire.in("iterations", in.getLong(), 1, Long.MAX_VALUE / 2);
        Duration duration = Duration.ofNanos(PerfWire.in("duration", in.getLong(), 0, LONGEST));
        Duration warmUp = Duration.ofNanos(PerfWire.in("warm-up", in.getLong(), 0, LONGEST));
        int queuePairs = PerfWire.in("queue pairs", in.getInt(), 1, PerfFlags.MOST_QUEUE_PAIRS);
        int reads = PerfWire.in("outstanding Reads", in.getInt(), 1, PerfFlags.MOST_READS);
        int mtu = PerfWire.in("MTU", in.getInt(), 0, PerfFlags.MOST_MTU);
        RateUnit unit = PerfWire.one(RateUnit.values(), in.get(), "unit of the rate");
        in.position(in.position() + 3);
        double rate = in.getDouble();
        if (!(rate >= 0 && rate <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException("a rate of " + rate);
        }
        Load load = new Load(
                type,
                size,
                (flags & ALL_SIZES) != 0,
                iterations,
                duration,
                (flags & INFINITE) != 0,
                warmUp,
                queuePairs,
                (flags & BIDIRECTIONAL) != 0,
                reads,
                mtu,
                rate,
                unit,
                (flags & COMPARE_AND_SWAP) != 0 ? AtomicKind.CMP_AND_SWAP : AtomicKind.FETCH_AND_ADD);
        return new Hello(test, load, PerfWire.text(in));
    }
}
