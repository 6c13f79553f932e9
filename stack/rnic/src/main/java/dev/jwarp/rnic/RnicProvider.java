package dev.jwarp.rnic;

import dev.jwarp.llp.TransportProvider;
import dev.jwarp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.RnicSetting;
import dev.jwarp.rnic.datagram.DatagramLimits;
import dev.jwarp.rnic.stat.StatClient;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * The software RNIC as a service provider of the verbs. It finds the transports on the class path as service providers,
 * too.
 */
public final class RnicProvider implements RdmaProvider {
    static final String VERSION = versionOfThisPackage();

    private final List<Carrier> carriers = new ArrayList<>();
    private final RnicDevice device;

    /** For {@link ServiceLoader}. */
    public RnicProvider() {
        ServiceLoader.load(TransportProvider.class).forEach(found -> carriers.add(Carrier.of(found)));
        ServiceLoader.load(DatagramTransportProvider.class).forEach(found -> carriers.add(Carrier.of(found)));
        device = new RnicDevice(this, "jwarp0", HostInterface.find());
    }

    private static String versionOfThisPackage() {
        String version = RnicProvider.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }

    @Override
    public String name() {
        return "jwarp";
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public List<Device> devices() {
        return List.of(device);
    }

    /** {@return the device with its own type} */
    public RnicDevice rnic() {
        return device;
    }

    /** {@return whether there is a transport for datagrams, or for connections} */
    boolean carries(boolean datagrams) {
        return carriers.stream().anyMatch(carrier -> carrier.datagrams() == datagrams);
    }

    @Override
    public List<Setting> settings() {
        List<Setting> all = new ArrayList<>(RnicSetting.all());
        all.addAll(DatagramLimits.settings());
        // Transports may share settings; each key is listed once.
        for (Carrier carrier : carriers) {
            for (Setting setting : carrier.settings()) {
                if (all.stream().noneMatch(known -> known.key().equals(setting.key()))) {
                    all.add(setting);
                }
            }
        }
        return List.copyOf(all);
    }

    @Override
    public List<EffectiveSetting> configuration(Map<String, String> settings) {
        Configuration configuration = configured(settings);
        return named(configuration).all();
    }

    @Override
    public List<Long> observable() {
        return new StatClient().processes();
    }

    @Override
    public Observation observe(long pid) {
        return new StatClient().observe(pid);
    }

    Configuration configured(Map<String, String> explicit) {
        RdmaException.requireArgument(explicit, "settings").forEach((key, value) -> {
            RdmaException.requireArgument(key, "a key of settings");
            RdmaException.requireArgument(value, key);
        });
        return new Configuration(settings(), explicit, Configuration.Surroundings.ofProcess());
    }

    /**
     * {@return the same configuration, with {@code auto} replaced by the name of the transport if that transport is
     * there}
     */
    private Configuration named(Configuration configuration) {
        String name = transportName(configuration);
        return carriers.stream().map(Carrier::name).anyMatch(name::equals)
                ? configuration.became(RnicSetting.TRANSPORT, name, configuration.source(RnicSetting.TRANSPORT))
                : configuration;
    }

    private static String transportName(Configuration configuration) {
        String wanted = configuration.text(RnicSetting.TRANSPORT);
        return !wanted.equals("auto")
                ? wanted
                : configuration.text(RnicSetting.PROGRESS).equals("inline") ? "nio" : "netty";
    }

    /**
     * {@return the transports that the settings select: one for connections, one for datagrams, or both in this order}
     */
    List<Carrier> transports(Configuration configuration) {
        boolean inline = configuration.checked(RnicSetting.PROGRESS).equals("inline");
        String name = transportName(configuration);
        List<Carrier> fitting = carriers.stream()
                .filter(carrier -> carrier.name().equals(name))
                .sorted(Comparator.comparing(Carrier::datagrams))
                .toList();
        if (fitting.isEmpty()) {
            List<String> names = carriers.stream().map(Carrier::name).distinct().toList();
            throw new RdmaException(
                    RdmaErrorCode.NOT_FOUND,
                    "There is no transport " + name + " on the class path; there is "
                            + (names.isEmpty()
                                    ? "none. Add jwarp-transport-tcp, jwarp-transport-udp, or both."
                                    : String.join(", ", names) + "."));
        }
        fitting.forEach(carrier -> checkProgress(carrier, inline, configuration));
        return fitting;
    }

    /** {@return the same configuration, with the names of the chosen transport and progress} */
    Configuration chosen(Configuration configuration, Carrier carrier) {
        Configuration named = named(configuration);
        return configuration.isSet(RnicSetting.PROGRESS)
                ? named
                : named.became(
                        RnicSetting.PROGRESS,
                        carrier.inline() ? "inline" : "threaded",
                        configuration.source(RnicSetting.TRANSPORT));
    }

    private static void checkProgress(Carrier carrier, boolean inline, Configuration configuration) {
        if (configuration.isSet(RnicSetting.PROGRESS) && carrier.inline() != inline) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_SETTING,
                    RnicSetting.TRANSPORT.key() + "=" + carrier.name() + " makes "
                            + (carrier.inline() ? "inline" : "threaded") + " progress only, but jwarp.progress="
                            + (inline ? "inline" : "threaded") + " was asked for. Leave one of them out.");
        }
    }
}
