package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.ATOMICS;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.RIGHTS;
import static dev.jwarp.conformance.app.Ability.SOURCE;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.Rights;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Atomic operations and Immediate Data: RFC 7306. */
final class ExtensionCases {
    private static final int FETCH_ADD = 0;
    private static final int COMPARE_SWAP = 2;
    private static final long ALL = -1;
    private static final int MISALIGNED = 0x0207;
    private static final long SINK = FramingCases.SINK;

    @Case(
            value = "EXT-5.1.1-1 EXT-5.2.2-1: adds to 64 bits, drops the carry, and answers with the old value",
            needs = ATOMICS)
    void fetchAdd(Trial trial) {
        Talk talk = trial.probed();
        set(trial, talk, -1);
        unless(atomic(trial, talk, FETCH_ADD, 1, 0, 0, ALL) == -1, "the old value", "another");
        holds(trial, 0, "0 after the addition");
    }

    @Case(value = "EXT-5.1.1-2: lets no carry pass the bounds of a field", needs = ATOMICS)
    void fields(Trial trial) {
        Talk talk = trial.probed();
        set(trial, talk, 0x0000_0001_FFFF_FFFFL);
        atomic(trial, talk, FETCH_ADD, 0x0000_0001_0000_0001L, 0x8000_0000_8000_0000L, 0, ALL);
        holds(trial, 0x0000_0002_0000_0000L, "0x200000000");
    }

    @Case(
            value = "EXT-5.1.2-1: swaps the bits of its mask, and only where the compared bits are equal",
            needs = ATOMICS)
    void compareSwap(Trial trial) {
        Talk talk = trial.probed();
        set(trial, talk, 0x1122_3344_5566_7788L);
        long old = atomic(trial, talk, COMPARE_SWAP, ALL, 0xFFL, 0x1122_3344_5566_7788L, ALL);
        unless(old == 0x1122_3344_5566_7788L, "the old value", Long.toHexString(old));
        holds(trial, 0x1122_3344_5566_77FFL, "the low byte swapped");
        atomic(trial, talk, COMPARE_SWAP, 0, ALL, 0, ALL);
        holds(trial, 0x1122_3344_5566_77FFL, "nothing swapped where unequal");
        atomic(trial, talk, COMPARE_SWAP, 0, ALL, 0x1122L << 48, 0xFFFFL << 48);
        holds(trial, 0, "all swapped where the compared bits are equal");
    }

    @Case(value = "EXT-5-1: knows both atomic operations, or neither", needs = PROBE)
    void bothOrNeither(Trial trial) {
        Talk talk = trial.probed();
        if (!trial.app().can(Ability.ATOMICS)) {
            // The program does not report the operations of its device. With an unknown STag both are refused alike.
            boolean adds = refusesTheStag(talk, FETCH_ADD);
            boolean swaps = refusesTheStag(trial.probed(), COMPARE_SWAP);
            unless(
                    adds == swaps,
                    "both operations refused for one reason",
                    "the " + (adds ? "add" : "swap") + " known");
            return;
        }
        trial.need(Ability.TARGET);
        atomic(trial, talk, FETCH_ADD, 0, 0, 0, ALL);
        atomic(trial, talk, COMPARE_SWAP, 0, 0, 0, ALL);
    }

    /** Whether the device refuses the STag of this operation and not the operation itself. */
    private static boolean refusesTheStag(Talk talk, int operation) {
        talk.send(request(talk, operation, 1, 0, 0, 0, 0, 0, ALL));
        int cause = talk.expectTerminate(0x0206, 0x0207, 0x02FF, 0x0100, 0x0101, 0x0102, 0x0103)
                .cause();
        return cause < 0x0200;
    }

    @Case(value = "EXT-5.1.1-3 EXT-8.1-1: refuses to add where the address is no multiple of 8", needs = ATOMICS)
    void misalignedAdd(Trial trial) {
        misaligned(trial, FETCH_ADD);
    }

    @Case(value = "EXT-5.1.2-2: refuses to swap where the address is no multiple of 8", needs = ATOMICS)
    void misalignedSwap(Trial trial) {
        misaligned(trial, COMPARE_SWAP);
    }

