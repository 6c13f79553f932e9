package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/** Both ends of connections in one process: in one context, which one thread drives, or in two threaded contexts. */
final class OwnPeer {
    private final ProtectionDomain domain;
    private final ProtectionDomain peer;
    private final QueuePairAttributes.Builder attributes;
    private final QueuePairAttributes.Builder ofPeer;
    private final CmEventChannel events;
    private final CmEventChannel requests;
    private final CmId listener;

    OwnPeer(ProtectionDomain domain, QueuePairAttributes.Builder attributes) {
        this(domain, domain, attributes, attributes);
    }

    OwnPeer(
            ProtectionDomain domain,
            ProtectionDomain peer,
            QueuePairAttributes.Builder attributes,
            QueuePairAttributes.Builder ofPeer) {
        this.domain = domain;
        this.peer = peer;
        this.attributes = attributes;
        this.ofPeer = ofPeer;
        events = domain.context().createEventChannel();
        requests = peer == domain ? events : peer.context().createEventChannel();
        listener = peer.context().createId(requests);
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
        event(events);
        id.connect(ConnectionParameters.DEFAULT);
        CmId request = event(requests).id();
        QueuePair passive = request.createQueuePair(peer, ofPeer.build());
        request.accept(ConnectionParameters.DEFAULT);
        event(events);
        event(requests); // both are established
        return new QueuePair[] {active, passive};
    }

    private static CmEvent event(CmEventChannel from) {
        CmEvent event = from.await(ApplicationParameters.PATIENCE);
        if (event == null || event.error() != null) {
            throw ToolFailure.failed("the connection has failed: " + event);
        }
        return event;
    }
}
