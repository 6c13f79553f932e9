package dev.jwarp.transport.udp.engine;

import dev.jwarp.base.Bells;
import dev.jwarp.base.Rate;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.path.PathMtuSearch;
import dev.jwarp.transport.udp.path.PathTable;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.port.PortQueuePair;
import dev.jwarp.transport.udp.port.PortServices;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A queue pair attached to a port: the calls of the layer above and of the service to the port. */
final class Attachment implements DatagramLowerLayer, PortServices {
    /** The wish that {@link #ready} adds to the bell. */
    static final int READY = 2;

    final DatagramService service;
    final DatagramUpperLayer upper;

    private final UdpEngine engine;
    private final int number;
    private final int key;
    /** Answers to violations a second: to a validated source, to another source, to all sources of each kind. */
    private final int perSource;

    private final int perStranger;
    private final int toAll;
    private final Rate answers = new Rate(AnswerSources.SECOND, 1, 0);
    private final Rate answersToStrangers = new Rate(AnswerSources.SECOND, 1, 0);
    private final PathProbeBody probe = new PathProbeBody();
    private final PathReplyBody pathReply = new PathReplyBody();
    private @Nullable PortQueuePair queuePair;

    private final Bells.Bell<Attachment> bell = new Bells.Bell<>(this);

    /** Whether this queue pair waits for its turn to send. */
    boolean inTurn;

    /** Whether this queue pair is in {@code UdpEngine.called}. */
    boolean called;

    /** Bytes left of its turn (deficit round robin); negative: bytes already sent of its next turn. */
    int credit;

    /** Bytes that waited for a pace before they were sent, or after which others wait, as those of weight 64. */
    long paced;

    Attachment(UdpEngine engine, DatagramService service, int number, int key, DatagramUpperLayer upper) {
        this.engine = engine;
        this.service = service;
        this.number = number;
        this.key = key;
        this.upper = upper;
        UdpSettings settings = settings();
        perSource = (int) settings.number(UdpSetting.NOTIFY_PER_SOURCE);
        perStranger = Math.min(perSource, Math.max(1, perSource / 10));
        toAll = 10 * perSource; // datagram-iWARP §9.3 (DG-9.3-1)
    }

    void open(PortQueuePair below) {
        queuePair = below;
    }

    boolean attached() {
        return queuePair != null;
    }

    void detached() {
        queuePair = null;
    }

    PortQueuePair queuePair() {
        return Objects.requireNonNull(queuePair);
    }

    /** {@return when {@link #onTimeout} is wanted} */
    long nextTimeout() {
        return Math.min(queuePair().nextTimeout(), upper.nextTimeout());
    }

    void onTimeout(long nowNanos) {
        queuePair().onTimeout(nowNanos);
        if (upper.nextTimeout() <= nowNanos) {
            upper.onTimeout(nowNanos);
        }
    }

    // ---- any thread

    @Override
    public void doorbell() {
        engine.ring(bell, Bells.RUNG);
    }

    @Override
    public void ready() {
        engine.ring(bell, READY);
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        engine.driver.afterCall(task);
    }

    @Override
    public boolean isHere() {
        return engine.driver.isHere();
    }

