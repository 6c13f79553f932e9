package dev.jwarp.llp;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Found with {@link java.util.ServiceLoader}: one way to carry ULPDUs. */
public interface TransportProvider {
    /** {@return the name to choose it by, such as {@code nio}} */
    String name();

    /** {@return true if its transports are {@linkplain Transport#inline inline}} */
    boolean inline();

    /** {@return every setting it knows: key, default, range, sentence} */
    List<SettingText> settings();

    /**
     * Opens an instance.
     *
     * @param settings key to value for those keys of {@link #settings} that differ from their default
     * @throws IllegalArgumentException for a bad value, in a sentence that names key, value and what is allowed
     */
    default Transport open(Map<String, String> settings) {
        return open(settings, null);
    }

    /**
     * As {@link #open(Map)}, on loops of the program.
     *
     * @param loops null for its own
     * @throws IllegalArgumentException also if it cannot run on such loops
     */
    Transport open(Map<String, String> settings, @Nullable GivenLoops loops);
}
