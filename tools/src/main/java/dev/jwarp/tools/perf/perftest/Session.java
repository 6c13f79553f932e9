package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.PortAttributes;
import dev.jwarp.verbs.QueuePairInformation;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run with one peer: the common part of both roles. The steps are those of {@code docs/perftest-exchange.md}. One
 * thread.
 */
abstract class Session implements AutoCloseable {
    /** perftest reads nothing on its first connection. */
    static final ConnectionParameters NO_READS =
            ConnectionParameters.DEFAULT.withResponderResources(0).withInitiatorDepth(0);

    /** Time for the first message of a client, which sends it at once; other clients wait meanwhile. */
    private static final Duration FIRST_WORD = Duration.ofSeconds(5);

    private static final Duration SERVER_GOES_FIRST = Duration.ofMillis(250);
    private static final Duration CLIENT_GOES_FIRST = Duration.ofSeconds(5);

    private static final int IPV4_AT = 12;

    final Context context;
    final PerftestSettings settings;
    final Console console;
    final PerftestFindings findings;
    final PerftestControl control;
    private final boolean client;
    private @Nullable Data data;
    private String version = "";

    Session(
            Context context,
            PerftestSettings settings,
            Console console,
            PerftestFindings findings,
            PerftestControl control,
            boolean client) {
        this.context = context;
        this.settings = settings;
        this.console = console;
        this.findings = findings;
        this.control = control;
        this.client = client;
    }

    /** Makes the first connection. Its receive is posted already. */
    abstract void connectControl();

    /** {@return the second connection, connected or accepted} */
    abstract Data connectData(Steps steps);

    /** Prints a note about a step, if the user wants that. */
    final void trace(String step) {
        if (console.debug()) {
            console.note(step);
        }
    }

    /**
     * Makes the first connection, and receives the peer's version.
     *
     * @throws dev.jwarp.tools.cli.ToolFailure if that fails
     */
    final void meet() {
        connectControl();
        trace("control connection with " + control.link().peer());
        version = control.swap(
                octets -> VersionText.write(octets, VersionText.OURS),
                VersionText.LENGTH,
                VersionText::fault,
                VersionText::read,
                "version of perftest",
                client || settings.answerLimit().compareTo(FIRST_WORD) < 0 ? settings.answerLimit() : FIRST_WORD);
        trace("the peer's version is " + version);
    }

    /**
     * Runs the rest of the session.
     *
     * @throws dev.jwarp.tools.cli.ToolFailure if the session fails
     */
    final void run() {
        Steps steps = greet();
        control.swap(Destination.NOTHING, "word that it is ready for the second connection");
        Data made = connectData(steps);
        data = made;
        control.watch(made.link());
        control.swap(Destination.NOTHING, "word that the second connection is there");
        trace("second connection with " + made.link().peer());
        Destination peer = introduce(made);
        move(made, peer);
        if (settings.program().saysGoodbye()) {
            control.swap(mine(made), "good-bye", patience());
        }
        trace("done with " + control.link().peer());
        partFrom(made.link());
        partFrom(control.link());
    }

    /**
     * Lets the peer close first. The peer's device may not have reported its last message as sent yet, and Linux's siw
     * reports a failure if the connection ends before that. Both ends of perftest close without waiting for the other.
     * The time limits are short and different, because two ends of jwarp wait for each other.
     */
    private void partFrom(Link link) {
        link.end(client ? SERVER_GOES_FIRST : CLIENT_GOES_FIRST);
        link.disconnect();
    }

    private Steps greet() {
        int page = larger(SizeMessage.PAGE, "page size");
        int cacheLine = larger(SizeMessage.CACHE_LINE, "cache line size");
        control.swap(
                octets -> MtuText.write(octets, mtuNumber()), MtuText.LENGTH, MtuText::fault, MtuText::read, "MTU");
        return new Steps(page, cacheLine);
    }

    private int larger(int ours, String what) {
        int heard = control.swap(
                octets -> SizeMessage.write(octets, ours),
                SizeMessage.LENGTH,
                SizeMessage::fault,
                SizeMessage::read,
                what);
        return Math.max(ours, heard);
    }

    private int mtuNumber() {
        return PortAttributes.mtuNumber(context.device().port(1).activeMtu());
    }

    private Destination introduce(Data made) {
        Destination mine = mine(made);
        Destination peer = control.swap(mine, "description of its memory");
        for (int i = 1; i < settings.program().swapsBeforeData(); i++) {
            control.swap(mine, "description of its memory");
        }
        trace("the peer: " + peer);
        QueuePairInformation about = made.queuePair().query();
        findings.met(
                new PerftestFindings.Met(version, mine, host(about.localAddress()), peer, host(about.remoteAddress())));
        return peer;
    }

    private Destination mine(Data made) {
        QueuePairInformation about = made.queuePair().query();
        return new Destination(
                Math.max(1, about.ord()),
                made.queuePair().number(),
                made.open().rkey(),
                made.open().address(),
                gid(host(about.localAddress())));
    }

    private static InetAddress host(@Nullable InetSocketAddress address) {
        return Objects.requireNonNull(address, "a connection without addresses").getAddress();
    }

    /** An address in the format of perftest; for IPv6 the GID is the address. */
    private static byte[] gid(InetAddress address) {
        byte[] gid = new byte[16];
        byte[] octets = address.getAddress();
        System.arraycopy(octets, 0, gid, gid.length - octets.length, octets.length);
        if (octets.length == 4) {
            gid[IPV4_AT - 2] = -1;
            gid[IPV4_AT - 1] = -1;
        }
        return gid;
    }

