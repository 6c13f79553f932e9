package dev.jwarp.rnic.connection;

import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.Transport;
import dev.jwarp.rnic.connection.CmIdState.Move;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.rnic.core.RnicCounter;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.portmap.nio.PortMapper;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A connection id, as the program sees it; {@link CmIdLife} has its state. */
public final class RnicCmId implements CmId, RnicEventChannel.User {
    private static final byte[] NO_REASON = {};

    /** Backlog of a listener that is created with backlog 0. */
    private static final int DEFAULT_BACKLOG = 128;

    private final Connections home;
    private final ContextCore context;
    private final CmIdEvents events;
    private final CmIdLife life;

    // Guarded by life.
    private @Nullable RnicListener listener;
    private Transport.@Nullable Listener port;
    private @Nullable Runnable endOfAnswers;
    private boolean queuePairIsOurs;

    /** Connection of the last connect or accept. */
    private volatile @Nullable QueuePairConnection begun;

    private volatile @Nullable InetSocketAddress local;
    private volatile @Nullable RnicQueuePair queuePair;
    private volatile @Nullable Object attachment;

    /** An id of the program; {@code channel} null for a synchronous one. */
    RnicCmId(Connections home, @Nullable RnicEventChannel channel) {
        this(home, channel, null, null, null);
    }

    /** An id for a connection request of a peer; the last three parameters are null for an id of the program. */
    RnicCmId(
            Connections home,
            @Nullable RnicEventChannel channel,
            @Nullable LlpConnection connection,
            @Nullable StartParameters request,
            @Nullable RnicListener parent) {
        this.home = home;
        context = home.context();
        this.events = new CmIdEvents(this, context, channel);
        this.life = new CmIdLife(context, this, events, connection, request, parent);
    }

    CmIdEvents events() {
        return events;
    }

    public CmIdLife life() {
        return life;
    }

    @Override
    public boolean take() {
        return life.take();
    }

    @Override
    public void handlerFailed(String reason) {
        try {
            boolean refused;
            synchronized (life) {
                refused = life.state() == CmIdState.REQUESTED;
                if (refused) {
                    life.refuse(NO_REASON, RnicCounter.REQUESTS_REJECTED);
                }
            }
            RnicQueuePair pair = queuePair;
            if (refused) {
                close(); // the program does not get the request again
            } else if (pair != null) {
                pair.failLocally(reason);
            }
        } catch (Throwable e) {
            context.failed(this + " could not be ended", e);
        }
    }

    // ---- before the connection

    @Override
    public void bind(InetSocketAddress address) {
        if (RdmaException.requireArgument(address, "local").isUnresolved()) {
            throw unknownHost(address);
        }
        synchronized (life) {
            life.require(Move.BIND, "bind");
            local = address;
            life.move(Move.BIND);
        }
    }

    @Override
    public void resolveAddress(@Nullable InetSocketAddress source, InetSocketAddress destination) {
        RdmaException.requireArgument(destination, "destination");
        synchronized (life) {
            life.require(Move.RESOLVE, "resolveAddress");
            InetSocketAddress unknown =
                    destination.isUnresolved() ? destination : source != null && source.isUnresolved() ? source : null;
            if (unknown == null) {
                local = source == null ? local : source;
                life.remote(destination);
                life.move(Move.RESOLVE);
                tell(CmEventType.ADDR_RESOLVED, null, destination + " was resolved.");
            } else if (events.synchronous()) {
                throw unknownHost(unknown);
            } else {
                String sentence = String.valueOf(unknownHost(unknown).getMessage());
                tell(CmEventType.ADDR_ERROR, RdmaErrorCode.ADDRESS_NOT_AVAILABLE, sentence);
            }
        }
    }

    private static RdmaException unknownHost(InetSocketAddress address) {
        return new RdmaException(
                RdmaErrorCode.ADDRESS_NOT_AVAILABLE,
                "The host " + address.getHostString() + " is unknown. Check the name, or give its address in numbers.");
    }

    @Override
    public void resolveRoute() {
        synchronized (life) {
            life.require(Move.RESOLVE_ROUTE, "resolveRoute");
            tell(CmEventType.ROUTE_RESOLVED, null, "The route to " + life.remote() + " is IP's business.");
        }
    }

