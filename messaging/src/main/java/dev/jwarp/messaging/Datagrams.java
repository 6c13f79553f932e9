package dev.jwarp.messaging;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.ServiceListener;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The datagram queue pairs of an endpoint, UD and RD at one UDP port: the hello travels in RESOLVE and RESOLVED. Used
 * under the lock of the endpoint.
 */
final class Datagrams {
    /** Service ids of messages, within the 64 bits of RESOLVE: "jwMSG", zero, and the 16 bits. */
    private static final long SERVICE = 0x6a77_4d53_4700_0000L;

    static final int SENDS = 1_024;

    private final MessageEndpoint endpoint;
    private final Map<QueuePairType, DatagramQueuePair> queuePairs = new EnumMap<>(QueuePairType.class);
    private final Map<QueuePairType, Receives> receives = new EnumMap<>(QueuePairType.class);
    private final ServiceListener listener;

    Datagrams(MessageEndpoint endpoint, List<Receives> all, InetSocketAddress local) {
        this.endpoint = endpoint;
        InetSocketAddress at = local;
        ServiceListener made = null;
        try {
            for (Receives each : all) {
                DatagramQueuePair pair = endpoint.domain.createDatagramQueuePair(
                        each.type,
                        QueuePairAttributes.builder(endpoint.queue)
                                .sharedReceiveQueue(each.queue)
                                .maxSendWorkRequests(SENDS)
                                .build(),
                        DatagramAttributes.builder(at).build());
                queuePairs.put(each.type, pair);
                receives.put(each.type, each);
                at = pair.localAddress();
            }
            made = endpoint.context.listenService(at, SERVICE | endpoint.service(), this::asked);
        } finally {
            if (made == null) {
                queuePairs.values().forEach(DatagramQueuePair::close);
            }
        }
        listener = made;
    }

    InetSocketAddress localAddress() {
        return listener.localAddress();
    }

    private Hello hello(Peer peer, DatagramQueuePair pair) {
        return endpoint.hello(
                peer, pair.number(), pair.key(), pair.localAddress().getPort());
    }

    /** Asks for the service, on another thread because that waits. */
    void connect(Peer peer, QueuePairType type, Place place) {
        DatagramQueuePair pair = Objects.requireNonNull(queuePairs.get(type));
        ResolveParameters parameters = ResolveParameters.DEFAULT
                .withTypes(type)
                .withPrivateData(hello(peer, pair).encoded())
                .withTimeout(endpoint.options.timeout());
        endpoint.background(() -> {
            ResolvedService found = null;
            RdmaException failure = null;
            try {
                found = endpoint.context.resolve(place.address(), SERVICE | peer.service(), parameters);
            } catch (RdmaException e) {
                failure = e.privateData().length == 2
                        ? new RdmaException(e.code(), Hello.sentence(peer.service(), e.privateData()), e)
                        : e;
            }
            endpoint.enter();
            try {
                resolved(peer, pair, found, failure);
            } finally {
                endpoint.leave();
            }
        });
    }

    private void resolved(
            Peer peer, DatagramQueuePair pair, @Nullable ResolvedService found, @Nullable RdmaException failure) {
        if (peer.state != Peer.State.SETTING_UP) {
            return;
        }
        Hello theirs = found == null ? null : Hello.decode(found.privateData());
        if (failure != null) {
            peer.fail(failure);
        } else if (theirs == null || found == null) {
            peer.failAsStranger();
        } else {
            begin(peer, pair, pair.createAddressHandle(found), theirs);
        }
    }

    private void begin(Peer peer, DatagramQueuePair pair, AddressHandle handle, Hello theirs) {
        peer.receives(Objects.requireNonNull(receives.get(pair.type())), 0);
        peer.reached(pair, handle);
        peer.ready(theirs);
    }

    /** A peer asks for this service; on a thread of the context. */
    private ServiceHandler.Answer asked(InetSocketAddress source, Set<QueuePairType> types, byte[] privateData) {
        Hello theirs = Hello.decode(privateData);
        DatagramQueuePair pair = null;
        for (QueuePairType type : endpoint.options.carriers()) {
            pair = pair == null && types.contains(type) ? queuePairs.get(type) : pair;
        }
        int refusal = theirs == null ? Hello.OTHER_VERSION : pair == null ? Hello.NOT_HOSTED : 0;
        if (theirs == null || pair == null) {
            return new ServiceHandler.Answer(null, Hello.refusal(refusal));
        }
        endpoint.enter();
        try {
            InetSocketAddress there = new InetSocketAddress(source.getAddress(), theirs.port());
            AddressHandle handle = pair.createAddressHandle(there, theirs.queuePairNumber(), theirs.key());
            Peer peer = endpoint.newPeer(theirs.service());
            begin(peer, pair, handle, theirs);
            return new ServiceHandler.Answer(pair, hello(peer, pair).encoded());
        } catch (RdmaException e) { // too many peers, or it closes
            return new ServiceHandler.Answer(null, Hello.refusal(Hello.NO_ROOM));
        } finally {
            endpoint.leave();
        }
    }

    /** Not under the lock. */
    void close() {
        listener.close();
        List.copyOf(queuePairs.values()).forEach(DatagramQueuePair::close);
    }
}
