package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.SendWorkRequest;

/**
 * The client of the bandwidth programs: writes, reads or sends as much as its depth allows. Sends wait for the
 * receiver's {@link Credit}. One thread. Allocates nothing while messages move.
 */
final class Sender implements Run {
    /** Above this size perftest has a completion for each message, if there is only one size. */
    private static final int EACH_ONE = 8192;

    private final PerftestSettings settings;
    private final Data data;
    private final Destination peer;
    private final PerftestFindings findings;
    private final SendWorkRequest request = new SendWorkRequest();
    private final boolean credited;
    private long posted;
    private long completed;
    private BandwidthReport report = BandwidthReport.NOTHING;

    Sender(PerftestSettings settings, Data data, Destination peer, PerftestFindings findings) {
        this.settings = settings;
        this.data = data;
        this.peer = peer;
        this.findings = findings;
        credited = settings.program().operation() == PerftestProgram.Operation.SEND;
    }

    @Override
    public void run(int size) {
        int every = size > EACH_ONE && settings.sizes().size() == 1 ? 1 : settings.signalEvery();
        posted = 0;
        completed = 0;
        if (credited) {
            Credit.write(data.open().buffer(), 0, 0);
        }
        long start = data.now();
        while (completed < settings.messages()) {
            while (posted < settings.messages() && posted - completed < settings.sendDepth() && hasCredit()) {
                post(size, every);
            }
            if (take() > 0) {
                data.done(completed, size);
            }
        }
        long nanos = data.now() - start;
        report = BandwidthReport.of(size, settings.messages(), nanos);
        findings.bandwidth(size, settings.messages(), nanos);
    }

    private boolean hasCredit() {
        return !credited || Credit.outstanding(data.open().buffer(), posted) < settings.receiveDepth();
    }

    private void post(int size, int every) {
        int offset = data.steps().offset(posted, size);
        request.clear().id(posted);
        switch (settings.program().operation()) {
            case WRITE -> request.rdmaWrite(peer.address() + offset, peer.stag());
            case READ -> request.rdmaRead(peer.address() + offset, peer.stag());
            case SEND -> request.send();
        }
        posted++;
        request.signaled(posted % every == 0 || posted == settings.messages()).add(data.own(), offset, size);
        data.queuePair().postSend(request);
    }

    private int take() {
        int taken = data.poll();
        for (int i = 0; i < taken; i++) {
            if (data.got(i).opcode().isReceive()) {
                throw new ToolFailure(
                        ExitStatus.MISMATCH,
                        data.link().peer() + " sent a message, although it should only receive",
                        "is it a server of ib_send_bw without -b?");
            }
            // Completions are in order, so this message and all before it are complete.
            completed = data.got(i).id() + 1;
        }
        return taken;
    }

    @Override
    public BandwidthReport report() {
        return report;
    }

    @Override
    public void settle() {
        // The last credit must arrive before the counter is set to zero for the next size: later it would count
        // messages that are not sent yet.
        long last = credited ? Credit.last(settings.messages(), settings.receiveDepth()) : 0;
        long most = settings.messages() - last;
        while (credited && Credit.outstanding(data.open().buffer(), posted) > most) {
            take();
        }
    }
}
