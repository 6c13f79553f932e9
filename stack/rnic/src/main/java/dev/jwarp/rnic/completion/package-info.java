/** Completion queues and channels, and the entries of the queues. Internal. */
@NullMarked
package dev.jwarp.rnic.completion;

import org.jspecify.annotations.NullMarked;
