package dev.jwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("JVMs that a command starts")
class ThisJvmTest {
    @Test
    @DisplayName("get the JVM options of this command, if it was started from a jar")
    void options() {
        assertThat(ThisJvm.optionsOf(new String[] {"-Xint", "-Da=b", "-jar", "jwarp.jar", "loss", "-jar"}))
                .containsExactly("-Xint", "-Da=b");
        assertThat(ThisJvm.optionsOf(new String[] {"-Xint", "-cp", "classes", "dev.jwarp.tools.Main"}))
                .isEmpty();
    }
}
