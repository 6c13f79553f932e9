package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Check 5 of datagram-iWARP §5, as far as it concerns the body: it fits into the datagram and says nothing impossible. The
 * views that the checks use may be asked afterwards, by {@link DatagramParser}. One thread at a time; allocates nothing.
 */
final class BodyCheck {
    private static final int SMALLEST_NUMBER = Shim.SMALLEST_QPN;

    private final NotifyBody notify = new NotifyBody();
    private final ResolveBody resolve = new ResolveBody();
    private final ResolvedBody resolved = new ResolvedBody();
    private final RdOpenBody open = new RdOpenBody();
    private final RdAcceptBody accept = new RdAcceptBody();
    private final RdAckBody ack = new RdAckBody();
    private final RdResetBody reset = new RdResetBody();
    private final RdSackBody sack = new RdSackBody();
    private final PathProbeBody probe = new PathProbeBody();
    private final PathReplyBody reply = new PathReplyBody();
    private final RdPartExtension part = new RdPartExtension();

    /**
     * {@return null if all is well}
     *
     * @param at index of the body
     * @param length octets between extension and CRC; may be negative
     * @param stated the Message Length
     */
    @Nullable
    UdpCounter check(Kind kind, ByteBuffer buffer, int at, int length, long stated) {
        return switch (kind) {
            case DATA -> length < 1 || length < DatagramLength.ddpHeader(buffer.get(at)) ? UdpCounter.RX_SHORT : null;
            case NOTIFY -> notify(buffer, at, length, stated);
            case CHALLENGE -> exact(length, CookieBody.LENGTH, stated);
            case RESOLVE -> resolve(buffer, at, length, stated);
            case RESOLVED -> resolved(buffer, at, length, stated);
            case RD_OPEN -> open(buffer, at, length, stated);
            case RD_ACCEPT -> accept(buffer, at, length, stated);
            case RD_ACK -> ack(buffer, at, length, stated);
            case RD_RESET -> reset(buffer, at, length, stated);
            case RD_SACK -> sack(buffer, at, length, stated);
            case PATH_PROBE -> probe(buffer, at, length, stated);
            case PATH_REPLY -> pathReply(buffer, at, length, stated);
            case RD_PART -> part(buffer, at, length);
            case VERSION_LIST -> length == 0 ? null : UdpCounter.RX_MALFORMED;
        };
    }

    /** datagram-iWARP §4.4 (DG-5.1-1, DG-5.1-5): the body fills the datagram, and the Message Length says so. */
    private static @Nullable UdpCounter exact(int length, int wanted, long stated) {
        if (length < wanted) {
            return UdpCounter.RX_SHORT;
        }
        return bad(length > wanted || stated != wanted);
    }

    private static @Nullable UdpCounter bad(boolean yes) {
        return yes ? UdpCounter.RX_MALFORMED : null;
    }

    private @Nullable UdpCounter notify(ByteBuffer buffer, int at, int length, long stated) {
        UdpCounter wrong = exact(length, NotifyBody.LENGTH, stated);
        if (wrong != null) {
            return wrong;
        }
        notify.wrap(buffer, at);
        return bad((notify.control() & NotifyBody.ZERO_BITS) != 0);
    }

    private @Nullable UdpCounter resolve(ByteBuffer buffer, int at, int length, long stated) {
        // datagram-iWARP §4.4: with its extension and pad a RESOLVE always has the same length; the parser knows it.
        if (length < ResolveBody.LENGTH) {
            return UdpCounter.RX_SHORT;
        }
        resolve.wrap(buffer, at);
        int data = resolve.privateLength();
        int types = resolve.qpTypes();
        return bad(data > ResolveBody.MAXIMUM_PRIVATE_LENGTH
                || stated != ResolveBody.LENGTH + data
                || types == 0
                || (types & ~ResolveBody.ALL_QP_TYPES) != 0
                || resolve.octet(ResolveBody.ZERO_OFFSET) != 0
                || resolve.half(ResolveBody.SECOND_ZERO_OFFSET) != 0);
    }

    private @Nullable UdpCounter resolved(ByteBuffer buffer, int at, int length, long stated) {
        if (length < ResolvedBody.LENGTH) {
            return UdpCounter.RX_SHORT;
        }
        resolved.wrap(buffer, at);
        int data = resolved.privateLength();
        if (data > ResolveBody.MAXIMUM_PRIVATE_LENGTH) {
            return UdpCounter.RX_MALFORMED;
        }
        UdpCounter wrong = exact(length, ResolvedBody.LENGTH + data, stated);
        if (wrong != null) {
            return wrong;
        }
        boolean found = resolved.status() == ResolveStatus.OK.number();
        return bad(ResolveStatus.of(resolved.status()) == null
                || resolved.half(ResolvedBody.ZERO_OFFSET) != 0
                || (found ? !namesQueuePair() : !namesNothing()));
    }

