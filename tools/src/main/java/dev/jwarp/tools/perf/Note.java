package dev.jwarp.tools.perf;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.jwarp.tools.perf.PerfResult.Side;
import dev.jwarp.tools.traffic.TrafficPlace;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages on the control connection, one Send each (docs/perf-exchange.md). */
sealed interface Note {
    /** Bytes of the longest note. */
    int MOST = 4096;

    /** The reason of the end of a conversation. */
    enum Reason {
        DONE,
        INTERRUPTED,
        FAILED
    }

    /** One end's memory and queue pairs. */
    record Ends(TrafficPlace place) implements Note {}

    /**
     * The client is about to run one size.
     *
     * @param number the number of the step, from 1
     * @param measured false for a warm-up
     * @param size bytes of a message
     * @param iterations messages of each queue pair; 0 if the step is limited by time
     * @param nanos the duration, if the step is limited by time
     */
    record Step(long number, boolean measured, int size, long iterations, long nanos) implements Note {}

    /** The server is ready for that step. */
    record Ready(long number) implements Note {}

    /**
     * An end has done its part of a step. The client sends this first, then the server.
     *
     * @param sent number of messages that this end sent
     * @param taken number of messages of the other end that arrived whole
     * @param result the figures of this end
     */
    record Done(long sent, long taken, PerfResult result) implements Note {}

    /** The server wants the step to end early. */
    record Stop() implements Note {}

    /** The last note of an end. */
    record End(Reason reason, String why) implements Note {}

    /** Writes the note at the buffer's position. */
    default void write(ByteBuffer out) {
        if (this instanceof Ends said) {
            TrafficPlace ends = said.place();
            out.putShort((short) 1).putShort((short) ends.pairs().size());
            out.putInt(ends.key()).putLong(ends.address());
            out.putInt(ends.slot()).putInt(ends.mailboxKey()).putLong(ends.mailboxAddress());
            out.putInt(ends.receives()).putInt(ends.receiveBuffer());
            for (TrafficPlace.Pair pair : ends.pairs()) {
                out.putInt(pair.number()).putInt(pair.queueKey()).putInt(pair.port());
            }
        } else if (this instanceof Step step) {
            out.putShort((short) 2).putShort((short) (step.measured() ? 1 : 0)).putInt(step.size());
            out.putLong(step.number()).putLong(step.iterations()).putLong(step.nanos());
        } else if (this instanceof Ready ready) {
            out.putShort((short) 3).putShort((short) 0).putInt(0).putLong(ready.number());
        } else if (this instanceof Done done) {
            PerfResult result = done.result();
            out.putShort((short) 4).putShort((short) (result.cut() ? 1 : 0)).putInt(result.size());
            out.putLong(done.sent())
                    .putLong(done.taken())
                    .putLong(result.messages())
                    .putLong(result.lost());
            out.putLong(result.nanos()).putLong(result.warmUpNanos()).putDouble(result.peak());
            out.putLong(result.allocated()).putLong(result.cpuNanos());
            write(out, result.latency());
        } else if (this instanceof Stop) {
            out.putShort((short) 5).putShort((short) 0).putInt(0);
        } else if (this instanceof End end) {
            byte[] why = end.why().getBytes(US_ASCII);
            int length = Math.min(why.length, 1024);
            out.putShort((short) 6)
                    .putShort((short) PerfWire.code(Reason.values(), end.reason()))
                    .putInt(length);
            out.put(why, 0, length);
        }
    }

    private static void write(ByteBuffer out, @Nullable Latency latency) {
        out.putLong(latency == null ? 0 : latency.count());
        if (latency != null) {
            out.putDouble(latency.min()).putDouble(latency.mean()).putDouble(latency.stdev());
            out.putDouble(latency.p50()).putDouble(latency.p90()).putDouble(latency.p99());
            out.putDouble(latency.p999()).putDouble(latency.p9999()).putDouble(latency.max());
        }
    }

    /**
     * {@return the note in a buffer}
     *
     * @param in from its position to its limit
     * @throws IllegalArgumentException with a sentence, if the bytes are not a note
     */
    static Note read(ByteBuffer in) {
        try {
            short kind = in.getShort();
            int word = in.getShort() & 0xffff;
            Note note =
                    switch (kind) {
                        case 1 -> ends(in, word);
                        case 2 -> step(in, word);
                        case 3 -> ready(in);
                        case 4 -> done(in, word);
                        case 5 -> stop(in);
                        case 6 -> end(in, word);
                        default -> throw new IllegalArgumentException("a note of kind " + kind);
                    };
            if (in.hasRemaining()) {
                throw new IllegalArgumentException(
                        "a note of kind " + kind + " with " + in.remaining() + " extra bytes");
            }
            return note;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("a note that is too short", e);
        }
    }

    private static Ends ends(ByteBuffer in, int count) {
        int key = in.getInt();
        long address = in.getLong();
        int slot = PerfWire.in("memory", in.getInt(), 1, 1 << 30);
        int mailboxKey = in.getInt();
        long mailbox = in.getLong();
        int receives = PerfWire.in("receives", in.getInt(), 0, 1 << 16);
        int buffer = PerfWire.in("receive buffer", in.getInt(), 0, Integer.MAX_VALUE);
        List<TrafficPlace.Pair> pairs = new ArrayList<>();
        for (int i = 0; i < PerfWire.in("queue pairs", count, 1, PerfFlags.MOST_QUEUE_PAIRS); i++) {
            pairs.add(new TrafficPlace.Pair(in.getInt(), in.getInt(), PerfWire.in("port", in.getInt(), 0, 65_535)));
        }
        return new Ends(
                new TrafficPlace(address, key, slot, mailbox, mailboxKey, receives, buffer, List.copyOf(pairs)));
    }

    private static Step step(ByteBuffer in, int flags) {
        int size = PerfWire.in("size", in.getInt(), 1, 1 << 29);
        long number = in.getLong();
        long iterations = PerfWire.in("iterations", in.getLong(), 0, Long.MAX_VALUE / 2);
        return new Step(
                number, flags != 0, size, iterations, PerfWire.in("duration", in.getLong(), 0, Long.MAX_VALUE / 2));
    }

    private static Ready ready(ByteBuffer in) {
        in.getInt();
        return new Ready(in.getLong());
    }

    private static Done done(ByteBuffer in, int flags) {
        int size = in.getInt();
        long sent = in.getLong();
        long taken = in.getLong();
        PerfResult result = new PerfResult(
                Side.REMOTE,
                size,
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getDouble(),
                null,
                in.getLong(),
                in.getLong(),
                flags != 0);
        return new Done(sent, taken, result.with(latency(in)));
    }

    private static @Nullable Latency latency(ByteBuffer in) {
        long count = in.getLong();
        return count == 0
                ? null
                : new Latency(
                        count,
                        in.getDouble(),
                        in.getDouble(),
                        in.getDouble(),
                        in.getDouble(),
                        in.getDouble(),
                        in.getDouble(),
                        in.getDouble(),
                        in.getDouble(),
                        in.getDouble());
    }

    private static Stop stop(ByteBuffer in) {
        in.getInt();
        return new Stop();
    }

    private static End end(ByteBuffer in, int reason) {
        byte[] why = new byte[PerfWire.in("text", in.getInt(), 0, Math.min(1024, in.remaining()))];
        in.get(why);
        return new End(PerfWire.one(Reason.values(), (byte) Math.min(reason, 127), "reason"), PerfWire.printable(why));
    }
}
