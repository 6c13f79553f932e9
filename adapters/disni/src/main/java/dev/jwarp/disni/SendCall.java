package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import java.io.IOException;
import java.util.LinkedList;
import java.util.List;

/**
 * Posts sends, as they were when the call was created, or as the program has changed them since. Any number of threads
 * may execute the call while none changes it.
 */
final class SendCall extends SVCPostSend {
    private static final int FLAGS = IbvSendWR.IBV_SEND_FENCE
            | IbvSendWR.IBV_SEND_SIGNALED
            | IbvSendWR.IBV_SEND_SOLICITED
            | IbvSendWR.IBV_SEND_INLINE;

    private final JwarpQp queuePair;
    private final Request[] changeable;
    private final SendWorkRequest[] requests;
    private final Freed freed = new Freed();

    /** Whether a request was changed since the last post. */
    private volatile boolean changed;

    SendCall(JwarpQp queuePair, List<IbvSendWR> wanted) throws IOException {
        this.queuePair = queuePair;
        changeable = new Request[wanted.size()];
        requests = new SendWorkRequest[changeable.length];
        int at = 0;
        for (IbvSendWR one : wanted) {
            requests[at] = new SendWorkRequest();
            changeable[at] = new Request(one);
            changeable[at].fill(requests[at]);
            at++;
        }
    }

    @Override
    public SVCPostSend execute() throws IOException {
        freed.check();
        DisniCalls.check(queuePair.isOpen(), "queue pair");
        if (changed) {
            fillAll();
        }
        try {
            int posted = queuePair.queuePair.postSend(requests, requests.length);
            if (posted < requests.length) {
                throw Elements.full(queuePair, posted, requests.length);
            }
            return this;
        } catch (RdmaException e) {
            throw DisniCalls.of(e);
        }
    }

    /** Called by the first thread that executes the call after a change. */
    private synchronized void fillAll() throws IOException {
        if (changed) {
            for (int i = 0; i < requests.length; i++) {
                changeable[i].fill(requests[i]);
            }
            changed = false;
        }
    }

    @Override
    public SendWRMod getWrMod(int index) throws IOException {
        return changeable[index];
    }

    @Override
    public boolean isValid() {
        return freed.isValid();
    }

    @Override
    public SVCPostSend free() {
        freed.free();
        return this;
    }

    /** One request, as DiSNI represents it. */
    private final class Request extends IbvSendWR implements SendWRMod {
        private final Element[] elements;
        private final Target target;

        Request(IbvSendWR of) throws IOException {
            this(of, new Target(of.getRdma()));
        }

        @SuppressWarnings("JdkObsolete") // DiSNI's own type
        private Request(IbvSendWR of, Target target) throws IOException {
            super(target, of.getAtomic(), of.getUd(), new LinkedList<>());
            this.target = target;
            List<IbvSge> counted = Elements.of(of.getSg_list(), of.getNum_sge());
            elements = new Element[counted.size()];
            for (int i = 0; i < elements.length; i++) {
                elements[i] = new Element(counted.get(i));
            }
            super.setWr_id(of.getWr_id());
            super.setSend_flags(of.getSend_flags());
            setNum_sge(elements.length);
            setOpcode(of.getOpcode());
            setImm_data(of.getImm_data());
        }

        @Override
        public void setWr_id(long id) {
            super.setWr_id(id);
            changed = true;
        }

        @Override
        public void setSend_flags(int flags) {
            super.setSend_flags(flags);
            changed = true;
        }

        @Override
        public RdmaMod getRdmaMod() {
            return target;
        }

        @Override
        public SgeMod getSgeMod(int index) {
            return elements[index];
        }

        void fill(SendWorkRequest request) throws IOException {
            int flags = getSend_flags();
            if ((flags & ~FLAGS) != 0) {
                throw new IOException("There is no send flag 0x" + Integer.toHexString(flags & ~FLAGS)
                        + ": use those of IbvSendWR.IBV_SEND_….");
            }
            operation(request.clear().id(getWr_id()))
                    .fence((flags & IBV_SEND_FENCE) != 0)
                    .signaled((flags & IBV_SEND_SIGNALED) != 0)
                    .solicited((flags & IBV_SEND_SOLICITED) != 0)
                    .inline((flags & IBV_SEND_INLINE) != 0);
            if (getOpcode() == IBV_WR_SEND_WITH_IMM) {
                return; // immediate data alone
            }
            for (Element one : elements) {
                request.add(one.getAddr(), one.getLength(), one.getLkey());
            }
        }

        private SendWorkRequest operation(SendWorkRequest request) throws IOException {
            long address = target.getRemote_addr();
            int key = target.getRkey();
            return switch (getOpcode()) {
                case IBV_WR_RDMA_WRITE -> request.rdmaWrite(address, key);
                case IBV_WR_RDMA_WRITE_WITH_IMM -> request.rdmaWriteWithImmediate(address, key, immediate());
                case IBV_WR_SEND -> request.send();
                case IBV_WR_SEND_WITH_IMM -> immediateAlone(request);
                case IBV_WR_RDMA_READ -> request.rdmaRead(address, key);
                case IBV_WR_ATOMIC_CMP_AND_SWP ->
                    request.compareAndSwap(
                            atomic.getRemote_addr(), atomic.getRkey(), atomic.getCompare_add(), atomic.getSwap());
                case IBV_WR_ATOMIC_FETCH_AND_ADD ->
                    request.fetchAndAdd(atomic.getRemote_addr(), atomic.getRkey(), atomic.getCompare_add());
                default ->
                    throw new IOException("There is no opcode " + getOpcode() + ": use those of IbvSendWR.IBV_WR_….");
            };
        }

        /** The last 4 of iWARP's 8 bytes of immediate data (RFC 7306 §6). */
        private long immediate() {
            return Integer.toUnsignedLong(getImm_data());
        }

        private SendWorkRequest immediateAlone(SendWorkRequest request) throws IOException {
            for (Element one : elements) {
                if (one.getLength() != 0) {
                    throw new IOException("iWARP has no Send with immediate data and other bytes (RFC 7306 §6): send"
                            + " the immediate data alone, or use IBV_WR_RDMA_WRITE_WITH_IMM.");
                }
            }
            return request.immediateData(immediate());
        }
    }

    /** Memory of the peer. */
    private final class Target extends IbvSendWR.Rdma implements RdmaMod {
        Target(IbvSendWR.Rdma of) {
            super.setRemote_addr(of.getRemote_addr());
            super.setRkey(of.getRkey());
            setReserved(of.getReserved());
        }

        @Override
        public void setRemote_addr(long address) {
            super.setRemote_addr(address);
            changed = true;
        }

        @Override
        public void setRkey(int key) {
            super.setRkey(key);
            changed = true;
        }
    }

    /** Memory of this side. */
    private final class Element extends IbvSge implements SgeMod {
        Element(IbvSge of) {
            super.setAddr(of.getAddr());
            super.setLength(of.getLength());
            super.setLkey(of.getLkey());
        }

        @Override
        public void setAddr(long address) {
            super.setAddr(address);
            changed = true;
        }

        @Override
        public void setLength(int length) {
            super.setLength(length);
            changed = true;
        }

        @Override
        public void setLkey(int key) {
            super.setLkey(key);
            changed = true;
        }
    }
}
