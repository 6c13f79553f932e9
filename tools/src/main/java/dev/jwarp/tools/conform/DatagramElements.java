package dev.jwarp.tools.conform;

import dev.jwarp.tools.conform.Order.Status;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The queue pairs, memory and handles of a tester on one UDP port, and the operations on them. */
final class DatagramElements {
    private static final int QUEUE_PAIR = 33;
    private static final int RECEIVES = 34;
    private static final int REGION = 35;
    private static final int PEEK = 36;
    private static final int DEREGISTER = 37;
    private static final int PEER = 38;
    private static final int POST = 39;
    private static final int SERVICE = 42;
    private static final int STATE = 45;
    private static final int JOIN = 46;
    private static final int RESET = 48;

    private static final int DEPTH = 1024;
    /** Most received bytes in an answer. */
    private static final int TOLD = 2048;

    /** The longest receive, region and message. */
    private static final int MOST = 1 << 20;

    private static final int TOLD_OF_REGIONS = 1 << 16;

    private static final byte[] NOTHING = new byte[0];

    private final Context context;
    private final InetAddress own;
    private final InetAddress testers;
    private final Duration idle;
    private final ProtectionDomain domain;
    private final ProtectionDomain foreign;
    private final CompletionQueue completions;
    private final DatagramQueuePair spare;
    private final List<DatagramQueuePair> queuePairs = new ArrayList<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final List<AddressHandle> peers = new ArrayList<>();
    private final Map<Long, MemoryRegion> work = new HashMap<>();
    private final AtomicInteger counted = new AtomicInteger();
    private final WorkCompletion[] one = WorkCompletion.array(1);
    private long lastWork;

    /**
     * Opens a port.
     *
     * @param own the local address
     * @param testers the tester's address
     * @param idle T_idle of the queue pairs
     */
    DatagramElements(Context context, InetAddress own, InetAddress testers, Duration idle) {
        this.context = context;
        this.own = own;
        this.testers = testers;
        this.idle = idle;
        domain = context.allocateProtectionDomain();
        foreign = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(8 * DEPTH);
        // A port exists as long as it has a queue pair: this one keeps the port open.
        spare = create(QueuePairType.UD, 0, 0);
    }

    int port() {
        return spare.localAddress().getPort();
    }

    /** {@return the answer} Executes an order. */
    byte[] carryOut(Order order) {
        if (!withinReason(order)) {
            return order.answer(Status.UNABLE, 0, 0);
        }
        return switch (order.number()) {
            case QUEUE_PAIR -> queuePair(order);
            case RECEIVES -> {
                receives(order);
                yield order.answer(Status.DONE, 0, 0);
            }
            case REGION -> region(order);
            case PEEK -> {
                byte[] octets = new byte[order.b()];
                get(regions, order.a()).buffer().get((int) order.c(), octets);
                yield order.answer(Status.DONE, 0, 0, octets);
            }
            case DEREGISTER -> {
                get(regions, order.a()).close();
                yield order.answer(Status.DONE, 0, 0);
            }
            case PEER -> order.answer(Status.DONE, 0, peer(order));
            case POST -> order.answer(Status.DONE, 0, post(order));
            case SERVICE -> {
                service(order);
                yield order.answer(Status.DONE, 0, 0);
            }
            case STATE -> {
                state(order);
                yield order.answer(Status.DONE, 0, 0);
            }
            case JOIN -> order.answer(Status.DONE, 0, join(order));
            case RESET -> {
                AddressHandle peer = get(peers, order.a());
                peer.queuePair().resetPeer(peer);
                yield order.answer(Status.DONE, 0, 0);
            }
            default -> order.answer(Status.UNABLE, 0, 0);
        };
    }

    /** {@return whether sizes and counts are within limits, so that no order harms the target} */
    private static boolean withinReason(Order order) {
        return switch (order.number()) {
            case RECEIVES -> order.b() >= 0 && order.b() <= MOST && order.c() <= DEPTH;
            case REGION -> order.b() >= 1 && order.b() <= MOST && order.data().length == 4;
            case PEEK -> order.b() >= 0 && order.b() <= TOLD_OF_REGIONS;
            case POST -> (order.d() & 0xFFFF_FFFFL) <= MOST && order.data().length == 8;
            default -> true;
        };
    }

