package dev.jwarp.benchmarks.pieces;

import dev.jwarp.verbs.CompletionHandler;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ThreadModel;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;

/** Sends between queue pairs. */
final class VerbsExchange extends MessageExchange {
    private static final int SIGNAL_EVERY = 8;
    private static final int BATCH = 64;
    private static final int RECEIVES = 2;

    private final int length;
    private final TwoEnds ends;
    private final Side[] sides;
    private final boolean handlers;
    private boolean closing;

    /** @param handlers whether completions go to handlers; otherwise the program polls the completion queues */
    VerbsExchange(QueuePairType type, boolean handlers, ThreadModel threads, int length) {
        this.length = length;
        ends = new TwoEnds(2 * LONGEST, threads);
        this.handlers = handlers;
        sides = new Side[] {new Side(ends.near), new Side(ends.far)};
        if (handlers) {
            ends.near.completions.onCompletion(sides[0]);
            ends.far.completions.onCompletion(sides[1]);
        }
        ends.connect(type);
        for (int i = 0; i < RECEIVES; i++) {
            sides[0].postReceive();
            sides[1].postReceive();
        }
    }

    /** The program at one end. */
    private final class Side implements CompletionHandler {
        private final TwoEnds.End end;
        private final WorkCompletion[] batch = WorkCompletion.array(BATCH);
        private final SendWorkRequest send = new SendWorkRequest();
        private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
        private int sent;
        private boolean came;

        Side(TwoEnds.End end) {
            this.end = end;
        }

        void postReceive() {
            end.queuePair.postReceive(receive.clear().add(end.memory, 0, length));
        }

        void postSend() {
            sent++;
            send.clear();
            if (end.peer != null) {
                send.destination(end.peer);
            }
            boolean signaled = sent % SIGNAL_EVERY == 0;
            end.queuePair.postSend(send.send().signaled(signaled).add(end.memory, LONGEST, length));
        }

        /** {@return whether a message came} */
        boolean poll() {
            came = false;
            if (handlers) {
                end.context.poll();
            } else {
                onCompletions(end.completions, batch, end.completions.poll(batch));
            }
            return came;
        }

        @Override
        public void onCompletions(CompletionQueue queue, WorkCompletion[] completions, int count) {
            if (closing) {
                return; // receives that are flushed
            }
            for (int i = 0; i < count; i++) {
                if (!completions[i].succeeded()) {
                    throw new IllegalStateException(completions[i].describe());
                }
                if (completions[i].opcode() == WorkCompletionOpcode.RECV) {
                    postReceive();
                    came = true;
                }
            }
        }
    }

    @Override
    public void send(int end) {
        sides[end].postSend();
        sides[end].poll(); // writes, and finds no received bytes
    }

    @Override
    public boolean receive(int end) {
        return sides[end].poll();
    }

    @Override
    public void close() {
        closing = true;
        ends.close();
    }
}
