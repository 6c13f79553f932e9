package dev.jwarp.transport.udp.ud;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.path.PathMtuSearch;
import dev.jwarp.transport.udp.port.PortQueuePair;
import dev.jwarp.transport.udp.port.PortServices;
import dev.jwarp.transport.udp.port.ProbeWriter;
import dev.jwarp.transport.udp.port.ReplyWriter;
import dev.jwarp.transport.udp.port.SegmentComposer;
import dev.jwarp.transport.udp.port.SendBuffer;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of UD at a port: passes datagrams up after check 9, and segments down. Keeps only the pace of peers.
 */
public final class UdQueuePair implements PortQueuePair {
    /** The code for any violation of a source without a proof, so that it cannot probe for STags (§9, DG-9.3-3). */
    private static final TerminateCode TO_STRANGERS = TerminateCode.RDMAP_PROTECTION_UNSPECIFIED;

    private final PortServices port;
    private final ReplyWriter replies;
    private final UdPaths paths;
    private final DatagramUpperLayer upper;
    private final Composer composer;
    private final PathReplyBody told = new PathReplyBody();
    /** Whether the layer above accepts further segments of the last message by {@link #receiveNext}. */
    private boolean wantsNext;

    public UdQueuePair(PortServices port, ReplyWriter replies, UdPaths paths, DatagramUpperLayer upper) {
        this.port = port;
        this.replies = replies;
        this.paths = paths;
        this.upper = upper;
        composer = new Composer();
    }

    @Override
    public boolean wantsNext() {
        return wantsNext;
    }

    @Override
    public boolean receiveNext(ByteBuffer buffer, int before, int offset, long nowNanos) {
        boolean taken = upper.onNextSegment(buffer, before, offset, nowNanos);
        if (taken) {
            paths.cameNext();
        }
        return taken;
    }

    @Override
    public void receive(DatagramParser parsed, long nowNanos) {
        wantsNext = false;
        Kind kind = parsed.kind();
        if (kind == Kind.PATH_REPLY) {
            pathReply(parsed, nowNanos);
        } else if (!parsed.shim().reply()) {
            question(parsed, nowNanos);
        } else if (!upper.asked(parsed.datagram())) { // datagram-iWARP §5, check 9 (DG-5.1-10): unsolicited
            // datagram-iWARP §5, check 3: a VERSION LIST without a question is of another version.
            boolean version = kind == Kind.VERSION_LIST;
            port.count(version ? UdpCounter.RX_VERSION : UdpCounter.RX_REPLY_UNMATCHED);
        } else {
            paths.heard(parsed.datagram().source(), nowNanos);
            reply(parsed, nowNanos);
        }
    }

    private void pathReply(DatagramParser parsed, long nowNanos) {
        ReceivedDatagram datagram = parsed.datagram();
        UdPath path = paths.find(datagram.source());
        told.wrap(datagram.buffer(), datagram.offset());
        boolean ofSize = port.answersProbe(parsed, nowNanos);
        if (ofSize || (path != null && path.answered(told, nowNanos))) {
            port.count(UdpCounter.RX_PATH_REPLY);
            if (path != null) {
                path.heard(nowNanos);
            }
        } else {
            port.count(UdpCounter.RX_REPLY_UNMATCHED); // datagram-iWARP §5, check 9 (DG-5.1-10)
        }
    }

    private void question(DatagramParser parsed, long nowNanos) {
        ReceivedDatagram datagram = parsed.datagram();
        Shim shim = datagram.shim();
        if (shim.key() != port.key()) { // datagram-iWARP §5, check 9 (DG-5.1-9)
            port.count(UdpCounter.RX_KEY);
            return;
        }
        paths.heard(datagram.source(), nowNanos);
        // DG-9.2-2: not before check 9. DG-9.5-3: one answer at most.
        datagram.proved(port.proof(parsed, nowNanos));
        if (parsed.kind() == Kind.PATH_PROBE) {
            boolean proved = datagram.proof() != AddressProof.NONE;
            port.answerProbe(parsed, shim.key(), proved, paths.asked(datagram.source()), nowNanos);
            return;
        }
        paths.came(datagram.source());
        switch (segment(datagram, nowNanos)) {
            case ACCEPTED -> wantsNext = !parsed.hasCookie() && upper.wantsNext();
            case DROPPED, NOT_READY -> {}
            case CHALLENGE -> port.challenge(datagram, nowNanos);
            case REFUSED -> {
                if (port.admitsAnswer(datagram.source(), nowNanos)) {
                    TerminateCode code = datagram.proof() == AddressProof.NONE ? TO_STRANGERS : upper.refusal();
                    replies.notify(shim, datagram.source(), NotifyBody.controlOf(code));
                }
            }
        }
    }

    private SegmentFate segment(ReceivedDatagram datagram, long nowNanos) {
        SegmentFate fate = upper.onSegment(datagram, nowNanos);
        if (fate != SegmentFate.ACCEPTED) {
            port.dropped(datagram.source(), upper.cause());
        }
        return fate;
    }

