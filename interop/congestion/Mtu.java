import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A slow flow over a path whose MTU is to be found out; it tells five times a second how far it is, and what it takes the MTU for.
 *
 * <pre>
 * serve ADDRESS PROGRESS [KEY=VALUE...]               says "ready SERVER"; ends when standard input does
 * KIND ADDRESS PROGRESS HOST SERVER [KEY=VALUE...]    KIND is rd-write, rd-read, ud-write or ud-read
 * </pre>
 *
 * Lines "at done=BYTES failed=REQUESTS mtu=BYTES": of writes what the peer's transport has acknowledged (RD) or what has left (UD).
 */
public final class Mtu {
    private static final int SIZE = 20_000;
    private static final int DEPTH = 8;
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final long TELL_NANOS = 200_000_000;

    private Mtu() {}

    public static void main(String[] words) throws Exception {
        boolean serves = words[0].equals("serve");
        Map<String, String> settings = new HashMap<>();
        for (int i = serves ? 3 : 5; i < words.length; i++) {
            settings.put(words[i].split("=", 2)[0], words[i].split("=", 2)[1]);
        }
        Context context = RdmaProvider.load().device("jwarp0").open(Progress.valueOf(words[2].toUpperCase(Locale.ROOT)), settings);
        ProtectionDomain domain = context.allocateProtectionDomain();
        CompletionQueue completions = context.createCompletionQueue(64);
        MemoryRegion memory =
                domain.allocate(SIZE, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD);
        if (serves) {
            StringBuilder told = new StringBuilder().append(memory.address()).append(',').append(memory.rkey());
            for (QueuePairType type : new QueuePairType[] {QueuePairType.RD, QueuePairType.UD}) {
                DatagramQueuePair pair = pair(domain, completions, type, words[1]);
                told.append(',').append(pair.localAddress().getPort()).append(',').append(pair.number()).append(',').append(pair.key());
            }
            System.out.println("ready " + told);
            WorkCompletion[] one = WorkCompletion.array(1);
            while (System.in.available() == 0) {
                if (completions.await(one, PAUSE) > 0) { // inline: this is what serves
                    one[0].release();
                }
            }
        } else {
            flow(words, domain, completions, memory);
        }
        System.exit(0);
    }

    private static DatagramQueuePair pair(ProtectionDomain domain, CompletionQueue completions, QueuePairType type, String address) {
        return domain.createDatagramQueuePair(
                type,
                QueuePairAttributes.builder(completions).maxSendWorkRequests(DEPTH).maxReceiveWorkRequests(1).build(),
                DatagramAttributes.builder(new InetSocketAddress(address, 0)).build());
    }

    private static void flow(String[] words, ProtectionDomain domain, CompletionQueue completions, MemoryRegion memory) {
        QueuePairType type = words[0].startsWith("rd") ? QueuePairType.RD : QueuePairType.UD;
        String[] server = words[4].split(",");
        int of = type == QueuePairType.RD ? 2 : 5;
        DatagramQueuePair pair = pair(domain, completions, type, words[1]);
        AddressHandle peer = pair.createAddressHandle(
                new InetSocketAddress(words[3], Integer.parseInt(server[of])), Integer.parseInt(server[of + 1]), Integer.parseInt(server[of + 2]));
        System.out.println("ready mtu=" + peer.pathMtu());
        long done = 0;
        long failed = 0;
        int free = DEPTH;
        SendWorkRequest request = new SendWorkRequest();
        WorkCompletion[] some = WorkCompletion.array(DEPTH);
        for (long tell = System.nanoTime(); ; ) {
            if (free > 0) {
                request.clear().destination(peer).add(memory, 0, SIZE);
                if (words[0].endsWith("read")) {
                    request.rdmaRead(Long.parseLong(server[0]), Integer.parseInt(server[1]));
                } else if (type == QueuePairType.UD) {
                    request.writeRecord(Long.parseLong(server[0]), Integer.parseInt(server[1]));
                } else {
                    request.rdmaWrite(Long.parseLong(server[0]), Integer.parseInt(server[1]));
                }
                pair.postSend(request);
                free--;
            }
            long until = System.nanoTime() + PAUSE.toNanos();
            for (Duration left = PAUSE; left.toNanos() > 0; left = Duration.ofNanos(until - System.nanoTime())) {
                int count = completions.await(some, left);
                free += count;
                for (int i = 0; i < count; i++) {
                    if (some[i].succeeded()) {
                        done += SIZE;
                    } else if (failed++ == 0) {
                        System.out.println("failed " + some[i].describe());
                    }
                    some[i].release();
                }
            }
            if (System.nanoTime() - tell >= 0) {
                System.out.println("at done=" + done + " failed=" + failed + " mtu=" + peer.pathMtu());
                tell += TELL_NANOS;
            }
        }
    }
}
