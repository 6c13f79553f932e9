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
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;

/** One side of a connection in a test, with the objects that it needs and short methods for frequent steps. */
public final class Endpoint extends Side {
    final World world;
    public final CmEventChannel events;
    public final CmId id;
    public final QueuePair queuePair;

    Endpoint(
            World world,
            Context context,
            ProtectionDomain domain,
            CompletionQueue completions,
            CmEventChannel events,
            CmId id,
            QueuePair queuePair) {
        super(
                context,
                domain,
                completions,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_ATOMIC,
                AccessFlag.MW_BIND);
        this.world = world;
        this.events = events;
        this.id = id;
        this.queuePair = queuePair;
    }

    /** {@return the same queue pair, for a second connection with another id} */
    Endpoint withId(CmId other) {
        other.useQueuePair(queuePair);
        return new Endpoint(world, context, domain, completions, events, other, queuePair);
    }

    @Override
    void await(WorkCompletion[] one) {
        assertThat(completions.await(one, PATIENCE)).as("a completion came").isEqualTo(1);
    }

    @Override
    void settle() {
        world.settle();
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

    @Override
    public Endpoint write(int offset, String text) {
        super.write(offset, text);
        return this;
    }
}
