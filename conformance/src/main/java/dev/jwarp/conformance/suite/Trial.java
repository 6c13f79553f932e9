package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Access to the device for a case about connections. Every conversation that the case opens is recorded, and closed
 * when the case ends.
 */
public final class Trial implements Attempt {
    private final TestedDevice device;
    private final Patience patience;
    private final List<Ability> needs;
    private final List<Talk> talks = new CopyOnWriteArrayList<>();
    private Variation variation = Variation.USUAL;
    private boolean leftOpen;
    private volatile boolean abandoned;
    private volatile @Nullable Trial survey;
    private @Nullable Application app;

    Trial(TestedDevice device, Patience patience, List<Ability> needs) {
        this.device = device;
        this.patience = patience;
        this.needs = needs;
    }

    /** A new TCP connection on which no byte was sent. */
    public Talk connect() {
        return talk(-1);
    }

    /**
     * A new connection in full operation, with the program above ready. No case tests this. A failure is charged to the
     * requirement that the failure shows to be broken; otherwise the case is inconclusive.
     */
    public Talk open() {
        leftOpen = true;
        return prepared(() -> {
            Offer offer = offer(); // before the connection: the device may take one at a time
            Talk talk = connect();
            talk.writing(variation.writes());
            talk.open(variation.on(offer), frame -> frame);
            if (variation.start() == Variation.Start.PEER_TO_PEER) {
                ready(talk);
            }
            return begin(talk);
        });
    }

    /** RFC 6581 §9.2: between peers the first message of the initiator is empty, and of a kind that both ends can send. */
    private static void ready(Talk talk) {
        Depths theirs = talk.theirs().depths();
        if (theirs == null || !theirs.peerToPeer() || (theirs.rtr() & Depths.WRITE) == 0) {
            throw new Skip("needs a device that takes an empty RDMA Write as Ready-to-Receive message");
        }
        talk.send(Segment.write(0, 0, new byte[0]));
    }

    @Override
    public boolean under(Variation chosen) {
        variation = chosen;
        return chosen.fits(device.role());
    }

    @Override
    public boolean leavesOpen() {
        return leftOpen;
    }

    /** Prepares a case; a deviation in the preparation is not charged to the case's requirement. */
    private static Talk prepared(Supplier<Talk> preparation) {
        try {
            return preparation.get();
        } catch (Deviation e) {
            if (!e.requirement().isEmpty()) {
                throw e;
            }
            throw new Inconclusive("could not begin: expected " + e.expected() + ", got " + e.actual(), e.suspects());
        }
    }

    /** The same, with a changed start-up frame of the tester. */
    public Talk open(UnaryOperator<StartFrame> change) {
        offer(); // before the connection: the device may take one at a time
        return begin(connect(), change);
    }

    /** A new connection with the device in another configuration, in full operation, with the program above ready. */
    public Talk open(DeviceConfiguration configuration) {
        return open(configuration, frame -> frame);
    }

    /** The same, with a changed start-up frame of the tester. */
    public Talk open(DeviceConfiguration configuration, UnaryOperator<StartFrame> change) {
        return begin(connect(configuration), change);
    }

    /** A new connection in full operation on which the program above has answered. */
    public Talk probed() {
        return prepared(() -> probed(open()));
    }

    /** Makes the program above answer on the connection that was opened last. */
    public Talk probed(Talk talk) {
        talk.send(app().probe());
        app().expectAnswer();
        return talk;
    }

    private Talk begin(Talk talk, UnaryOperator<StartFrame> change) {
        talk.open(offer(), change);
        return begin(talk);
    }

    /** What the tester offers at start-up unless the case says otherwise, as far as the device accepts it. */
    public Offer offer() {
        // An initiator speaks first.
        return device.role() == Role.RESPONDER ? looked().offer() : wanted();
    }

    /** A Request of revision 1, for cases about start-up. */
    public StartFrame request() {
        return wanted().plainRequest();
    }

    /** What the tester would offer to any device. */
    public Offer wanted() {
        return device.survey().wanted();
    }

    private Survey looked() {
        Survey survey = device.survey();
        survey.look(this::another);
        String trouble = survey.trouble() + survey.otherProgram(); // at most one of them is known
        if (!trouble.isEmpty()) {
            throw new Inconclusive(trouble);
        }
        if (survey.rejects(device.role())) {
            throw new Inconclusive(
                    "the device rejects what the tester offers: does its program need --private-data, or another --profile?");
        }
        return survey;
    }

