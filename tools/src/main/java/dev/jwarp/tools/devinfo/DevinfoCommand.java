package dev.jwarp.tools.devinfo;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolCommand;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jwarp devinfo}: shows devices as ibv_devinfo of rdma-core does. */
@Command(name = "devinfo", description = "Show the RDMA device: its attributes and limits, as ibv_devinfo does.")
public final class DevinfoCommand extends ToolCommand {
    private final Supplier<RdmaProvider> provider;
    private final List<Map<String, Object>> devices = new ArrayList<>();

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEVICE",
            description = "Only this device.")
    private @Nullable String deviceName;

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "PORT",
            description = "Only this port of it, from 1 on.")
    private @Nullable Integer port;

    @Option(
            names = {"-a", "--address"},
            paramLabel = "HOST",
            description =
                    "Show the network interface that has this address, or that routes to it; default: the first one.")
    private @Nullable String address;

    @Option(
            names = {"-l", "--list"},
            description = "Only the names of the devices.")
    private boolean list;

    @Option(
            names = {"-v", "--verbose"},
            description = "All attributes.")
    private boolean verbose;

    /** @param provider the provider of the devices */
    public DevinfoCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console);
        this.provider = provider;
    }

    @Override
    protected void execute() {
        List<Device> found = provider.get().devices();
        if (list) {
            list(found);
            return;
        }
        if (port != null && port < 1) {
            throw ToolFailure.usage("port " + port + " does not exist; ports count from 1");
        }
        InetAddress asked =
                address == null ? null : Addresses.resolve(address, 0).getAddress();
        for (Device device : chosen(found)) {
            DeviceReport report = new DeviceReport(device, portOf(device), asked, verbose);
            report.lines().forEach(this::line);
            devices.add(report.json());
        }
    }

    private void list(List<Device> found) {
        line(found.size() + (found.size() == 1 ? " HCA" : " HCAs") + " found:");
        for (Device device : found) {
            line("\t" + device.name());
            devices.add(Map.of("hca_id", device.name()));
        }
        line("");
    }

    private List<Device> chosen(List<Device> found) {
        if (deviceName == null) {
            return found;
        }
        List<Device> chosen =
                found.stream().filter(d -> d.name().equals(deviceName)).toList();
        if (chosen.isEmpty()) {
            throw ToolFailure.usage(
                    "there is no device " + deviceName,
                    "there is: "
                            + String.join(", ", found.stream().map(Device::name).toList()));
        }
        return chosen;
    }

    private int portOf(Device device) {
        int count = device.attributes().physicalPortCount();
        if (port != null && port > count) {
            throw ToolFailure.usage(device.name() + " has no port " + port + "; it has " + count);
        }
        return port == null ? 0 : port;
    }

    @Override
    protected @Nullable Object result() {
        return devices.isEmpty() ? null : Map.of("devices", devices);
    }
}
