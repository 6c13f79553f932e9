package dev.jwarp.tools.perf.perftest;

import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Both ends of the latency programs, one message at a time, each when its completion is there. ib_send_lat: each answers a Send by one of
 * its own, and the client begins. ib_write_lat: each writes the number of its message, modulo 256, into the last byte of the message and
 * looks at its own memory until the peer's number is there, and the server begins. ib_read_lat: the client reads, and reads again. One
 * thread; allocates nothing while messages move.
 */
final class Rally implements Run {
    private final PerftestSettings settings;
    private final Data data;
    private final Destination peer;
    private final PerftestFindings findings;
    private final PerftestProgram.Operation operation;
    /** Whether this end begins. */
    private final boolean leads;

    private final SendWorkRequest request = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private long postedReceives;
    private long arrived;
    private long sent;
    private long done;

    Rally(PerftestSettings settings, Data data, Destination peer, PerftestFindings findings, boolean client) {
        this.settings = settings;
        this.data = data;
        this.peer = peer;
        this.findings = findings;
        operation = settings.program().operation();
        leads = client != (operation == PerftestProgram.Operation.WRITE);
        if (client && operation == PerftestProgram.Operation.WRITE) {
            open();
        }
    }

    /**
     * Lets the server speak. A responder of MPA may send nothing before it has had an FPDU of the initiator (RFC 5044 §7.1.2
     * (4)), but here the server is to begin: so the client writes nothing at all, which changes nothing at the other end.
     */
    private void open() {
        send(request.clear().rdmaWrite(peer.address(), peer.stag()), 0);
    }

    @Override
    public void prepare(int size) {
        postedReceives = 0;
        while (operation == PerftestProgram.Operation.SEND && postedReceives < settings.receiveDepth()) {
            postReceive(size);
        }
    }

    private void postReceive(int size) {
        data.queuePair().postReceive(receive.clear().add(data.own(), 0, size));
        postedReceives++;
    }

    @Override
    public void run(int size) {
        arrived = 0;
        long start = data.now();
        long last = start;
        for (long message = 0; message < settings.messages(); message++) {
            awaitPeer(size, leads ? message : message + 1);
            long now = data.now();
            if (message > 0) {
                findings.latencySample(now - last);
            }
            last = now;
            data.done(message, size);
            post(size, message + 1);
        }
        if (leads) {
            awaitPeer(size, settings.messages()); // the other end has had the last one before it answered
        }
        long end = data.now();
        if (operation == PerftestProgram.Operation.READ) {
            findings.latencySample(end - last); // a Read's time ends by itself, the other samples with the next posting
        }
        findings.latency(size, settings.messages(), end - start);
    }

    private void post(int size, long message) {
        request.clear();
        switch (operation) {
            case SEND -> request.send();
            case READ -> request.rdmaRead(peer.address(), peer.stag());
            case WRITE -> {
                data.own().buffer().put(size - 1, (byte) message);
                request.rdmaWrite(peer.address(), peer.stag());
            }
        }
        send(request.add(data.own(), 0, size), size);
    }

    private void send(SendWorkRequest posted, int size) {
        data.queuePair().postSend(posted);
        sent++;
        while (done < sent) {
            take(size);
        }
    }

    /** Waits until so many messages of the peer are there; what is read is there when its completion is. */
    private void awaitPeer(int size, long messages) {
        switch (operation) {
            case SEND -> {
                while (arrived < messages) {
                    take(size);
                }
            }
            case WRITE -> {
                if (messages > 0) {
                    awaitNumber(size, (byte) messages);
                }
            }
            case READ -> {}
        }
    }

    private void awaitNumber(int size, byte number) {
        ByteBuffer theirs = data.open().buffer();
        while (theirs.get(size - 1) != number) {
            take(size);
            // With threads of the transport the byte comes from another thread: look at memory anew.
            VarHandle.acquireFence();
        }
    }

    private void take(int size) {
        int taken = data.poll();
        for (int i = 0; i < taken; i++) {
            if (data.got(i).opcode().isReceive()) {
                arrived++;
                if (postedReceives < settings.messages()) {
                    postReceive(size);
                }
            } else {
                done++;
            }
        }
    }
}