    private boolean namesQueuePair() {
        int qpn = resolved.qpn();
        boolean one = Integer.bitCount(resolved.qpType()) == 1 && (resolved.qpType() & ~ResolveBody.ALL_QP_TYPES) == 0;
        return one && qpn >= SMALLEST_NUMBER && qpn < Shim.GROUP_QPN;
    }

    /** datagram-iWARP §10: with another status than OK all else is zero but versions and private data. */
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

    private @Nullable UdpCounter open(ByteBuffer buffer, int at, int length, long stated) {
        UdpCounter wrong = exact(length, RdOpenBody.LENGTH, stated);
        if (wrong != null) {
            return wrong;
        }
        open.wrap(buffer, at);
        // datagram-iWARP §4.4 (DG-4.4-5, DG-4.4-8): a window has no upper bound.
        return bad(open.tag() == 0 || open.window() == 0 || open.half(RdOpenBody.ZERO_OFFSET) != 0);
    }

    private @Nullable UdpCounter accept(ByteBuffer buffer, int at, int length, long stated) {
        UdpCounter wrong = exact(length, RdAcceptBody.LENGTH, stated);
        if (wrong != null) {
            return wrong;
        }
        accept.wrap(buffer, at);
        // datagram-iWARP §4.4 (DG-4.4-5, DG-4.4-8).
        return bad(accept.tag() == 0 || accept.window() == 0 || accept.half(RdAcceptBody.ZERO_OFFSET) != 0);
    }

    private @Nullable UdpCounter ack(ByteBuffer buffer, int at, int length, long stated) {
        if (length < RdAckBody.LENGTH) {
            return UdpCounter.RX_SHORT;
        }
        ack.wrap(buffer, at);
        int words = ack.words();
        if (words > RdAckBody.MAXIMUM_WORDS) {
            return UdpCounter.RX_MALFORMED;
        }
        UdpCounter wrong = exact(length, RdAckBody.length(words), stated);
        if (wrong != null) {
            return wrong;
        }
        return bad(ack.window() == 0 || (ack.octet(RdAckBody.FLAGS_OFFSET) & ~RdAckBody.NOT_READY) != 0);
    }

    private @Nullable UdpCounter reset(ByteBuffer buffer, int at, int length, long stated) {
        UdpCounter wrong = exact(length, RdResetBody.LENGTH, stated);
        if (wrong != null) {
            return wrong;
        }
        reset.wrap(buffer, at);
        boolean error = reset.reason() == RdResetReason.REMOTE_ERROR.number();
        int control = reset.control();
        return bad(RdResetReason.of(reset.reason()) == null
                || reset.octet(RdResetBody.REFLECTED_OFFSET) > 1
                || reset.half(RdResetBody.ZERO_OFFSET) != 0
                || (error ? (control & NotifyBody.ZERO_BITS) != 0 : control != 0));
    }

    private @Nullable UdpCounter sack(ByteBuffer buffer, int at, int length, long stated) {
        if (length < RdSackBody.LENGTH) {
            return UdpCounter.RX_SHORT;
        }
        sack.wrap(buffer, at);
        int words = sack.words();
        if (words > RdSackBody.MAXIMUM_WORDS) {
            return UdpCounter.RX_MALFORMED;
        }
        UdpCounter wrong = exact(length, RdSackBody.length(words), stated);
        if (wrong != null) {
            return wrong;
        }
        boolean marks = (sack.congestionExperienced() | sack.capable()) != 0;
        return bad(sack.window() == 0
                || (sack.octet(RdSackBody.FLAGS_OFFSET) & ~(RdSackBody.NOT_READY | RdSackBody.ECN_VALID)) != 0
                || sack.firstWord() + words > RdSackBody.WORD_LIMIT
                || (marks && !sack.countsEcn()));
    }

    /** datagram-iWARP §4.4: pad belongs to the body here, so that a probe states how long it is. */
    private @Nullable UdpCounter probe(ByteBuffer buffer, int at, int length, long stated) {
        if (length < PathProbeBody.LEAST_LENGTH || length < stated) {
            return UdpCounter.RX_SHORT;
        }
        probe.wrap(buffer, at);
        return bad(length > stated || probe.half(PathProbeBody.ZERO_OFFSET) != 0);
    }

    /** datagram-iWARP §4.4 (DG-4.4-12): the Message Length is that of the message, so the extension says how long the content is. */
    private @Nullable UdpCounter part(ByteBuffer buffer, int at, int length) {
        if (length < 1) {
            return UdpCounter.RX_SHORT;
        }
        part.wrap(buffer, at - RdPartExtension.LENGTH);
        if (length < part.length()) {
            return UdpCounter.RX_SHORT;
        }
        return bad(length > part.length() || !part.legal());
    }

    private @Nullable UdpCounter pathReply(ByteBuffer buffer, int at, int length, long stated) {
        UdpCounter wrong = exact(length, PathReplyBody.LENGTH, stated);
        if (wrong != null) {
            return wrong;
        }
        reply.wrap(buffer, at);
        return bad(reply.half(PathReplyBody.ZERO_OFFSET) != 0);
    }
}
