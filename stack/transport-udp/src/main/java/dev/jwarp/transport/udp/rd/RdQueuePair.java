package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.port.PortQueuePair;
import dev.jwarp.transport.udp.port.PortServices;
import dev.jwarp.transport.udp.port.SegmentComposer;
import dev.jwarp.transport.udp.port.SendBuffer;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import dev.jwarp.transport.udp.wire.RdAckBody;
import dev.jwarp.transport.udp.wire.RdExtension;
import dev.jwarp.transport.udp.wire.RdOpenBody;
import dev.jwarp.transport.udp.wire.RdResetBody;
import dev.jwarp.transport.udp.wire.RdResetReason;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reliable queue pair at a port: decodes the datagrams of channels for an {@link RdEndpoint}, and encapsulates the
 * segments of the layer above with the channel's fields. Owner thread only; allocates nothing in steady state.
 */
public final class RdQueuePair implements PortQueuePair {
    private final PortServices port;
    private final DatagramUpperLayer upper;
    private final RdDatagrams datagrams;
    private final RdEndpoint endpoint;
    private final Composer composer;

    private final RdOpenBody open = new RdOpenBody();
    private final RdAckBody ack = new RdAckBody();
    private final RdResetBody reset = new RdResetBody();
    private final PathReplyBody pathReply = new PathReplyBody();
    /** The fields of the datagram that is being received. */
    private final RdFields heard = new RdFields();

    private RdQueuePair(PortServices port, DatagramUpperLayer upper, RdSettings settings) {
        this.port = port;
        this.upper = upper;
        composer = new Composer();
        datagrams = new RdDatagrams(port);
        endpoint = new RdEndpoint(settings, upper, datagrams);
    }

    /** {@return a reliable queue pair at a port} For {@link dev.jwarp.transport.udp.port.PortQueuePair.Factory}. */
    public static PortQueuePair open(PortServices port, DatagramUpperLayer upper, long nowNanos) {
        return new RdQueuePair(port, upper, RdSettings.of(port.settings()));
    }

    @Override
    public void limits(LimitSink sink) {
        RdSettings settings = endpoint.settings;
        sink.limit("rd-channels", endpoint.channels(), settings.channels());
        sink.limit("rd-half-open", endpoint.opener.halfOpen(), settings.halfOpen());
        sink.limit("rd-stash", settings.stash() - endpoint.stashes.free(), settings.stash());
    }

    @Override
    public void receive(DatagramParser parsed, long nowNanos) {
        ReceivedDatagram datagram = parsed.datagram();
        ByteBuffer buffer = datagram.buffer();
        int body = datagram.offset();
        heard.count = 0;
        heard.alone = false;
        switch (parsed.kind()) {
            case DATA -> {
                RdExtension channel = parsed.channel();
                heard.psn = channel.psn();
                heard.ack = channel.ack();
                heard.window = channel.window();
                heard.ackWanted = parsed.ackWanted();
                endpoint.onData(datagram, heard, nowNanos);
            }
            case RD_OPEN -> onOpen(parsed, nowNanos);
            case RD_ACCEPT -> {
                open.wrap(buffer, body);
                heard.tag = open.tag();
                heard.psn = open.firstPsn();
                heard.ack = open.previousTagOrAck();
                heard.window = open.window();
                endpoint.opener.onAccept(datagram, heard, nowNanos);
            }
            case RD_ACK -> {
                ack.wrap(buffer, body);
                heard.alone = true;
                heard.serial = datagram.shim().messageId();
                heard.ack = ack.ack();
                heard.window = ack.window();
                heard.notReady = ack.notReady();
                heard.firstWord = ack.firstWord();
                heard.echo = ack.echo();
                heard.delay = ack.delay();
                heard.duplicates = ack.duplicates();
                heard.lastDuplicate = ack.lastDuplicate();
                heard.count = ack.words();
                for (int i = 0; i < heard.count; i++) {
                    heard.words[i] = ack.word(i);
                }
                endpoint.onAck(datagram, heard, nowNanos);
            }
            case PATH_PROBE -> {
                RdChannel channel = endpoint.onProbe(datagram, nowNanos);
                if (channel != null) {
                    port.answerProbe(parsed, channel.peerTag(), true, 0, nowNanos);
                }
            }
            case PATH_REPLY -> {
                pathReply.wrap(buffer, body);
                heard.token = pathReply.token();
                heard.length = pathReply.lengthReceived();
                heard.takes = pathReply.largestPayload();
                endpoint.onPathReply(datagram, heard, nowNanos);
            }
            case RD_RESET -> {
                reset.wrap(buffer, body);
                RdResetReason reason = RdResetReason.of(reset.reason());
                endpoint.onReset(datagram, reset.reflected(), reason, reset.control(), nowNanos);
            }
            case CHALLENGE -> {
                CookieBody cookie = parsed.cookie();
                if (!endpoint.opener.onChallenge(datagram, cookie.high(), cookie.low(), nowNanos)) {
                    port.count(UdpCounter.RX_REPLY_UNMATCHED); // datagram-iWARP §5, check 9 (DG-5.1-10)
                }
            }
            case VERSION_LIST -> {
                if (endpoint.opener.asking(datagram) != null) {
                    upper.onVersionList(datagram, parsed.versions(), nowNanos);
                } else {
                    port.count(UdpCounter.RX_VERSION); // datagram-iWARP §5, check 3
                }
            }
            default -> port.count(UdpCounter.RX_QP_TYPE);
        }
    }

