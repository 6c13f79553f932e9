package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.TransportProvider;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.EffectiveSetting;
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

    private final List<TransportProvider> transports = new ArrayList<>();
    private final RnicDevice device;

    /** For {@link ServiceLoader}. */
    public RnicProvider() {
        ServiceLoader.load(TransportProvider.class).forEach(transports::add);
        device = new RnicDevice(this);
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

    /** {@return the device, as what it is} */
    public RnicDevice rnic() {
        return device;
    }

    @Override
    public List<Setting> settings() {
        List<Setting> all = new ArrayList<>(RnicSetting.all());
        // Transports may share settings: each key once.
        for (TransportProvider transport : transports) {
            for (Setting setting : settingsOf(transport)) {
                if (all.stream().noneMatch(known -> known.key().equals(setting.key()))) {
                    all.add(setting);
                }
            }
        }
        return List.copyOf(all);
    }

    static List<Setting> settingsOf(TransportProvider transport) {
        return transport.settings().stream()
                .map(setting ->
                        new Setting(setting.key(), setting.defaultValue(), setting.allowed(), setting.sentence()))
                .toList();
    }

    @Override
    public List<EffectiveSetting> configuration(Map<String, String> settings) {
        return configured(settings).all();
    }

    Configuration configured(Map<String, String> explicit) {
        return new Configuration(settings(), explicit, Configuration.Surroundings.ofProcess());
    }

    /** {@return the transport that the settings ask for} */
    TransportProvider transport(Configuration configuration) {
        boolean inline =
                configuration.choice(RnicSetting.PROGRESS, "inline", "threaded").equals("inline");
        String wanted = configuration.text(RnicSetting.TRANSPORT);
        String name = !wanted.equals("auto") ? wanted : inline ? "tcp-nio" : "tcp-netty";
        for (TransportProvider transport : transports) {
            if (transport.name().equals(name)) {
                checkProgress(transport, inline, configuration);
                return transport;
            }
        }
        List<String> names = transports.stream().map(TransportProvider::name).toList();
        throw new RdmaException(
                RdmaErrorCode.NOT_FOUND,
                "There is no transport " + name + " on the class path; there is "
                        + (names.isEmpty() ? "none. Add jwarp-transport-tcp." : String.join(", ", names) + "."));
    }

    private static void checkProgress(TransportProvider transport, boolean inline, Configuration configuration) {
        boolean chosen = configuration.isSet(RnicSetting.PROGRESS);
        if (chosen && transport.inline() != inline) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_SETTING,
                    "jwarp.transport=" + transport.name() + " makes " + (transport.inline() ? "inline" : "threaded")
                            + " progress only, but jwarp.progress=" + (inline ? "inline" : "threaded")
                            + " was asked for. Leave one of them out.");
        }
    }
}
