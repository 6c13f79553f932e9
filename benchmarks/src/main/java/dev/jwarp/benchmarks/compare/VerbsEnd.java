package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionChannel;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/** An end of {@link PlainVerbs} in the verbs of jwarp. */
final class VerbsEnd implements PlainVerbs.End {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final MemoryRegion memory;
    private final WorkCompletion[] completions = WorkCompletion.array(PlainVerbs.BATCH);
    private final SendWorkRequest send = new SendWorkRequest();
    private final SendWorkRequest[] writes = new SendWorkRequest[PlainVerbs.LIST];
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final int size;
    private final CmId id;
    private final QueuePair pair;

    private VerbsEnd(Arguments arguments, int port) {
        size = PlainVerbs.size(arguments);
        context = RdmaProvider.load()
                .device("jwarp0")
                .open(
                        arguments.is("jwarp.progress", "threaded") ? Progress.THREADED : Progress.INLINE,
                        arguments.settings());
        domain = context.allocateProtectionDomain();
        channel = context.createCompletionChannel();
        queue = context.createCompletionQueue(2 * PlainVerbs.REQUESTS, channel);
        memory = domain.allocate(2 * size, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        send.send().add(memory, 0, PlainVerbs.MESSAGE).signaled(true);
        receive.add(memory, size, PlainVerbs.MESSAGE);
        id = port == 0 ? accepted() : connected(port);
        pair = Objects.requireNonNull(id.queuePair());
    }

    static VerbsEnd connect(Arguments arguments, int port) {
        return new VerbsEnd(arguments, port);
    }

    static VerbsEnd accept(Arguments arguments) {
        return new VerbsEnd(arguments, 0);
    }

    private CmId connected(int port) {
        CmId made = context.createId();
        made.resolveAddress(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        prepare(made);
        made.connect(ConnectionParameters.DEFAULT.withTimeout(PATIENCE));
        return made;
    }

    private CmId accepted() {
        try (CmId listener = context.createId()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
            System.out.println(Objects.requireNonNull(listener.localAddress()).getPort());
            CmId made = Objects.requireNonNull(listener.getRequest(PATIENCE), "no connection came");
            prepare(made);
            System.out.println(PlainVerbs.place(memory.address() + size, memory.rkey()));
            made.accept(ConnectionParameters.DEFAULT);
            return made;
        }
    }

    private void prepare(CmId made) {
        QueuePair of = made.createQueuePair(
                domain,
                QueuePairAttributes.builder(queue)
                        .maxSendWorkRequests(PlainVerbs.REQUESTS)
                        .maxReceiveWorkRequests(PlainVerbs.REQUESTS)
                        .maxSendElements(1)
                        .maxReceiveElements(1)
                        .build());
        for (int i = 0; i < PlainVerbs.RECEIVES; i++) {
            of.postReceive(receive);
        }
    }

    @Override
    public ByteBuffer memory() {
        return memory.buffer();
    }

    @Override
    public void aim(long address, int key) {
        for (int i = 0; i < writes.length; i++) {
            writes[i] = new SendWorkRequest()
                    .rdmaWrite(address, key)
                    .add(memory, 0, size)
                    .signaled(i == writes.length - 1);
        }
    }

    @Override
    public void receive() {
        pair.postReceive(receive);
    }

    @Override
    public void send() {
        pair.postSend(send);
    }

    @Override
    public void write() {
        pair.postSend(writes, writes.length);
    }

    @Override
    public int poll() {
        return queue.poll(completions);
    }

    @Override
    public int opcode(int index) {
        if (!completions[index].succeeded()) {
            throw new IllegalStateException(completions[index].describe());
        }
        return completions[index].opcode().number();
    }

    @Override
    public void requestNotification() {
        queue.requestNotification(false);
    }

    @Override
    public void await() {
        channel.await(PATIENCE);
    }
}
