import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.ServiceListener;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;

/**
 * jwarp's side of the exchanges: executes the commands on its standard input with the public verbs, and reports events on its
 * standard output. README.md lists the commands. Arguments: the address, then settings as KEY=VALUE.
 */
public final class Peer {
    private static final int LENGTH = 1 << 20;
    private static final long SERVICE_UD = 0x1122334455667788L;
    private static final long SERVICE_RD = 0x1122334455667799L;
    private static final long SERVICE_HANDLER = 0x11223344556677AAL;
    private static final String HANDLE_NAMES = "peer NAME ud|rd ADDRESS PORT QPN QKEY";

    /** What was posted, by its id. */
    private record Operation(String what, String queuePair, MemoryRegion memory, int length) {}

    private final String address;
    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final DatagramQueuePair ud;
    private final Map<String, AddressHandle> handles = new HashMap<>();
    private final Map<Long, Operation> operations = new HashMap<>();
    private final AtomicInteger counted = new AtomicInteger();
    private DatagramQueuePair rd;
    private ServiceListener rdService;
    private long lastId;

    private Peer(String address, Map<String, String> settings) {
        this.address = address;
        context = RdmaProvider.load().device("jwarp0").open(settings);
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(4096);
        region = domain.allocate(
                LENGTH,
                AccessFlag.LOCAL_WRITE,
                AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_WRITE,
                AccessFlag.RECORD,
                AccessFlag.GROUP);
        ud = create(QueuePairType.UD, 0);
        rd = create(QueuePairType.RD, ud.localAddress().getPort());
        InetSocketAddress local = ud.localAddress();
        context.listenService(local, SERVICE_UD, ud);
        rdService = context.listenService(local, SERVICE_RD, rd);
        context.listenService(local, SERVICE_HANDLER, (source, types, octets) -> answer(octets));
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = new HashMap<>();
        settings.put("jwarp.udp.trust", "");
        settings.put("jwarp.udp.multicast-loop", "on");
        for (int i = 1; i < arguments.length; i++) {
            String[] setting = arguments[i].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        new Peer(arguments[0], settings).run();
    }

    private void run() {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(lines));
        reader.setDaemon(true);
        reader.start();
        print("ready port=%d ud=%d udkey=%d rd=%d rdkey=%d stag=%d base=%s len=%d",
                ud.localAddress().getPort(), ud.number(), key(ud), rd.number(), key(rd), region.rkey() & 0xffff_ffffL,
                Long.toUnsignedString(region.address()), LENGTH);
        WorkCompletion[] done = WorkCompletion.array(64);
        while (true) {
            String line = lines.poll();
            if ("quit".equals(line)) {
                context.close();
                return;
            }
            if (line != null) {
                try {
                    print("ok%s", command(line.split(" ")));
                } catch (RuntimeException | IOException e) {
                    print("error %s", e.toString().replace('\n', ' '));
                }
            }
            int count = completions.await(done, Duration.ofMillis(1));
            for (int i = 0; i < count; i++) {
                tell(done[i]);
                done[i].release();
            }
            for (AsyncEvent e = context.pollAsyncEvent(); e != null; e = context.pollAsyncEvent()) {
                tell(e);
            }
        }
    }

