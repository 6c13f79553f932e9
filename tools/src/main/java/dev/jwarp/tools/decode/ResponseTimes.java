package dev.jwarp.tools.decode;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Times from requests of one side to their responses: from the capture of a request to that of the last segment of its
 * response. Responses arrive in the order of their requests (RFC 5040 §5.5), although one side may be decoded ahead of
 * the other. After a loss the order is unknown, so only a request and a response with unique fields are measured.
 */
final class ResponseTimes {
    /** Most unmatched requests, and most unmatched responses. Beyond this number the older half is settled. */
    private static final int MOST_WAITING = 1024;

    /**
     * A request or a response.
     *
     * @param stag of the sink, or 0
     * @param place offset in the sink, or the identifier
     * @param nanos time of the capture
     */
    record Observation(long stag, long place, long nanos) {
        private Observation key() {
            return new Observation(stag, place, 0);
        }

        private boolean isAnsweredBy(Observation response) {
            return stag == response.stag && place == response.place && response.nanos - nanos >= 0;
        }
    }

    /** Requests and responses with the same key. */
    private static final class Alike {
        private int requests;
        private int responses;
        private Observation response = new Observation(0, 0, 0);
    }

    private final Spread nanos = new Spread();
    private final Deque<Observation> requests = new ArrayDeque<>();
    private final Deque<Observation> responses = new ArrayDeque<>();
    private boolean lost;
    private long unanswered;
    private long notMeasured;

    Spread nanos() {
        return nanos;
    }

    /** {@return requests without a response} */
    long unanswered() {
        return unanswered + requests.size();
    }

    /** {@return requests after a loss that cannot be matched with a response} */
    long notMeasured() {
        return notMeasured;
    }

    /** Notes a loss: from now on requests and responses may be missing. */
    void lost() {
        lost = true;
    }

    void request(Observation request) {
        if (!lost) {
            // Older responses belong to no later request.
            responses.removeIf(response -> response.nanos - request.nanos < 0);
            for (Observation response : responses) {
                if (request.isAnsweredBy(response)) {
                    responses.remove(response);
                    nanos.add(response.nanos - request.nanos);
                    return;
                }
            }
        }
        requests.add(request);
        if (requests.size() > MOST_WAITING) {
            settle(MOST_WAITING / 2);
        }
    }

    void response(Observation response) {
        if (lost || requests.stream().noneMatch(request -> request.isAnsweredBy(response))) {
            responses.add(response);
            if (responses.size() > MOST_WAITING) {
                settle(requests.size() / 2);
                while (responses.size() > MOST_WAITING / 2) {
                    responses.remove();
                }
            }
            return;
        }
        Observation request = requests.remove();
        while (!request.isAnsweredBy(response)) {
            unanswered++;
            request = requests.remove();
        }
        nanos.add(response.nanos - request.nanos);
    }

    /** Ends the statistics: settles all requests. */
    void end() {
        settle(requests.size());
    }

    /** Counts the oldest requests as measured, unanswered or not measured. */
    private void settle(int oldest) {
        Map<Observation, Alike> alike = new HashMap<>();
        requests.forEach(request -> alike.computeIfAbsent(request.key(), key -> new Alike()).requests++);
        for (Observation response : responses) {
            Alike those = alike.computeIfAbsent(response.key(), key -> new Alike());
            those.responses++;
            those.response = response;
        }
        for (int i = 0; i < oldest; i++) {
            Observation request = requests.remove();
            Alike those = alike.getOrDefault(request.key(), new Alike());
            if (those.responses == 0) {
                unanswered++;
            } else if (those.requests == 1 && those.responses == 1 && request.isAnsweredBy(those.response)) {
                nanos.add(those.response.nanos - request.nanos);
                responses.remove(those.response);
            } else {
                notMeasured++;
            }
        }
    }
}
