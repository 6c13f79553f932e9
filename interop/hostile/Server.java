import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The attacked server, which good clients use meanwhile: memory that any peer may read and write, over connections, UD and RD. It
 * accepts every peer. Ends with its standard input.
 */
public final class Server {
    private static final int MEMORY = 1 << 20;
    private static final int RECEIVES = 1024;
    private static final long UD_SERVICE = 0x1122334455667788L;

    private Server() {}

    /** Arguments: inline or threaded, then settings as KEY=VALUE. */
    public static void main(String[] arguments) throws Exception {
        Progress progress = Progress.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        Map<String, String> settings = new HashMap<>();
        for (int i = 1; i < arguments.length; i++) {
            String[] setting = arguments[i].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        String tcp = connections(progress, settings);
        String udp = datagrams(progress, settings);
        System.out.println("ready pid=" + ProcessHandle.current().pid() + " " + tcp + " " + udp);
        while (System.in.read() >= 0) {
            // until the starting process has ended
        }
        System.exit(0);
    }

    private static Map<String, String> of(Map<String, String> settings, boolean datagrams) {
        Map<String, String> some = new HashMap<>(settings);
        some.keySet().removeIf(key -> (key.startsWith("jwarp.udp") || key.startsWith("jwarp.rd") || key.startsWith("jwarp.datagram")) != datagrams);
        return some;
    }

    private static String connections(Progress progress, Map<String, String> settings) {
        Context context = RdmaProvider.load().device("jwarp0").open(progress, of(settings, false));
        ProtectionDomain domain = context.allocateProtectionDomain();
        MemoryRegion memory =
                domain.allocate(MEMORY, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        CompletionQueue completions = context.createCompletionQueue(1 << 16);
        CmEventChannel events = context.createEventChannel();
        CmId listener = context.createId(events);
        listener.bind(new InetSocketAddress("127.0.0.1", 0));
        listener.listen(1024);
        byte[] told = ByteBuffer.allocate(12).putLong(memory.address()).putInt(memory.rkey()).array();
        start(context, "tcp", () -> {
            Map<CmId, QueuePair> pairs = new HashMap<>();
            WorkCompletion[] done = WorkCompletion.array(64);
            while (true) {
                CmEvent event = events.await(Duration.ofMillis(20));
                try {
                    take(event, pairs, domain, completions, told);
                } catch (RuntimeException e) {
                    // Of an attacker, who has gone or asks for too much: everybody else is served.
                }
                while (completions.poll(done) > 0) {
                    // flushed receives of closed connections
                }
            }
        });
        return "tcp=" + listener.localAddress().getPort();
    }

    private static void take(
            CmEvent event, Map<CmId, QueuePair> pairs, ProtectionDomain domain, CompletionQueue completions, byte[] told) {
        if (event == null) {
            return;
        }
        CmId id = event.id();
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            try {
                QueuePair pair = id.createQueuePair(
                        domain,
                        QueuePairAttributes.builder(completions)
                                .maxSendWorkRequests(4)
                                .maxReceiveWorkRequests(4)
                                .build());
                pairs.put(id, pair);
                id.accept(ConnectionParameters.DEFAULT.withPrivateData(told));
            } catch (RuntimeException e) {
                end(pairs.remove(id), id);
            }
        } else if (event.type() == CmEventType.DISCONNECTED || event.type() == CmEventType.CONNECT_ERROR) {
            end(pairs.remove(id), id);
        }
    }

    private static void end(QueuePair pair, CmId id) {
        if (pair != null) {
            id.close();
            pair.close();
        } else {
            id.close();
        }
    }

    private static String datagrams(Progress progress, Map<String, String> settings) {
        Map<String, String> all = of(settings, true);
        Context context = RdmaProvider.load().device("jwarp0").open(progress, all);
        ProtectionDomain domain = context.allocateProtectionDomain();
        MemoryRegion memory = domain.allocate(
                MEMORY, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD);
        MemoryRegion receives = domain.allocate(4096, AccessFlag.LOCAL_WRITE);
        CompletionQueue completions = context.createCompletionQueue(8 * RECEIVES);
        DatagramQueuePair ud = pair(domain, completions, QueuePairType.UD, 0);
        DatagramQueuePair rd = pair(domain, completions, QueuePairType.RD, ud.localAddress().getPort());
        context.listenService(ud.localAddress(), UD_SERVICE, ud);
        for (int i = 0; i < RECEIVES; i++) {
            ud.postReceive(new ReceiveWorkRequest().id(0).add(receives, 0, 4096));
            rd.postReceive(new ReceiveWorkRequest().id(1).add(receives, 0, 4096));
        }
        start(context, "udp", () -> {
            WorkCompletion[] done = WorkCompletion.array(64);
            while (true) {
                int count = completions.await(done, Duration.ofMillis(20));
                for (int i = 0; i < count; i++) {
                    if (done[i].opcode() == WorkCompletionOpcode.RECV) {
                        (done[i].id() == 0 ? ud : rd).postReceive(new ReceiveWorkRequest().id(done[i].id()).add(receives, 0, 4096));
                    }
                    done[i].release();
                }
            }
        });
        return String.format(
                "udp=%d ud=%d udkey=%d rd=%d rdkey=%d base=%s stag=%d",
                ud.localAddress().getPort(), ud.number(), ud.key() & 0xffff_ffffL, rd.number(), rd.key() & 0xffff_ffffL,
                Long.toUnsignedString(memory.address()), memory.rkey() & 0xffff_ffffL);
    }

    private static DatagramQueuePair pair(ProtectionDomain domain, CompletionQueue completions, QueuePairType type, int port) {
        return domain.createDatagramQueuePair(
                type,
                QueuePairAttributes.builder(completions).maxSendWorkRequests(64).maxReceiveWorkRequests(RECEIVES).build(),
                DatagramAttributes.builder(new InetSocketAddress("127.0.0.1", port)).pathMtu(1500).build());
    }

    private static void start(Context context, String name, Runnable work) {
        Thread thread = new Thread(() -> {
            while (true) {
                try {
                    work.run();
                } catch (RuntimeException e) {
                    System.err.println(name + ": " + e);
                }
                while (context.pollAsyncEvent() != null) {
                    // a program reads them
                }
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}
