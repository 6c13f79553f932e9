package dev.jwarp.transport.udp.engine;

import dev.jwarp.base.Bells;
import dev.jwarp.base.Faults;
import dev.jwarp.base.HostPort;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramEngine;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.PlainTaker;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.path.PathMtuSearch;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.port.Injector;
import dev.jwarp.transport.udp.port.ReplyWriter;
import dev.jwarp.transport.udp.resolve.Question;
import dev.jwarp.transport.udp.resolve.Questions;
import dev.jwarp.transport.udp.resolve.Resolver;
import dev.jwarp.transport.udp.seal.PortSeal;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.source.DropTable;
import dev.jwarp.transport.udp.ud.UdPaths;
import dev.jwarp.transport.udp.ud.UdQueuePair;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Datagram-iWARP at one UDP port, without the socket: demultiplexes datagrams to queue pairs (checks 6 to 9 of
 * datagram-iWARP §5), answers within limits, and schedules the sending of queue pairs. One thread at a time, the owner
 * of its factory, unless said otherwise. No call blocks; in steady state none allocates.
 */
public final class UdpEngine implements DatagramEngine {
    private static final Faults FAULTS = new Faults(LoggerFactory.getLogger(UdpEngine.class)::error);
    static final long NEVER = Long.MAX_VALUE;

    final UdpEngineFactory factory;
    final DatagramDriver driver;
    final Tally<UdpCounter> counters;
    private final UdpPort port;
    final AnswerSources sources;
    final AnswerQueue answers;
    final ReplyWriter replies;
    final Resolver resolver;
    final Questions questions;
    /** Octets that an envelope adds to each datagram; 0 without keys. */
    private final int envelope;

    private final DatagramParser parser = new DatagramParser();
    private final QueuePairTable queuePairs = new QueuePairTable();
    private final Sending sending;
    final DropTable drops;
    private final UdPaths paths;
    /** Null for a port without keys. */
    private final @Nullable PortSeal seal;

    /** The queue pair whose message the next datagram of this read may continue; null for none. */
    private @Nullable Attachment goesOn;

    /** The source of the datagrams that are being received. */
    private @Nullable DatagramAddress from;

    final PlainQueue plain = new PlainQueue();
    /** Any thread sets it. */
    volatile @Nullable PlainTaker plainTaker;

    /** A lower bound of the timeouts of all queue pairs. */
    private long earliestTimeout = NEVER;

    /** A lower bound of the times at which the pace of a queue pair lets it send. */
    private long earliestSend = NEVER;

    /** {@link Attachment#paced} of the queue pair that had the first turn when a pace let some send. */
    private long leastPaced;

    /** Queue pairs that were called; {@link #settle} notifies them at the end of this call of the engine. */
    private final ArrayDeque<Attachment> called = new ArrayDeque<>();

    private boolean closed;

    UdpEngine(UdpEngineFactory factory, DatagramDriver driver) {
        this.factory = factory;
        this.driver = driver;
        counters = factory.counters;
        sources = factory.sources;
        port = new UdpPort(this, driver);
        answers = new AnswerQueue(counters);
        envelope = Envelope.octets(factory.settings);
        replies = new ReplyWriter(answers, sources, envelope);
        resolver = new Resolver(answers, sources, replies, counters, factory.settings, factory.random);
        questions = new Questions(answers, factory.random.nextInt());
        drops = new DropTable(factory.settings, counters, factory.random.nextLong());
        paths = new UdPaths(factory.settings, factory.random.nextLong());
        seal = factory.seals == null ? null : factory.seals.get();
        sending = new Sending(this, driver.segments(), new Injector(factory.settings.faults(), counters), seal);
    }

    @Override
    public DatagramPort port() {
        return port;
    }

    // ---- receiving

