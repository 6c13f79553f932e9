package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One side of a connection in a test: everything it needs, and short words for what tests do again and again. */
public final class Endpoint {
    public static final Duration PATIENCE = Duration.ofSeconds(30);
    public static final int MEMORY = 1 << 20;

    final World world;
    public final Context context;
    public final ProtectionDomain domain;
    public final CompletionQueue completions;
    public final CmEventChannel events;
    public final MemoryRegion memory;
    public final CmId id;
    public final QueuePair queuePair;
    private final WorkCompletion[] one = WorkCompletion.array(1);

    Endpoint(
            World world,
            Context context,
            ProtectionDomain domain,
            CompletionQueue completions,
            CmEventChannel events,
            CmId id,
            QueuePair queuePair) {
        this.world = world;
        this.context = context;
        this.domain = domain;
        this.completions = completions;
        this.events = events;
        this.id = id;
        memory = domain.allocate(
                MEMORY,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_ATOMIC,
                AccessFlag.MW_BIND);
        this.queuePair = queuePair;
    }

    /** {@return the same queue pair, for a second connection with another id} */
    Endpoint withId(CmId other) {
        other.useQueuePair(queuePair);
        return new Endpoint(world, context, domain, completions, events, other, queuePair);
    }

    /** {@return the next completion; fails if none comes} */
    public WorkCompletion next() {
        assertThat(completions.await(one, PATIENCE)).as("a completion came").isEqualTo(1);
        WorkCompletion copy = one[0];
        one[0] = new WorkCompletion();
        return copy;
    }

    /** {@return the next completion, which must be a success} */
    public WorkCompletion success() {
        WorkCompletion completion = next();
        assertThat(completion.status()).as(completion::describe).isEqualTo(WorkCompletionStatus.SUCCESS);
        return completion;
    }

    /** {@return the next {@code count} completions} */
    public List<WorkCompletion> next(int count) {
        List<WorkCompletion> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(next());
        }
        return all;
    }

    /** Nothing comes for a while. */
    public void nothing() {
        world.settle();
        assertThat(completions.poll(one)).as("completions, such as " + one[0]).isZero();
    }

    /** {@return the next event, which must be of this type} */
    public CmEvent event(CmEventType type) {
        CmEvent event = events.await(PATIENCE);
        assertThat(event).as("an event " + type + " came").isNotNull();
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    /** {@return the next async event of this side's queue pair, which must be of this type} */
    public AsyncEvent asyncEvent(AsyncEventType type) {
        return asyncEvent(queuePair, type);
    }

    /** {@return the next async event of {@code element}, which must be of this type} */
    public AsyncEvent asyncEvent(Object element, AsyncEventType type) {
        AsyncEvent event = world.asyncEvent(context, any -> any.element() == element);
        assertThat(event.type()).as(event.toString()).isEqualTo(type);
        return event;
    }

    /** Posts a receive of {@code length} octets at {@code offset} of the memory. */
    public void receive(long id, int offset, int length) {
        queuePair.postReceive(new ReceiveWorkRequest().id(id).add(memory, offset, length));
    }

    /** Posts a Send of {@code length} octets at {@code offset} of the memory. */
    public void send(long id, int offset, int length) {
        queuePair.postSend(new SendWorkRequest().id(id).add(memory, offset, length));
    }

    public Endpoint write(int offset, String text) {
        memory.buffer().put(offset, text.getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    public String read(int offset, int length) {
        byte[] octets = new byte[length];
        memory.buffer().get(offset, octets);
        return new String(octets, StandardCharsets.US_ASCII);
    }

    /** {@return the address that the peer uses for {@code offset} of the memory} */
    public long address(int offset) {
        return memory.address() + offset;
    }
}
