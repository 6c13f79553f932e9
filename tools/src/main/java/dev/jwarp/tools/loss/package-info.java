/** {@code jwarp loss}: the fates of messages when packets are lost. */
@NullMarked
package dev.jwarp.tools.loss;

import org.jspecify.annotations.NullMarked;
