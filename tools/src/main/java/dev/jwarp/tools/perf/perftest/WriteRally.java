package dev.jwarp.tools.perf.perftest;

import dev.jwarp.verbs.SendWorkRequest;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Both ends of ib_write_lat: each writes the number of its message, modulo 256, into the last octet of the message, and looks
 * at its own memory until the peer's number is there. The server begins. One thread; allocates nothing while messages move.
 */
final class WriteRally implements Run {
    private final PerftestSettings settings;
    private final Data data;
    private final Destination peer;
    private final Findings findings;
    private final boolean client;
    private final SendWorkRequest write = new SendWorkRequest();

    WriteRally(PerftestSettings settings, Data data, Destination peer, Findings findings, boolean client) {
        this.settings = settings;
        this.data = data;
        this.peer = peer;
        this.findings = findings;
        this.client = client;
    }

    /**
     * Lets the server speak. A responder of MPA may send nothing before it has had an FPDU of the initiator (RFC 5044 §7.1.2
     * (4)), but here the server is to begin: so the client writes nothing at all, which changes nothing at the other end.
     */
    void open() {
        data.queuePair().postSend(write.clear().rdmaWrite(peer.address(), peer.stag()));
        awaitCompletion();
    }

    @Override
    public void run(int size) {
        ByteBuffer mine = data.own().buffer();
        long start = data.now();
        long last = start;
        for (long message = 1; message <= settings.messages(); message++) {
            // The server's first answer is to the client's first message: it waits for one less before it writes.
            awaitPeer(size, client ? message : message - 1);
            long now = data.now();
            if (message > 1) {
                findings.latencySample(now - last);
            }
            last = now;
            mine.put(size - 1, (byte) message);
            data.queuePair()
                    .postSend(
                            write.clear().rdmaWrite(peer.address(), peer.stag()).add(data.own(), 0, size));
            awaitCompletion();
        }
        if (!client) {
            awaitPeer(size, settings.messages());
        }
        findings.latency(size, settings.messages(), data.now() - start);
    }

    private void awaitPeer(int size, long message) {
        if (message == 0) {
            return;
        }
        ByteBuffer theirs = data.open().buffer();
        byte number = (byte) message;
        while (theirs.get(size - 1) != number) {
            data.poll();
            // With threads of the transport the octet comes from another thread: look at memory anew.
            VarHandle.acquireFence();
        }
        data.done(message, size);
    }

    private void awaitCompletion() {
        while (data.poll() == 0) {
            // poll moves the octets
        }
    }
}
