package dev.jwarp.messaging;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with one service: a connection, or a pair of datagram queue pairs. Its life: looked up, being set up,
 * ready, gone. A new conversation with the same service is another object.
 *
 * <p>Back-pressure: a frame of type SHORT or LONG has a number, and needs a number up to the limit that the peer has
 * granted. CREDIT, DONE and BYE have none; {@link #UNNUMBERED} receives are kept for those.
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

    private static final int MOST_PENDING = 64;
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

    @Nullable
    CmId id;

    @Nullable
    QueuePair queuePair;

    @Nullable
    AddressHandle handle;

    /** Of a datagram peer: of its queue pair, and of its UDP port. */
    private int itsNumber;

    private int itsPort;
    private int session;
    private int maxShort;

    /** Number of the last frame sent, and the highest that the peer has granted. */
    private int number;

    private int limit;
    /** Highest number received, frames that the program holds, and the highest number granted. */
    private int highest;

    private int held;
    private int repliesPending;
    private int granted;

    /** Work requests that have not completed. */
    private int posted;

    private long lastHeard;
    private long lastAsked;
    /** Whether this side waits for the peer, and since when. */
    private boolean waiting;

    private long waitingSince;
    /** Calls that wait for replies; see {@link Calls}. */
    int calls;

    private final ArrayDeque<byte[]> pending = new ArrayDeque<>();
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

    /** The peer is reached with datagrams. */
    void reached(DatagramQueuePair from, AddressHandle with) {
        queuePair = from;
        handle = with;
        from.resetPeer(with); // RD: an earlier conversation may have failed
        itsNumber = with.queuePairNumber();
        itsPort = with.address().getPort();
    }

    /** The peer's hello came, and frames can go. */
    void ready(Hello theirs) {
        session = theirs.session();
        limit = theirs.window();
        maxShort = theirs.maxShort();
        state = State.READY;
        heard();
        for (byte[] each : pending) {
            if (each.length - Frame.HEADER > maxShort) {
                fail(new RdmaException(
                        RdmaErrorCode.INVALID_ARGUMENT,
                        "A short message to " + this + " has at most " + maxShort + " bytes: send a long one."));
                return;
            }
        }
        flush();
    }

    /** The peer's hello is none. */
    void failAsStranger() {
        fail(new RdmaException(
                RdmaErrorCode.PROTOCOL_MISMATCH, this + " does not speak jwarp's messages, or another version."));
    }

    private void heard() {
        lastHeard = endpoint.now();
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

    /**
     * {@return whether the message was sent or queued; false if there is no room} A reply always has room: while replies
     * wait, the peer is granted fewer calls.
     */
    boolean trySend(int flags, long correlation, ByteBuffer data) {
        checkNotGone();
        if (state == State.READY && data.remaining() > maxShort) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A short message to " + this + " has at most " + maxShort + " bytes, not " + data.remaining()
                            + ": send a long one.");
        }
        int length = Frame.HEADER + data.remaining();
        Slot slot = pending.isEmpty() && mayPost(true) ? takeSlot() : null;
        if (slot != null) {
            writeShort(endpoint.sends.memory.clear().position(slot.at), flags, correlation, data);
            if (post(slot, length, true)) {
                return true;
            }
        }
        boolean reply = (flags & Frame.REPLY) != 0;
        if (pending.size() >= MOST_PENDING && !reply) {
            return false;
        }
        repliesPending += reply ? 1 : 0;
        ByteBuffer to = ByteBuffer.allocate(length);
        writeShort(to, flags, correlation, data);
        pending.add(to.array());
        endpoint.tickSoon();
        return true;
    }

    private static void writeShort(ByteBuffer to, int flags, long correlation, ByteBuffer data) {
        Frame.header(to, Frame.SHORT, flags, 0, correlation);
        to.put(to.position(), data, data.position(), data.remaining());
    }

    private boolean mayPost(boolean numbered) {
        return state == State.READY && (!numbered || Frame.ahead(limit, number) > 0);
    }

    private @Nullable Slot takeSlot() {
        Slot got = endpoint.sends.take();
        endpoint.starved |= got == null;
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
            endpoint.starved = true;
            return false;
        }
        number = next;
        granted = grant;
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

    private boolean postFrame(byte[] frame) {
        boolean numbered = (frame[Frame.TYPE_AT] & 0xf) <= Frame.LONG;
        Slot slot = mayPost(numbered) ? takeSlot() : null;
        if (slot == null) {
            return false;
        }
        endpoint.sends.memory.put(slot.at, frame);
        return post(slot, frame.length, numbered);
    }

    private void sendControl(int type, int flags, int token, int status) {
        int length = Frame.HEADER + (type == Frame.DONE ? Frame.DONE_BODY : 0);
        Slot slot = mayPost(false) ? takeSlot() : null;
        if (slot != null) {
            control(endpoint.sends.memory.clear().position(slot.at), type, flags, token, status);
            if (post(slot, length, false)) {
                return;
            }
        }
        if (state != State.GONE) {
            ByteBuffer to = ByteBuffer.allocate(length);
            control(to, type, flags, token, status);
            pending.addFirst(to.array());
            endpoint.tickSoon();
        }
    }

    private static void control(ByteBuffer to, int type, int flags, int token, int status) {
        Frame.header(to, type, flags, 0, 0);
        if (type == Frame.DONE) {
            to.putInt(token).putInt(status);
        }
    }

    /** Sends what waits, as far as credits and the send queue permit. */
    void flush() {
        boolean some = false;
        while (!pending.isEmpty() && postFrame(pending.peekFirst())) {
            repliesPending -= isReply(pending.removeFirst()) ? 1 : 0;
            some = true;
        }
        while (pending.isEmpty()
                && !longQueue.isEmpty()
                && sending.size() < MOST_LONG
                && mayPost(true)
                && endpoint.sends.any()) {
            LongSend next = longQueue.removeFirst();
            sending.add(next);
            next.start(++lastToken, takeReturn(next.total()));
            some = true;
        }
        if (some && room != null) {
            room.signal();
        }
    }

    private static boolean isReply(byte[] frame) {
        return (frame[Frame.TYPE_AT] & 0xf) == Frame.SHORT && (frame[Frame.FLAGS_AT] & Frame.REPLY) != 0;
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
        if (promised + withReturns > MOST_RETURNS) {
            throw new RdmaException(
                    RdmaErrorCode.LIMIT_REACHED,
                    this + " has " + promised + " return buffers that it has not used, of " + MOST_RETURNS
                            + ": wait for its long messages.");
        }
        promised += withReturns;
        longQueue.add(message);
        flush();
        endpoint.tickSoon();
    }

    /** {@return the smallest return buffer of the peer with room for so many bytes; null if there is none} */
    private @Nullable RemoteMemory takeReturn(long length) {
        RemoteMemory best = null;
        for (RemoteMemory each : returns) {
            if (each.length() >= length && (best == null || each.length() < best.length())) {
                best = each;
            }
        }
        if (best != null) {
            returns.remove(best);
        }
        return best;
    }

    /** Posts a LONG; queues it if there is no room. */
    void notice(byte[] frame) {
        if (!postFrame(frame) && state != State.GONE) {
            pending.add(frame);
        }
    }

    /** Repeats a LONG under its number: the window has room for it already. */
    void noticeAgain(byte[] frame) {
        Slot slot = mayPost(false) ? takeSlot() : null;
        if (slot != null) {
            endpoint.sends.memory.put(slot.at, frame);
            post(slot, frame.length, false);
        }
    }

    void ended(LongSend message) {
        sending.remove(message);
        flush();
    }

    // ---- return buffers of this side

    /** The peer may write one long message into that buffer. */
    Exposure expose(MessageBuffer buffer) {
        Exposure made = new Exposure(buffer, handle);
        exposed.put(made.region.rkey(), made);
        return made;
    }

    @Nullable
    Exposure exposure(int key) {
        return exposed.get(key);
    }

    void used(Exposure exposure) {
        promised--;
        exposed.remove(exposure.region.rkey());
    }

    // ---- frames in

    /** {@return whether a datagram may be the peer's: its queue pair and port are} */
    boolean isSource(WorkCompletion completion) {
        return handle == null
                || (completion.sourceQueuePairNumber() == itsNumber && completion.sourcePort() == itsPort);
    }

    /** A legal frame of this conversation came. Returns whether the program holds its slot. */
    boolean received(Slot slot, int length) {
        ByteBuffer in = slot.of.memory;
        int at = slot.at;
        heard();
        int type = Frame.type(in, at);
        int arrived = Short.toUnsignedInt(in.getShort(at + Frame.NUMBER_AT));
        boolean numbered = type <= Frame.LONG;
        int most = (datagrams() ? 2 : 1) * endpoint.options.window(); // twice, because datagrams overtake
        if (numbered && (Frame.ahead(arrived, granted) > 0 || held >= most)) {
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
        int flags = Frame.flags(in, at);
        int body = at + Frame.HEADER + Frame.returns(in, at) * Frame.RETURN;
        switch (type) {
            case Frame.SHORT -> {
                held++;
                deliver(slot, body, length - (body - at), flags, in.getLong(at + Frame.CORRELATION_AT));
            }
            case Frame.LONG -> receiveLong(in, at, body, at + length);
            case Frame.DONE -> done(in.getInt(body), in.getInt(body + 4));
            case Frame.CREDIT -> {
                if ((flags & Frame.ASK) != 0) {
                    sendControl(Frame.CREDIT, 0, 0, 0);
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

    /** The program has released a short message of this peer. */
    void released() {
        held--;
        grantMore();
    }

    /** {@return the highest number that the peer may use, as things are} Never less than what was granted. */
    private int grant() {
        int now = highest - held - repliesPending + endpoint.options.window();
        return Frame.ahead(now, granted) > 0 ? now : granted;
    }

    private void grantMore() {
        if (state == State.READY && Frame.ahead(grant(), granted) >= Math.max(1, endpoint.options.window() / 2)) {
            sendControl(Frame.CREDIT, 0, 0, 0);
        }
    }

    // ---- long messages in

    private void receiveLong(ByteBuffer in, int at, int body, int end) {
        int token = in.getInt(body + 8);
        int place = token & REMEMBERED - 1;
        if (endedTokens[place] == token) { // DONE was lost
            sendControl(Frame.DONE, 0, token, endedStatus[place]);
            return;
        }
        for (LongReceive each : receiving) {
            if (each.token() == token) { // a repetition: the sender asks whether this side lives
                sendControl(Frame.CREDIT, 0, 0, 0);
                return;
            }
        }
        if (receiving.size() >= MOST_LONG) {
            return; // more than the protocol permits; over datagrams the sender repeats it
        }
        RemoteMemory.readAll(in, at + Frame.HEADER, body).stream()
                .limit(MOST_RETURNS - returns.size())
                .forEach(returns::add);
        LongReceive made =
                new LongReceive(this, in, body, end, in.getLong(at + Frame.CORRELATION_AT), Frame.flags(in, at));
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
        sendControl(Frame.DONE, 0, message.token(), status);
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
    void recorded(Exposure exposure, WorkCompletion completion) {
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
        boolean waits = state == State.SETTING_UP || calls > 0 || !pending.isEmpty() || !longQueue.isEmpty();
        if (!waits && sending.isEmpty() && receiving.isEmpty()) {
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
            fail(new RdmaException(
                    RdmaErrorCode.TIMED_OUT,
                    this + " has not answered for " + timeout / 1_000_000 + " ms: is it alive and reachable?"));
            return false;
        }
        boolean blocked = datagrams() && !pending.isEmpty(); // perhaps a CREDIT was lost
        if (now - lastAsked > (blocked ? MessageEndpoint.REPEAT_NANOS : timeout / ASKS)
                && (blocked || silent > timeout / ASKS)) {
            lastAsked = now;
            if (mayPost(false)) {
                sendControl(Frame.CREDIT, Frame.ASK, 0, 0);
            }
        }
        for (LongSend each : List.copyOf(sending)) {
            each.tick(now);
        }
        for (LongReceive each : List.copyOf(receiving)) {
            each.tick(now);
        }
        return true;
    }

    void bye() {
        if (state == State.READY && datagrams()) {
            sendControl(Frame.BYE, 0, 0, 0);
        }
    }

    /** Ends the conversation: everything outstanding fails with {@code cause}. */
    void fail(RdmaException cause) {
        if (state == State.GONE) {
            return;
        }
        state = State.GONE;
        endpoint.forget(this, cause);
        pending.clear();
        longQueue.forEach(each -> each.fail(cause));
        longQueue.clear();
        sending.forEach(each -> each.fail(cause));
        receiving.forEach(LongReceive::abandon);
        receiving.clear();
        for (Exposure each : exposed.values()) {
            if (!each.busy) {
                endpoint.after(each::giveBack);
            }
        }
        exposed.clear();
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
        closeHandle();
    }

    @Override
    public String toString() {
        return "service " + service;
    }
}
