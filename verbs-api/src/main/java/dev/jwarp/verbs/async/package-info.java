/** Work requests as futures, on top of {@link dev.jwarp.verbs.CompletionQueue#onCompletion}. */
@NullMarked
package dev.jwarp.verbs.async;

import org.jspecify.annotations.NullMarked;
