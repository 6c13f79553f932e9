/** The formats of RDMAP's messages: opcodes, and the headers behind the DDP header (RFC 5040 §4, RFC 7306 §4 to §6). */
@NullMarked
package dev.jwarp.rdmap.message;

import org.jspecify.annotations.NullMarked;
