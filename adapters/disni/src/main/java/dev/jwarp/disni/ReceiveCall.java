package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import java.io.IOException;
import java.util.List;

/** Posts receives, as they were when the call was created. */
final class ReceiveCall extends SVCPostRecv {
    private final JwarpQp queuePair;
    private final ReceiveWorkRequest[] requests;
    private final Freed freed = new Freed();

    ReceiveCall(JwarpQp queuePair, List<IbvRecvWR> wanted) throws IOException {
        this.queuePair = queuePair;
        requests = new ReceiveWorkRequest[wanted.size()];
        int at = 0;
        for (IbvRecvWR one : wanted) {
            ReceiveWorkRequest request = new ReceiveWorkRequest().id(one.getWr_id());
            for (IbvSge element : Elements.of(one.getSg_list(), one.getNum_sge())) {
                request.add(element.getAddr(), element.getLength(), element.getLkey());
            }
            requests[at++] = request;
        }
    }

    @Override
    public SVCPostRecv execute() throws IOException {
        freed.check();
        DisniCalls.check(queuePair.isOpen(), "queue pair");
        try {
            int posted = queuePair.queuePair.postReceive(requests, requests.length);
            if (posted < requests.length) {
                throw Elements.full(queuePair, posted, requests.length);
            }
            return this;
        } catch (RdmaException e) {
            throw DisniCalls.of(e);
        }
    }

    @Override
    public RecvWRMod getWrMod(int index) throws IOException {
        ReceiveWorkRequest request = requests[index];
        return request::id;
    }

    @Override
    public boolean isValid() {
        return freed.isValid();
    }

    @Override
    public SVCPostRecv free() {
        freed.free();
        return this;
    }
}
