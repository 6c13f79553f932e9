package dev.jwarp.conformance.datagram;

import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The tester's end of a reliable channel (datagram-iWARP §11). A channel does nothing by itself: it counts
 * PSNs and sends datagrams for the case. Datagrams of the device are recognised by their tag.
 */
public final class Channel {
    /** The window that the tester offers unless the case states another one. */
    public static final int WINDOW = 64;

    /** The first bit of a SACK word. */
    public static final long FIRST = 1L << 63;

    private static final long MASK = 0xFFFF_FFFFL;

    private final Exchange x;
    private final long mine;
    private final long theirs;
    private long next;
    private long expected;
    private int window = WINDOW;
    private int granted;
    private long acks;

    private Channel(Exchange x, long mine, long theirs, long next, long expected) {
        this.x = x;
        this.mine = mine;
        this.theirs = theirs;
        this.next = next & MASK;
        this.expected = expected & MASK;
    }

    // ---- opening

    /** Opens a channel as the opener. */
    public static Channel open(Exchange x) {
        return open(x, Bodies.open(x, x.anyNumber(), x.anyNumber(), 0, WINDOW));
    }

    /** Opens a channel by this RD-OPEN, with a cookie if the device wants one. */
    public static Channel open(Exchange x, Datagram open) {
        x.say(open);
        Datagram answer = x.expect("RD-ACCEPT or CHALLENGE", d -> d.is(Kind.RD_ACCEPT) || d.is(Kind.CHALLENGE));
        if (answer.is(Kind.CHALLENGE)) {
            x.say(open.cookie(answer.slice(24, 40)));
            answer = x.expect(Kind.RD_ACCEPT);
        }
        return accepted(x, open, answer);
    }

    /**
     * The channel of this RD-ACCEPT, which answers an RD-OPEN of the tester. An RD-ACCEPT that does not match is a
     * deviation.
     */
    public static Channel accepted(Exchange x, Datagram open, Datagram accept) {
        long tag = open.get(open.body(), 4);
        long psn = open.get(open.body() + 4, 4);
        unless(accept.key() == tag, "the opener's tag %08X as the Key of RD-ACCEPT".formatted(tag), accept);
        unless(
                accept.id() == open.id() && accept.to() == open.from() && accept.from() == open.to(),
                "Message Id and QPNs of the RD-OPEN in the RD-ACCEPT",
                accept);
        unless(accept.get(32, 4) == psn, "the opener's first PSN as Ack", accept);
        windowInRange(accept.get(36, 2), accept);
        Channel channel = new Channel(x, tag, accept.get(24, 4), psn, accept.get(28, 4));
        channel.granted = (int) accept.get(36, 2);
        return channel;
    }

    /** Answers an RD-OPEN of the device. */
    public static Channel accept(Exchange x, Datagram open, int window) {
        windowInRange(open.get(open.body() + 12, 2), open);
        Channel channel =
                new Channel(x, x.anyNumber(), open.get(open.body(), 4), x.anyNumber(), open.get(open.body() + 4, 4));
        channel.window = window;
        x.say(channel.acceptance(open));
        return channel;
    }

    /** Waits for an RD-OPEN of the device, and answers it. */
    public static Channel accept(Exchange x) {
        return accept(x, x.expect(Kind.RD_OPEN), WINDOW);
    }

    /** The RD-ACCEPT of this channel. */
    public Datagram acceptance(Datagram open) {
        return Bodies.accept(x, theirs, open.id(), mine, next, open.get(open.body() + 4, 4), window);
    }

    private static void windowInRange(long window, Datagram d) {
        unless(window >= 1 && window <= 32_768, "a window of 1 to 32,768", d);
    }

    // ---- state

    /** The tester's tag. */
    public long mine() {
        return mine;
    }

    /** The device's tag. */
    public long theirs() {
        return theirs;
    }

    /** The PSN of the tester's next datagram. */
    public long next() {
        return next;
    }

    /** The next PSN expected from the device. */
    public long expected() {
        return expected;
    }

    /** The window that the device granted in its RD-ACCEPT; 0 if the device opened the channel. */
    public int granted() {
        return granted;
    }

    /** Counts all DATA before this PSN as received. */
    public void expected(long psn) {
        expected = psn & MASK;
    }

    // ---- sending

    /** A datagram with these values in the fields of a channel. */
    public static Datagram framed(Datagram d, long tag, long psn, long ack, int window, int flags) {
        return d.afterShim(0, new Octets().u32(psn).u32(ack).u16(window).u16(0).bytes())
                .key(tag)
                .and(Datagram.D | flags);
    }

    /** DATA with this PSN. */
    public Datagram data(Datagram bare, long psn, int flags) {
        return framed(bare, theirs, psn & MASK, expected, window, flags);
    }

    /** DATA with the next PSN, which is counted; flag A asks for an RD-ACK at once. */
    public Datagram data(Datagram bare) {
        Datagram d = data(bare, next, Datagram.A);
        next = (next + 1) & MASK;
        return d;
    }

    /** Sends a message with the next PSNs. */
    public void say(Message message) {
        message.all().forEach(d -> x.say(data(d)));
    }

    /** An RD-ACK for all DATA before {@link #expected}. */
    public Datagram ack(boolean notReady, long... words) {
        return ack(expected, window, notReady, words);
    }

    /** An RD-ACK with the next number. */
    public Datagram ack(long ack, int granting, boolean notReady, long... words) {
        return Bodies.ack(x, theirs, ack, granting, notReady, words).id(acks++);
    }

    /** Acknowledges all DATA before {@link #expected}. */
    public void acknowledge() {
        acknowledge(0);
    }

