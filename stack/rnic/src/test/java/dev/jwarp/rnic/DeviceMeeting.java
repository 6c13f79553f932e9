package dev.jwarp.rnic;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.sim.RawEnd;
import dev.jwarp.sim.SimLink;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.SimTransport;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program on jwarp connects with a {@link PlayedDevice}. Each side sends and receives a Send, or the program learns
 * the reason of a failure.
 */
final class DeviceMeeting {
    /** What a Send of the program carries. */
    static final String GREETING = "from the program";

    /** The outcome of a Request that never reaches the program. */
    static final String NO_REQUEST = "no request";

    private static final int PORT = 7;
    private static final int ROOM = 64;
    private static final RnicProvider PROVIDER = new RnicProvider();
    private static final SimLink AT_ONCE = new SimLink(1 << 20, 1 << 20, 0, 0, 1 << 20, 1460);

    /**
     * The outcome.
     *
     * @param what {@link DevicePrediction#CONNECTS}, {@link #NO_REQUEST}, or the event at the program, with its error
     * @param sentence of that event
     */
    record End(String what, String sentence) {}

    /** The transport of both sides. */
    private interface Ground extends AutoCloseable {
        /** {@return the address of the listening side} */
        InetSocketAddress address();

        /** The device connects to {@code listener}. */
        void connectDevice(InetSocketAddress listener) throws IOException;

        /** Drives both sides. */
        void step();

        /** {@return whether no further output can follow} */
        boolean late();

        @Override
        void close() throws IOException;
    }

    private final StartCase start;
    private final PlayedDevice device;
    private final Context context;
    private final Ground ground;
    private final CmEventChannel events;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion memory;
    private final WorkCompletion[] one = WorkCompletion.array(1);
    private @Nullable QueuePair queuePair;
    private boolean established;
    private boolean requested;
    private boolean heard;

    private DeviceMeeting(StartCase start, PlayedDevice device, Context context, Ground ground) {
        this.start = start;
        this.device = device;
        this.context = context;
        this.ground = ground;
        events = context.createEventChannel();
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(ROOM);
        memory = domain.allocate(1 << 10, AccessFlag.LOCAL_WRITE);
        memory.buffer().put(0, GREETING.getBytes(StandardCharsets.US_ASCII));
    }

    static End hold(World.Kind kind, StartCase start, PlayedDevice device) throws IOException {
        Map<String, String> settings = new HashMap<>(start.settings());
        if (kind == World.Kind.SIMULATED) {
            SimulatedGround ground = new SimulatedGround(device, start.connects(), settings);
            return new DeviceMeeting(start, device, ground.context, ground).run();
        }
        if (kind == World.Kind.THREADED) {
            settings.put("jwarp.tcp.event-loops", "1");
        }
        Progress progress = kind == World.Kind.INLINE ? Progress.INLINE : Progress.THREADED;
        Context context = PROVIDER.rnic().open(progress, Patience.with(Patience.OF_CONNECTIONS, settings));
        return new DeviceMeeting(start, device, context, new TcpGround(device, context, start.connects())).run();
    }

    private End run() throws IOException {
        try (ground;
                context) {
            if (start.connects()) {
                connect();
            } else {
                listen();
            }
            while (!ground.late()) {
                ground.step();
                End end = look();
                if (end != null) {
                    return end;
                }
            }
            return new End("nothing, in all the time there was", "");
        }
    }

    private void connect() {
        CmId id = context.createId(events);
        use(id);
        id.resolveAddress(null, ground.address());
        CmEvent resolved = events.await(Patience.LIMIT);
        if (resolved == null || resolved.type() != CmEventType.ADDR_RESOLVED) {
            throw new AssertionError(resolved);
        }
        id.connect(start.parameters());
    }

    private void listen() throws IOException {
        CmId listener = context.createId(events);
        listener.bind(ground.address());
        listener.listen(0);
        ground.connectDevice(Objects.requireNonNull(listener.localAddress()));
    }

    private QueuePair use(CmId id) {
        QueuePair made = id.createQueuePair(
                domain,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(4)
                        .maxReceiveWorkRequests(4)
                        .build());
        // An empty ready-to-receive Send may consume one.
        for (long i = 1; i <= 2; i++) {
            made.postReceive(new ReceiveWorkRequest().id(i).add(memory, i * ROOM, ROOM));
        }
        queuePair = made;
        return made;
    }

    private @Nullable End look() {
        for (CmEvent event = events.poll(); event != null; event = events.poll()) {
            switch (event.type()) {
                case CONNECT_REQUEST -> {
                    requested = true;
                    use(event.id());
                    event.id().accept(start.parameters());
                }
                case ESTABLISHED -> {
                    established = true;
                    Objects.requireNonNull(queuePair)
                            .postSend(new SendWorkRequest().id(3).add(memory, 0, GREETING.length()));
                }
                default -> {
                    String before = established ? "ESTABLISHED, then " : "";
                    return new End(before + event.type() + " " + event.error(), event.sentence());
                }
            }
        }
        while (completions.poll(one) == 1) {
            heard |= one[0].opcode() == WorkCompletionOpcode.RECV
                    && one[0].status() == WorkCompletionStatus.SUCCESS
                    && one[0].byteLength() > 0;
        }
        if (heard && established && device.heard() != null) {
            return new End(DevicePrediction.CONNECTS, "");
        }
        return !start.connects() && !requested && device.isOver() ? new End(NO_REQUEST, "") : null;
    }