    private DatagramQueuePair create(QueuePairType type, int how, int port) {
        return domain.createDatagramQueuePair(
                type,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(DEPTH)
                        .maxReceiveWorkRequests(DEPTH)
                        .maxSendElements(1)
                        .maxReceiveElements(1)
                        .build(),
                DatagramAttributes.builder(new InetSocketAddress(own, port))
                        .byDefault((how & 1) != 0)
                        .reportIncomplete((how & 2) != 0)
                        .timeouts(DatagramTimeouts.DEFAULT.withIdle(idle))
                        .build());
    }

    private byte[] queuePair(Order order) {
        DatagramQueuePair made = create(order.a() == 1 ? QueuePairType.UD : QueuePairType.RD, order.b(), port());
        ByteBuffer out = ByteBuffer.allocate(24);
        out.putInt(made.number())
                .putInt(made.key())
                .putLong(made.datagramAttributes().maxMessage())
                .putLong(made.datagramAttributes().maxRead());
        return order.answer(Status.DONE, 0, added(queuePairs, made), out.array());
    }

    private void receives(Order order) {
        DatagramQueuePair queuePair = get(queuePairs, order.a());
        for (long i = 0; i < order.c(); i++) {
            MemoryRegion memory = domain.allocate(Math.max(1, order.b()), AccessFlag.LOCAL_WRITE);
            ReceiveWorkRequest receive = new ReceiveWorkRequest().id(++lastWork);
            work.put(lastWork, memory);
            queuePair.postReceive(order.b() == 0 ? receive : receive.add(memory));
        }
    }

    private byte[] region(Order order) {
        List<AccessFlag> access = new ArrayList<>(List.of(AccessFlag.LOCAL_WRITE));
        AccessFlag[] rights = {AccessFlag.REMOTE_WRITE, AccessFlag.RECORD, AccessFlag.REMOTE_READ, AccessFlag.GROUP};
        for (int i = 0; i < rights.length; i++) {
            if (((order.a() >> i) & 1) != 0) {
                access.add(rights[i]);
            }
        }
        AccessFlag[] all = access.toArray(AccessFlag[]::new);
        int how = ByteBuffer.wrap(order.data()).getInt();
        MemoryRegion made =
                switch (how) {
                    case 1 -> foreign.allocate(order.b(), all);
                    case 3 ->
                        domain.registerForGroup(ByteBuffer.allocateDirect(order.b()), order.d(), (int) order.c(), all);
                    default -> domain.allocate(order.b(), all);
                };
        TargetMemory.fill(made, 0, order.b(), 0);
        if (how == 2) {
            // Port 9 and this queue pair number belong to no tester.
            made.bindTo(get(queuePairs, (int) order.c())
                    .createAddressHandle(new InetSocketAddress(testers, 9), 0xFFFFFE, 0));
        }
        return order.answer(Status.DONE, 0, added(regions, made), TargetMemory.described(made));
    }

    private int peer(Order order) {
        InetSocketAddress address = new InetSocketAddress(testers, (int) (order.d() & 0xFFFF));
        return added(
                peers,
                get(queuePairs, order.a())
                        .createAddressHandle(address, order.b(), (int) order.c(), (int) (order.d() >>> 16), 0));
    }

    private long post(Order order) {
        AddressHandle peer = get(peers, order.a());
        int length = (int) order.d();
        int stag = (int) (order.d() >>> 32);
        ByteBuffer more = ByteBuffer.wrap(order.data());
        int seed = more.getInt();
        int timeout = more.getInt();
        SendWorkRequest request = new SendWorkRequest().id(++lastWork).destination(peer);
        switch (order.b()) {
            case 0 -> request.rdmaWrite(order.c(), stag);
            case 1 -> request.rdmaRead(order.c(), stag);
            case 3 -> request.send();
            case 5 -> request.send().solicited(true);
            case 15 -> request.writeRecord(order.c(), stag);
            default -> throw new IllegalArgumentException("no operation has the number " + order.b());
        }
        if (timeout > 0) {
            request.timeout(Duration.ofMillis(timeout));
        }
        if (length > 0) {
            MemoryRegion memory = domain.allocate(length, AccessFlag.LOCAL_WRITE);
            if (order.b() != 1) {
                TargetMemory.fill(memory, 0, length, seed);
            }
            request.add(memory);
            work.put(lastWork, memory);
        }
        peer.queuePair().postSend(request);
        return lastWork;
    }

