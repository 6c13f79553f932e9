package dev.jwarp.transport.udp.wire;

import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;

/** Random legal datagrams. */
public final class Samples {
    /** The most bytes of a datagram. */
    private static final int ROOM = 8192;

    private static final int MOST_PAYLOAD = 1500;

    private Samples() {}

    /** Wraps a view around a buffer. */
    public static <T extends Body> T view(T view, ByteBuffer buffer, int offset) {
        view.wrap(buffer, offset);
        return view;
    }

    public static DatagramAddress source() {
        return new DatagramAddress().setIpv4(0xc000_0201, 40_000);
    }

    /** {@return any legal datagram of this Kind} */
    public static byte[] of(Kind kind, Random random) {
        ByteBuffer out = ByteBuffer.allocate(ROOM);
        int length =
                switch (kind) {
                    case DATA -> data(out, random);
                    case VERSION_LIST -> {
                        ShimHeader.write(out, 0, kind, shim(kind, random, ShimHeader.VERSIONS), 0);
                        yield ShimHeader.LENGTH;
                    }
                    default -> control(out, kind, random);
                };
        byte[] octets = new byte[new Crc().seal(out, 0, length)];
        out.get(0, octets);
        return octets;
    }

    public static <T> T any(T[] choice, Random random) {
        return choice[random.nextInt(choice.length)];
    }

    private static int queuePair(Random random) {
        return Shim.SMALLEST_QPN + random.nextInt(Shim.GROUP_QPN - Shim.SMALLEST_QPN);
    }

    private static Shim shim(Kind kind, Random random, long length) {
        boolean resolver = kind == Kind.RESOLVE || kind == Kind.RESOLVED;
        return new Shim()
                .addressed(queuePair(random), resolver ? Shim.RESOLVER_QPN : queuePair(random), random.nextInt())
                .message(kind == Kind.RD_ACK ? 0 : random.nextInt(), length)
                .segment(kind == Kind.NOTIFY ? random.nextInt(0x10000) : 0, 0)
                .flags(kind.reply(), kind == Kind.PATH_REPLY && random.nextBoolean(), false, false);
    }

    private static int data(ByteBuffer out, Random random) {
        boolean tagged = random.nextBoolean();
        int extension = random.nextInt(3);
        boolean cookie = extension == 1;
        boolean reliable = extension == 2;
        int segments = 1 + random.nextInt(3);
        int payload = random.nextInt(MOST_PAYLOAD);
        int size = segments == 1 ? payload : 256 + 4 * random.nextInt(300);
        int last = segments == 1 ? payload : 1 + random.nextInt(size);
        int index = random.nextInt(segments);
        boolean padded = index == segments - 1 && random.nextBoolean();
        size += segments == 1 && padded ? random.nextInt(50) : 0;
        int here = index == segments - 1 ? last : size;
        Shim shim = new Shim()
                .addressed(queuePair(random), queuePair(random), random.nextInt())
                .message(random.nextInt(), (long) (segments - 1) * size + last)
                .segment(index, size)
                .flags(!cookie && random.nextBoolean(), reliable, false, padded);
        ShimHeader.write(
                out,
                0,
                Kind.DATA,
                shim,
                (cookie ? ShimHeader.COOKIE : 0) | (reliable && random.nextBoolean() ? ShimHeader.ACK_WANTED : 0));
        int at = ShimHeader.LENGTH + extension(out, cookie, reliable, random);
        if (tagged) {
            TaggedHeader.write(out, at, index == segments - 1, 0, random.nextInt(), random.nextLong());
        } else {
            UntaggedHeader.write(out, at, index == segments - 1, 0, 0, shim.messageId());
        }
        byte[] octets = new byte[padded ? size : here];
        random.nextBytes(octets);
        int header = tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        out.put(at + header, octets);
        return at + header + octets.length;
    }

    private static int extension(ByteBuffer out, boolean cookie, boolean reliable, Random random) {
        if (cookie) {
            CookieBody.write(out, ShimHeader.LENGTH, random.nextLong(), random.nextLong());
            return CookieBody.LENGTH;
        }
        if (reliable) {
            view(new RdExtension(), out, ShimHeader.LENGTH)
                    .set(random.nextInt(), random.nextInt(), 1 + random.nextInt(0xffff));
            return RdExtension.LENGTH;
        }
        return 0;
    }

