package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.TransportProvider;
import dev.jwarp.ddp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.rnic.stat.StatClient;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.Observation;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** The software RNIC as the verbs find it; in its turn it finds the transports on the class path. */
public final class RnicProvider implements RdmaProvider {
    static final String VERSION = versionOfThisPackage();

    private final List<Carrier> carriers = new ArrayList<>();
    private final RnicDevice connections;
    private final RnicDevice datagrams;

    /** For {@link ServiceLoader}. */
    public RnicProvider() {
        ServiceLoader.load(TransportProvider.class).forEach(found -> carriers.add(Carrier.of(found)));
        ServiceLoader.load(DatagramTransportProvider.class).forEach(found -> carriers.add(Carrier.of(found)));
        HostInterface host = HostInterface.find();
        connections = new RnicDevice(this, RnicDevice.CONNECTIONS, host);
        datagrams = new RnicDevice(this, RnicDevice.DATAGRAMS, host);
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

    /** The one for connections comes first; the one for datagrams is there if a transport for it is. */
    @Override
    public List<Device> devices() {
        return carriers.stream().anyMatch(Carrier::datagrams) ? List.of(connections, datagrams) : List.of(connections);
    }

    /** {@return the device for connections, as what it is} */
    public RnicDevice rnic() {
        return connections;
    }

    /** {@return the device for datagrams, as what it is, whether or not there is a transport for it} */
    public RnicDevice datagrams() {
        return datagrams;
    }

    @Override
    public List<Setting> settings() {
        List<Setting> all = new ArrayList<>(RnicSetting.all());
        all.addAll(DatagramLimits.settings());
        // Transports may share settings: each key once.
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

    /** {@return the same, with the transports that {@code auto} stands for, where there are such} */
    private Configuration named(Configuration configuration) {
        return named(named(configuration, false), true);
    }

    private Configuration named(Configuration configuration, boolean forDatagrams) {
        RnicSetting setting = setting(forDatagrams);
        String name = transportName(configuration, forDatagrams);
        return carriers.stream().map(Carrier::name).anyMatch(name::equals)
                ? configuration.became(setting, name, configuration.source(setting))
                : configuration;
    }

    private static RnicSetting setting(boolean forDatagrams) {
        return forDatagrams ? RnicSetting.DATAGRAM_TRANSPORT : RnicSetting.TRANSPORT;
    }

    private static String transportName(Configuration configuration, boolean forDatagrams) {
        String wanted = configuration.text(setting(forDatagrams));
        if (!wanted.equals("auto")) {
            return wanted;
        }
        boolean inline = configuration.text(RnicSetting.PROGRESS).equals("inline");
        return (forDatagrams ? "udp-" : "tcp-") + (inline ? "nio" : "netty");
    }

    /** {@return the transport that the settings ask for, for datagrams or for connections} */
    Carrier transport(Configuration configuration, boolean forDatagrams) {
        boolean inline = configuration.checked(RnicSetting.PROGRESS).equals("inline");
        RnicSetting setting = setting(forDatagrams);
        String name = transportName(configuration, forDatagrams);
        List<Carrier> fitting =
                carriers.stream().filter(one -> one.datagrams() == forDatagrams).toList();
        for (Carrier carrier : fitting) {
            if (carrier.name().equals(name)) {
                checkProgress(carrier, setting, inline, configuration);
                return carrier;
            }
        }
        List<String> names = fitting.stream().map(Carrier::name).toList();
        throw new RdmaException(
                RdmaErrorCode.NOT_FOUND,
                "There is no transport " + name + " on the class path; there is "
                        + (names.isEmpty()
                                ? "none. Add jwarp-transport-" + (forDatagrams ? "udp." : "tcp.")
                                : String.join(", ", names) + "."));
    }

    /** {@return the same, with the names of the transports and of the progress that were chosen} */
    Configuration chosen(Configuration configuration, Carrier carrier) {
        EffectiveSetting.Source source = configuration.source(setting(carrier.datagrams()));
        Configuration named = named(configuration);
        return configuration.isSet(RnicSetting.PROGRESS)
                ? named
                : named.became(RnicSetting.PROGRESS, carrier.inline() ? "inline" : "threaded", source);
    }

    private static void checkProgress(
            Carrier carrier, RnicSetting setting, boolean inline, Configuration configuration) {
        boolean chosen = configuration.isSet(RnicSetting.PROGRESS);
        if (chosen && carrier.inline() != inline) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_SETTING,
                    setting.key() + "=" + carrier.name() + " makes " + (carrier.inline() ? "inline" : "threaded")
                            + " progress only, but jwarp.progress=" + (inline ? "inline" : "threaded")
                            + " was asked for. Leave one of them out.");
        }
    }
}