    private void reply(DatagramParser parsed, long nowNanos) {
        ReceivedDatagram datagram = parsed.datagram();
        switch (parsed.kind()) {
            case NOTIFY -> {
                int control = datagram.buffer().getInt(datagram.offset() + NotifyBody.CONTROL_OFFSET);
                upper.onNotify(datagram, control, nowNanos);
            }
            case CHALLENGE ->
                upper.onChallenge(
                        datagram, parsed.cookie().high(), parsed.cookie().low(), nowNanos);
            case VERSION_LIST -> upper.onVersionList(datagram, parsed.versions(), nowNanos);
            // datagram-iWARP §10 (DG-10-20): the responder of our Reads asks for feedback. The probe proves no
            // address.
            case PATH_PROBE ->
                port.answerProbe(parsed, datagram.shim().key(), false, paths.asked(datagram.source()), nowNanos);
            // datagram-iWARP §9: never answered, so the address is not checked, and counts as unproved.
            default -> {
                paths.came(datagram.source());
                segment(datagram, nowNanos);
            }
        }
    }

    @Override
    public boolean hasOutput() {
        return upper.hasOutput();
    }

    @Override
    public boolean fill(SendBuffer out, long nowNanos) {
        composer.into(out);
        composer.begin(nowNanos);
        while (out.hasRoom()) {
            if (!upper.pollSegment(composer, nowNanos)) {
                composer.allAsked = true;
                return false;
            }
            composer.askWhatCame();
            composer.probePath();
        }
        return true;
    }

    @Override
    public void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos) {
        // Reads are answered to proved addresses only, so the code need not be hidden.
        if (port.admitsAnswer(peer.address(), nowNanos)) {
            replies.notify(question, peer.address(), NotifyBody.controlOf(code));
        }
    }

    @Override
    public long nextSend() {
        return composer.paceAt;
    }

    /** Writes shim and cookie, and applies the pace of peers. */
    private final class Composer extends SegmentComposer {
        private final ProbeWriter probes;
        /** The length of the MTU probe that is due for the peer's path, octets of UDP payload; 0 for none. */
        private int probeSize;

        private @Nullable DatagramPeer peer;
        /** Whether the datagram written last is a Read Response; its shim is {@link #answered}. */
        private boolean answer;

        private final Shim answered = new Shim();

        private long now;
        /** When a refused queue may send; the layer above is polled again then. */
        private long paceAt = Long.MAX_VALUE;
        /** Whether the last fill polled all queues; a fill that lack of room ends does not. */
        private boolean allAsked = true;

        Composer() {
            super(Envelope.octets(port.settings()));
            probes = new ProbeWriter(Envelope.octets(port.settings()));
        }

        @Override
        protected void follow(DatagramPeer to) {
            port.follow(to);
        }

        /** Sends the MTU probe that is due for the path of the last datagram's peer, if there is one. */
        void probePath() {
            DatagramPeer to = peer;
            if (probeSize > 0 && to != null && to.path() instanceof PathMtuSearch path && out().hasRoom()) {
                probe(to, probeSize, path.token());
            }
            probeSize = 0;
        }

        void begin(long nowNanos) {
            now = nowNanos;
            if (allAsked && paceAt <= nowNanos) {
                paceAt = Long.MAX_VALUE; // queues that still have to wait set it again
            }
            allAsked = false;
        }

        @Override
        public boolean admits(DatagramPeer to, long nowNanos) {
            UdPath path = paths.of(to);
            if (path.unlimited()) {
                return true;
            }
            long at = path.admittedAt(nowNanos);
            if (at <= nowNanos) {
                return true;
            }
            path.waits();
            paceAt = Math.min(paceAt, at);
            return false;
        }

        /** Asks the peer of the last datagram for feedback if a probe is due, behind the datagram (DG-6-11). */
        void askWhatCame() {
            DatagramPeer to = peer;
            UdPath path = to == null ? UdPath.UNLIMITED : paths.of(to);
            if (to == null || !path.asks(now) || !out().hasRoom()) {
                return;
            }
            long token = port.random();
            probe(to, 0, token);
            path.ask(token, now);
        }

        /** Writes a PATH-PROBE with {@code octets} of UDP payload, or of the least length. */
        private void probe(DatagramPeer to, int octets, long token) {
            ProbeWriter probe = answer
                    ? probes.behindAnswer(answered)
                    : probes.addressed(to, port.queuePairNumber(), to.key(), (int) port.random());
            probe.write(out(), to, false, octets, token, now);
            port.count(UdpCounter.TX_PATH_PROBE);
        }

        @Override
        protected int longest(DatagramPeer to) {
            return paths.of(to).longest(to.maximumDatagram());
        }

        /** With a pace, each datagram needs an {@link #admits}. */
        @Override
        protected boolean repeats() {
            DatagramPeer to = peer;
            return to != null && paths.of(to).unlimited();
        }

        @Override
        protected int extensionLength(boolean cookie) {
            return cookie ? CookieBody.LENGTH : 0;
        }

        @Override
        protected void head(ByteBuffer buffer, int offset, DatagramPeer to, Shim shim, boolean cookie) {
            peer = to;
            answer = shim.reply();
            if (answer) {
                answered.set(shim);
            }
            ShimHeader.write(buffer, offset, Kind.DATA, shim, cookie ? ShimHeader.COOKIE : 0);
            if (cookie) {
                CookieBody.write(buffer, offset + ShimHeader.LENGTH, to.cookieHigh(), to.cookieLow());
            }
        }

        @Override
        protected void composed(int octets, @Nullable OutboundMessage message) {
            DatagramPeer to = peer;
            if (to != null && !answer && to.path() instanceof PathMtuSearch known && known.due(now)) {
                probeSize = known.poll(port.random(), now);
            }
            UdPath path = to == null ? UdPath.UNLIMITED : paths.of(to);
            if (to != null && !path.unlimited() && path.sent(octets, now)) {
                port.count(UdpCounter.UD_SILENT);
                upper.onSilent(to, now); // datagram-iWARP §6.2
            }
        }
    }
}
