package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.vectors.Vectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName(
        "A response must be the answer to the oldest request, byte for byte (A21; RFC 5040 §5.2.2, RFC 7306 §5.2.2)")
class ResponseTest {
    private final Station station = new Station();
    private final TaggedBuffer region = station.region(1000, 0x1000, Station.ALL);
    private final TaggedBuffer other = station.region(1000, 0x1000, Station.ALL);
    private final TaggedBuffer foreign =
            station.table.register(Station.DOMAIN + 1, Station.memory(100), 0x1000, Station.ALL);

    @BeforeEach
    void readAndAtomic() {
        station.establish();
        station.read(1, region, 100, 20, 5, 0); // identified by region, TO 0x1064
        station.fetchAndAdd(2, region, 200, 1, 5, 0); // the first Atomic: identifier 1
        station.lower.sent(station.stream);
    }

    private void refused(TerminateCode code, String read, String atomic) {
        assertThat(station.failure).isEqualTo(code);
        assertThat(station.sendResults()).containsExactly("1 " + read, "2 " + atomic);
        assertThat(Station.octets(region)).containsOnly(0);
        assertThat(Station.octets(other)).containsOnly(0);
        assertThat(Station.octets(foreign)).containsOnly(0);
        assertThat(station.lower.sent(station.stream))
                .extracting(Ulpdus::opcode)
                .containsExactly(RdmapOpcode.TERMINATE);
    }