    @Override
    public void receive(
            ByteBuffer in, boolean coalesced, DatagramAddress source, @Nullable DatagramAddress group, long nowNanos) {
        counters.count(UdpCounter.RX_READS);
        int at = in.position();
        int left = in.remaining();
        // §4.1, §4.5 (DG-4.1-6): the read is cut into pieces of the first datagram's length, and each piece is checked
        // on its own.
        int size = coalesced ? stated(in, at, left) : left;
        if (size < left) {
            answers.answersTo(left, source, envelope);
        }
        from = source;
        do {
            int piece = Math.min(size, left);
            Attachment before = goesOn;
            if (before == null || seal != null || piece < size || !receiveNext(before, in, at, size, nowNanos)) {
                goesOn = null;
                try {
                    UdpCounter wrong = parse(in, at, piece, source, group != null, nowNanos);
                    if (!tookPlain(wrong, in, at, piece)) {
                        receiveOne(wrong, group, nowNanos);
                    }
                } catch (Throwable e) {
                    failed(
                            "a datagram for port " + HostPort.text(port.localAddress()),
                            e); // only this datagram is lost
                }
            }
            counters.count(UdpCounter.RX_DATAGRAMS);
            at += piece;
            left -= piece;
        } while (left > 0 && !closed);
        answers.free();
        from = null;
        goesOn = null;
        settle();
    }

    private int stated(ByteBuffer in, int at, int available) {
        return seal == null ? DatagramLength.stated(in, at, available) : seal.stated(in, at, available);
    }

    /** {@return null for a valid datagram, at a port with keys in a valid envelope; else the counter of the fault} */
    private @Nullable UdpCounter parse(
            ByteBuffer in, int at, int length, DatagramAddress source, boolean group, long nowNanos) {
        if (seal == null) {
            return parser.parse(in, at, length, source);
        }
        UdpCounter wrong = seal.open(in, at, length, source, group, nowNanos);
        return wrong != null ? wrong : parser.parse(in, at + Envelope.SHIFT, length - Envelope.OVERHEAD, source);
    }

    /**
     * {@return whether the datagram continues the message of the one before and was accepted; else all checks follow}
     */
    private boolean receiveNext(Attachment attachment, ByteBuffer in, int at, int length, long nowNanos) {
        if (!parser.follows(in, at, length)) {
            return false;
        }
        int body = at + ShimHeader.LENGTH;
        try {
            return attachment.queuePair().receiveNext(in, body - length, body, nowNanos);
        } catch (Throwable e) {
            goesOn = null;
            fault(attachment, e);
            touched(attachment);
            return true;
        }
    }

    /** {@return whether the datagram is a plain one, not datagram-iWARP, and was delivered to the program} */
    private boolean tookPlain(@Nullable UdpCounter wrong, ByteBuffer in, int at, int length) {
        PlainTaker taker = plainTaker;
        DatagramAddress source = from;
        boolean plainOne = wrong == UdpCounter.RX_SHORT || wrong == UdpCounter.RX_CRC;
        if (!plainOne || taker == null || source == null) {
            return false;
        }
        counters.count(UdpCounter.RX_PLAIN);
        taker.plain(in, at, length, source);
        return true;
    }

    /** Processes the datagram that was parsed last. */
    private void receiveOne(@Nullable UdpCounter wrong, @Nullable DatagramAddress group, long nowNanos) {
        Shim shim = parser.shim();
        if (wrong != null) {
            count(wrong);
            if (wrong == UdpCounter.RX_VERSION && group == null) {
                answerOtherVersion(parser.datagram(), nowNanos);
            }
        } else if (shim.group() != (group != null)) { // datagram-iWARP §5, check 6 (DG-5.1-6, DG-G.2-2)
            count(UdpCounter.RX_GROUP);
        } else if (group != null) {
            receiveFromGroup(group, nowNanos);
        } else if (shim.destinationQpn() == Shim.RESOLVER_QPN) {
            receiveForResolver(nowNanos);
        } else {
            receiveForQueuePair(nowNanos);
        }
    }

    private void receiveForQueuePair(long nowNanos) {
        Shim shim = parser.shim();
        Attachment attachment = find(shim.destinationQpn());
        if (attachment == null) { // datagram-iWARP §5, check 7 (DG-5.1-7)
            boolean version = parser.kind() == Kind.VERSION_LIST;
            count(version ? UdpCounter.RX_VERSION : UdpCounter.RX_QPN);
        } else if (!takes(attachment.service, shim)) { // datagram-iWARP §5, check 8 (DG-5.1-8)
            count(UdpCounter.RX_QP_TYPE);
        } else {
            try {
                attachment.queuePair().receive(parser, nowNanos);
                goesOn = attachment.attached() && attachment.queuePair().wantsNext() ? attachment : null;
            } catch (Throwable e) {
                fault(attachment, e);
            }
            if (attachment.attached() && attachment.queuePair().hasOutput()) {
                sending.turns.add(attachment);
            }
            called(attachment);
        }
    }

