/* Preloaded into a process, it adds the seconds that the file named by CHAOS_CLOCK begins with to the clock of the day, and to no other.
   (libfaketime's, which also replaces timed waits, makes a JVM hang.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offset;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("CHAOS_CLOCK");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  if (file >= 0) {
    void *map = mmap(0, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    offset = map == MAP_FAILED ? 0 : map;
    close(file);
  }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!real) begin();
  int status = real(clock, now);
  if (!status && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *offset;
  return status;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *where) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (where) *where = exact.tv_sec;
  return exact.tv_sec;
}
