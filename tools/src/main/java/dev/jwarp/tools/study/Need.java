package dev.jwarp.tools.study;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a contender needs of the machine. */
enum Need {
    /** Network namespaces, and the rights to make them. */
    @JsonProperty("namespaces")
    NAMESPACES("network namespaces, and the rights to make them", List.of("unshare", "-n", "true"));

    private final String what;

    @SuppressWarnings("ImmutableEnumChecker") // an immutable list
    private final List<String> probe;

    Need(String what, List<String> probe) {
        this.what = what;
        this.probe = probe;
    }

    /** {@return why a contender cannot run here; null if it can} */
    @Nullable
    String missing() {
        try {
            int status = new ProcessBuilder(probe)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            return status == 0 ? null : "this machine lacks " + what;
        } catch (IOException e) {
            return "this machine lacks " + what;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
