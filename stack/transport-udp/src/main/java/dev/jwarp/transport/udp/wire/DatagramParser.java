package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Parses a datagram: checks 1 to 5 of datagram-iWARP §5, which need no queue pair. The results are valid until the next
 * call. One thread at a time; allocates nothing.
 */
public final class DatagramParser {
    /** A PATH-PROBE has at most one of these flags. */
    private static final int PROBE_FLAGS = ShimHeader.COOKIE | ShimHeader.RELIABLE | ShimHeader.REPLY;

    private final Crc crc = new Crc();
    private final BodyCheck bodies = new BodyCheck();
    private final ReceivedDatagram datagram = new ReceivedDatagram();
    private final Shim shim = datagram.shim();
    private final CookieBody cookie = new CookieBody();
    private final RdExtension channel = new RdExtension();

    private int version;
    private int flags;
    private Kind kind = Kind.DATA;

    /**
     * Checks a datagram. No field is used before the CRC is checked.
     *
     * @param buffer big-endian; position and limit are ignored
     * @param offset the index of octet 0
     * @param length the octets received; a datagram truncated by the socket must not come here, but counts as {@link
     *     UdpCounter#RX_SHORT}
     * @param source the source address
     * @return null if checks 1 to 5 are passed; else the counter of the first that failed (DG-5.1-2). After {@link
     *     UdpCounter#RX_VERSION} the version and the invariant fields of the shim may be asked: QPNs, Key, Message Id,
     *     flags R and G
     */
    public @Nullable UdpCounter parse(ByteBuffer buffer, int offset, int length, DatagramAddress source) {
        datagram.from(source);
        if (length < DatagramLength.SHORTEST) { // datagram-iWARP §5, check 1 (DG-5.1-1)
            return UdpCounter.RX_SHORT;
        }
        if (!crc.matches(buffer, offset, length)) { // datagram-iWARP §5, check 2 (DG-4.1-2)
            return UdpCounter.RX_CRC;
        }
        version = ShimHeader.version(buffer, offset);
        flags = ShimHeader.flags(buffer, offset);
        ShimHeader.read(buffer, offset, shim);
        UdpCounter wrong = kind(buffer, offset);
        if (wrong != null) {
            return wrong;
        }
        if (!flagsLegal() || !zerosLegal()) { // datagram-iWARP §5, check 4 (DG-5.1-4)
            return UdpCounter.RX_FLAGS;
        }
        return body(buffer, offset, length);
    }

    /**
     * {@return whether the datagram at {@code offset} has a correct CRC, and the shim of the adjacent datagram of the
     * same length before it, with a Segment Index that is one higher} If that one is DATA without an extension that has
     * passed checks 1 to 5, this one passes them, too. The parser's results stay those of the first one.
     */
    public boolean follows(ByteBuffer buffer, int offset, int length) {
        return ShimHeader.follows(buffer, offset - length, offset) && crc.matches(buffer, offset, length);
    }

    /** Checks 3 and 4: version and Kind. */
    private @Nullable UdpCounter kind(ByteBuffer buffer, int offset) {
        int code = ShimHeader.kindCode(buffer, offset);
        // datagram-iWARP §4.7: the only datagram of another version that is valid.
        if (version == 0 && code == Kind.VERSION_LIST.code()) {
            kind = Kind.VERSION_LIST;
            return null;
        }
        if (version != ShimHeader.VERSION) { // datagram-iWARP §5, check 3
            return UdpCounter.RX_VERSION;
        }
        Kind known = Kind.of(code);
        if (known == null) { // datagram-iWARP §5, check 4 (DG-5.1-3)
            return UdpCounter.RX_KIND;
        }
        kind = known;
        return null;
    }

    /** datagram-iWARP §4.2 (DG-5.1-4): the flags that a Kind may have and must have. */
    private boolean flagsLegal() {
        return switch (kind) {
            case DATA -> dataFlagsLegal();
            case RESOLVE, RD_OPEN -> (flags & ~ShimHeader.COOKIE) == 0;
            case PATH_PROBE -> flags == 0 || (Integer.bitCount(flags) == 1 && (flags & PROBE_FLAGS) != 0);
            case PATH_REPLY -> (flags & ~ShimHeader.RELIABLE) == ShimHeader.REPLY;
            case NOTIFY, CHALLENGE, RESOLVED, RD_ACCEPT, RD_ACK, RD_RESET, VERSION_LIST -> flags == ShimHeader.REPLY;
        };
    }

