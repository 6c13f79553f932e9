package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.AccessFault;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalTest {
    @DisplayName("the refusal of an access fault has the code of the fault, and separate counters for Writes and Reads")
    @ParameterizedTest
    @EnumSource
    void codesOfFaults(AccessFault fault) {
        assertThat(Refusal.ofWrite(fault).code).isEqualTo(fault.ddp());
        assertThat(Refusal.ofRead(fault).code).isEqualTo(fault.rdmap());
        assertThat(Refusal.ofRead(fault).counter).isNotEqualTo(Refusal.ofWrite(fault).counter);
        assertThat(Refusal.ofWrite(fault) == Refusal.STAG_RIGHTS).isEqualTo(fault == AccessFault.RIGHTS);
    }
}
