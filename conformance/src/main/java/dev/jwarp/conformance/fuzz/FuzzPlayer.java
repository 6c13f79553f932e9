package dev.jwarp.conformance.fuzz;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.conformance.suite.TestedDevice;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Plays mutated conversations with a device. */
public final class FuzzPlayer implements Campaign.Peer {
    /**
     * After so many quiet times without an answer a device counts as silent at start-up: it waits for the rest of the
     * frame.
     */
    private static final int START_TIMES = 4;

    /** Limit of a conversation's duration: so many answers, including those of start-up, and quiet times after them. */
    private static final int ANSWERS = 4;

    private static final int TIMES = 20;

    private static final ScheduledThreadPoolExecutor CLOCK = clock();

    private final TestedDevice device;
    private final Patience patience;
    private final long limitMillis;
    private @Nullable Wire last;
    private @Nullable ScheduledFuture<?> limit;

    public FuzzPlayer(TestedDevice device, Patience patience) {
        this(device, patience, TIMES * patience.quietMillis() + ANSWERS * patience.answerMillis());
    }

    FuzzPlayer(TestedDevice device, Patience patience, long limitMillis) {
        this.device = device;
        this.patience = patience;
        this.limitMillis = limitMillis;
    }

    private static ScheduledThreadPoolExecutor clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "conform-fuzz-clock");
            thread.setDaemon(true);
            return thread;
        });
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    /** The connection of the latest conversation, with its record; null before the first. */
    public @Nullable Wire last() {
        return last;
    }

    @Override
    public String play(Recipe recipe) {
        Talk talk;
        try {
            talk = connect();
        } catch (IOException e) {
            return "not connected";
        }
        try {
            return play(recipe, talk);
        } catch (Inconclusive | Skip e) {
            return "not served";
        } finally {
            talk.wire().reset();
        }
    }

    private Talk connect() throws IOException {
        Wire wire = device.connect();
        last = wire;
        // A device that sends without end, or stops reading, must not block the tester for ever.
        ScheduledFuture<?> before = limit;
        if (before != null) {
            before.cancel(false);
        }
        limit = CLOCK.schedule(wire::abandon, limitMillis, TimeUnit.MILLISECONDS);
        return new Talk(wire, device.role(), patience);
    }

    private String play(Recipe recipe, Talk talk) {
        Region region = new Region(0x1234_5678L, 0, 65_536);
        Application app = null;
        try {
            if (recipe.spoilsStart()) {
                if (!spoiltStart(recipe.acts().get(0), talk)) {
                    return talk.wire().ended() ? "closed at start-up" : "silent at start-up";
                }
            } else {
                app = opened(talk);
                region = app.can(Ability.TARGET) ? app.target() : app.can(Ability.SOURCE) ? app.source() : region;
            }
        } catch (Deviation e) {
            return recipe.spoilsStart() ? "closed at start-up" : "not served";
        }
        Speaker speaker = new Speaker(talk, app, region);
        for (Act act : recipe.acts()) {
            if (act.kind() == Act.Kind.RESET) {
                return "reset by the tester";
            }
            if (act.kind() != Act.Kind.START) {
                speaker.say(act);
            }
        }
        return ending(talk);
    }

    /** Begins full operation, and returns the program above the device. */
    private Application opened(Talk talk) {
        talk.open(device.survey().wanted(), frame -> frame);
        Application app = device.application();
        app.begin(talk);
        return app;
    }

    /**
     * Sends the tester's frame with a fault. If the device answers, full operation begins as the two frames agree;
     * otherwise returns false.
     */
    private boolean spoiltStart(Act act, Talk talk) {
        StartFrame right = device.role() == Role.RESPONDER
                ? device.survey().wanted().request()
                : device.survey().wanted().replyTo(talk.expectFrame());
        byte[] octets = right.bytes();
        switch (act.change()) {
            case BIT, BIT_ON_THE_WIRE -> octets[act.where() / 8 % octets.length] ^= (byte) (1 << act.where() % 8);
            case ONES -> octets[act.where() % octets.length] = -1;
            case SHORT, HALF -> octets = Arrays.copyOf(octets, act.where() % octets.length);
            case LONG -> octets = Arrays.copyOf(octets, octets.length + act.where() % 600);
            default -> {
                octets[18] = (byte) (act.where() >> 8);
                octets[19] = (byte) act.where();
            }
        }
        Speaker.send(talk, octets, act.cut(), "start-up frame, " + act.change());
        if (device.role() == Role.RESPONDER) {
            if (!talk.wire().await(StartFrame.HEADER, START_TIMES * patience.quietMillis())) {
                return false;
            }
            talk.expectFrame();
        }
        // The fault may have asked for Markers.
        boolean whole = octets.length >= StartFrame.HEADER;
        talk.begin(whole ? StartFrame.parse(octets) : right, talk.theirs());
        return true;
    }

    /** Reads until the device ends the connection or falls silent, and judges the received bytes. */
    private String ending(Talk talk) {
        String said = "";
        for (Fpdu fpdu = talk.nextFpdu(patience.quietMillis());
                fpdu != null;
                fpdu = talk.nextFpdu(patience.quietMillis())) {
            Segment segment = fpdu.segment();
            if (segment.is(Opcode.TERMINATE)) {
                TerminateFields terminated = TerminateFields.parse(segment.payload());
                said = terminated == null
                        ? "Terminate of no bytes"
                        : "Terminate " + TerminateFields.words(terminated.cause());
            }
        }
        Wire wire = talk.wire();
        if (wire.abandoned()) {
            return "no end within " + limitMillis + " ms";
        }
        return !said.isEmpty() ? said : wire.wasReset() ? "reset" : wire.ended() ? "closed" : "still open";
    }

    @Override
    public String serves() {
        try {
            Talk talk = connect();
            try {
                Application app = opened(talk);
                talk.send(app.probe());
                app.expectAnswer();
                return "";
            } finally {
                talk.wire().reset();
            }
        } catch (Deviation e) {
            return "a good client was served badly: " + e.getMessage();
        } catch (Skip e) {
            return "the program above the device serves no good client: " + e.getMessage();
        } catch (Inconclusive | IOException e) {
            return "a good client cannot connect: " + e.getMessage();
        }
    }

    @Override
    public void close() {
        device.close();
    }
}
