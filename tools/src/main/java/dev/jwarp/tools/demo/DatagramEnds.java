package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.MemoryRegion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The two ends of the demo over datagrams, each with a device context of its own, moved in turns by one thread: so it is
 * known at any moment what is still on its way. Each way of moving has a pair of queue pairs to itself, and what is lost of one
 * does not depend on what was lost of another.
 */
final class DatagramEnds implements AutoCloseable {
    /** Long enough for a thread that is not given a processor; what is missing by then is missing. */
    private static final Duration IDLE = Duration.ofMillis(100);

    private static final Duration ANSWER = Duration.ofMillis(250);
    private static final long RATE = 100_000_000;
    private static final long NAP_NANOS = 20_000;
    private static final long STALLED_NANOS = 20_000_000;

    private final Console console;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Context source;
    private final Context target;
    private final Pair writing;
    private final Pair reading;
    private final Pair repairing;
    private final MemoryRegion sourceWindow;
    private final MemoryRegion targetWindow;
    private long unexplained;

    /**
     * Two queue pairs that talk to each other.
     *
     * @param atSource the one that has the file
     * @param atTarget the one at which it arrives
     * @param toTarget for the one
     * @param toSource for the other
     */
    record Pair(DatagramLink atSource, DatagramLink atTarget, AddressHandle toTarget, AddressHandle toSource) {}

    /** What the kernels and the injector did so far, both ends together. */
    record Traffic(long sent, long injected, long received) {
        long dropped() {
            return sent - received;
        }
    }

    DatagramEnds(Device device, DemoSettings settings, Map<String, String> openWith, Console console) {
        this.console = console;
        source = keep(device.open(openWith));
        target = keep(device.open(openWith));
        DatagramLink firstAtSource = keep(link(source, settings, 0));
        DatagramLink firstAtTarget = keep(link(target, settings, settings.port()));
        writing = pair(firstAtSource, firstAtTarget);
        reading = pair(beside(firstAtSource, settings), beside(firstAtTarget, settings));
        repairing = pair(beside(firstAtSource, settings), beside(firstAtTarget, settings));
        sourceWindow = writing.atSource().allocate(settings.windowSize(), AccessFlag.REMOTE_READ);
        targetWindow = writing.atTarget().allocate(settings.windowSize(), AccessFlag.LOCAL_WRITE, AccessFlag.RECORD);
    }

    private <T extends AutoCloseable> T keep(T what) {
        open.add(0, what);
        return what;
    }

    private static Pair pair(DatagramLink atSource, DatagramLink atTarget) {
        return new Pair(atSource, atTarget, handle(atSource, atTarget), handle(atTarget, atSource));
    }

    private DatagramLink link(Context context, DemoSettings settings, int port) {
        return new DatagramLink(context, console, depths(settings), messages(settings), attributes(settings, port));
    }

    private DatagramLink beside(DatagramLink first, DemoSettings settings) {
        return keep(first.beside(depths(settings), messages(settings), attributes(settings, 0)));
    }

    private static int messages(DemoSettings settings) {
        return settings.messages(settings.windowSize());
    }

    private static Link.Depths depths(DemoSettings settings) {
        return new Link.Depths(Math.max(64, messages(settings)), 1);
    }

    private static DatagramAttributes attributes(DemoSettings settings, int port) {
        return DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .pathMtu(1500) // the loopback takes more, but it is other paths that are shown
                .timeouts(new DatagramTimeouts(IDLE, Duration.ofSeconds(60), ANSWER, RATE))
                .maxMessage(Math.max(256, settings.messageSize()))
                .maxRead(settings.messageSize())
                .build();
    }

    private static AddressHandle handle(DatagramLink from, DatagramLink to) {
        return from.queuePair()
                .createAddressHandle(
                        to.queuePair().localAddress(),
                        to.queuePair().number(),
                        to.queuePair().key());
    }

    /** {@return where the file arrives} */
    InetSocketAddress address() {
        return writing.atTarget().queuePair().localAddress();
    }

    Pair writing() {
        return writing;
    }

    Pair reading() {
        return reading;
    }

    /** {@return the queue pairs that repair what the others have lost} */
    Pair repairing() {
        return repairing;
    }

    MemoryRegion sourceWindow() {
        return sourceWindow;
    }

    MemoryRegion targetWindow() {
        return targetWindow;
    }

    /** {@return bytes of messages that may be on their way: half of what the kernel holds, with room for its own data} */
    long room() {
        return writing.atTarget().queuePair().receiveBuffer() / 4;
    }

    /** {@return how long after its last datagram a message is given up} */
    Duration idle() {
        return IDLE;
    }

    /** Lets both ends do what they can. */
    void move() {
        console.endIfAsked();
        boolean busy = source.poll();
        busy |= target.poll();
        if (!busy) {
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    /**
     * Lets both ends get on with it until every datagram that was sent has come. One end moves at a time, until it has
     * nothing left to do: what one has sent waits in the other's socket, so that no pause of this thread is taken for a loss.
     * Datagrams that the kernel has dropped never come: if nothing moves for a while, that is what happened.
     *
     * @param meanwhile done again and again: completions are to be taken
     */
    void settle(Runnable meanwhile) {
        long before = -1;
        long since = console.nanoTime().getAsLong();
        while (true) {
            boolean busy = moveAlone(source);
            busy |= moveAlone(target);
            meanwhile.run();
            if (busy) {
                since = console.nanoTime().getAsLong();
                continue;
            }
            Traffic traffic = traffic();
            long moved = traffic.sent() + traffic.injected() + traffic.received();
            long now = console.nanoTime().getAsLong();
            if (moved != before) {
                before = moved;
                since = now;
            } else if (traffic.dropped() <= unexplained && now - since > NAP_NANOS) {
                return;
            } else if (now - since > STALLED_NANOS) {
                unexplained = traffic.dropped();
                return;
            }
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    private boolean moveAlone(Context end) {
        boolean any = false;
        while (end.poll()) {
            console.endIfAsked();
            any = true;
        }
        return any;
    }

    Traffic traffic() {
        long sent = 0;
        long injected = 0;
        long received = 0;
        for (Context context : List.of(source, target)) {
            for (Counter counter : context.counters()) {
                switch (counter.name()) {
                    case "tx_datagrams" -> sent += counter.value();
                    case "injected_loss" -> injected += counter.value();
                    case "rx_datagrams" -> received += counter.value();
                    default -> {
                        // Not of interest here.
                    }
                }
            }
        }
        return new Traffic(sent, injected, received);
    }

    @Override
    public void close() {
        for (AutoCloseable one : open) {
            try {
                one.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("nothing here throws such a thing", e);
            }
        }
    }
}
