package dev.jwarp.rnic;

import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.SharedReceiveQueue;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Two connected endpoints. */
public final class Connected {
    private static final int ENOUGH_COMPLETIONS = 4096;

    public final Endpoint active;
    public final Endpoint passive;

    private Connected(Endpoint active, Endpoint passive) {
        this.active = active;
        this.passive = passive;
    }

    public static Connected in(World world) {
        return in(world, UnaryOperator.identity());
    }

    public static Connected in(World world, UnaryOperator<QueuePairAttributes.Builder> wishes) {
        return in(world, wishes, ConnectionParameters.DEFAULT, ConnectionParameters.DEFAULT);
    }

    public static Connected in(
            World world,
            UnaryOperator<QueuePairAttributes.Builder> wishes,
            ConnectionParameters connect,
            ConnectionParameters accept) {
        return connect(
                world,
                endpoint(world, world.connecting(), null, wishes),
                connect,
                request -> endpoint(world, world.listening(), request, wishes),
                accept);
    }

    /** {@return a pair; {@code beforeAccept} sees the passive id before it accepts} */
    public static Connected in(
            World world, UnaryOperator<QueuePairAttributes.Builder> wishes, Consumer<CmId> beforeAccept) {
        return connect(world, endpoint(world, world.connecting(), null, wishes), request -> {
            Endpoint passive = endpoint(world, world.listening(), request, wishes);
            beforeAccept.accept(request);
            return passive;
        });
    }

    /** {@return a pair whose passive side reports to {@code completions}} */
    public static Connected reporting(World world, CompletionQueue completions) {
        return connect(world, endpoint(world, world.connecting()), request -> {
            ProtectionDomain domain = world.listening().allocateProtectionDomain();
            return endpoint(world, request, domain, completions, UnaryOperator.identity());
        });
    }

    /** {@return a pair that reports to these queues} */
    public static Connected reporting(World world, CompletionQueue active, CompletionQueue passive) {
        ProtectionDomain ours = world.connecting().allocateProtectionDomain();
        Endpoint first = endpoint(world, world.connecting().createId(), ours, active, UnaryOperator.identity());
        return connect(world, first, request -> {
            ProtectionDomain theirs = world.listening().allocateProtectionDomain();
            return endpoint(world, request, theirs, passive, UnaryOperator.identity());
        });
    }

    /** {@return a pair whose passive side shares everything with {@code owner}, {@code receives} included} */
    static Connected sharing(World world, Endpoint owner, SharedReceiveQueue receives) {
        return connect(
                world,
                endpoint(world, world.connecting()),
                request -> endpoint(
                        world,
                        request,
                        owner.domain,
                        owner.completions,
                        wishes -> wishes.sharedReceiveQueue(receives)));
    }

    /** {@return a pair whose active side is {@code before}'s queue pair with a new id} */
    public static Connected again(World world, Endpoint before) {
        CmId id = world.connecting().createId(before.events);
        return connect(world, before.withId(id), request -> endpoint(world, request));
    }

    private static Connected connect(World world, Endpoint active, Function<CmId, Endpoint> taker) {
        return connect(world, active, ConnectionParameters.DEFAULT, taker, ConnectionParameters.DEFAULT);
    }

    private static Connected connect(
            World world,
            Endpoint active,
            ConnectionParameters connect,
            Function<CmId, Endpoint> taker,
            ConnectionParameters accept) {
        CmEventChannel requests = world.listening().createEventChannel();
        CmId listener = world.listening().createId(requests);
        listener.bind(world.address(0));
        listener.listen(0);
        InetSocketAddress address = Objects.requireNonNull(listener.localAddress());

        active.id.resolveAddress(null, address);
        active.event(CmEventType.ADDR_RESOLVED);
        active.id.connect(connect);
        Endpoint passive = taker.apply(
                Objects.requireNonNull(requests.await(Endpoint.PATIENCE)).id());
        passive.id.accept(accept);
        passive.event(CmEventType.ESTABLISHED);
        active.event(CmEventType.ESTABLISHED);
        listener.close();
        requests.close();
        return new Connected(active, passive);
    }

    /** {@return an endpoint with its own domain, queue and channel, for a new id} */
    public static Endpoint endpoint(World world, Context context) {
        return endpoint(world, context, null, UnaryOperator.identity());
    }

    /** {@return an endpoint with its own domain, queue and channel, for {@code request}} */
    public static Endpoint endpoint(World world, CmId request) {
        return endpoint(world, request.context(), request, UnaryOperator.identity());
    }

    private static Endpoint endpoint(
            World world,
            Context context,
            @org.jspecify.annotations.Nullable CmId given,
            UnaryOperator<QueuePairAttributes.Builder> wishes) {
        CmId id = given == null ? context.createId() : given;
        return endpoint(
                world,
                id,
                context.allocateProtectionDomain(),
                context.createCompletionQueue(ENOUGH_COMPLETIONS),
                wishes);
    }

    private static Endpoint endpoint(
            World world,
            CmId id,
            ProtectionDomain domain,
            CompletionQueue completions,
            UnaryOperator<QueuePairAttributes.Builder> wishes) {
        CmEventChannel events = id.context().createEventChannel();
        id.migrate(events);
        QueuePairAttributes attributes =
                wishes.apply(QueuePairAttributes.builder(completions)).build();
        return new Endpoint(
                world, id.context(), domain, completions, events, id, id.createQueuePair(domain, attributes));
    }
}
