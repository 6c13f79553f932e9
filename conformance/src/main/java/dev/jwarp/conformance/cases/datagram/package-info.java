/** The cases of docs/datagram-iwarp.md. */
@NullMarked
package dev.jwarp.conformance.cases.datagram;

import org.jspecify.annotations.NullMarked;
