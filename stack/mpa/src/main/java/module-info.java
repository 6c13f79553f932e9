/** MPA: frames ULPDUs as FPDUs on a byte stream, with markers and CRC32C, and negotiates the start of a stream (RFC 5044, RFC 6581). */
module dev.jwarp.mpa {
    requires static transitive org.jspecify;

    exports dev.jwarp.mpa;
}
