package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The form of a datagram")
class FormTest {
    private static final Datagram SEND = new Message(shim(Kind.DATA), Message.SEND, 0, 0, Octets.pattern(20, 1)).one();

    private static final Datagram PADDED = new Message(shim(Kind.DATA), Message.SEND, 0, 0, Octets.pattern(20, 1))
            .padded(32)
            .one();

    private static final Datagram RESOLVE = shim(
                    Kind.RESOLVE,
                    new Octets().u64(99).u8(3).u8(0).u16(2).u16(0).u16(0).bytes())
            .ofResolvers()
            .resized(288);

    private static final Datagram PROBE = shim(
            Kind.PATH_PROBE,
            new Octets().u32(1).u64(7).u16(65_507).u16(0).zeros(20).bytes());

    private static Datagram shim(Kind kind, byte... body) {
        return Datagram.of(kind, body).to(0x100).from(0x200).key(5).id(7).length(body.length);
    }

    private static List<String> broken(Datagram d) {
        List<String> ids = new ArrayList<>();
        Form.judge(d, d.within(), true, (id, what) -> ids.add(id));
        return ids;
    }

    static Stream<Datagram> good() {
        return Stream.of(SEND, PADDED, RESOLVE, PROBE, PROBE.cookie(new byte[16]));
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                Arguments.of("DG-4.7-1", SEND.version(2)),
                Arguments.of("DG-5.1-3", SEND.kind(14)),
                Arguments.of("DG-5.1-4", SEND.and(0x40)),
                Arguments.of("DG-5.4-1", SEND.from(3)),
                Arguments.of("DG-5.1-6", SEND.and(Datagram.G)),
                Arguments.of("DG-5.2-1", SEND.put(24, 1, 0x42)),
                Arguments.of("DG-5.2-1", SEND.put(25, 1, 0x83)),
                Arguments.of("DG-4.6-1", SEND.put(25, 1, 0x47)),
                Arguments.of("DG-4.2-1", SEND.put(26, 4, 1)),
                Arguments.of("DG-5.2-3", SEND.put(30, 4, 1)),
                Arguments.of("DG-5.2-3", SEND.put(38, 4, 4)),
                Arguments.of("DG-4.5-1", SEND.segmentSize(24)),
                Arguments.of("DG-4.5-1", PADDED.put(64, 1, 1)),
                Arguments.of("DG-R.2-1", RESOLVE.put(34, 2, 4)),
                Arguments.of("DG-R.2-1", RESOLVE.put(60, 1, 1)),
                Arguments.of("DG-4.4-10", PROBE.put(56, 1, 1)));
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("is right in datagrams that keep all rules")
    void good(Datagram d) {
        assertThat(broken(d)).isEmpty();
        assertThatCode(() -> Form.check(d.bytes())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("bad")
    @DisplayName("breaks the same rule for the decoder and for the tester")
    void bad(String id, Datagram d) {
        assertThat(broken(d)).containsExactly(id);
        assertThatThrownBy(() -> Form.check(d.bytes()))
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("expected a datagram that keeps DG-");
    }

    @Test
    @DisplayName("is not checked if the CRC is wrong")
    void wrongCrc() {
        List<String> ids = new ArrayList<>();
        Form.judge(SEND.and(0x40), null, false, (id, what) -> ids.add(id));

        assertThat(ids).containsExactly("DG-4.1-1");
    }
}
