package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/** Both ends of connections in one context, driven by one thread. */
final class OwnPeer {
    private final ProtectionDomain domain;
    private final QueuePairAttributes.Builder attributes;
    private final CmEventChannel events;
    private final CmId listener;

    /** @param attributes those of both ends of the next connection */
    OwnPeer(ProtectionDomain domain, QueuePairAttributes.Builder attributes) {
        this.domain = domain;
        this.attributes = attributes;
        Context context = domain.context();
        events = context.createEventChannel();
        listener = context.createId(events);
        listener.bind(anyPort());
        listener.listen(1);
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** {@return two queue pairs that are connected to each other} */
    QueuePair[] connect() {
        CmId id = domain.context().createId(events);
        QueuePair active = id.createQueuePair(domain, attributes.build());
        id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
        event();
        id.connect(ConnectionParameters.DEFAULT);
        CmId request = event().id();
        QueuePair passive = request.createQueuePair(domain, attributes.build());
        request.accept(ConnectionParameters.DEFAULT);
        event();
        event(); // both are established
        return new QueuePair[] {active, passive};
    }

    private CmEvent event() {
        CmEvent event = events.await(ApplicationParameters.PATIENCE);
        if (event == null || event.error() != null) {
            throw ToolFailure.failed("the connection has failed: " + event);
        }
        return event;
    }
}
