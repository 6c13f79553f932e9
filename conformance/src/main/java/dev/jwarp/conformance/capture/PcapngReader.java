package dev.jwarp.conformance.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * pcapng (draft-ietf-opsawg-pcapng): sections in both byte orders, several interfaces with a clock each, enhanced,
 * simple and obsolete packet blocks. Other blocks are skipped.
 */
final class PcapngReader extends CaptureReader {
    private static final int SECTION = 0x0A0D_0D0A;
    private static final int INTERFACE = 1;
    private static final int OLD_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;

    private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    /** Size of type and length before the body, and of the length after it. */
    private static final int AROUND = 12;

    private static final int HEAD = 8;
    private static final int SECTION_BODY = 16;
    private static final int MOST_INTERFACES = 1 << 16;

    private static final int OPTION_TIME_RESOLUTION = 9;
    private static final int OPTION_TIME_OFFSET = 14;

    /** The interfaces of the current section. */
    private record Link(int type, long snapLength, Clock clock) {}

    private final Input in;
    private final List<Link> links = new ArrayList<>();
    private ByteOrder order = ByteOrder.LITTLE_ENDIAN;
    private long frames;
    private long blocks;

    /** Begins after the first four bytes, the type of the first block. */
    PcapngReader(Input in) throws IOException {
        this.in = in;
        byte[] start = in.some(HEAD);
        if (start.length < HEAD) {
            throw new CaptureException(false, "the capture ends in the middle of its first block");
        }
        section(start);
    }

    @Override
    public @Nullable Frame next() throws IOException {
        while (true) {
            byte[] type = in.next(4, what());
            if (type == null) {
                return null;
            }
            if (ByteBuffer.wrap(type).getInt() == SECTION) {
                section(in.exactly(HEAD, what()));
                continue;
            }
            ByteBuffer head = ByteBuffer.wrap(type).order(order);
            long length = number(in.exactly(4, what()), 0);
            Frame frame = block(head.getInt(0), length);
            blocks++;
            if (frame != null) {
                return frame;
            }
        }
    }

    private @Nullable Frame block(int type, long length) throws IOException {
        checkLength(length);
        boolean wanted = type == INTERFACE || type == OLD_PACKET || type == SIMPLE_PACKET || type == ENHANCED_PACKET;
        if (!wanted) {
            in.skip(length - AROUND, what());
            checkTail(length);
            return null;
        }
        if (length > Input.MOST) {
            throw damaged("claims " + length + " bytes");
        }
        ByteBuffer body =
                ByteBuffer.wrap(in.exactly((int) length - AROUND, what())).order(order);
        checkTail(length);
        return switch (type) {
            case INTERFACE -> {
                link(body);
                yield null;
            }
            case SIMPLE_PACKET -> simple(body);
            default -> packet(body, type == OLD_PACKET);
        };
    }

    /** A section header: length and byte-order magic are given, the rest is read here. */
    private void section(byte[] start) throws IOException {
        int magic = ByteBuffer.wrap(start).getInt(4);
        if (magic == BYTE_ORDER_MAGIC) {
            order = ByteOrder.BIG_ENDIAN;
        } else if (magic == Integer.reverseBytes(BYTE_ORDER_MAGIC)) {
            order = ByteOrder.LITTLE_ENDIAN;
        } else {
            throw damaged("is a section without a byte-order magic");
        }
        long length = number(start, 0);
        checkLength(length);
        if (length < AROUND + SECTION_BODY) {
            throw damaged("is a section of only " + length + " bytes");
        }
        ByteBuffer versions = ByteBuffer.wrap(in.exactly(4, what())).order(order);
        int major = versions.getShort(0) & 0xFFFF;
        if (major != 1) {
            throw damaged("is a section of version " + major + " of pcapng, not 1");
        }
        in.skip(length - AROUND - HEAD, what());
        checkTail(length);
        links.clear();
        blocks++;
    }

    private void link(ByteBuffer body) throws CaptureException {
        if (body.capacity() < 8) {
            throw damaged("is an interface without its fields");
        }
        if (links.size() == MOST_INTERFACES) {
            throw damaged("is one interface too many");
        }
        int resolution = 6;
        long offset = 0;
        int at = 8;
        while (at + 4 <= body.capacity()) {
            int code = body.getShort(at) & 0xFFFF;
            int size = body.getShort(at + 2) & 0xFFFF;
            if (code == 0 || at + 4 + size > body.capacity()) {
                break;
            }
            if (code == OPTION_TIME_RESOLUTION && size == 1) {
                resolution = body.get(at + 4);
            } else if (code == OPTION_TIME_OFFSET && size == 8) {
                offset = body.getLong(at + 4);
            }
            at += 4 + ((size + 3) & ~3);
        }
        links.add(new Link(body.getShort(0) & 0xFFFF, body.getInt(4) & 0xFFFF_FFFFL, new Clock(resolution, offset)));
    }

