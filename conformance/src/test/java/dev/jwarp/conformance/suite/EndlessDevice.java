package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;

/** A device that never stops sending: the segments of its Send have no last one. */
public final class EndlessDevice {
    private EndlessDevice() {}

    /** Takes one connection and sends these bytes, then the Send. */
    public static void serve(ServerSocket listener, byte... first) {
        OwnThread.EACH.execute(() -> {
            try (Socket socket = listener.accept()) {
                OutputStream out = socket.getOutputStream();
                out.write(first);
                byte[] empty = new Framer(false, true)
                        .frame(Segment.send(1, new byte[0]).last(false).bytes());
                while (true) {
                    out.write(empty);
                }
            } catch (IOException e) {
                // The tester has closed the connection.
            }
        });
    }
}
