package dev.jwarp.tools.conform;

import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.tools.conform.Order.Status;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A tester's conversation with the datagram target: reads orders, executes them, and answers. One thread. */
final class DatagramSession implements AutoCloseable {
    /** The setting that names a file of keys. */
    static final String KEYS = "jwarp.udp.keys";

    /** Flags in operand b of PORT: the tester's address is trusted; the port has the target's keys. */
    private static final int TRUSTED = 1;

    private static final int SEALED = 2;

    private static final int PORT = 32;
    private static final int COMPLETION = 40;
    private static final int EVENT = 41;
    private static final int RESOLVE = 43;
    private static final int RESOLVED = 44;
    private static final int COUNTERS = 47;

    private static final int LONGEST = 65_536;
    private static final byte[] NOTHING = new byte[0];

    private final Device device;
    private final Map<String, String> settings;
    private final Socket tester;
    private final BlockingQueue<byte[]> resolved = new LinkedBlockingQueue<>();
    private @Nullable Context context;
    private @Nullable DatagramElements elements;

    DatagramSession(Device device, Map<String, String> settings, Socket tester) {
        this.device = device;
        this.settings = settings;
        this.tester = tester;
    }

    /** Answers orders until the tester closes the connection. */
    void run() throws IOException {
        tester.setTcpNoDelay(true);
        DataInputStream in = new DataInputStream(tester.getInputStream());
        DataOutputStream out = new DataOutputStream(tester.getOutputStream());
        while (true) {
            int length;
            try {
                length = in.readInt();
            } catch (EOFException e) {
                return;
            }
            if (length < Order.HEADER || length > LONGEST) {
                return;
            }
            byte[] octets = new byte[length];
            in.readFully(octets);
            byte[] answer = answer(Order.parse(ByteBuffer.wrap(octets)));
            out.write(ByteBuffer.allocate(4 + answer.length)
                    .putInt(answer.length)
                    .put(answer)
                    .array());
        }
    }

    private byte[] answer(Order order) {
        try {
            return switch (order.number()) {
                case PORT ->
                    hasKeysFor(order) ? order.answer(Status.DONE, 0, open(order)) : order.answer(Status.UNABLE, 0, 0);
                case EVENT -> found(order, event(order.a()));
                case RESOLVE -> {
                    resolve(order);
                    yield order.answer(Status.DONE, 0, 0);
                }
                case RESOLVED -> found(order, resolved.poll(order.a(), TimeUnit.MILLISECONDS));
                case COUNTERS -> order.answer(Status.DONE, 0, 0, counters());
                case COMPLETION -> found(order, elements().completion(order.a()));
                default -> elements().carryOut(order);
            };
        } catch (RdmaException | IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e) {
            return order.answer(
                    Status.FAILED, 0, 0, String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return order.answer(Status.FAILED, 0, 0);
        }
    }

    private static byte[] found(Order order, byte @Nullable [] what) {
        return order.answer(Status.DONE, 0, what == null ? 0 : 1, what == null ? NOTHING : what);
    }

    private boolean hasKeysFor(Order order) {
        return (order.b() & SEALED) == 0 || !settings.getOrDefault(KEYS, "").isEmpty();
    }

    private int open(Order order) {
        if (context != null) {
            throw new IllegalStateException("this conversation has a port already");
        }
        Map<String, String> all = new HashMap<>(settings);
        all.put("jwarp.progress", "threaded");
        all.put("jwarp.udp.multicast-loop", "on");
        boolean trusted = (order.b() & TRUSTED) != 0;
        all.put("jwarp.udp.trust", trusted ? tester.getInetAddress().getHostAddress() : "");
        if ((order.b() & SEALED) == 0) {
            all.put(KEYS, "");
        }
        Context opened = device.open(all);
        context = opened;
        elements = new DatagramElements(
                opened,
                tester.getLocalAddress(),
                tester.getInetAddress(),
                Duration.ofMillis(order.a() == 0 ? 100 : order.a()));
        return elements.port();
    }

    private byte @Nullable [] event(int millis) {
        AsyncEvent event = context().awaitAsyncEvent(Duration.ofMillis(millis));
        if (event == null) {
            return null;
        }
        ByteBuffer out = ByteBuffer.allocate(16).putInt(event.type().number());
        if (event.notice() != null) {
            out.putInt(event.notice().control() << 16)
                    .putInt(event.notice().messageId())
                    .putInt(event.notice().queuePairNumber());
        }
        return out.array();
    }

    /** Resolves in a separate thread, because the tester is the resolver and has to receive the request first. */
    private void resolve(Order order) {
        Context asking = context();
        InetSocketAddress resolver = new InetSocketAddress(tester.getInetAddress(), order.a());
        QueuePairType[] types =
                switch (order.b()) {
                    case 1 -> new QueuePairType[] {QueuePairType.UD};
                    case 2 -> new QueuePairType[] {QueuePairType.RD};
                    default -> new QueuePairType[] {QueuePairType.UD, QueuePairType.RD};
                };
        ResolveParameters parameters =
                ResolveParameters.DEFAULT.withTypes(types).withPrivateData(order.data());
        ToolThreads.start("jwarp-datagram-resolve", () -> {
            try {
                resolved.add(described(asking.resolve(resolver, order.c(), parameters)));
            } catch (RdmaException e) {
                resolved.add(ByteBuffer.allocate(20).putInt(status(e)).array());
            }
        });
    }

    private static byte[] described(ResolvedService found) {
        byte[] more = found.privateData();
        return ByteBuffer.allocate(20 + more.length)
                .putInt(0)
                .putInt(found.type() == QueuePairType.UD ? 1 : 2)
                .putInt(found.queuePairNumber())
                .putInt(found.key())
                .putInt(found.address().getPort())
                .put(more)
                .array();
    }

    /** {@return the status of datagram-iWARP §18 for a failure; -1 without an answer} */
    private static int status(RdmaException e) {
        return switch (e.code()) {
            case NOT_FOUND -> 1;
            case REJECTED -> 2;
            case NO_AGREEMENT -> 3;
            case RESOURCE_BUSY -> 4;
            case PROTOCOL_MISMATCH -> 5;
            default -> -1;
        };
    }

    private byte[] counters() {
        StringBuilder lines = new StringBuilder();
        for (Counter counter : context().counters()) {
            lines.append(counter.name()).append(' ').append(counter.value()).append('\n');
        }
        return lines.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private Context context() {
        if (context == null) {
            throw new IllegalStateException("there is no port yet: order 32 opens one");
        }
        return context;
    }

    private DatagramElements elements() {
        if (elements == null) {
            throw new IllegalStateException("there is no port yet: order 32 opens one");
        }
        return elements;
    }

    @Override
    public void close() {
        if (context != null) {
            context.close();
        }
    }
}
