package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.TreeScanner;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Everything that a program sets or sees has a test above the verbs, in stack/rnic: a test of one layer passes even if
 * the next layer does not pass a value on.
 */
@DisplayName("A test through the verbs is there for")
class ThroughTheVerbsTest {
    private static final String TESTS = "stack/rnic/src/test/";

    /**
     * Statuses that only a faulty device, or a moment that no program can choose, causes; each with its test below the
     * verbs.
     */
    private static final Set<WorkCompletionStatus> BELOW = Set.of(
            WorkCompletionStatus.BAD_RESP_ERR, // ResponseTest
            WorkCompletionStatus.FATAL_ERR, // ErrorTableTest
            WorkCompletionStatus.MW_BIND_ERR); // MemoryTest#bindNothing

    private static Set<String> stack;
    private static Set<String> tests;

    @BeforeAll
    static void read() throws IOException {
        // These two name every status.
        stack = names("/src/main/", "stack", file -> !file.matches("(Completion|OperationStatus)\\.java"));
        tests = names("/src/test/", "stack/rnic", file -> true);
    }

    private static Set<String> names(String part, String folder, Predicate<String> files) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Source source : Source.all(part, folder)) {
            if (files.test(source.tree().getSourceFile().getName().replaceAll(".*/", ""))) {
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitIdentifier(IdentifierTree tree, Void none) {
                        names.add(tree.getName().toString());
                        return super.visitIdentifier(tree, null);
                    }

                    @Override
                    public Void visitMemberSelect(MemberSelectTree tree, Void none) {
                        names.add(tree.getIdentifier().toString());
                        return super.visitMemberSelect(tree, null);
                    }
                }.scan(source.tree(), null);
            }
        }
        return names;
    }

    @Test
    @DisplayName("each async event that the stack raises")
    void events() {
        assertThat(Arrays.stream(AsyncEventType.values()).map(Enum::name).filter(stack::contains))
                .isNotEmpty()
                .allMatch(tests::contains);
    }

    @Test
    @DisplayName("each status that the stack reports")
    void statuses() {
        assertThat(Arrays.stream(WorkCompletionStatus.values())
                        .filter(status -> !BELOW.contains(status))
                        .map(Enum::name)
                        .filter(stack::contains))
                .isNotEmpty()
                .allMatch(tests::contains);
    }

    @Test
    @DisplayName("each attribute and time of a queue pair")
    void attributes() {
        assertThat(Stream.of(
                                DatagramAttributes.Builder.class,
                                QueuePairAttributes.Builder.class,
                                DatagramTimeouts.class)
                        .flatMap(type -> Arrays.stream(type.getDeclaredMethods())
                                .filter(method -> method.getReturnType() == type
                                        && Modifier.isPublic(method.getModifiers())
                                        && !Modifier.isStatic(method.getModifiers())))
                        .map(Method::getName))
                .isNotEmpty()
                .allMatch(tests::contains);
    }

    @Test
    @DisplayName("each requirement of datagram-iWARP with an effect on an async event or a status")
    void requirements() throws IOException {
        Proofs proofs = Proofs.find();
        Pattern seen = Pattern.compile("\\b(async event|"
                + Arrays.stream(WorkCompletionStatus.values()).map(Enum::name).collect(Collectors.joining("|"))
                + ")\\b");
        assertThat(Catalogue.load().all().stream()
                        .filter(r -> r.document().equals("datagram")
                                && seen.matcher(r.expected()).find())
                        .map(Requirement::id))
                .isNotEmpty()
                .allSatisfy(id -> assertThat(proofs.tests(id))
                        .as("tests of %s in %s", id, TESTS)
                        .anyMatch(place -> place.file().startsWith(TESTS)));
    }
}
