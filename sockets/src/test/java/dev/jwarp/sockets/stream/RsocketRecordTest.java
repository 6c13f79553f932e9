package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The record of an rsocket")
class RsocketRecordTest {
    /** The record of rs_format_conn_data on x86, with default settings. */
    private static final String RECORD = "0102" + "0180" + "000000" + "00" //
            + "00007f0000200000" + "51000002" + "00000002" //
            + "00007f0000001000" + "51000001" + "00010000";

    private static final RsocketRecord SAME = new RsocketRecord(
            false,
            384,
            new RsocketRecord.Place(0x7f00_0020_0000L, 0x5100_0002, 2),
            new RsocketRecord.Place(0x7f00_0000_1000L, 0x5100_0001, 65_536),
            0);

    @Test
    @DisplayName("has 40 octets with the layout of librdmacm")
    void layout() throws StreamException {
        assertThat(HexFormat.of().formatHex(SAME.bytes())).isEqualTo(RECORD);
        assertThat(RsocketRecord.read(octets(RECORD))).isEqualTo(SAME);
    }

    @Test
    @DisplayName("may be followed by further octets, such as the zeros of some devices")
    void more() throws StreamException {
        assertThat(RsocketRecord.read(octets(RECORD + "00".repeat(16)))).isEqualTo(SAME);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "128, 128", "256, 256", "1000, 768", "32512, 32512"})
    @DisplayName("has the number of entries of the I/O map: above 128 in steps of 256")
    void map(int entries, int told) throws StreamException {
        RsocketRecord record = new RsocketRecord(true, 1, SAME.places(), SAME.data(), entries);

        RsocketRecord read = RsocketRecord.read(ByteBuffer.wrap(record.bytes()));

        assertThat(read.mapEntries()).isEqualTo(told);
        assertThat(read.bigEndian()).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "nothing, 0, '', RECORD_MISSING, 'the peer is not a socket: its private data contain no stream record: 0 bytes, and a record has 40'",
        "39 octets, 0, cut, RECORD_MISSING, 'the peer is not a socket: its private data contain no stream record: 39 bytes, and a record has 40'",
        "version 2, 0, 02, RECORD_VERSION, 'the peer speaks another version of the protocol: 2, not 1'",
        "no credits, 2, 0000, RECORD_WITHOUT_ROOM, 'the peer offers too few credits or too little memory: 0 credits, 65536 bytes, a table of 2 places; a table has 2'",
        "a table of one place, 20, 00000001, RECORD_WITHOUT_ROOM, 'the peer offers too few credits or too little memory: 384 credits, 65536 bytes, a table of 1 places; a table has 2'",
        "a place of no bytes, 36, 00000000, RECORD_WITHOUT_ROOM, 'the peer offers too few credits or too little memory: 384 credits, 0 bytes, a table of 2 places; a table has 2'",
    })
    @DisplayName("is rejected with a reason if it has")
    void refused(String what, int at, String octets, PeerFault fault, String sentence) {
        ByteBuffer told =
                switch (octets) {
                    case "" -> ByteBuffer.allocate(0);
                    case "cut" -> octets(RECORD).limit(39);
                    default -> octets(RECORD).put(at, HexFormat.of().parseHex(octets));
                };

        assertThatThrownBy(() -> RsocketRecord.read(told))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.fault()).isEqualTo(fault))
                .hasMessage("Connection reset: " + sentence);
    }

    private static ByteBuffer octets(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }
}
