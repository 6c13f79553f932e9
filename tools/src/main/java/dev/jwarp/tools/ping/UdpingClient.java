package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Outgoing;
import dev.jwarp.tools.ping.PingReport.Pings;
import dev.jwarp.tools.ping.PingReport.Pings.Fate;
import dev.jwarp.tools.ping.UdpingServer.Answer;
import dev.jwarp.tools.ping.UdpingServer.Invitation;
import dev.jwarp.tools.ping.UdpingServer.PingData;
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
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The client of udping. One thread. */
final class UdpingClient extends PingClient<Pings> {
    private static final int SENDS = 16;
    private static final int RECEIVES = 16;

    private final InetSocketAddress server;
    private final PingKind kind;
    private final Invitation invitation;
    private final DatagramLink link;
    private final AddressHandle peer;
    private final Outgoing out;
    private final MemoryRegion in;
    private final SendWorkRequest request = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();

    /** The operation of a ping. */
    enum PingKind {
        /** A Send, answered by a Send with the same bytes. */
        SEND,
        /** A Write-Record, answered by a Send with the number of arrived bytes. */
        WRITE,
        /** A Read of the server's memory. */
        READ;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Finds the server.
     *
     * @param local the address to ping from; null for the system's choice
     */
    UdpingClient(
            Context context,
            InetSocketAddress server,
            @Nullable InetSocketAddress local,
            PingSettings settings,
            PingKind kind,
            PingVoice voice) {
        super(settings, voice, new Pings(voice.console().nanoTime()));
        this.server = server;
        this.kind = kind;
        ResolvedService found = context.resolve(
                server, Invitation.SERVICE, ResolveParameters.DEFAULT.withTimeout(settings.peerLimit()));
        invitation = invitation(found);
        link = new DatagramLink(
                context,
                voice.console(),
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
    }

    /**
     * The server invites the source address of the service request. For a loopback server that is the server's address,
     * which may differ from the system's choice for pings.
     */
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
                    Addresses.text(found.address()) + " answers the service id of udping, but is not a udping server: "
                            + e.getMessage());
        }
    }

    private void postReceive(long slot) {
        link.queuePair().postReceive(receive.clear().id(slot).add(in, slot * settings.size(), settings.size()));
    }

    @Override
    void ping(long number) {
        long ping = number + 1;
        long start = now();
        report.ping();
        post(ping);
        Fate fate = await(ping, start);
        if (settings.verbose()) {
            tell(ping, fate, now() - start);
        }
    }

    private void post(long ping) {
        request.clear().id(ping).destination(peer);
        int offset = invitation.offset(ping);
        switch (kind) {
            case SEND -> add(ping, request.send());
            case WRITE -> add(ping, request.writeRecord(invitation.writeAddress() + offset, invitation.writeKey()));
            case READ ->
                request.rdmaRead(invitation.readAddress() + offset, invitation.readKey())
                        .timeout(settings.answerLimit())
                        .add(in, 0, settings.size());
        }
        link.queuePair().postSend(request.signaled(kind == PingKind.READ));
        out.posted();
    }

    /** Uses a new place for each ping, because an earlier ping that counts as lost may still wait to be sent. */
    private void add(long ping, SendWorkRequest request) {
        PingData.write(ping, out.memory().buffer(), out.offset(), settings.size());
        request.add(out.memory(), out.offset(), settings.size());
    }

    /** Waits until the ping has come back, or for its time limit. */
    private Fate await(long ping, long start) {
        // The stack ends a Read after its own time-out.
        long patience = settings.answerLimit().toNanos() * (kind == PingKind.READ ? 10 : 1);
        while (true) {
            long left = start + patience - now();
            WorkCompletion completion = link.next(Duration.ofNanos(Math.max(0, left)));
            Fate fate = completion == null ? Fate.LOST : fate(ping, completion);
            if (fate != null) {
                report.became(fate, now() - start);
                return fate;
            }
        }
    }

    /** {@return the result of the ping, if the completion belongs to it; else null} */
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
        Fate fate = kind == PingKind.SEND ? fateOfSend(ping, completion) : fateOfWrite(ping, completion);
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
        Answer answer = Answer.of(in.buffer(), at);
        return completion.byteLength() != Answer.LENGTH
                        || answer.address() != invitation.writeAddress() + invitation.offset(ping)
                ? null
                : answer.validBytes() == settings.size() ? Fate.WHOLE : Fate.PARTIAL;
    }

    /** Takes late answers. */
    @Override
    void rest(Duration rest) {
        long end = now() + rest.toNanos();
        for (long left = rest.toNanos(); left > 0; left = end - now()) {
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
        voice.data("ping " + ping + ": " + settings.size() + " bytes by " + kind + ", " + what);
    }

    @Override
    void judge() {
        long different = report.number(Fate.DIFFERENT);
        if (different > 0) {
            throw ToolFailure.failed(different + " pings came back different from what was sent");
        }
        if (report.sent() > 0 && report.number(Fate.LOST) == report.sent()) {
            throw ToolFailure.failed("none of the pings to " + Addresses.text(server) + " came back");
        }
    }

    @Override
    Object summary(String peer) {
        return report.summary(peer, kind.toString(), settings.size());
    }

    @Override
    public void close() {
        link.close();
    }
}
