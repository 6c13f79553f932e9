package dev.jwarp.vectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A held port")
class HeldPortTest {
    /** ::1. */
    private static final byte[] LOOPBACK = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    @Test
    @DisplayName("is free at all addresses, for a server that names it")
    void free() throws IOException {
        List<ServerSocket> others = new ArrayList<>();
        try {
            for (int i = 0; i < 500; i++) {
                others.add(atIpv6Loopback());
            }
            for (int i = 0; i < 100; i++) {
                try (HeldPort port = new HeldPort();
                        ServerSocket server = new ServerSocket(port.number());
                        Socket client = new Socket()) {
                    assertThat(server.getLocalPort()).isEqualTo(port.number());
                    assertThatCode(() -> client.connect(port.address())).doesNotThrowAnyException();
                }
            }
        } finally {
            for (ServerSocket each : others) {
                each.close();
            }
        }
    }

    private static ServerSocket atIpv6Loopback() throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0));
            return socket;
        } catch (SocketException e) {
            return abort("there is no IPv6 here: " + e.getMessage());
        }
    }
}
