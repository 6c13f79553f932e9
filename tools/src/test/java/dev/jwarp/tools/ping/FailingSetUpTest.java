package dev.jwarp.tools.ping;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.ping.PingClient.PingSettings;
import dev.jwarp.tools.ping.PingClient.PingVoice;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A server's end of a connection that cannot be made")
class FailingSetUpTest {
    private static final Set<String> TAKING = Set.of(
            "createEventChannel",
            "migrate",
            "allocateProtectionDomain",
            "createCompletionQueue",
            "createQueuePair",
            "allocate",
            "accept");
    private static final byte[] REQUEST = "MPA ID Req Frame@\1\0\0".getBytes(US_ASCII);

    private final RdmaProvider provider = RdmaProvider.load();
    private final Console console = Run.later("rping").console();
    private final PingSettings settings =
            new PingSettings(0, 64, Duration.ZERO, Link.FOREVER, Link.FOREVER, false, false, true);
    private int callsLeft;
    private boolean error;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("gives back all it took, whichever step fails, with an Error or an exception")
    void everyStep(boolean withError) throws Exception {
        error = withError;
        try (Context context = provider.devices().get(0).open(Progress.THREADED, Map.of());
                Listening listening = Listening.quietly(
                        context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Map<String, Long> before = held();
            boolean failed = true;
            for (int step = 0; failed; step++) {
                try (Socket client = new Socket(
                        InetAddress.getLoopbackAddress(), listening.address().getPort())) {
                    client.getOutputStream().write(REQUEST);
                    CmId request = Objects.requireNonNull(listening.next(Patience.LIMIT));
                    failed = serve(request, step);
                    assertThat(step).as("it ends").isLessThan(30);
                    assertThat(failed || step > 7)
                            .as("steps that were failed: %s", step)
                            .isTrue();
                }
                await().pollInterval(Duration.ofMillis(5)).until(() -> held().equals(before));
            }
        }
    }

    private boolean serve(CmId request, int step) {
        callsLeft = step;
        try (RpingServer ping = RpingServer.of(failing(CmId.class, request), settings, new Quiet())) {
            ping.accept();
            return false;
        } catch (RdmaException | OutOfMemoryError e) {
            assertThat(e).hasMessage("on purpose");
            return true;
        }
    }

    private Map<String, Long> held() {
        Map<String, Long> held = new HashMap<>();
        ObservedRow row = provider.observe(ProcessHandle.current().pid()).all("resource").stream()
                .filter(one -> one.text("link").startsWith("jwarp0/"))
                .findFirst()
                .orElseThrow();
        Set.of("qp", "cq", "pd", "mr", "cm_id").forEach(kind -> held.put(kind, row.number(kind)));
        return held;
    }

    /** {@return the same, but one of the calls that take something fails} */
    private <T> T failing(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Failing(real)));
    }

    /** What is behind a proxy. */
    private final class Failing implements InvocationHandler {
        private final Object real;

        Failing(Object real) {
            this.real = real;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
            if (TAKING.contains(method.getName()) && callsLeft-- == 0) {
                if (error) {
                    throw new OutOfMemoryError("on purpose");
                }
                throw new RdmaException(RdmaErrorCode.LIMIT_REACHED, "on purpose");
            }
            Object[] arguments = given == null ? new Object[0] : given.clone();
            for (int i = 0; i < arguments.length; i++) {
                if (arguments[i] != null
                        && Proxy.isProxyClass(arguments[i].getClass())
                        && Proxy.getInvocationHandler(arguments[i]) instanceof Failing behind) {
                    arguments[i] = behind.real;
                }
            }
            Object result;
            try {
                result = method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            return result instanceof Context context
                    ? failing(Context.class, context)
                    : result instanceof ProtectionDomain domain ? failing(ProtectionDomain.class, domain) : result;
        }
    }

    private final class Quiet implements PingVoice {
        @Override
        public Console console() {
            return console;
        }

        @Override
        public void data(String line) {}

        @Override
        public void trace(String step) {}
    }
}
