package dev.jwarp.conformance.fuzz;

import dev.jwarp.conformance.script.Deviation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Many mutated conversations with one device, in batches: after each batch the device must serve a good client.
 * Conversations that break the device are kept and minimised. The conversations depend on the seed alone, not on which
 * of them run at the same time.
 */
public final class Campaign {
    /** Limit of the repetitions of a fault for its minimisation. */
    private static final int TRIALS = 300;

    private final long seed;
    private final boolean start;
    private final List<? extends Peer> peers;
    private final BooleanSupplier revived;
    private final BooleanSupplier ended;
    /** Whether the device has stayed away during a minimisation. */
    private boolean gone;

    private final Map<String, Integer> endings = Collections.synchronizedMap(new TreeMap<>());

    /**
     * A fault of the device.
     *
     * @param what the fault in a sentence
     * @param recipes the conversations that cause it, minimised as far as possible
     * @param small whether the minimisation was completed: false if the device did not come back
     */
    public record Fault(String what, List<Recipe> recipes, boolean small) {}

    /**
     * A campaign.
     *
     * @param start whether to mutate start-up frames, too
     * @param peers peers for conversations at the same time, all with the same device
     * @param revived called when the device no longer serves: waits for it, or starts it anew; false if it stays away
     * @param ended polled between batches; true ends the campaign
     */
    public Campaign(
            long seed, boolean start, List<? extends Peer> peers, BooleanSupplier revived, BooleanSupplier ended) {
        this.seed = seed;
        this.start = start;
        this.peers = List.copyOf(peers);
        this.revived = revived;
        this.ended = ended;
    }

    /** Number of conversations so far by the way they ended. */
    public Map<String, Integer> endings() {
        synchronized (endings) {
            return new TreeMap<>(endings);
        }
    }

    /** Plays the conversations {@code from} to {@code to} and checks the device; null if the device has no fault. */
    public @Nullable Fault batch(long from, long to) throws InterruptedException {
        List<Recipe> recipes = new ArrayList<>();
        for (long i = from; i < to; i++) {
            recipes.add(Recipe.of(seed, i, start));
        }
        return batch(recipes);
    }

