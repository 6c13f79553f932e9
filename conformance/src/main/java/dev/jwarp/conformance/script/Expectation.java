package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What a {@link Deviation} expected. */
public sealed interface Expectation {
    /** The expectation of a case that did not fail. */
    Expectation NONE = new Other("");

    /** The end of the connection, at whatever time, and no byte before it. */
    End END = new End(-1);

    /** {@return the expectation in the words of a report} */
    String words();

    /** A Terminate with one of these causes, in the notation {@code 0xLTCC}. */
    record Terminate(List<Integer> causes) implements Expectation {
        public Terminate {
            causes = List.copyOf(causes);
        }

        public Terminate(int... causes) {
            this(Arrays.stream(causes).boxed().toList());
        }

        @Override
        public String words() {
            return causes.stream().map(TerminateFields::words).collect(Collectors.joining(" or ", "Terminate ", ""));
        }
    }

    /** A message of this kind. */
    record Message(Opcode opcode) implements Expectation {
        @Override
        public String words() {
            return opcode.words();
        }
    }

    /**
     * The end of the connection.
     *
     * @param withinMillis time limit for the end; -1 if the end may come at any time, but no byte before it
     */
    record End(long withinMillis) implements Expectation {
        public boolean timed() {
            return withinMillis >= 0;
        }

        @Override
        public String words() {
            return "the end of the connection"
                    + (timed() ? " within " + withinMillis + " ms" : ", and no more bytes before");
        }
    }

    /** Anything else: only the case can judge whether it has come. */
    record Other(String words) implements Expectation {}
}
