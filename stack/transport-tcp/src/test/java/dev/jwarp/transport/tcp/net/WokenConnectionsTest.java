package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.io.Loop;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.transport.tcp.TcpCounter;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Woken connections")
class WokenConnectionsTest {
    private final List<String> looked = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();

    @Test
    @DisplayName("are all handled although some throw exceptions, and only those end")
    void faults() throws Exception {
        TcpRig rig = new TcpRig(Map.of());
        Loop loop = rig.loop;
        List<StreamIo> streams = new ArrayList<>();
        for (String name : new String[] {"first", "broken", "buggy", "last"}) {
            StreamIo stream = rig.stream(new InetSocketAddress(1));
            stream.attach(engine(name));
            streams.add(stream);
        }
        streams.forEach(loop::wake);
        loop.poll();
        assertThat(looked).containsExactlyInAnyOrder("first", "broken", "buggy", "last");
        assertThat(ended).containsExactlyInAnyOrder("broken", "buggy");
        assertThat(rig.context.counters().get(TcpCounter.LAYER_ABOVE_FAILED)).isEqualTo(2);
        looked.clear();
        streams.forEach(loop::wake);
        loop.poll();
        assertThat(looked).containsExactlyInAnyOrder("first", "last");
        rig.close();
    }

    /** An engine that records polls for output; the broken and the buggy one throw then. */
    private StreamEngine engine(String name) {
        return (StreamEngine) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {StreamEngine.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "prepareOutput" -> {
                            looked.add(name);
                            if (name.equals("broken")) {
                                throw new StackOverflowError("as if");
                            }
                            if (name.equals("buggy")) {
                                throw new IllegalStateException("as if");
                            }
                            return false;
                        }
                        case "onFault" -> {
                            ended.add(name);
                            return null;
                        }
                        case "ending" -> {
                            return StreamEngine.Ending.OPEN;
                        }
                        case "endsTurn" -> {
                            return false;
                        }
                        case "nextTimeout" -> {
                            return Long.MAX_VALUE;
                        }
                        default -> throw new AssertionError(method);
                    }
                });
    }
}
