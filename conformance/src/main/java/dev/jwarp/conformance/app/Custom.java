package dev.jwarp.conformance.app;

import dev.jwarp.conformance.app.CustomBytes.Field;
import dev.jwarp.conformance.app.CustomProgram.Kind;
import dev.jwarp.conformance.app.CustomProgram.Memory;
import dev.jwarp.conformance.app.CustomProgram.Step;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A program that a file describes (docs/conformance/custom.md). It can do only what the file says. */
public final class Custom extends Application {
    /** Least number of bytes that cases read (source) or write (target). */
    private static final int LEAST_SOURCE = 64;

    private static final int LEAST_TARGET = 1 << 20;

    private final CustomProgram program;
    /** The index of the probe whose Send makes the program issue an RDMA Read; -1: none. */
    private final int reading;

    private @Nullable Region region;
    private int turn;
    private long sends;
    private byte[] taken = new byte[0];
    private Region offered = new Region(STAG, BASE, 0);

    public Custom(CustomProgram program) {
        super("custom");
        this.program = program;
        reading = reading(program.probes());
    }

    private static int reading(List<List<Step>> probes) {
        for (int i = 0; i < probes.size(); i++) {
            List<Step> steps = probes.get(i);
            CustomBytes order = steps.get(0).bytes();
            List<Step> rest = steps.subList(2, steps.size());
            if (steps.get(1).kind() == Kind.READS
                    && order.has(Field.LENGTH)
                    && !rest.isEmpty()
                    && rest.stream().allMatch(s -> s.kind() == Kind.SENDS || s.kind() == Kind.SENDS_SAME)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean can(Ability ability) {
        return switch (ability) {
            case PROBE -> !program.probes().isEmpty();
            case FOLLOWS -> program.closes();
            case READS -> reading >= 0;
            case RECEIVE_SIZE -> program.receiveSize() > 0;
            case SOURCE -> has(Memory.READ, LEAST_SOURCE);
            case WRITABLE -> has(Memory.READ_AND_WRITE, LEAST_SOURCE);
            case TARGET -> has(Memory.READ_AND_WRITE, LEAST_TARGET);
            default -> false;
        };
    }

    private boolean has(Memory least, long length) {
        return program.memory().compareTo(least) >= 0 && (region == null || region.length() >= length);
    }

    @Override
    protected void greet(Talk talk) {
        Map<Field, Long> told = new EnumMap<>(Field.class);
        for (Step step : program.greeting()) {
            if (step.kind() == Kind.TAKES) {
                talk.send(Segment.send(talk.nextSend(), taken(step, program.offers(), STAG, BASE)));
            } else {
                told.putAll(follow(step));
            }
        }
        if (program.memory() != Memory.NONE) {
            region = new Region(
                    told.getOrDefault(Field.STAG, 0L),
                    told.getOrDefault(Field.TO, 0L),
                    told.getOrDefault(Field.LENGTH, program.memoryLength()));
        }
    }

    @Override
    public Segment probe() {
        return order(turn, program.offers(), STAG, BASE);
    }

    private Segment order(int probe, int length, long stag, long to) {
        Step first = program.probes().get(probe).get(0);
        return Segment.send(talk().nextSend(), taken(first, length, stag, to));
    }

    private byte[] taken(Step step, int length, long stag, long to) {
        offered = new Region(stag, to, length);
        Map<Field, Long> values = new EnumMap<>(Field.class);
        values.put(Field.STAG, stag);
        values.put(Field.TO, to);
        values.put(Field.LENGTH, (long) length);
        values.put(Field.COUNT, ++sends);
        taken = step.bytes().with(values);
        return taken;
    }

    @Override
    public void expectAnswer() {
        List<Step> steps = program.probes().get(turn);
        next();
        steps.stream().skip(1).forEach(this::follow);
    }

    private void next() {
        turn = (turn + 1) % program.probes().size();
    }

    @Override
    public void askReads(long stag, long to, int length, int count) {
        if (reading < 0) {
            throw unable(Ability.READS);
        }
        if (count != 1) {
            throw new Skip("needs a program that issues several RDMA Reads at once on command");
        }
        if (length > program.offers()) {
            throw new Skip("needs a program that reads " + length
                    + " bytes on command: this one takes offers of at most " + program.offers());
        }
        while (turn != reading) {
            talk().send(probe());
            expectAnswer();
        }
        next();
        talk().needReads();
        talk().send(order(reading, length, stag, to));
    }

    @Override
    public byte[] expectRead() {
        // The program's next message means that the Read has ended; whether that message shows the read bytes is not
        // known.
        program.probes().get(reading).stream().skip(2).forEach(this::follow);
        return new byte[0];
    }

    @Override
    public Region source() {
        if (!can(Ability.SOURCE)) {
            throw unable(Ability.SOURCE);
        }
        return region();
    }

    @Override
    public Region target() {
        if (!can(Ability.WRITABLE)) {
            throw unable(Ability.WRITABLE);
        }
        return region();
    }

    private Region region() {
        return Objects.requireNonNull(region, "begin has not been called");
    }

    @Override
    public byte[] peek(int offset, int length) {
        throw new Skip("needs a program that shows on command what is in its memory");
    }

    @Override
    public int receiveSize() {
        return program.receiveSize();
    }

    /** Plays each probe once: an answer that matches the file proves the ability. */
    @Override
    public void rehearse(Talk talk) {
        for (int i = 0; i < program.probes().size(); i++) {
            talk.send(probe());
            expectAnswer();
        }
    }

    /**
     * Waits for the program's next message; returns its fields. As long as no message has matched, the file may be
     * wrong.
     */
    private Map<Field, Long> follow(Step step) {
        try {
            Map<Field, Long> fields = done(step);
            program.show(step);
            return fields;
        } catch (Deviation e) {
            if (program.shown(step) || !e.requirement().isEmpty()) {
                throw e;
            }
            throw new Inconclusive(
                    "the program never did what the file says: expected " + e.expected() + ", got " + e.actual()
                            + ". Is the file right?",
                    e.suspects());
        }
    }

    private Map<Field, Long> done(Step step) {
        switch (step.kind()) {
            case PRIVATE_DATA -> {
                byte[] data = talk().theirs().ulpData();
                Map<Field, Long> fields = step.bytes().fields(data);
                if (fields == null) {
                    throw new Inconclusive("private data should be " + step.bytes() + line(step) + ", was "
                            + (data.length == 0 ? "none" : Octets.start(data)));
                }
                return fields;
            }
            case SENDS -> {
                byte[] came = talk().expectMessage(Opcode.SEND);
                Map<Field, Long> fields = step.bytes().fields(came);
                if (fields == null) {
                    throw new Deviation("a Send with " + step.bytes() + line(step), sent(came));
                }
                return fields;
            }
            case SENDS_SAME -> {
                byte[] came = talk().expectMessage(Opcode.SEND);
                if (!Arrays.equals(came, taken)) {
                    throw new Deviation(
                            "a Send with the bytes that the program took" + line(step) + ": " + Octets.start(taken),
                            sent(came));
                }
            }
            case READS -> read(step);
            case WRITES -> written(step);
            case TAKES -> throw new IllegalStateException("the tester sends it");
        }
        return Map.of();
    }

    private void read(Step step) {
        byte[] data = step.bytes().length() == 0
                ? Octets.pattern((int) offered.length(), 1)
                : step.bytes().with(Map.of());
        serve(offered, data, line(step));
    }

    private void written(Step step) {
        byte[] data = talk().expectMessage(Opcode.WRITE);
        Segment last = talk().seen().get(talk().seen().size() - 1).segment();
        long end = last.to() + last.payload().length;
        if (data.length != offered.length()
                || last.stag() != offered.stag()
                || end != offered.to() + offered.length()) {
            throw new Deviation(
                    "an RDMA Write of the " + offered.length() + " bytes that were offered" + line(step),
                    data.length + " bytes, at last " + last);
        }
    }

    private String line(Step step) {
        return " (line " + step.line() + " of " + program.file() + ")";
    }

    private static String sent(byte[] came) {
        return came.length == 0 ? "a Send of no bytes" : "a Send with " + Octets.start(came);
    }
}
