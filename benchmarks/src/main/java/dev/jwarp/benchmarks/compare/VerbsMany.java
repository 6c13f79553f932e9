package dev.jwarp.benchmarks.compare;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * jwarp: Sends in round trips over many connections, or between one datagram queue pair and many. Either one message is
 * in flight on each ({@code flight=each}), or one in all, to each peer in turn ({@code flight=one}): then a message
 * needs the same calls for any number of peers, and additional cost comes from the number of peers.
 */
final class VerbsMany implements Contender {
    private static final int PORTION = 8;
    private static final int GREETINGS = 2;
    private static final long TOO_LONG = TimeUnit.MILLISECONDS.toNanos(300);

    private final VerbsManyFar near;
    private final boolean each;
    private final QueuePair[] pairs;
    private final AddressHandle[][] peers;
    private final @Nullable FarProcess process;
    private int next;
    private long lost;

    /** @param arguments {@code connections=N size=N service=rc|ud flight=one|each processes=1|2}, settings of jwarp */
    VerbsMany(Arguments arguments) throws IOException, InterruptedException {
        near = new VerbsManyFar(arguments);
        each = arguments.is("flight", "each");
        pairs = new QueuePair[near.count];
        peers = new AddressHandle[near.count][0];
        BlockingQueue<String> toFar = new LinkedBlockingQueue<>();
        VerbsManyFar.Words fromFar;
        FarProcess started = null;
        if (arguments.number("processes", 1) == 2) {
            started = new FarProcess(VerbsManyFar.class, arguments);
            fromFar = started::next;
        } else {
            BlockingQueue<String> said = new LinkedBlockingQueue<>();
            fromFar = said::take;
            Thread thread = new Thread(() -> serve(arguments, said, toFar), "far end");
            thread.setDaemon(true);
            thread.start();
        }
        process = started;
        if (near.datagrams) {
            name(fromFar, toFar);
        } else {
            connect(Integer.parseInt(fromFar.next()));
            fromFar.next();
        }
        if (!each) {
            greet();
        }
    }

    /** Some round trips with each peer before the rounds, because the first ones create the state of the peer. */
    private void greet() {
        for (long left = (long) GREETINGS * pairs.length; left > 0; left--) {
            oneByOne(Long.MIN_VALUE);
        }
        lost = 0;
    }

    private static void serve(Arguments arguments, BlockingQueue<String> said, BlockingQueue<String> told) {
        try {
            new VerbsManyFar(arguments).serve(said::add, told::take);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void connect(int port) {
        for (int i = 0; i < pairs.length; i++) {
            CmId id = near.context.createId();
            id.resolveAddress(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            pairs[i] = id.createQueuePair(near.domain, near.attributes(PORTION));
            near.postReceive(pairs[i], i);
            id.connect(ConnectionParameters.DEFAULT.withTimeout(VerbsManyFar.PATIENCE));
        }
    }

    private void name(VerbsManyFar.Words fromFar, BlockingQueue<String> toFar)
            throws IOException, InterruptedException {
        DatagramQueuePair pair = near.datagramPair(0, PORTION);
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = pair;
            peers[i] = new AddressHandle[] {VerbsManyFar.handle(pair, fromFar.next())};
        }
        near.postReceive(pair, 0);
        String here = pair.localAddress().getPort() + " " + pair.number() + " " + pair.key();
        if (process != null) {
            process.say(here);
        } else {
            toFar.add(here);
        }
        fromFar.next();
    }

    @Override
    public Sample round(long nanos) {
        lost = 0;
        long start = System.nanoTime();
        long done = each ? allAtOnce(start + nanos) : oneByOne(start + nanos);
        long elapsed = System.nanoTime() - start;
        return new Sample(done, done * near.size, elapsed, lost, null);
    }

    private long oneByOne(long end) {
        long done = 0;
        long now = System.nanoTime();
        do {
            near.postSend(pairs[next], peers[next]);
            long sent = now;
            while (!answered()) {
                now = System.nanoTime();
                if (near.datagrams && now - sent > TOO_LONG) {
                    lost++;
                    sent = now;
                    near.postSend(pairs[next], peers[next]);
                }
            }
            next = next + 1 == pairs.length ? 0 : next + 1;
            done++;
            now = System.nanoTime();
        } while (now < end);
        return done;
    }

    private boolean answered() {
        int count = near.await();
        boolean answered = false;
        for (int i = 0; i < count; i++) {
            if (near.batch[i].opcode() == WorkCompletionOpcode.RECV) {
                int which = (int) near.batch[i].id();
                near.batch[i].release();
                near.postReceive(pairs[which], which);
                answered = true;
            }
        }
        return answered;
    }

    private long allAtOnce(long end) {
        for (QueuePair pair : pairs) {
            near.postSend(pair);
        }
        long done = 0;
        int outstanding = pairs.length;
        while (outstanding > 0) {
            int count = near.await();
            boolean more = System.nanoTime() < end;
            for (int i = 0; i < count; i++) {
                if (near.batch[i].opcode() == WorkCompletionOpcode.RECV) {
                    int which = (int) near.batch[i].id();
                    near.postReceive(pairs[which], which);
                    done++;
                    if (more) {
                        near.postSend(pairs[which]);
                    } else {
                        outstanding--;
                    }
                }
            }
        }
        return done;
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
