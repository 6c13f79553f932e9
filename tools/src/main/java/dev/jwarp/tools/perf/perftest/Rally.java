package dev.jwarp.tools.perf.perftest;

import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Both ends of the latency programs, with one message at a time. ib_send_lat: each end answers a Send by a Send, and
 * the client begins. ib_write_lat: each end writes the number of its message, modulo 256, into the last byte of the
 * message, and polls its own memory for the peer's number; the server begins. ib_read_lat: the client posts the next
 * Read after the completion of the previous one. One thread. Allocates nothing while messages move.
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
     * Allows the server to send first. A responder of MPA may send nothing before it has received an FPDU of the
     * initiator (RFC 5044 §7.1.2 (4)), so the client sends an empty Write, which changes nothing at the other end.
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
            awaitPeer(size, settings.messages()); // the answer shows that the other end has received the last message
        }
        long end = data.now();
        if (operation == PerftestProgram.Operation.READ) {
            findings.latencySample(
                    end - last); // a Read ends with its completion, other samples end with the next posting
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

    /** Waits until so many messages of the peer have arrived. Reads have no messages of the peer. */
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
            // Another thread, of the transport, may have written the byte: read memory again.
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
