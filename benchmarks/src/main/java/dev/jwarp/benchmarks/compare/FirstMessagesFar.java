package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/**
 * The far end of {@link FirstMessages}: accepts connections and prints {@code gone} whenever the last of them is
 * closed, or has queue pairs, a hundred at a port. It prints their addresses first, then {@code ready}. It answers each
 * message.
 */
final class FirstMessagesFar {
    private static final int DEPTH = 4;
    private static final int BACKLOG = 1024;
    private static final int TO_A_PORT = 100;
    private static final Duration SHORT = Duration.ofMillis(100);

    private final VerbsManyFar end;
    private final boolean cold;
    private final DatagramQueuePair[] pairs;
    private final AddressHandle[] handles;
    private int open;

    private FirstMessagesFar(Arguments arguments) {
        end = new VerbsManyFar(arguments);
        cold = arguments.is("cold", "yes");
        int count = end.datagrams ? end.count : 0;
        pairs = new DatagramQueuePair[count];
        handles = new AddressHandle[count];
    }

    public static void main(String[] arguments) {
        new FirstMessagesFar(Arguments.of(Arrays.asList(arguments))).serve();
    }

    /** Never returns: the process ends with the near end. */
    private void serve() {
        end.completions.onCompletion(this::completed);
        int port = 0;
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = end.datagramPair(i % TO_A_PORT == 0 ? 0 : port, DEPTH);
            port = pairs[i].localAddress().getPort();
            end.postReceive(pairs[i], i);
            System.out.println(FirstMessages.Place.words(port, pairs[i].number(), pairs[i].key()));
        }
        if (!end.datagrams) {
            listen();
        }
        System.out.println("ready");
        while (true) {
            end.context.await(SHORT);
        }
    }

    private void listen() {
        CmEventChannel events = end.context.createEventChannel();
        events.onEvent(this::happened);
        CmId listener = end.context.createId(events);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.listen(BACKLOG);
        int port = Objects.requireNonNull(listener.localAddress()).getPort();
        System.out.println(FirstMessages.Place.words(port, 0, 0));
    }

    private void happened(CmEvent event) {
        CmId id = event.id();
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            QueuePair pair = id.createQueuePair(end.domain, end.attributes(DEPTH));
            end.postReceive(pair, 0);
            id.accept(ConnectionParameters.DEFAULT);
            open++;
        } else if (event.type() != CmEventType.ESTABLISHED) {
            id.close();
            if (--open == 0) {
                System.out.println("gone");
            }
        }
    }

    private void completed(CompletionQueue from, WorkCompletion[] batch, int count) {
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = batch[i];
            if (completion.opcode() != WorkCompletionOpcode.RECV || !completion.succeeded()) {
                continue; // an answer was sent, or a connection was closed
            }
            if (end.datagrams) {
                answer((int) completion.id(), completion);
            } else {
                QueuePair pair = Objects.requireNonNull(completion.queuePair());
                end.postReceive(pair, 0);
                end.postSend(pair);
            }
        }
    }

    private void answer(int which, WorkCompletion message) {
        DatagramQueuePair pair = pairs[which];
        if (cold || handles[which] == null) {
            if (handles[which] != null) {
                handles[which].close();
            }
            handles[which] = pair.createAddressHandle(message, FirstMessages.KEY);
        }
        message.release();
        end.postReceive(pair, which);
        end.postSend(pair, handles[which]);
    }
}