    private static void read(BlockingQueue<String> lines) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            in.lines().forEach(lines::add);
        } catch (IOException e) {
            print("error %s", e);
        }
        lines.add("quit");
    }

    /** One command; what the answer says behind "ok". */
    private String command(String[] w) throws IOException {
        switch (w[0]) {
            case "peer" -> {
                AddressHandle handle = queuePair(w[2])
                        .createAddressHandle(
                                new InetSocketAddress(w[3], Integer.parseInt(w[4])),
                                Integer.parseInt(w[5]),
                                Integer.parseUnsignedInt(w[6]));
                handles.put(w[1], handle);
            }
            case "recv" -> receive(w[1], Integer.parseInt(w[2]));
            case "send", "sendse" -> {
                SendWorkRequest request = new SendWorkRequest().send().solicited(w[0].equals("sendse"));
                post("send", w[1], request, pattern(Integer.parseInt(w[2]), Integer.parseInt(w[3])));
            }
            case "write", "record" -> {
                int stag = Integer.parseUnsignedInt(w[2]);
                long to = Long.parseUnsignedLong(w[3]);
                SendWorkRequest request = new SendWorkRequest();
                post(
                        w[0],
                        w[1],
                        w[0].equals("write") ? request.rdmaWrite(to, stag) : request.writeRecord(to, stag),
                        pattern(Integer.parseInt(w[4]), Integer.parseInt(w[5])));
            }
            case "read" -> {
                SendWorkRequest request = new SendWorkRequest()
                        .rdmaRead(Long.parseUnsignedLong(w[3]), Integer.parseUnsignedInt(w[2]))
                        .timeout(Duration.ofMillis(Long.parseLong(w[5])));
                post("read", w[1], request, new byte[Integer.parseInt(w[4])]);
            }
            case "fill" -> region.buffer().put(Integer.parseInt(w[1]), pattern(Integer.parseInt(w[2]), Integer.parseInt(w[3])));
            case "crc" -> {
                return " crc=" + crc(region, Integer.parseInt(w[1]), Integer.parseInt(w[2]));
            }
            case "resolve" -> resolve(w);
            case "join" -> handles.put(
                    w[1],
                    ud.joinGroup(
                            new InetSocketAddress(w[2], Integer.parseInt(w[3])),
                            NetworkInterface.getByInetAddress(ud.localAddress().getAddress()),
                            Integer.parseUnsignedInt(w[4])));
            case "renew" -> {
                rdService.close();
                handles.values().removeIf(handle -> {
                    boolean old = handle.queuePair() == rd;
                    if (old) {
                        handle.close();
                    }
                    return old;
                });
                rd.close();
                rd = create(QueuePairType.RD, ud.localAddress().getPort());
                rdService = context.listenService(ud.localAddress(), SERVICE_RD, rd);
                return " rd=" + rd.number() + " rdkey=" + key(rd);
            }
            default -> throw new IllegalArgumentException("no such command: " + w[0]);
        }
        return "";
    }

    private DatagramQueuePair create(QueuePairType type, int port) {
        QueuePairAttributes attributes = QueuePairAttributes.builder(completions)
                .maxSendWorkRequests(256)
                .maxReceiveWorkRequests(256)
                .build();
        DatagramAttributes datagrams = DatagramAttributes.builder(new InetSocketAddress(address, port))
                .byDefault(type == QueuePairType.UD)
                .pathMtu(1500) // as on other paths than the loopback
                .timeouts(DatagramTimeouts.DEFAULT.withIdle(Duration.ofMillis(300))) // test machines are busy
                .build();
        return domain.createDatagramQueuePair(type, attributes, datagrams);
    }

    private DatagramQueuePair queuePair(String name) {
        return name.equals("ud") ? ud : rd;
    }

    private String nameOf(DatagramQueuePair queuePair) {
        return queuePair == ud ? "ud" : "rd";
    }

    private static long key(DatagramQueuePair queuePair) {
        return queuePair.key() & 0xffff_ffffL;
    }

    private void receive(String queuePair, int length) {
        MemoryRegion memory = domain.allocate(Math.max(1, length), AccessFlag.LOCAL_WRITE);
        ReceiveWorkRequest request = new ReceiveWorkRequest().id(++lastId);
        if (length > 0) {
            request.add(memory);
        }
        operations.put(lastId, new Operation("recv", queuePair, memory, length));
        queuePair(queuePair).postReceive(request);
    }

    private void post(String what, String to, SendWorkRequest request, byte[] octets) {
        AddressHandle handle = handles.get(to);
        if (handle == null) {
            throw new IllegalArgumentException("first: " + HANDLE_NAMES);
        }
        MemoryRegion memory = domain.allocate(Math.max(1, octets.length), AccessFlag.LOCAL_WRITE);
        memory.buffer().put(0, octets);
        if (octets.length > 0) {
            request.add(memory);
        }
        request.id(++lastId).destination(handle);
        operations.put(lastId, new Operation(what, nameOf(handle.queuePair()), memory, octets.length));
        handle.queuePair().postSend(request);
    }

    private void resolve(String[] w) {
        QueuePairType[] types =
                switch (w[4]) {
                    case "1" -> new QueuePairType[] {QueuePairType.UD};
                    case "2" -> new QueuePairType[] {QueuePairType.RD};
                    default -> new QueuePairType[] {QueuePairType.UD, QueuePairType.RD};
                };
        ResolveParameters parameters = ResolveParameters.DEFAULT
                .withTypes(types)
                .withPrivateData(HexFormat.of().parseHex(w[5].substring(1)));
        try {
            ResolvedService found = context.resolve(
                    new InetSocketAddress(w[1], Integer.parseInt(w[2])), Long.parseLong(w[3]), parameters);
            print("* resolved status=0 type=%d port=%d qpn=%d qkey=%d longest=%d read=%d private=x%s",
                    found.type() == QueuePairType.UD ? 1 : 2, found.address().getPort(), found.queuePairNumber(),
                    found.key() & 0xffff_ffffL, found.maxMessage(), found.maxRead(),
                    HexFormat.of().formatHex(found.privateData()));
        } catch (RdmaException e) {
            print("* resolved status=%s", status(e.code()));
        }
    }

    private static String status(RdmaErrorCode code) {
        return switch (code) {
            case NOT_FOUND -> "1";
            case REJECTED -> "2";
            case NO_AGREEMENT -> "3";
            case RESOURCE_BUSY -> "4";
            case PROTOCOL_MISMATCH -> "5";
            default -> code.name();
        };
    }

    private ServiceHandler.Answer answer(byte[] octets) {
        String asked = new String(octets, StandardCharsets.US_ASCII);
        if (asked.equals("no")) {
            return new ServiceHandler.Answer(null, octets);
        }
        if (asked.equals("count")) {
            return new ServiceHandler.Answer(ud, new byte[] {(byte) counted.incrementAndGet()});
        }
        byte[] backwards = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            backwards[i] = octets[octets.length - 1 - i];
        }
        return new ServiceHandler.Answer(ud, backwards);
    }

    private void tell(WorkCompletion c) {
        String from = !c.hasSource() ? "" : " port=" + c.sourcePort() + " src=" + c.sourceQueuePairNumber();
        if (c.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
            ValidityMap map = c.validity();
            print("* record qp=%s status=%s stag=%d to=%s len=%d placed=%d map=%s%s",
                    c.queuePairNumber() == ud.number() ? "ud" : "rd", c.status(), c.localKey() & 0xffff_ffffL,
                    Long.toUnsignedString(c.localAddress()), c.messageLength(), c.byteLength(), ranges(map, c.messageLength()),
                    from);
            return;
        }
        Operation operation = operations.remove(c.id());
        if (operation.what().equals("recv")) {
            print("* recv qp=%s status=%s len=%d crc=%s%s",
                    operation.queuePair(), c.status(), c.byteLength(), crc(operation.memory(), 0, c.byteLength()), from);
        } else {
            String read = operation.what().equals("read")
                    ? " map=" + ranges(c.validity(), c.succeeded() ? operation.length() : 0) + " crc=" + crc(operation.memory(), 0, operation.length())
                    : "";
            print("* done qp=%s op=%s status=%s%s", operation.queuePair(), operation.what(), c.status(), read);
        }
        operation.memory().close();
    }

    private void tell(AsyncEvent event) {
        String queuePair = event.element() == rd ? "rd" : "ud";
        if (event.type() == AsyncEventType.PEER_NOTICE && event.notice() != null) {
            int control = event.notice().control();
            print("* notify qp=%s code=%d/%d/%02x",
                    queuePair, control >> 12 & 15, control >> 8 & 15, control & 0xff);
        } else {
            print("* %s qp=%s sentence=%s",
                    event.type() == AsyncEventType.VERSION_LIST ? "versions" : event.type(), queuePair,
                    event.sentence().replace(' ', '_').replace('\n', '_'));
        }
    }

    /** Without a map all of it is valid. */
    private static String ranges(ValidityMap map, long length) {
        StringBuilder all = new StringBuilder();
        if (map == null) {
            all.append(length == 0 ? "" : ",0-" + length);
        } else {
            map.forEachRange((offset, octets) -> all.append(',').append(offset).append('-').append(offset + octets));
        }
        return all.isEmpty() ? "-" : all.substring(1);
    }

    private static byte[] pattern(int length, int seed) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) (seed + 7 * i + (i >> 8));
        }
        return octets;
    }

    private static String crc(MemoryRegion memory, int offset, int length) {
        ByteBuffer octets = memory.buffer().duplicate();
        octets.limit(offset + length).position(offset);
        CRC32 crc = new CRC32();
        crc.update(octets);
        return String.format("%08x", crc.getValue());
    }

    private static synchronized void print(String format, Object... values) {
        System.out.printf(format + "%n", values);
        System.out.flush();
    }
}
