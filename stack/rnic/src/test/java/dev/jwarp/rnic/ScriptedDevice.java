package dev.jwarp.rnic;

import dev.jwarp.rnic.ScriptLine.Names;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The device under test of a packet script: the lines that begin with {@code A.} */
final class ScriptedDevice implements Names {
    private static final int BOX = 1 << 16;

    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    final CmEventChannel events;
    private final Map<String, MemoryRegion> regions = new HashMap<>();
    private final Map<String, MemoryWindow> windows = new HashMap<>();
    private final Map<Long, Integer> receiveAt = new HashMap<>();
    private int inboxUsed;
    private int outboxUsed;
    private @Nullable CmId id;
    private @Nullable QueuePair queuePair;

    ScriptedDevice(Context context) {
        this.context = context;
        domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(256);
        events = context.createEventChannel();
        regions.put("inbox", domain.allocate(BOX, AccessFlag.LOCAL_WRITE));
        regions.put("outbox", domain.allocate(BOX));
    }

    Context context() {
        return context;
    }

    CmId id() {
        return Objects.requireNonNull(id, "no connection id yet");
    }

    private QueuePair queuePair() {
        return Objects.requireNonNull(queuePair, "no queue pair yet");
    }

    private MemoryRegion region(String name) {
        return Objects.requireNonNull(regions.get(name), () -> "no region " + name);
    }

    void use(CmId given) {
        id = given;
        queuePair = given.createQueuePair(
                domain,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(16)
                        .maxReceiveWorkRequests(16)
                        .build());
    }

    @Override
    public @Nullable Long find(String name, String key) {
        boolean address = key.endsWith("to");
        MemoryRegion region = regions.get(name);
        if (region != null) {
            return address ? region.address() : region.rkey();
        }
        MemoryWindow window = windows.get(name);
        return window == null ? null : Long.valueOf(window.rkey());
    }

    // ---- calls

    void call(String what, ScriptLine line) {
        switch (what) {
            case "reg" -> {
                AccessFlag[] access = access(line);
                MemoryRegion region = domain.allocate((int) line.number("len", this), access);
                byte[] fill = ScriptLine.octets(line.value("data", "\"\""));
                region.buffer().put(0, fill);
                regions.put(line.word(1), region);
            }
            case "dereg" -> region(line.word(1)).close();
            case "set64" ->
                region(line.word(1))
                        .buffer()
                        .duplicate()
                        .order(ByteOrder.nativeOrder())
                        .putLong(0, line.number("value", this));
            case "post_recv" -> postReceive(line);
            case "post_send" -> queuePair().postSend(request(line));
            case "accept" -> id().accept(parameters(line));
            case "reject" -> id().reject(ScriptLine.octets(line.value("pd", "\"\"")));
            case "disconnect" -> id().disconnect();
            case "modify" -> queuePair().modify(QueuePairState.valueOf(line.word(1)));
            case "close" -> queuePair().close();
            default -> throw line.failure("A cannot " + what);
        }
    }

    static ConnectionParameters parameters(ScriptLine line) {
        Names none = (name, key) -> null;
        return ConnectionParameters.DEFAULT
                .withPrivateData(ScriptLine.octets(line.value("pd", "\"\"")))
                .withResponderResources((int) line.number("ird", -1, none))
                .withInitiatorDepth((int) line.number("ord", -1, none));
    }

    private static AccessFlag[] access(ScriptLine line) {
        List<AccessFlag> flags = new ArrayList<>();
        for (String name : line.value("access", "").split(",", -1)) {
            if (!name.isEmpty()) {
                flags.add(AccessFlag.valueOf(name.toUpperCase(Locale.ROOT)));
            }
        }
        return flags.toArray(new AccessFlag[0]);
    }

    private void postReceive(ScriptLine line) {
        int length = (int) line.number("len", this);
        long wr = line.number("wr", this);
        receiveAt.put(wr, inboxUsed);
        queuePair().postReceive(new ReceiveWorkRequest().id(wr).add(region("inbox"), inboxUsed, length));
        inboxUsed += length;
    }

    private SendWorkRequest request(ScriptLine line) {
        SendWorkRequest request = new SendWorkRequest()
                .id(line.number("wr", this))
                .signaled(!line.has("unsignaled"))
                .fence(line.has("fence"))
                .solicited(line.has("solicited"));
        switch (line.word(1)) {
            case "send" -> outgoing(request, line);
            case "send-inv" -> {
                request.sendWithInvalidate((int) line.number("inv", this));
                outgoing(request, line);
            }
            case "write" -> {
                request.rdmaWrite(line.number("to", this), (int) line.number("stag", this));
                outgoing(request, line);
            }
            case "write-imm" -> {
                request.rdmaWriteWithImmediate(
                        line.number("to", this), (int) line.number("stag", this), line.number("value", this));
                outgoing(request, line);
            }
            case "immediate" -> request.immediateData(line.number("value", this));
            case "read" -> {
                request.rdmaRead(line.number("to", this), (int) line.number("stag", this));
                request.add(region(line.value("into", "inbox")), 0, (int) line.number("len", this));
            }
            case "fetch-add" -> {
                request.fetchAndAdd(line.number("to", this), (int) line.number("stag", this), line.number("add", this));
                request.add(region(line.value("into", "inbox")), 0, 8);
            }
            case "local-inv" -> request.localInvalidate((int) line.number("stag", this));
            case "bind" -> {
                MemoryWindow window = windows.computeIfAbsent(line.word(2), name -> domain.allocateWindow());
                MemoryRegion region = region(line.word(3));
                request.bindWindow(
                        window,
                        region,
                        region.address() + line.number("offset", 0, this),
                        line.number("len", this),
                        access(line));
            }
            default -> throw line.failure("there is no work request " + line.word(1));
        }
        return request;
    }

    private void outgoing(SendWorkRequest request, ScriptLine line) {
        byte[] octets = line.octets(this);
        region("outbox").buffer().put(outboxUsed, octets);
        request.add(region("outbox"), outboxUsed, octets.length);
        outboxUsed += octets.length;
    }

    // ---- observable state

    @Nullable
    WorkCompletion completion() {
        WorkCompletion[] one = WorkCompletion.array(1);
        return completions.poll(one) == 1 ? one[0] : null;
    }

    byte[] received(WorkCompletion completion) {
        byte[] octets = new byte[completion.byteLength()];
        region("inbox").buffer().get(receiveAt.getOrDefault(completion.id(), 0), octets);
        return octets;
    }

    byte[] memory(String name, int offset, int length) {
        byte[] octets = new byte[length];
        region(name).buffer().get(offset, octets);
        return octets;
    }

    @Nullable
    CmEvent event() {
        return events.poll();
    }

    @Nullable
    AsyncEvent asyncEvent() {
        return context.pollAsyncEvent();
    }

    String states() {
        return queuePair().state() + " " + queuePair().streamState();
    }

    long counter(String name) {
        return context.counters().stream()
                .filter(counter -> counter.name().equals(name))
                .findFirst()
                .map(Counter::value)
                .orElse(-1L);
    }
}