    // ---- in virtual time

    private static final class SimulatedGround implements Ground {
        private static final long STEP = TimeUnit.MILLISECONDS.toNanos(10);
        private static final long MOST = TimeUnit.SECONDS.toNanos(40);

        private final SimNetwork network = new SimNetwork(1);
        private final PlayedDevice device;
        private final boolean deviceListens;
        private final SimTransport host;
        private final SimTransport deviceHost;
        private final Context context;
        private @Nullable InetSocketAddress listener;
        private long passed;

        SimulatedGround(PlayedDevice device, boolean deviceListens, Map<String, String> settings) {
            this.device = device;
            this.deviceListens = deviceListens;
            network.link(AT_ONCE);
            host = network.host(
                    address(1), new MpaEngineFactory(TcpSettings.of(settings), new Tally<>(TcpCounter.class)));
            deviceHost = network.host(address(2), new Ends(device));
            context = PROVIDER.rnic().open(host, () -> network.clock().nowNanos(), new SplittableRandom(1), settings);
            if (deviceListens) {
                deviceHost.listen(deviceHost.address(PORT), 1, new UnusedUpperLayer());
            }
        }

        private static InetAddress address(int number) {
            try {
                return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(e);
            }
        }

        @Override
        public InetSocketAddress address() {
            return deviceListens ? deviceHost.address(PORT) : host.address(PORT);
        }

        @Override
        public void connectDevice(InetSocketAddress to) {
            listener = to;
            UnusedUpperLayer none = new UnusedUpperLayer();
            deviceHost.connect(to, null, new StartParameters(0, 0, new byte[0]), Long.MAX_VALUE / 4, none, none);
        }

        @Override
        public void step() {
            network.runFor(passed == 0 ? 0 : STEP);
            passed += STEP;
            if (listener != null && device.takeAgain()) {
                connectDevice(listener);
            }
        }

        @Override
        public boolean late() {
            return passed > MOST;
        }

        @Override
        public void close() {}
    }

    /** Makes an end of a stream for each connection of the device. */
    private record Ends(PlayedDevice device) implements StreamEngineFactory {
        @Override
        public StreamEngine initiator(
                StreamDriver under,
                StartParameters offer,
                long timeoutNanos,
                UpperLayer upper,
                ConnectionHandler handler,
                long nowNanos) {
            return new PlayedEnd(device).initiator(under, offer, timeoutNanos, upper, handler, nowNanos);
        }

        @Override
        public StreamEngine responder(StreamDriver under, ConnectionHandler handler, long nowNanos) {
            return new PlayedEnd(device).responder(under, handler, nowNanos);
        }
    }

    private static final class PlayedEnd extends RawEnd implements PlayedDevice.Wire {
        private final PlayedDevice device;

        PlayedEnd(PlayedDevice device) {
            this.device = device;
        }

        @Override
        public void onConnected(long nowNanos) {
            device.onConnected(this);
            flush();
        }

        @Override
        public void onConnectFailed(LlpFailure failure, String sentence, long nowNanos) {
            device.onEnd(false);
        }

        @Override
        public void receive(ByteBuffer in, long nowNanos) {
            byte[] octets = new byte[in.remaining()];
            in.get(octets);
            device.receive(octets, this);
            flush();
        }

        @Override
        public void onInputClosed(long nowNanos) {
            device.onEnd(false);
            end(Ending.CLOSE);
        }

        @Override
        public void onBroken(long nowNanos) {
            device.onEnd(true);
        }
    }

    // ---- over TCP

    private static final class TcpGround implements Ground {
        private final PlayedDevice device;
        private final Context context;
        private final long start = System.nanoTime();
        private @Nullable PlayedSocket socket;

        TcpGround(PlayedDevice device, Context context, boolean deviceListens) throws IOException {
            this.device = device;
            this.context = context;
            socket = deviceListens ? new PlayedSocket(device, null) : null;
        }

        @Override
        public InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket == null ? 0 : socket.port());
        }

        @Override
        public void connectDevice(InetSocketAddress listener) throws IOException {
            socket = new PlayedSocket(device, listener);
        }

        @Override
        public void step() {
            if (!context.poll()) {
                Thread.onSpinWait();
            }
        }

        @Override
        public boolean late() {
            return System.nanoTime() - start > Patience.NANOS;
        }

        @Override
        public void close() throws IOException {
            if (socket != null) {
                socket.close();
            }
        }
    }
}
