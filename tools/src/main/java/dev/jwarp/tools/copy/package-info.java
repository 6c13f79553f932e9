/** {@code jwarp cp}: copies files and folders to another host, over RDMA or TCP. */
@NullMarked
package dev.jwarp.tools.copy;

import org.jspecify.annotations.NullMarked;
