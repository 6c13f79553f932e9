/** Random programs of operations, executed by the stack and by a model, which must agree. */
@NullMarked
package dev.jwarp.torture.model;

import org.jspecify.annotations.NullMarked;
