package dev.jwarp.conformance.datagram;

import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.suite.Attempt;
import dev.jwarp.conformance.wire.Octets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Access to the device for a case about datagrams: a fresh UDP port of the device, and the program above it. Every
 * exchange is recorded, and closed when the case ends.
 */
public final class DatagramTrial implements Attempt {
    /** Size in bytes of the receives, unless the case posts others. */
    public static final int RECEIVE = 4096;

    /** A service id for the cases. */
    public static final long SERVICE = 0x1122334455667788L;

    /**
     * Stands for any counter. If a socket returns several datagrams in one buffer, a datagram that is
     * longer than it states looks like two datagrams (§4.5), and the counter depends on that.
     */
    public static final String ANY = "any";

    /** T_idle in milliseconds: more than the 100 of §14, because the machine of the tester may be busy. */
    private static final int IDLE = 300;

    /** The counters of datagram-iWARP §5, in the order of its checks. */
    static final List<String> COUNTERS = List.of("""
            rx_short rx_crc rx_unsealed rx_seal_bad rx_seal_late rx_seal_replay rx_seal_other rx_version rx_kind rx_flags
            rx_malformed rx_group rx_qpn rx_qp_type rx_key rx_reply_unmatched rd_tag rd_reset_bad
            rd_ack_bad rd_dup rd_ahead ddp_version rdmap_version rdmap_opcode ddp_qn ddp_mo seg_shape
            msg_too_long seg_conflict dup_segment late no_recv_wr recv_too_small record_full stag_invalid
            stag_peer stag_rights to_wrap to_bounds read_malformed read_challenged read_too_long
            read_stag_invalid read_stag_peer read_rights read_wrap read_bounds read_busy rx_ok""".split("\\s"));

    private final InetSocketAddress target;
    private final @Nullable KeyRing keys;
    private final Patience patience;
    private final Random random;
    private final List<Exchange> exchanges = new CopyOnWriteArrayList<>();
    private final List<String> early = new ArrayList<>();
    private volatile @Nullable Program program;
    private volatile boolean abandoned;
    private boolean sealed;
    private int probes;

    DatagramTrial(InetSocketAddress target, @Nullable KeyRing keys, Patience patience, int seed) {
        this.target = target;
        this.keys = keys;
        this.patience = patience;
        // The numbers differ from those of an earlier run, which the device may remember.
        random = new Random(seed ^ System.nanoTime());
    }

    // ---- the device

    /** The program above the device, with a port that trusts no source. */
    public Program program() {
        return program == null ? program(false, IDLE) : program;
    }

    /**
     * The program above the device, with a port of the given properties; must be called first.
     *
     * @param trusted whether the address of the tester needs no proof
     * @param idleMillis T_idle of the queue pairs
     */
    public Program program(boolean trusted, int idleMillis) {
        try {
            Program opened = new Program(target, patience, this::tell);
            program = opened;
            opened.open(trusted, idleMillis, sealed);
            return opened;
        } catch (IOException e) {
            throw new Inconclusive("cannot reach the target: " + e.getMessage());
        }
    }

    /** Gives keys to the port of the device, so that all datagrams are in envelopes (§K.6); must be called first. */
    public DatagramTrial sealed() {
        if (keys == null) {
            throw new Skip("needs --keys FILE with the keys of the device's target");
        }
        sealed = true;
        try {
            program();
        } catch (Skip e) {
            throw new Skip("needs a datagram target with keys, the same as those of --keys");
        }
        return this;
    }

    private void tell(String sentence) {
        if (exchanges.isEmpty()) {
            early.add(sentence);
        } else {
            exchanges.get(exchanges.size() - 1).note(sentence);
        }
    }

    /** A UD queue pair with 32 receives of {@link #RECEIVE} bytes. */
    public QueuePair ud() {
        return queuePair(Program.UD, 32);
    }

    /** An RD queue pair with 32 receives of {@link #RECEIVE} bytes. */
    public QueuePair rd() {
        return queuePair(Program.RD, 32);
    }

    /** A queue pair of this type with so many receives of {@link #RECEIVE} bytes. */
    public QueuePair queuePair(int type, int receives) {
        QueuePair made = program().queuePair(type, 0);
        program().receives(made, RECEIVE, receives);
        return made;
    }

    // ---- the tester

    /** A new UDP port and QPN of the tester for this queue pair, unknown to the device. */
    public Exchange stranger(QueuePair queuePair) {
        return at(program().address(), queuePair);
    }

    /**
     * The same, with an address that a cookie has proved, so that the device sends NOTIFY. For queue pairs of type UD.
     */
    public Exchange known(QueuePair queuePair) {
        return stranger(queuePair).proved();
    }

    /** A UD queue pair with receives, and an exchange with it whose address is proved. */
    public Exchange known() {
        return known(ud());
    }

    /** A new UDP port of the tester that takes a question from any port of the device, like a resolver. */
    public Exchange resolver(QueuePair queuePair) {
        return at(new InetSocketAddress(program().address().getAddress(), 0), queuePair);
    }

    /** A new UDP port and QPN of the tester that sends to this address, such as that of a group. */
    public Exchange at(InetSocketAddress address, QueuePair theirs) {
        Exchange exchange = added(new UdpWire(program().local(), address), theirs);
        if (!sealed || keys == null) {
            return exchange;
        }
        InetAddress device = program().address().getAddress();
        KeyRing.Key key = keys.sending(device);
        if (key == null) {
            throw new Skip("needs a key in --keys to send to " + device + " with");
        }
        return exchange.sealed(new Envelopes(keys, key, random));
    }

    /** A member of a group, which receives what the port of the device sends to the group. */
    public Exchange member(InetSocketAddress group, QueuePair theirs) {
        return added(UdpWire.member(program().local(), group, program().address()), theirs);
    }

