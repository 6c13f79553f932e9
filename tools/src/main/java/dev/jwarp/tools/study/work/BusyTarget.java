package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Asks another host for eight bytes: by an RDMA Read, which its program does not notice, or by a message, which its
 * program answers when it has time.
 */
final class BusyTarget implements StudyApplication {
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int WARM = 50;

    private final ApplicationParameters parameters;

    /** @param parameters {@code by=read|message program=waits|computes|sleeps|stopped seconds=N} */
    BusyTarget(ApplicationParameters parameters) {
        this.parameters = parameters;
    }

    /** One end: a queue pair with eight bytes of memory. */
    private static final class End {
        final CompletionQueue completions;
        final MemoryRegion memory;
        final QueuePair queuePair;
        private final WorkCompletion[] one = WorkCompletion.array(1);

        End(Context context, CmId id) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(16);
            memory = domain.allocate(Long.BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
            queuePair = id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(4)
                            .maxReceiveWorkRequests(4)
                            .build());
            receive();
        }

        void receive() {
            queuePair.postReceive(new ReceiveWorkRequest().add(memory, 0, Long.BYTES));
        }

        void send() {
            queuePair.postSend(new SendWorkRequest().send().add(memory, 0, Long.BYTES));
        }

        /** {@return whether something is complete} */
        boolean completed(Duration limit) {
            if (completions.await(one, limit) == 0) {
                return false;
            } else if (!one[0].succeeded()) {
                throw ToolFailure.failed("an operation failed: " + one[0]);
            }
            return true;
        }

        /** {@return whether a message has come; completions of Sends are passed over} */
        boolean received(Duration limit) {
            while (completed(limit)) {
                if (one[0].opcode().isReceive()) {
                    return true;
                }
            }
            return false;
        }
    }

    @Override
    public Map<String, Double> run() throws IOException, InterruptedException {
        try (Context far = context();
                Context near = context()) {
            CmEventChannel requests = far.createEventChannel();
            CmId listener = far.createId(requests);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
            CmId id = near.createId();
            id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
            End asks = new End(near, id);
            Thread program = new Thread(() -> serveUntilInterrupted(far, requests), "program");
            program.setDaemon(true);
            program.start();
            id.connect();
            ByteBuffer where = ByteBuffer.wrap(
                    Objects.requireNonNull(id.event()).parameters().privateData());
            long address = where.getLong();
            int key = where.getInt();
            boolean read = parameters.text("by").equals("read");
            SendWorkRequest request = new SendWorkRequest();
            Histogram times = parameters.times(WARM, () -> {
                if (read) {
                    asks.queuePair.postSend(
                            request.clear().rdmaRead(address, key).add(asks.memory, 0, Long.BYTES));
                    return asks.completed(ApplicationParameters.PATIENCE);
                }
                asks.send();
                if (!asks.received(ApplicationParameters.PATIENCE)) {
                    throw ToolFailure.failed("the program has not answered");
                }
                asks.receive();
                return true;
            });
            program.interrupt();
            program.join();
            return ApplicationParameters.micros("latency", times);
        }
    }

    private static Context context() {
        return RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
    }

    private void serveUntilInterrupted(Context context, CmEventChannel requests) {
        try {
            serve(context, requests);
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.INTERRUPTED) {
                throw e;
            }
        }
    }

    /** The program of the other host: it answers messages, between other work. */
    private void serve(Context context, CmEventChannel requests) {
        CmEvent event = Objects.requireNonNull(requests.await(ApplicationParameters.PATIENCE));
        End answers = new End(context, event.id());
        byte[] where = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(answers.memory.address())
                .putInt(answers.memory.rkey())
                .array();
        event.id().accept(ConnectionParameters.DEFAULT.withPrivateData(where));
        String does = parameters.text("program");
        Duration look = does.equals("waits") ? Duration.ofMillis(50) : Duration.ZERO;
        while (!Thread.currentThread().isInterrupted()) {
            if (does.equals("stopped")) {
                LockSupport.park();
            } else if (does.equals("sleeps")) {
                LockSupport.parkNanos(BUSY_NANOS);
            } else if (does.equals("computes")) {
                long end = System.nanoTime() + BUSY_NANOS;
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
            if (!does.equals("stopped") && answers.received(look)) {
                answers.receive();
                answers.send();
            }
        }
    }
}
