package dev.jwarp.llp;

import org.jspecify.annotations.Nullable;

/**
 * A library that a transport needs, and that the class path may lack or contain in an older version.
 *
 * @param name name of the library
 * @param version minimum version
 * @param known a class that every version has
 * @param remedy what to do, as the end of a sentence
 */
public record NeededLibrary(String name, String version, String known, String remedy) {
    /**
     * {@return the exception for a class of the library that cannot be linked}
     *
     * @param transport name of the transport
     * @param beside a class whose loader should also find the library
     * @param cause the error of the JVM
     */
    public LlpException missing(String transport, Class<?> beside, LinkageError cause) {
        String found = versionFound(beside.getClassLoader());
        return new LlpException(
                LlpFailure.LIBRARY_MISSING,
                "The transport " + transport + " needs " + name + " " + version + " or newer, but the class path has "
                        + (found == null ? "no " + name : found) + ": " + remedy + ".",
                cause);
    }

    private @Nullable String versionFound(@Nullable ClassLoader loader) {
        try {
            Package at = Class.forName(known, false, loader).getPackage();
            String told = at == null ? null : at.getImplementationVersion();
            return told == null ? "another one" : name + " " + told;
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