    private void onOpen(DatagramParser parsed, long nowNanos) {
        ReceivedDatagram datagram = parsed.datagram();
        Shim shim = datagram.shim();
        if (shim.key() != port.key() || shim.destinationQpn() != port.queuePairNumber()) {
            // datagram-iWARP §5, checks 8 and 9 (DG-4.2-7, DG-5.1-9): not to QPN 0, and with our Q_Key.
            port.count(shim.key() != port.key() ? UdpCounter.RX_KEY : UdpCounter.RX_QP_TYPE);
            return;
        }
        open.wrap(datagram.buffer(), datagram.offset());
        heard.tag = open.tag();
        heard.psn = open.firstPsn();
        heard.previousTag = open.previousTagOrAck();
        heard.window = open.window();
        boolean shows = port.proves(parsed, nowNanos); // DG-9.2-2: not before check 9
        boolean validated = shows || port.validated(datagram.source(), nowNanos);
        endpoint.opener.onOpen(datagram, heard, validated, shows, nowNanos);
    }

    @Override
    public boolean fill(SendBuffer out, long nowNanos) {
        composer.into(out);
        composer.now = nowNanos;
        datagrams.into(out);
        while (out.hasRoom()) {
            if (!endpoint.poll(composer, nowNanos)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void onUnsendable(OutboundMessage message, long nowNanos) {
        endpoint.onUnsendable(message, nowNanos);
    }

    @Override
    public void onReady(long nowNanos) {
        endpoint.ready(nowNanos);
    }

    @Override
    public void resetPeer(@Nullable DatagramPeer peer) {
        endpoint.resetPeer(peer);
    }

    @Override
    public void stop() {
        endpoint.close();
    }

    @Override
    public void resume() {
        endpoint.resume();
    }

    @Override
    public void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos) {
        endpoint.refuse(peer, code, nowNanos);
    }

    @Override
    public void abandon(DatagramPeer peer, long nowNanos) {
        endpoint.abandon(peer, nowNanos);
    }

    @Override
    public long nextSend() {
        return endpoint.nextSend();
    }

    @Override
    public long nextTimeout() {
        return endpoint.nextTimeout();
    }

    @Override
    public void onTimeout(long nowNanos) {
        endpoint.onTimeout(nowNanos);
    }

    @Override
    public void onDetached() {
        endpoint.close();
    }

    /** Writes shim and extension of DATA. */
    private final class Composer extends SegmentComposer {
        private final RdExtension extension = new RdExtension();
        private final Shim tagged = new Shim();
        private long now;

        Composer() {
            super(Envelope.octets(port.settings()));
        }

        @Override
        public boolean admits(DatagramPeer peer, long nowNanos) {
            return endpoint.admits(peer, nowNanos);
        }

        @Override
        protected void follow(DatagramPeer peer) {
            port.follow(peer);
        }

        @Override
        protected int extensionLength(boolean shows) {
            return RdExtension.LENGTH;
        }

        @Override
        protected void head(ByteBuffer buffer, int offset, DatagramPeer peer, Shim shim, boolean shows) {
            RdFields fields = endpoint.begin(peer, shim, now);
            // datagram-iWARP §4.3 (DG-4.3-1): the Key of a D datagram is the tag that its receiver chose.
            tagged.addressed(shim.destinationQpn(), shim.sourceQpn(), fields.tag)
                    .message(shim.messageId(), shim.messageLength())
                    .segment(shim.segmentIndex(), shim.segmentSize())
                    .flags(shim.reply(), true, false, shim.padded());
            ShimHeader.write(buffer, offset, Kind.DATA, tagged, fields.ackWanted ? ShimHeader.ACK_WANTED : 0);
            extension.wrap(buffer, offset + ShimHeader.LENGTH);
            extension.set(fields.psn, fields.ack, fields.window);
        }

        @Override
        protected void composed(int octets, @Nullable OutboundMessage message) {
            endpoint.end(Objects.requireNonNull(message, "a reliable segment belongs to a message"), octets, now);
        }
    }
}
