package dev.jwarp.tools.decode;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.jwarp.conformance.decode.CapturePlace;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Table;
import java.util.ArrayList;
import java.util.List;

/** {@link TalkCounts} as text and as JSON. */
final class TalkCountsPage {
    private TalkCountsPage() {}

    /** {@return two tables for each conversation: messages, and times from requests to responses} */
    static List<String> lines(TalkCounts statistics) {
        List<String> lines = new ArrayList<>();
        for (TalkCounts.Talk talk : statistics.talks()) {
            lines.add("");
            CapturePlace place = talk.place();
            lines.add(
                    place == null
                            ? "all other conversations"
                            : (place.tcp() ? "t" : "u") + place.stream() + " " + initiator(place) + " > "
                                    + responder(place));
            Table messages = new Table("message", "count", "incomplete", "bytes", "least", "median", "largest");
            talk.messages()
                    .forEach((direction, kinds) -> kinds.forEach((name, kept) -> {
                        Spread sizes = kept.sizes();
                        messages.row(
                                direction + " " + name,
                                text(sizes.count()),
                                text(kept.incomplete()),
                                text(kept.bytes()),
                                size(sizes, sizes.least()),
                                size(sizes, sizes.percentile(50)),
                                size(sizes, sizes.largest()));
                    }));
            lines.addAll(messages.lines());
            if (!talk.asked().isEmpty()) {
                Table waits = new Table(
                        "request", "answered", "unanswered", "not measured", "least", "median", "p99", "largest");
                talk.asked()
                        .forEach((direction, kinds) -> kinds.forEach((name, asked) -> {
                            Spread nanos = asked.nanos();
                            waits.row(
                                    direction + " " + name,
                                    text(nanos.count()),
                                    text(asked.unanswered()),
                                    text(asked.notMeasured()),
                                    wait(nanos, nanos.least()),
                                    wait(nanos, nanos.percentile(50)),
                                    wait(nanos, nanos.percentile(99)),
                                    wait(nanos, nanos.largest()));
                        }));
                lines.addAll(waits.lines());
            }
        }
        return lines;
    }

    private static String text(long number) {
        return Long.toString(number);
    }

    private static String size(Spread sizes, long value) {
        return sizes.count() == 0 ? "-" : text(value);
    }

    private static String wait(Spread nanos, long value) {
        return nanos.count() == 0 ? "-" : Quantities.duration(value);
    }

    private static String initiator(CapturePlace place) {
        return (place.fromInitiator() ? place.source() : place.target()).toString();
    }

    private static String responder(CapturePlace place) {
        return (place.fromInitiator() ? place.target() : place.source()).toString();
    }

    /** {@return an object for each conversation} */
    static List<ObjectNode> objects(TalkCounts statistics) {
        List<ObjectNode> objects = new ArrayList<>();
        for (TalkCounts.Talk talk : statistics.talks()) {
            CapturePlace place = talk.place();
            ObjectNode object = JsonNodeFactory.instance.objectNode().put("type", "statistics");
            object.put("transport", place == null ? null : place.tcp() ? "tcp" : "udp");
            object.put("stream", place == null ? null : place.stream());
            object.put("initiator", place == null ? null : initiator(place));
            object.put("responder", place == null ? null : responder(place));
            ArrayNode messages = object.putArray("messages");
            talk.messages()
                    .forEach((direction, kinds) -> kinds.forEach((name, kept) -> {
                        ObjectNode row = messages.addObject();
                        row.put("direction", direction).put("message", name);
                        row.put("count", kept.sizes().count()).put("incomplete", kept.incomplete());
                        row.put("bytes", kept.bytes());
                        spread(kept.sizes(), row.putObject("sizes"));
                    }));
            ArrayNode latencies = object.putArray("latencies");
            talk.asked()
                    .forEach((direction, kinds) -> kinds.forEach((name, asked) -> {
                        ObjectNode row = latencies.addObject();
                        row.put("direction", direction).put("request", name);
                        row.put("answered", asked.nanos().count()).put("unanswered", asked.unanswered());
                        row.put("not_measured", asked.notMeasured());
                        spread(asked.nanos(), row.putObject("nanos"));
                    }));
            objects.add(object);
        }
        return objects;
    }

    private static void spread(Spread spread, ObjectNode node) {
        boolean any = spread.count() > 0;
        node.put("least", any ? spread.least() : null);
        node.put("median", any ? spread.percentile(50) : null);
        node.put("p99", any ? spread.percentile(99) : null);
        node.put("largest", any ? spread.largest() : null);
    }
}
