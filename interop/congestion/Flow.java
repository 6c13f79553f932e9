import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A flow of jwarp: who is written to or read from, and who streams messages without a pause and tells each 50 ms how many bytes are done.
 *
 * <pre>
 * serve ADDRESS PROGRESS [KEY=VALUE...]             says "ready ..."; ends when standard input does
 * KIND ADDRESS PROGRESS HOST SIZE DEPTH SERVER [KEY=VALUE...]
 * </pre>
 *
 * KIND is rd-write, ud-write, rd-read or ud-read; SERVER is what the other end said, in one word. A line of standard input begins the flow
 * and says for how many seconds, and with a second word that window, pace and round trip are told, too. Lines "at NANOS BYTES" are for one who
 * counts: of Write-Records the server, of all else the client.
 */
public final class Flow {
    private static final int SLOT = 1 << 16;
    private static final long STEP_MILLIS = 50;
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration OPENING = Duration.ofSeconds(20);
    /** What a row of {@code jwarp stat} may tell of a congestion control: bytes, bytes a second, nanoseconds. What is not there is not told. */
    private static final String[] TOLD = {"cwnd", "rate", "srtt"};

    /** So often in vain, then it is not asked again. */
    private static final int LOOKS = 40;

    private static volatile long done;
    private static volatile boolean over;

    private Flow() {}

    public static void main(String[] words) throws Exception {
        boolean serves = words[0].equals("serve");
        int fixed = serves ? 3 : 7;
        Map<String, String> settings = new HashMap<>();
        for (int i = fixed; i < words.length; i++) {
            settings.put(words[i].split("=", 2)[0], words[i].split("=", 2)[1]);
        }
        Context context = RdmaProvider.load()
                .device("jwarp0")
                .open(Progress.valueOf(words[2].toUpperCase(Locale.ROOT)), settings);
        ProtectionDomain domain = context.allocateProtectionDomain();
        if (serves) {
            serve(domain, context, words[1]);
        } else {
            stream(domain, context, words);
        }
        System.exit(0);
    }

    private static DatagramQueuePair pair(ProtectionDomain domain, CompletionQueue completions, QueuePairType type, String address, int depth) {
        return domain.createDatagramQueuePair(
                type,
                QueuePairAttributes.builder(completions).maxSendWorkRequests(depth).maxReceiveWorkRequests(1).build(),
                DatagramAttributes.builder(new InetSocketAddress(address, 0)).pathMtu(1500).build());
    }

    // ---- one who is written to, or read from

    private static void serve(ProtectionDomain domain, Context context, String address) throws Exception {
        CompletionQueue completions = context.createCompletionQueue(1 << 12);
        MemoryRegion memory = domain.allocate(
                SLOT, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD);
        StringBuilder told = new StringBuilder().append(memory.address()).append(',').append(memory.rkey());
        for (QueuePairType type : new QueuePairType[] {QueuePairType.RD, QueuePairType.UD}) {
            DatagramQueuePair pair = pair(domain, completions, type, address, 16);
            told.append(',').append(pair.localAddress().getPort()).append(',').append(pair.number()).append(',').append(pair.key());
        }
        System.out.println("ready " + told);
        daemon(() -> {
            while (System.in.read() >= 0) {
                // until the one who started it ends it
            }
            over = true;
        });
        daemon(() -> tell(false));
        WorkCompletion[] some = WorkCompletion.array(64);
        while (!over) {
            int count = completions.await(some, PAUSE);
            for (int i = 0; i < count; i++) {
                if (some[i].opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
                    done = done + some[i].byteLength();
                }
                some[i].release();
            }
        }
    }

    // ---- one who streams

    private static void stream(ProtectionDomain domain, Context context, String[] words) throws Exception {
        QueuePairType type = words[0].startsWith("rd") ? QueuePairType.RD : QueuePairType.UD;
        boolean reads = words[0].endsWith("read");
        int size = Integer.parseInt(words[4]);
        int depth = Integer.parseInt(words[5]);
        String[] server = words[6].split(",");
        int of = type == QueuePairType.RD ? 2 : 5;
        CompletionQueue completions = context.createCompletionQueue(depth);
        MemoryRegion memory = domain.allocate(SLOT, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        DatagramQueuePair pair = pair(domain, completions, type, words[1], depth);
        AddressHandle peer = pair.createAddressHandle(
                new InetSocketAddress(words[3], Integer.parseInt(server[of])), Integer.parseInt(server[of + 1]), Integer.parseInt(server[of + 2]));
        SendWorkRequest request = new SendWorkRequest();
        WorkCompletion[] some = WorkCompletion.array(64);
        if (type == QueuePairType.RD) {
            // A channel is opened by its first message, a connection of TCP before: both are there when the flows begin.
            pair.postSend(request.clear().destination(peer).add(memory, 0, 1).rdmaWrite(Long.parseLong(server[0]), Integer.parseInt(server[1])));
            if (completions.await(some, OPENING) != 1 || !some[0].succeeded()) {
                throw new IllegalStateException("no channel could be opened: " + some[0]);
            }
        }
        System.out.println("ready port=" + pair.localAddress().getPort());
        String[] go = new BufferedReader(new InputStreamReader(System.in)).readLine().split(" ");
        long end = System.nanoTime() + (long) (Double.parseDouble(go[0]) * 1e9);
        boolean counts = reads || type == QueuePairType.RD;
        if (counts) {
            daemon(() -> tell(go.length > 1));
        }
        int free = depth;
        long failed = 0;
        while (System.nanoTime() < end) {
            for (; free > 0; free--) {
                request.clear().destination(peer).add(memory, 0, size);
                if (reads) {
                    request.rdmaRead(Long.parseLong(server[0]), Integer.parseInt(server[1]));
                } else if (type == QueuePairType.RD) {
                    request.rdmaWrite(Long.parseLong(server[0]), Integer.parseInt(server[1]));
                } else {
                    request.writeRecord(Long.parseLong(server[0]), Integer.parseInt(server[1]));
                }
                pair.postSend(request);
            }
            int count = completions.await(some, PAUSE);
            for (int i = 0; i < count; i++) {
                free++;
                if (some[i].succeeded()) {
                    done = done + size;
                } else if (failed++ == 0) {
                    System.out.println("failed " + some[i].describe());
                    if (type == QueuePairType.RD) {
                        return;
                    }
                }
                some[i].release();
            }
        }
        System.out.println("ended failed=" + failed);
    }

    // ---- what it tells

    private interface Work {
        void run() throws Exception;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                System.out.println("failed " + e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void tell(boolean all) throws InterruptedException {
        int looks = all ? LOOKS : 0;
        for (long due = System.nanoTime(); ; due += STEP_MILLIS * 1_000_000) {
            String control = looks > 0 ? control() : "";
            looks = control.isEmpty() ? looks - 1 : LOOKS;
            System.out.println("at " + System.nanoTime() + " " + done + control);
            Thread.sleep(Math.max(1, (due - System.nanoTime()) / 1_000_000 + STEP_MILLIS));
        }
    }

    /** {@return window, pace and round trip, if this process shows them} */
    private static String control() {
        for (ObservedRow row : RdmaProvider.load().observe(ProcessHandle.current().pid()).rows()) {
            if (row.fields().containsKey(TOLD[0])) {
                StringBuilder text = new StringBuilder();
                for (String name : TOLD) {
                    if (row.fields().containsKey(name)) {
                        text.append(' ').append(name).append('=').append(row.text(name));
                    }
                }
                return text.toString();
            }
        }
        return "";
    }
}
