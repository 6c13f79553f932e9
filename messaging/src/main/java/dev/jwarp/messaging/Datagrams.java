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
            Hello theirs = null;
            AddressHandle handle = null;
            RdmaException failure = null;
            try {
                ResolvedService found = endpoint.context.resolve(place.address(), SERVICE | peer.service(), parameters);
                theirs = Hello.decode(found.privateData());
                handle = theirs == null ? null : usable(pair, pair.createAddressHandle(found));
            } catch (RdmaException e) {
                failure = e.privateData().length == 2
                        ? new RdmaException(e.code(), Hello.sentence(peer.service(), e.privateData()), e)
                        : e;
            }
            endpoint.enter();
            try {
                if (peer.state != Peer.State.SETTING_UP) {
                    if (handle != null) {
                        endpoint.after(handle::close);
                    }
                } else if (failure != null) {
                    peer.fail(failure);
                } else if (theirs == null || handle == null) {
                    peer.failAsStranger();
                } else {
                    begin(peer, pair, handle, theirs);
                }
            } finally {
                endpoint.leave();
            }
        });
    }

    /** The peer may have failed in an earlier conversation (RD). Not under the lock, because it waits for the port. */
    private static AddressHandle usable(DatagramQueuePair pair, AddressHandle handle) {
        try {
            pair.resetPeer(handle);
            return handle;
        } catch (RdmaException e) {
            handle.close();
            throw e;
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
        if (theirs == null || pair == null) {
            return refused(theirs == null ? Hello.OTHER_VERSION : Hello.NOT_HOSTED);
        }
        InetSocketAddress there = new InetSocketAddress(source.getAddress(), theirs.port());
        AddressHandle handle;
        try {
            handle = usable(pair, pair.createAddressHandle(there, theirs.queuePairNumber(), theirs.key()));
        } catch (RdmaException e) { // the endpoint closes
            return refused(Hello.NO_ROOM);
        }
        endpoint.enter();
        try {
            Peer peer = endpoint.begunWith(theirs);
            if (peer != null) { // a repetition
                endpoint.after(handle::close);
            } else {
                Peer own = endpoint.settingUp(theirs, pair.type());
                peer = own == null ? endpoint.newPeer(theirs.service()) : own;
                begin(peer, pair, handle, theirs);
            }
            return new ServiceHandler.Answer(pair, hello(peer, pair).encoded());
        } catch (RdmaException e) { // the endpoint closes
            endpoint.after(handle::close);
            return refused(Hello.NO_ROOM);
        } finally {
            endpoint.leave();
        }
    }

    private static ServiceHandler.Answer refused(int reason) {
        return new ServiceHandler.Answer(null, Hello.refusal(reason));
    }

    /** Not under the lock. */
    void close() {
        listener.close();
        List.copyOf(queuePairs.values()).forEach(DatagramQueuePair::close);
    }
}
