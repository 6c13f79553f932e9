package dev.jwarp.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A simulated byte stream between two sides. */
final class SimStream {
    final SimNetwork network;
    final SimLink link;
    private final SimEnd initiator;
    private final SimEnd responder;
    private final SimPipe toResponder;
    private final SimPipe toInitiator;

    /**
     * Creates a stream.
     *
     * @param established time when the responder is established, and the first byte may reach it
     */
    SimStream(
            SimNetwork network,
            SimLink link,
            SimEnd initiator,
            SimEnd responder,
            List<StreamFault> faults,
            long established) {
        this.network = network;
        this.link = link;
        this.initiator = initiator;
        this.responder = responder;
        toResponder =
                new SimPipe(this, initiator, responder, of(faults, StreamFault.Direction.TO_RESPONDER), established);
        toInitiator =
                new SimPipe(this, responder, initiator, of(faults, StreamFault.Direction.TO_INITIATOR), established);
    }

    private static List<StreamFault> of(List<StreamFault> faults, StreamFault.Direction direction) {
        List<StreamFault> chosen = new ArrayList<>(faults);
        chosen.removeIf(fault -> fault.direction() != direction || fault.kind() == StreamFault.Kind.LOST_CONNECT);
        chosen.sort(Comparator.comparingLong(StreamFault::octet));
        return chosen;
    }

    /** Both sides are established. */
    void open() {
        toResponder.open();
        toInitiator.open();
    }

    SimPipe outputOf(SimEnd end) {
        return end == initiator ? toResponder : toInitiator;
    }

    void strike(StreamFault.Kind kind, SimPipe pipe) {
        network.trace(kind, initiator, 0, 0);
        switch (kind) {
            case CLOSE -> {
                toResponder.endHere();
                toInitiator.endHere();
            }
            case HALF_CLOSE -> pipe.endHere();
            case RESET -> reset();
            case TIMED_OUT -> timeOut();
            case BLACKHOLE -> pipe.swallow();
            case CORRUPT, LOST_CONNECT -> throw new IllegalStateException(kind + " does not strike a stream");
        }
    }

    /** Both sides see a reset, unless they have closed already. */
    void reset() {
        cut();
        initiator.broken(this);
        responder.broken(this);
    }

    /** Both sides time out, unless they have closed already. */
    private void timeOut() {
        cut();
        initiator.timedOut(this);
        responder.timedOut(this);
    }

    /** Resets the stream on behalf of one side: the other sees it. */
    void resetBy(SimEnd end) {
        cut();
        SimEnd other = end == initiator ? responder : initiator;
        network.at(network.delayed(link), () -> other.broken(this));
    }

    private void cut() {
        toResponder.cut();
        toInitiator.cut();
    }
}
