package dev.jwarp.messaging;

import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
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
        if (!reserved(peer)) {
            peer.fail(new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    "This endpoint has " + open.size() + " connections, as many as its receives hold: raise them."));
            return;
        }
        CmId id = endpoint.context.createId(channel);
        uses(peer, id);
        id.resolveAddress(null, place.address());
    }

    /** {@return whether the peer has receives} */
    private boolean reserved(Peer peer) {
        if (!peer.hasReceives() && receives.reserve(each)) {
            peer.receives(receives, each);
        }
        return peer.hasReceives();
    }

    private void uses(Peer peer, CmId id) {
        open.add(id);
        id.attach(peer);
        peer.id = id;
        peer.carrier = QueuePairType.RC;
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
            Peer attached = (Peer) id.attachment();
            Peer peer = attached != null && id.equals(attached.id) ? attached : null; // else it uses another one by now
            Peer settingUp = peer != null && peer.state == Peer.State.SETTING_UP ? peer : null;
            switch (event.type()) {
                case CONNECT_REQUEST ->
                    requested(id, Hello.decode(event.parameters().privateData()));
                case ADDR_RESOLVED -> {
                    if (settingUp != null) {
                        settingUp.queuePair = queuePair(id);
                        id.connect(hello(settingUp));
                    }
                }
                case ESTABLISHED -> {
                    if (settingUp != null) {
                        established(settingUp, Hello.decode(event.parameters().privateData()));
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
            peer.beginToSend();
        }
    }

    private void requested(CmId id, @Nullable Hello theirs) {
        if (theirs == null || theirs.wanted() != endpoint.service()) {
            refuse(id, theirs == null ? Hello.OTHER_VERSION : Hello.NOT_HOSTED);
            return;
        }
        Peer known = endpoint.settingUp(theirs, QueuePairType.RC);
        boolean begun = endpoint.begunWith(theirs) != null; // over this side's connection
        boolean room = !begun && (known == null ? receives.reserve(each) : reserved(known));
        if (endpoint.closed || !room) {
            refuse(id, Hello.NO_ROOM);
        } else if (known != null && known.id != null && endpoint.service() < theirs.service()) {
            known.keep(new Request(id, theirs));
        } else {
            Peer peer = known == null ? endpoint.newPeer(theirs.service()) : known;
            if (known == null) {
                peer.receives(receives, each);
            }
            try {
                accept(peer, id, theirs);
            } catch (RdmaException e) { // for instance no more queue pairs
                if (peer.id == null) {
                    peer.fail(e);
                } // else the own connection goes on
            }
        }
    }

    /**
     * A request of a peer to which this side is connecting: it is accepted if the own connection fails, or takes long. So
     * of two services that connect to each other the one with the lower id decides, and they have one connection.
     */
    final class Request {
        private final CmId id;
        private final Hello theirs;

        private Request(CmId id, Hello theirs) {
            this.id = id;
            this.theirs = theirs;
        }

        void accept(Peer peer) {
            Connections.this.accept(peer, id, theirs);
        }

        /** The own connection is there: the request is superfluous, or of another conversation. */
        void judge() {
            requested(id, theirs);
        }

        void refuse() {
            Connections.this.refuse(id, Hello.NO_ROOM);
        }
    }

    private void refuse(CmId id, int reason) {
        try {
            id.reject(Hello.refusal(reason));
        } catch (RdmaException e) {
            // the peer has ended its request
        }
        closeLater(id);
    }

    /** @throws RdmaException if the peer has ended its request, or there are no more queue pairs; nothing has changed */
    private void accept(Peer peer, CmId id, Hello theirs) {
        CmId own = peer.id;
        QueuePair unused = peer.queuePair;
        uses(peer, id);
        try {
            peer.queuePair = queuePair(id);
            id.accept(hello(peer));
        } catch (RdmaException e) {
            open.remove(id);
            closeLater(id);
            peer.id = own;
            peer.queuePair = unused;
            throw e;
        }
        if (own != null) {
            endpoint.after(() -> end(own));
        }
        peer.ready(theirs);
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
            peer.lost(new RdmaException(code == null ? inOrder : code, sentence));
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
