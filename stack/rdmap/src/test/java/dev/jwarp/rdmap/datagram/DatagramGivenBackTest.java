package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.rdmap.work.ReceiveOperation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Receives and records: deregistered, unreleased, freed")
class DatagramGivenBackTest {
    private final DatagramStation a = new DatagramStation(1);
    private final TaggedBuffer memory = a.random(5_000, 1);

    @Test
    @DisplayName("Receives with deregistered memory fail at once, in any position; the others keep their order")
    void deregisteredReceives() {
        DatagramStation b = new DatagramStation(2);
        TaggedBuffer stays = b.region(20_000);
        TaggedBuffer goes = b.region(20_000);
        b.postReceive(1, goes, 0, 5_000);
        b.postReceive(2, stays, 0, 5_000);
        b.postReceive(3, goes, 5_000, 5_000);
        b.postReceive(4, stays, 5_000, 5_000);
        a.send(1, a.to(b), memory, 0, 5_000);
        List<Datagram> half = a.sent();
        b.take(half.get(0), a);
        b.table.deregister(goes);
        b.endpoint.deregistered(goes, b.now);
        assertThat(b.receives).containsExactlyInAnyOrder("1 LOC_PROT_ERR", "3 LOC_PROT_ERR");

        b.receives.clear();
        a.send(2, a.to(b), memory, 0, 10);
        a.send(3, a.to(b), memory, 0, 20);
        b.takeAll(a.sent(), a);
        assertThat(b.receives).containsExactly("2 SUCCESS 10/10 from 1001", "4 SUCCESS 20/20 from 1001");
        assertThat(b.receiveQueue.size()).isZero();
    }

    @Test
    @DisplayName("An event reports that Write-Records are dropped because completions are not released")
    void unreleased() {
        DatagramSettings few = DatagramSettings.DEFAULT
                .with(DatagramLimit.RECORDS, 16)
                .with(DatagramLimit.OUTSTANDING_READS, 1)
                .with(DatagramLimit.WRITE_RECORD_LOG, 1);
        DatagramStation b = new DatagramStation(2, DatagramService.UD, few, 1);
        TaggedBuffer target = b.region(10);
        DatagramDestination toB = a.to(b);
        SegmentFate fate = SegmentFate.ACCEPTED;
        while (fate == SegmentFate.ACCEPTED) {
            a.record(1, toB, memory, 1, target, 0);
            fate = b.take(a.sent().get(0), a);
        }
        assertThat(b.records).hasSizeGreaterThan(65_536);
        assertThat(b.events).singleElement().asString().startsWith("RECORDS_DROPPED");

        b.records.get(0).release();
        a.record(2, toB, memory, 1, target, 0);
        assertThat(b.take(a.sent().get(0), a)).isEqualTo(SegmentFate.ACCEPTED);
    }

    @Test
    @DisplayName("A completion entry that is freed before a record waits for it is used")
    void freedInBetween() {
        List<MessageRecord> told = new ArrayList<>();
        boolean[] refused = new boolean[1];
        RecordLog log = new RecordLog(
                new EndpointCore(DatagramService.UD, 16, DatagramSettings.DEFAULT, new DatagramListener() {
                    @Override
                    public void sendCompleted(DatagramOperation op, OperationStatus status, MessageRecord record) {}

                    @Override
                    public void receiveCompleted(
                            ReceiveOperation op, OperationStatus status, DatagramReceipt receipt) {}

                    @Override
                    public boolean writeRecorded(MessageRecord record) {
                        boolean first = !refused[0];
                        refused[0] = true;
                        return !first && told.add(record);
                    }

                    @Override
                    public void event(DatagramEvent event) {}

                    @Override
                    public void detached() {}
                }));
        MessageRecord record = new RecordPool(new ValiditySlab(8_192), 4).take();
        log.tell(record);
        assertThat(told).containsExactly(record);
        assertThat(log.waiting()).isFalse();
    }
}
