package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.transport.udp.engine.ToyUpper;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;

/** Sends to a group from a port of a driver. Needs the interfaces jwarp0 and jwarp1; the hop limit is 0. */
final class GroupSender {
    private static final int NUMBER = 16;

    private final DatagramTransport transport;
    private final DatagramPort port;
    private final DatagramChannel member;
    private final InetSocketAddress all;
    private final InetSocketAddress alone;

    private GroupSender(DatagramTransport transport, InetSocketAddress local, NetworkInterface joined)
            throws IOException {
        this.transport = transport;
        port = transport.open(local);
        member = DatagramChannel.open(StandardProtocolFamily.INET).bind(new InetSocketAddress(0));
        member.configureBlocking(false);
        int number = ((InetSocketAddress) member.getLocalAddress()).getPort();
        all = new InetSocketAddress("239.7.8.9", number);
        alone = new InetSocketAddress(InetAddress.getLoopbackAddress(), number);
        member.join(all.getAddress(), joined);
    }

    /**
     * Throws if the group receives a wrong datagram, or misses one.
     *
     * @param drivers for each driver its name and its settings, separated by spaces
     */
    public static void main(String[] drivers) throws Exception {
        for (String driver : drivers) {
            with(driver.split(" "));
            System.out.println(driver + ": all heard what they should");
        }
    }

    private static void with(String[] driver) throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (int i = 1; i < driver.length; i++) {
            String[] setting = driver[i].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        DatagramTransportProvider provider = ServiceLoader.load(DatagramTransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(one -> one.name().equals(driver[0]))
                .findFirst()
                .orElseThrow();
        NetworkInterface other = NetworkInterface.getByName("jwarp0");
        NetworkInterface joined = NetworkInterface.getByName("jwarp1");
        for (String local : new String[] {"0.0.0.0", "::", "10.77.0.1"}) {
            try (DatagramTransport transport = provider.open(settings)) {
                new GroupSender(transport, new InetSocketAddress(local, 0), joined).run(other, joined);
            }
        }
    }

    private void run(NetworkInterface other, NetworkInterface joined) throws IOException {
        port.sendToGroups(joined, 0, true);
        hears("through its interface");
        port.sendToGroups(null, 0, false);
        hearsNot("without loop");
        port.sendToGroups(other, 0, true);
        hearsNot("through another interface");
        port.sendToGroups(joined, 0, true);
        hears("again");
        port.attach(DatagramService.UD, NUMBER, 1, false, new ToyUpper(NUMBER));
        if (!port.localAddress().getAddress().getHostAddress().contains(":")) {
            port.join(NUMBER, new InetSocketAddress("239.7.8.10", 9100), other, 1);
        }
        hears("also when the port has joined elsewhere");
    }

    private void hears(String text) throws IOException {
        send(text, all);
        check(text, next());
    }

    private void hearsNot(String text) throws IOException {
        send(text, all);
        send("alone", alone);
        check("alone", next());
    }

    private void send(String text, InetSocketAddress to) {
        port.sendPlain(StandardCharsets.UTF_8.encode(text), DatagramAddress.of(to));
    }

    private void check(String wanted, String came) throws IOException {
        if (!wanted.equals(came)) {
            throw new IllegalStateException(
                    "from " + port.localAddress() + " came '" + came + "', and not '" + wanted + "'");
        }
    }

    private String next() throws IOException {
        ByteBuffer into = ByteBuffer.allocate(100);
        long end = System.nanoTime() + Patience.NANOS;
        while (System.nanoTime() < end) {
            transport.poll();
            if (member.receive(into) != null) {
                return StandardCharsets.UTF_8.decode(into.flip()).toString();
            }
        }
        return "nothing";
    }
}
