/**
 * MPA: frames ULPDUs as FPDUs on a byte stream, with Markers and CRC32C, and negotiates start-up (RFC 5044, RFC 6581).
 */
module dev.jwarp.mpa {
    requires static transitive org.jspecify;

    exports dev.jwarp.mpa;
}
