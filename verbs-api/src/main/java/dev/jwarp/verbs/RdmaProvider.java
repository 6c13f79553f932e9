package dev.jwarp.verbs;

import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * An implementation of the verbs, found with {@link ServiceLoader}: a program begins here.
 *
 * <pre>{@code
 * Device device = RdmaProvider.load().devices().get(0);
 * try (Context context = device.open()) { ... }
 * }</pre>
 *
 * <p>Threads: any.
 */
public interface RdmaProvider {
    /**
     * {@return the first provider on the class path or module path}
     *
     * @throws RdmaException NOT_FOUND if there is none
     */
    static RdmaProvider load() {
        return ServiceLoader.load(RdmaProvider.class)
                .findFirst()
                .orElseThrow(() -> new RdmaException(
                        RdmaErrorCode.NOT_FOUND,
                        "No RDMA provider was found. Put jwarp-rnic and a transport such as jwarp-transport-tcp on the"
                                + " class path."));
    }

    /** {@return the name of the provider} */
    String name();

    /** {@return its version} */
    String version();

    /** {@return its devices; never empty} */
    List<Device> devices();

    /**
     * {@return the device of that name}
     *
     * @param name such as {@code jwarp0}
     * @throws RdmaException NOT_FOUND, with the names there are
     */
    default Device device(String name) {
        RdmaException.requireArgument(name, "name");
        for (Device device : devices()) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        throw new RdmaException(
                RdmaErrorCode.NOT_FOUND,
                "There is no device " + name + ". The devices are "
                        + String.join(", ", devices().stream().map(Device::name).toList()) + ".");
    }

    /** {@return every setting that the provider and its transports know} */
    List<Setting> settings();

    /**
     * Says what a context opened with these settings would work with.
     *
     * @param settings as for {@link Device#open(Map)}
     * @return every setting with its value and where that comes from
     * @throws RdmaException INVALID_SETTING for a value that a setting does not take, or a key that is no setting
     */
    List<EffectiveSetting> configuration(Map<String, String> settings);

    /** {@return the pids, ascending, of running processes of this user that can be observed; they need not answer} */
    default List<Long> observable() {
        return List.of();
    }

    /**
     * Looks at a running process of this user (or, for root, of any): links, resources, counters. Does not disturb it.
     *
     * @param pid the process id
     * @return what was seen
     * @throws RdmaException NOT_FOUND if there is no such process, or it has nothing to show; PERMISSION_DENIED; TIMED_OUT if it
     *     does not answer; PROTOCOL_MISMATCH if it is of another version; NOT_SUPPORTED by this provider
     */
    default Observation observe(long pid) {
        throw new RdmaException(
                RdmaErrorCode.NOT_SUPPORTED,
                "Provider " + name() + " cannot observe other processes such as " + pid + ".");
    }
}
