/** {@code jwarp cp}: files and folders go to another host, over RDMA or TCP. */
@NullMarked
package dev.jwarp.tools.copy;

import org.jspecify.annotations.NullMarked;