    private boolean dataFlagsLegal() {
        int exclusive = flags & (ShimHeader.COOKIE | ShimHeader.RELIABLE | ShimHeader.GROUP);
        boolean question = (flags & (ShimHeader.COOKIE | ShimHeader.GROUP)) != 0;
        return (flags & ShimHeader.RESERVED_FLAGS) == 0
                && Integer.bitCount(exclusive) <= 1
                && ((flags & ShimHeader.ACK_WANTED) == 0 || exclusive == ShimHeader.RELIABLE)
                && !(question && shim.reply()); // replies have no cookie, and are never sent to groups
    }

    /** datagram-iWARP §4.2 (DG-5.1-4): the fields of the shim that are zero in a Kind. */
    private boolean zerosLegal() {
        boolean segment = shim.segmentIndex() != 0 || shim.segmentSize() != 0;
        return switch (kind) {
            case DATA, NOTIFY -> true;
            default -> !segment;
        };
    }

    /** Check 5 (DG-5.1-1, DG-5.1-5). */
    private @Nullable UdpCounter body(ByteBuffer buffer, int offset, int length) {
        int extension = DatagramLength.extension(kind, flags);
        int bodyOffset = offset + ShimHeader.LENGTH + extension;
        int bodyLength = length - DatagramLength.SHORTEST - extension;
        datagram.body(buffer, bodyOffset, bodyLength);
        if (kind == Kind.RESOLVE && length != ResolveBody.DATAGRAM_LENGTH) { // datagram-iWARP §4.4
            return length < ResolveBody.DATAGRAM_LENGTH ? UdpCounter.RX_SHORT : UdpCounter.RX_MALFORMED;
        }
        UdpCounter wrong = bodies.check(kind, buffer, bodyOffset, bodyLength, shim.messageLength());
        if (wrong != null) {
            return wrong;
        }
        cookie.wrap(buffer, offset + ShimHeader.LENGTH);
        channel.wrap(buffer, offset + ShimHeader.LENGTH);
        boolean badChannel = kind == Kind.DATA
                && shim.reliable()
                && (channel.window() == 0 || channel.half(RdExtension.ZERO_OFFSET) != 0);
        DatagramAddress source = datagram.source();
        boolean badSource = source.port() == 0 || source.group();
        return badChannel || badSource || !sourceQpnLegal() ? UdpCounter.RX_MALFORMED : null;
    }

    /** §5.4 (DG-5.4-1): a queue pair's own number; in replies the number in the question, which may be 0. */
    private boolean sourceQpnLegal() {
        int number = shim.sourceQpn();
        boolean own = number >= Shim.SMALLEST_QPN && number != Shim.GROUP_QPN;
        return switch (kind) {
            case DATA -> own || (number == Shim.DEFAULT_QPN && shim.reply() && !shim.reliable());
            case NOTIFY -> own || number == Shim.DEFAULT_QPN;
            case CHALLENGE, VERSION_LIST -> own || number == Shim.DEFAULT_QPN || number == Shim.RESOLVER_QPN;
            case RESOLVE, RESOLVED -> number == Shim.RESOLVER_QPN;
            case PATH_PROBE -> own || (number == Shim.DEFAULT_QPN && shim.reply());
            case PATH_REPLY -> own || (number == Shim.DEFAULT_QPN && !shim.reliable());
            case RD_OPEN, RD_ACCEPT, RD_ACK, RD_RESET -> own;
        };
    }

    /** {@return the version in octet 0, 0 to 15} */
    public int version() {
        return version;
    }

    /** {@return the Kind; {@link Kind#VERSION_LIST} is the only one of another version} */
    public Kind kind() {
        return kind;
    }

    /** {@return the datagram for the layers above; the same object every time} In DATA the body is a DDP segment. */
    public ReceivedDatagram datagram() {
        return datagram;
    }

    /** {@return the shim; the same object every time} */
    public Shim shim() {
        return shim;
    }

    /** {@return flag C: the datagram has a cookie} */
    public boolean hasCookie() {
        return (flags & ShimHeader.COOKIE) != 0;
    }

    /** {@return the cookie; only with {@link #hasCookie}, and of a CHALLENGE} */
    public CookieBody cookie() {
        return cookie;
    }

    /** {@return flag A: an acknowledgement is wanted at once} */
    public boolean ackWanted() {
        return (flags & ShimHeader.ACK_WANTED) != 0;
    }

    /** {@return PSN, Ack and Window; only for DATA with flag D} */
    public RdExtension channel() {
        return channel;
    }

    /** {@return the versions of a {@link Kind#VERSION_LIST}, bit v for version v} */
    public int versions() {
        return (int) shim.messageLength();
    }
}
