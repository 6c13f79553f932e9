package dev.jwarp.messaging;

import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** The connections of an endpoint: the hello travels in MPA's private data. Used under the lock of the endpoint. */
final class Connections {
    static final int SENDS = 512;

    private final MessageEndpoint endpoint;
    private final Receives receives;
    /** The receives of each connection. */
    private final int each;

    private final CmEventChannel channel;
    private final CmId listener;
    private final Set<CmId> open = new HashSet<>();
    /** Ids that threads are closing. */
    private int closing;

    private final Condition allClosed;

    Connections(MessageEndpoint endpoint, Receives receives, InetSocketAddress local) {
        this.endpoint = endpoint;
        this.receives = receives;
        each = endpoint.options.receivesOfConnection();
        allClosed = endpoint.newLockCondition();
        channel = endpoint.context.createEventChannel();
        channel.onEvent(this::event);
        listener = endpoint.context.createId(channel);
        try {
            listener.bind(local);
            listener.listen(0);
        } catch (RdmaException e) {
            listener.close();
            channel.close();
            throw e;
        }
    }

    InetSocketAddress localAddress() {
        return Objects.requireNonNull(listener.localAddress());
    }

    void connect(Peer peer, Place place) {
        if (!receives.reserve(each)) {
            peer.fail(new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    "This endpoint has " + open.size() + " connections, as many as its receives hold: raise them."));
            return;
        }
        peer.receives(receives, each);
        CmId id = endpoint.context.createId(channel);
        open.add(id);
        id.attach(peer);
        peer.id = id;
        id.resolveAddress(null, place.address());
    }

    private QueuePair queuePair(CmId id) {
        return id.createQueuePair(
                endpoint.domain,
                QueuePairAttributes.builder(endpoint.queue)
                        .sharedReceiveQueue(receives.queue)
                        .maxSendWorkRequests(SENDS)
                        .build());
    }

    private ConnectionParameters hello(Peer peer) {
        return ConnectionParameters.DEFAULT.withPrivateData(
                endpoint.hello(peer, 0, 0, 0).encoded());
    }

    private void event(CmEvent event) {
        endpoint.enter();
        try {
            CmId id = event.id();
            Peer peer = (Peer) id.attachment();
            switch (event.type()) {
                case CONNECT_REQUEST -> requested(id, event.parameters().privateData());
                case ADDR_RESOLVED -> {
                    if (peer != null && peer.state == Peer.State.SETTING_UP) {
                        peer.queuePair = queuePair(id);
                        id.connect(hello(peer));
                    }
                }
                case ESTABLISHED -> {
                    if (peer != null && peer.state == Peer.State.SETTING_UP) {
                        established(peer, Hello.decode(event.parameters().privateData()));
                    }
                }
                case ROUTE_RESOLVED, CONNECT_RESPONSE, ADDR_CHANGE, TIMEWAIT_EXIT -> {}
                default -> ended(id, peer, event);
            }
        } finally {
            endpoint.leave();
        }
    }

    private void established(Peer peer, @Nullable Hello theirs) {
        if (theirs == null) {
            peer.failAsStranger();
        } else {
            peer.ready(theirs);
        }
    }

    private void requested(CmId id, byte[] privateData) {
        Hello theirs = Hello.decode(privateData);
        int refusal = theirs == null
                ? Hello.OTHER_VERSION
                : theirs.wanted() != endpoint.service() ? Hello.NOT_HOSTED : receives.reserve(each) ? 0 : Hello.NO_ROOM;
        if (refusal != 0) {
            id.reject(Hello.refusal(refusal));
            closeLater(id);
            return;
        }
        Peer peer;
        try {
            peer = endpoint.newPeer(Objects.requireNonNull(theirs).service());
        } catch (RdmaException e) { // the endpoint closes
            receives.unreserve(each);
            id.reject(Hello.refusal(Hello.NO_ROOM));
            closeLater(id);
            return;
        }
        peer.receives(receives, each);
        open.add(id);
        id.attach(peer);
        peer.id = id;
        try {
            peer.queuePair = queuePair(id);
            id.accept(hello(peer));
            peer.ready(theirs);
        } catch (RdmaException e) { // for instance no more queue pairs
            open.remove(id);
            peer.fail(e);
            throw e;
        }
    }

    private void ended(CmId id, @Nullable Peer peer, CmEvent event) {
        open.remove(id);
        if (peer != null) {
            byte[] privateData = event.parameters().privateData();
            String sentence = privateData.length == 2
                    ? Hello.sentence(peer.service(), privateData)
                    : "The connection to " + peer + " ended: " + event.sentence();
            RdmaErrorCode inOrder = event.type() == CmEventType.DISCONNECTED
                    ? RdmaErrorCode.CLOSED_BY_PEER
                    : RdmaErrorCode.DISCONNECTED;
            RdmaErrorCode code = event.error();
            peer.fail(new RdmaException(code == null ? inOrder : code, sentence));
        }
        closeLater(id);
    }

    /** An id of which there will be no further event. */
    private void closeLater(CmId id) {
        closing++;
        endpoint.after(() -> {
            try {
                id.close();
            } finally {
                endpoint.enter();
                closing--;
                allClosed.signalAll();
                endpoint.leave();
            }
        });
    }

    /** Ends a connection; not under the lock. */
    void end(CmId id) {
        try {
            id.disconnect();
        } catch (RdmaException e) { // the connection had not begun
            id.close();
            endpoint.enter();
            open.remove(id);
            endpoint.leave();
        }
    }

    /** Not under the lock. */
    void close() {
        listener.close();
        endpoint.enter();
        List<CmId> left = List.copyOf(open);
        open.clear();
        endpoint.leave();
        left.forEach(CmId::close);
        endpoint.enter();
        while (closing > 0) { // by other threads
            allClosed.awaitUninterruptibly();
        }
        endpoint.leave();
        channel.close();
    }
}