    /** datagram-iWARP §5, check 8: whether the service accepts the Kind. */
    private boolean takes(DatagramService service, Shim shim) {
        boolean reliable = service == DatagramService.RD;
        return switch (parser.kind()) {
            case DATA, PATH_PROBE, PATH_REPLY -> shim.reliable() == reliable;
            case NOTIFY -> !reliable;
            case CHALLENGE, VERSION_LIST -> true;
            case RD_OPEN, RD_ACCEPT, RD_ACK, RD_RESET -> reliable;
            case RESOLVE, RESOLVED -> false;
        };
    }

    private void receiveFromGroup(DatagramAddress group, long nowNanos) {
        if (parser.shim().destinationQpn() != Shim.GROUP_QPN) { // datagram-iWARP §G.4 (DG-G.4-2)
            count(UdpCounter.RX_QPN);
        } else if (!port.groups.deliver(parser.datagram(), group, this, nowNanos)) {
            count(UdpCounter.RX_KEY); // datagram-iWARP §5, check 9 (DG-G.4-2)
        }
    }

    private void receiveForResolver(long nowNanos) {
        Shim shim = parser.shim();
        Kind kind = parser.kind();
        boolean reply = kind == Kind.RESOLVED || kind == Kind.CHALLENGE || kind == Kind.VERSION_LIST;
        boolean there = reply ? questions.any() || resolver.listens() : resolver.listens();
        if (!there) { // datagram-iWARP §5, check 7 (DG-R.4-1): a port without resolver is silent
            count(kind == Kind.VERSION_LIST ? UdpCounter.RX_VERSION : UdpCounter.RX_QPN);
        } else if (!reply && kind != Kind.RESOLVE) { // datagram-iWARP §5, check 8 (DG-5.1-8)
            count(UdpCounter.RX_QP_TYPE);
        } else if (reply) {
            if (!questions.reply(parser)) { // datagram-iWARP §5, check 9 (DG-5.1-10)
                count(kind == Kind.VERSION_LIST ? UdpCounter.RX_VERSION : UdpCounter.RX_REPLY_UNMATCHED);
            }
        } else if (shim.key() != ShimHeader.RESOLVER_KEY) { // datagram-iWARP §5, check 9 (DG-5.1-9)
            count(UdpCounter.RX_KEY);
        } else {
            // DG-9.2-2: not before check 9.
            resolver.resolve(parser.datagram().proved(proof(parser, nowNanos)), nowNanos);
        }
    }

    /** §4.7 (DG-4.7-1, DG-4.7-2): a peer of another version that knows the Key gets a VERSION LIST. */
    private void answerOtherVersion(ReceivedDatagram datagram, long nowNanos) {
        Shim shim = datagram.shim();
        DatagramAddress source = datagram.source();
        if (parser.version() == 0 || shim.reply() || shim.group() || source.port() == 0 || source.group()) {
            return;
        }
        boolean admitted;
        if (shim.destinationQpn() == Shim.RESOLVER_QPN) {
            admitted = resolver.listens() && shim.key() == ShimHeader.RESOLVER_KEY && resolver.admits(source, nowNanos);
        } else {
            Attachment attachment = find(shim.destinationQpn());
            admitted =
                    attachment != null && shim.key() == attachment.key() && attachment.admitsAnswer(source, nowNanos);
        }
        if (admitted) { // DG-4.7-2
            replies.versions(datagram);
        }
    }

    private @Nullable Attachment find(int number) {
        Attachment found = number == Shim.DEFAULT_QPN ? port.byDefault() : queuePairs.find(number); // DG-4.2-7
        if (found == null || !found.attached()) {
            return null;
        }
        // datagram-iWARP §5, check 7 (DG-15-1): in RTS. In the error state a queue pair of RD refuses channels, §11.1.
        return found.service == DatagramService.UD && !found.upper.working() ? null : found;
    }

