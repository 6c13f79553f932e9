package dev.jwarp.benchmarks.compare;

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
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCReqNotify;
import dev.jwarp.disni.JwarpDisni;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

/** An end of {@link PlainVerbs} in the API of DiSNI: each repeated operation is a stateful call, prepared once. */
@SuppressWarnings({"NonApiType", "JdkObsolete"}) // lists of DiSNI's own type
final class DisniEnd implements PlainVerbs.End {
    private static final int PATIENCE_MILLIS = 10_000;

    private final int size;
    private final IbvCompChannel channel;
    private final IbvCQ queue;
    private final IbvQP pair;
    private final ByteBuffer memory;
    private final IbvMr region;
    private final IbvWC[] completions = new IbvWC[PlainVerbs.BATCH];
    private final SVCPollCq poll;
    private final SVCReqNotify notify;
    private final SVCPostRecv receive;
    private final SVCPostSend send;
    private SVCPostSend writes;

    private DisniEnd(RdmaCmId id, Arguments arguments) throws IOException {
        size = PlainVerbs.size(arguments);
        IbvContext context = id.getVerbs();
        IbvPd domain = context.allocPd();
        channel = context.createCompChannel();
        queue = context.createCQ(channel, 2 * PlainVerbs.REQUESTS, 0);
        memory = ByteBuffer.allocateDirect(2 * size);
        int access = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE;
        region = domain.regMr(memory, access).execute().free().getMr();
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_send_wr(PlainVerbs.REQUESTS);
        attributes.cap().setMax_recv_wr(PlainVerbs.REQUESTS);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(queue);
        attributes.setRecv_cq(queue);
        pair = id.createQP(domain, attributes);
        for (int i = 0; i < completions.length; i++) {
            completions[i] = new IbvWC();
        }
        poll = queue.poll(completions, completions.length);
        notify = queue.reqNotification(false);
        IbvRecvWR into = new IbvRecvWR();
        into.setSg_list(elements(size, PlainVerbs.MESSAGE));
        receive = pair.postRecv(List.of(into), null);
        IbvSendWR message = request(IbvSendWR.IBV_WR_SEND, PlainVerbs.MESSAGE, true);
        send = pair.postSend(List.of(message), null);
        writes = send; // until the target of the Writes is known
        for (int i = 0; i < PlainVerbs.RECEIVES; i++) {
            receive.execute();
        }
    }

    /**
     * Makes DiSNI run on jwarp, with inline progress by default. Its provider takes its settings from system
     * properties.
     */
    static void install(Arguments arguments) {
        System.setProperty("jwarp.progress", "inline");
        arguments.settings().forEach(System::setProperty);
        JwarpDisni.install();
    }

    static DisniEnd connect(Arguments arguments, int port) throws IOException {
        install(arguments);
        RdmaEventChannel events = RdmaEventChannel.createEventChannel();
        RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
        id.resolveAddr(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
        next(events);
        id.resolveRoute(PATIENCE_MILLIS);
        next(events);
        DisniEnd end = new DisniEnd(id, arguments);
        id.connect(new RdmaConnParam());
        next(events);
        return end;
    }

    static DisniEnd accept(Arguments arguments) throws IOException {
        install(arguments);
        RdmaEventChannel events = RdmaEventChannel.createEventChannel();
        RdmaCmId listener = events.createId(RdmaCm.RDMA_PS_TCP);
        listener.bindAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(1);
        System.out.println(((InetSocketAddress) listener.getSource()).getPort());
        RdmaCmId id = next(events).getConnIdPriv();
        DisniEnd end = new DisniEnd(id, arguments);
        System.out.println(PlainVerbs.place(end.region.getAddr() + end.size, end.region.getRkey()));
        id.accept(new RdmaConnParam());
        next(events);
        listener.destroyId(); // without a listener the connection can be read with blocking calls
        return end;
    }

    private static RdmaCmEvent next(RdmaEventChannel events) throws IOException {
        RdmaCmEvent event = events.getCmEvent(PATIENCE_MILLIS);
        if (event == null || event.getStatus() != 0) {
            throw new IOException("no event of an established connection came");
        }
        event.ackEvent();
        return event;
    }

    private LinkedList<IbvSge> elements(int at, int length) {
        IbvSge element = new IbvSge();
        element.setAddr(region.getAddr() + at);
        element.setLength(length);
        element.setLkey(region.getLkey());
        return new LinkedList<>(List.of(element));
    }

    private IbvSendWR request(int opcode, int length, boolean signaled) {
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(opcode);
        request.setSend_flags(signaled ? IbvSendWR.IBV_SEND_SIGNALED : 0);
        request.setSg_list(elements(0, length));
        return request;
    }

    @Override
    public void aim(long address, int key) throws IOException {
        List<IbvSendWR> list = new ArrayList<>();
        for (int i = 1; i <= PlainVerbs.LIST; i++) {
            IbvSendWR one = request(IbvSendWR.IBV_WR_RDMA_WRITE, size, i == PlainVerbs.LIST);
            one.getRdma().setRemote_addr(address);
            one.getRdma().setRkey(key);
            list.add(one);
        }
        writes = pair.postSend(list, null);
    }

    @Override
    public ByteBuffer memory() {
        return memory;
    }

    @Override
    public void receive() throws IOException {
        receive.execute();
    }

    @Override
    public void send() throws IOException {
        send.execute();
    }

    @Override
    public void write() throws IOException {
        writes.execute();
    }

    @Override
    public int poll() throws IOException {
        return poll.execute().getPolls();
    }

    @Override
    public int opcode(int index) throws IOException {
        if (completions[index].getStatus() != 0) {
            throw new IOException("a work request failed with status " + completions[index].getStatus());
        }
        return completions[index].getOpcode();
    }

    @Override
    public void requestNotification() throws IOException {
        notify.execute();
    }

    @Override
    public void await() throws IOException {
        channel.getCqEvent(queue, PATIENCE_MILLIS);
        queue.ackEvents(1);
    }
}
