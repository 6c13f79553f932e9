package dev.jwarp.llp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TerminateCodeTest {
    @Test
    void noTripleStandsForTwoThings() {
        assertThat(TerminateCode.values()).extracting(TerminateCode::triple).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByItsTriple(TerminateCode code) {
        assertThat(TerminateCode.of(code.layer(), code.errorType(), code.errorCode()))
                .isSameAs(code);
        assertThat(code.sentence()).isNotBlank().doesNotEndWith(".");
        assertThat(code.source()).matches("(RFC \\d{4}|datagram-iWARP) §[\\d.]+");
        assertThat(code.toString()).contains(code.triple()).contains(code.sentence());
        assertThat(code.requesterStatus()).isNotEqualTo(OperationStatus.SUCCESS);
    }

    @Test
    void isNotFoundByATripleThatNoRfcDefines() {
        assertThat(TerminateCode.of(1, 2, 0)).isNull();
        assertThat(TerminateCode.of(3, 0, 0)).isNull();
        assertThat(TerminateCode.of(2, 0, 8)).isNull();
    }

    @Test
    void aLocalCatastropheOfRdmapIsOneWhateverItsCode() {
        assertThat(TerminateCode.of(0, 0, 0x77)).isSameAs(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
    }
}
