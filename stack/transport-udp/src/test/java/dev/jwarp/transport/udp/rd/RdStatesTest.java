package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each state of a channel with each event, as in {@code states.tsv}: the state afterwards, sent datagrams, counters,
 * whether the layer above was offered data, and the end of channel and work requests. This side's tag is 11, its first PSN 1000; the peer's are 22 and 2000, and
 * 33 is an unknown tag. The peer is not a host: the test creates its datagrams from the table.
 */
@DisplayName("A channel in each state, at each event (datagram-iWARP §11.1)")
class RdStatesTest {
    private static final int MY_TAG = 11;
    private static final int MY_PSN = 1_000;
    private static final int QUESTION = 77;
    private static final int PEER_TAG = 22;
    private static final int PEER_PSN = 2_000;
    private static final int OTHER_TAG = 33;
    private static final int WINDOW = 64;
    private static final int PEER_NUMBER = 18;
    private static final int PEER_KEY = 5;
    private static final TerminateCode CODE = TerminateCode.DDP_BASE_BOUNDS;

    private enum State {
        CLOSED,
        OPENING,
        UNCONFIRMED,
        HALF_OPEN,
        OPEN,
        ERROR
    }

    private final RdSim sim = new RdSim(1);
    private final RdHost host = new RdHost(sim, 1, 17);
    private final DatagramAddress address = new DatagramAddress().setIpv4(0x0a000002, 2);
    private final DatagramPeer handle = new DatagramPeer().set(address, PEER_NUMBER, PEER_KEY, 1472);

    RdStatesTest() {
        sim.record = true;
        host.randoms.addAll(List.of((long) MY_TAG, (long) MY_PSN, (long) QUESTION));
    }

    // ---- datagrams of the peer

    private RdPacket said(Kind kind, int key) {
        RdPacket p = new RdPacket(kind, address, host.address);
        p.shim.addressed(host.number, PEER_NUMBER, key).message(QUESTION, 0).flags(kind.reply(), true, false, false);
        p.window = WINDOW;
        p.ack = MY_PSN;
        p.tag = PEER_TAG;
        p.psn = PEER_PSN;
        return p;
    }

    private RdPacket open(int tag, int previousTag) {
        RdPacket p = said(Kind.RD_OPEN, host.key);
        p.tag = tag;
        p.previousTag = previousTag;
        return p;
    }

    private RdPacket accept(int tag, int ack) {
        RdPacket p = said(Kind.RD_ACCEPT, MY_TAG);
        p.tag = tag;
        p.ack = ack;
        return p;
    }

    private RdPacket data(int psn) {
        RdPacket p = said(Kind.DATA, MY_TAG);
        p.psn = psn;
        p.segment();
        p.shim.message(1, RdUpper.HEADER + RdUpper.MARKS).segment(0, RdUpper.HEADER + RdUpper.MARKS);
        return p;
    }

    private RdPacket reset(RdResetReason reason) {
        RdPacket p = said(Kind.RD_RESET, MY_TAG);
        p.reason = reason;
        return p;
    }

    private void post() {
        host.upper.post(handle, 1, 1);
        host.pump();
    }

    private void reach(State state) {
        switch (state) {
            case CLOSED -> {}
            case OPENING -> post();
            case UNCONFIRMED -> {
                post();
                host.receive(open(PEER_TAG, 0));
            }
            case HALF_OPEN -> host.receive(open(PEER_TAG, 0));
            case OPEN -> {
                host.receive(open(PEER_TAG, 0));
                host.receive(data(PEER_PSN));
            }
            case ERROR -> {
                host.upper.refusal = CODE;
                host.receive(open(PEER_TAG, 0));
                host.receive(data(PEER_PSN));
                host.upper.refusal = null;
            }
        }
        sim.run(RdSim.millis(5));
    }

