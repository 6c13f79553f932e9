/** MPA: frames ULPDUs as FPDUs on a byte stream, with markers and CRC32C, and negotiates the start of a stream (RFC 5044, RFC 6581). */
@NullMarked
package dev.jwarp.mpa;

import org.jspecify.annotations.NullMarked;