    private Exchange added(UdpWire wire, QueuePair theirs) {
        Exchange exchange = new Exchange(wire, theirs, patience, random);
        early.forEach(exchange::note);
        early.clear();
        exchanges.add(exchange);
        if (abandoned) {
            exchange.abandon();
        }
        return exchange;
    }

    public Patience patience() {
        return patience;
    }

    // ---- common steps of cases

    public DeviceCompletion completion() {
        return program().completion();
    }

    /** The next completion at the device behind those of flushed receives. */
    public DeviceCompletion completionAfterReceives() {
        DeviceCompletion c = completion();
        while (c.opcode() == DeviceCompletion.RECEIVE) {
            c.is(DeviceCompletion.RECEIVE, DeviceCompletion.WR_FLUSH_ERR);
            c = completion();
        }
        return c;
    }

    /** Checks that the device has reported no completion so far, as of {@code what}. */
    public void notCompleted(String what) {
        DeviceCompletion c = program().completion(0);
        unless(c == null, "no completion of " + what, c);
    }

    /** Sends a Send, which must be delivered. */
    public void delivered(Exchange exchange, Message send) {
        exchange.say(send);
        completion().received(exchange, send.payload());
    }

    /** Checks that a Send of the tester is delivered once: the device works, and earlier datagrams did no harm. */
    public void delivered(Exchange exchange) {
        try {
            delivered(exchange, exchange.send(Octets.pattern(25, ++probes)));
        } catch (Deviation e) {
            throw new Deviation("a good Send delivered: " + e.expected(), e.actual());
        }
    }

    /**
     * Checks that the device drops each of these datagrams without an answer or any other effect, and works before and
     * after. If the program reports the counters of §5, only this counter moves. The queue pair of the exchange is of
     * type UD and has a receive for the proof that the device works.
     */
    public void dropped(Exchange exchange, String counter, Datagram... wrong) {
        dropped(() -> delivered(exchange), exchange, counter, wrong);
    }

    /** The same with another proof that the device works. */
    public void dropped(Runnable alive, Exchange exchange, String counter, Datagram... wrong) {
        byte[][] octets = Arrays.stream(wrong).map(Datagram::bytes).toArray(byte[][]::new);
        dropped(alive, exchange, counter, exchange::sayOctets, octets);
    }

    /** The same for any bytes. */
    public void droppedOctets(Exchange exchange, String counter, byte[]... wrong) {
        dropped(() -> delivered(exchange), exchange, counter, exchange::sayOctets, wrong);
    }

    /** The same for bytes without an envelope. */
    public void droppedAsTheyAre(Exchange exchange, String counter, byte[]... wrong) {
        dropped(() -> delivered(exchange), exchange, counter, exchange::sayAsIs, wrong);
    }

    private void dropped(Runnable alive, Exchange exchange, String counter, Consumer<byte[]> say, byte[]... wrong) {
        alive.run();
        for (byte[] octets : wrong) {
            counted(counter, () -> say.accept(octets));
        }
        exchange.expectSilence();
        alive.run();
        notCompleted("a dropped datagram");
    }

    /**
     * Checks that the device answers each of these datagrams by a NOTIFY with this code, moves this counter, and works
     * afterwards.
     */
    public void refused(Exchange exchange, String counter, int code, Datagram... offenders) {
        for (Datagram offender : offenders) {
            counted(counter, () -> exchange.ask(offender, code));
        }
        delivered(exchange);
    }

    /** The same for messages of one datagram. */
    public void refused(Exchange exchange, String counter, int code, Message... offenders) {
        Datagram[] all = Arrays.stream(offenders).map(Message::one).toArray(Datagram[]::new);
        refused(exchange, counter, code, all);
    }

    /**
     * Checks that each of these datagrams moves exactly this counter of §5 by one; with {@link #ANY} one or
     * more counters, but not that of good datagrams.
     */
    public void counted(Exchange exchange, String counter, Datagram... said) {
        for (Datagram d : said) {
            counted(counter, () -> exchange.say(d));
        }
    }

    private void counted(String counter, Runnable saying) {
        Map<String, Long> before = program().counters();
        saying.run();
        if (before.isEmpty()) {
            return;
        }
        long deadline = System.nanoTime() + patience.answerMillis() * 1_000_000;
        Map<String, Long> moves = moves(before);
        while (moves.isEmpty() && System.nanoTime() < deadline) {
            moves = moves(before);
        }
        boolean any = counter.equals(ANY);
        unless(
                any ? !moves.isEmpty() && !moves.containsKey("rx_ok") : moves.equals(Map.of(counter, 1L)),
                any
                        ? "a counter of §5 to move, but not rx_ok"
                        : counter + " to move by one, and no other counter of §5",
                moves.isEmpty() ? "none moved" : "these moved: " + moves);
    }

    /** By how much the counters of §5 have moved since they had these values; those that have not are left out. */
    public Map<String, Long> moves(Map<String, Long> before) {
        Map<String, Long> moves = new TreeMap<>(program().counters());
        moves.keySet().retainAll(COUNTERS);
        moves.replaceAll((name, now) -> now - before.getOrDefault(name, 0L));
        moves.values().removeIf(by -> by == 0);
        return moves;
    }

    @Override
    public List<Transcript> recorded() {
        return exchanges.stream().map(Exchange::recorded).toList();
    }

    @Override
    public Set<String> relied() {
        Set<String> relied = new LinkedHashSet<>();
        exchanges.forEach(x -> relied.addAll(x.relied()));
        return relied;
    }

    @Override
    public void abandon() {
        abandoned = true;
        exchanges.forEach(Exchange::abandon);
        Program open = program;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        abandon();
    }
}
