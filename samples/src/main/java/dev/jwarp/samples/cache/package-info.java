/** A cache that never answers with an old value (active caching). */
@NullMarked
package dev.jwarp.samples.cache;

import org.jspecify.annotations.NullMarked;
