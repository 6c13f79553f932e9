package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.IdentifierTree;
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
 * The common pool may have a single thread, which a blocking task occupies: {@link dev.jwarp.vectors.OwnThread} starts
 * a thread for each task.
 */
@DisplayName("Tasks of tests")
class OwnThreadsTest {
    private static final Set<String> METHODS = Set.of("runAsync", "supplyAsync");

    @Test
    @DisplayName("name the threads that run them: none runs in the common pool")
    void noneInCommonPool() throws IOException {
        List<String> found = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (Source source : Source.all("/src/", Source.folders())) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
                    if (call.getMethodSelect() instanceof MemberSelectTree method
                            && method.getExpression() instanceof IdentifierTree type
                            && type.getName().contentEquals("CompletableFuture")
                            && METHODS.contains(method.getIdentifier().toString())) {
                        (call.getArguments().size() == 1 ? found : others)
                                .add(source.place(method.toString(), source.start(call))
                                        .toString());
                    }
                    return super.visitMethodInvocation(call, null);
                }
            }.scan(source.tree(), null);
        }
        assertThat(found).isEmpty();
        assertThat(others).isNotEmpty();
    }
}
