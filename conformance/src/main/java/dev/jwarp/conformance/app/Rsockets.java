package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A program above rsockets of librdmacm that sends back each byte that it receives: {@code rstream -S 16 -C 1}, or a
 * TCP echo under {@code librspreload.so}. The private data describe memory at both ends. Data are RDMA Writes into that
 * memory, each followed by a Send of 4 bytes in the byte order of the device: 3 bits of kind, 29 bits of a number.
 *
 * <p>The tester sends only the Send, without a Write. The program then sends back the content of its memory.
 */
public final class Rsockets extends Application {
    /** For a device that is a server, in both directions: the first data of rstream. */
    private static final int BYTES = 16;

    private static final int RECORD = 40;
    private static final int WORD = 4;
    private static final int SGE = 16;
    private static final int IOMAP_ENTRY = 24;

    private static final int DATA = 0;
    private static final int CREDITS = 4;
    private static final int CONTROL = 7;

    /** More credits than a case ever uses. */
    private static final int OUR_CREDITS = 0x7FFF;

    private static final int BUFFER_LENGTH = 1 << 20;
    private static final long TABLE_STAG = 0x5100_0002L;
    private static final long TABLE = 0x20_0000L;
    private static final int ENTRIES = 2;

    private final boolean server;
    private @Nullable Region table;
    private boolean bigEndian;
    /** Size in bytes of a probe. */
    private int length = BYTES;
    /** Number of data bytes that have come from the device. */
    private long taken;

    /** The role of the program under test: a server if the device is the responder. */
    public Rsockets(Role device) {
        super("rsockets");
        server = device == Role.RESPONDER;
    }

    /** The private data of the tester: version, flags, credits, its table of places and its first place. */
    public static byte[] privateData() {
        return new Octets()
                .u8(1)
                .u8(0)
                .u16(OUR_CREDITS)
                .zeros(4)
                .u64(TABLE)
                .u32(TABLE_STAG)
                .u32(ENTRIES)
                .u64(BASE)
                .u32(STAG)
                .u32(BUFFER_LENGTH)
                .bytes();
    }

    @Override
    public boolean can(Ability ability) {
        return switch (ability) {
            case PROBE, RECEIVE_SIZE, WRITABLE -> true;
            default -> false;
        };
    }

    @Override
    protected void greet(Talk talk) {
        byte[] record = talk.theirs().ulpData();
        if (record.length < RECORD || record[0] != 1) {
            throw new Deviation(
                    "private data of rsockets, of version 1",
                    record.length == 0 ? "none" : record.length + " bytes: " + Octets.start(record));
        }
        bigEndian = (record[1] & 1) != 0;
        table = new Region(
                Octets.number(record, 16, 4),
                Octets.number(record, 8, 8),
                Octets.number(record, 20, 4) * SGE + iomap(record[7] & 0xFF) * IOMAP_ENTRY);
        if (!server) {
            length = (int) expectData();
        }
    }

    /** Number of entries of the table, from its encoding in 8 bits: above 128 in steps of 256. */
    private static long iomap(int scaled) {
        return scaled <= 0x80 ? scaled : (long) (scaled & 0x7F) << 8;
    }

    @Override
    public Segment probe() {
        return Segment.send(talk().nextSend(), new Octets().u32(ordered(length)).bytes());
    }

    /** A word of 4 bytes, to or from the byte order of the device. */
    private long ordered(long word) {
        return bigEndian ? word : Integer.toUnsignedLong(Integer.reverseBytes((int) word));
    }

    @Override
    public void expectAnswer() {
        long came = expectData();
        while (server && came < length) {
            came += expectData();
        }
        if (server && came != length) {
            throw new Deviation("the " + length + " bytes back that it was sent", came + " bytes");
        }
    }

    /** Reads the program's next data bytes and the messages between them. Returns the number of written bytes. */
    private long expectData() {
        long before = taken;
        while (true) {
            Segment next = talk().expect("an RDMA Write, or a Send", s -> s.is(Opcode.WRITE) || s.is(Opcode.SEND));
            if (next.is(Opcode.WRITE)) {
                written(next);
                continue;
            }
            byte[] payload = next.payload();
            if (payload.length != WORD || !next.last()) {
                throw new Deviation("a Send of 4 bytes, as all of rsockets have", next);
            }
            long said = ordered(Octets.number(payload, 0, WORD));
            int kind = (int) (said >> 29);
            if (kind == DATA) {
                long bytes = said & 0x1FFF_FFFF;
                if (bytes != taken - before) {
                    throw new Deviation(
                            "a Send that tells of the " + (taken - before) + " bytes that were written",
                            "one that tells of " + bytes);
                }
                return bytes;
            }
            if (kind != CREDITS && kind != CONTROL) {
                throw new Deviation("a Send of rsockets that tells of data or credits", Octets.hex(payload));
            }
        }
    }

    /** The device writes into the tester's memory: data in sequence, or one of its places into the table. */
    private void written(Segment write) {
        int bytes = write.payload().length;
        boolean data = write.stag() == STAG && write.to() == BASE + taken && taken + bytes <= BUFFER_LENGTH;
        boolean place =
                write.stag() == TABLE_STAG && write.to() >= TABLE && write.to() + bytes <= TABLE + (long) ENTRIES * SGE;
        boolean keepsAlive = bytes == 0;
        if (!data && !place && !keepsAlive) {
            throw new Deviation(
                    String.format("an RDMA Write to STag 0x%08x, TO 0x%x, where its next bytes go", STAG, BASE + taken),
                    write);
        }
        taken += data ? bytes : 0;
    }

    @Override
    public int receiveSize() {
        return WORD;
    }

    /** The table of places of the device; all of it is registered. */
    @Override
    public Region target() {
        return Objects.requireNonNull(table, "begin has not been called");
    }
}
