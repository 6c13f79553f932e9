package dev.jwarp.vectors;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;

class NewObjectsTest {
    private int tries;

    @Property
    @Label("each try of a property has a new object")
    void alone(@ForAll int any) {
        assertThat(tries++).isZero();
    }
}
