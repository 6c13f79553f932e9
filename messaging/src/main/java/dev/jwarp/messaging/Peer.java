package dev.jwarp.messaging;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with one service: a connection, or a pair of datagram queue pairs. Its life: looked up, being set up,
 * ready, gone. A new conversation with the same service is another object.
 *
 * <p>Back-pressure: a frame of type SHORT or LONG has a number, and needs a number up to the limit that the peer has
 * granted. A reply has none: its caller has reserved a receive. CREDIT, DONE and BYE have none; {@link #UNNUMBERED}
 * receives are kept for those.
 *
 * <p>Used under the lock of the endpoint.
 */
final class Peer implements Operation {
    static final int MOST_WINDOW = 16_384;
    /** Long messages to a peer at a time; each causes one DONE. */
    static final int MOST_LONG = 4;
    /**
     * Receives kept for frames without numbers: a DONE for each long message; two CREDITs, because a CREDIT is sent when
     * half of the window was granted anew; a question for CREDIT, and a BYE.
     */
    static final int UNNUMBERED = MOST_LONG + 4;

    /** A silent peer is asked for a sign of life so often in the time in which it has to answer. */
    private static final int ASKS = 5;

    static final int MOST_PENDING = 256;
    /** Frames of a peer in send queues; with more, none is sent for liveness only. */
    private static final int MOST_POSTED = 256;

    private static final int FEW_POSTED = 8;
    private static final int MOST_RETURNS = 16;
    private static final int REMEMBERED = 64;

    /** The states. */
    enum State {
        SETTING_UP,
        READY,
        GONE
    }

    final MessageEndpoint endpoint;
    private final int service;
    /** Number that frames of the peer show. */
    final int ownSession;

    State state = State.SETTING_UP;

    @Nullable
    Place place;

    /** Null until this side or the peer has chosen it. */
    @Nullable
    QueuePairType carrier;

    @Nullable
    CmId id;

    Connections.@Nullable Request request;

    /** Ticks since the request came: time in which this side stands still does not count. */
    private int requestTicks;

    @Nullable
    QueuePair queuePair;

    @Nullable
    AddressHandle handle;

    /** Of a datagram peer: of its queue pair, and of its UDP port. */
    private int itsNumber;

    private int itsPort;
    private int session;
    private int maxShort;

    /** Frames sent. */
    private long frames;
    /** Number of the last frame sent, and the highest that the peer has granted. */
    private int number;

    private int limit;
    /** Highest number received, frames that the program holds, and the highest number granted. */
    private int highest;

    private int held;
    private int granted;
    /** Long replies of this side that have not ended. */
    private int longReplies;

    private @Nullable Receives receives;
    /** Receives that this conversation has reserved. */
    private int reserved;
    /** Receives that are reserved for replies; some for replies to calls whose time is over. */
    private int replies;

    private int late;
    /** Bytes of the pool that long messages of the peer hold. */
    private long longHeld;
    /** Long messages of the peer that the program has not closed. */
    private int longOpen;

    private boolean creditDue;
    /** Whether this peer is in the endpoint's queue of those that wait for slots, or for receives. */
    boolean hungry;

    /** Work requests that have not completed. */
    private int posted;

    /** The conversation that the peer has begun over another carrier while this one was being set up. */
    @Nullable
    Peer next;

    private long lastHeard;
    private long lastAsked;
    /** Whether this side waits for the peer, and since when. */
    private boolean waiting;

    private long waitingSince;
    /** Whether a call has ended without a reply, and nothing was heard since. */
    private boolean doubtful;
    /** What was sent and heard when the endpoint last asked whether the conversation is used. */
    private long used;
    /** Calls that wait for replies; see {@link Calls}. */
    int calls;

    /** Frames that need no number, and frames that do. */
    private final ArrayDeque<WaitingFrame> urgent = new ArrayDeque<>();

    private final ArrayDeque<WaitingFrame> pending = new ArrayDeque<>();
    private final ArrayDeque<LongSend> longQueue = new ArrayDeque<>();
    private final List<LongSend> sending = new ArrayList<>();
    private final List<LongReceive> receiving = new ArrayList<>();
    /** Buffers of the peer, each for one long message of this side. */
    private final ArrayDeque<RemoteMemory> returns = new ArrayDeque<>();

    private final Map<Integer, Exposure> exposed = new HashMap<>();
    private final int[] endedTokens = new int[REMEMBERED];
    private final int[] endedStatus = new int[REMEMBERED];
    /** Return buffers of this side that the peer has, or gets with a message that waits. */
    private int promised;

    private int lastToken;
    private @Nullable ProgressCondition room;

    Peer(MessageEndpoint endpoint, int service, int ownSession) {
        this.endpoint = endpoint;
        this.service = service;
        this.ownSession = ownSession;
        granted = endpoint.options.window();
        lastHeard = endpoint.now();
    }

    int service() {
        return service;
    }

    boolean datagrams() {
        return handle != null;
    }

    /** The receives that the frames of the peer use, of which {@code count} are reserved for it. */
    void receives(Receives from, int count) {
        receives = from;
        reserved = count;
    }

    boolean hasReceives() {
        return receives != null;
    }

    /** The peer connects, too. */
    void keep(Connections.Request asks) {
        refuseRequest();
        request = asks;
        requestTicks = 0;
    }

    private Connections.@Nullable Request takeRequest() {
        Connections.Request taken = request;
        request = null;
        return taken;
    }

    private void refuseRequest() {
        Connections.Request unused = takeRequest();
        if (unused != null) {
            unused.refuse();
        }
    }

    /** This side's connection has failed, or could not be set up: the peer's is used, if the peer has asked for one. */
    void lost(RdmaException cause) {
        if (!acceptRequest()) {
            fail(cause);
        }
    }

    /** {@return whether the peer's own connection is used from now on} */
    private boolean acceptRequest() {
        Connections.Request instead = takeRequest();
        if (instead == null) {
            return false;
        }
        Place wrong = place;
        try {
            instead.accept(this);
        } catch (RdmaException e) { // the peer has given it up
            return false;
        }
        if (wrong != null) {
            place = null;
            endpoint.doubt(service, wrong);
        }
        return true;
    }

    /** {@return whether this conversation has begun with that hello already} */
    boolean isWith(Hello theirs) {
        return state == State.READY
                && session == theirs.session()
                && itsNumber == theirs.queuePairNumber()
                && itsPort == theirs.port();
    }

    /** The peer is reached with datagrams. */
    void reached(DatagramQueuePair from, AddressHandle with) {
        queuePair = from;
        carrier = from.type();
        handle = with;
        itsNumber = with.queuePairNumber();
        itsPort = with.address().getPort();
    }

    /** The peer's hello came, and frames can go. */
    void ready(Hello theirs) {
        session = theirs.session();
        limit = theirs.window();
        maxShort = theirs.maxShort();
        state = State.READY;
        Connections.Request other = takeRequest();
        if (other != null) {
            other.judge();
        }
        endpoint.count(EndpointCounter.CONVERSATIONS);
        heard();
        if (takes(theirs)) {
            flush();
        }
    }

    /** This side has connected: the peer is silent until it has received something (RFC 5044 §7.1.2). */
    void beginToSend() {
        if (state == State.READY && frames == 0) {
            sendCredit(0);
        }
    }

    /** {@return whether the peer takes what waits; if not, the conversation has failed} */
    boolean takes(Hello theirs) {
        boolean all = Stream.concat(urgent.stream(), pending.stream())
                .noneMatch(each -> each.type() == Frame.SHORT && each.shortLength() > theirs.maxShort());
        if (!all) {
            fail(new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A short message to " + this + " has at most " + theirs.maxShort() + " bytes: send a long one."));
        }
        return all;
    }

    /** The peer's hello is none. */
    void failAsStranger() {
        lost(new RdmaException(
                RdmaErrorCode.PROTOCOL_MISMATCH, this + " does not speak jwarp's messages, or another version."));
    }

    private void heard() {
        lastHeard = endpoint.now();
        doubtful = false;
    }

    long lastHeard() {
        return lastHeard;
    }

    private void checkNotGone() {
        if (state == State.GONE) {
            throw new RdmaException(RdmaErrorCode.DISCONNECTED, "The conversation with " + this + " has ended.");
        }
    }

    // ---- short messages and other frames

    /** {@return whether the message was sent or queued; false if there is no room} A reply always has room. */
    boolean trySend(int flags, long correlation, ByteBuffer data, List<MessageBuffer> buffers) {
        checkNotGone();
        if (state == State.READY && data.remaining() > maxShort) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A short message to " + this + " has at most " + maxShort + " bytes, not " + data.remaining()
                            + ": send a long one.");
        }
        if ((flags & Frame.CALL) != 0
                && endpoint.call(this, correlation) == null) { // it has ended before there was room
            endpoint.after(() -> buffers.forEach(MessageBuffer::close));
            return true;
        }
        boolean reply = (flags & Frame.REPLY) != 0;
        if (reply && !returns.isEmpty()) {
            returns.removeIf(each -> each.call() == correlation);
        }
        ArrayDeque<WaitingFrame> queue = reply ? urgent : pending;
        int length = Frame.HEADER + data.remaining();
        Slot slot = queue.isEmpty() && buffers.isEmpty() && mayPost(Frame.SHORT, flags) ? takeSlot() : null;
        if (slot != null) {
            writeShort(endpoint.sends.memory.clear().position(slot.at), flags, 0, correlation, data);
            if (post(slot, length, !reply)) {
                questionSent(flags, correlation);
                endpoint.count(EndpointCounter.SHORT_SENT);
                return true;
            }
            checkNotGone();
        }
        if (pending.size() >= MOST_PENDING && !reply) {
            return false;
        }
        promise(buffers.size());
        WaitingFrame frame = endpoint.spare.take(length + buffers.size() * Frame.RETURN, buffers);
        writeShort(frame.bytes, flags, buffers.size(), correlation, data);
        queue.add(frame);
        endpoint.count(EndpointCounter.SHORT_SENT);
        endpoint.tickSoon();
        if (!buffers.isEmpty()) {
            flush();
        }
        return true;
    }

    private static void writeShort(ByteBuffer to, int flags, int buffers, long correlation, ByteBuffer data) {
        Frame.header(to, Frame.SHORT, flags, buffers, correlation);
        to.put(to.position() + buffers * Frame.RETURN, data, data.position(), data.remaining());
    }

    /** A call begins: a receive is reserved for its reply. */
    private void questionSent(int flags, long correlation) {
        Call call = (flags & Frame.CALL) == 0 ? null : endpoint.call(this, correlation);
        if (call != null) {
            call.sent = true;
            replies++;
            Objects.requireNonNull(receives).reserveReply();
        }
    }

    private boolean mayPost(int type, int flags) {
        if (state != State.READY) {
            return false;
        }
        if ((flags & Frame.CALL) != 0 && !Objects.requireNonNull(receives).roomForReply(replies)) {
            endpoint.hungry(this);
            return false;
        }
        return !Frame.numbered(type, flags) || (Frame.ahead(limit, number) > 0 && posted < MOST_POSTED);
    }

    private @Nullable Slot takeSlot() {
        Slot got = endpoint.sends.take();
        if (got == null) {
            endpoint.hungry(this);
        }
        return got;
    }

    /** Posts the frame of a slot; gives the slot back if the send queue is full. */
    private boolean post(Slot slot, int length, boolean numbered) {
        int next = numbered ? number + 1 : number;
        int grant = grant();
        Frame.stamp(endpoint.sends.memory, slot.at, session, next, grant);
        SendWorkRequest request = endpoint.request
                .clear()
                .id(MessageEndpoint.SEND | slot.index)
                .add(endpoint.sends.region, slot.at, length);
        slot.sender = this;
        if (!post(request)) {
            endpoint.sends.give(slot);
            endpoint.hungry(this);
            return false;
        }
        number = next;
        frames++;
        granted = grant;
        creditDue = false; // each frame grants
        return true;
    }

    /** {@return whether the request was posted; false if the send queue is full} */
    boolean post(SendWorkRequest request) {
        if (handle != null) {
            request.destination(handle);
        }
        try {
            boolean done = queuePair != null && queuePair.tryPostSend(request);
            posted += done ? 1 : 0;
            endpoint.posted |= done;
            return done;
        } catch (RdmaException e) {
            fail(e);
            return false;
        }
    }

    /** As {@link #post}, for a Read over datagrams that is repeated until all bytes are there. */
    boolean readAll(SendWorkRequest request, int rounds) {
        if (handle == null || !(queuePair instanceof DatagramQueuePair pair)) {
            return post(request);
        }
        try {
            pair.readAll(request.destination(handle), rounds);
            posted++;
            endpoint.posted = true;
            return true;
        } catch (RdmaException e) { // the send queue is full: the sender asks again
            return false;
        }
    }

    /** A frame was sent, or could not be. */
    @Override
    public void completed(WorkCompletion completion) {
        requestEnded();
        if (!completion.succeeded() && datagrams()) { // over a connection an event says more
            fail(new RdmaException(RdmaErrorCode.DISCONNECTED, this + " cannot be reached: " + completion.describe()));
        } else if (creditDue || !urgent.isEmpty() || !pending.isEmpty() || !longQueue.isEmpty()) {
            flush();
        }
    }

    /** A request of {@link #post} has completed. */
    void requestEnded() {
        posted--;
        closeHandle();
    }

    /** The handle can be closed when no request uses it. */
    private void closeHandle() {
        AddressHandle unused = handle;
        if (state == State.GONE && posted == 0 && unused != null) {
            endpoint.after(unused::close);
        }
    }

    private boolean postFrame(WaitingFrame waiting) {
        int flags = waiting.flags();
        boolean shortCall = waiting.type() == Frame.SHORT && (flags & Frame.CALL) != 0;
        if (shortCall && endpoint.call(this, waiting.correlation()) == null) {
            giveBack(waiting.returns); // the call has ended
            return true;
        }
        Slot slot = mayPost(waiting.type(), flags) ? takeSlot() : null;
        if (slot == null) {
            return false;
        }
        ByteBuffer to = endpoint.sends.memory.clear();
        to.put(slot.at, waiting.bytes, 0, waiting.bytes.limit());
        List<Exposure> made;
        try {
            made = expose(waiting.returns, waiting.correlation(), to.position(slot.at + Frame.HEADER));
        } catch (RdmaException e) {
            endpoint.sends.give(slot);
            giveBack(waiting.returns);
            endpoint.fail(Objects.requireNonNull(endpoint.call(this, waiting.correlation())), e);
            return true;
        }
        if (!post(slot, waiting.bytes.limit(), Frame.numbered(waiting.type(), flags))) {
            unexpose(made);
            return false;
        }
        questionSent(flags, waiting.correlation());
        return true;
    }

    /** Return buffers of which the peer will not hear. */
    void giveBack(List<MessageBuffer> buffers) {
        promised -= buffers.size();
        if (!buffers.isEmpty()) {
            endpoint.after(() -> buffers.forEach(MessageBuffer::close));
        }
    }

    private void sendDone(int token, int status) {
        ByteBuffer to = ByteBuffer.allocate(Frame.HEADER + Frame.DONE_BODY);
        Frame.header(to, Frame.DONE, 0, 0, 0);
        to.putInt(token).putInt(status);
        WaitingFrame frame = new WaitingFrame(to.array());
        if (!postFrame(frame) && state != State.GONE) {
            urgent.add(frame);
            endpoint.tickSoon();
        }
    }

    /** Sends a CREDIT; later, if the peer takes frames slowly. */
    private void sendCredit(int flags) {
        Slot slot = posted < FEW_POSTED && mayPost(Frame.CREDIT, 0) ? takeSlot() : null;
        if (slot == null) {
            creditDue = true;
        } else {
            Frame.header(endpoint.sends.memory.clear().position(slot.at), Frame.CREDIT, flags, 0, 0);
            creditDue = !post(slot, Frame.HEADER, false);
        }
    }

    /** Sends what waits, as far as credits and the send queue permit. */
    void flush() {
        while (!urgent.isEmpty() && postFrame(urgent.peekFirst())) {
            sent(urgent.removeFirst());
        }
        if (creditDue) {
            sendCredit(0);
        }
        boolean some = false;
        while (!pending.isEmpty() && postFrame(pending.peekFirst())) {
            sent(pending.removeFirst());
            some = true;
        }
        some |= !longQueue.isEmpty() && startLong();
        if (some && room != null) {
            room.signal();
        }
    }

    private void sent(WaitingFrame frame) {
        if (frame.type() == Frame.SHORT) { // of trySend; others are kept by their makers
            endpoint.spare.give(frame);
        }
    }

    /** {@return whether a long message that waited was begun} Replies need not wait for those before them. */
    private boolean startLong() {
        boolean some = false;
        for (Iterator<LongSend> i = longQueue.iterator(); i.hasNext() && sending.size() < MOST_LONG; ) {
            LongSend next = i.next();
            boolean inOrder = pending.isEmpty() || !Frame.numbered(Frame.LONG, next.flags());
            if (inOrder && mayPost(Frame.LONG, next.flags()) && endpoint.sends.any()) {
                i.remove();
                start(next);
                if (state == State.GONE) {
                    return true;
                }
                some = true;
            }
        }
        return some;
    }

    private void start(LongSend message) {
        RemoteMemory where = takeReturn(message);
        sending.add(message);
        try {
            message.start(++lastToken, where);
        } catch (RdmaException e) { // no STags are left
            sending.remove(message);
            longReplies -= message.isReply() ? 1 : 0;
            if (where != null) {
                returns.add(where);
            }
            message.fail(e);
        }
    }

    /** {@return the condition that there may be room again; the caller holds no lock when it waits} */
    ProgressCondition room() {
        checkNotGone();
        if (room == null) {
            room = endpoint.context.newCondition(() -> pending.size() < MOST_PENDING || state == State.GONE);
        }
        return room;
    }

    // ---- long messages out

    void send(LongSend message, int withReturns) {
        checkNotGone();
        promise(withReturns);
        longReplies += message.isReply() ? 1 : 0;
        longQueue.add(message);
        flush();
        endpoint.tickSoon();
    }

    private void promise(int buffers) {
        if (promised + buffers > MOST_RETURNS) {
            throw new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    this + " has " + promised + " return buffers that it has not used, of " + MOST_RETURNS
                            + ": wait for its messages.");
        }
        promised += buffers;
    }

    /** {@return the smallest return buffer of the peer with room for the message; null if there is none} */
    private @Nullable RemoteMemory takeReturn(LongSend message) {
        long call = message.isReply() ? message.correlation() : 0;
        RemoteMemory best = null;
        for (RemoteMemory each : returns) {
            boolean fits = each.length() >= message.total() && (each.call() == 0 || each.call() == call);
            if (fits && (best == null || each.length() < best.length())) {
                best = each;
            }
        }
        if (best != null) {
            returns.remove(best);
        }
        if (call != 0) { // a reply ends the other return buffers of its call
            returns.removeIf(each -> each.call() == call);
        }
        return best;
    }

    /** Posts a LONG; queues it if there is no room. */
    void notice(byte[] frame, LongSend message) {
        WaitingFrame waiting = new WaitingFrame(frame);
        if (!postFrame(waiting) && state != State.GONE) {
            (message.isReply() ? urgent : pending).add(waiting);
        }
    }

    /** Repeats a LONG under its number: the window has room for it already. */
    void noticeAgain(byte[] frame) {
        Slot slot = posted < FEW_POSTED && mayPost(Frame.CREDIT, 0) ? takeSlot() : null;
        if (slot != null) {
            endpoint.sends.memory.put(slot.at, frame);
            post(slot, frame.length, false);
        }
    }

    void ended(LongSend message) {
        sending.remove(message);
        longReplies -= message.isReply() ? 1 : 0;
        flush();
        grantMore();
    }

    // ---- calls of this side

    /**
     * A call has ended without a reply. The reply can still come.
     *
     * @param cause null if its time is over
     */
    void unanswered(Call call, @Nullable RdmaException cause) {
        endpoint.count(EndpointCounter.CALLS_WITHOUT_REPLY);
        LongSend question = call.question;
        RdmaException why = cause == null ? Calls.late(this) : cause;
        if (!call.sent) {
            if (question != null && (longQueue.remove(question) || withdrawn(question))) {
                question.fail(why);
            }
            return;
        }
        doubtful = true;
        if (datagrams() || state == State.GONE) { // a reply that finds no receive does no harm
            replied();
        } else if (++late > Objects.requireNonNull(receives).mostReplies() / 2) {
            fail(new RdmaException(
                    RdmaErrorCode.TIMED_OUT, this + " has not replied to " + late + " calls in their times."));
        }
        // Over RC and RD an access to memory that is gone ends the conversation.
        if (carrier == QueuePairType.UD || state == State.GONE) {
            endReturns(call.correlation);
            if (question != null) {
                question.revoke(why);
            }
        }
    }

    /** {@return whether the notice of a long message had not been sent yet} Then it never is. */
    private boolean withdrawn(LongSend question) {
        long call = question.correlation();
        boolean waited = pending.removeIf(each -> each.type() == Frame.LONG && each.correlation() == call);
        if (waited || !question.isNoticed()) {
            sending.remove(question);
            endReturns(call);
            return true;
        }
        return false;
    }

    /** A reply came to a call that has ended. Returns whether its receive was still reserved. */
    boolean repliedLate() {
        if (late == 0) {
            return false;
        }
        late--;
        return true;
    }

    /** A receive that was reserved for a reply is free again. */
    void replied() {
        replies--;
        Objects.requireNonNull(receives).unreserveReplies(1);
        flush();
        endpoint.feed();
    }

    // ---- return buffers of this side

    /**
     * The peer may write one long message into each of these buffers: the reply to a call, or any if that is 0.
     *
     * @param to where the frame tells the peer of them
     * @throws RdmaException LIMIT_REACHED if the context has no STags left; none is exposed
     */
    List<Exposure> expose(List<MessageBuffer> buffers, long call, ByteBuffer to) {
        if (buffers.isEmpty()) {
            return List.of();
        }
        List<Exposure> made = new ArrayList<>(buffers.size());
        try {
            for (MessageBuffer each : buffers) {
                Exposure exposure = new Exposure(each, datagrams(), call);
                made.add(exposure);
                bind(exposure.region);
                exposed.put(exposure.region.rkey(), exposure);
                endpoint.writers.put(exposure.region.rkey(), this);
                RemoteMemory.write(to, exposure.region);
            }
            return made;
        } catch (RdmaException e) {
            unexpose(made);
            throw e;
        }
    }

    /** Memory is for this peer only. */
    void bind(MemoryRegion region) {
        AddressHandle peer = handle;
        if (peer != null) {
            region.bindTo(peer);
        }
    }

    /** The peer never hears of them; the buffers stay their owner's. */
    void unexpose(List<Exposure> never) {
        never.forEach(each -> {
            conceal(each);
            endpoint.after(each.region::close);
        });
    }

    /** {@return the buffer of this side that the peer says it has written; null if it may not} */
    @Nullable
    Exposure written(int key, int flags, long correlation) {
        Exposure found = exposed.get(key);
        boolean may = found != null && (found.call == 0 || ((flags & Frame.REPLY) != 0 && found.call == correlation));
        return may ? found : null;
    }

    void used(Exposure exposure) {
        promised--;
        conceal(exposure);
    }

    private void conceal(Exposure exposure) {
        exposed.remove(exposure.region.rkey());
        endpoint.writers.remove(exposure.region.rkey());
    }

    /** A call has ended: the return buffers that its reply has not used are the endpoint's again. */
    void endReturns(long call) {
        if (promised == 0) {
            return;
        }
        for (Exposure each : List.copyOf(exposed.values())) {
            if (each.call == call && receiving.stream().noneMatch(some -> some.isIn(each))) {
                used(each);
                endpoint.after(each::giveBack);
            }
        }
    }

    // ---- frames in

    /** {@return whether a frame may be the peer's: its queue pair and port are} */
    boolean isSource(WorkCompletion completion) {
        Place asked = place;
        if (queuePair == null) { // the frame has overtaken the hello in RESOLVED
            return asked != null && completion.sourcePort() == asked.address().getPort();
        }
        return queuePair == completion.queuePair()
                && (handle == null
                        || (completion.sourceQueuePairNumber() == itsNumber && completion.sourcePort() == itsPort));
    }

    /** A legal frame of this conversation came. Returns whether the program holds its slot. */
    boolean received(Slot slot, int length) {
        ByteBuffer in = slot.of.memory;
        int at = slot.at;
        heard();
        int type = Frame.type(in, at);
        int arrived = Short.toUnsignedInt(in.getShort(at + Frame.NUMBER_AT));
        int flags = Frame.flags(in, at);
        boolean numbered = Frame.numbered(type, flags);
        int most = (datagrams() ? 2 : 1) * endpoint.options.window(); // twice, because datagrams overtake
        if (numbered && (Frame.ahead(arrived, granted) > 0 || held >= most)) {
            if (carrier == QueuePairType.UD) { // where a frame can be later than half of all numbers
                endpoint.count(EndpointCounter.FRAMES_DROPPED);
                return false;
            }
            fail(new RdmaException(
                    RdmaErrorCode.PROTOCOL_MISMATCH, this + " has sent more messages than it was granted."));
            return false;
        }
        if (Frame.ahead(arrived, highest) > 0 && Frame.ahead(arrived, granted) <= 0) {
            highest = arrived; // of any type: over UD the frames before it can be lost
        }
        int grant = Short.toUnsignedInt(in.getShort(at + Frame.LIMIT_AT));
        boolean more = Frame.ahead(grant, limit) > 0;
        if (more) {
            limit = grant;
        }
        int body = at + Frame.HEADER + Frame.returns(in, at) * Frame.RETURN;
        switch (type) {
            case Frame.SHORT -> {
                held += numbered ? 1 : 0;
                takeReturns(in, at, body, flags);
                deliver(slot, body, length - (body - at), flags, in.getLong(at + Frame.CORRELATION_AT));
            }
            case Frame.LONG -> receiveLong(in, at, body, at + length);
            case Frame.DONE -> done(in.getInt(body), in.getInt(body + 4));
            case Frame.CREDIT -> {
                if ((flags & Frame.ASK) != 0) {
                    sendCredit(0);
                }
            }
            default -> // BYE
                fail(new RdmaException(RdmaErrorCode.CLOSED_BY_PEER, this + " has closed."));
        }
        if (more && state == State.READY) {
            flush();
        }
        grantMore();
        return type == Frame.SHORT;
    }

    private void deliver(Slot slot, int body, int length, int flags, long correlation) {
        Message message = (Message) Objects.requireNonNull(slot.attachment);
        endpoint.deliver(message.arrived(this, body - slot.at, length, flags, correlation));
    }

    /** The return buffers that came with a frame. */
    private void takeReturns(ByteBuffer in, int at, int body, int flags) {
        if (body > at + Frame.HEADER) {
            long call = (flags & Frame.CALL) != 0 ? in.getLong(at + Frame.CORRELATION_AT) : 0;
            RemoteMemory.readAll(in, at + Frame.HEADER, body, call).stream()
                    .limit(MOST_RETURNS - returns.size())
                    .forEach(returns::add);
        }
    }

    /** The program has released a short message of this peer that is no reply. */
    void released() {
        held--;
        Receives used = receives;
        if (state == State.GONE) {
            if (used != null) {
                used.unreserve(Math.min(1, reserved));
            }
        } else {
            grantMore();
        }
    }

    /** {@return the highest number that the peer may use, as things are} Never less than what was granted. */
    private int grant() {
        int now = highest - held - urgent.size() - longReplies + endpoint.options.window();
        return Frame.ahead(now, granted) > 0 ? now : granted;
    }

    private void grantMore() {
        if (state == State.READY && Frame.ahead(grant(), granted) >= Math.max(1, endpoint.options.window() / 2)) {
            sendCredit(0);
        }
    }

    // ---- long messages in

    private void receiveLong(ByteBuffer in, int at, int body, int end) {
        int token = in.getInt(body + 8);
        int place = token & REMEMBERED - 1;
        if (endedTokens[place] == token) { // DONE was lost
            if (posted < FEW_POSTED) {
                sendDone(token, endedStatus[place]);
            }
            return;
        }
        for (LongReceive each : receiving) {
            if (each.token() == token) { // a repetition: the sender asks whether this side lives
                sendCredit(0);
                return;
            }
        }
        if (receiving.size() >= MOST_LONG) {
            return; // more than the protocol permits; over datagrams the sender repeats it
        }
        int flags = Frame.flags(in, at);
        takeReturns(in, at, body, flags);
        LongReceive made = new LongReceive(this, in, body, end, in.getLong(at + Frame.CORRELATION_AT), flags);
        receiving.add(made);
        made.begin();
        endpoint.tickSoon();
    }

    /** A long message has ended here; tells the peer. */
    void ended(LongReceive message, int status) {
        receiving.remove(message);
        int place = message.token() & REMEMBERED - 1;
        endedTokens[place] = message.token();
        endedStatus[place] = status;
        sendDone(message.token(), status);
    }

    /** {@return memory of the pool for a long message; null if there is none now, or the peer holds its share} */
    @Nullable
    MessageBuffer memory(int length) {
        MessageBuffer got =
                endpoint.pool.share() - longHeld >= BufferPool.size(length) ? endpoint.pool.tryAllocate(length) : null;
        longHeld += got == null ? 0 : got.capacity();
        endpoint.memoryWanted |= got == null;
        return got;
    }

    /** The program has, or will have, a long message; or it has closed one. */
    void longOpen(int more) {
        longOpen += more;
    }

    /** Memory that a long message held is free again, or the program's. */
    void memoryReleased(MessageBuffer buffer) {
        longHeld -= buffer.capacity();
    }

    private void done(int token, int status) {
        for (LongSend each : sending) {
            if (each.token() == token) {
                each.done(status);
                return;
            }
        }
    }

    /** A part of a long message was recorded in a return buffer (datagrams). */
    void recorded(WorkCompletion completion) {
        Exposure exposure = Objects.requireNonNull(exposed.get(completion.localKey()));
        if (completion.succeeded()) {
            exposure.recorded += completion.byteLength();
        } else {
            exposure.damaged = true;
        }
        for (LongReceive each : List.copyOf(receiving)) {
            each.recorded(exposure);
        }
    }

    /** The pool has memory again. */
    void memoryFreed() {
        for (LongReceive each : List.copyOf(receiving)) {
            each.memoryFreed();
        }
    }

    // ---- time, and the end

    /** {@return whether time matters for this peer} */
    boolean tick(long now) {
        if (state == State.GONE) {
            return false;
        }
        flush();
        if (state == State.SETTING_UP && place == null) {
            return true; // the directory has a limit of its own
        }
        if (!waits()) {
            waiting = false;
            return false;
        }
        if (!waiting) {
            waiting = true;
            waitingSince = now;
        }
        long silent = Math.min(now - lastHeard, now - waitingSince);
        long timeout = endpoint.options.timeout().toNanos();
        if (silent > timeout) {
            lost(new RdmaException(
                    RdmaErrorCode.TIMED_OUT,
                    this + " has not answered for " + timeout / 1_000_000 + " ms: is it alive and reachable?"));
            return state != State.GONE;
        }
        if (request != null && ++requestTicks > timeout / 2 / MessageEndpoint.TICK_NANOS) {
            acceptRequest();
        }
        boolean blocked = datagrams() && !pending.isEmpty(); // perhaps a CREDIT was lost
        if (now - lastAsked > (blocked ? MessageEndpoint.REPEAT_NANOS : timeout / ASKS)
                && (blocked || silent > timeout / ASKS)) {
            lastAsked = now;
            sendCredit(Frame.ASK);
        }
        for (LongSend each : List.copyOf(sending)) {
            each.tick(now);
        }
        for (LongReceive each : List.copyOf(receiving)) {
            each.tick(now);
        }
        return true;
    }

    private boolean waits() {
        return state == State.SETTING_UP
                || doubtful
                || calls > 0
                || creditDue
                || !urgent.isEmpty()
                || !pending.isEmpty()
                || !longQueue.isEmpty()
                || !sending.isEmpty()
                || !receiving.isEmpty();
    }

    /** Ends the conversation if it was not used since the last call, and nothing of it is under way or held. */
    void endIfIdle() {
        long now = lastHeard + frames;
        if (used == now
                && !waits()
                && posted == 0
                && held == 0
                && longOpen == 0
                && promised == 0
                && returns.isEmpty()) {
            fail(new RdmaException(RdmaErrorCode.CLOSED, "The conversation with " + this + " was not used any more."));
        }
        used = now;
    }

    /** {@return whether all short messages were sent, if they can be} */
    boolean allSent() {
        return state == State.GONE || (posted == 0 && urgent.isEmpty() && pending.isEmpty());
    }

    /** {@return whether nothing is on its way to the peer; over a connection, which says more, always} */
    boolean hasNonePosted() {
        return posted == 0 || !datagrams();
    }

    /** Tells a datagram peer that the conversation has ended; a connection ends with a Terminate or a FIN. */
    private void bye() {
        Slot slot = endpoint.sends.take();
        if (slot != null) {
            Frame.header(endpoint.sends.memory.clear().position(slot.at), Frame.BYE, 0, 0, 0);
            post(slot, Frame.HEADER, false);
        }
    }

    /** Ends the conversation: everything outstanding fails with {@code cause}. */
    void fail(RdmaException cause) {
        if (state == State.GONE) {
            return;
        }
        refuseRequest();
        boolean told = state == State.SETTING_UP || cause.code() == RdmaErrorCode.CLOSED_BY_PEER;
        state = State.GONE;
        boolean inOrder = cause.code() == RdmaErrorCode.CLOSED || cause.code() == RdmaErrorCode.CLOSED_BY_PEER;
        if (!inOrder) {
            endpoint.count(EndpointCounter.CONVERSATIONS_FAILED);
        }
        endpoint.forget(this, cause);
        Receives used = receives;
        if (used != null) {
            used.unreserve(Math.max(0, reserved - held)); // the program's messages hold the others
            used.unreserveReplies(late);
            late = 0;
        }
        pending.forEach(each -> giveBack(each.returns));
        pending.clear();
        urgent.clear();
        longQueue.forEach(each -> each.fail(cause));
        longQueue.clear();
        sending.forEach(each -> each.fail(cause));
        receiving.forEach(LongReceive::abandon);
        receiving.clear();
        for (Exposure each : List.copyOf(exposed.values())) {
            conceal(each);
            if (!each.busy) {
                endpoint.after(each::giveBack);
            }
        }
        returns.clear();
        Arrays.fill(endedTokens, 0);
        ProgressCondition unused = room;
        if (unused != null) {
            endpoint.after(() -> {
                unused.signal();
                unused.close();
            });
        }
        CmId toEnd = id;
        if (toEnd != null) {
            endpoint.after(() -> endpoint.end(toEnd));
        }
        if (datagrams() && !told) {
            bye();
        }
        closeHandle();
    }

    @Override
    public String toString() {
        return "service " + service;
    }
}
