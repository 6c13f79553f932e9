package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;

/** A peer with verbs of its own, which can send anything. */
class VerbsPeer implements AutoCloseable {
    static final Duration PATIENCE = Patience.LIMIT;
    static final int BYTES = 4096;
    private static final int RECEIVES = 100;
    private static final int LONGEST = 64;

    final MemoryRegion memory;
    final CmId id;
    final QueuePair pair;
    final CompletionQueue received;
    private final CompletionQueue sent;
    private final Context context;
    private final CmEventChannel events;

    /** The length of all receives, which use the beginning of the memory. */
    VerbsPeer(int receiveBytes) {
        context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
        ProtectionDomain domain = context.allocateProtectionDomain();
        sent = context.createCompletionQueue(1000);
        received = context.createCompletionQueue(1000);
        memory = domain.allocate(
                BYTES,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_ATOMIC);
        events = context.createEventChannel();
        id = context.createId(events);
        pair = id.createQueuePair(
                domain,
                QueuePairAttributes.builder(sent, received)
                        .maxSendWorkRequests(400)
                        .maxReceiveWorkRequests(RECEIVES)
                        .maxInlineData(LONGEST)
                        .build());
        for (int i = 0; i < RECEIVES; i++) {
            pair.postReceive(new ReceiveWorkRequest().add(memory, 0, receiveBytes));
        }
    }

    /** {@return the result of the connection} */
    final CmEvent connect(SocketAddress to, byte[] privateData) {
        id.resolveAddress(null, (InetSocketAddress) to);
        assertThat(event().type()).isEqualTo(CmEventType.ADDR_RESOLVED);
        id.connect(ConnectionParameters.DEFAULT.withPrivateData(privateData));
        return event();
    }

    final CmEvent event() {
        CmEvent event = events.await(PATIENCE);
        assertThat(event).isNotNull();
        return event;
    }

    /** {@return the next completion} */
    final WorkCompletion done() {
        WorkCompletion[] one = WorkCompletion.array(1);
        assertThat(sent.await(one, PATIENCE)).isOne();
        return one[0];
    }

    final void send(byte[] message) {
        pair.postSend(new SendWorkRequest().send().inlineData(ByteBuffer.wrap(message)));
    }

    @Override
    public final void close() {
        context.close();
    }
}
