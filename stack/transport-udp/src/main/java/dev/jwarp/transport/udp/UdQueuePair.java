package dev.jwarp.transport.udp;

import dev.jwarp.ddp.TerminateCode;
import dev.jwarp.ddp.llp.datagram.AddressProof;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.ddp.llp.datagram.ReceivedDatagram;
import dev.jwarp.ddp.llp.datagram.SegmentFate;
import dev.jwarp.ddp.llp.datagram.Shim;
import dev.jwarp.transport.udp.congestion.Pacer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** UD at a port: hands datagrams up after check 9, and segments down. Keeps of peers their pace alone (DG-13-4). */
final class UdQueuePair implements PortQueuePair {
    /** What a stranger is told of any violation, so that it cannot probe for what is there (§9, DG-9.3-3). */
    private static final TerminateCode TO_STRANGERS = TerminateCode.RDMAP_PROTECTION_UNSPECIFIED;

    private final PortServices port;
    private final ReplyWriter replies;
    private final DatagramUpperLayer upper;
    private final Composer composer;
    /** More of the message is wanted of which a segment came last. */
    private boolean wantsNext;

    UdQueuePair(PortServices port, ReplyWriter replies, DatagramUpperLayer upper) {
        this.port = port;
        this.replies = replies;
        this.upper = upper;
        composer = new Composer(port.settings().number(UdpSetting.PACE));
    }

    @Override
    public boolean wantsNext() {
        return wantsNext;
    }

    @Override
    public boolean receiveNext(ByteBuffer buffer, int before, int offset, long nowNanos) {
        return upper.onNextSegment(buffer, before, offset, nowNanos);
    }

    @Override
    public void receive(DatagramParser parsed, long nowNanos) {
        wantsNext = false;
        if (!parsed.shim().reply()) {
            question(parsed, nowNanos);
        } else if (!upper.asked(parsed.datagram())) { // datagram-iWARP §5, check 9 (DG-5.1-10): it was not asked for
            // datagram-iWARP §5, check 3: of another version, unless it answers something.
            boolean version = parsed.kind() == Kind.VERSION_LIST;
            port.count(version ? UdpCounter.RX_VERSION : UdpCounter.RX_REPLY_UNMATCHED);
        } else {
            reply(parsed, nowNanos);
        }
    }

    private void question(DatagramParser parsed, long nowNanos) {
        ReceivedDatagram datagram = parsed.datagram();
        Shim shim = datagram.shim();
        if (shim.key() != port.key()) { // datagram-iWARP §5, check 9 (DG-5.1-9)
            port.count(UdpCounter.RX_KEY);
            return;
        }
        // DG-9.2-2: not before check 9. DG-9.5-3: one answer at most.
        datagram.proved(port.proof(parsed, nowNanos));
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
        ByteBuffer buffer = datagram.buffer();
        int at = datagram.offset();
        switch (parsed.kind()) {
            case NOTIFY -> upper.onNotify(datagram, buffer.getInt(at + NotifyBody.CONTROL_OFFSET), nowNanos);
            case CHALLENGE ->
                upper.onChallenge(
                        datagram,
                        buffer.getLong(at + CookieBody.HIGH_OFFSET),
                        buffer.getLong(at + CookieBody.LOW_OFFSET),
                        nowNanos);
            case VERSION_LIST -> upper.onVersionList(datagram, parsed.versions(), nowNanos);
            // datagram-iWARP §9: never answered, so it is not asked who sent it, and nothing is proved.
            default -> segment(datagram, nowNanos);
        }
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
        }
        return true;
    }

    @Override
    public void onTransmitted(long nowNanos) {
        upper.onTransmitted(nowNanos);
    }

    @Override
    public void onUnsendable(Object message, String sentence, long nowNanos) {
        upper.onUnsendable(message, sentence, nowNanos);
    }

    /** Nothing waits for it: what was not ready is lost. */
    @Override
    public void onReady(long nowNanos) {}

    /** There are no channels. */
    @Override
    public void resetPeer(@Nullable DatagramPeer peer, long nowNanos) {}

    /** There are no channels. */
    @Override
    public void stop(long nowNanos) {}

    /** There are no channels. */
    @Override
    public void resume() {}

    @Override
    public void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos) {
        // Answers to Reads go to proved addresses only: no need to hide the code.
        if (port.admitsAnswer(peer.address(), nowNanos)) {
            replies.notify(question, peer.address(), NotifyBody.controlOf(code));
        }
    }

    /** There are no channels. */
    @Override
    public void abandon(DatagramPeer peer, long nowNanos) {}

    @Override
    public long nextSend() {
        return composer.paceAt;
    }

    @Override
    public long nextTimeout() {
        return upper.nextTimeout();
    }

    @Override
    public void onTimeout(long nowNanos) {
        if (upper.nextTimeout() <= nowNanos) {
            upper.onTimeout(nowNanos);
        }
    }

    @Override
    public void onDetached(long nowNanos) {}

    /** Shim and cookie, and the pace of peers. */
    private static final class Composer extends SegmentComposer {
        private final long usualPace;
        private @Nullable DatagramPeer peer;
        private long now;
        /** When a queue that was refused may send; the layer above is asked again then. */
        private long paceAt = Long.MAX_VALUE;
        /** The last fill asked all who have something: one that ends for want of room leaves out who stands aside. */
        private boolean allAsked = true;

        Composer(long usualPace) {
            this.usualPace = usualPace;
        }

        void begin(long nowNanos) {
            now = nowNanos;
            if (allAsked && paceAt <= nowNanos) {
                paceAt = Long.MAX_VALUE; // those who still have to wait say so again
            }
            allAsked = false;
        }

        private long pace(DatagramPeer to) {
            return to.pace() > 0 ? to.pace() : usualPace;
        }

        @Override
        public boolean admits(DatagramPeer to, long nowNanos) {
            if (pace(to) == 0 || !(to.attachment() instanceof Pacer pace)) {
                return true;
            }
            long at = pace.admittedAt();
            if (at <= nowNanos) {
                return true;
            }
            paceAt = Math.min(paceAt, at);
            return false;
        }

        /** Where there is a pace each datagram is asked for by itself. */
        @Override
        protected boolean repeats() {
            DatagramPeer to = peer;
            return to != null && pace(to) == 0;
        }

        @Override
        protected int extensionLength(boolean cookie) {
            return cookie ? CookieBody.LENGTH : 0;
        }

        @Override
        protected void head(ByteBuffer buffer, int offset, DatagramPeer to, Shim shim, boolean cookie) {
            peer = to;
            ShimHeader.write(buffer, offset, Kind.DATA, shim, cookie ? ShimHeader.COOKIE : 0);
            if (cookie) {
                int at = offset + ShimHeader.LENGTH;
                buffer.putLong(at + CookieBody.HIGH_OFFSET, to.cookieHigh());
                buffer.putLong(at + CookieBody.LOW_OFFSET, to.cookieLow());
            }
        }

        @Override
        protected void composed(int octets, @Nullable Object message) {
            DatagramPeer to = peer;
            if (to != null && pace(to) > 0) {
                Pacer pace = to.attachment() instanceof Pacer known ? known : new Pacer();
                to.attach(pace);
                pace.sent(octets, pace(to), now);
            }
        }
    }
}
