package dev.jwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.tools.perf.PerfResult.Side;
import dev.jwarp.tools.perf.PerfSettings.AtomicKind;
import dev.jwarp.tools.perf.PerfSettings.Load;
import dev.jwarp.tools.perf.PerfSettings.RateUnit;
import dev.jwarp.tools.traffic.TrafficPlace;
import dev.jwarp.verbs.QueuePairType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What goes over the wire: docs/perf-exchange.md. */
class ExchangeTest {
    @Test
    @DisplayName("the bytes of a question are those of the document")
    void bytesOfQuestionAreThoseOfDocument() {
        Load load = new Load(
                QueuePairType.UD,
                4096,
                true,
                1000,
                Duration.ofSeconds(2),
                false,
                Duration.ofMillis(1),
                3,
                true,
                16,
                1500,
                2.5,
                RateUnit.P,
                AtomicKind.FETCH_AND_ADD);

        assertThat(HexFormat.of().formatHex(new Hello(PerfTest.SEND_BW, load, "1.2.3").toOctets()))
                .isEqualTo("6a777066" + "0001" + "04" + "01" + "00000003" + "00001000" + "00000000000003e8"
                        + "0000000077359400" + "00000000000f4240" + "00000003" + "00000010" + "000005dc" + "02"
                        + "000000" + "4004000000000000" + "312e322e33" + "00".repeat(27));
    }

    @Property(tries = 200)
    @Label("a question comes back as it was")
    void questionComesBackAsItWas(@ForAll("loads") Load load, @ForAll PerfTest test) {
        Hello hello = new Hello(test, load, "0.1.0-SNAPSHOT");

        assertThat(Hello.of(hello.toOctets())).isEqualTo(hello);
    }

    @Provide
    Arbitrary<Load> loads() {
        Arbitrary<Boolean> yes = Arbitraries.of(true, false);
        return Combinators.combine(
                        Arbitraries.of(QueuePairType.class),
                        Arbitraries.integers().between(1, 1 << 29),
                        yes,
                        Arbitraries.longs().between(1, 1L << 60),
                        Arbitraries.longs().between(0, 1L << 50),
                        yes,
                        Arbitraries.integers().between(1, 256),
                        yes)
                .as((type, size, all, iterations, nanos, infinite, pairs, both) -> new Load(
                        type,
                        size,
                        all,
                        iterations,
                        Duration.ofNanos(nanos),
                        infinite,
                        Duration.ofNanos(nanos / 2),
                        pairs,
                        both,
                        16,
                        1500,
                        0,
                        RateUnit.M,
                        AtomicKind.CMP_AND_SWAP));
    }

    @Test
    @DisplayName("answers and tickets come back as they were")
    void answersAndTicketsComeBackAsTheyWere() {
        Welcome welcome = new Welcome(65_535, -7, "1.0");
        Welcome.Ticket ticket = new Welcome.Ticket(255, Long.MIN_VALUE);

        assertThat(Welcome.of(welcome.toOctets())).isEqualTo(welcome);
        assertThat(Welcome.Ticket.of(ticket.toOctets())).isEqualTo(ticket);
    }

    @Test
    @DisplayName("another version is told")
    void anotherVersionIsTold() {
        byte[] octets = new Welcome(1, 2, "9").toOctets();
        octets[5] = 2;

        assertThatThrownBy(() -> Welcome.of(octets))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the message has version 2 of the exchange, not 1");
    }

    @Test
    @DisplayName("notes come back as they were")
    void notesComeBackAsTheyWere() {
        Latency latency = new Latency(3, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        PerfResult result = new PerfResult(Side.REMOTE, 64, 100, 2, 3, 4, 5.5, latency, 6, 7, true);
        PerfResult poor = new PerfResult(Side.REMOTE, 64, 100, 2, 3, 4, Double.NaN, null, -1, -1, false);
        List<Note> notes = List.of(
                new Note.Ends(new TrafficPlace(
                        1,
                        2,
                        64,
                        3,
                        4,
                        512,
                        4096,
                        List.of(new TrafficPlace.Pair(5, 6, 7), new TrafficPlace.Pair(8, 9, 10)))),
                new Note.Step(1, true, 64, 1000, 0),
                new Note.Step(2, false, 1, 0, 5_000_000),
                new Note.Ready(2),
                new Note.Done(100, 98, result),
                new Note.Done(0, 0, poor),
                new Note.Stop(),
                new Note.End(Note.Reason.INTERRUPTED, "the reason"));
        for (Note note : notes) {
            assertThat(Note.read(octets(note))).isEqualTo(note);
        }
    }

    private static ByteBuffer octets(Note note) {
        ByteBuffer buffer = ByteBuffer.allocate(Note.MOST);
        note.write(buffer);
        return buffer.flip();
    }

    @Test
    @DisplayName("the longest note fits")
    void longestNoteFits() {
        List<TrafficPlace.Pair> pairs = Collections.nCopies(PerfFlags.MOST_QUEUE_PAIRS, new TrafficPlace.Pair(1, 2, 3));

        assertThat(octets(new Note.Ends(new TrafficPlace(1, 2, 64, 3, 4, 5, 6, pairs)))
                        .remaining())
                .isLessThan(Note.MOST);
        assertThat(octets(new Note.End(Note.Reason.FAILED, "x".repeat(5000))).remaining())
                .isLessThan(Note.MOST);
    }

    /** Whatever a peer sends: it is read, or refused in words. */
    @Property(tries = 500)
    @Label("malformed bytes are refused in words")
    void malformedBytesAreRefusedInWords(@ForAll byte[] octets, @ForAll @IntRange(min = 0, max = 7) int kind) {
        refusesInWords(octets, Hello::of);
        refusesInWords(octets, Welcome::of);
        refusesInWords(octets, Welcome.Ticket::of);
        byte[] note = octets.clone();
        if (note.length > 1) {
            note[0] = 0;
            note[1] = (byte) kind;
        }
        refusesInWords(note, any -> Note.read(ByteBuffer.wrap(any)));
    }

    @Property(tries = 300)
    @Label("a damaged question is read or refused in words")
    void damagedQuestionIsReadOrRefusedInWords(
            @ForAll("loads") Load load, @ForAll @IntRange(min = 0, max = 95) int place, @ForAll byte change) {
        byte[] octets = new Hello(PerfTest.READ_LAT, load, "1").toOctets();
        octets[place] ^= change;

        refusesInWords(octets, Hello::of);
    }

    private static void refusesInWords(byte[] octets, Consumer<byte[]> reader) {
        try {
            reader.accept(octets);
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }
}