    /** A trial for conversations before the case. */
    private Trial another() {
        Trial other = new Trial(device, patience, List.of());
        survey = other;
        if (abandoned) {
            other.abandon();
        }
        return other;
    }

    /** Finds out what the device can do; with {@code closer}, also facts that no case depends on. */
    void survey(boolean closer) {
        device.survey().look(this::another);
        if (closer) {
            device.survey().lookCloser(this::another);
        }
    }

    /**
     * A new TCP connection with the device in another configuration; no byte was sent on it. Skips the case if the
     * device has no such configuration.
     */
    public Talk connect(DeviceConfiguration configuration) {
        Talk control = open();
        need(Ability.CONFIGURE);
        int port = app().configure(configuration.withRevision(Math.min(configuration.revision(), offer().revision())));
        control.close();
        return talk(port);
    }

    /**
     * Greets the program above on this connection, which is in full operation. Skips the case if the program cannot do what the case needs.
     */
    public Talk begin(Talk talk) {
        Application above = device.application();
        app = above;
        if (above.can(Ability.PROBE)) {
            talk.answers(above::probe);
        }
        above.begin(talk);
        needs.stream().filter(Ability::ofProgram).forEach(this::need);
        return talk;
    }

    /** Skips the case if the program above cannot do this. */
    public void need(Ability ability) {
        if (!app().can(ability)) {
            throw new Skip("needs " + ability.words());
        }
    }

    /** Skips the case if the user says that the device cannot do this. */
    public void unlessDenied(Ability ability) {
        String denied = device.survey().denial(ability);
        if (!denied.isEmpty()) {
            throw new Skip(denied);
        }
    }

    /** The program above the device, on the latest connection. */
    public Application app() {
        if (app == null) {
            throw new IllegalStateException("no connection was opened");
        }
        return app;
    }

    /** Closes a connection; its program reports on it over a new one. */
    public Application after(Talk ended) {
        ended.close();
        open();
        return app();
    }

    /** The latest connection. */
    public Talk current() {
        return talks.get(talks.size() - 1);
    }

    /** Checks that the device still serves: opens a new connection, sends a Send, and expects its answer. */
    public void stillServes() {
        try {
            probed();
        } catch (Deviation e) {
            if (!e.requirement().isEmpty()) {
                throw e;
            }
            throw new Deviation("a device that still serves a new connection: " + e.expected(), e.actual())
                    .suspecting(e.suspects());
        } catch (Inconclusive e) {
            throw new Deviation("a device that still serves a new connection", String.valueOf(e.getMessage()))
                    .suspecting(e.suspects());
        }
    }

    public Role device() {
        return device.role();
    }

    public Patience patience() {
        return patience;
    }

    private Talk talk(int port) {
        if (talks.isEmpty()) {
            for (Ability need : needs) {
                String lack = looked().lack(need, device.role());
                if (!lack.isEmpty()) {
                    throw new Skip(lack);
                }
            }
        }
        if (device.role() == Role.INITIATOR) {
            // The device connects anew when the previous connection has ended.
            talks.forEach(Talk::close);
        }
        if (abandoned) {
            throw new Inconclusive("given up by the tester");
        }
        if (!talks.isEmpty() && device.single()) {
            throw new Skip("needs a device that takes more than one connection");
        }
        try {
            Wire wire = port > 0 ? device.connect(port) : device.connect();
            Talk talk = new Talk(
                    wire, device.role(), patience.slowed(device.survey().took()));
            talks.add(talk);
            if (abandoned) {
                wire.abandon();
            }
            return talk;
        } catch (IOException e) {
            throw new Inconclusive(
                    (device.role() == Role.RESPONDER ? "cannot connect to " : "no connection came: ") + e.getMessage());
        }
    }

    @Override
    public void failed() {
        if (!talks.isEmpty()) {
            device.said().forEach(line -> current().wire().note("the device said: " + line));
        }
    }

    @Override
    public Set<String> relied() {
        Set<String> relied = new LinkedHashSet<>();
        talks.forEach(t -> relied.addAll(t.relied()));
        return relied;
    }

    @Override
    public List<Transcript> recorded() {
        return talks.stream().<Transcript>map(Talk::wire).toList();
    }

    @Override
    public void abandon() {
        abandoned = true;
        Trial before = survey;
        if (before != null) {
            before.abandon();
        }
        talks.forEach(t -> t.wire().abandon());
    }

    @Override
    public void close() {
        talks.forEach(Talk::close);
    }
}
