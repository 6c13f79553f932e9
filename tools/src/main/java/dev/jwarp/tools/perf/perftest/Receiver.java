package dev.jwarp.tools.perf.perftest;

import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;

/**
 * The server of ib_send_bw: posts a receive for each message, and sends a {@link Credit} for arrived messages. One
 * thread. Allocates nothing while messages move.
 */
final class Receiver implements Run {
    /** Most credits in flight. A later credit includes earlier ones, so no credit has to be awaited. */
    static final int SLOTS = 8;

    private final PerftestSettings settings;
    private final Data data;
    private final Destination peer;
    private final PerftestFindings findings;
    /** A ring of credits, because a posted credit must not change before it is sent. */
    private final MemoryRegion credits;

    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest write = new SendWorkRequest();
    private long posted;
    private int slot;
    private int underWay;

    Receiver(PerftestSettings settings, Data data, Destination peer, PerftestFindings findings) {
        this.settings = settings;
        this.data = data;
        this.peer = peer;
        this.findings = findings;
        credits = data.link().allocate(SLOTS * Credit.LENGTH);
    }

    @Override
    public void prepare(int size) {
        posted = 0;
        while (posted < settings.receiveDepth()) {
            post(size);
        }
    }

    private void post(int size) {
        data.queuePair()
                .postReceive(
                        receive.clear().id(posted).add(data.own(), data.steps().offset(posted, size), size));
        posted++;
    }

    @Override
    public void run(int size) {
        long arrived = 0;
        long start = 0;
        long due = 0;
        long told = 0;
        underWay = 0;
        while (arrived < settings.messages() || told < due || underWay > 0) {
            int taken = data.poll();
            for (int i = 0; i < taken; i++) {
                if (!data.got(i).opcode().isReceive()) {
                    underWay--;
                    continue;
                }
                if (arrived == 0) {
                    start = data.now();
                }
                arrived++;
                if (posted < settings.messages()) {
                    post(size);
                }
                if (Credit.due(arrived, settings.receiveDepth())) {
                    due = arrived;
                }
            }
            if (taken > 0) {
                data.done(arrived, size);
            }
            if (told < due && underWay < SLOTS) {
                tell(due);
                told = due;
            }
        }
        findings.bandwidth(size, arrived, data.now() - start);
    }

    private void tell(long arrived) {
        int at = slot * Credit.LENGTH;
        slot = (slot + 1) % SLOTS;
        Credit.write(credits.buffer(), at, arrived);
        data.queuePair()
                .postSend(write.clear().rdmaWrite(peer.address(), peer.stag()).add(credits, at, Credit.LENGTH));
        underWay++;
    }
}
