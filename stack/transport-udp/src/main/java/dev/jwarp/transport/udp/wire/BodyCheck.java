package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The part of check 5 of datagram-iWARP §5 about the body: its length matches the datagram, and its fields are legal.
 * One thread at a time; allocates nothing.
 */
final class BodyCheck {
    private final CookieBody cookie = new CookieBody();
    private final NotifyBody notify = new NotifyBody();
    private final ResolveBody resolve = new ResolveBody();
    private final ResolvedBody resolved = new ResolvedBody();
    private final RdOpenBody open = new RdOpenBody();
    private final RdAckBody ack = new RdAckBody();
    private final RdResetBody reset = new RdResetBody();
    private final PathProbeBody probe = new PathProbeBody();
    private final PathReplyBody reply = new PathReplyBody();

    /**
     * {@return null for a legal body, else the counter of the fault}
     *
     * @param at the index of the body
     * @param length the octets between extension and CRC; may be negative
     * @param stated the Message Length
     */
    @Nullable
    UdpCounter check(Kind kind, ByteBuffer buffer, int at, int length, long stated) {
        if (kind == Kind.DATA) {
            return length < 1 || length < DatagramLength.ddpHeader(buffer.get(at)) ? UdpCounter.RX_SHORT : null;
        } else if (kind == Kind.VERSION_LIST) {
            return length == 0 ? null : UdpCounter.RX_MALFORMED;
        } else if (length < kind.leastBody()) {
            return UdpCounter.RX_SHORT;
        }
        view(kind).wrap(buffer, at);
        long whole = whole(kind, length, stated);
        // datagram-iWARP §4.4 (DG-5.1-1, DG-5.1-5): the body fills the datagram, and the Message Length agrees.
        return length < whole
                ? UdpCounter.RX_SHORT
                : length > whole || !agrees(kind, stated, whole) || !legal(kind) ? UdpCounter.RX_MALFORMED : null;
    }

    private Body view(Kind kind) {
        return switch (kind) {
            case NOTIFY -> notify;
            case RESOLVE -> resolve;
            case RESOLVED -> resolved;
            case RD_OPEN, RD_ACCEPT -> open;
            case RD_ACK -> ack;
            case RD_RESET -> reset;
            case PATH_PROBE -> probe;
            case PATH_REPLY -> reply;
            case CHALLENGE, DATA, VERSION_LIST -> cookie;
        };
    }

    /** {@return the octets of the body by its own fields; -1 if they exceed the maximum} */
    private long whole(Kind kind, int length, long stated) {
        return switch (kind) {
            case RD_ACK -> ack.words() > RdAckBody.MAXIMUM_WORDS ? -1 : RdAckBody.length(ack.words());
            case RESOLVED ->
                resolved.privateLength() > ResolveBody.MAXIMUM_PRIVATE_LENGTH
                        ? -1
                        : ResolvedBody.LENGTH + resolved.privateLength();
            case PATH_PROBE -> stated; // datagram-iWARP §4.4: includes the pad, so that a probe states its length
            case RESOLVE -> length; // constant with extension and pad: checked by the parser
            default -> kind.leastBody();
        };
    }

    private boolean agrees(Kind kind, long stated, long whole) {
        return stated == (kind == Kind.RESOLVE ? ResolveBody.LENGTH + resolve.privateLength() : whole);
    }

    /** {@return whether the fields of the body are legal} */
    private boolean legal(Kind kind) {
        return switch (kind) {
            case NOTIFY -> (notify.control() & NotifyBody.ZERO_BITS) == 0;
            case RESOLVE ->
                resolve.privateLength() <= ResolveBody.MAXIMUM_PRIVATE_LENGTH
                        && resolve.qpTypes() != 0
                        && (resolve.qpTypes() & ~ResolveBody.ALL_QP_TYPES) == 0
                        && resolve.octet(ResolveBody.ZERO_OFFSET) == 0
                        && resolve.half(ResolveBody.SECOND_ZERO_OFFSET) == 0;
            case RESOLVED ->
                ServiceStatus.of(resolved.status()) != null
                        && resolved.half(ResolvedBody.ZERO_OFFSET) == 0
                        && (resolved.status() == ServiceStatus.FOUND.number() ? namesQueuePair() : namesNothing());
            // datagram-iWARP §4.4 (DG-4.4-5, DG-4.4-8): a window has no upper bound.
            case RD_OPEN, RD_ACCEPT -> open.tag() != 0 && open.window() != 0 && open.half(RdOpenBody.ZERO_OFFSET) == 0;
            case RD_ACK -> ackLegal();
            case RD_RESET -> resetLegal();
            case PATH_PROBE -> probe.half(PathProbeBody.ZERO_OFFSET) == 0;
            case PATH_REPLY -> reply.half(PathReplyBody.ZERO_OFFSET) == 0;
            case CHALLENGE, DATA, VERSION_LIST -> true;
        };
    }

    private boolean namesQueuePair() {
        int qpn = resolved.qpn();
        boolean one = Integer.bitCount(resolved.qpType()) == 1 && (resolved.qpType() & ~ResolveBody.ALL_QP_TYPES) == 0;
        return one && qpn >= Shim.SMALLEST_QPN && qpn < Shim.GROUP_QPN;
    }

    /** datagram-iWARP §R.2: with a status other than OK, all fields but versions and private data are zero. */
    private boolean namesNothing() {
        return (resolved.qpType()
                        | resolved.qpn()
                        | resolved.key()
                        | resolved.port()
                        | resolved.largestPayload()
                        | (int) resolved.maximumMessage()
                        | (int) resolved.maximumRead())
                == 0;
    }

    private boolean resetLegal() {
        boolean error = reset.reason() == RdResetReason.REMOTE_ERROR.number();
        return RdResetReason.of(reset.reason()) != null
                && reset.octet(RdResetBody.REFLECTED_OFFSET) <= 1
                && reset.half(RdResetBody.ZERO_OFFSET) == 0
                && (error ? (reset.control() & NotifyBody.ZERO_BITS) == 0 : reset.control() == 0);
    }

    private boolean ackLegal() {
        boolean marks = (ack.congestionExperienced() | ack.capable()) != 0;
        return ack.window() != 0
                && (ack.octet(RdAckBody.FLAGS_OFFSET) & ~(RdAckBody.NOT_READY | RdAckBody.ECN_VALID)) == 0
                && ack.firstWord() + ack.words() <= RdAckBody.WORD_LIMIT
                && (!marks || ack.countsEcn());
    }
}