    private void happens(String event) {
        switch (event) {
            case "RD-OPEN" -> host.receive(open(OTHER_TAG, 0));
            case "RD-OPEN, tag as before" -> host.receive(open(PEER_TAG, 0));
            case "RD-OPEN, previous tag is mine" -> host.receive(open(OTHER_TAG, MY_TAG));
            case "RD-ACCEPT" -> host.receive(accept(PEER_TAG, MY_PSN));
            case "RD-ACCEPT, another tag in it" -> host.receive(accept(OTHER_TAG, MY_PSN));
            case "RD-ACCEPT, another Ack" -> host.receive(accept(PEER_TAG, MY_PSN + 1));
            case "DATA" -> host.receive(data(PEER_PSN + 1));
            case "DATA, first PSN" -> host.receive(data(PEER_PSN));
            case "DATA, far PSN" -> host.receive(data(PEER_PSN + 100_000));
            case "RD-ACK" -> host.receive(said(Kind.RD_ACK, MY_TAG));
            case "RD-ACK, of nothing sent" -> {
                RdPacket p = said(Kind.RD_ACK, MY_TAG);
                p.ack = MY_PSN + 100;
                host.receive(p);
            }
            case "PATH-PROBE" -> host.receive(said(Kind.PATH_PROBE, MY_TAG));
            case "RD-RESET 1" -> host.receive(reset(RdResetReason.NO_CHANNEL));
            case "RD-RESET 2" -> host.receive(reset(RdResetReason.REMOTE_ERROR));
            case "RD-RESET 3" -> host.receive(reset(RdResetReason.CLOSED));
            case "RD-RESET 4" -> host.receive(reset(RdResetReason.BUSY));
            case "CHALLENGE" -> host.receive(said(Kind.CHALLENGE, PEER_KEY));
            case "work" -> post();
            case "the program resets the peer" -> host.endpoint.resetPeer(handle);
            case "the queue pair goes" -> host.endpoint.close();
            case "5 s" -> sim.run(RdSim.millis(5_000));
            case "10 s" -> sim.run(RdSim.millis(10_000));
            case "120 s" -> sim.run(RdSim.millis(121_000));
            default -> throw new IllegalArgumentException(event);
        }
        host.pump();
        sim.run(RdSim.millis(5));
    }

    private String state() {
        RdChannel channel = host.endpoint.find(address, PEER_NUMBER);
        if (channel == null) {
            return "CLOSED";
        }
        boolean opening = channel.opening() != null && channel.state() == RdState.OPEN;
        boolean half = host.endpoint.opener.halfOpen() > 0;
        return channel.state() + (opening ? ", unconfirmed" : half ? ", half-open" : "");
    }

    private String outcome(State from, String event) {
        reach(from);
        Map<UdpCounter, Integer> before = new EnumMap<>(UdpCounter.class);
        host.counters.forEach((counter, count) -> before.put(counter, count.get()));
        int lost = host.upper.lost.size();
        long offered = host.upper.offered;
        sim.wire.clear();
        happens(event);
        List<String> all = new ArrayList<>();
        all.add(state());
        String last = "";
        int times = 0;
        for (RdPacket p : sim.wire) {
            if (p.from.equals(host.address)) {
                times = p.toString().equals(last) ? times + 1 : 1;
                last = p.toString();
                if (times > 1) {
                    all.remove(all.size() - 1);
                }
                all.add(times > 1 ? last + " × " + times : last);
            }
        }
        host.counters.forEach((counter, count) -> {
            if (count.get() != before.getOrDefault(counter, 0)) {
                all.add(counter.name().toLowerCase(Locale.ROOT));
            }
        });
        if (host.upper.offered > offered) {
            all.add("offered above");
        }
        host.upper.lost.stream()
                .skip(lost)
                .forEach(end -> all.add((end.all() ? "all ends with " : "what was sent ends with ") + end.status()));
        return String.join("; ", all);
    }

    private record Row(String event, State state, String outcome) {
        @Override
        public String toString() {
            return state + ", " + event;
        }
    }

    private static List<Row> rows() throws IOException {
        try (InputStream table = Objects.requireNonNull(RdStatesTest.class.getResourceAsStream("states.tsv"))) {
            return new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t"))
                    .map(words -> new Row(words[0], State.valueOf(words[1]), words[2]))
                    .toList();
        }
    }

    @Tag("DG-11.1-3")
    @Tag("DG-11.1-5")
    @Tag("DG-11.1-8")
    @Tag("DG-11.1-9")
    @Tag("DG-11.1-16")
    @Tag("DG-11.1-24")
    @Tag("DG-11.1-31")
    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void row(Row row) {
        assertThat(outcome(row.state, row.event)).isEqualTo(row.outcome);
    }

    @Test
    @DisplayName("every pair of a state and an event has a row")
    void whole() throws IOException {
        List<Row> rows = rows();
        List<String> pairs = rows.stream().map(Row::toString).toList();
        assertThat(pairs).doesNotHaveDuplicates();
        Stream<String> events = rows.stream().map(Row::event).distinct();
        assertThat(pairs)
                .containsAll(events.flatMap(event -> Stream.of(State.values()).map(state -> state + ", " + event))
                        .toList());
    }
}