    @Override
    public void execute(Runnable task) {
        engine.driver.execute(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                engine.fault(this, e);
            }
        });
    }

    @Override
    public void limits(LimitSink sink) {
        PortQueuePair below = queuePair;
        if (below != null) {
            below.limits(sink);
        }
        // These limits are the owner's, the same for all its queue pairs.
        engine.sources.limits(sink);
        engine.answers.limits(sink);
    }

    @Override
    public void detach() {
        engine.driver.execute(() -> engine.detach(this));
    }

    // ---- owner

    @Override
    public void timeoutChanged() {
        engine.noteTimeout(this);
    }

    @Override
    public void resetPeer(@Nullable DatagramPeer peer) {
        if (attached()) {
            queuePair().resetPeer(peer);
            engine.touched(this);
        }
    }

    @Override
    public void stop(long nowNanos) {
        if (attached()) {
            queuePair().stop();
            engine.touched(this);
        }
    }

    @Override
    public void resume() {
        if (attached()) {
            queuePair().resume();
        }
    }

    @Override
    public void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos) {
        if (attached()) {
            queuePair().refuse(peer, question, code, nowNanos);
        }
    }

    @Override
    public void abandon(DatagramPeer peer, long nowNanos) {
        if (attached()) {
            queuePair().abandon(peer, nowNanos);
        }
    }

    @Override
    public int queuePairNumber() {
        return number;
    }

    @Override
    public int key() {
        return key;
    }

    @Override
    public boolean validated(DatagramAddress source, long nowNanos) {
        return engine.validated(source, nowNanos);
    }

    @Override
    public boolean proves(DatagramParser question, long nowNanos) {
        return engine.proves(question, nowNanos);
    }

    @Override
    public AddressProof proof(DatagramParser question, long nowNanos) {
        return engine.proof(question, nowNanos);
    }

    @Override
    public boolean admitsAnswer(DatagramAddress source, long nowNanos) {
        boolean known = validated(source, nowNanos);
        Rate ofSource = engine.sources.answers();
        long key = engine.sources.key(source);
        long address = engine.sources.addressKey(source);
        Rate ofQueuePair = known ? answers : answersToStrangers;
        int most = known ? toAll : perSource;
        // §9 (DG-9.3-1): limits for one source, for one host and for all sources, so that none can make this side send
        // more, and no host uses up the limit of all.
        boolean admitted = ofSource.of(key, nowNanos) < (known ? perSource : perStranger)
                && ofSource.of(address, nowNanos) < ShareLimits.mostOfOneSource(most)
                && ofQueuePair.all(nowNanos) < most;
        if (admitted) {
            ofSource.count(key, nowNanos);
            ofSource.count(address, nowNanos);
            ofQueuePair.count(0, nowNanos);
        } else {
            count(UdpCounter.TX_LIMITED);
        }
        return admitted;
    }

    @Override
    public void challenge(ReceivedDatagram question, long nowNanos) {
        engine.replies.challenge(question, nowNanos);
    }

    @Override
    public void follow(DatagramPeer peer) {
        peer.follow(engine.factory.paths().of(peer.address(), engine.driver));
    }

    @Override
    public boolean answersProbe(DatagramParser reply, long nowNanos) {
        ReceivedDatagram datagram = reply.datagram();
        pathReply.wrap(datagram.buffer(), datagram.offset());
        PathMtuSearch path = engine.factory.paths().find(datagram.source());
        return path != null
                && path.answered(pathReply.token(), pathReply.lengthReceived(), pathReply.largestPayload(), nowNanos);
    }

    @Override
    public void answerProbe(DatagramParser question, int key, boolean proved, int received, long nowNanos) {
        count(UdpCounter.RX_PATH_PROBE);
        ReceivedDatagram datagram = question.datagram();
        PathTable paths = engine.factory.paths();
        if (proved) {
            probe.wrap(datagram.buffer(), datagram.offset());
            paths.of(datagram.source(), engine.driver).takes(probe.largestPayload());
        }
        PathMtuSearch path = paths.find(datagram.source());
        int takes = path == null ? DatagramLength.LARGEST : path.largest();
        engine.replies.path(question, key, takes, received, nowNanos);
    }

    @Override
    public AnswerQueue answers() {
        return engine.answers;
    }

    @Override
    public void count(UdpCounter counter) {
        engine.count(counter);
    }

    @Override
    public void dropped(DatagramAddress source, String cause) {
        engine.drops.note(source, cause);
    }

    @Override
    public UdpSettings settings() {
        return engine.factory.settings;
    }

    @Override
    public long random() {
        return engine.factory.random.nextLong();
    }
}
