package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.io.Loop;
import dev.jwarp.io.SelectorWatcher;
import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/** A loop that a test polls, and the shared objects of its connections. */
final class TcpRig implements AutoCloseable {
    final TransportContext context;
    final Loop loop;
    final TcpLoop owner;

    TcpRig(Map<String, String> values) throws IOException {
        TcpSettings settings = TcpSettings.of(values);
        context = new TransportContext(settings, 0, 1);
        loop = new Loop(
                WaitMode.of(settings.text(TcpSetting.WAIT)),
                TcpTransport.RING,
                made -> new SelectorWatcher(made, null, "nio"),
                context::noteFailed);
        owner = new TcpLoop(loop, context, new StreamChannels(settings));
    }

    /** {@return a stream of the loop to that peer} */
    StreamIo stream(InetSocketAddress remote) {
        return new StreamIo(owner, remote, null);
    }

    /** {@return a stream of the loop to that peer, connected as {@code told} says} */
    StreamIo connected(ServerSocketChannel peer, StreamEngine engine, List<String> told) throws IOException {
        StreamIo stream = stream((InetSocketAddress) peer.getLocalAddress());
        stream.attach(engine);
        assertThat(owner.reserve()).isTrue();
        loop.note(() -> stream.connect(loop.now()));
        Awaitility.await().pollInSameThread().until(() -> {
            loop.poll();
            return told.contains("onConnected");
        });
        return stream;
    }

    /** {@return its channel} */
    static SocketChannel channel(StreamIo stream) {
        return ((StreamChannelSocket) stream.socket().socket()).channel();
    }

    @Override
    public void close() {
        if (!loop.isClosed()) {
            loop.asOwner(loop::close);
        }
        context.close();
    }
}