    /** {@return the next completion, encoded for an answer; null after the time limit} */
    byte @Nullable [] completion(int millis) {
        if (completions.await(one, Duration.ofMillis(millis)) == 0) {
            return null;
        }
        WorkCompletion c = one[0];
        List<long[]> valid = new ArrayList<>();
        if (c.validity() != null) {
            c.validity().forEachRange((offset, octets) -> valid.add(new long[] {offset, octets}));
        } else if (c.succeeded() && c.messageLength() > 0) {
            valid.add(new long[] {0, c.messageLength()});
        }
        byte[] data = octets(c);
        ByteBuffer out = ByteBuffer.allocate(48 + 16 * valid.size() + data.length);
        out.putShort((short) c.opcode().number()).putShort((short) c.status().number());
        out.putInt((int) c.id()).putInt(c.queuePairNumber()).putInt(c.byteLength());
        out.putLong(c.messageLength()).putInt(c.localKey()).putLong(c.localAddress());
        out.putShort((short) c.sourcePort()).putShort((short) 0).putInt(c.sourceQueuePairNumber());
        out.putInt(valid.size());
        for (long[] range : valid) {
            out.putLong(range[0]).putLong(range[1]);
        }
        out.put(data);
        c.release();
        return out.array();
    }

    private byte[] octets(WorkCompletion c) {
        MemoryRegion memory = c.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD ? null : work.remove(c.id());
        if (memory == null) {
            return NOTHING;
        }
        boolean came = c.opcode() == WorkCompletionOpcode.RECV || c.opcode() == WorkCompletionOpcode.RDMA_READ;
        long length = c.opcode() == WorkCompletionOpcode.RECV ? c.byteLength() : memory.length();
        byte[] octets = new byte[came ? (int) Math.min(TOLD, Math.min(length, memory.length())) : 0];
        memory.buffer().get(0, octets);
        memory.close();
        return octets;
    }

    private void service(Order order) {
        DatagramQueuePair named = get(queuePairs, order.b());
        InetSocketAddress at = spare.localAddress();
        if (order.a() == 0) {
            context.listenService(at, order.c(), named);
        } else {
            context.listenService(at, order.c(), (source, types, octets) -> answer(named, octets));
        }
    }

    private ServiceHandler.Answer answer(DatagramQueuePair named, byte[] octets) {
        String asked = new String(octets, StandardCharsets.US_ASCII);
        if (asked.equals("no")) {
            return new ServiceHandler.Answer(null, octets);
        }
        if (asked.equals("count")) {
            return new ServiceHandler.Answer(named, new byte[] {(byte) counted.incrementAndGet()});
        }
        byte[] backwards = octets.clone();
        for (int i = 0; i < octets.length; i++) {
            backwards[i] = octets[octets.length - 1 - i];
        }
        return new ServiceHandler.Answer(named, backwards);
    }

    private void state(Order order) {
        DatagramQueuePair queuePair = get(queuePairs, order.a());
        switch (order.b()) {
            case 0 -> queuePair.modify(QueuePairState.ERR);
            case 1 -> queuePair.modify(QueuePairState.RTS);
            default -> {
                peers.stream().filter(p -> p.queuePair() == queuePair).forEach(AddressHandle::close);
                queuePair.close();
            }
        }
    }

    private int join(Order order) {
        try {
            InetAddress group = InetAddress.getByAddress(order.data());
            return added(
                    peers,
                    get(queuePairs, order.a())
                            .joinGroup(
                                    new InetSocketAddress(group, order.b()),
                                    NetworkInterface.getByInetAddress(own),
                                    (int) order.c()));
        } catch (UnknownHostException | SocketException e) {
            throw new IllegalArgumentException("cannot join " + Arrays.toString(order.data()), e);
        }
    }

    private static <T> int added(List<T> all, T one) {
        all.add(one);
        return all.size();
    }

    private static <T> T get(List<T> all, int index) {
        return all.get(index - 1);
    }
}
