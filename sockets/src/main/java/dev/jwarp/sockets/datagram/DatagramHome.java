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
 * The resources of a context for datagram sockets: receive and send memory, which all sockets share, and a completion
 * queue. Completions are demultiplexed by queue pair. Any thread.
 */
public final class DatagramHome {
    /** Maximum of received datagrams that are not copied yet. */
    static final int RECEIVES = 64;
    /** Bytes for each datagram: the maximum of UDP. */
    static final int RECEIVE_LENGTH = 1 << 16;

    /** Entries of the completion queue; each work request needs one. */
    private static final int COMPLETIONS = 2048;

    /**
     * {@return whether a context has datagrams: a datagram transport is on the class path}
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

    /** Guards the following fields. */
    private final Object posting = new Object();

    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private int posted;

    /**
     * Made for a context that has datagrams.
     *
     * @param context with inline progress; the system must not coalesce its datagrams, so that plain ones can be
     *     recognized
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
            } else { // the end is not complete yet, or closed
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

    /** {@return the context, which a thread of the caller must drive} */
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

    /** {@return the receive memory: slots of {@link #RECEIVE_LENGTH} bytes} */
    ByteBuffer received() {
        return received.buffer();
    }

    /**
     * {@return whether the received datagram may stay in its slot, because enough other slots are posted} Called once
     * for each datagram.
     */
    boolean taken() {
        synchronized (posting) {
            posted--;
            return posted >= RECEIVES / 2;
        }
    }

    /** {@return the number of datagrams that can arrive before one is copied or read} */
    public int slotsLeft() {
        synchronized (posting) {
            return posted;
        }
    }

    /** Posts a slot for the next datagram. */
    void post(int slot) {
        synchronized (posting) {
            receives.postReceive(receive.clear().id(slot).add(received, (long) slot * RECEIVE_LENGTH, RECEIVE_LENGTH));
            posted++;
        }
    }
}
