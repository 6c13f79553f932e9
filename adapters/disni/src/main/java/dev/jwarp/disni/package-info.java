/** DiSNI ({@code com.ibm.disni}) on jwarp: the provider behind its classes, without its native library. */
@NullMarked
package dev.jwarp.disni;

import org.jspecify.annotations.NullMarked;
