package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * The conformance target: {@code jwarp conform-target} and {@code interop/conform-target/}. Sends of 32 bytes and
 * more are commands, which the target answers with Sends; docs/conformance/target.md is the specification.
 */
public final class Echo extends Application {
    private static final long COMMAND = 0x4A435431; // "JCT1"
    private static final long ANSWER = 0x4A435231; // "JCR1"
    private static final int HEADER = 32;
    private static final int REGION = 24;

    /** Commands of the target. The numbers are part of the protocol. */
    enum Op {
        HELLO(1),
        ECHO(2),
        SENDS(3),
        WRITES(4),
        READS(5),
        PEEK(6),
        RECEIVES(7),
        DEREGISTER(8),
        REVOCABLE(9),
        CLOSE(10),
        END(11),
        CONFIGURE(12),
        ATOMIC(13);

        private final int number;

        Op(int number) {
            this.number = number;
        }
    }

    private static final int OK = 0;
    private static final int UNABLE = 1;

    private final Role device;
    private final Map<Rights, Region> regions = new EnumMap<>(Rights.class);
    private long features;
    private int receiveSize;
    private int tag;
    private byte[] probed = new byte[0];

    public Echo(Role device) {
        super("echo");
        this.device = device;
    }

    @Override
    public boolean known() {
        return false;
    }

    @Override
    public boolean can(Ability ability) {
        return ability.bit() == Ability.PROBE.bit() || (ability.ofProgram() && ((features >> ability.bit()) & 1) != 0);
    }

    @Override
    protected void greet(Talk talk) {
        talk.listen(this::heard);
        if (device == Role.RESPONDER) {
            command(Op.HELLO, 0, 0, 0, 0);
        }
        // An initiator must send first (RFC 5044 §7.1.2): it sends the answer to a HELLO without a HELLO.
        byte[] hello = answer(Op.HELLO);
        if (hello.length < HEADER + 8) {
            throw new Inconclusive("the target's HELLO has " + hello.length + " bytes: is the profile right?");
        }
        features = Octets.number(hello, HEADER, 4);
        receiveSize = (int) Octets.number(hello, HEADER + 4, 4);
        int at = HEADER + 8;
        for (Rights rights : Rights.values()) {
            // All zeros: memory that the target does not provide (docs/conformance/target.md).
            if (at + REGION <= hello.length && !Arrays.equals(hello, at, at + REGION, new byte[REGION], 0, REGION)) {
                regions.put(rights, region(hello, at));
            }
            at += REGION;
        }
    }

    /** The answer to HELLO has shown that the program is a target. */
    @Override
    public void rehearse(Talk talk) {}

    private static Region region(byte[] octets, int at) {
        return new Region(
                Octets.number(octets, at, 4), Octets.number(octets, at + 8, 8), Octets.number(octets, at + 16, 8));
    }

    @Override
    public Segment probe() {
        probed = new Octets()
                .u32(COMMAND)
                .u16(Op.ECHO.number)
                .u16(++tag)
                .zeros(HEADER - 8)
                // 25: so that its FPDU has a pad.
                .add(Octets.pattern(25, tag))
                .bytes();
        return Segment.send(talk().nextSend(), probed);
    }

    @Override
    public void expectAnswer() {
        byte[] answer = answer(Op.ECHO);
        if (!Arrays.equals(answer, HEADER, answer.length, probed, HEADER, probed.length)) {
            throw new Deviation("the bytes of the Send echoed", Octets.hex(answer));
        }
    }

    @Override
    public void askSends(SendKind kind, int length, int count, long invalidate) {
        command(Op.SENDS, length, count, kind.number(), invalidate);
    }

    @Override
    public void askWrites(long stag, long to, int length, int count) {
        command(Op.WRITES, length, count, to, stag);
    }

    @Override
    public void expectWritten() {
        answer(Op.WRITES);
    }

    @Override
    public void askReads(long stag, long to, int length, int count) {
        talk().needReads();
        command(Op.READS, length, count, to, stag);
    }

    @Override
    public byte[] expectRead() {
        return data(Op.READS);
    }

    @Override
    public Region target() {
        return region(Rights.ALL);
    }

    @Override
    public Region source() {
        return region(Rights.READ_ONLY);
    }

    @Override
    public Region region(Rights rights) {
        Region region = regions.get(rights);
        if (region == null) {
            throw new Skip("needs a target that has memory of the kind " + rights);
        }
        return region;
    }

