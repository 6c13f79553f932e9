package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/**
 * jwarp: messages one way by RDMA Write or by Send, with several outstanding. A round ends with a Send whose answer shows
 * that everything before it was placed. Sends need receives: the server hands out credits, {@link #CREDIT} at a time.
 */
final class VerbsStream implements Contender {
    enum Kind {
        WRITE,
        SEND
    }

    private static final Duration SHORT = Duration.ofMillis(100);
    /** Messages in flight; the server has receives for twice as many. */
    private static final int WINDOW = 32;

    private static final int CREDIT = 8;
    private static final int SIGNAL_EVERY = 4;
    /** Length of the messages that end a round or carry credits. */
    private static final int NOTE = 16;

    private final Kind kind;
    private final int length;
    private final VerbsEnd client;
    private final QueuePair pair;
    private final Thread server;
    private final Turn turn = new Turn();
    private volatile boolean stop;
    private volatile long remoteAddress;
    private volatile int remoteKey;

    private int credits = WINDOW;
    private int outstanding;
    private boolean answered;

    VerbsStream(String mode, Kind kind, boolean crc, int length) {
        this.kind = kind;
        this.length = length;
        VerbsEnd serverEnd = new VerbsEnd(mode, crc, length * 2 * WINDOW + NOTE);
        remoteAddress = serverEnd.region.address();
        remoteKey = serverEnd.region.rkey();
        CmId listener = serverEnd.listen();
        InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
        server = new Thread(() -> serve(serverEnd, listener), "server");
        server.setDaemon(true);
        server.start();
        client = new VerbsEnd(mode, crc, length + NOTE * (2 * WINDOW + 1));
        ByteBuffer data = client.region.buffer();
        for (int i = 0; i < length; i++) {
            data.put(i, (byte) (i * 31));
        }
        pair = client.connect(address, p -> {
            for (int i = 0; i < 2 * WINDOW; i++) {
                client.postReceive(p, i, length + i * NOTE, NOTE);
            }
        });
        turn.end();
    }

    private void serve(VerbsEnd end, CmId listener) {
        QueuePair p = end.accept(listener, fresh -> {
            for (int i = 0; i < 2 * WINDOW; i++) {
                end.postReceive(fresh, i, i * length, length);
            }
        });
        int sinceCredit = 0;
        try (end) {
            while (!stop) {
                turn.await();
                int count = end.completions(SHORT);
                for (int i = 0; i < count; i++) {
                    if (end.batch[i].opcode() != WorkCompletionOpcode.RECV) {
                        continue;
                    }
                    long slot = end.batch[i].id();
                    end.postReceive(p, slot, (int) slot * length, length);
                    if (end.batch[i].byteLength() == NOTE) {
                        note(end, p, NOTE);
                    } else if (++sinceCredit == CREDIT) {
                        sinceCredit = 0;
                        note(end, p, NOTE / 2);
                    }
                }
            }
        }
    }

    /** A Send of {@code octets}: {@link #NOTE} answers the end of a round, half of it is a credit. */
    private void note(VerbsEnd end, QueuePair p, int octets) {
        p.postSend(end.send.clear().signaled(true).add(end.region, end.region.length() - NOTE, octets));
    }

    @Override
    public Sample round(long nanos) {
        turn.begin();
        long start = System.nanoTime();
        long end = start + nanos;
        long sent = 0;
        do {
            while (outstanding < WINDOW && credits > 0) {
                sent++;
                outstanding++;
                client.send.clear().add(client.region, 0, length).signaled(sent % SIGNAL_EVERY == 0);
                if (kind == Kind.WRITE) {
                    client.send.rdmaWrite(remoteAddress + (sent % WINDOW) * length, remoteKey);
                } else {
                    credits--;
                }
                pair.postSend(client.send);
            }
            drain();
        } while (System.nanoTime() < end || sent % SIGNAL_EVERY != 0);
        answered = false;
        outstanding += SIGNAL_EVERY; // the note's own completion takes as many off
        note(client, pair, NOTE);
        while (!answered || outstanding > 0) {
            drain();
        }
        turn.end();
        return Sample.ofStream(sent, sent * length, System.nanoTime() - start);
    }

    private void drain() {
        int count = client.completions(SHORT);
        for (int i = 0; i < count; i++) {
            if (client.batch[i].opcode() != WorkCompletionOpcode.RECV) {
                outstanding -= SIGNAL_EVERY;
                continue;
            }
            int octets = client.batch[i].byteLength();
            long slot = client.batch[i].id();
            client.postReceive(pair, slot, length + (int) slot * NOTE, NOTE);
            if (octets == NOTE) {
                answered = true;
            } else {
                credits += CREDIT;
            }
        }
    }

    @Override
    public void close() {
        stop = true;
        turn.begin();
        client.close();
    }
}
