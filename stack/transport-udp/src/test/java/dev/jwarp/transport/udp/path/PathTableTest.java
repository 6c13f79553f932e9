package dev.jwarp.transport.udp.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramDriver;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The paths to addresses")
class PathTableTest {
    private static final int MTU = 1_500;

    private final DatagramDriver driver = (DatagramDriver) Proxy.newProxyInstance(
            DatagramDriver.class.getClassLoader(),
            new Class<?>[] {DatagramDriver.class},
            (proxy, method, arguments) -> method.getReturnType() == boolean.class ? (Object) true : MTU);

    private final PathTable table = new PathTable(7, TimeUnit.MINUTES.toNanos(10));

    private static DatagramAddress address(int host) {
        return new DatagramAddress().setIpv4(0x0a00_0000 + host, 7174);
    }

    @Test
    @DisplayName("are at most 4,096: the least recently used one gives way, and who holds it keeps it")
    void bounded() {
        PathMtuSearch first = table.of(address(1), driver);
        for (int host = 2; host <= PathTable.ENTRIES; host++) {
            table.of(address(host), driver);
        }
        assertThat(table.of(address(1), driver)).isSameAs(first);

        table.of(address(PathTable.ENTRIES + 1), driver);

        assertThat(table.find(address(2))).isNull();
        assertThat(table.find(address(1))).isSameAs(first);
        assertThat(table.find(address(PathTable.ENTRIES + 1))).isNotNull();
    }

    @Test
    @DisplayName("do not depend on ports")
    void ports() {
        DatagramAddress other = new DatagramAddress().setIpv4(0x0a00_0001, 7175);

        assertThat(table.of(other, driver)).isSameAs(table.of(address(1), driver));
    }
}
