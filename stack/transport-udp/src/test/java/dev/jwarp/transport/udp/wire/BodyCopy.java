package dev.jwarp.transport.udp.wire;

import static dev.jwarp.transport.udp.wire.Samples.view;

import dev.jwarp.llp.datagram.ServiceStatus;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Copies a body by the getters and setters of its view. */
final class BodyCopy {
    private BodyCopy() {}

    static void copy(Kind kind, ByteBuffer in, ByteBuffer out, int at) {
        switch (kind) {
            case DATA, VERSION_LIST -> {}
            case NOTIFY ->
                view(new NotifyBody(), out, at)
                        .control(view(new NotifyBody(), in, at).control());
            case CHALLENGE -> {
                CookieBody from = view(new CookieBody(), in, at);
                CookieBody.write(out, at, from.high(), from.low());
            }
            case RESOLVE -> {
                ResolveBody from = view(new ResolveBody(), in, at);
                ResolveBody to = view(new ResolveBody(), out, at);
                to.set(from.serviceId(), from.qpTypes(), from.versions());
                to.privateData(ByteBuffer.wrap(from.privateData()), 0, from.privateLength());
            }
            case RESOLVED -> {
                ResolvedBody from = view(new ResolvedBody(), in, at);
                ResolvedBody to = view(new ResolvedBody(), out, at);
                to.status(Objects.requireNonNull(ServiceStatus.of(from.status())), from.versions());
                to.queuePair(from.qpType(), from.qpn(), from.key(), from.port());
                to.limits(from.largestPayload(), from.maximumMessage(), from.maximumRead());
                to.privateData(ByteBuffer.wrap(from.privateData()), 0, from.privateLength());
            }
            case RD_OPEN, RD_ACCEPT -> {
                RdOpenBody from = view(new RdOpenBody(), in, at);
                view(new RdOpenBody(), out, at)
                        .set(from.tag(), from.firstPsn(), from.previousTagOrAck(), from.window());
            }
            case RD_ACK -> {
                RdAckBody from = view(new RdAckBody(), in, at);
                RdAckBody to = view(new RdAckBody(), out, at);
                to.set(from.ack(), from.window(), from.notReady(), from.firstWord(), from.words());
                to.echo(from.echo(), from.delay());
                to.duplicates(from.duplicates(), from.lastDuplicate());
                if (from.countsEcn()) {
                    to.ecn(from.congestionExperienced(), from.capable());
                }
                for (int i = 0; i < from.words(); i++) {
                    to.word(i, from.word(i));
                }
            }
            case PATH_PROBE -> {
                PathProbeBody from = view(new PathProbeBody(), in, at);
                view(new PathProbeBody(), out, at).set(from.token(), from.largestPayload());
            }
            case PATH_REPLY -> {
                PathReplyBody from = view(new PathReplyBody(), in, at);
                PathReplyBody to = view(new PathReplyBody(), out, at);
                to.set(from.token(), from.lengthReceived(), from.largestPayload());
                to.received(from.datagramsReceived(), from.congestionExperienced(), from.capable());
                to.delay(from.delay());
            }
            case RD_RESET -> {
                RdResetBody from = view(new RdResetBody(), in, at);
                view(new RdResetBody(), out, at)
                        .set(from.reflected(), Objects.requireNonNull(RdResetReason.of(from.reason())), from.control());
            }
        }
    }
}