    private static int control(ByteBuffer out, Kind kind, Random random) {
        boolean cookie = !kind.reply() && random.nextBoolean();
        int at = ShimHeader.LENGTH + extension(out, cookie, false, random);
        int body = body(out, at, kind, random);
        ShimHeader.write(out, 0, kind, shim(kind, random, body), cookie ? ShimHeader.COOKIE : 0);
        return kind == Kind.RESOLVE ? ResolveBody.DATAGRAM_LENGTH - Crc.LENGTH : at + body;
    }

    private static int body(ByteBuffer out, int at, Kind kind, Random random) {
        ByteBuffer data = ByteBuffer.allocate(random.nextInt(ResolveBody.MAXIMUM_PRIVATE_LENGTH + 1));
        random.nextBytes(data.array());
        int window = 1 + random.nextInt(0xffff);
        int tag = random.nextInt() | 1;
        switch (kind) {
            case NOTIFY -> {
                view(new NotifyBody(), out, at).control(random.nextInt() & 0xffff_0000);
                return NotifyBody.LENGTH;
            }
            case CHALLENGE -> {
                CookieBody.write(out, at, random.nextLong(), random.nextLong());
                return CookieBody.LENGTH;
            }
            case RESOLVE -> {
                ResolveBody body = view(new ResolveBody(), out, at);
                body.set(random.nextLong(), 1 + random.nextInt(3), random.nextInt(0x10000));
                body.privateData(data, 0, data.capacity());
                return ResolveBody.LENGTH + data.capacity();
            }
            case RESOLVED -> {
                ResolvedBody body = view(new ResolvedBody(), out, at);
                ServiceStatus status = Objects.requireNonNull(ServiceStatus.of(random.nextInt(6)));
                body.status(status, random.nextInt(0x10000));
                if (status == ServiceStatus.FOUND) {
                    body.queuePair(1 + random.nextInt(2), queuePair(random), random.nextInt(), random.nextInt(0x10000));
                    body.limits(random.nextInt(0x10000), random.nextInt(), random.nextInt());
                }
                body.privateData(data, 0, data.capacity());
                return ResolvedBody.LENGTH + data.capacity();
            }
            case RD_OPEN, RD_ACCEPT -> {
                view(new RdOpenBody(), out, at).set(tag, random.nextInt(), random.nextInt(), window);
                return RdOpenBody.LENGTH;
            }
            case RD_RESET -> {
                RdResetBody body = view(new RdResetBody(), out, at);
                RdResetReason reason = any(RdResetReason.values(), random);
                body.set(
                        random.nextBoolean(),
                        reason,
                        reason == RdResetReason.REMOTE_ERROR ? random.nextInt() & 0xffff_0000 : 0);
                return RdResetBody.LENGTH;
            }
            case RD_ACK -> {
                RdAckBody body = view(new RdAckBody(), out, at);
                int words = random.nextInt(RdAckBody.MAXIMUM_WORDS + 1);
                int first = random.nextInt(RdAckBody.WORD_LIMIT - words + 1);
                body.set(random.nextInt(), window, random.nextBoolean(), first, words);
                body.echo(random.nextInt(), random.nextInt(0x10000));
                body.duplicates(random.nextInt(), random.nextInt());
                if (random.nextBoolean()) {
                    body.ecn(random.nextInt(), random.nextInt());
                }
                for (int i = 0; i < words; i++) {
                    body.word(i, random.nextLong());
                }
                return RdAckBody.length(words);
            }
            case PATH_PROBE -> {
                view(new PathProbeBody(), out, at).set(random.nextLong(), random.nextInt(0x10000));
                return PathProbeBody.LEAST_LENGTH + random.nextInt(MOST_PAYLOAD);
            }
            case PATH_REPLY -> {
                PathReplyBody body = view(new PathReplyBody(), out, at);
                body.set(random.nextLong(), random.nextInt(0x10000), random.nextInt(0x10000));
                body.received(random.nextInt(), random.nextInt(), random.nextInt());
                body.delay(random.nextInt(0x10000));
                return PathReplyBody.LENGTH;
            }
            default -> throw new IllegalArgumentException(kind + " has no body of its own");
        }
    }
}