    private void move(Data made, Destination peer) {
        if (!client && settings.program().passiveServer()) {
            beThere(made);
            return;
        }
        Run run = work(made, peer);
        int left = settings.sizes().size();
        boolean several = left > 1;
        for (int size : settings.sizes()) {
            run.prepare(size);
            if (settings.program().swapsForReceives()) {
                control.swap(mine(made), "word that it is ready for messages of " + size + " bytes", patience());
            }
            made.done(0, size);
            run.run(size);
            if (several && --left > 0) {
                run.settle();
            }
            if (several && settings.program() == PerftestProgram.SEND_BW) {
                control.swap(mine(made), "word that it has all messages of " + size + " bytes", patience());
            }
        }
        if (settings.program().reports()) {
            control.swap(mine(made), "word that it is done", patience());
            swapReport(run.report());
        }
    }

    private Run work(Data made, Destination peer) {
        return switch (settings.program()) {
            case WRITE_BW, READ_BW -> new Sender(settings, made, peer, findings);
            case SEND_BW ->
                client ? new Sender(settings, made, peer, findings) : new Receiver(settings, made, peer, findings);
            case READ_LAT, SEND_LAT, WRITE_LAT -> new Rally(settings, made, peer, findings, client);
        };
    }

    /** Waits for the end of the test while the peer writes or reads. */
    private void beThere(Data made) {
        if (settings.program().reports()) {
            control.swap(mine(made), "word that it is done", patience());
            findings.reported(swapReport(BandwidthReport.NOTHING));
        }
    }

    private BandwidthReport swapReport(BandwidthReport ours) {
        BandwidthReport theirs = BandwidthReport.NOTHING;
        for (int part = 0; part < BandwidthReport.PARTS; part++) {
            int number = part;
            BandwidthReport before = theirs;
            theirs = control.swap(
                    octets -> ours.write(octets, number),
                    BandwidthReport.PART_LENGTH,
                    BandwidthReport::fault,
                    octets -> before.read(octets, number),
                    "report");
        }
        return theirs;
    }

    /** {@return time to wait for a peer that may be moving data: a server does not limit its client} */
    private Duration patience() {
        return client ? settings.answerLimit() : settings.idleLimit();
    }

    /** {@return read depths of the second connection as in perftest: 0 for programs without Reads} */
    final ConnectionParameters depths() {
        int reads = settings.program().operation() == PerftestProgram.Operation.READ ? settings.outstandingReads() : 0;
        return ConnectionParameters.DEFAULT.withResponderResources(reads).withInitiatorDepth(reads);
    }

    @Override
    public void close() {
        if (data != null) {
            data.close();
        }
        control.close();
    }

    /**
     * The fourth message: the number that verbs have for the MTU, as text.
     *
     * <pre>
     *   0: a digit, 1 for 256 bytes to 5 for 4096 (1) | 1: NUL (1)
     * </pre>
     *
     * The MTU matters to InfiniBand only. perftest accepts any text, and uses its own value if the text is not valid.
     */
    static final class MtuText {
        static final int LENGTH = 2;
        private static final int LARGEST = 5;

        private MtuText() {}

        /** Writes a number, 1 to 5, from index 0 on. */
        static void write(ByteBuffer target, int number) {
            if (number < 1 || number > LARGEST) {
                throw new IllegalArgumentException("no MTU of verbs has the number " + number);
            }
            target.put(0, (byte) ('0' + number)).put(1, (byte) 0);
        }

        /** {@return what is wrong with the message, for the user; null if it can be read} */
        static @Nullable String fault(ByteBuffer message, int length) {
            if (length != LENGTH) {
                return "an MTU has " + LENGTH + " bytes, this message has " + length;
            }
            return message.get(0) < '0' || message.get(0) > '9' ? "the text is not the number of an MTU" : null;
        }

        /** {@return the number} The message must have no {@link #fault}. */
        static int read(ByteBuffer message) {
            return message.get(0) - '0';
        }
    }

    /**
     * The second message, the bytes of a page, and the third, the bytes of a cache line:
     *
     * <pre>
     *   0: number, big endian (4)
     * </pre>
     *
     * Each end uses the larger of both numbers. Small messages go to successive cache lines of one page of the peer's
     * memory, so the memory has at least a page.
     */
    static final class SizeMessage {
        static final int LENGTH = 4;
        static final int PAGE = 4096;
        static final int CACHE_LINE = 64;
        /** Limit of a plausible size: the largest page of any machine with Linux has 256 KiB. */
        private static final int LARGEST = 1 << 24;

        private SizeMessage() {}

        /** Writes it from index 0 on. */
        static void write(ByteBuffer target, int size) {
            target.putInt(0, size);
        }

        /** {@return what is wrong with the message, for the user; null if it can be read} */
        static @Nullable String fault(ByteBuffer message, int length) {
            if (length != LENGTH) {
                return "a size has " + LENGTH + " bytes, this message has " + length;
            }
            int size = message.getInt(0);
            return size < 1 || size > LARGEST
                    ? "a page or cache line of " + Integer.toUnsignedString(size) + " bytes is not plausible"
                    : null;
        }

        /** {@return the number; the message has no {@link #fault}} */
        static int read(ByteBuffer message) {
            return message.getInt(0);
        }
    }
}
