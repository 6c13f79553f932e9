package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * jwarp: messages one way by RDMA Write or by Send, with several outstanding, posted one by one or in lists. As in perftest all
 * leave from one place and come to one place. A round ends with a Send whose answer shows that everything before it was
 * placed. Sends need receives: the server hands out credits, {@link #CREDIT} at a time.
 */
final class VerbsStream implements Contender {
    private static final int FEWEST_IN_FLIGHT = 32;
    private static final int CREDIT = 8;
    private static final int SIGNAL_EVERY = 4;
    /** Length of the messages that end a round or carry credits; no message that is measured has it. */
    private static final int NOTE = 16;
    /** Small messages go to the places of one page, one after the other. */
    private static final int PAGE = 4096;

    private final boolean write;
    private final int length;
    private final int places;
    /** Messages in flight; the server has receives for twice as many. */
    private final int window;

    private final int signalEvery;
    private final SendWorkRequest[] list;
    private final VerbsEnd client;
    private final QueuePair pair;
    private final Turn turn = new Turn();
    private final long remoteAddress;
    private final int remoteKey;

    private int credits;
    /** Of the server: messages since it gave credits. */
    private int sinceCredit;

    private int outstanding;
    private boolean answered;

    /** @param arguments {@code op=write|send size=N list=N}, and those of {@link VerbsEnd} */
    VerbsStream(Arguments arguments) {
        write = !arguments.is("op", "send");
        length = arguments.number("size", 64 * 1024);
        list = new SendWorkRequest[arguments.number("list", 1)];
        Arrays.setAll(list, i -> new SendWorkRequest());
        places = Math.max(1, PAGE / length);
        window = Math.min(VerbsEnd.DEPTH / 2, Math.max(FEWEST_IN_FLIGHT, 4 * list.length));
        signalEvery = list.length > 1 ? list.length : SIGNAL_EVERY;
        credits = window;
        VerbsServer server = new VerbsServer(arguments, length * places + NOTE, turn, this::postReceives, this::serve);
        remoteAddress = server.region().address();
        remoteKey = server.region().rkey();
        client = new VerbsEnd(arguments, length + NOTE);
        ByteBuffer data = client.region.buffer();
        for (int i = 0; i < length; i++) {
            data.put(i, (byte) (i * 31));
        }
        pair = client.connect(server.address(), p -> {
            for (int i = 0; i < 2 * window; i++) {
                client.postReceive(p, i, length, NOTE);
            }
        });
        turn.end();
    }

    private void postReceives(VerbsEnd end, QueuePair p) {
        for (int i = 0; i < 2 * window; i++) {
            end.postReceive(p, i, 0, Math.max(length, NOTE));
        }
    }

    private void serve(VerbsEnd end, QueuePair p) {
        int count = end.completions();
        for (int i = 0; i < count; i++) {
            if (end.batch[i].opcode() != WorkCompletionOpcode.RECV) {
                continue;
            }
            end.postReceive(p, end.batch[i].id(), 0, Math.max(length, NOTE));
            if (end.batch[i].byteLength() == NOTE) {
                note(end, p, NOTE);
            } else if (++sinceCredit == CREDIT) {
                sinceCredit = 0;
                note(end, p, NOTE / 2);
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
            while (outstanding + list.length <= window && (write || credits >= list.length)) {
                sent = post(sent);
            }
            drain();
        } while (System.nanoTime() < end || sent % signalEvery != 0);
        answered = false;
        outstanding += signalEvery; // the note's own completion takes as many off
        note(client, pair, NOTE);
        while (!answered || outstanding > 0) {
            drain();
        }
        turn.end();
        return Sample.ofStream(sent, sent * length, System.nanoTime() - start);
    }

    private long post(long sentBefore) {
        long sent = sentBefore;
        for (SendWorkRequest request : list) {
            sent++;
            request.clear().add(client.region, 0, length).signaled(sent % signalEvery == 0);
            if (write) {
                request.rdmaWrite(remoteAddress + (sent % places) * length, remoteKey);
            } else {
                credits--;
            }
        }
        outstanding += list.length;
        if (list.length == 1) {
            pair.postSend(list[0]);
        } else if (pair.postSend(list, list.length) != list.length) {
            throw new IllegalStateException("the send queue is full");
        }
        return sent;
    }

    private void drain() {
        int count = client.completions();
        for (int i = 0; i < count; i++) {
            if (client.batch[i].opcode() != WorkCompletionOpcode.RECV) {
                outstanding -= signalEvery;
                continue;
            }
            int octets = client.batch[i].byteLength();
            client.postReceive(pair, client.batch[i].id(), length, NOTE);
            if (octets == NOTE) {
                answered = true;
            } else {
                credits += CREDIT;
            }
        }
    }

    /** The process ends with it. */
    @Override
    public void close() {}
}
