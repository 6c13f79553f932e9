/** Work requests as futures, on top of {@link dev.jwarp.verbs.CompletionQueue#onCompletion}: for programs that would rather wait than count. */
@NullMarked
package dev.jwarp.verbs.async;

import org.jspecify.annotations.NullMarked;