    private void tell(CmEventType type, @Nullable RdmaErrorCode error, String sentence) {
        life.tell(type, error, sentence, ConnectionParameters.DEFAULT);
    }

    @Override
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        if (!(domain instanceof RnicProtectionDomain own) || own.core() != context) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, "The protection domain belongs to another context than the id.");
        }
        synchronized (life) {
            checkNoQueuePair("createQueuePair");
            RnicQueuePair made = (RnicQueuePair) own.createQueuePair(attributes);
            try {
                made.modify(QueuePairState.INIT);
            } catch (Throwable e) {
                made.close();
                throw e;
            }
            queuePair = made;
            queuePairIsOurs = true;
            return made;
        }
    }

    @Override
    public void useQueuePair(QueuePair given) {
        context.progression().checkThread();
        if (!(given instanceof RnicQueuePair own) || own.protectionDomain().core() != context) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, "The queue pair belongs to another context than the id.");
        }
        synchronized (life) {
            checkNoQueuePair("useQueuePair");
            queuePair = own;
            queuePairIsOurs = false;
        }
    }

    private void checkNoQueuePair(String call) {
        RnicQueuePair present = queuePair;
        if (life.closed() || life.state() == CmIdState.LISTENING) {
            throw life.wrongState(call);
        }
        if (present != null && !present.closed()) {
            throw new RdmaException(RdmaErrorCode.WRONG_STATE, this + " has a queue pair already: " + present + ".");
        }
    }

    private RnicQueuePair neededQueuePair(String call) {
        RnicQueuePair present = queuePair;
        if (present == null || present.closed()) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE, this + " needs a queue pair before " + call + ": call createQueuePair.");
        }
        return present;
    }

    // ---- active side

    @Override
    public void connect(ConnectionParameters parameters) {
        RdmaException.requireArgument(parameters, "parameters");
        checkMayCall();
        StartParameters offer = ConnectionTerms.offer(parameters, context.attributes());
        KeepAliveTimes keepAlive = ConnectionTerms.keepAlive(parameters);
        Duration timeout = parameters.timeout();
        long nanos = timeout == null ? home.connectTimeoutNanos() : Progression.nanos(timeout);
        RnicQueuePair pair;
        QueuePairConnection connection;
        CmIdLife.Attempt attempt = life.newAttempt();
        synchronized (life) {
            life.require(Move.CONNECT, "connect");
            pair = neededQueuePair("connect");
            connection = pair.begin(life);
            connection.keepAlive(keepAlive);
            begun = connection;
            life.connecting(attempt);
        }
        InetSocketAddress remote = Objects.requireNonNull(life.remote());
        LlpConnection made = null;
        try {
            if (home.asksPortMapper()) {
                new DeferredConnect(home, life, attempt, connection, offer, nanos)
                        .ask(PortMapper.ofProcess(), remote, local);
            } else {
                made = home.transport().connect(remote, local, offer, nanos, connection, attempt);
                life.connection(made);
                connection.owner(made);
            }
        } catch (Throwable e) {
            if (pair.unbegin(connection)) {
                begun = null;
                life.giveUp(attempt);
            }
            if (made == null) {
                connection.fail(); // in case the transport establishes the connection nevertheless
            } else {
                made.abort();
            }
            if (e instanceof LlpException refused) {
                throw FailureNames.exception(refused);
            }
            throw e;
        }
        events.awaitEstablished();
    }

    /** The set-up failed: flushes the posted requests. */
    void neverBegan(String sentence) {
        QueuePairConnection connection = begun;
        if (connection != null) {
            connection.neverBegan(sentence);
        }
    }

    // ---- passive side

    @Override
    public void listen(int backlog) {
        int requests = requests(backlog);
        synchronized (life) {
            life.require(Move.LISTEN, "listen");
            RnicListener taker = new RnicListener(home, this, requests);
            try {
                listening(home.transport().listen(Objects.requireNonNull(local), requests, taker), taker);
            } catch (LlpException e) {
                throw FailureNames.exception(e);
            }
        }
    }

    private static int requests(int backlog) {
        ContextCore.checkRange(backlog, 0, 0xffff, "requests of a backlog");
        return backlog == 0 ? DEFAULT_BACKLOG : backlog;
    }

    private void listening(Transport.Listener opened, RnicListener taker) {
        port = opened;
        local = opened.localAddress();
        listener = taker;
        if (home.answersPortMapper()) {
            endOfAnswers = PortMapper.ofProcess().listening(opened.localAddress());
        }
        life.move(Move.LISTEN);
    }

    @Override
    public void listenWith(CmId other, int backlog) {
        RdmaException.requireArgument(other, "other");
        int requests = requests(backlog);
        Transport.Listener with = other instanceof RnicCmId listening ? listening.portFor(this) : null;
        synchronized (life) {
            life.require(Move.BIND, "listenWith");
            RnicListener taker = new RnicListener(home, this, requests);
            Transport.Listener opened;
            try {
                opened = with == null ? null : home.transport().listen(with, requests, taker);
            } catch (LlpException e) {
                if (e.failure() == LlpFailure.REFUSED) {
                    throw new RdmaException(
                            RdmaErrorCode.WRONG_STATE,
                            this + " cannot listen with " + other + ": the id that opened that port was closed,"
                                    + " so no requests arrive there. Bind an id, and listen with that id.",
                            e);
                }
                throw FailureNames.exception(e);
            }
            if (opened == null) {
                throw new RdmaException(
                        RdmaErrorCode.NOT_SUPPORTED,
                        this + " cannot listen with " + other
                                + ": both need contexts with inline progress over TCP. A context"
                                + " with threaded progress divides its connections among its event loops.");
            }
            life.move(Move.BIND);
            listening(opened, taker);
        }
    }

    @Override
    public void choosing(Function<InetSocketAddress, ? extends @Nullable CmId> chooser) {
        context.progression().checkThread();
        RdmaException.requireArgument(chooser, "chooser");
        Transport.Listener own;
        synchronized (life) {
            if (life.state() != CmIdState.LISTENING) {
                throw new RdmaException(
                        RdmaErrorCode.WRONG_STATE, this + " does not listen: listen first, then choose.");
            }
            own = port;
        }
        if (own == null
                || !own.choosing(peer -> chooser.apply(peer) instanceof RnicCmId chosen ? chosen.listens() : null)) {
            throw new RdmaException(
                    RdmaErrorCode.NOT_SUPPORTED,
                    this
                            + " cannot choose who takes a connection: it needs inline progress over TCP, and the port itself."
                            + " Choose with the id that the others listen with; for event loops with EventLoops.choosing.");
        }
    }

    private Transport.@Nullable Listener listens() {
        synchronized (life) {
            return port;
        }
    }

    private Transport.@Nullable Listener portFor(RnicCmId guest) {
        synchronized (life) {
            if (life.state() != CmIdState.LISTENING) {
                throw new RdmaException(
                        RdmaErrorCode.WRONG_STATE, guest + " cannot listen with " + this + ", which does not listen.");
            }
            return port;
        }
    }

    @Override
    public @Nullable CmId getRequest(Duration timeout) {
        RdmaException.requireArgument(timeout, "timeout");
        synchronized (life) {
            life.require(Move.GET_REQUEST, "getRequest");
        }
        if (!events.synchronous()) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE, this + " reports requests to its event channel: take them there.");
        }
        CmEvent event = events.await(Progression.nanos(timeout));
        if (event != null && event.id() instanceof RnicCmId taken) {
            taken.events.last(event);
        }
        return event == null ? null : event.id();
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        RdmaException.requireArgument(parameters, "parameters");
        checkMayCall();
        synchronized (life) {
            life.requireRequest(Move.ACCEPT, "accept");
            RnicQueuePair pair = neededQueuePair("accept");
            StartParameters reply = ConnectionTerms.reply(parameters, life.request(), context.attributes());
            KeepAliveTimes keepAlive = ConnectionTerms.keepAlive(parameters);
            QueuePairConnection connection = pair.begin(life);
            connection.keepAlive(keepAlive);
            begun = connection;
            try {
                life.accept(reply, connection);
            } catch (Throwable e) {
                if (life.takeBack() && pair.unbegin(connection)) {
                    begun = null;
                } else {
                    connection.fail(); // the transport has the connection already
                }
                throw e;
            }
        }
        events.awaitEstablished();
    }

    @Override
    public void reject(byte[] privateData) {
        RdmaException.requireArgument(privateData, "privateData");
        ConnectionTerms.checkPrivateData(privateData, context.attributes());
        synchronized (life) {
            life.requireRequest(Move.REFUSE, "reject");
            life.refuse(privateData.clone(), RnicCounter.REQUESTS_REJECTED);
        }
    }

    /** Rejects the request if the program has not taken it, because the listener is being closed. */
    void closeIfNotTaken() {
        if (life.takeUnseen()) {
            close();
        }
    }

    /** Rejects the request if the program has not taken it, because the backlog is full. */
    void turnAway() {
        if (life.takeUnseen()) {
            synchronized (life) {
                if (life.state() == CmIdState.REQUESTED) {
                    life.refuse(NO_REASON, RnicCounter.REQUESTS_TURNED_AWAY);
                }
            }
            close();
        }
    }

    // ---- the end

    @Override
    public void disconnect() {
        checkMayCall();
        RnicQueuePair pair = queuePair;
        QueuePairConnection connection = pair == null ? null : pair.connection();
        synchronized (life) {
            if (life.state() == CmIdState.OVER || life.closed()) {
                return;
            }
            life.require(Move.DISCONNECT, "disconnect");
        }
        // The queue pair may belong to another id by now, before this id has got its last event.
        if (connection != null && connection.isOf(life)) {
            connection.disconnect();
            if (events.synchronous()) {
                // Bounded by the time-outs of the connection and its transport.
                context.progression().await(connection, Long.MAX_VALUE);
            }
        }
    }

    @Override
    public void close() {
        checkMayClose();
        boolean first;
        synchronized (life) {
            if (life.state() == CmIdState.GONE) {
                return;
            }
            if (life.state() == CmIdState.REQUESTED) {
                life.refuse(NO_REASON, RnicCounter.REQUESTS_REJECTED);
            }
            // A connection still reports its end, but the program gets no event.
            first = life.move(Move.CLOSE);
        }
        try {
            life.takeUnseen();
            stopAnswers();
            if (port != null && listener != null) {
                port.close();
                listener.close();
            }
        } finally {
            try {
                endConnection();
            } finally {
                events.close(first);
            }
        }
        // After an exception above, the id stays registered, so that it can be closed again.
        home.remove(this);
        life.move(Move.FORGET);
    }

    private void stopAnswers() {
        Runnable stop;
        synchronized (life) {
            stop = endOfAnswers;
            endOfAnswers = null;
        }
        if (stop != null) {
            stop.run();
        }
    }

    /** Throws WRONG_STATE if the call waits for its outcome and the caller must not wait. Called before any change. */
    private void checkMayCall() {
        if (events.synchronous()) {
            context.progression().checkMayWait();
        }
    }

    private void checkMayClose() {
        context.progression().checkThread();
        RnicQueuePair pair = queuePair;
        QueuePairConnection connection = pair == null ? null : pair.connection();
        if (connection != null && (queuePairIsOurs || connection.isOf(life))) {
            connection.checkMayFinish();
        }
    }

    private void endConnection() {
        RnicQueuePair pair = queuePair;
        QueuePairConnection connection = pair == null ? null : pair.connection();
        if (pair != null && queuePairIsOurs) {
            pair.close();
        } else if (connection != null && connection.isOf(life)) {
            connection.finish();
        }
    }

    // ---- other properties

    @Override
    public Context context() {
        return context.context();
    }

    @Override
    public @Nullable CmEventChannel channel() {
        return events.channel();
    }

    @Override
    public void migrate(@Nullable CmEventChannel target) {
        context.progression().checkThread();
        if (life.closed()) {
            throw life.wrongState("migrate");
        }
        if (target != null && !(target instanceof RnicEventChannel)) {
            throw ContextCore.foreign("event channel");
        }
        events.migrate((RnicEventChannel) target);
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public void attach(@Nullable Object object) {
        attachment = object;
    }

    @Override
    public @Nullable QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public @Nullable CmEvent event() {
        return events.last();
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        LlpConnection connection = life.connection();
        return connection == null ? local : connection.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return life.remote();
    }

    @Override
    public String toString() {
        return "connection id" + (local == null ? "" : " of " + local)
                + (remoteAddress() == null ? "" : " with " + remoteAddress());
    }
}
