package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;

/** Polls completions into objects of the program. */
final class PollCall extends SVCPollCq {
    /** {@code ibv_wc_flags}. */
    private static final int WITH_IMMEDIATE = 1 << 1;

    private static final int WITH_INVALIDATE = 1 << 3;

    private final JwarpCq queue;
    private final IbvWC[] into;
    private final WorkCompletion[] taken;
    private final Freed freed = new Freed();
    private int count;

    PollCall(JwarpCq queue, IbvWC[] into, int most) {
        this.queue = queue;
        this.into = into;
        taken = WorkCompletion.array(Math.max(0, Math.min(most, into.length)));
    }

    @Override
    public SVCPollCq execute() throws IOException {
        freed.check();
        DisniCalls.check(queue.isOpen(), "completion queue");
        count = 0;
        try {
            count = queue.queue.poll(taken);
        } catch (RdmaException e) {
            throw DisniCalls.of(e);
        }
        for (int i = 0; i < count; i++) {
            fill(into[i], taken[i]);
        }
        return this;
    }

    private static void fill(IbvWC to, WorkCompletion from) {
        to.setWr_id(from.id());
        to.setStatus(from.status().number());
        to.setOpcode(from.opcode().number());
        to.setQp_num(from.queuePairNumber());
        to.setVendor_err(0);
        to.setByte_len(from.byteLength());
        if (from.hasImmediateData()) {
            to.setImm_data((int) from.immediateData());
            to.setWc_flags(WITH_IMMEDIATE);
        } else if (from.hasInvalidatedKey()) {
            to.setImm_data(from.invalidatedKey());
            to.setWc_flags(WITH_INVALIDATE);
        } else {
            to.setImm_data(0);
            to.setWc_flags(0);
        }
    }

    @Override
    public int getPolls() {
        return count;
    }

    @Override
    public boolean isValid() {
        return freed.isValid();
    }

    @Override
    public SVCPollCq free() {
        freed.free();
        return this;
    }
}