    // ---- sending

    @Override
    public boolean prepareOutput(long nowNanos) {
        if (earliestSend <= nowNanos) {
            addPaced(nowNanos);
        }
        boolean prepared = sending.prepare(nowNanos);
        // A queue pair that ends in settled() queues a reset for its peers, which is sent now.
        settle();
        if (!prepared && !called.isEmpty()) {
            prepared = sending.prepare(nowNanos);
            settle();
        }
        return prepared;
    }

    /**
     * Queues a turn for each queue pair whose pace lets it send. Queue pairs share the pace of a peer (DG-6-1): the
     * first turn is that of the one that has sent least by its weight.
     */
    private void addPaced(long nowNanos) {
        earliestSend = NEVER;
        Attachment least = null;
        for (int i = 0; i < queuePairs.size(); i++) {
            Attachment attachment = queuePairs.get(i);
            long at = attachment.queuePair().nextSend();
            if (at > nowNanos) {
                earliestSend = Math.min(earliestSend, at);
            } else {
                attachment.paced = Math.max(attachment.paced, leastPaced); // one that was idle has no claim
                least = least == null || attachment.paced < least.paced ? attachment : least;
            }
        }
        if (least == null) {
            return;
        }
        leastPaced = least.paced;
        sending.turns.add(least);
        for (int i = 0; i < queuePairs.size(); i++) {
            if (queuePairs.get(i).queuePair().nextSend() <= nowNanos) {
                sending.turns.add(queuePairs.get(i));
            }
        }
    }

    @Override
    public long nextSend() {
        return earliestSend;
    }

    @Override
    public DatagramBatch output() {
        return sending.output();
    }

    @Override
    public void onWritten(int octets, long nowNanos) {
        sending.onWritten(octets, nowNanos);
        settle();
    }

    @Override
    public void onUnsendable(String sentence, long nowNanos) {
        sending.onUnsendable(sentence, nowNanos);
        settle();
    }

    // ---- time

    @Override
    public long nextTimeout() {
        long sealed = seal == null ? NEVER : seal.nextTimeout();
        return Math.min(
                Math.min(earliestTimeout, sealed), Math.min(sending.injector.nextRelease(), questions.nextTimeout()));
    }

    @Override
    public void onTimeout(long nowNanos) {
        questions.onTimeout(nowNanos);
        if (seal != null) {
            seal.onTimeout(nowNanos);
        }
        if (earliestTimeout > nowNanos) {
            return;
        }
        earliestTimeout = NEVER;
        for (int i = queuePairs.size() - 1; i >= 0; i--) {
            if (i < queuePairs.size()) { // a queue pair may leave when it is called
                Attachment attachment = queuePairs.get(i);
                if (attachment.nextTimeout() <= nowNanos) {
                    try {
                        attachment.onTimeout(nowNanos);
                    } catch (Throwable e) {
                        fault(attachment, e);
                    }
                    touched(attachment);
                } else {
                    noteTimeout(attachment);
                }
            }
        }
        settle();
    }

    void noteTimeout(Attachment attachment) {
        if (attachment.attached()) {
            earliestTimeout = Math.min(earliestTimeout, attachment.nextTimeout());
            earliestSend = Math.min(earliestSend, attachment.queuePair().nextSend());
        }
    }

    // ---- attaching and detaching

    void attach(Attachment attachment) {
        if (closed) {
            port.detached(attachment);
            attachment.upper.onDetached(now());
            return;
        }
        try {
            attachment.open(
                    attachment.service == DatagramService.UD
                            ? new UdQueuePair(attachment, replies, paths, attachment.upper)
                            : factory.reliable.open(attachment, attachment.upper, now()));
            queuePairs.add(attachment);
            attachment.upper.onAttached(attachment, now());
        } catch (Throwable e) {
            failed("queue pair " + attachment.queuePairNumber() + " while it was attached", e);
            queuePairs.remove(attachment);
            attachment.detached();
            port.detached(attachment);
            attachment.upper.onDetached(now());
        }
        touched(attachment);
    }

