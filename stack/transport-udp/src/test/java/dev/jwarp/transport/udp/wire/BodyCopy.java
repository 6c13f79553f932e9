package dev.jwarp.transport.udp.wire;

import java.nio.ByteBuffer;
import java.util.Objects;

/** Copies a body by the getters and setters of its view. */
final class BodyCopy {
    private BodyCopy() {}

    static void copy(Kind kind, ByteBuffer in, ByteBuffer out, int at) {
        switch (kind) {
            case DATA, VERSION_LIST -> {}
            case NOTIFY -> {
                NotifyBody body = new NotifyBody();
                body.wrap(in, at);
                int control = body.control();
                body.wrap(out, at);
                body.control(control);
            }
            case CHALLENGE -> {
                CookieBody from = new CookieBody();
                from.wrap(in, at);
                CookieBody to = new CookieBody();
                to.wrap(out, at);
                to.set(from.high(), from.low());
            }
            case RESOLVE -> {
                ResolveBody from = new ResolveBody();
                from.wrap(in, at);
                ResolveBody to = new ResolveBody();
                to.wrap(out, at);
                to.set(from.serviceId(), from.qpTypes(), from.versions());
                to.privateData(ByteBuffer.wrap(from.privateData()), 0, from.privateLength());
            }
            case RESOLVED -> {
                ResolvedBody from = new ResolvedBody();
                from.wrap(in, at);
                ResolvedBody to = new ResolvedBody();
                to.wrap(out, at);
                to.status(Objects.requireNonNull(ResolveStatus.of(from.status())), from.versions());
                to.queuePair(from.qpType(), from.qpn(), from.key(), from.port());
                to.limits(from.largestPayload(), from.maximumMessage(), from.maximumRead());
                to.privateData(ByteBuffer.wrap(from.privateData()), 0, from.privateLength());
            }
            case RD_OPEN, RD_ACCEPT -> {
                RdOpenBody from = new RdOpenBody();
                from.wrap(in, at);
                RdOpenBody to = new RdOpenBody();
                to.wrap(out, at);
                to.set(from.tag(), from.firstPsn(), from.previousTagOrAck(), from.window());
            }
            case RD_ACK -> {
                RdAckBody from = new RdAckBody();
                from.wrap(in, at);
                RdAckBody to = new RdAckBody();
                to.wrap(out, at);
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
                PathProbeBody from = new PathProbeBody();
                from.wrap(in, at);
                PathProbeBody to = new PathProbeBody();
                to.wrap(out, at);
                to.set(from.token(), from.largestPayload());
            }
            case PATH_REPLY -> {
                PathReplyBody from = new PathReplyBody();
                from.wrap(in, at);
                PathReplyBody to = new PathReplyBody();
                to.wrap(out, at);
                to.set(from.token(), from.lengthReceived(), from.largestPayload());
                to.received(from.datagramsReceived(), from.congestionExperienced(), from.capable());
                to.delay(from.delay());
            }
            case RD_RESET -> {
                RdResetBody from = new RdResetBody();
                from.wrap(in, at);
                RdResetBody to = new RdResetBody();
                to.wrap(out, at);
                to.set(from.reflected(), Objects.requireNonNull(RdResetReason.of(from.reason())), from.control());
            }
        }
    }
}
