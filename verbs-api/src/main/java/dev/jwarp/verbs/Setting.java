package dev.jwarp.verbs;

/**
 * A configuration setting. Its system property is {@code key}. Its environment variable is the key in capitals with
 * underscores: {@code jwarp.mpa.crc} is {@code JWARP_MPA_CRC}.
 *
 * @param key such as {@code jwarp.mpa.crc}
 * @param defaultValue default value as text
 * @param allowed permitted values with their unit, in words
 * @param sentence what the setting does
 */
public record Setting(String key, String defaultValue, String allowed, String sentence) {
    /** {@return the environment variable of this setting} */
    public String environmentVariable() {
        return key.toUpperCase(java.util.Locale.ROOT).replace('.', '_').replace('-', '_');
    }
}
