/** Prints each second how far the wall clock and the monotonic clock have moved since the previous second. Ends with its standard input. */
public final class Clock {
    public static void main(String[] arguments) throws Exception {
        System.out.println("clock");
        Thread reader = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (java.io.IOException e) {
                // the same
            }
            System.exit(0);
        });
        reader.setDaemon(true);
        reader.start();
        long day = System.currentTimeMillis();
        long steady = System.nanoTime();
        while (true) {
            Thread.sleep(200);
            System.out.printf("day %.1f steady %.1f%n", (System.currentTimeMillis() - day) / 1e3, (System.nanoTime() - steady) / 1e9);
            day = System.currentTimeMillis();
            steady = System.nanoTime();
        }
    }
}