    /** The same with given conversations. */
    public @Nullable Fault batch(List<Recipe> recipes) throws InterruptedException {
        AtomicReference<@Nullable Fault> illFormed = new AtomicReference<>();
        AtomicInteger next = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(peers.size());
        for (int p = 0; p < peers.size(); p++) {
            Peer peer = peers.get(p);
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (int i = next.getAndIncrement();
                                    i < recipes.size() && !ended.getAsBoolean();
                                    i = next.getAndIncrement()) {
                                Fault fault = play(peer, recipes.get(i));
                                if (fault != null) {
                                    illFormed.compareAndSet(null, fault);
                                }
                            }
                        } finally {
                            done.countDown();
                        }
                    },
                    "fuzz-" + p);
            thread.setDaemon(true);
            thread.start();
        }
        done.await();
        Fault fault = illFormed.get();
        if (fault != null) {
            return fault;
        }
        String wrong = peers.get(0).serves();
        return wrong.isEmpty() ? null : broken(wrong, recipes);
    }

    private @Nullable Fault play(Peer peer, Recipe recipe) {
        try {
            endings.merge(peer.play(recipe), 1, Integer::sum);
            return null;
        } catch (Deviation e) {
            endings.merge("ill-formed bytes from the device", 1, Integer::sum);
            Recipe small = smaller(recipe, r -> illFormed(peer, r));
            return new Fault(
                    "the device sent ill-formed bytes: " + e.getMessage(), List.of(small), !ended.getAsBoolean());
        } catch (RuntimeException e) {
            // An exception of the tester over bytes of the device is a fault of the tester; the conversation shows it.
            endings.merge("the tester failed", 1, Integer::sum);
            return new Fault("the tester failed on bytes from the device: " + e, List.of(recipe), false);
        }
    }

    private static boolean illFormed(Peer peer, Recipe recipe) {
        try {
            peer.play(recipe);
            return false;
        } catch (Deviation e) {
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private Fault broken(String what, List<Recipe> recipes) {
        if (!revived.getAsBoolean()) {
            return new Fault(what, recipes, false);
        }
        Peer peer = peers.get(0);
        gone = false;
        if (!breaks(peer, recipes)) {
            return new Fault(what + " (not reproduced by the same conversations one after the other)", recipes, false);
        }
        List<Recipe> few = new Minimiser(TRIALS).smallest(recipes, r -> breaks(peer, r));
        if (few.size() == 1) {
            few = List.of(smaller(few.get(0), r -> breaks(peer, List.of(r))));
        }
        return new Fault(what, few, !gone && !ended.getAsBoolean());
    }

    /**
     * Whether these conversations, one after the other, break the device. Once the device stays away or the campaign
     * ends, nothing more is played.
     */
    private boolean breaks(Peer peer, List<Recipe> recipes) {
        if (gone || ended.getAsBoolean()) {
            return false;
        }
        for (Recipe recipe : recipes) {
            // Ill-formed bytes are another fault than the one that is minimised here.
            illFormed(peer, recipe);
        }
        if (peer.serves().isEmpty()) {
            return false;
        }
        gone = !revived.getAsBoolean();
        return true;
    }

    /** Removes actions, and mutations of the remaining actions, as far as the fault stays. */
    private static Recipe smaller(Recipe recipe, java.util.function.Predicate<Recipe> breaks) {
        Minimiser minimiser = new Minimiser(TRIALS);
        List<Act> acts = new ArrayList<>(minimiser.smallest(recipe.acts(), a -> breaks.test(new Recipe(a))));
        for (int i = 0; i < acts.size(); i++) {
            Act act = acts.get(i);
            if (!act.equals(act.plain()) && act.kind() != Act.Kind.START && minimiser.another()) {
                acts.set(i, act.plain());
                if (!breaks.test(new Recipe(acts))) {
                    acts.set(i, act);
                }
            }
        }
        return new Recipe(acts);
    }

    /** The device under test as a campaign needs it. For one thread at a time. */
    public interface Peer extends AutoCloseable {
        /**
         * Has one mutated conversation with the device. Returns how the conversation ended, in a few words; throws a
         * {@code Deviation} if the device sent ill-formed bytes.
         */
        String play(Recipe recipe);

        /** Has one good conversation. Returns an empty string if the device served it, otherwise the fault. */
        String serves();

        @Override
        void close();
    }

    /**
     * Minimises a list that breaks something: leaves out ever smaller parts of it as long as it still breaks (delta
     * debugging).
     */
    static final class Minimiser {
        private int trialsLeft;

        /** @param trials limit of the trials; after it the smallest list so far is the result */
        Minimiser(int trials) {
            trialsLeft = trials;
        }

        /** A part of {@code whole}, in its order, that still breaks and in which each element is necessary. */
        <T> List<T> smallest(List<T> whole, Predicate<List<T>> breaks) {
            List<T> smallest = List.copyOf(whole);
            int parts = 2;
            while (smallest.size() > 1 && trialsLeft > 0) {
                List<T> smaller = withoutOnePart(smallest, Math.min(parts, smallest.size()), breaks);
                if (smaller != null) {
                    smallest = smaller;
                    parts = Math.max(2, parts - 1);
                } else if (parts >= smallest.size()) {
                    return smallest;
                } else {
                    parts *= 2;
                }
            }
            return smallest;
        }

        private <T> @org.jspecify.annotations.Nullable List<T> withoutOnePart(
                List<T> whole, int parts, Predicate<List<T>> breaks) {
            for (int i = 0; i < parts && trialsLeft > 0; i++) {
                int from = (int) ((long) whole.size() * i / parts);
                int to = (int) ((long) whole.size() * (i + 1) / parts);
                List<T> rest = new ArrayList<>(whole.subList(0, from));
                rest.addAll(whole.subList(to, whole.size()));
                trialsLeft--;
                if (!rest.isEmpty() && breaks.test(rest)) {
                    return rest;
                }
            }
            return null;
        }

        /** Counts a trial; false if the limit is reached. */
        boolean another() {
            return trialsLeft-- > 0;
        }
    }
}
