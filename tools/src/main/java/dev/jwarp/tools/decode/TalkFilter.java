package dev.jwarp.tools.decode;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.decode.CapturePlace;
import dev.jwarp.conformance.decode.Item;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.ToolFailure;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Selects the conversations that meet at least one of the user's conditions, or all if there is no condition. Counts
 * the rest.
 */
final class TalkFilter implements Consumer<Item> {
    private static final Pattern STREAM = Pattern.compile("([tu]?)(\\d{1,9})");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private final List<Predicate<CapturePlace>> wanted = new ArrayList<>();
    private final Consumer<Item> out;
    private long linesLeftOut;
    private final BitSet tcpLeftOut = new BitSet();
    private final BitSet udpLeftOut = new BitSet();

    /**
     * Makes the filter.
     *
     * @param streams names as in the output, {@code t0} or {@code u3}, or {@code 0} for {@code t0}
     * @param ends hosts, ports, or both, of either side
     * @param out receives the items of selected conversations
     * @throws ToolFailure if a condition is not valid
     */
    TalkFilter(List<String> streams, List<String> ends, Consumer<Item> out) {
        streams.forEach(text -> wanted.add(stream(text)));
        ends.forEach(text -> wanted.add(end(text)));
        this.out = out;
    }

    private static Predicate<CapturePlace> stream(String text) {
        var matcher = STREAM.matcher(text);
        if (!matcher.matches()) {
            throw ToolFailure.usage(
                    "--stream " + text + " names no stream", "write a name as in the output: t0 for TCP, u3 for UDP");
        }
        boolean tcp = !matcher.group(1).equals("u");
        int number = Integer.parseInt(matcher.group(2));
        return place -> place.tcp() == tcp && place.stream() == number;
    }

    private static Predicate<CapturePlace> end(String text) {
        if (NUMBER.matcher(text).matches()) {
            int port = text.length() > 9 ? 0 : Integer.parseInt(text);
            if (port < 1 || port > 65_535) {
                throw ToolFailure.usage("--filter " + text + ": a port is from 1 to 65535");
            }
            return either(end -> end.port() == port);
        }
        // An IPv6 address without a port has several colons and no brackets.
        int colon = text.indexOf(':');
        boolean withPort = text.contains("]:") || (colon >= 0 && colon == text.lastIndexOf(':'));
        if (withPort) {
            var named = Addresses.resolveWithPort(text);
            List<InetAddress> hosts = Addresses.all(named.getHostString());
            return either(end -> end.port() == named.getPort() && hosts.contains(end.address()));
        }
        List<InetAddress> hosts = Addresses.all(text);
        return either(end -> hosts.contains(end.address()));
    }

    private static Predicate<CapturePlace> either(Predicate<Endpoint> condition) {
        return place -> condition.test(place.source()) || condition.test(place.target());
    }

    /** {@return whether there is a condition} */
    boolean isNarrow() {
        return !wanted.isEmpty();
    }

    @Override
    public void accept(Item item) {
        CapturePlace place = item.place();
        if (wanted.isEmpty() || wanted.stream().anyMatch(condition -> condition.test(place))) {
            out.accept(item);
        } else {
            linesLeftOut++;
            (place.tcp() ? tcpLeftOut : udpLeftOut).set(place.stream());
        }
    }

    /** {@return the number of conversations that were left out} */
    int streamsLeftOut() {
        return tcpLeftOut.cardinality() + udpLeftOut.cardinality();
    }

    /** {@return the number of lines and conversations left out, as text; empty without a condition} */
    String summary() {
        return isNarrow()
                ? "; left out: " + count(linesLeftOut, "line") + " of " + count(streamsLeftOut(), "conversation")
                : "";
    }

    /** {@return a number with its noun, in singular or plural} */
    static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    /**
     * {@return the same as JSON}
     *
     * @param text the decoder's summary
     */
    ObjectNode object(String text) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("type", "summary")
                .put("text", text)
                .put("left_out", linesLeftOut)
                .put("streams_left_out", streamsLeftOut());
    }
}
