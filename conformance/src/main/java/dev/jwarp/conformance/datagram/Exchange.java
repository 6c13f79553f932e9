package dev.jwarp.conformance.datagram;

import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A conversation of the tester with one queue pair of the device, from a UDP port and a QPN of the tester, with the
 * vocabulary of the cases. Each {@code expect…} throws a {@link Deviation} that names the expected and the received
 * datagram. The form of each received datagram is checked, too.
 */
public final class Exchange {
    /** Requirements that exchanges of all cases rely on. */
    private static final String NOTIFY = "DG-4.4-1";

    private static final String EMPTY_READ = "DG-4.6-3";
    private static final String CHALLENGES = "DG-9.1-1";

    private final UdpWire wire;
    private final QueuePair theirs;
    private final Patience patience;
    private final Random random;
    private final int number;
    private final long key;
    private long nextId;
    private byte @Nullable [] cookie;
    private boolean hearsProbes;
    private boolean shows;
    private @Nullable Envelopes envelopes;
    /** Datagrams that came before the answer to a greeting. */
    private final ArrayDeque<byte[]> early = new ArrayDeque<>();

    private final Set<String> relied = new LinkedHashSet<>();

    /**
     * A queue pair of the device.
     *
     * @param index its number in the program's commands; 0 if it has none
     * @param number its QPN
     * @param key its Q_Key
     * @param longest size in bytes of the longest message that it accepts
     * @param longestRead size in bytes of the longest Read that it serves
     */
    public record QueuePair(int index, int number, long key, long longest, long longestRead) {}

    Exchange(UdpWire wire, QueuePair theirs, Patience patience, Random random) {
        this.wire = wire;
        this.theirs = theirs;
        this.patience = patience;
        this.random = random;
        number = 16 + random.nextInt(0xFFFFFF - 16);
        key = random.nextLong() & 0xFFFF_FFFFL;
        nextId = random.nextLong() & 0xFFFF_FFFFL;
    }

    // ---- the two ends

    /** Milliseconds since the exchange began. */
    public long elapsed() {
        return wire.millis();
    }

    /** The QPN of the tester. */
    public int number() {
        return number;
    }

    /** The Q_Key of the tester. */
    public long key() {
        return key;
    }

    public InetAddress address() {
        return wire.local().getAddress();
    }

    public int port() {
        return wire.local().getPort();
    }

    /** The queue pair of the device. */
    public QueuePair theirs() {
        return theirs;
    }

    /** {@return a random number that is not 0} */
    public long anyNumber() {
        return (random.nextInt() & 0xFFFF_FFFFL) | 1;
    }

    // ---- datagrams

    /** A question of this Kind to the queue pair, with the next Message Id. */
    public Datagram question(Kind kind, byte... body) {
        return Datagram.of(kind, body)
                .to(theirs.number())
                .from(number)
                .key(theirs.key())
                .id(nextId++)
                .length(body.length);
    }

    public Message send(byte... payload) {
        return untagged(Message.SEND, payload);
    }

    public Message untagged(int opcode, byte... payload) {
        return new Message(question(Kind.DATA), opcode, 0, 0, payload);
    }

    public Message record(long stag, long to, byte... payload) {
        return tagged(Message.WRITE_RECORD, stag, to, payload);
    }

    public Message tagged(int opcode, long stag, long to, byte... payload) {
        return new Message(question(Kind.DATA), opcode, stag, to, payload);
    }

    /** An RDMA Write to this offset of a region. */
    public Message write(Region region, long offset, byte... payload) {
        return tagged(Message.WRITE, region.stag(), region.to() + offset, payload);
    }

    /** A Write-Record to this offset of a region. */
    public Message record(Region region, long offset, byte... payload) {
        return record(region.stag(), region.to() + offset, payload);
    }

    /** A Read Request for bytes from this offset of a region on. */
    public Message read(Region region, long offset, long length) {
        return read(region.stag(), region.to() + offset, length);
    }

