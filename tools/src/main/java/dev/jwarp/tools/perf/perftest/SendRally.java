package dev.jwarp.tools.perf.perftest;

import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;

/**
 * Both ends of ib_send_lat: each answers a Send by one of its own. The client begins. One thread; allocates nothing while
 * messages move.
 */
final class SendRally implements Run {
    private final PerftestSettings settings;
    private final Data data;
    private final Findings findings;
    private final boolean client;
    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private long postedReceives;
    private long arrived;
    private long sent;
    private long done;

    SendRally(PerftestSettings settings, Data data, Findings findings, boolean client) {
        this.settings = settings;
        this.data = data;
        this.findings = findings;
        this.client = client;
    }

    @Override
    public void prepare(int size) {
        postedReceives = 0;
        while (postedReceives < settings.receiveDepth()) {
            post(size);
        }
    }

    private void post(int size) {
        data.queuePair().postReceive(receive.clear().add(data.own(), 0, size));
        postedReceives++;
    }

    @Override
    public void run(int size) {
        arrived = 0;
        sent = 0;
        done = 0;
        long start = data.now();
        long last = start;
        for (long message = 0; message < settings.messages(); message++) {
            awaitArrival(size, client ? message : message + 1);
            long now = data.now();
            if (message > 0) {
                findings.latencySample(now - last);
            }
            last = now;
            data.done(message, size);
            data.queuePair().postSend(send.clear().add(data.own(), 0, size));
            sent++;
            while (done < sent) {
                take(size);
            }
        }
        awaitArrival(size, settings.messages());
        findings.latency(size, settings.messages(), data.now() - start);
    }

    private void awaitArrival(int size, long message) {
        while (arrived < message) {
            take(size);
        }
    }

    private void take(int size) {
        int taken = data.poll();
        for (int i = 0; i < taken; i++) {
            if (data.got(i).opcode().isReceive()) {
                arrived++;
                if (postedReceives < settings.messages()) {
                    post(size);
                }
            } else {
                done++;
            }
        }
    }
}
