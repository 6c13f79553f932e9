package dev.jwarp.rnic;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** An echo server that consists of handlers only, and records the threads that call them. */
class EchoHandlers {
    /** Bytes of the longest message. */
    static final int LENGTH = 64;

    final Context context;
    final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    final AtomicInteger accepted = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();

    /** The channel of the listening id. */
    final CmEventChannel events;

    private final ProtectionDomain domain;

    EchoHandlers(Context context) {
        this.context = context;
        domain = context.allocateProtectionDomain();
        events = context.createEventChannel();
        events.onEvent(this::happened);
    }

    /** {@return a completion queue with room for {@link #small}} */
    static CompletionQueue queue(Context context) {
        return context.createCompletionQueue(64);
    }

    /** {@return a queue pair with short queues} */
    static QueuePairAttributes small(CompletionQueue queue) {
        return QueuePairAttributes.builder(queue)
                .maxSendWorkRequests(16)
                .maxReceiveWorkRequests(16)
                .build();
    }

    private void happened(CmEvent event) {
        threads.add(Thread.currentThread());
        CmId id = Objects.requireNonNull(event.id());
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            accepted.incrementAndGet();
            CompletionQueue queue = queue(context);
            queue.onCompletion(this::completed);
            QueuePair pair = id.createQueuePair(domain, small(queue));
            MemoryRegion memory = domain.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
            pair.attach(memory);
            pair.postReceive(new ReceiveWorkRequest().add(memory, 0, LENGTH));
            id.accept();
        } else if (event.type() == CmEventType.DISCONNECTED) {
            id.close();
            closed.incrementAndGet();
        }
    }

    private void completed(CompletionQueue from, WorkCompletion[] completions, int count) {
        threads.add(Thread.currentThread());
        for (int i = 0; i < count; i++) {
            QueuePair pair = completions[i].queuePair();
            if (completions[i].succeeded() && completions[i].opcode() == WorkCompletionOpcode.RECV && pair != null) {
                MemoryRegion memory = (MemoryRegion) Objects.requireNonNull(pair.attachment());
                pair.postReceive(new ReceiveWorkRequest().add(memory, 0, LENGTH));
                pair.postSend(new SendWorkRequest().add(memory, 0, completions[i].byteLength()));
            }
        }
    }
}
