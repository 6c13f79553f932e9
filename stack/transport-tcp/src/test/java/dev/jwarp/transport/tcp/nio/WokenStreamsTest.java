package dev.jwarp.transport.tcp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.ddp.llp.StreamEngine;
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

    /** One that tells when it is asked for output; the broken one throws then. */
    private StreamEngine engine(String name) {
        return (StreamEngine) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {StreamEngine.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "prepareOutput" -> {
                            looked.add(name);
                            if (name.equals("broken")) {
                                throw new StackOverflowError("as if");
                            }
                            return false;
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
}
