package dev.jwarp.sockets.datagram;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteBuffer;

/**
 * What datagram sockets need of a context: the memory that they receive into and send from, which all share, and a completion queue. What
 * completes is demultiplexed by queue pair. Any thread.
 */
public final class DatagramHome {
    /** Datagrams that can have come and not yet been copied. */
    static final int RECEIVES = 64;
    /** Bytes for each of them: as many as UDP carries. */
    static final int RECEIVE_LENGTH = 1 << 16;

    /** Completions that can wait; each work request needs a place. */
    private static final int COMPLETIONS = 2048;

    /**
     * {@return whether a context has datagrams: a transport for them is on the class path}
     *
     * @param context of any kind
     */
    public static boolean possible(Context context) {
        return context.device().queuePairTypes().contains(QueuePairType.UD);
    }

    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final SharedReceiveQueue receives;
    private final MemoryRegion received;
    private final SendMemory sendMemory;

    /** Guards what follows. */
    private final Object posting = new Object();

    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private int posted;

    /**
     * On a context that has datagrams.
     *
     * @param context with inline progress; the system puts no datagrams together there, so that plain ones can be told apart
     */
    public DatagramHome(Context context) {
        this.context = context;
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(COMPLETIONS);
        completions.onCompletion(this::completions);
        receives = domain.createSharedReceiveQueue(RECEIVES, 1);
        received = domain.allocate(RECEIVES * RECEIVE_LENGTH, AccessFlag.LOCAL_WRITE);
        sendMemory = new SendMemory(domain);
        for (int slot = 0; slot < RECEIVES; slot++) {
            post(slot);
        }
    }

    private void completions(CompletionQueue queue, WorkCompletion[] completions, int count) {
        for (int i = 0; i < count; i++) {
            QueuePair queuePair = completions[i].queuePair();
            if (queuePair != null && queuePair.attachment() instanceof DatagramEnd end) {
                end.on(completions[i]);
            } else { // it is being made, or is closed
                free(completions[i]);
            }
        }
    }

    private void free(WorkCompletion completion) {
        int slot = (int) completion.id();
        if (completion.opcode().isReceive()) {
            taken();
            post(slot);
        } else {
            sendMemory.give(slot);
        }
    }

    /** {@return the context; the thread that drives it is the program's} */
    public Context context() {
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    CompletionQueue completions() {
        return completions;
    }

    SharedReceiveQueue receives() {
        return receives;
    }

    SendMemory sendMemory() {
        return sendMemory;
    }

    /** {@return the memory that datagrams come into: a slot is {@link #RECEIVE_LENGTH} bytes} */
    ByteBuffer received() {
        return received.buffer();
    }

    /** A slot was taken out of the queue by a datagram. Returns whether the datagram may stay there: enough others are posted. */
    boolean taken() {
        synchronized (posting) {
            posted--;
            return posted >= RECEIVES / 2;
        }
    }

    /** {@return how many more datagrams can come before one was copied or read} */
    public int slotsLeft() {
        synchronized (posting) {
            return posted;
        }
    }

    /** The next datagram may come into that slot. */
    void post(int slot) {
        synchronized (posting) {
            receives.postReceive(receive.clear().id(slot).add(received, (long) slot * RECEIVE_LENGTH, RECEIVE_LENGTH));
            posted++;
        }
    }
}
