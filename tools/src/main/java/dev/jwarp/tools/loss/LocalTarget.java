package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.loss.Board.Cell;
import dev.jwarp.tools.loss.Board.Fate;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The target of a trial: messages arrive at it, or its memory is read. One thread opens it, and one serves. */
final class LocalTarget {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Time between two looks at the counter of datagrams. */
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    /** A datagram that is not lost arrives within this time and the time of the path. */
    private static final long ON_ITS_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** Empty polls before it gives up: otherwise its thread may have waited for a processor. */
    private static final int IDLE_TIMES = 5;

    private final RdmaProvider provider;
    private final InetAddress local;
    private final Board board;
    private final Console console;

    private @Nullable LossTrial trial;
    private @Nullable LossEnd end;
    private @Nullable CmId listener;
    private long settled;
    private long known;
    private long looked;
    private long lastChange;
    private long finishedAt;
    private long idleTimes;

    LocalTarget(RdmaProvider provider, InetAddress local, Board board, Console console) {
        this.provider = provider;
        this.local = local;
        this.board = board;
        this.console = console;
    }

    /** Gets ready for a trial. @return its place */
    LossEnd.Place open(LossTrial wanted) {
        trial = wanted;
        settled = 0;
        known = 0;
        finishedAt = 0;
        idleTimes = 0;
        LossEnd made = new LossEnd(provider, wanted);
        end = made;
        try {
            if (wanted.service().connected()) {
                CmId id = made.context().createId();
                listener = id;
                id.bind(new InetSocketAddress(local, 0));
                id.listen(1);
                return place(made, Objects.requireNonNull(id.localAddress()), 0, 0);
            }
            DatagramQueuePair pair = made.bind(local);
            postReceives(wanted, made);
            return place(made, pair.localAddress(), pair.number(), pair.key());
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    private static LossEnd.Place place(LossEnd end, InetSocketAddress at, int number, int key) {
        return new LossEnd.Place(
                at.getAddress().getHostAddress(),
                at.getPort(),
                number,
                key,
                end.memory().address(),
                end.memory().rkey());
    }

    private static void postReceives(LossTrial wanted, LossEnd at) {
        for (int place = 0; wanted.service().takesReceives() && place < wanted.depth(); place++) {
            at.postReceive(place);
        }
    }

    /** Receives until the trial is over. */
    LossEnd.Report serve() {
        LossTrial now = Objects.requireNonNull(trial);
        try (LossEnd at = Objects.requireNonNull(end)) {
            if (now.service().connected()) {
                accept(now, at);
            }
            lastChange = System.nanoTime();
            looked = lastChange;
            while (!isOver(now, at)) {
                int count = at.poll();
                if (count == 0) {
                    count = at.await();
                }
                for (int i = 0; i < count; i++) {
                    take(now, at, at.completion(i));
                }
                look(at);
                idleTimes = count == 0 ? idleTimes + 1 : 0;
                if (count == 0) {
                    board.set(Cell.IDLE, board.get(Cell.IDLE) + 1);
                }
            }
            at.takeEvents();
            board.set(Cell.ENDED, 1);
            // The source may still need answers, such as acknowledgements.
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (board.get(Cell.FINISHED) == 0 && !at.troubled() && System.nanoTime() < until) {
                console.endIfAsked();
                at.await();
            }
            return at.end();
        } finally {
            board.set(Cell.ENDED, 1);
        }
    }

    private void accept(LossTrial now, LossEnd at) {
        CmId request = Objects.requireNonNull(listener).getRequest(PATIENCE);
        if (request == null) {
            throw new IllegalStateException("the source did not connect");
        }
        at.of(request);
        postReceives(now, at);
        request.accept(ConnectionParameters.DEFAULT);
    }

    private boolean isOver(LossTrial now, LossEnd at) {
        console.endIfAsked();
        boolean finished = board.get(Cell.FINISHED) != 0;
        if (now.service().read() || at.troubled()) {
            return finished;
        }
        if (known >= now.messages()) {
            return true;
        }
        if (!finished) {
            return false;
        }
        if (known >= board.get(Cell.POSTED)) {
            return true;
        }
        long time = System.nanoTime();
        if (finishedAt == 0) {
            finishedAt = time;
        }
        if (!now.service().unreliable()) {
            return time - finishedAt > TimeUnit.MILLISECONDS.toNanos(now.graceMillis());
        }
        // The idle time-out reports each message of several datagrams of which a part came. A message of one datagram
        // is only waited for as long as a datagram may take.
        long late = now.path().waitMillis() + (now.single() ? 0 : now.idleMillis());
        return idleTimes >= IDLE_TIMES
                && time - Math.max(lastChange, finishedAt) > ON_ITS_WAY_NANOS + TimeUnit.MILLISECONDS.toNanos(late);
    }

    private void look(LossEnd at) {
        long now = System.nanoTime();
        if (now - looked < LOOK_NANOS) {
            return;
        }
        looked = now;
        long datagrams = at.counter("rx_datagrams");
        if (datagrams != board.get(Cell.DATAGRAMS)) {
            board.set(Cell.LAST_DATAGRAM, now);
            board.set(Cell.DATAGRAMS, datagrams);
            lastChange = now;
        }
    }

    private void take(LossTrial now, LossEnd at, WorkCompletion completion) {
        long time = System.nanoTime();
        lastChange = time;
        int message = -1;
        if (completion.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
            message = (int) ((completion.localAddress() - at.memory().address()) / now.size());
            ValidityMap validity = completion.validity();
            long bytes = validity == null ? completion.byteLength() : validity.validBytes();
            note(at, message, completion.succeeded() ? Fate.WHOLE : Fate.PART, bytes, time);
            completion.release();
        } else if (completion.succeeded()) {
            int place = (int) completion.id();
            message = completion.hasImmediateData()
                    ? (int) completion.immediateData()
                    : board.latest(at.memory().buffer(), at.offset(place), now.size());
            note(at, message, Fate.WHOLE, now.size(), time);
            at.postReceive(place);
        } else if (completion.status() == WorkCompletionStatus.INCOMPLETE
                || completion.status() == WorkCompletionStatus.EVICTED) {
            board.set(Cell.INCOMPLETE, board.get(Cell.INCOMPLETE) + 1);
            known++;
            completion.release();
            at.postReceive((int) completion.id());
        } else {
            at.trouble(completion.describe());
            return;
        }
        // An overtaken message of one datagram is lost; one of several datagrams keeps its place until its time-out.
        settled = now.single() && now.service().unreliable() ? Math.max(settled, message + 1L) : settled + 1;
        board.set(Cell.SETTLED, settled);
    }

    private void note(LossEnd at, int message, Fate fate, long bytes, long time) {
        if (message < 0 || message >= board.get(Cell.POSTED) || !board.ended(message, fate, bytes, time)) {
            at.trouble("message " + message + " completed twice, or was never sent");
            return;
        }
        known++;
    }
}
