package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import dev.jwarp.verbs.QueuePair;
import java.io.IOException;

/** A queue pair of type RC. */
final class JwarpQp extends IbvQP {
    final QueuePair queuePair;

    JwarpQp(QueuePair queuePair, IbvPd pd, IbvCQ sends, IbvCQ receives) throws IOException {
        super(queuePair.number());
        this.queuePair = queuePair;
        context = pd.getContext();
        this.pd = pd;
        send_cq = sends;
        recv_cq = receives;
        handle = qp_num;
        qp_type = IBV_QPT_RC;
    }

    @Override
    public int getState() {
        return queuePair.state().number();
    }

    void destroy() {
        close();
        queuePair.close();
    }
}
