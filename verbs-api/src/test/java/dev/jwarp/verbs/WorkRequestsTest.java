package dev.jwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Work requests and completions are reusable objects")
class WorkRequestsTest {
    @Test
    @DisplayName("A new or cleared request is a signalled Send without data")
    void cleared() {
        SendWorkRequest used = new SendWorkRequest()
                .id(9)
                .rdmaRead(1, 2)
                .signaled(false)
                .fence(true)
                .solicited(true)
                .inlineData(ByteBuffer.allocate(1))
                .add(1, 2, 3)
                .clear();
        for (SendWorkRequest request : new SendWorkRequest[] {new SendWorkRequest(), used}) {
            assertThat(request.id()).isZero();
            assertThat(request.opcode()).isEqualTo(WorkRequestOpcode.SEND);
            assertThat(request.signaled()).isTrue();
            assertThat(request.fence()).isFalse();
            assertThat(request.solicited()).isFalse();
            assertThat(request.inline()).isFalse();
            assertThat(request.inlineData()).isNull();
            assertThat(request.elementCount()).isZero();
        }
    }

    @Test
    @DisplayName("Each operation sets its own fields")
    void operations() {
        SendWorkRequest request = new SendWorkRequest();
        assertThat(request.rdmaWriteWithImmediate(5, 6, 7).opcode()).isEqualTo(WorkRequestOpcode.RDMA_WRITE_WITH_IMM);
        assertThat(request.remoteAddress()).isEqualTo(5);
        assertThat(request.rkey()).isEqualTo(6);
        assertThat(request.immediate()).isEqualTo(7);
        assertThat(request.sendWithInvalidate(8).invalidateRkey()).isEqualTo(8);
        assertThat(request.compareAndSwap(1, 2, 3, 4).opcode()).isEqualTo(WorkRequestOpcode.ATOMIC_CMP_AND_SWP);
        assertThat(request.compareAdd()).isEqualTo(3);
        assertThat(request.swap()).isEqualTo(4);
        assertThat(request.compareAddMask()).as("every bit").isEqualTo(-1);
        assertThat(request.swapMask()).isEqualTo(-1);
        assertThat(request.fetchAndAdd(1, 2, 5).compareAddMask())
                .as("one field")
                .isZero();
    }

    @Test
    @DisplayName("The list of elements grows as needed")
    void elements() {
        ReceiveWorkRequest request = new ReceiveWorkRequest();
        for (int i = 0; i < 100; i++) {
            request.add(new ScatterGatherElement(i * 10L, i, -i));
        }
        assertThat(request.elementCount()).isEqualTo(100);
        assertThat(request.address(99)).isEqualTo(990);
        assertThat(request.length(99)).isEqualTo(99);
        assertThat(request.lkey(99)).isEqualTo(-99);
        assertThat(request.clearElements().elementCount()).isZero();
    }

    @Test
    @DisplayName("A refilled completion keeps no old values")
    void completion() {
        WorkCompletion completion = new WorkCompletion();
        completion.fill(1, WorkCompletionStatus.SUCCESS, WorkCompletionOpcode.RECV, 5, 2, null);
        completion.fillImmediateData(9);
        completion.fillInvalidatedKey(8);
        completion.fill(
                3, WorkCompletionStatus.REM_ACCESS_ERR, WorkCompletionOpcode.RDMA_READ, 0, 4, "the peer said so");
        assertThat(completion.hasImmediateData()).isFalse();
        assertThat(completion.hasInvalidatedKey()).isFalse();
        assertThat(completion.succeeded()).isFalse();
        assertThat(completion.describe())
                .hasLineCount(3)
                .startsWith("RDMA_READ wr_id=3 qp=4: REM_ACCESS_ERR (10): the peer refused the memory access")
                .contains("the peer said so")
                .endsWith("check: rkey, address, length and the remote access flags of the peer's region");
    }

    @Test
    @DisplayName("Private data and exceptions copy their bytes")
    void copies() {
        byte[] octets = {1, 2};
        ConnectionParameters parameters = ConnectionParameters.DEFAULT.withPrivateData(octets);
        RdmaException rejection = new RdmaException(RdmaErrorCode.REJECTED, "No.", null, 0, octets);
        octets[0] = 9;
        parameters.privateData()[1] = 9;
        rejection.privateData()[1] = 9;
        assertThat(parameters.privateData()).containsExactly(1, 2);
        assertThat(rejection.privateData()).containsExactly(1, 2);
    }

    @Test
    @DisplayName("Without a provider on the class path, loading fails with the name of a module to add")
    void noProvider() {
        assertThatThrownBy(RdmaProvider::load)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.NOT_FOUND))
                .hasMessageContaining("jwarp-rnic");
    }
}