    /** A Read Request with a random sink. */
    public Message read(long stag, long to, long length) {
        long sinkTo = (random.nextInt() & 0xFFFF_FFFFL) << 32;
        Segment request = Segment.readRequest(0, anyNumber(), sinkTo, length, stag, to);
        return untagged(Message.READ_REQUEST, request.payload());
    }

    /** The segments of the answer to a Read Request of the device. */
    public Message response(Datagram request, byte... payload) {
        Segment s = request.segment();
        Datagram shim = reply(Kind.DATA, request).and(Datagram.R);
        return new Message(shim, Message.READ_RESPONSE, s.number(0, 4), s.number(4, 8), payload);
    }

    /** A reply of this Kind, addressed as §4.2 and §4.3 demand. */
    public Datagram reply(Kind kind, Datagram question, byte... body) {
        return Datagram.of(kind, body)
                .to(question.from())
                .from(question.to())
                .key(question.key())
                .id(question.id())
                .length(body.length);
    }

    /** A RESOLVE, with the QPN and Q_Key of the resolver, whatever the queue pair of this exchange. */
    public Datagram resolve(long service, int types, byte... privateData) {
        byte[] body = new Octets()
                .u64(service)
                .u8(types)
                .u8(0)
                .u16(2)
                .u16(privateData.length)
                .u16(0)
                .add(privateData)
                .bytes();
        return question(Kind.RESOLVE, body).ofResolvers().resized(288);
    }

    // ---- sending and receiving

    /** Sends datagrams, in this order. A Read Request on UD has the cookie once the address is proved (§9.1). */
    public void say(Datagram... datagrams) {
        for (Datagram d : datagrams) {
            boolean bare = !d.has(Datagram.C | Datagram.D | Datagram.G | Datagram.R);
            Datagram shown = shows && bare && d.carries(Message.READ_REQUEST) ? d.cookie(cookie()) : d;
            sayOctets(shown.bytes());
        }
    }

    public void say(Message message) {
        message.all().forEach(d -> say(d));
    }

    /** Sends these datagrams of a message, in this order. */
    public void say(Message message, int... segments) {
        for (int i : segments) {
            say(message.datagram(i));
        }
    }

    /** Sends any bytes, in an envelope if the port of the device has keys. */
    public void sayOctets(byte[] octets) {
        if (envelopes != null && !envelopes.greeted() && !wire.toGroup()) {
            greet(new byte[Envelopes.NUMBER]);
            long until = elapsed() + patience.answerMillis();
            for (long left = 1; !envelopes.greeted() && left > 0; left = until - elapsed()) {
                byte[] heard = wire.receive(until - elapsed());
                byte[] within = heard == null ? null : envelopes.open(heard);
                if (within != null && !greeted(within)) {
                    early.add(within);
                }
            }
            unless(envelopes.greeted(), "an answer to the tester's greeting (§K.4)", Deviation.NOTHING);
        }
        sayAsIs(envelopes == null ? octets : envelopes.seal(octets));
    }

    /** Sends a greeting that answers this number, and asks for the origin of the device's port unless that is known. */
    public void greet(byte[] answers) {
        sayAsIs(envelopes().tagged(envelopes().greeting(answers)));
    }

    /** Whether a datagram is a greeting of the device, which is answered. */
    private boolean greeted(byte[] within) {
        byte[] asks = envelopes().heard(within);
        if (asks != null && !Arrays.equals(asks, new byte[Envelopes.NUMBER])) {
            greet(asks);
        }
        return asks != null;
    }

    /** The number that the next datagram asks to be answered with; it must be a greeting. No answer is sent. */
    public byte[] expectGreeting() {
        return greeting(wire.receive(patience.answerMillis()));
    }

    private byte[] greeting(byte @Nullable [] octets) {
        byte[] asks = octets == null ? null : envelopes().heard(envelopes().open(octets));
        if (asks == null) {
            throw new Deviation("a greeting", octets == null ? Deviation.NOTHING : Words.line(octets));
        }
        return asks;
    }

