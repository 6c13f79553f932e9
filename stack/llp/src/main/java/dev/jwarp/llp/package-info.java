/** What DDP asks of the layer below it (RFC 5041 §3). */
@NullMarked
package dev.jwarp.llp;

import org.jspecify.annotations.NullMarked;
