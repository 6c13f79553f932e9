package dev.jwarp.tools.perf.perftest;

import dev.jwarp.verbs.SendWorkRequest;

/** The client of ib_read_lat: reads, waits for the data, reads again. One thread; allocates nothing while messages move. */
final class ReadRounds implements Run {
    private final PerftestSettings settings;
    private final Data data;
    private final Destination peer;
    private final Findings findings;
    private final SendWorkRequest read = new SendWorkRequest();

    ReadRounds(PerftestSettings settings, Data data, Destination peer, Findings findings) {
        this.settings = settings;
        this.data = data;
        this.peer = peer;
        this.findings = findings;
    }

    @Override
    public void run(int size) {
        long start = data.now();
        long last = start;
        for (long message = 0; message < settings.messages(); message++) {
            data.queuePair()
                    .postSend(read.clear().rdmaRead(peer.address(), peer.stag()).add(data.own(), 0, size));
            while (data.poll() == 0) {
                // poll moves the octets
            }
            long now = data.now();
            findings.latencySample(now - last);
            last = now;
            data.done(message + 1, size);
        }
        findings.latency(size, settings.messages(), last - start);
    }
}
