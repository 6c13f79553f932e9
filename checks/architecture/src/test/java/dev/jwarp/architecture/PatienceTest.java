package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A time limit may be too short on a machine that is busy: {@link dev.jwarp.vectors.Patience} has one generous limit
 * for all waits.
 */
@DisplayName("Waits of tests")
class PatienceTest {
    private static final Set<String> WAITS = Set.of("get", "await", "waitFor", "tryAcquire", "poll", "orTimeout");
    static final String[] MODULES = {
        "stack", "verbs-api", "checks/fuzz", "checks/torture", "sockets", "adapters", "tools", "conformance"
    };

    @Test
    @DisplayName("have the common limit: none has a number of its own")
    void oneLimit() throws IOException {
        List<String> found = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (Source source : Source.all("/src/test/", MODULES)) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
                    if (call.getMethodSelect() instanceof MemberSelectTree method) {
                        String name = method.getIdentifier().toString();
                        if (name.equals("atMost") || (WAITS.contains(name) && hasUnit(call.getArguments()))) {
                            (hasNumber(call.getArguments()) ? found : others)
                                    .add(source.place(call.toString(), source.start(call))
                                            .toString());
                        }
                    }
                    return super.visitMethodInvocation(call, null);
                }
            }.scan(source.tree(), null);
        }
        assertThat(found).isEmpty();
        assertThat(others).isNotEmpty();
    }

    /** A number of milliseconds belongs to one poll of many. */
    private static boolean hasUnit(List<? extends ExpressionTree> arguments) {
        return arguments.size() == 2 && arguments.get(1).toString().matches("(TimeUnit[.])?(SECONDS|MINUTES)");
    }

    /** A limit of zero is no wait. */
    private static boolean hasNumber(List<? extends ExpressionTree> arguments) {
        return arguments.get(0).toString().startsWith("Duration.of")
                || (arguments.get(0) instanceof LiteralTree number
                        && !number.toString().equals("0"));
    }
}
