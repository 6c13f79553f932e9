package dev.jwarp.benchmarks.datagram;

import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One message at a time, to and fro: a Send or Write each way, or a Read. A round trip that takes too long is repeated. */
final class PingPong extends Pair {
    private static final long TOO_LONG = TimeUnit.MILLISECONDS.toNanos(200);

    private final Histogram times = new Histogram(TimeUnit.SECONDS.toNanos(100), 3);
    private byte nearMark;
    private byte farMark;

    PingPong(Setup setup) throws InterruptedException {
        super(setup);
    }

    /** No octet of an earlier round is taken for a mark. */
    @Override
    void prepare() {
        near.clear(length());
        far.clear(length());
    }

    @Override
    public Histogram times() {
        return times;
    }

    @Override
    Figures measure(long nanos) {
        times.reset();
        long lost = 0;
        long start = System.nanoTime();
        long now = start;
        do {
            long begun = now;
            nearMark = next(nearMark);
            begin(near, nearMark);
            while (!answered()) {
                if (System.nanoTime() - now > TOO_LONG) {
                    begin(near, nearMark);
                    now = System.nanoTime();
                    lost++;
                }
            }
            now = System.nanoTime();
            times.recordValue(now - begun);
        } while (now - start < nanos);
        return new Figures(
                times.getTotalCount(),
                0,
                now - start,
                times.getValueAtPercentile(50),
                times.getValueAtPercentile(99),
                times.getValueAtPercentile(99.9),
                0,
                0,
                lost,
                0,
                0);
    }

    /** Never what memory is filled with at first. */
    private static byte next(byte mark) {
        return (byte) (mark >= 100 ? 1 : mark + 1);
    }

    private void begin(End end, byte mark) {
        if (setup.looksAtMemory()) {
            end.mark(length(), mark);
        }
        boolean read = setup.operation() == Setup.Operation.READ;
        end.post(setup.operation(), length(), read);
        if (setup.operation() == Setup.Operation.WRITE && setup.noted()) {
            end.note(0);
        }
    }

    private boolean answered() {
        return came(near) || (setup.looksAtMemory() && near.marked(length(), nearMark));
    }

    @Override
    void answer() {
        if (came(far) || (setup.looksAtMemory() && far.marked(length(), next(farMark)))) {
            farMark = next(farMark);
            begin(far, farMark);
        }
    }

    /** {@return whether what is waited for came} */
    private boolean came(End end) {
        int count = end.completions();
        boolean came = false;
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = end.batch[i];
            if (!completion.succeeded()) {
                if (setup.datagrams()) {
                    continue; // lost, or a part of it: repeated
                }
                throw unexpected(completion);
            }
            if (completion.opcode() == WorkCompletionOpcode.RECV) {
                end.postReceive();
            }
            came = true;
        }
        return came;
    }
}
