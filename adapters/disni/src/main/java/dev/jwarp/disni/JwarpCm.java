package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** The connection manager: librdmacm's calls as DiSNI makes them. Any thread. */
final class JwarpCm extends RdmaCm {
    /**
     * Scatter/gather elements of each work request: DiSNI always requests this number, whatever the program requests.
     */
    private static final int ELEMENTS = 4;

    private static final int LONGEST_BACKLOG = 0xFFFF;

    /** {@code rdma_disconnect} of an id without a connection. */
    private static final int NOT_CONNECTED = -1;

    private static void call(RdmaCmId id, Runnable call) throws IOException {
        DisniCalls.check(id.isOpen(), "connection id");
        DisniCalls.call(() -> {
            call.run();
            return id;
        });
    }

    private static CmId of(RdmaCmId id) {
        return ((JwarpCmId) id).id;
    }

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        return DisniCalls.call(JwarpEventChannel::new);
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
        DisniCalls.check(channel.isOpen(), "event channel");
        return DisniCalls.call(((JwarpEventChannel) channel)::newId);
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr wanted) throws IOException {
        DisniCalls.check(id.isOpen(), "connection id");
        DisniCalls.check(pd.isOpen(), "protection domain");
        DisniCalls.check(wanted.getSend_cq().isOpen(), "completion queue of sends");
        DisniCalls.check(wanted.getRecv_cq().isOpen(), "completion queue of receives");
        if (wanted.getQp_type() != IbvQP.IBV_QPT_RC) {
            throw new IOException("A queue pair of type " + wanted.getQp_type()
                    + " is not supported: use the type IBV_QPT_RC, " + IbvQP.IBV_QPT_RC + ".");
        }
        JwarpCq sends = (JwarpCq) wanted.getSend_cq();
        JwarpCq receives = (JwarpCq) wanted.getRecv_cq();
        return DisniCalls.call(() -> {
            QueuePairAttributes attributes = QueuePairAttributes.builder(sends.queue, receives.queue)
                    .maxSendWorkRequests(orOne(wanted.cap().getMax_send_wr()))
                    .maxReceiveWorkRequests(orOne(wanted.cap().getMax_recv_wr()))
                    .maxSendElements(ELEMENTS)
                    .maxReceiveElements(ELEMENTS)
                    .maxInlineData(wanted.cap().getMax_inline_data())
                    .build();
            JwarpQp queuePair =
                    new JwarpQp(of(id).createQueuePair(((JwarpPd) pd).domain, attributes), pd, sends, receives);
            ((JwarpCmId) id).has(queuePair);
            return queuePair;
        });
    }

    /** {@return {@code requests}; 1 for a queue that the program does not use} */
    private static int orOne(int requests) {
        return requests == 0 ? 1 : requests;
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        call(id, () -> of(id).bind((InetSocketAddress) address));
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        call(id, () -> of(id).listen(Math.max(0, Math.min(backlog, LONGEST_BACKLOG))));
    }

    @Override
    public void resolveAddr(RdmaCmId id, @Nullable SocketAddress source, SocketAddress destination, int timeout)
            throws IOException {
        InetSocketAddress to = (InetSocketAddress) destination;
        if (to.isUnresolved()) { // DiSNI's endpoints would wait forever after an ADDR_ERROR event
            throw new UnknownHostException(to.getHostString());
        }
        call(id, () -> of(id).resolveAddress((InetSocketAddress) source, to));
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeout) throws IOException {
        call(id, () -> of(id).resolveRoute());
    }

    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeout) throws IOException {
        DisniCalls.check(channel.isOpen(), "event channel");
        JwarpEventChannel of = (JwarpEventChannel) channel;
        CmEvent event = DisniCalls.await(timeout, of.channel::await);
        return event == null ? null : of.event(event);
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam said) throws IOException {
        int length = said.getPrivate_data_len() & 0xFF;
        byte[] privateData = new byte[length];
        if (length > 0) {
            RawMemory.at(said.getPrivate_data(), length).get(privateData);
        }
        call(id, () -> of(id).connect(ConnectionParameters.DEFAULT.withPrivateData(privateData)));
    }

    /** Sends no private data, like DiSNI's implementation. */
    @Override
    public void accept(RdmaCmId id, RdmaConnParam said) throws IOException {
        call(id, () -> of(id).accept());
    }

    /** An event needs no acknowledgement. */
    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return 0;
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        DisniCalls.check(id.isOpen(), "connection id");
        try {
            of(id).disconnect();
            return 0;
        } catch (RdmaException e) {
            if (e.code() == RdmaErrorCode.WRONG_STATE) {
                return NOT_CONNECTED;
            }
            throw DisniCalls.of(e);
        }
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
        DisniCalls.check(channel.isOpen(), "event channel");
        ((JwarpEventChannel) channel).destroy();
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        DisniCalls.check(id.isOpen(), "connection id");
        ((JwarpCmId) id).destroy();
        return 0;
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        DisniCalls.check(id.getQp() != null && id.getQp().isOpen(), "queue pair");
        call(id, ((JwarpQp) id.getQp())::destroy);
        return 0;
    }

    /** The queue pair is destroyed with its id. */
    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        if (id.getQp() != null && id.getQp().isOpen()) {
            destroyQP(id);
        }
        return destroyCmId(id);
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        DisniCalls.check(id.isOpen(), "connection id");
        return orNone(of(id).localAddress());
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        DisniCalls.check(id.isOpen(), "connection id");
        return orNone(of(id).remoteAddress());
    }

    private static SocketAddress orNone(@Nullable InetSocketAddress address) {
        return address == null ? new InetSocketAddress(0) : address;
    }
}
