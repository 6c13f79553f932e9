/** DiSNI's package of its provider, with one class of jwarp. */
@NullMarked
package com.ibm.disni.verbs.impl;

import org.jspecify.annotations.NullMarked;
