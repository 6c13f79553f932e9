/** Completion queues and channels, and the completions that go round in them. Internal. */
@NullMarked
package dev.jwarp.rnic.completion;

import org.jspecify.annotations.NullMarked;