    private static void misaligned(Trial trial, int operation) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        TerminateFields t = talk.refuses(request(talk, operation, 1, r.stag(), r.to() + 4, 1, ALL, 0, 0), MISALIGNED);
        unless(t.ddpHeader() != null && t.rdmapHeader() == null, "the DDP header and no RDMAP header", t);
    }

    @Case(value = "EXT-5.2.1-2: refuses an atomic operation that does not exist", needs = ATOMICS)
    void unknownOperation(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        talk.refuses(request(talk, 1, 1, r.stag(), r.to(), 1, 0, 0, ALL), 0x0206, 0x0207, 0x02FF);
    }

    @Case(
            value = "EXT-8.1-1 EXT-8.2-1: refuses an atomic operation on an STag that was never registered",
            needs = ATOMICS)
    void unknownStag(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        refused(talk, ~r.stag() & 0xFFFF_FFFFL, r.to(), 0x0100);
    }

    @Case(value = "EXT-8.1-1: refuses an atomic operation after the end of the region", needs = ATOMICS)
    void outOfBounds(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        refused(talk, r.stag(), r.to() + r.length(), 0x0101);
    }

    @Case(
            value = "EXT-8.1-1: refuses an atomic operation on memory without that right",
            needs = {ATOMICS, RIGHTS})
    void withoutRight(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().region(Rights.WRITE_ONLY);
        refused(talk, r.stag(), r.to(), 0x0102);
    }

    static void refused(Talk talk, long stag, long to, int cause) {
        TerminateFields t = talk.refuses(request(talk, FETCH_ADD, 7, stag, to, 1, 0, 0, ALL), cause);
        unless(t.rdmapHeader() == null, "no RDMAP header", t);
    }

    @Case(
            value = "EXT-5.2.1-4 EXT-5.2.2-2: executes atomic operations in the order of their arrival",
            needs = ATOMICS,
            after = "RDMAP-5.2.1-3 EXT-5.1.1-1")
    void inOrder(Trial trial) {
        Talk talk = trial.probed();
        set(trial, talk, 0);
        Region r = trial.app().target();
        Segment[] requests = new Segment[atOnce(talk.granted(), 10)];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = request(talk, FETCH_ADD, 100 + i, r.stag(), r.to(), 1, 0, 0, ALL);
        }
        talk.sendTogether(requests);
        for (int i = 0; i < requests.length; i++) {
            Segment s = talk.expect(Opcode.ATOMIC_RESPONSE);
            unless(
                    s.number(0, 4) == 100 + i && s.number(4, 8) == i,
                    "identifier " + (100 + i) + ", value " + i,
                    s.number(4, 8));
            unless(s.queue() == 3 && s.msn() == i + 1, "QN 3, MSN " + (i + 1), s.msn());
        }
    }

    @Case(
            value = "EXT-5.2.1-5: ignores the fields that an addition does not use",
            needs = ATOMICS,
            after = "EXT-5.1.1-1")
    void unusedFields(Trial trial) {
        Talk talk = trial.probed();
        set(trial, talk, 40);
        Region r = trial.app().target();
        Segment s = request(talk, FETCH_ADD, 9, r.stag(), r.to(), 2, 0, 0x5555_5555_5555_5555L, 0);
        byte[] payload = s.payload();
        payload[0] = (byte) 0xFF;
        payload[1] = (byte) 0xFF;
        talk.send(s.payload(payload).invalidate(0xFFFF_FFFFL));
        unless(talk.expect(Opcode.ATOMIC_RESPONSE).number(4, 8) == 40, "40", "another value");
        holds(trial, 42, "0x2A");
    }

    @Case(
            value = "EXT-5.4-1: adds to the value that an earlier Write in the same TCP segment wrote",
            needs = ATOMICS,
            after = "EXT-5.1.1-1")
    void addAfterWrite(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        talk.sendTogether(
                Segment.write(r.stag(), r.to(), memory(5)),
                request(talk, FETCH_ADD, 3, r.stag(), r.to(), 1, 0, 0, ALL));
        unless(talk.expect(Opcode.ATOMIC_RESPONSE).number(4, 8) == 5, "5", "another value");
    }

    @Case(
            value = "EXT-7-1 EXT-5.2.1-1: keeps the order of Reads and atomic operations",
            needs = {ATOMICS, SOURCE},
            after = "RDMAP-5.2.1-3")
    void readsAndAtomics(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().target();
        Segment[] requests = {
            Segment.readRequest(talk.nextRead(), SINK, 0, 50_000, r.stag(), r.to()),
            request(talk, FETCH_ADD, 3, r.stag(), r.to(), 1, 0, 0, ALL),
            Segment.readRequest(talk.nextRead(), SINK, 0, 8, r.stag(), r.to())
        };
        int count = atOnce(talk.granted(), requests.length);
        talk.sendTogether(Arrays.copyOf(requests, count));
        unless(talk.expectMessage(Opcode.READ_RESPONSE).length == 50_000, "the first Read's bytes", "others");
        talk.expect(Opcode.ATOMIC_RESPONSE);
        if (count == requests.length) {
            unless(talk.expectMessage(Opcode.READ_RESPONSE).length == 8, "the second Read's bytes", "others");
        }
    }

    @Case(
            value =
                    "EXT-5.2.1-5 EXT-4.1-1 EXT-5.4-2: encodes an Atomic Request as the RFC draws it, and waits for its Response",
            needs = ATOMICS,
            after = "EXT-5.1.1-1")
    void ownRequest(Trial trial) {
        Talk talk = trial.probed();
        trial.app().askAtomic(FETCH_ADD, SINK, 0x4000, 3, 0, 0, ALL);
        Segment s = talk.expect(Opcode.ATOMIC_REQUEST);
        unless(s.payload().length == 52 && s.queue() == 1 && s.last(), "52 bytes on QN 1", Octets.hex(s.bytes()));
        unless(s.number(0, 4) == FETCH_ADD, "AOpCode 0 and reserved bits of 0", s.number(0, 4));
        unless(s.number(8, 4) == SINK && s.number(12, 8) == 0x4000, "the STag and TO", Octets.hex(s.bytes()));
        unless(s.number(20, 8) == 3, "Add Data 3", s.number(20, 8));
        unless(
                s.number(36, 8) == 0 && s.number(44, 8) == ALL,
                "Compare Data 0, Compare Mask all ones",
                Octets.hex(s.bytes()));
        talk.expectSilence();
        talk.send(response(s.number(4, 4), 77));
        unless(trial.app().expectAtomic() == 77, "77 given to its program", "another value");
    }

    @Case(value = "EXT-5.2.2-3: refuses an Atomic Response that it did not ask for", needs = PROBE)
    void unsolicitedResponse(Trial trial) {
        trial.probed().refuses(response(1, 1), 0x1202, 0x0206, 0x1201);
    }

    @Case(value = "EXT-5.2.2-3: refuses an Atomic Response with another identifier", needs = ATOMICS)
    void wrongIdentifier(Trial trial) {
        Talk talk = trial.probed();
        trial.app().askAtomic(FETCH_ADD, SINK, 0x4000, 3, 0, 0, ALL);
        Segment s = talk.expect(Opcode.ATOMIC_REQUEST);
        talk.refuses(response(s.number(4, 4) ^ 0xFF, 77), 0x02FF, 0x0206, 0x0207);
    }

    @Case(value = "EXT-5.2.1-3: does not report an atomic operation to its program", needs = ATOMICS)
    void programHearsNothing(Trial trial) {
        Talk talk = trial.probed();
        set(trial, talk, 1);
        atomic(trial, talk, FETCH_ADD, 1, 0, 0, ALL);
        talk.expectSilence();
        trial.probed(talk);
    }

    @Case(value = "EXT-5.2.2-4 EXT-5.2.1-1: takes the answers to many atomic operations at once", needs = ATOMICS)
    void manyAnswers(Trial trial) {
        Talk talk = trial.probed();
        int count = atOnce(talk.asked(), 8);
        trial.app().askAtomics(count, FETCH_ADD, SINK, 0x4000, 3, 0, 0, ALL);
        Segment[] answers = new Segment[count];
        for (int i = 0; i < count; i++) {
            Segment s = talk.expect(Opcode.ATOMIC_REQUEST);
            unless(s.msn() == i + 1, "MSN " + (i + 1) + " on queue 1", s.msn());
            answers[i] = response(s.number(4, 4), 70 + i).msn(i + 1);
        }
        talk.sendTogether(answers);
        unless(
                trial.app().expectAtomic() == 70 + count - 1,
                "the value of the last one given to its program",
                "another");
    }

    /** The number of wanted requests, limited by the agreed depth. */
    private static int atOnce(int depth, int wanted) {
        if (depth < 2) {
            throw new Skip("needs a device with a read depth of 2 or more");
        }
        return Math.min(depth, wanted);
    }

    /** An Atomic Request; the operands are the data, their mask, the compared data and their mask. */
    static Segment request(Talk talk, int operation, long id, long stag, long to, long... operands) {
        Octets payload = new Octets().u32(operation).u32(id).u32(stag).u64(to);
        for (long operand : operands) {
            payload.u64(operand);
        }
        return Segment.of(Opcode.ATOMIC_REQUEST).msn(talk.nextRead()).payload(payload.bytes());
    }

    static Segment response(long id, long value) {
        return Segment.of(Opcode.ATOMIC_RESPONSE)
                .msn(1)
                .payload(new Octets().u32(id).u64(value).bytes());
    }

    /** One atomic operation on the start of the region with all rights; returns the old value. */
    static long atomic(Trial trial, Talk talk, int operation, long... operands) {
        Region r = trial.app().target();
        talk.send(request(talk, operation, 42, r.stag(), r.to(), operands));
        Segment s = talk.expect(Opcode.ATOMIC_RESPONSE);
        if (s.number(0, 4) != 42) {
            throw Deviation.from("EXT-5.2.2-1", "the request's identifier, 42", String.valueOf(s.number(0, 4)));
        }
        return s.number(4, 8);
    }

    static void set(Trial trial, Talk talk, long value) {
        Region r = trial.app().target();
        talk.send(Segment.write(r.stag(), r.to(), memory(value)));
    }

    /** A value in the byte order of the device's memory; on the wire it is big-endian (RFC 7306 §5). */
    static byte[] memory(long value) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.nativeOrder())
                .putLong(value)
                .array();
    }

    static void holds(Trial trial, long value, String expected) {
        long held = ByteBuffer.wrap(trial.app().peek(0, 8))
                .order(ByteOrder.nativeOrder())
                .getLong();
        unless(held == value, expected, "0x%X".formatted(held));
    }
}
