package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.loss.Board.Cell;
import dev.jwarp.tools.loss.Board.Fate;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The source of a trial: it sends, writes or reads. One thread. */
final class LocalSource {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final Duration CONNECT = Duration.ofSeconds(20);

    private final RdmaProvider provider;
    private final InetAddress local;
    private final Board board;
    private final Console console;
    private final SendWorkRequest request = new SendWorkRequest();

    LocalSource(RdmaProvider provider, InetAddress local, Board board, Console console) {
        this.provider = provider;
        this.local = local;
        this.board = board;
        this.console = console;
    }

    /** Runs a trial. */
    LossEnd.Report run(LossTrial trial, LossEnd.Place target) {
        try (LossEnd end = new LossEnd(provider, trial)) {
            AddressHandle peer = null;
            int receiveBuffer = Integer.MAX_VALUE;
            if (trial.service().connected()) {
                CmId id = end.context().createId();
                id.resolveAddress(null, target.socketAddress());
                end.of(id);
                id.connect(ConnectionParameters.DEFAULT.withTimeout(CONNECT));
            } else {
                DatagramQueuePair pair = end.bind(local);
                receiveBuffer = pair.receiveBuffer();
                peer = pair.createAddressHandle(target.socketAddress(), target.queuePairNumber(), target.key());
            }
            Flow flow = new Flow(trial, board, receiveBuffer);
            move(trial, target, end, peer, flow);
            end.takeEvents();
            board.set(Cell.FINISHED, 1);
            // The target may still need answers, such as acknowledgements and repetitions.
            long until = System.nanoTime() + PATIENCE_NANOS;
            while (board.get(Cell.ENDED) == 0 && System.nanoTime() < until) {
                console.endIfAsked();
                end.await();
            }
            return end.end();
        } finally {
            board.set(Cell.FINISHED, 1);
        }
    }

    private void move(LossTrial trial, LossEnd.Place target, LossEnd end, @Nullable AddressHandle peer, Flow flow) {
        long start = System.nanoTime();
        long stop = start + TimeUnit.MILLISECONDS.toNanos(trial.limitMillis());
        long giveUp = stop + TimeUnit.MILLISECONDS.toNanos(trial.graceMillis());
        int messages = trial.messages();
        int posted = 0;
        int completed = 0;
        while ((posted < messages || completed < posted) && !end.troubled()) {
            console.endIfAsked();
            long now = System.nanoTime();
            if (now > giveUp) {
                board.set(Cell.UNSENT, posted - completed);
                // Without a bottleneck UD completes its requests at once.
                if (trial.service().unreliable() && trial.path().bottleneck() == null) {
                    end.trouble((posted - completed) + " work requests did not end");
                }
                return;
            }
            messages = now > stop ? posted : messages;
            boolean any = false;
            while (posted < messages && posted - completed < trial.depth() && flow.mayPost(posted, completed)) {
                post(trial, target, end, peer, posted++);
                any = true;
            }
            int count = any ? end.poll() : end.await();
            for (int i = 0; i < count; i++) {
                take(trial, end, end.completion(i));
            }
            completed += count;
        }
    }

    private void post(LossTrial trial, LossEnd.Place target, LossEnd end, @Nullable AddressHandle peer, int message) {
        int offset = end.offset(message);
        request.clear().id(message);
        if (peer != null) {
            request.destination(peer);
        }
        long there = target.address() + offset;
        switch (trial.service()) {
            case UD_SEND, RD_SEND, RC_SEND -> {
                Board.number(end.memory().buffer(), offset, trial.size(), message);
                request.send();
            }
            case UD_WRITE_RECORD, RD_WRITE_RECORD -> request.writeRecord(there, target.rkey());
            case UD_READ -> request.rdmaRead(there, target.rkey());
            case RC_WRITE -> request.rdmaWriteWithImmediate(there, target.rkey(), message);
        }
        request.add(end.memory(), offset, trial.size());
        board.posting(message, System.nanoTime());
        end.queuePair().postSend(request);
    }

    private void take(LossTrial trial, LossEnd end, WorkCompletion completion) {
        int message = (int) completion.id();
        boolean torn = completion.status() == WorkCompletionStatus.PARTIAL
                || completion.status() == WorkCompletionStatus.RESP_TIMEOUT_ERR;
        if (!completion.succeeded() && !(trial.service().read() && torn)) {
            board.ended(message, Fate.FAILED, 0, System.nanoTime());
            end.trouble(completion.describe());
        } else if (trial.service().read()) {
            ValidityMap validity = completion.validity();
            long bytes = completion.succeeded() ? trial.size() : validity == null ? 0 : validity.validBytes();
            if (bytes > 0) {
                board.ended(message, completion.succeeded() ? Fate.WHOLE : Fate.PART, bytes, System.nanoTime());
            }
        }
        completion.release();
    }
}