    void detach(Attachment attachment) {
        if (attachment.attached()) {
            attachment.queuePair().onDetached();
            attachment.detached();
            queuePairs.remove(attachment);
            port.detached(attachment);
            attachment.upper.onDetached(now());
        }
    }

    @Override
    public void onClosed(long nowNanos) {
        closed = true;
        while (queuePairs.size() > 0) {
            detach(queuePairs.get(queuePairs.size() - 1));
        }
        questions.close();
        if (seal != null) {
            seal.close();
        }
    }

    /** Asks the resolver of another port. */
    void ask(Question question) {
        questions.ask(question, now());
        if (closed) {
            questions.close();
        }
    }

    // ---- for its parts

    /** Rings a queue pair's bell, and wakes the driver unless the bell was rung already. Any thread. */
    void ring(Bells.Bell<Attachment> bell, int wish) {
        if (sending.rung.ring(bell, wish)) {
            driver.wakeup();
        }
    }

    /** A call of a queue pair threw: the queue pair fails, and the port continues with the others. Throws nothing. */
    void fault(Attachment attachment, Throwable cause) {
        failed("queue pair " + attachment.queuePairNumber() + " at port " + HostPort.text(port.localAddress()), cause);
        try {
            attachment.upper.onFault(cause, now());
        } catch (Throwable again) {
            failed("the end of queue pair " + attachment.queuePairNumber(), again);
            detachSurely(attachment);
        }
    }

    private void detachSurely(Attachment attachment) {
        try {
            detach(attachment);
        } catch (Throwable e) {
            failed("queue pair " + attachment.queuePairNumber() + " while it left", e);
        }
    }

    private void failed(String where, Throwable cause) {
        counters.count(UdpCounter.FAILED);
        FAULTS.tell("This side failed in {}", where, cause);
    }

    /** A queue pair was called: it may have data to send, and its times may have changed. */
    void touched(Attachment attachment) {
        if (attachment.attached()) {
            sending.turns.add(attachment);
        }
        called(attachment);
    }

    /** A queue pair was called: its times may have changed, and {@link #settle} notifies it at the end of this call. */
    void called(Attachment attachment) {
        if (!attachment.called) {
            attachment.called = true;
            called.add(attachment);
        }
        noteTimeout(attachment);
    }

    /**
     * Notifies each called queue pair once. One that is called meanwhile is notified after the next call of the engine.
     */
    private void settle() {
        for (int left = called.size(); left > 0; left--) {
            Attachment attachment = called.remove();
            attachment.called = false;
            if (attachment.attached()) {
                try {
                    attachment.upper.settled();
                } catch (Throwable e) {
                    fault(attachment, e);
                }
            }
        }
    }

    boolean proves(DatagramParser question, long nowNanos) {
        return question.hasCookie()
                && sources.show(
                        question.cookie(),
                        question.datagram().source(),
                        question.shim().sourceQpn(),
                        nowNanos);
    }

    AddressProof proof(DatagramParser question, long nowNanos) {
        DatagramAddress source = question.datagram().source();
        if (proves(question, nowNanos) || sources.trusted(source)) {
            return AddressProof.DATAGRAM;
        }
        return validated(source, nowNanos) ? AddressProof.SOURCE : AddressProof.NONE;
    }

    boolean validated(DatagramAddress source, long nowNanos) {
        return sources.validated(source, nowNanos) || port.trusts(source);
    }

    long now() {
        return driver.nowNanos();
    }

    /**
     * {@return whether a datagram that the system refused was within the path's known size: then the datagram counts as
     * lost, and later ones are shorter}
     */
    boolean tooLong(DatagramAddress to, int octets, long nowNanos) {
        PathMtuSearch path = factory.paths().find(to);
        if (path == null) {
            return false;
        }
        int before = path.maximumDatagram();
        path.tooLong(octets, nowNanos);
        return octets <= before && path.maximumDatagram() < octets;
    }

    /** Adds one to a counter; a dropped datagram is also recorded for its source. */
    void count(UdpCounter counter) {
        counters.count(counter);
        DatagramAddress source = from;
        if (source != null && counter.drops()) {
            drops.note(source, counter.label());
        }
    }
}