    /** Checks that nothing but greetings comes for a while; no answers are sent. */
    public void expectOnlyGreetings() {
        long until = elapsed() + patience.quietMillis();
        for (long left = patience.quietMillis(); left > 0; left = until - elapsed()) {
            byte[] octets = wire.receive(left);
            if (octets != null) {
                greeting(octets);
            }
        }
    }

    /** Sends any bytes without an envelope. */
    public void sayAsIs(byte[] octets) {
        wire.send(octets);
    }

    /** Puts all datagrams into envelopes from now on, in both directions. */
    Exchange sealed(Envelopes by) {
        envelopes = by;
        return this;
    }

    /** The envelopes of this exchange; the case has asked for a port with keys. */
    public Envelopes envelopes() {
        if (envelopes == null) {
            throw new IllegalStateException("this exchange has no keys");
        }
        return envelopes;
    }

    /**
     * The next datagram, after a check of its form; null if none comes within {@code millis}. PATH-PROBEs are
     * skipped, as if they were lost, unless {@link #hearsProbes}.
     */
    public @Nullable Datagram hear(long millis) {
        long until = elapsed() + millis;
        for (long left = millis; left > 0; left = until - elapsed()) {
            byte[] octets = early.poll();
            if (octets == null) {
                octets = wire.receive(left);
                if (octets == null) {
                    return null;
                }
                if (envelopes != null) {
                    octets = envelopes.open(octets);
                    if (greeted(octets)) {
                        continue;
                    }
                }
            }
            Form.check(octets);
            Datagram d = Datagram.parse(octets);
            if (hearsProbes || !d.is(Kind.PATH_PROBE)) {
                return d;
            }
        }
        return null;
    }

    /** Returns PATH-PROBEs of the device from now on, too. */
    public Exchange hearsProbes() {
        hearsProbes = true;
        return this;
    }

    /** The next datagram, which must pass the test. */
    public Datagram expect(String what, Predicate<Datagram> test) {
        Datagram d = hear(patience.answerMillis());
        if (d == null || !test.test(d)) {
            throw new Deviation(what, d == null ? Deviation.NOTHING : d);
        }
        return d;
    }

    /** The next datagram, which must be this one of the device, byte by byte. */
    public Datagram expectAgain(Datagram same) {
        return expect("the same bytes as " + same, d -> Arrays.equals(d.bytes(), same.bytes()));
    }

    /** The next datagram that passes the test, which must come in time; others are skipped. */
    public Datagram await(String what, long millis, Predicate<Datagram> test) {
        Datagram last = null;
        for (long until = elapsed() + millis, left = millis; left > 0; left = until - elapsed()) {
            Datagram d = hear(left);
            if (d != null && test.test(d)) {
                return d;
            }
            last = d == null ? last : d;
        }
        throw new Deviation(
                what + " within " + millis + " ms", last == null ? Deviation.NOTHING : "none; last: " + last);
    }

    public Datagram expect(Kind kind) {
        if (kind == Kind.CHALLENGE) {
            relied.add(CHALLENGES);
        }
        return expect(kind.words(), d -> d.is(kind));
    }

    /** The next datagram, which must be a segment of a Send. */
    public Datagram expectSend() {
        return expect("a Send", d -> d.carries(Message.SEND));
    }

    /** Sends a question; its answer must be of this Kind, with all fields that are copied (§4.2, §4.3). */
    public Datagram ask(Datagram question, Kind kind) {
        say(question);
        Datagram d = expect(kind);
        copied(d, question);
        return d;
    }

    /** Sends a wrong datagram; its answer must be a NOTIFY with this code, {@code 0xLTCC}. */
    public void ask(Datagram offender, int code) {
        say(offender);
        String what = "NOTIFY " + TerminateFields.words(code);
        Datagram d = expect(what, n -> n.is(Kind.NOTIFY));
        copied(d, offender);
        if (d.get(20, 4) != offender.get(20, 4)) {
            throw Deviation.from(NOTIFY, "bytes 20-23 of the offender in the NOTIFY (§4.4)", d.toString());
        }
        unless(d.get(24, 2) == code, what, d);
    }

    /** Sends a Read Request and returns the bytes of its answer, which must have this length. */
    public byte[] ask(Message request, int length) {
        say(request.one());
        return expectRead(request, length);
    }

