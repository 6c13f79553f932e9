/**
 * MPA: frames ULPDUs as FPDUs on a byte stream, with Markers and CRC32C, and negotiates start-up (RFC 5044, RFC 6581).
 */
@NullMarked
package dev.jwarp.mpa;

import org.jspecify.annotations.NullMarked;
