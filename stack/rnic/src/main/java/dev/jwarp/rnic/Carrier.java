package dev.jwarp.rnic;

import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.Progressing;
import dev.jwarp.llp.TransportProvider;
import dev.jwarp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.Setting;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A transport on the class path, for connections or for datagrams.
 *
 * @param name the value of {@code jwarp.transport} that selects the transport
 * @param datagrams whether the transport carries datagrams, not connections
 * @param inline whether the transport makes inline progress
 * @param settings all settings of the transport
 * @param opener opens an instance; its argument has the settings that are not at their defaults
 */
record Carrier(
        String name,
        boolean datagrams,
        boolean inline,
        List<Setting> settings,
        BiFunction<Map<String, String>, @Nullable GivenLoops, Progressing> opener) {

    static Carrier of(TransportProvider provider) {
        return new Carrier(provider.name(), false, provider.inline(), settings(provider.settings()), provider::open);
    }

    static Carrier of(DatagramTransportProvider provider) {
        return new Carrier(provider.name(), true, provider.inline(), settings(provider.settings()), provider::open);
    }

    private static List<Setting> settings(List<dev.jwarp.llp.SettingText> known) {
        return known.stream()
                .map(setting ->
                        new Setting(setting.key(), setting.defaultValue(), setting.allowed(), setting.sentence()))
                .toList();
    }

    /**
     * @param loops event loops of the program, or the transport for connections whose event loops this transport
     *     shares; null if the transport makes its own
     */
    Progressing open(Configuration configuration, @Nullable GivenLoops loops) {
        try {
            return opener.apply(configuration.changed(Configuration.keys(settings)), loops);
        } catch (IllegalArgumentException e) {
            boolean given = loops != null && !(loops.loops() instanceof Progressing);
            RdmaErrorCode code = given ? RdmaErrorCode.INVALID_ARGUMENT : RdmaErrorCode.INVALID_SETTING;
            throw new RdmaException(code, String.valueOf(e.getMessage()), e);
        } catch (LlpException e) {
            throw FailureNames.exception(e);
        }
    }
}
