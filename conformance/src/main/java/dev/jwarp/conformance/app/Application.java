package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The program above the device under test, as the tester sees it over one connection. RDMAP does nothing by itself: a
 * program makes the device send, accept or refuse something, and programs differ in their abilities.
 *
 * <p>Each connection has its own application. Only {@link #name}, {@link #known} and {@link #can} may be called before
 * {@link #begin}. A method that the program cannot carry out throws an {@link UnsupportedOperationException}: a fault
 * of the case, which did not declare the need.
 */
public abstract class Application {
    /** Memory of the tester that a program is offered if the case does not offer other memory. */
    static final long STAG = 0x5100_0001L;

    static final long BASE = 0x10_0000L;

    private final String name;
    private @Nullable Talk talk;

    /**
     * A program of this profile.
     *
     * @param name of the profile on the command line
     */
    protected Application(String name) {
        this.name = name;
    }

    /** The profile's name on the command line. */
    public final String name() {
        return name;
    }

    /** Whether the program can do this; certain after {@link #begin}. */
    public abstract boolean can(Ability ability);

    /** Whether {@link #can} is certain before {@link #begin}. Then a case can be skipped without a connection. */
    public boolean known() {
        return true;
    }

    /** Greets the program in full operation as its protocol demands, and finds out its abilities. */
    public final void begin(Talk talk) {
        this.talk = talk;
        greet(talk);
    }

    /** The exchange of {@link #begin}. */
    protected void greet(Talk talk) {}

    /** The conversation with the device. */
    final Talk talk() {
        return Objects.requireNonNull(talk, "begin has not been called");
    }

    /** Waits for the program's Read of exactly this memory of the tester, and answers it. */
    final void serve(Region offered, byte[] data, String where) {
        talk().needReads();
        Segment request = talk().expect(Opcode.READ_REQUEST);
        if (request.number(12, 4) != offered.length()
                || request.number(16, 4) != offered.stag()
                || request.number(20, 8) != offered.to()) {
            throw new Deviation(
                    "a Read Request for the " + offered.length() + " bytes that were offered" + where,
                    Octets.hex(request.bytes()));
        }
        talk().send(Segment.response(request, data));
    }

    final UnsupportedOperationException unable(Ability ability) {
        return new UnsupportedOperationException("the profile " + name + " has not: " + ability.words());
    }

    /**
     * Finds out, before the cases and after {@link #begin}, whether the program matches the profile. The device is not
     * charged with the result.
     */
    public void rehearse(Talk talk) {
        if (can(Ability.PROBE)) {
            talk.send(probe());
            expectAnswer();
        }
    }

    /** A Send with the next MSN; the program must answer it if the device delivers it. */
    public Segment probe() {
        throw new Skip("needs " + Ability.PROBE.words());
    }

    /** Waits for the answer to {@link #probe}. */
    public void expectAnswer() {
        throw new Skip("needs " + Ability.PROBE.words());
    }

    /**
     * Makes the program send {@code count} messages of {@code length} bytes, the i-th with
     * {@code pattern(length, i)}; some kinds name an STag to invalidate.
     */
    public void askSends(SendKind kind, int length, int count, long invalidate) {
        throw unable(Ability.SENDS);
    }

    /**
     * Makes the program write {@code count} messages of {@code length} bytes, one after the other from
     * {@code to} on, and a Send after them.
     */
    public void askWrites(long stag, long to, int length, int count) {
        throw unable(Ability.WRITES);
    }

    /** Waits for the Send that says that the Writes are done. */
    public void expectWritten() {
        throw unable(Ability.WRITES);
    }

    /**
     * Makes the program read {@code count} times {@code length} bytes, one range after the other from {@code to} on.
     */
    public void askReads(long stag, long to, int length, int count) {
        throw unable(Ability.READS);
    }

    /** Waits for the Send that says that the Reads are done; returns the bytes of the last Read, at most 2,048. */
    public byte[] expectRead() {
        throw unable(Ability.READS);
    }

    /** Memory with all rights, or only with the right to write if the program does not show its content. */
    public Region target() {
        throw unable(Ability.TARGET);
    }

    /** Memory that the tester may read, filled with {@code pattern(length, 0)}. */
    public Region source() {
        throw unable(Ability.SOURCE);
    }

    /** Memory with exactly these rights. */
    public Region region(Rights rights) {
        throw unable(Ability.RIGHTS);
    }

    /** The bytes at an offset of {@link #target}, at most 2,048, as the program sees them. */
    public byte[] peek(int offset, int length) {
        throw unable(Ability.TARGET);
    }

    /** The bytes at an offset of the {@link #target} of an earlier connection, at the end of that connection. */
    public byte[] peek(Talk earlier, int offset, int length) {
        throw unable(Ability.COMPLETIONS);
    }

    /** Prepares the program for the invalidation of an STag; returns memory whose STag may be invalidated remotely. */
    public Region revocable() {
        throw unable(Ability.INVALIDATE);
    }

    /** Makes the program deregister the memory with these rights. Its STag is invalid afterwards. */
    public void deregister(Rights rights) {
        throw unable(Ability.REGISTERS);
    }

    /** The same without waiting for the answer. */
    public void askDeregister(Rights rights) {
        throw unable(Ability.REGISTERS);
    }

    /** Makes the program keep exactly {@code count} receives posted and post no more. */
    public void keepReceives(int count) {
        throw unable(Ability.RECEIVES);
    }

    /** Size in bytes of each of the program's receive buffers. */
    public int receiveSize() {
        throw unable(Ability.RECEIVE_SIZE);
    }

    /** Makes the program end the connection gracefully, after {@code sends} Sends. */
    public void askClose(int sends) {
        throw unable(Ability.CLOSES);
    }

    /** How the work of an earlier connection ended. */
    public EndReport end(Talk earlier) {
        throw unable(Ability.COMPLETIONS);
    }

    /** Makes the program issue an atomic operation; {@code operands} are add or swap, its mask, compare, its mask. */
    public final void askAtomic(int kind, long stag, long to, long... operands) {
        askAtomics(1, kind, stag, to, operands);
    }

    /** Makes the program issue so many atomic operations at once. */
    public void askAtomics(int count, int kind, long stag, long to, long... operands) {
        throw unable(Ability.ATOMICS);
    }

    /** Waits for the Send that says that the atomic operations are done; returns the original value of the last one. */
    public long expectAtomic() {
        throw unable(Ability.ATOMICS);
    }

    /**
     * Makes the device ready for one more connection, in another configuration.
     *
     * @return the port to connect to if the device is the responder; 0 if the device is the initiator, whose
     *     next connection has the configuration
     */
    public int configure(DeviceConfiguration configuration) {
        throw unable(Ability.CONFIGURE);
    }

    /** The kinds of messages on queue 0. */
    public enum SendKind {
        SEND(0),
        SEND_SE(1),
        SEND_INVALIDATE(2),
        SEND_SE_INVALIDATE(3),
        IMMEDIATE(4),
        IMMEDIATE_SE(5);

        private final int number;

        SendKind(int number) {
            this.number = number;
        }

        /** Its number in docs/conformance/target.md. */
        int number() {
            return number;
        }
    }

    /** Sets of rights. */
    public enum Rights {
        ALL(0),
        READ_ONLY(1),
        WRITE_ONLY(2),
        NONE(3),
        OTHER_DOMAIN(4);

        private final int number;

        Rights(int number) {
            this.number = number;
        }

        /** Its number in docs/conformance/target.md. */
        int number() {
            return number;
        }
    }

    /**
     * The end of a connection, as the program saw it.
     *
     * @param delivered messages delivered to it
     * @param good work requests that succeeded
     * @param failed work requests that failed, without the flushed ones
     * @param flushed work requests that were flushed
     * @param outstanding work requests that never completed
     * @param clean whether the program learned that the peer ended the connection gracefully
     */
    public record EndReport(int delivered, int good, int failed, int flushed, int outstanding, boolean clean) {}

    /**
     * Memory of the device under test, as the program above it advertised it.
     *
     * @param stag its STag
     * @param to its first byte
     * @param length bytes
     */
    public record Region(long stag, long to, long length) {}

    /**
     * The configuration of a device for one connection, if its program can choose it.
     *
     * @param markers whether the device asks for Markers
     * @param crc whether the device asks for CRCs
     * @param revision the MPA revision of the device, 1 or 2
     * @param depths IRD and ORD of the device, and its supported Ready-to-Receive messages
     * @param mss the maximum segment size for its MULPDU; 0 leaves it to the device
     */
    public record DeviceConfiguration(boolean markers, boolean crc, int revision, Depths depths, int mss) {
        /** CRCs, no Markers, revision 2, 16 reads each way, client and server. */
        public static final DeviceConfiguration USUAL =
                new DeviceConfiguration(false, true, 2, Depths.clientServer(16, 16), 0);

        public DeviceConfiguration withMarkers() {
            return new DeviceConfiguration(true, crc, revision, depths, mss);
        }

        public DeviceConfiguration withoutCrc() {
            return new DeviceConfiguration(markers, false, revision, depths, mss);
        }

        public DeviceConfiguration withRevision(int revision) {
            return new DeviceConfiguration(markers, crc, revision, depths, mss);
        }

        public DeviceConfiguration with(Depths depths) {
            return new DeviceConfiguration(markers, crc, revision, depths, mss);
        }

        public DeviceConfiguration withMss(int mss) {
            return new DeviceConfiguration(markers, crc, revision, depths, mss);
        }
    }

    /** A program that is not known: only requirements that need no program can be tested. */
    public static final class UnknownProgram extends Application {
        public UnknownProgram() {
            super("none");
        }

        @Override
        public boolean can(Ability ability) {
            return false;
        }
    }
}
