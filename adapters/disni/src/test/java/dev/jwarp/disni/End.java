package dev.jwarp.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostSend;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;

/** One end of a connection, in the calls of DiSNI's verbs alone, with memory of 64 KiB. */
@SuppressWarnings({"NonApiType", "JdkObsolete"}) // lists of DiSNI's own type
final class End {
    static final int ALL = IbvMr.IBV_ACCESS_LOCAL_WRITE
            | IbvMr.IBV_ACCESS_REMOTE_WRITE
            | IbvMr.IBV_ACCESS_REMOTE_READ
            | IbvMr.IBV_ACCESS_REMOTE_ATOMIC;
    static final int REQUESTS = 16;
    static final int BYTES = 1 << 16;

    private static final int WAIT = Math.toIntExact(Patience.LIMIT.toMillis());

    final RdmaEventChannel events;
    final RdmaCmId id;
    final IbvContext context;
    final IbvPd pd;
    final IbvCompChannel channel;
    final IbvCQ queue;
    final IbvQP queuePair;
    final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
    final IbvMr region;
    private final IbvWC[] completions = {new IbvWC()};
    private final SVCPollCq poll;

    private End(RdmaEventChannel events, RdmaCmId id) throws IOException {
        this.events = events;
        this.id = id;
        context = id.getVerbs();
        pd = context.allocPd();
        channel = context.createCompChannel();
        queue = context.createCQ(channel, 2 * REQUESTS, 0);
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_send_wr(REQUESTS);
        attributes.cap().setMax_recv_wr(REQUESTS);
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        attributes.cap().setMax_inline_data(64);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(queue);
        attributes.setRecv_cq(queue);
        queuePair = id.createQP(pd, attributes);
        region = pd.regMr(memory, ALL).execute().free().getMr();
        poll = queue.poll(completions, 1);
    }

    /** A listener, and the channel of its events. */
    record Listener(RdmaEventChannel events, RdmaCmId id) {
        static Listener at(InetSocketAddress address) throws IOException {
            RdmaEventChannel events = RdmaEventChannel.createEventChannel();
            RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
            id.bindAddr(address);
            id.listen(10);
            return new Listener(events, id);
        }

        InetSocketAddress address() throws IOException {
            return (InetSocketAddress) id.getSource();
        }

        /** {@return the end of the next connection request, ready to accept} */
        End next() throws IOException {
            RdmaCmEvent event = wanted(events, EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
            assertThat(event.getListenIdPriv()).isSameAs(id);
            return new End(events, event.getConnIdPriv());
        }

        void close() throws IOException {
            id.destroyId();
            events.destroyEventChannel();
        }
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** {@return an end that is about to connect} */
    static End to(InetSocketAddress address) throws IOException {
        RdmaEventChannel events = RdmaEventChannel.createEventChannel();
        RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
        id.resolveAddr(null, address, 1000);
        wanted(events, EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        id.resolveRoute(1000);
        wanted(events, EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        return new End(events, id);
    }

    /** {@return two connected ends: the one that connected, and the one that accepted} */
    static End[] connected(Listener listener) throws IOException {
        End near = to(listener.address());
        near.id.connect(new RdmaConnParam());
        End far = listener.next();
        far.id.accept(new RdmaConnParam());
        wanted(near.events, EventType.RDMA_CM_EVENT_ESTABLISHED);
        assertThat(wanted(far.events, EventType.RDMA_CM_EVENT_ESTABLISHED).getConnIdPriv())
                .isSameAs(far.id);
        return new End[] {near, far};
    }

    static RdmaCmEvent wanted(RdmaEventChannel events, EventType type) throws IOException {
        RdmaCmEvent event = events.getCmEvent(WAIT);
        assertThat(event).isNotNull();
        assertThat(event.getEvent())
                .as("%s", type)
                .isEqualTo(Arrays.asList(EventType.values()).indexOf(type));
        event.ackEvent();
        return event;
    }

    IbvSge element(int at, int length) {
        IbvSge element = new IbvSge();
        element.setAddr(MemoryUtils.getAddress(memory) + at);
        element.setLength(length);
        element.setLkey(region.getLkey());
        return element;
    }

    private LinkedList<IbvSge> elements(int at, int length) {
        return new LinkedList<>(List.of(element(at, length)));
    }

    void receive(long id, int at, int length) throws IOException {
        IbvRecvWR request = new IbvRecvWR();
        request.setWr_id(id);
        request.setSg_list(elements(at, length));
        queuePair.postRecv(List.of(request), null).execute().free();
    }

    /** {@return a signalled request with one element} */
    IbvSendWR request(long id, int opcode, int at, int length) {
        IbvSendWR request = new IbvSendWR();
        request.setWr_id(id);
        request.setOpcode(opcode);
        request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        request.setSg_list(elements(at, length));
        return request;
    }

    /** {@return a signalled request with one element and memory of the peer} */
    IbvSendWR request(long id, int opcode, int at, int length, End peer, int peerAt) {
        IbvSendWR request = request(id, opcode, at, length);
        request.getRdma().setRemote_addr(peer.region.getAddr() + peerAt);
        request.getRdma().setRkey(peer.region.getRkey());
        return request;
    }

    SVCPostSend post(IbvSendWR... requests) throws IOException {
        return queuePair.postSend(List.of(requests), null).execute();
    }

    /** {@return the next completion; waits for it} */
    IbvWC completion() throws IOException {
        for (long end = System.nanoTime() + Patience.LIMIT.toNanos(); System.nanoTime() < end; Thread.onSpinWait()) {
            if (poll.execute().getPolls() == 1) {
                return completions[0].clone();
            }
        }
        throw new AssertionError("no completion came");
    }

    IbvWC succeeded(long id, IbvWC.IbvWcOpcode opcode) throws IOException {
        IbvWC completion = completion();
        assertThat(IbvWC.IbvWcStatus.valueOf(completion.getStatus())).isEqualTo(IbvWC.IbvWcStatus.IBV_WC_SUCCESS);
        assertThat(completion.getWr_id()).isEqualTo(id);
        assertThat(IbvWC.IbvWcOpcode.valueOf(completion.getOpcode())).isEqualTo(opcode);
        assertThat(completion.getQp_num()).isEqualTo(queuePair.getQp_num());
        return completion;
    }

    /** Frees everything but the event channel. */
    void close() throws Exception {
        if (id.isOpen()) {
            id.destroyQP();
            id.destroyId();
        }
        region.deregMr().execute().free();
        queue.destroyCQ();
        channel.destroyCompChannel();
        pd.deallocPd();
    }
}
