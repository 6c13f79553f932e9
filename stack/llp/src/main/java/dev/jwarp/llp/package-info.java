/** The interface between DDP and its lower layer (RFC 5041 §3). */
@NullMarked
package dev.jwarp.llp;

import org.jspecify.annotations.NullMarked;
