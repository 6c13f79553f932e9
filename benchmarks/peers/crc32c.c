/*
 * CRC32C with the instruction of SSE4.2. An instruction takes three cycles, but one can start each cycle: so long inputs are processed
 * as three streams, and a table moves the result of a stream over the octets after it, as a CRC is linear.
 */
#include "peer.h"
#include <nmmintrin.h>
#include <pthread.h>
#include <string.h>

enum { LONG = 4096, SHORT = 256 };

static uint32_t over_long[4][256], over_short[4][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t word(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

static void fill(uint32_t table[4][256], int zeros) {
    for (int k = 0; k < 4; k++) {
        for (uint32_t octet = 0; octet < 256; octet++) {
            uint64_t state = octet << 8 * k;
            for (int i = 0; i < zeros; i += 8) {
                state = _mm_crc32_u64(state, 0);
            }
            table[k][octet] = (uint32_t)state;
        }
    }
}

static void fill_both(void) {
    fill(over_long, LONG);
    fill(over_short, SHORT);
}

static uint32_t moved(uint32_t table[4][256], uint32_t state) {
    return table[0][state & 255] ^ table[1][state >> 8 & 255] ^ table[2][state >> 16 & 255] ^ table[3][state >> 24];
}

static inline uint32_t three(uint32_t state, const uint8_t *at, size_t part, uint32_t table[4][256]) {
    uint64_t a = state, b = 0, c = 0;
    for (size_t i = 0; i < part; i += 8) {
        a = _mm_crc32_u64(a, word(at + i));
        b = _mm_crc32_u64(b, word(at + part + i));
        c = _mm_crc32_u64(c, word(at + 2 * part + i));
    }
    uint32_t ab = moved(table, (uint32_t)a) ^ (uint32_t)b;
    return moved(table, ab) ^ (uint32_t)c;
}

/* state: ~0 at first; the CRC is its complement at the end. */
uint32_t crc32c(uint32_t state, const void *octets, size_t length) {
    const uint8_t *at = octets;
    pthread_once(&once, fill_both);
    for (; length >= 3 * LONG; length -= 3 * LONG, at += 3 * LONG) {
        state = three(state, at, LONG, over_long);
    }
    for (; length >= 3 * SHORT; length -= 3 * SHORT, at += 3 * SHORT) {
        state = three(state, at, SHORT, over_short);
    }
    uint64_t wide = state;
    for (; length >= 8; length -= 8, at += 8) {
        wide = _mm_crc32_u64(wide, word(at));
    }
    state = (uint32_t)wide;
    for (; length; length--, at++) {
        state = _mm_crc32_u8(state, *at);
    }
    return state;
}
