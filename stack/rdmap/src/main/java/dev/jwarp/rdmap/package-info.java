/** RDMAP: Write, Read, Send, Immediate Data, Atomics and Terminate over DDP (RFC 5040, RFC 7306). */
@NullMarked
package dev.jwarp.rdmap;

import org.jspecify.annotations.NullMarked;