    @Test
    @DisplayName("matching responses complete the requests")
    void right() {
        station.take(Ulpdus.readResponse(false, region.stag(), 0x1064, Ulpdus.octets(12)));
        station.take(Ulpdus.readResponse(false, 0, 0));
        station.take(Ulpdus.readResponse(true, region.stag(), 0x1070, Ulpdus.octets(8)));
        station.take(Ulpdus.atomicResponse(1, 1, 5));
        assertThat(station.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(Station.octets(region, 100, 12)).isEqualTo(Ulpdus.octets(12));
        assertThat(Station.octets(region, 112, 8)).isEqualTo(Ulpdus.octets(8));
    }

    @Test
    @DisplayName("another valid STag of ours: 0/2/06")
    void anotherSTag() {
        station.take(Ulpdus.readResponse(true, other.stag(), 0x1064, Ulpdus.octets(20)));
        refused(TerminateCode.RDMAP_UNEXPECTED_OPCODE, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("an unknown STag: 1/1/00; another domain's: 1/1/02")
    void unknownSTag() {
        station.take(Ulpdus.readResponse(true, 0xbad, 0x1064, Ulpdus.octets(20)));
        refused(TerminateCode.DDP_INVALID_STAG, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("another domain's STag: 1/1/02")
    void foreignSTag() {
        station.take(Ulpdus.readResponse(true, foreign.stag(), 0x1000, Ulpdus.octets(20)));
        refused(TerminateCode.DDP_STAG_NOT_ASSOCIATED, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    @Tag("RDMAP-5.2.2-2")
    @Test
    @DisplayName("another offset within the region: 1/1/01")
    void anotherOffset() {
        station.take(Ulpdus.readResponse(true, region.stag(), 0x1065, Ulpdus.octets(19)));
        refused(TerminateCode.DDP_BASE_BOUNDS, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    @Tag("RDMAP-5.2.2-2")
    @Test
    @DisplayName("one byte too many: 1/1/01")
    void tooLong() {
        station.take(Ulpdus.readResponse(true, region.stag(), 0x1064, Ulpdus.octets(21)));
        refused(TerminateCode.DDP_BASE_BOUNDS, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("outside the region, or around 2^64: 1/1/01 and 1/1/03")
    void outside() {
        station.take(Ulpdus.readResponse(true, region.stag(), -4, Ulpdus.octets(20)));
        refused(TerminateCode.DDP_TO_WRAP, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("too short: 0/2/FF")
    void tooShort() {
        station.take(Ulpdus.readResponse(true, 0, 0));
        refused(TerminateCode.RDMAP_OPERATION_UNSPECIFIED, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("an Atomic Response while a Read is the oldest: 0/2/FF")
    void atomicBeforeRead() {
        station.take(Ulpdus.atomicResponse(1, 1, 5));
        refused(TerminateCode.RDMAP_OPERATION_UNSPECIFIED, "BAD_RESP_ERR", "WR_FLUSH_ERR");
    }

    private void answerRead() {
        station.take(Ulpdus.readResponse(true, region.stag(), 0x1064, new byte[20]));
        assertThat(station.sendResults()).containsExactly("1 SUCCESS");
    }

    @Test
    @DisplayName("a Read Response while an Atomic is the oldest: 0/2/06")
    void readBeforeAtomic() {
        answerRead();
        station.take(Ulpdus.readResponse(true, region.stag(), 0x1064, Ulpdus.octets(20)));
        refused(TerminateCode.RDMAP_UNEXPECTED_OPCODE, "SUCCESS", "BAD_RESP_ERR");
    }

    @Test
    @DisplayName("a Read Response of length 0 does not answer an Atomic either: 0/2/06")
    void emptyReadBeforeAtomic() {
        answerRead();
        station.take(Ulpdus.readResponse(true, 0, 0));
        refused(TerminateCode.RDMAP_UNEXPECTED_OPCODE, "SUCCESS", "BAD_RESP_ERR");
    }

    @Tag("EXT-5.2.2-3")
    @Test
    @DisplayName("an Atomic Response under another number: 0/2/FF (A27)")
    void anotherIdentifier() {
        answerRead();
        station.take(Ulpdus.atomicResponse(1, 2, 5));
        refused(TerminateCode.RDMAP_OPERATION_UNSPECIFIED, "SUCCESS", "BAD_RESP_ERR");
    }

    @Test
    @DisplayName("an Atomic Response of 8 bytes: 0/2/FF; of 13: 1/2/05")
    void sizes() {
        answerRead();
        station.take(Ulpdus.untagged(RdmapOpcode.ATOMIC_RESPONSE, true, 0, 3, 1, 0, Vectors.hex("0000000100000000")));
        refused(TerminateCode.RDMAP_OPERATION_UNSPECIFIED, "SUCCESS", "BAD_RESP_ERR");
    }

    @Test
    @DisplayName("an Atomic Response of 13 bytes: 1/2/05")
    void tooLongAtomic() {
        answerRead();
        station.take(Ulpdus.untagged(RdmapOpcode.ATOMIC_RESPONSE, true, 0, 3, 1, 0, new byte[13]));
        refused(TerminateCode.DDP_MESSAGE_TOO_LONG, "SUCCESS", "WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("an Atomic Response of 8 bytes is too short even after a good one")
    void tooShortAfterAGoodOne() {
        answerRead();
        station.take(Ulpdus.atomicResponse(1, 1, 0));
        station.fetchAndAdd(3, region, 200, 1, 5, 0);
        station.lower.sent(station.stream);
        station.take(Ulpdus.untagged(RdmapOpcode.ATOMIC_RESPONSE, true, 0, 3, 2, 0, Vectors.hex("0000000200000000")));
        assertThat(station.failure).isEqualTo(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
        assertThat(station.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 BAD_RESP_ERR");
    }

    @Test
    @DisplayName("an Atomic Response under the number of an older Atomic does not answer a Read")
    void oldIdentifier() {
        Station other = new Station().establish(true, 2, 2, ReadyToReceive.NONE);
        TaggedBuffer memory = other.region(100);
        for (int i = 1; i <= 3; i++) {
            other.fetchAndAdd(i, memory, 0, 1, 5, 0);
            other.lower.sent(other.stream);
            other.take(Ulpdus.atomicResponse(i, i, 0));
        }
        other.read(4, memory, 16, 8, 5, 0);
        other.fetchAndAdd(5, memory, 0, 1, 5, 0);
        other.lower.sent(other.stream);
        other.take(Ulpdus.atomicResponse(4, 1, -1));
        assertThat(other.failure).isEqualTo(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
        assertThat(other.sendResults()).endsWith("4 BAD_RESP_ERR", "5 WR_FLUSH_ERR");
        assertThat(Station.octets(memory)).containsOnly(0);
    }

    @Tag("EXT-5.2.2-3")
    @Test
    @DisplayName("one Atomic Response too many finds no buffer: 1/2/02")
    void oneTooMany() {
        answerRead();
        station.take(Ulpdus.atomicResponse(1, 1, 0));
        station.take(Ulpdus.atomicResponse(2, 2, 0));
        refused(TerminateCode.DDP_NO_BUFFER, "SUCCESS", "SUCCESS");
    }

    @Tag("RDMAP-5.2.2-3")
    @Test
    @DisplayName("a Response without any request, even of length 0: 0/2/06")
    void unsolicited() {
        Station idle = new Station().establish();
        idle.take(Ulpdus.readResponse(true, 0, 0));
        assertThat(idle.failure).isEqualTo(TerminateCode.RDMAP_UNEXPECTED_OPCODE);
    }
}
