/** The verbs: what a service compiles against, in the words of libibverbs and librdmacm. */
@NullMarked
package dev.jwarp.verbs;

import org.jspecify.annotations.NullMarked;