    private Frame simple(ByteBuffer body) throws CaptureException {
        if (body.capacity() < 4) {
            throw damaged("is a simple packet without its length");
        }
        Link link = linkOf(0);
        long original = body.getInt(0) & 0xFFFF_FFFFL;
        long captured = Math.min(original, body.capacity() - 4);
        if (link.snapLength != 0) {
            captured = Math.min(captured, link.snapLength);
        }
        return new Frame(++frames, 0, link.type, octets(body, 4, (int) captured), original);
    }

    private Frame packet(ByteBuffer body, boolean old) throws CaptureException {
        if (body.capacity() < 20) {
            throw damaged("is a packet without its fields");
        }
        Link link = linkOf(old ? body.getShort(0) & 0xFFFF : body.getInt(0) & 0xFFFF_FFFFL);
        long ticks = ((body.getInt(4) & 0xFFFF_FFFFL) << 32) | (body.getInt(8) & 0xFFFF_FFFFL);
        long captured = body.getInt(12) & 0xFFFF_FFFFL;
        if (captured > body.capacity() - 20) {
            throw damaged("is a packet of %d bytes in a block that has room for %d"
                    .formatted(captured, body.capacity() - 20));
        }
        byte[] octets = octets(body, 20, (int) captured);
        return new Frame(++frames, link.clock.nanos(ticks), link.type, octets, body.getInt(16) & 0xFFFF_FFFFL);
    }

    private static byte[] octets(ByteBuffer body, int at, int length) {
        byte[] octets = new byte[length];
        body.get(at, octets);
        return octets;
    }

    private Link linkOf(long id) throws CaptureException {
        if (id >= links.size()) {
            throw damaged("names interface " + id + ", but the section has " + links.size());
        }
        return links.get((int) id);
    }

    private void checkLength(long length) throws CaptureException {
        if (length < AROUND || length % 4 != 0) {
            throw damaged("claims " + length + " bytes");
        }
    }

    private void checkTail(long length) throws IOException {
        long again = number(in.exactly(4, what()), 0);
        if (again != length) {
            throw damaged("is " + length + " bytes long by its first length and " + again + " by its last");
        }
    }

    private long number(byte[] octets, int at) {
        return ByteBuffer.wrap(octets).order(order).getInt(at) & 0xFFFF_FFFFL;
    }

    private String what() {
        return "block " + (blocks + 1);
    }

    private CaptureException damaged(String how) {
        return new CaptureException(
                true, "%s, at byte %d of the file, %s: the capture is damaged".formatted(what(), in.position(), how));
    }

    /** The meaning of an interface's time stamps. */
    static final class Clock {
        private static final long SECOND = 1_000_000_000L;

        private final long ticksPerSecond;
        private final long offsetSeconds;

        /**
         * @param resolution if_tsresol: 10 to the minus n, or with the highest bit set 2 to the minus n
         * @param offsetSeconds if_tsoffset
         */
        Clock(int resolution, long offsetSeconds) {
            int n = resolution & 0x7F;
            boolean binary = (resolution & 0x80) != 0;
            ticksPerSecond = n > (binary ? 62 : 18) ? 0 : (long) Math.pow(binary ? 2 : 10, n);
            this.offsetSeconds = offsetSeconds;
        }

        /** Nanoseconds since 1970; 0 if the resolution is finer than 64 bits can hold. */
        long nanos(long ticks) {
            if (ticksPerSecond == 0) {
                return 0;
            }
            long seconds = Long.divideUnsigned(ticks, ticksPerSecond);
            long rest = Long.remainderUnsigned(ticks, ticksPerSecond);
            // The product is below 10^9, so a double of 53 bits loses less than a nanosecond.
            long nanos = ticksPerSecond <= SECOND
                    ? rest * SECOND / ticksPerSecond
                    : (long) (rest * ((double) SECOND / ticksPerSecond));
            return (seconds + offsetSeconds) * SECOND + nanos;
        }
    }
}
