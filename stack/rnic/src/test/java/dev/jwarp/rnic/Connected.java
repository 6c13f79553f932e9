package dev.jwarp.rnic;

import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Two connected endpoints. */
final class Connected {
    private static final int ENOUGH_COMPLETIONS = 4096;

    final Endpoint active;
    final Endpoint passive;

    private Connected(Endpoint active, Endpoint passive) {
        this.active = active;
        this.passive = passive;
    }

    static Connected in(World world) {
        return in(world, attributes -> attributes);
    }

    static Connected in(World world, UnaryOperator<QueuePairAttributes.Builder> wishes) {
        return in(world, wishes, ConnectionParameters.DEFAULT, ConnectionParameters.DEFAULT);
    }

    /** {@return a pair whose passive side has a completion queue of {@code completions} entries} */
    static Connected small(World world, int completions) {
        return in(world, wishes -> wishes, ConnectionParameters.DEFAULT, ConnectionParameters.DEFAULT, completions);
    }

    static Connected in(
            World world,
            UnaryOperator<QueuePairAttributes.Builder> wishes,
            ConnectionParameters connect,
            ConnectionParameters accept) {
        return in(world, wishes, connect, accept, ENOUGH_COMPLETIONS);
    }

    private static Connected in(
            World world,
            UnaryOperator<QueuePairAttributes.Builder> wishes,
            ConnectionParameters connect,
            ConnectionParameters accept,
            int completions) {
        CmEventChannel requests = world.listening().createEventChannel();
        CmId listener = world.listening().createId(requests);
        listener.bind(world.address(0));
        listener.listen(0);
        InetSocketAddress address = Objects.requireNonNull(listener.localAddress());

        Endpoint active = endpoint(world, world.connecting(), null, wishes, ENOUGH_COMPLETIONS);
        active.id.resolveAddress(null, address);
        active.event(CmEventType.ADDR_RESOLVED);
        active.id.connect(connect);
        CmId request = Objects.requireNonNull(requests.await(Endpoint.PATIENCE)).id();
        Endpoint passive = endpoint(world, world.listening(), request, wishes, completions);
        passive.id.accept(accept);
        passive.event(CmEventType.ESTABLISHED);
        active.event(CmEventType.ESTABLISHED);
        listener.close();
        requests.close();
        return new Connected(active, passive);
    }

    /** {@return an endpoint with its own domain, queue and channel, for a new id} */
    static Endpoint endpoint(World world, Context context) {
        return endpoint(world, context, null, wishes -> wishes, ENOUGH_COMPLETIONS);
    }

    /** {@return an endpoint with its own domain, queue and channel, for {@code request}} */
    static Endpoint endpoint(World world, CmId request) {
        return endpoint(world, request.context(), request, wishes -> wishes, ENOUGH_COMPLETIONS);
    }

    private static Endpoint endpoint(
            World world,
            Context context,
            @Nullable CmId given,
            UnaryOperator<QueuePairAttributes.Builder> wishes,
            int entries) {
        ProtectionDomain domain = context.allocateProtectionDomain();
        CompletionQueue completions = context.createCompletionQueue(entries);
        CmEventChannel events = context.createEventChannel();
        CmId id = given == null ? context.createId(events) : given;
        if (given != null) {
            given.migrate(events);
        }
        QueuePairAttributes attributes =
                wishes.apply(QueuePairAttributes.builder(completions)).build();
        return new Endpoint(world, context, domain, completions, events, id, attributes);
    }
}
