package dev.jwarp.benchmarks.datagram;

import dev.jwarp.benchmarks.datagram.Setup.Operation;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.concurrent.TimeUnit;

/**
 * Messages one way, several outstanding. The far end counts those that came whole and tells the sum every quarter of a
 * window; RDMA Writes over RC it does not see: there TCP holds the sender back, and the answer to a Send behind the last
 * shows that all came. What did not come over UD is found out the same way.
 */
final class Stream extends Pair {
    /** Octets under way: what a receive buffer of the usual 4 MiB holds with the kernel's own share. */
    private static final int OCTETS = 2 << 20;

    private static final int MOST = 128;
    private static final long SILENCE = TimeUnit.MILLISECONDS.toNanos(200);
    /** An answer has this bit, then the low octet of the question, then how many came. */
    private static final long ANSWER = 1L << 56;

    private static final int QUESTION_SHIFT = 48;
    private static final long COUNT = (1L << QUESTION_SHIFT) - 1;

    private final boolean seen;
    private int window;
    private int every;
    // near end
    private long sent;
    private long lost;
    /** Messages that came whole before this round, and now. */
    private long before;

    private long whole;
    private long question;
    private boolean answered;
    private long lastSign;
    // far end
    private long farWhole;
    private long farTold;

    Stream(Setup setup) throws InterruptedException {
        super(setup);
        seen = setup.datagrams() || setup.operation() == Operation.SEND;
    }

    @Override
    Figures measure(long nanos) {
        window = Math.max(2, Math.min(MOST, OCTETS / length()));
        every = Math.max(1, window / 4);
        before = whole;
        sent = 0;
        lost = 0;
        long start = System.nanoTime();
        long end = start + nanos;
        lastSign = start;
        do {
            while (sent - lost - (whole - before) < window) {
                sent++;
                near.post(setup.operation(), length(), signaled());
            }
            if (!drain() && System.nanoTime() - lastSign > SILENCE) {
                settle();
            }
        } while (System.nanoTime() < end);
        settle();
        return new Figures(whole - before, 0, System.nanoTime() - start, 0, 0, 0, 0, 0, sent - (whole - before), 0, 0);
    }

    private boolean signaled() {
        return setup.operation() == Operation.READ || sent % every == 0;
    }

    /** Waits until nothing is under way; what has not come by then is lost. */
    private void settle() {
        if (setup.operation() == Operation.READ) {
            while (whole - before + lost < sent) {
                drain();
            }
            return;
        }
        answered = false;
        question = (question + 1) & 0xFF;
        near.note(question);
        lastSign = System.nanoTime();
        while (!answered) {
            if (!drain() && System.nanoTime() - lastSign > SILENCE) {
                near.note(question);
                lastSign = System.nanoTime();
            }
        }
        if (!seen) {
            whole = before + sent;
        }
        lost = sent - (whole - before);
    }

    private boolean drain() {
        int count = near.completions();
        for (int i = 0; i < count; i++) {
            took(near.batch[i]);
        }
        if (count > 0) {
            lastSign = System.nanoTime();
        }
        return count > 0;
    }

    private void took(WorkCompletion completion) {
        if (completion.opcode() == WorkCompletionOpcode.RDMA_READ) {
            if (completion.succeeded()) {
                whole++;
            } else if (setup.datagrams()) {
                lost++;
            } else {
                throw unexpected(completion);
            }
        } else if (!completion.succeeded()) {
            throw unexpected(completion);
        } else if (completion.opcode() == WorkCompletionOpcode.RECV) {
            near.postReceive();
            long note = near.lastNote();
            answered |= note >>> QUESTION_SHIFT == (ANSWER >>> QUESTION_SHIFT | question);
            whole = seen ? Math.max(whole, note & COUNT) : whole;
        } else if (!seen) {
            whole = Math.min(before + sent, whole + every);
        }
    }

    // ---- the far end

    @Override
    void answer() {
        int count = far.completions();
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = far.batch[i];
            boolean receive = completion.opcode() == WorkCompletionOpcode.RECV;
            if (receive) {
                far.postReceive();
            }
            if (!completion.succeeded()) {
                if (!setup.datagrams()) {
                    throw unexpected(completion);
                }
            } else if (receive && completion.byteLength() == End.NOTE) {
                farTold = farWhole;
                far.note(ANSWER | far.lastNote() << QUESTION_SHIFT | farWhole);
            } else if (receive || completion.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
                farWhole++;
                if (farWhole - farTold >= every) {
                    farTold = farWhole;
                    far.note(farWhole);
                }
            }
        }
    }
}
