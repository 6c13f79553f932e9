/** Words of 64 bits in the memory of one host, which others read and change by RDMA. */
@NullMarked
package dev.jwarp.samples.words;

import org.jspecify.annotations.NullMarked;
