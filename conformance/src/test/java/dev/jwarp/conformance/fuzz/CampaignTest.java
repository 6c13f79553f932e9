package dev.jwarp.conformance.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.jwarp.conformance.fuzz.Act.Change;
import dev.jwarp.conformance.fuzz.Act.Kind;
import dev.jwarp.conformance.fuzz.Campaign.Minimiser;
import dev.jwarp.conformance.script.Deviation;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A campaign of mutated conversations")
class CampaignTest {
    private static boolean shortWrite(Act act) {
        return act.kind() == Kind.WRITE && act.change() == Change.SHORT;
    }

    /** A device in memory with one weakness. */
    private static final class Weak implements Campaign.Peer {
        private final Predicate<Act> weakness;
        private final boolean comesBack;
        private final boolean speaksIll;
        private boolean broken;

        Weak(Predicate<Act> weakness, boolean comesBack, boolean speaksIll) {
            this.weakness = weakness;
            this.comesBack = comesBack;
            this.speaksIll = speaksIll;
        }

        @Override
        public String play(Recipe recipe) {

            if (recipe.acts().stream().anyMatch(weakness)) {
                if (speaksIll) {
                    throw new Deviation("a right CRC", "a wrong one");
                }
                broken = true;
            }
            return "closed";
        }

        @Override
        public String serves() {
            return broken ? "a good client cannot connect" : "";
        }

        boolean revive() {
            broken &= !comesBack;
            return comesBack;
        }

        @Override
        public void close() {}
    }

    private static Campaign campaign(Weak peer) {
        return new Campaign(1, true, List.of(peer), peer::revive, () -> false);
    }

    /** The fault of a device that a short Write breaks. */
    private static Campaign.Fault fault(boolean comesBack, boolean speaksIll) throws InterruptedException {
        return Objects.requireNonNull(campaign(new Weak(CampaignTest::shortWrite, comesBack, speaksIll))
                .batch(0, 500));
    }

    @Test
    @DisplayName("finds the one action among hundreds of conversations that breaks the device")
    void minimises() throws Exception {
        Campaign.Fault fault = fault(true, false);

        assertThat(fault.what()).isEqualTo("a good client cannot connect");
        assertThat(fault.small()).isTrue();
        assertThat(fault.recipes()).hasSize(1);
        assertThat(fault.recipes().get(0).acts()).hasSize(1).allMatch(CampaignTest::shortWrite);
    }

    @Test
    @DisplayName("keeps all its conversations when the device does not come back")
    void keepsAll() throws Exception {
        Campaign.Fault fault = fault(false, false);

        assertThat(fault.small()).isFalse();
        assertThat(fault.recipes()).hasSize(500);
    }

    @Test
    @DisplayName("reports ill-formed bytes as a fault, and minimises it, too")
    void illFormed() throws Exception {
        Campaign.Fault fault = fault(true, true);

        assertThat(fault.what()).startsWith("the device sent ill-formed bytes");
        assertThat(fault.recipes().get(0).acts()).hasSize(1).allMatch(CampaignTest::shortWrite);
    }

    @Test
    @DisplayName("reports no fault of a device without the weakness, and counts how conversations ended")
    void sound() throws Exception {
        Campaign campaign = campaign(new Weak(a -> false, true, false));

        assertThat(campaign.batch(0, 300)).isNull();
        assertThat(campaign.endings()).containsExactly(java.util.Map.entry("closed", 300));
    }

    @Test
    @DisplayName("is the same for the same seed, and has every kind of action and every mutation")
    void deterministic() {
        List<Recipe> recipes =
                LongStream.range(0, 3_000).mapToObj(i -> Recipe.of(7, i, true)).toList();

        assertThat(recipes.get(17)).isEqualTo(Recipe.of(7, 17, true)).isNotEqualTo(Recipe.of(8, 17, true));
        assertThat(recipes.stream().flatMap(r -> r.acts().stream()).map(Act::kind))
                .contains(Kind.values());
        assertThat(recipes.stream().flatMap(r -> r.acts().stream()).map(Act::change))
                .contains(Change.values());
    }

    @Test
    @DisplayName("can leave the start-up frames alone, and is otherwise the same")
    void withoutStart() {
        for (int i = 0; i < 200; i++) {
            List<Act> all = Recipe.of(5, i, true).acts();
            List<Act> some = Recipe.of(5, i, false).acts();

            assertThat(some).extracting(Act::kind).doesNotContain(Kind.START);
            assertThat(all.subList(all.size() - some.size(), all.size())).isEqualTo(some);
        }
    }

    @Test
    @DisplayName("can be written and read back")
    void text() {
        List<Recipe> recipes =
                IntStream.range(0, 50).mapToObj(i -> Recipe.of(3, i, true)).toList();
        StringBuilder text = new StringBuilder("# for people\n\n");
        recipes.forEach(r -> text.append(r.text()).append('\n'));

        assertThat(Recipe.parse(text.toString().lines().toList())).isEqualTo(recipes);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recipe.parse(List.of("send 1 2 none 0 0", "sing 1 2 none 0 0")))
                .withMessageContaining("line 2");
    }

    @Test
    @DisplayName("minimises two actions that break the device only together to these two")
    void together() {
        List<Integer> smallest = new Minimiser(300)
                .smallest(IntStream.range(0, 100).boxed().toList(), l -> l.contains(13) && l.contains(77));

        assertThat(smallest).containsExactly(13, 77);
    }
}