    @Override
    public byte[] peek(int offset, int length) {
        command(Op.PEEK, length, 0, offset, 0);
        return data(Op.PEEK);
    }

    @Override
    public byte[] peek(Talk earlier, int offset, int length) {
        command(Op.PEEK, length, 0, offset, port(earlier));
        return data(Op.PEEK);
    }

    private byte[] data(Op op) {
        byte[] answer = answer(op);
        return Arrays.copyOfRange(answer, HEADER, answer.length);
    }

    /** Names an earlier connection by the TCP port of the end that connected. */
    private static int port(Talk earlier) {
        return (earlier.device() == Role.RESPONDER
                        ? earlier.wire().local()
                        : earlier.wire().peer())
                .getPort();
    }

    @Override
    public Region revocable() {
        command(Op.REVOCABLE, 0, 0, 0, 0);
        return region(answer(Op.REVOCABLE), HEADER);
    }

    @Override
    public void deregister(Rights rights) {
        askDeregister(rights);
        answer(Op.DEREGISTER);
    }

    @Override
    public void askDeregister(Rights rights) {
        command(Op.DEREGISTER, rights.number(), 0, 0, 0);
    }

    @Override
    public void keepReceives(int count) {
        command(Op.RECEIVES, count, 0, 0, 0);
        answer(Op.RECEIVES);
    }

    @Override
    public int receiveSize() {
        return receiveSize;
    }

    @Override
    public void askClose(int sends) {
        command(Op.CLOSE, sends, 0, 0, 0);
    }

    @Override
    public EndReport end(Talk earlier) {
        command(Op.END, 0, 0, 0, port(earlier));
        byte[] a = answer(Op.END);
        int[] n = new int[6];
        for (int i = 0; i < n.length; i++) {
            n[i] = (int) Octets.number(a, HEADER + 4 * i, 4);
        }
        return new EndReport(n[0], n[1], n[2], n[3], n[4], n[5] != 0);
    }

    @Override
    public int configure(DeviceConfiguration c) {
        Depths d = c.depths();
        int flags = (c.markers() ? 1 : 0)
                | (c.crc() ? 2 : 0)
                | (d.peerToPeer() ? 4 : 0)
                | (d.rtr() << 4)
                | (c.revision() << 8);
        command(Op.CONFIGURE, flags, c.mss(), d.ird(), d.ord());
        return (int) Octets.number(answer(Op.CONFIGURE), 16, 8);
    }

    @Override
    public void askAtomics(int count, int kind, long stag, long to, long... operands) {
        talk().needReads();
        Octets data = new Octets();
        for (long operand : operands) {
            data.u64(operand);
        }
        command(Op.ATOMIC, kind, count, to, stag, data.bytes());
    }

    @Override
    public long expectAtomic() {
        return Octets.number(answer(Op.ATOMIC), 16, 8);
    }

    private void command(Op op, long a, long b, long c, long d, byte... data) {
        talk().send(Segment.send(
                talk().nextSend(),
                new Octets()
                        .u32(COMMAND)
                        .u16(op.number)
                        .u16(++tag)
                        .u32(a)
                        .u32(b)
                        .u64(c)
                        .u64(d)
                        .add(data)
                        .bytes()));
    }

    /**
     * A target reports at once that it cannot carry out a command, whatever the case waits for
     * (docs/conformance/target.md).
     */
    private void heard(Segment segment) {
        byte[] said = segment.payload();
        if (!segment.is(Opcode.SEND) || said.length < HEADER || Octets.number(said, 0, 4) != ANSWER) {
            return;
        }
        for (Op op : Op.values()) {
            if (Octets.number(said, 4, 2) == op.number && Octets.number(said, 8, 4) == UNABLE) {
                throw new Skip("needs a target that can " + op);
            }
        }
    }

    private byte[] answer(Op op) {
        byte[] answer = talk().expectMessage(Opcode.SEND);
        if (answer.length < HEADER
                || Octets.number(answer, 0, 4) != ANSWER
                || Octets.number(answer, 4, 2) != op.number) {
            throw new Deviation("the target's answer to " + op, Octets.hex(answer));
        }
        long status = Octets.number(answer, 8, 4);
        if (status != OK) {
            throw new Inconclusive(
                    "the target could not " + op + ": status " + status + ", " + Octets.number(answer, 12, 4));
        }
        return answer;
    }
}
