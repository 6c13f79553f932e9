package dev.jwarp.sim;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StreamEngineFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A network in virtual time: byte streams between engines, datagrams (see {@link SimDatagrams}), and events scheduled
 * with {@link #at}. All random numbers come from one seed, so the same seed and the same calls give the same run, byte
 * for byte, which {@link #traceHash} verifies. One thread runs everything, including the stacks on the network.
 *
 * <p>A run advances in steps: by {@link #settle}, {@link #runFor}, {@link #runUntil}, or a stack that polls its
 * {@link SimTransport}. Every loop is bounded: an endless run throws {@link IllegalStateException} with the seed in its
 * message.
 */
public final class SimNetwork {
    /** The time that a poll without work takes. */
    private static final long POLL_NANOS = 1_000;

    private static final long DEFAULT_STEP_LIMIT = 20_000_000;
    private static final int FIRST_EPHEMERAL_PORT = 49_152;
    private static final int RECEIVE_BUFFER = 1 << 20;
    private static final int OFFSETS = 8;
    private static final long HASH_FACTOR = 0x9e37_79b9_7f4a_7c15L;

    private record Scheduled(long when, long order, Runnable what) implements Comparable<Scheduled> {
        @Override
        public int compareTo(Scheduled other) {
            int byTime = Long.compare(when, other.when);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final long seed;
    private final SplittableRandom random;
    private final SimClock clock = new SimClock();
    private final PriorityQueue<Scheduled> schedule = new PriorityQueue<>();
    private final ArrayDeque<SimStation> readyStations = new ArrayDeque<>();
    private final List<SimStation> stations = new ArrayList<>();
    private final Map<InetAddress, SimTransport> hosts = new HashMap<>();
    private final Map<Integer, List<StreamFault>> faults = new HashMap<>();
    private final ByteBuffer receiveBuffer = ByteBuffer.allocateDirect(RECEIVE_BUFFER + OFFSETS);

    private final AfterCalls afterCalls = new AfterCalls();
    private boolean afterCallsRest;

    private SimLink link = SimLink.SMOOTH;
    private @Nullable Consumer<String> log;
    private long stepLimit = DEFAULT_STEP_LIMIT;
    private long steps;
    private long order;
    private int connections;
    private int nextPort = FIRST_EPHEMERAL_PORT;
    private boolean stepping;
    private long traceHash;

    /** Creates a network without hosts, with {@link SimLink#SMOOTH} paths. */
    public SimNetwork(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    /** {@return the network's clock} */
    public SimClock clock() {
        return clock;
    }

    /** {@return the random generator of the network, for tests} */
    public RandomGenerator random() {
        return random;
    }

    /** {@return the link of paths opened from now on} */
    public SimLink link() {
        return link;
    }

    /** Sets the link of paths opened from now on. */
    public void link(SimLink newLink) {
        link = newLink;
    }

    /** Sets the total number of steps after which a run counts as endless. */
    public void stepLimit(long newLimit) {
        stepLimit = newLimit;
    }

    /** Sends every event to {@code sink}, one line each. */
    public void log(Consumer<String> sink) {
        log = sink;
    }

    /** {@return a hash of all events so far} */
    public long traceHash() {
        return traceHash;
    }

    /** {@return the number of connection attempts so far, which is the number of the next one for {@link #inject}} */
    public int connections() {
        return connections;
    }

    /** Injects faults into the connection of this number, counted from 0 in the order of the connects. */
    public void inject(int connection, StreamFault... what) {
        faults.computeIfAbsent(connection, number -> new ArrayList<>()).addAll(List.of(what));
    }

    /**
     * Adds a host.
     *
     * @param host address of the host, unused on this network
     * @param engines creates the engines of its connections
     */
    public SimTransport host(InetAddress host, StreamEngineFactory engines) {
        SimTransport transport = new SimTransport(this, host, engines);
        if (hosts.putIfAbsent(host, transport) != null) {
            throw new IllegalArgumentException("The network already has a host " + host.getHostAddress());
        }
        return transport;
    }

    /**
     * Schedules {@code what} at the given time, or at once if that has passed, after everything already scheduled for
     * that time.
     */
    public void at(long nanos, Runnable what) {
        schedule.add(new Scheduled(Math.max(nanos, clock.nowNanos()), order++, what));
    }

    /** Runs until nothing is in flight any more. Timeouts fire when their time comes, but are not waited for. */
    public void settle() {
        while (!afterCalls.isEmpty() || !readyStations.isEmpty() || !schedule.isEmpty()) {
            step(Long.MAX_VALUE);
        }
    }

    /** Runs for that time, including timeouts; the clock then shows the end of that time. */
    public void runFor(long nanos) {
        long end = clock.after(nanos);
        while (step(end)) {
            // one step after the other
        }
        clock.advanceTo(Math.max(end, clock.nowNanos()));
    }

    /**
     * Runs until {@code done}, which is checked after each step.
     *
     * @throws IllegalStateException if no events are left and the condition is false
     */
    public void runUntil(BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            if (!step(Long.MAX_VALUE)) {
                throw stuck("Nothing is left that could happen");
            }
        }
    }

    /** One step for a polling stack; a little time passes if there is no work. */
    boolean poll() {
        if (stepping || step(clock.nowNanos())) {
            return !stepping;
        }
        long later = clock.after(POLL_NANOS);
        if (step(later)) {
            return true;
        }
        countStep();
        clock.advanceTo(later);
        return false;
    }

    /** One step, or up to {@code nanos} without work. */
    void await(long nanos) {
        long end = clock.after(nanos);
        if (!stepping && !step(end)) {
            if (end == Long.MAX_VALUE) {
                throw stuck("A thread waits, and nothing is left that could end its wait");
            }
            clock.advanceTo(end);
        }
    }

    /** Runs the next event if its time is not later than {@code until}. No effect within a step. */
    private boolean step(long until) {
        if (stepping) {
            return false;
        }
        stepping = true;
        try {
            return stepOnce(until);
        } finally {
            stepping = false;
        }
    }

    private boolean stepOnce(long until) {
        if (!afterCallsRest && afterCalls.run()) {
            countStep();
            // as elsewhere, a task that adds itself again does not keep others waiting
            if (!afterCalls.isEmpty()) {
                afterCallsRest = true;
                at(clock.after(POLL_NANOS), () -> afterCallsRest = false);
            }
            return true;
        }
        SimStation ready = readyStations.poll();
        if (ready != null) {
            countStep();
            ready.pump();
            return true;
        }
        Scheduled next = schedule.peek();
        long planned = next == null ? Long.MAX_VALUE : next.when;
        long timeout = earliestTimeout();
        long when = Math.min(planned, timeout);
        if (when == Long.MAX_VALUE || when > until) {
            return false;
        }
        countStep();
        clock.advanceTo(Math.max(when, clock.nowNanos()));
        if (planned <= timeout) {
            schedule.remove().what.run();
        } else {
            stationWithTimeout(timeout).timeout();
        }
        return true;
    }

    private void countStep() {
        if (++steps > stepLimit) {
            throw stuck("The run took " + stepLimit + " steps without an end");
        }
    }

    private IllegalStateException stuck(String sentence) {
        return new IllegalStateException(
                sentence + " (seed " + seed + ", virtual time " + clock.nowNanos() + " ns): run this seed with a log");
    }

    private long earliestTimeout() {
        long earliest = Long.MAX_VALUE;
        for (SimStation station : stations) {
            earliest = Math.min(earliest, station.nextTimeout());
        }
        return earliest;
    }

    private SimStation stationWithTimeout(long timeout) {
        for (SimStation station : stations) {
            if (station.nextTimeout() == timeout) {
                return station;
            }
        }
        throw new IllegalStateException("A timeout changed while it was looked at");
    }

    // For stations.

    long now() {
        return clock.nowNanos();
    }

    /** {@return the tasks that run before the next step} */
    AfterCalls afterCalls() {
        return afterCalls;
    }

    boolean isStepping() {
        return stepping;
    }

    void ready(SimStation station) {
        readyStations.add(station);
    }

    void add(SimStation station) {
        stations.add(station);
    }

    SimEnd newEnd(String name, InetSocketAddress local, InetSocketAddress remote) {
        SimEnd end = new SimEnd(this, name, local, remote);
        add(end);
        return end;
    }

    void gone(SimStation station) {
        stations.remove(station);
    }

    void forget(InetAddress host) {
        hosts.remove(host);
    }

    int ephemeralPort() {
        return nextPort++;
    }

    long delayed(SimLink path) {
        return clock.after(path.delay(random));
    }

    int drawSegment(SimLink path) {
        return Math.min(RECEIVE_BUFFER, path.segment(random));
    }

    /** Simulates the three-way handshake, and checks for a listener. */
    void connect(SimEnd initiator) {
        List<StreamFault> injected = faults.getOrDefault(connections++, List.of());
        if (injected.stream().noneMatch(fault -> fault.kind() == StreamFault.Kind.LOST_CONNECT)) {
            SimLink path = link;
            at(delayed(path), () -> knock(initiator, path, injected));
        }
    }

    private void knock(SimEnd initiator, SimLink path, List<StreamFault> injected) {
        InetSocketAddress target = initiator.remoteAddress();
        SimTransport host = hosts.get(target.getAddress());
        SimTransport.Listening listening = host == null ? null : host.listening(target.getPort());
        if (host == null || listening == null) {
            LlpFailure failure = host == null ? LlpFailure.UNREACHABLE : LlpFailure.REFUSED;
            String sentence = host == null ? "There is no host at " + target : "No program listens at " + target;
            at(delayed(path), () -> initiator.connectFailed(failure, sentence));
            return;
        }
        SimEnd responder = newEnd("responder of " + initiator, target, initiator.localAddress());
        long answered = delayed(path);
        long established = answered + path.delay(random);
        SimStream stream = new SimStream(this, path, initiator, responder, injected, established);
        at(answered, () -> initiator.connected(stream));
        at(established, () -> host.take(responder, listening, stream, initiator.over()));
    }

    /** The bytes as a driver hands them over: anywhere in a buffer that belongs to the driver. */
    ByteBuffer receiveBuffer(byte[] segment) {
        int offset = random.nextInt(OFFSETS);
        receiveBuffer.clear().position(offset);
        receiveBuffer.put(segment).limit(offset + segment.length).position(offset);
        return receiveBuffer;
    }

    /** Overwrites the bytes after the call, because an engine must not read them later. */
    void spoilReceiveBuffer() {
        for (int i = 0; i < receiveBuffer.limit(); i++) {
            receiveBuffer.put(i, (byte) 0xA5);
        }
    }

    static long digest(byte[] octets) {
        CRC32C crc = new CRC32C();
        crc.update(octets);
        return crc.getValue();
    }

    void trace(Enum<?> what, Object who, long length, long digest) {
        for (long part : new long[] {
            clock.nowNanos(), what.name().hashCode(), who.toString().hashCode(), length, digest
        }) {
            traceHash = Long.rotateLeft(traceHash ^ part, 27) * HASH_FACTOR;
        }
        if (log != null) {
            log.accept(String.format(Locale.ROOT, "%12d ns  %s  %s  %d bytes", clock.nowNanos(), who, what, length));
        }
    }

    @Override
    public String toString() {
        return "network of seed " + seed + Arrays.toString(hosts.keySet().toArray());
    }
}
