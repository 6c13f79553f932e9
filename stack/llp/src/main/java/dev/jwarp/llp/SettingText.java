package dev.jwarp.llp;

/**
 * A configuration setting.
 *
 * @param key such as {@code jwarp.mpa.crc}
 * @param defaultValue default value as text
 * @param allowed permitted values with their unit, in words
 * @param sentence what the setting does
 */
public record SettingText(String key, String defaultValue, String allowed, String sentence) {}
