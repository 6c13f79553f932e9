package dev.jwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Names and numbers are those of libibverbs and librdmacm")
class NumbersTest {
    private static <E extends Enum<E>> String list(E[] values, ToIntFunction<E> number) {
        return Arrays.stream(values)
                .map(value -> number.applyAsInt(value) + " " + value.name())
                .collect(Collectors.joining(", "));
    }

    @Test
    @DisplayName("of completion statuses")
    void statuses() {
        assertThat(list(WorkCompletionStatus.values(), WorkCompletionStatus::number))
                .isEqualTo("0 SUCCESS, 1 LOC_LEN_ERR, 2 LOC_QP_OP_ERR, 4 LOC_PROT_ERR, 5 WR_FLUSH_ERR, 6 MW_BIND_ERR,"
                        + " 7 BAD_RESP_ERR, 8 LOC_ACCESS_ERR, 9 REM_INV_REQ_ERR, 10 REM_ACCESS_ERR, 11 REM_OP_ERR,"
                        + " 12 RETRY_EXC_ERR, 13 RNR_RETRY_EXC_ERR, 16 REM_ABORT_ERR, 19 FATAL_ERR,"
                        + " 20 RESP_TIMEOUT_ERR, 21 GENERAL_ERR, 64 PARTIAL, 65 INCOMPLETE, 66 EVICTED, 67 ABORTED,"
                        + " 68 PEER_RESET");
    }

    @Test
    @DisplayName("of completion opcodes")
    void opcodes() {
        assertThat(list(WorkCompletionOpcode.values(), WorkCompletionOpcode::number))
                .isEqualTo("0 SEND, 1 RDMA_WRITE, 2 RDMA_READ, 3 COMP_SWAP, 4 FETCH_ADD, 5 BIND_MW, 6 LOCAL_INV,"
                        + " 64 WRITE_RECORD, 128 RECV, 129 RECV_RDMA_WITH_IMM, 192 RECV_WRITE_RECORD");
        assertThat(Arrays.stream(WorkCompletionOpcode.values()).filter(WorkCompletionOpcode::isReceive))
                .containsExactly(
                        WorkCompletionOpcode.RECV,
                        WorkCompletionOpcode.RECV_RDMA_WITH_IMM,
                        WorkCompletionOpcode.RECV_WRITE_RECORD);
    }

    @Test
    @DisplayName("of queue pair states")
    void states() {
        assertThat(list(QueuePairState.values(), QueuePairState::number))
                .isEqualTo("0 RESET, 1 INIT, 2 RTR, 3 RTS, 4 SQD, 5 SQE, 6 ERR");
    }

    @Test
    @DisplayName("of access flags")
    void access() {
        assertThat(list(AccessFlag.values(), AccessFlag::bit))
                .isEqualTo("1 LOCAL_WRITE, 2 REMOTE_WRITE, 4 REMOTE_READ, 8 REMOTE_ATOMIC, 16 MW_BIND,"
                        // Bits from 25 on are jwarp's; libibverbs uses bits up to 9, and 20.
                        + " 33554432 RECORD, 67108864 GROUP, 134217728 MAPPED");
    }

    @Test
    @DisplayName("of async events")
    void asyncEvents() {
        assertThat(list(AsyncEventType.values(), AsyncEventType::number))
                .isEqualTo("0 CQ_ERR, 1 QP_FATAL, 2 QP_REQ_ERR, 3 QP_ACCESS_ERR, 4 COMM_EST, 5 SQ_DRAINED,"
                        + " 8 DEVICE_FATAL, 9 PORT_ACTIVE, 10 PORT_ERR, 14 SRQ_ERR, 15 SRQ_LIMIT_REACHED,"
                        + " 16 QP_LAST_WQE_REACHED, 64 PEER_NOTICE, 65 RECORD_LOG_FULL, 66 VERSION_LIST, 67 PEER_FAILED, 68 UNSENDABLE,"
                        + " 69 PATH_SILENT");
    }

    @Test
    @DisplayName("of connection events")
    void connectionEvents() {
        assertThat(list(CmEventType.values(), CmEventType::number))
                .isEqualTo("0 ADDR_RESOLVED, 1 ADDR_ERROR, 2 ROUTE_RESOLVED, 3 ROUTE_ERROR, 4 CONNECT_REQUEST,"
                        + " 5 CONNECT_RESPONSE, 6 CONNECT_ERROR, 7 UNREACHABLE, 8 REJECTED, 9 ESTABLISHED,"
                        + " 10 DISCONNECTED, 11 DEVICE_REMOVAL, 14 ADDR_CHANGE, 15 TIMEWAIT_EXIT");
    }

    @Test
    @DisplayName("of ports and MTUs")
    void ports() {
        assertThat(list(PortAttributes.PortState.values(), state -> state.compareTo(PortAttributes.PortState.NOP)))
                .isEqualTo("0 NOP, 1 DOWN, 2 INIT, 3 ARMED, 4 ACTIVE");
        assertThat(Arrays.stream(new int[] {256, 512, 1024, 2048, 4096}).map(PortAttributes::mtuNumber))
                .containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    @DisplayName("Sentences are not blank and have no full stop at the end")
    void sentences() {
        assertSentences(WorkCompletionStatus.values(), WorkCompletionStatus::sentence);
        assertSentences(WorkCompletionStatus.values(), WorkCompletionStatus::check);
        assertSentences(AsyncEventType.values(), AsyncEventType::sentence);
        assertSentences(CmEventType.values(), CmEventType::sentence);
    }

    private static <E> void assertSentences(E[] values, Function<E, String> sentence) {
        assertThat(values)
                .allSatisfy(
                        value -> assertThat(sentence.apply(value)).isNotBlank().doesNotEndWith("."));
    }

    @Test
    @DisplayName("Every error has an exit status of the table: 1 to 5")
    void exitStatuses() {
        assertThat(RdmaErrorCode.values())
                .allSatisfy(code -> assertThat(code.exitStatus()).isBetween(1, 5));
        assertThat(RdmaErrorCode.INVALID_ARGUMENT.exitStatus()).isEqualTo(2);
        assertThat(RdmaErrorCode.CONNECTION_REFUSED.exitStatus()).isEqualTo(3);
        assertThat(RdmaErrorCode.PROTOCOL_MISMATCH.exitStatus()).isEqualTo(4);
    }
}
