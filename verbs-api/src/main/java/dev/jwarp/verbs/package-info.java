/** The verbs: the public API of jwarp. Names follow libibverbs and librdmacm. */
@NullMarked
package dev.jwarp.verbs;

import org.jspecify.annotations.NullMarked;
