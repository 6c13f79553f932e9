package dev.jwarp.tools.udping;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Outgoing;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Pings one server, one ping at a time. One thread. */
final class UdpingClient implements AutoCloseable {
    private static final int SENDS = 16;
    private static final int RECEIVES = 16;
    private static final long SIGN_OF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Console console;
    private final UdpingSettings settings;
    private final InetSocketAddress server;
    private final Consumer<String> voice;
    private final Invitation invitation;
    private final DatagramLink link;
    private final AddressHandle peer;
    private final Outgoing out;
    private final MemoryRegion in;
    private final UdpingStatistics statistics;
    private final SendWorkRequest request = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private long lastSign;

    /** What became of a ping. */
    private enum Fate {
        WHOLE,
        PARTIAL,
        DIFFERENT,
        LOST
    }

    /**
     * Finds the server.
     *
     * @param local where to ping from; null for the system's choice
     * @param voice told of each ping, if that is wanted
     */
    UdpingClient(
            Context context,
            Console console,
            InetSocketAddress server,
            @Nullable InetSocketAddress local,
            UdpingSettings settings,
            Consumer<String> voice) {
        this.console = console;
        this.settings = settings;
        this.server = server;
        this.voice = voice;
        statistics = new UdpingStatistics(console.nanoTime());
        ResolvedService found =
                context.resolve(server, Invitation.SERVICE, ResolveParameters.DEFAULT.withTimeout(settings.limit()));
        invitation = invitation(found);
        link = new DatagramLink(
                context,
                console,
                new Link.Depths(SENDS, RECEIVES),
                RECEIVES,
                DatagramAttributes.builder(local == null ? localFor(server) : local)
                        .key(found.key())
                        .reportIncomplete(true)
                        .build());
        peer = link.queuePair().createAddressHandle(found);
        out = new Outgoing(link::allocate, SENDS, settings.size());
        in = link.allocate(RECEIVES * settings.size(), AccessFlag.LOCAL_WRITE);
        for (int slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
        lastSign = console.nanoTime().getAsLong();
    }

    /** A server invites an address. That of a question to this host itself is the one asked, which need not be the system's choice for pings. */
    private static InetSocketAddress localFor(InetSocketAddress server) {
        InetAddress there = server.getAddress();
        return there.isLoopbackAddress() ? new InetSocketAddress(there, 0) : new InetSocketAddress(0);
    }

    private static Invitation invitation(ResolvedService found) {
        try {
            return Invitation.of(found.privateData());
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(
                    ExitStatus.MISMATCH,
                    Addresses.text(found.address()) + " knows the service of udping and means something else by it: "
                            + e.getMessage());
        }
    }

    private void postReceive(long slot) {
        link.queuePair().postReceive(receive.clear().id(slot).add(in, slot * settings.size(), settings.size()));
    }

    /** Pings as often as it is to. */
    void run() {
        for (long ping = 1; settings.count() == 0 || ping <= settings.count(); ping++) {
            console.endIfAsked();
            long start = console.nanoTime().getAsLong();
            statistics.ping();
            post(ping);
            Fate fate = await(ping, start);
            if (settings.verbose()) {
                tell(ping, fate, console.nanoTime().getAsLong() - start);
            }
            signOfLife();
            boolean last = ping == settings.count();
            long rest = settings.interval().toNanos() - (console.nanoTime().getAsLong() - start);
            if (!last && rest > 0) {
                idle(Duration.ofNanos(rest));
            }
        }
    }

    private void post(long ping) {
        request.clear().id(ping).destination(peer);
        int offset = invitation.offset(ping);
        switch (settings.kind()) {
            case SEND -> add(ping, request.send());
            case WRITE -> add(ping, request.writeRecord(invitation.writeAddress() + offset, invitation.writeKey()));
            case READ ->
                request.rdmaRead(invitation.readAddress() + offset, invitation.readKey())
                        .timeout(settings.patience())
                        .add(in, 0, settings.size());
        }
        link.queuePair().postSend(request.signaled(settings.kind() == PingKind.READ));
        out.posted();
    }

    /** A ping that was given up for lost may still wait to be sent. */
    private void add(long ping, SendWorkRequest request) {
        PingData.write(ping, out.memory().buffer(), out.offset(), settings.size());
        request.add(out.memory(), out.offset(), settings.size());
    }

    /** Waits until the ping has come back, or its time is over. */
    private Fate await(long ping, long start) {
        // A Read ends by itself; the stack knows its time.
        long patience = settings.patience().toNanos() * (settings.kind() == PingKind.READ ? 10 : 1);
        while (true) {
            long left = start + patience - console.nanoTime().getAsLong();
            WorkCompletion completion = link.next(Duration.ofNanos(Math.max(0, left)));
            Fate fate = completion == null ? Fate.LOST : fate(ping, completion);
            if (fate != null) {
                count(fate, console.nanoTime().getAsLong() - start);
                return fate;
            }
        }
    }

    private void count(Fate fate, long nanos) {
        switch (fate) {
            case WHOLE -> statistics.whole(nanos);
            case PARTIAL -> statistics.partial();
            case DIFFERENT -> statistics.different();
            case LOST -> statistics.lost();
        }
    }

    /** {@return what became of the ping, if this tells of it; else null} */
    private @Nullable Fate fate(long ping, WorkCompletion completion) {
        if (completion.opcode() == WorkCompletionOpcode.RDMA_READ) {
            return fateOfRead(ping, completion);
        }
        if (completion.opcode() != WorkCompletionOpcode.RECV) {
            if (!completion.succeeded()) {
                throw ToolFailure.failed(completion.describe());
            }
            return null;
        }
        Fate fate = settings.kind() == PingKind.SEND ? fateOfSend(ping, completion) : fateOfWrite(ping, completion);
        postReceive(completion.id());
        return fate;
    }

    private @Nullable Fate fateOfRead(long ping, WorkCompletion completion) {
        if (completion.id() != ping) {
            return null;
        }
        if (completion.succeeded()) {
            long slot = ping % invitation.slots();
            return PingData.is(slot, in.buffer(), 0, settings.size()) ? Fate.WHOLE : Fate.DIFFERENT;
        }
        return switch (completion.status()) {
            case PARTIAL -> Fate.PARTIAL;
            case RESP_TIMEOUT_ERR -> Fate.LOST;
            default -> throw ToolFailure.failed(completion.describe());
        };
    }

    private @Nullable Fate fateOfSend(long ping, WorkCompletion completion) {
        int at = (int) completion.id() * settings.size();
        ValidityMap validity = completion.validity();
        boolean numbered = validity == null || validity.contains(0, Long.BYTES);
        if (numbered && PingData.number(in.buffer(), at) != ping) {
            return null;
        }
        if (completion.status() == WorkCompletionStatus.INCOMPLETE) {
            return Fate.PARTIAL;
        }
        boolean same =
                completion.byteLength() == settings.size() && PingData.is(ping, in.buffer(), at, settings.size());
        return same ? Fate.WHOLE : Fate.DIFFERENT;
    }

    private @Nullable Fate fateOfWrite(long ping, WorkCompletion completion) {
        int at = (int) completion.id() * settings.size();
        if (completion.byteLength() != Answer.LENGTH
                || Answer.address(in.buffer(), at) != invitation.writeAddress() + invitation.offset(ping)) {
            return null;
        }
        return Answer.validBytes(in.buffer(), at) == settings.size() ? Fate.WHOLE : Fate.PARTIAL;
    }

    /** Lets time pass; answers that are late are taken. */
    private void idle(Duration rest) {
        long end = console.nanoTime().getAsLong() + rest.toNanos();
        for (long left = rest.toNanos();
                left > 0;
                left = end - console.nanoTime().getAsLong()) {
            WorkCompletion late = link.next(Duration.ofNanos(left));
            if (late != null && late.opcode() == WorkCompletionOpcode.RECV) {
                postReceive(late.id());
            }
        }
    }

    private void tell(long ping, Fate fate, long nanos) {
        String what =
                switch (fate) {
                    case WHOLE -> "whole, " + Quantities.duration(nanos);
                    case PARTIAL -> "partial";
                    case DIFFERENT -> "different from what was sent";
                    case LOST -> "lost";
                };
        voice.accept("ping " + ping + ": " + settings.size() + " bytes by " + settings.kind() + ", " + what);
    }

    private void signOfLife() {
        long now = console.nanoTime().getAsLong();
        if (!settings.quiet() && now - lastSign >= SIGN_OF_LIFE_NANOS) {
            lastSign = now;
            console.note(statistics.sentSoFar() + " pings");
        }
    }

    UdpingStatistics statistics() {
        return statistics;
    }

    UdpingStatistics.Summary summary() {
        return statistics.summary(Addresses.text(server), settings);
    }

    @Override
    public void close() {
        link.close();
    }
}