    /** Counts so many more datagrams as received, and acknowledges all. */
    public void acknowledge(long more) {
        expected(expected + more);
        x.say(ack(false));
    }

    // ---- receiving

    private Datagram ours(Datagram d) {
        unless(d.is(Kind.RD_ACK) || (d.is(Kind.DATA) && d.has(Datagram.D)), "RD-ACK or DATA of the channel", d);
        unless(d.key() == mine, "our tag %08X as the Key".formatted(mine), d);
        unless(d.to() == x.number() && d.from() == x.theirs().number(), "the QPNs of the channel", d);
        windowInRange(d.is(Kind.DATA) ? d.get(32, 2) : d.get(28, 2), d);
        return d;
    }

    /**
     * The next datagram of the channel that passes the test, RD-ACK or DATA; null if none comes in time. Repetitions of
     * the channel's RD-OPEN are skipped: the device may have sent them before the answer arrived.
     */
    private @Nullable Datagram hear(long millis, Predicate<Datagram> wanted) {
        long end = x.elapsed() + millis;
        for (long left = millis; left > 0; left = end - x.elapsed()) {
            Datagram d = x.hear(left);
            if (d != null && !d.is(Kind.RD_OPEN) && wanted.test(ours(d))) {
                return d;
            }
        }
        return null;
    }

    private Datagram next(String what, Predicate<Datagram> wanted) {
        Datagram d = hear(x.patience().answerMillis(), wanted);
        if (d == null) {
            throw new Deviation(what, Deviation.NOTHING);
        }
        return d;
    }

    /** The next RD-ACK, whatever its Ack; DATA is skipped. */
    public Datagram anyAck() {
        return next("RD-ACK", d -> d.is(Kind.RD_ACK));
    }

    /** The RD-ACK with this Ack and no SACK words, which must come. Older RD-ACKs may come before it. */
    public Datagram expectAck(long ack) {
        return expectAck(ack, false);
    }

    /**
     * The RD-ACK with this Ack, these SACK words, and with or without RNR, which must come. RD-ACKs with a lower or
     * equal Ack may come before it.
     */
    public Datagram expectAck(long ack, boolean notReady, long... words) {
        List<String> sack = Arrays.stream(words).mapToObj(Long::toHexString).toList();
        String what = "RD-ACK %d%s with SACK words %s".formatted(ack & MASK, notReady ? " RNR" : "", sack);
        return next(what, d -> {
            boolean data = d.is(Kind.DATA);
            unless((int) (d.get(data ? 28 : 24, 4) - ack) <= 0, what + ", or an older one", d);
            return !data
                    && d.get(24, 4) == (ack & MASK)
                    && (d.get(30, 1) == 1) == notReady
                    && d.get(31, 1) == words.length
                    && IntStream.range(0, words.length).allMatch(i -> d.get(56 + 8 * i, 8) == words[i]);
        });
    }

    /** The next DATA, whatever its PSN; RD-ACKs are skipped. */
    public Datagram anyData() {
        return next("DATA of the channel", d -> d.is(Kind.DATA));
    }

    /** The DATA with the expected PSN, which then counts as received. Repetitions of older DATA are skipped. */
    public Datagram expectData() {
        while (true) {
            Datagram d = anyData();
            unless(ahead(d) <= 0, "DATA with PSN " + expected, d);
            if (ahead(d) == 0) {
                expected = (expected + 1) & MASK;
                return d;
            }
        }
    }

    /** The next DATA, or null if none comes within so many milliseconds. */
    public @Nullable Datagram maybeData(long millis) {
        return hear(millis, d -> d.is(Kind.DATA));
    }

    /** How far the PSN of this DATA is ahead of the expected PSN. */
    public int ahead(Datagram data) {
        return (int) (data.get(24, 4) - expected);
    }

    /** All DATA that comes within so many milliseconds. */
    public List<Datagram> flight(long millis) {
        List<Datagram> all = new ArrayList<>();
        long end = x.elapsed() + millis;
        for (Datagram d = maybeData(millis); d != null; d = maybeData(end - x.elapsed())) {
            all.add(d);
        }
        return all;
    }

    /**
     * DATA that must come: the first datagram within the time for an answer, and those that follow it; empty if none
     * comes.
     */
    public List<Datagram> nextFlight() {
        List<Datagram> all = new ArrayList<>();
        Datagram first = maybeData(x.patience().answerMillis());
        if (first != null) {
            all.add(first);
            all.addAll(flight(x.patience().quietMillis()));
        }
        return all;
    }

    /** Checks that a Send of the tester is delivered and acknowledged, so that the channel is open. */
    public Channel delivers(DatagramTrial t) {
        Message probe = x.send(Octets.pattern(25, 99));
        say(probe);
        expectAck(next);
        t.completion().received(x, probe.payload());
        return this;
    }

    /** The RD-RESET that must come; RD-ACKs are skipped. */
    public static Datagram expectReset(Exchange x, long key, boolean reflected, int reason, int code) {
        Datagram d;
        do {
            d = x.expect("RD-RESET " + reason, a -> a.is(Kind.RD_ACK) || a.is(Kind.RD_RESET));
        } while (d.is(Kind.RD_ACK));
        boolean fields = (d.get(24, 1) == 1) == reflected && d.get(25, 1) == reason && d.get(28, 2) == code;
        unless(
                fields && d.key() == key,
                "RD-RESET %d %s with Key %08X and code %04X"
                        .formatted(reason, reflected ? "reflected" : "not reflected", key, code),
                d);
        unless(d.to() == x.number() && d.from() == x.theirs().number(), "the QPNs of the channel", d);
        return d;
    }
}
