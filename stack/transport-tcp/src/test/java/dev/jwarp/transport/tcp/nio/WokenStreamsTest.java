package dev.jwarp.transport.tcp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Connections that were woken")
class WokenStreamsTest {
    private final List<String> looked = new ArrayList<>();
    private final List<String> aborted = new ArrayList<>();

    @Test
    @DisplayName("keep their turn when an Error comes out of the look at another one")
    void error() throws Exception {
        NioShared shared = new NioShared(TcpSettings.of(Map.of()));
        NioLoop loop = new NioLoop(shared);
        List<NioStream> streams = new ArrayList<>();
        for (String name : new String[] {"first", "broken", "last"}) {
            NioStream stream = new NioStream(loop, shared, new InetSocketAddress(1), null);
            stream.attach(engine(name));
            streams.add(stream);
        }
        streams.forEach(loop::wake);
        assertThatThrownBy(loop::poll).isInstanceOf(StackOverflowError.class);
        loop.poll();
        assertThat(looked).containsOnlyOnce("first", "last").contains("broken");
        streams.forEach(loop::wake);
        assertThatThrownBy(loop::poll).isInstanceOf(StackOverflowError.class);
        loop.poll();
        assertThat(looked.stream().filter("first"::equals)).hasSize(2);
        loop.asOwner(loop::close);
        shared.close();
    }

    @Test
    @DisplayName("are all looked at when the layer above one of them throws, and that one alone is aborted")
    void exception() throws Exception {
        NioShared shared = new NioShared(TcpSettings.of(Map.of()));
        NioLoop loop = new NioLoop(shared);
        for (String name : new String[] {"first", "buggy", "last"}) {
            NioStream stream = new NioStream(loop, shared, new InetSocketAddress(1), null);
            stream.attach(engine(name));
            loop.wake(stream);
        }
        loop.poll();
        assertThat(looked).contains("first", "buggy", "last");
        assertThat(aborted).containsExactly("buggy");
        assertThat(shared.context.counters().get(TcpCounter.LAYER_ABOVE_FAILED)).isEqualTo(1);
        loop.asOwner(loop::close);
        shared.close();
    }

    /** One that tells when it is asked for output; the broken and the buggy one throw then. */
    private StreamEngine engine(String name) {
        return (StreamEngine) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {StreamEngine.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "prepareOutput" -> {
                            looked.add(name);
                            if (name.equals("broken")) {
                                throw new StackOverflowError("as if");
                            }
                            if (name.equals("buggy") && aborted.isEmpty()) {
                                throw new IllegalStateException("as if");
                            }
                            return false;
                        }
                        case "connection" -> {
                            return connection(name);
                        }
                        case "ending" -> {
                            return StreamEngine.Ending.OPEN;
                        }
                        case "nextTimeout" -> {
                            return Long.MAX_VALUE;
                        }
                        default -> throw new AssertionError(method);
                    }
                });
    }

    private LlpConnection connection(String name) {
        return (LlpConnection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LlpConnection.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("abort");
                    aborted.add(name);
                    return null;
                });
    }
}
