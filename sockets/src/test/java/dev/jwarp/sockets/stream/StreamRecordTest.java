package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The record of jwarp's own protocols")
class StreamRecordTest {
    private static final String RECORD =
            "4a575354" + "01" + "01" + "0018" + "00000000" + "00000000" + "0020" + "0000" + "00001000";
    private static final StreamRecord SAME = new StreamRecord(1, 0, 0, 32, 0, 4096);
    /** The record of an rsocket (RsocketRecordTest). */
    private static final String RSOCKET = "0102" + "0180" + "000000" + "00" //
            + "00007f0000200000" + "51000002" + "00000002" //
            + "00007f0000001000" + "51000001" + "00010000";

    private static final CreditEngine.Options LEAST = new CreditEngine.Options(false, false, -1);
    private static final CreditEngine.Options OFFERS = new CreditEngine.Options(true, false, -1);

    private static ByteBuffer octets(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    @Test
    @DisplayName("has 24 octets")
    void layout() throws StreamException {
        assertThat(HexFormat.of().formatHex(SAME.bytes())).isEqualTo(RECORD);
        assertThat(StreamRecord.read(octets(RECORD), LEAST)).isEqualTo(SAME);
    }

    @Test
    @DisplayName("may be longer, for later versions, and may offer unknown options")
    void longer() throws StreamException {
        ByteBuffer more =
                octets(RECORD + "00".repeat(16)).putShort(6, (short) 32).putInt(12, 5);
        assertThat(StreamRecord.read(more, LEAST)).isEqualTo(new StreamRecord(1, 0, 5, 32, 0, 4096));
    }

    private static final String DIRECT = "4a575354" + "01" + "01" + "0028" + "00000000" + "00000002" //
            + "0020" + "0000" + "00001000" + "00000000" + "51000003" + "00007f0000300008";

    @Test
    @DisplayName("has 40 octets, with the address of its word, if it offers zero-copy data")
    void direct() throws StreamException {
        DirectWord.Place word = new DirectWord.Place(0x7f0000300008L, 0x51000003);
        StreamRecord record = new StreamRecord(1, 0, StreamRecord.DIRECT, 32, 0, 4096, word);
        assertThat(HexFormat.of().formatHex(record.bytes())).isEqualTo(DIRECT);
        assertThat(StreamRecord.read(octets(DIRECT), LEAST)).isEqualTo(record);
    }

    @Test
    @DisplayName("that needs zero-copy data is accepted by an end that offers them, and rejected by others")
    void needsDirect() throws StreamException {
        ByteBuffer needs = octets(DIRECT).putInt(8, StreamRecord.DIRECT).putInt(12, 0);
        assertThat(StreamRecord.read(needs, OFFERS).word()).isNotNull();
        assertThatThrownBy(() -> StreamRecord.read(needs, LEAST))
                .hasMessage("Connection reset: the peer requires options that this end does not have: options 0x2");
    }

    @Test
    @DisplayName("of an end with messages is accepted by an end with messages, which accepts no other")
    void messages() throws StreamException {
        CreditEngine.Options messages = new CreditEngine.Options(false, true, -1);
        ByteBuffer needs = octets(RECORD).putInt(8, StreamRecord.MESSAGES);
        assertThat(StreamRecord.read(needs, messages).needs()).isEqualTo(1);
        assertThat(StreamRecord.read(octets(RECORD).putInt(12, StreamRecord.MESSAGES), messages)
                        .offers())
                .isEqualTo(1);
        assertThatThrownBy(() -> StreamRecord.read(octets(RECORD), messages))
                .hasMessage(
                        "Connection reset: the peer lacks options that this end requires: messages: the option MESSAGES must be the same at both ends");
    }

    @Test
    @DisplayName("that offers zero-copy data but is too short for the address of its word is truncated")
    void directCut() {
        for (int length = StreamRecord.LENGTH; length < StreamRecord.DIRECT_LENGTH; length++) {
            ByteBuffer told = octets(DIRECT).putShort(6, (short) length);
            assertThat(catchThrowableOfType(StreamException.class, () -> StreamRecord.read(told, OFFERS))
                            .fault())
                    .isEqualTo(PeerFault.RECORD_SHORT);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        nothing         | 0  | ''       | RECORD_MISSING      | the peer is not a socket: its private data contain no stream record: 0 bytes that do not begin as a record
        other octets    | 0  | 00       | RECORD_MISSING      | the peer is not a socket: its private data contain no stream record: 24 bytes that do not begin as a record
        version 2       | 4  | 02       | RECORD_VERSION      | the peer speaks another version of the protocol: 2, not 1
        protocol 2      | 5  | 02       | RECORD_FOREIGN      | the peer speaks another stream protocol: protocol 2, but this end speaks credits: set the same PROTOCOL at both ends
        a longer length | 6  | 0019     | RECORD_SHORT        | the peer sent a truncated record: 24 bytes arrived, its length field is 25, and the minimum is 24
        a short length  | 6  | 0017     | RECORD_SHORT        | the peer sent a truncated record: 24 bytes arrived, its length field is 23, and the minimum is 24
        needs           | 8  | 00000004 | OPTION_UNKNOWN      | the peer requires options that this end does not have: options 0x4
        messages        | 8  | 00000001 | OPTION_UNKNOWN      | the peer requires options that this end does not have: messages: the option MESSAGES must be the same at both ends
        3 credits       | 16 | 0003     | RECORD_WITHOUT_ROOM | the peer offers too few credits or too little memory: 3 credits for messages of 4096 bytes; the minimum is 4 credits for messages of 64 bytes
        small buffers   | 20 | 0000003f | RECORD_WITHOUT_ROOM | the peer offers too few credits or too little memory: 32 credits for messages of 63 bytes; the minimum is 4 credits for messages of 64 bytes
        negative ones   | 20 | ffffffff | RECORD_WITHOUT_ROOM | the peer offers too few credits or too little memory: 32 credits for messages of -1 bytes; the minimum is 4 credits for messages of 64 bytes
        """)
    @DisplayName("is rejected with a reason if it has")
    void refused(String what, int at, String octets, PeerFault fault, String sentence) {
        ByteBuffer told = octets.isEmpty()
                ? ByteBuffer.allocate(0)
                : octets(RECORD).put(at, HexFormat.of().parseHex(octets));

        assertThatThrownBy(() -> StreamRecord.read(told, LEAST))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.fault()).isEqualTo(fault))
                .hasMessage("Connection reset: " + sentence);
    }

    @Test
    @DisplayName("is rejected with a reason wherever it is truncated")
    void cut() {
        for (int length = 0; length < StreamRecord.LENGTH; length++) {
            ByteBuffer told = octets(RECORD).limit(length);
            assertThat(catchThrowableOfType(StreamException.class, () -> StreamRecord.read(told, LEAST))
                            .fault())
                    .isEqualTo(length < 8 ? PeerFault.RECORD_MISSING : PeerFault.RECORD_SHORT);
        }
    }

    @Test
    @DisplayName("is rejected by an rsocket, and that of an rsocket by a credit stream")
    void foreign() {
        assertThatThrownBy(() -> StreamRecord.read(octets(RSOCKET), LEAST))
                .hasMessage(
                        "Connection reset: the peer speaks another stream protocol: rsockets, but this end speaks credits: set the same PROTOCOL at both ends");
        assertThatThrownBy(() -> RsocketRecord.read(octets(RECORD)))
                .hasMessage(
                        "Connection reset: the peer speaks another stream protocol: credits, but this end speaks rsockets: set the same PROTOCOL at both ends");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        RECORD_FOREIGN      | it speaks credits, but this end speaks rsockets: set the same PROTOCOL at both ends
        RECORD_VERSION      | it speaks another version of the protocol
        RECORD_SHORT        | it received a truncated record from this end
        OPTION_UNKNOWN      | it lacks options that this end requires: the option MESSAGES must be the same at both ends
        OPTION_MISSING      | this end lacks options that the peer requires: the option MESSAGES must be the same at both ends
        RECORD_WITHOUT_ROOM | this end offers too few credits or too little memory
        RECORD_MISSING      | it found no stream record in the request
        """)
    @DisplayName("has the reason of a refusal:")
    void refusal(PeerFault fault, String sentence) {
        byte[] told = StreamRefusal.bytes(StreamProtocol.CREDITS, new StreamException(fault, ""));

        assertThat(StreamRefusal.sentence(ByteBuffer.wrap(told), StreamProtocol.RSOCKETS))
                .isEqualTo("the peer rejects this connection: " + sentence);
    }

    @Test
    @DisplayName("of another version in a refusal is reported; other octets are ignored")
    void otherRefusals() {
        byte[] told = StreamRefusal.bytes(StreamProtocol.CREDITS, new StreamException(PeerFault.RECORD_SHORT, ""));
        told[4] = 9;
        assertThat(StreamRefusal.sentence(ByteBuffer.wrap(told), StreamProtocol.CREDITS))
                .isEqualTo(
                        "the peer rejects this connection, and its reason is unreadable: the peer speaks another version of the protocol: 9, not 1");
        assertThat(StreamRefusal.sentence(ByteBuffer.wrap(new byte[3]), StreamProtocol.CREDITS))
                .isNull();
    }
}
