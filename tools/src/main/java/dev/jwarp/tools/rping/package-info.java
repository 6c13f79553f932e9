/** rdma-core's rping: both ends of its exchange, over the verbs. */
@NullMarked
package dev.jwarp.tools.rping;

import org.jspecify.annotations.NullMarked;
