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
 * The two ends of the demo over datagrams, each with its own device context. One thread polls both in turns, so it
 * knows at any time which datagrams are in flight. Each operation has its own queue pairs, so the losses of one
 * operation do not depend on those of another.
 */
final class DatagramEnds implements AutoCloseable {
    /** Idle time-out of a message. It is long enough for a thread that waits for a processor. */
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
     * Two connected queue pairs.
     *
     * @param atSource the queue pair of the end that has the file
     * @param atTarget the queue pair of the end that gets the file
     * @param toTarget address handle of the target, for the source
     * @param toSource address handle of the source, for the target
     */
    record Pair(DatagramLink atSource, DatagramLink atTarget, AddressHandle toTarget, AddressHandle toSource) {}

    /** Numbers of datagrams so far, of both ends together. */
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
                .pathMtu(1500) // loopback takes more, but the demo shows the MTU of other paths
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

    /** {@return the address of the target} */
    InetSocketAddress address() {
        return writing.atTarget().queuePair().localAddress();
    }

    Pair writing() {
        return writing;
    }

    Pair reading() {
        return reading;
    }

    /** {@return the queue pairs that read missing bytes} */
    Pair repairing() {
        return repairing;
    }

    MemoryRegion sourceWindow() {
        return sourceWindow;
    }

    MemoryRegion targetWindow() {
        return targetWindow;
    }

    /**
     * {@return most bytes of messages in flight: a quarter of the kernel's receive buffer, which also holds data of the
     * kernel}
     */
    long room() {
        return writing.atTarget().queuePair().receiveBuffer() / 4;
    }

    /** {@return the idle time-out: time from the last datagram of an incomplete message to its completion} */
    Duration idle() {
        return IDLE;
    }

    /** Polls both ends once. */
    void move() {
        console.endIfAsked();
        boolean busy = source.poll();
        busy |= target.poll();
        if (!busy) {
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    /**
     * Polls both ends until every sent datagram has arrived. Each end is polled until it is idle, while datagrams for
     * it wait in its socket, so a pause of this thread is not taken for a loss. Datagrams that the kernel has dropped
     * never arrive: if nothing moves for a while, the missing datagrams count as dropped.
     *
     * @param meanwhile runs after each poll, to take completions
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
                        // Other counters are not needed.
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
                throw new IllegalStateException("closing threw an unexpected checked exception", e);
            }
        }
    }
}