    private static void copied(Datagram reply, Datagram question) {
        unless(
                reply.to() == question.from()
                        && reply.from() == question.to()
                        && reply.key() == question.key()
                        && reply.id() == question.id(),
                "a reply with the QPNs, Key and Message Id of the question: %06X>%06X key %08X id %08X"
                        .formatted(question.to(), question.from(), question.key(), question.id()),
                reply);
    }

    /** The bytes that a Read Request of the tester asked for, received in any order. */
    public byte[] expectRead(Message request, int length) {
        Segment asked = request.segment(0);
        return assembled(length, () -> {
            Datagram d = expect("a Read Response", r -> r.carries(Message.READ_RESPONSE));
            copied(d, request.one());
            Segment s = d.segment();
            unless(
                    s.stag() == asked.number(0, 4) && s.to() - (long) d.index() * d.segmentSize() == asked.number(4, 8),
                    "the sink STag and sink TO of the request (§8)",
                    d);
            return d;
        });
    }

    /** The bytes of a message of this length, from its segments in any order. */
    public static byte[] assembled(int length, Supplier<Datagram> segments) {
        byte[] octets = new byte[length];
        BitSet came = new BitSet();
        for (int count = 1; came.cardinality() < count; ) {
            Datagram d = segments.get();
            unless(d.length() == length, "Message Length " + length, d);
            byte[] part = d.segment().payload();
            System.arraycopy(part, 0, octets, d.index() * d.segmentSize(), part.length);
            // The network may deliver a segment twice.
            came.set(d.index());
            count = length == 0 ? 1 : (length + d.segmentSize() - 1) / d.segmentSize();
        }
        return octets;
    }

    public void expectSilence() {
        Datagram d = hear(patience.quietMillis());
        unless(d == null, "nothing for " + patience.quietMillis() + " ms", d);
    }

    /** Sends questions at once, and checks that answers come, but at most so many in a second. */
    public void expectLimited(int perSecond, int questions, Supplier<Datagram> question) {
        long began = elapsed();
        for (int i = 0; i < questions; i++) {
            say(question.get());
        }
        int count = 0;
        long last = began;
        while (hear(patience.quietMillis()) != null) {
            count++;
            last = elapsed();
        }
        // The device's seconds may begin at any time.
        long windows = 2 + (last - began) / 1_000;
        unless(
                count >= 1 && count <= perSecond * windows,
                "1 to %d answers in a second".formatted(perSecond),
                count + " in " + (last - began) + " ms");
    }

    // ---- proof of the tester's address

    /** A cookie of the device for this exchange, from the CHALLENGE to a Read (§9.2). */
    public byte[] cookie() {
        if (cookie == null) {
            cookie = ask(read(0, 0, 0).one(), Kind.CHALLENGE).slice(24, 40);
        }
        return cookie.clone();
    }

    /**
     * Proves the address of the tester to a device that trusts no source. From now on the source is validated,
     * and Read Requests carry the cookie (§9.1). For queue pairs of type UD.
     */
    public Exchange proved() {
        Message read = read(0, 0, 0);
        say(read.one());
        Datagram answer = expect(
                "CHALLENGE, or the answer to a Read of no bytes",
                d -> d.is(Kind.CHALLENGE) || d.carries(Message.READ_RESPONSE));
        relied.add(answer.is(Kind.CHALLENGE) ? EMPTY_READ : CHALLENGES);
        if (answer.is(Kind.CHALLENGE)) {
            cookie = answer.slice(24, 40);
            say(read.one().cookie(cookie()));
            expectRead(read, 0);
            shows = true;
        }
        return this;
    }

    public void note(String text) {
        wire.note(text);
    }

    /** Requirements that this exchange relies on: if the device breaks one, it does not show what it should. */
    public Set<String> relied() {
        return relied;
    }

    public Transcript recorded() {
        return wire;
    }

    public Patience patience() {
        return patience;
    }

    /** Ends the exchange. Any thread may call this. */
    void abandon() {
        wire.abandon();
    }
}
