package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The verbs: libibverbs' calls as DiSNI makes them. Any thread. */
final class JwarpVerbs extends RdmaVerbs {
    /** Memory is not pinned, so all of it is paged on demand: {@code ibv_odp_transport_cap_bits}. */
    private static final int ON_DEMAND = IbvContext.IBV_ODP_SUPPORT_SEND
            | IbvContext.IBV_ODP_SUPPORT_RECV
            | IbvContext.IBV_ODP_SUPPORT_WRITE
            | IbvContext.IBV_ODP_SUPPORT_READ
            | IbvContext.IBV_ODP_SUPPORT_ATOMIC;

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        DisniCalls.check(context.isOpen(), "context");
        return DisniCalls.call(
                () -> new JwarpPd(context, JwarpProvider.context().allocateProtectionDomain()));
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        DisniCalls.check(context.isOpen(), "context");
        return DisniCalls.call(
                () -> new JwarpCompChannel(context, JwarpProvider.context().createCompletionChannel()));
    }

    @Override
    public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector) throws IOException {
        DisniCalls.check(context.isOpen(), "context");
        DisniCalls.check(channel.isOpen(), "completion channel");
        if (vector < 0 || vector >= JwarpContext.VECTORS) {
            throw new IOException("There is no completion vector " + vector + ": the device has " + JwarpContext.VECTORS
                    + ", counted from 0.");
        }
        JwarpCompChannel of = (JwarpCompChannel) channel;
        return DisniCalls.call(
                () -> new JwarpCq(context, of, JwarpProvider.context().createCompletionQueue(entries, of.channel)));
    }

    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ queue, int timeout) throws IOException {
        DisniCalls.check(channel.isOpen(), "completion channel");
        return DisniCalls.await(timeout, ((JwarpCompChannel) channel).wait) != null;
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) throws IOException {
        return new RegisterCall((JwarpPd) pd, buffer, access);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) throws IOException {
        return new RegisterCall((JwarpPd) pd, address, length, access);
    }

    @Override
    public int queryOdpSupport(IbvContext context) throws IOException {
        return ON_DEMAND;
    }

    /** Nothing to do: pages are loaded on demand. */
    @Override
    public int expPrefetchMr(IbvMr mr, long address, int length) throws IOException {
        return 0;
    }

    @Override
    public SVCDeregMr deregMr(IbvMr mr) throws IOException {
        return new DeregisterCall((JwarpMr) mr);
    }

    @Override
    public SVCPostSend postSend(IbvQP queuePair, List<IbvSendWR> requests, @Nullable List<IbvSendWR> bad)
            throws IOException {
        return new SendCall((JwarpQp) queuePair, requests);
    }

    @Override
    public SVCPostRecv postRecv(IbvQP queuePair, List<IbvRecvWR> requests, @Nullable List<IbvRecvWR> bad)
            throws IOException {
        return new ReceiveCall((JwarpQp) queuePair, requests);
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ queue, IbvWC[] into, int most) throws IOException {
        return new PollCall((JwarpCq) queue, into, most);
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ queue, boolean solicitedOnly) throws IOException {
        return new NotifyCall((JwarpCq) queue, solicitedOnly);
    }

    /** An event needs no acknowledgement. */
    @Override
    public int ackCqEvents(IbvCQ queue, int events) throws IOException {
        DisniCalls.check(queue.isOpen(), "completion queue");
        return 0;
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        DisniCalls.check(channel.isOpen(), "completion channel");
        return ((JwarpCompChannel) channel).destroy();
    }

    @Override
    public int deallocPd(IbvPd pd) throws IOException {
        DisniCalls.check(pd.isOpen(), "protection domain");
        int result = DisniCalls.destroy(((JwarpPd) pd).domain::close);
        if (result == 0) {
            pd.close();
        }
        return result;
    }

    @Override
    public int destroyCQ(IbvCQ queue) throws IOException {
        DisniCalls.check(queue.isOpen(), "completion queue");
        return ((JwarpCq) queue).destroy();
    }
}
