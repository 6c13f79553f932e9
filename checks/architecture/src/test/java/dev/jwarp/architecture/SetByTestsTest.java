package dev.jwarp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.util.TreeScanner;
import dev.jwarp.sockets.connection.SocketSetting;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A setting may have no effect if no test checks its effect. */
@DisplayName("Settings")
class SetByTestsTest {
    private static final Pattern KEY = Pattern.compile("jwarp[.][a-z]+([.][a-z-]+)*");

    /** Tests that try all settings, or rejected values, and check no effect. */
    private static final Pattern NO_EFFECT =
            Pattern.compile(".*/(TcpSettingsTest|UdpSettingsTest|SettingsFuzzTest|ProvidersTest)[.]java");

    @Test
    @DisplayName("are each set by a test that checks the effect; a setting without such a test is found")
    void all() throws IOException {
        Set<String> keys = Stream.concat(
                        RdmaProvider.load().settings().stream().map(Setting::key),
                        SocketSetting.all().stream()
                                .map(effective -> effective.setting().key()))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> named = named(Source.all("/src/test/", PatienceTest.MODULES));
        assertThat(keys).isNotEmpty();
        assertThat(unset(keys, named)).isEmpty();
        keys.add("jwarp.udp.set-by-no-test");
        assertThat(unset(keys, named)).containsExactly("jwarp.udp.set-by-no-test");
    }

    @Test
    @DisplayName("are no more than seventy")
    void few() {
        assertThat(RdmaProvider.load().settings().size() + SocketSetting.all().size())
                .isLessThanOrEqualTo(70);
    }

    private static Set<String> unset(Set<String> keys, Set<String> named) {
        Set<String> unset = new TreeSet<>(keys);
        unset.removeAll(named);
        return unset;
    }

    /** {@return the keys in string literals of these sources, except those in names of tests} */
    private static Set<String> named(List<Source> sources) {
        Set<String> named = new TreeSet<>();
        for (Source source : sources) {
            if (NO_EFFECT.matcher(source.tree().getSourceFile().getName()).matches()) {
                continue;
            }
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitAnnotation(AnnotationTree annotation, Void nothing) {
                    return annotation.getAnnotationType().toString().equals("DisplayName")
                            ? null
                            : super.visitAnnotation(annotation, null);
                }

                @Override
                public Void visitLiteral(LiteralTree literal, Void nothing) {
                    if (literal.getValue() instanceof String text) {
                        KEY.matcher(text).results().map(MatchResult::group).forEach(named::add);
                    }
                    return null;
                }
            }.scan(source.tree(), null);
        }
        return named;
    }
}
