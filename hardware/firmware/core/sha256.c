#include "sha256.h"

#include <string.h>

#include "hal.h"

#ifdef __AVR__
#pragma GCC optimize("O2") /* the rest is small rather than fast */
#endif

static const uint32_t ROUND[64] ROM = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static const uint32_t START[8] ROM = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* An AVR turns by one bit, or moves bytes; for any other turn its compiler writes a loop, which made
 * a block several times slower. So every rotation here is of whole bytes and then of single bits. */
static inline uint32_t right_1(uint32_t x) { return x >> 1 | (x & 1 ? 0x80000000UL : 0); }
static inline uint32_t left_1(uint32_t x) { return x << 1 | (x & 0x80000000UL ? 1 : 0); }
static inline uint32_t right_2(uint32_t x) { return right_1(right_1(x)); }
static inline uint32_t right_8(uint32_t x) { return x >> 8 | x << 24; }
static inline uint32_t right_16(uint32_t x) { return x >> 16 | x << 16; }

/* By 2, 13 and 22: by 2, of a and by 11 of a and by 9 of a. */
static uint32_t big_0(uint32_t a) {
    uint32_t turned = a ^ right_8(right_1(a));
    turned = a ^ right_8(right_2(right_1(turned)));
    return right_2(turned);
}

/* By 6, 11 and 25: by 6, of e and by 5 of e and by 14 of e. */
static uint32_t big_1(uint32_t e) {
    uint32_t turned = e ^ right_16(left_1(left_1(e)));
    turned = e ^ right_8(left_1(left_1(left_1(turned))));
    return right_8(left_1(left_1(turned)));
}

/* By 7 and by 18, and shifted by 3. */
static uint32_t small_0(uint32_t x) {
    return right_8(left_1(x)) ^ right_16(right_2(x)) ^ (((x >> 1) >> 1) >> 1);
}

/* By 17 and by 19, and shifted by 10. */
static uint32_t small_1(uint32_t x) {
    uint32_t turned = right_1(x);
    return right_16(turned ^ right_2(turned)) ^ (((x >> 8) >> 1) >> 1);
}

static void schedule(uint32_t w[16], uint8_t i) {
    w[i & 15] += small_1(w[(i + 14) & 15]) + w[(i + 9) & 15] + small_0(w[(i + 1) & 15]);
}

/* One round; the eight words stand still and their names move, which spares 28 moved bytes. */
static inline __attribute__((always_inline)) void turn(uint32_t v[8], uint8_t i, uint32_t added) {
    uint32_t *a = v + (-i & 7), *b = v + ((1 - i) & 7), *c = v + ((2 - i) & 7);
    uint32_t *d = v + ((3 - i) & 7), *e = v + ((4 - i) & 7), *f = v + ((5 - i) & 7);
    uint32_t *g = v + ((6 - i) & 7), *h = v + ((7 - i) & 7);
    uint32_t one = *h + big_1(*e) + ((*e & (*f ^ *g)) ^ *g) + added;
    *d += one;
    *h = one + big_0(*a) + ((*a & (*b ^ *c)) ^ (*b & *c));
}

static void compress(sha256_t *sha) {
    /* Not on the stack: an AVR reaches only 63 bytes of it at once. */
    static uint32_t w[16], v[8];
    for (uint8_t i = 0; i < 16; i++) {
        const uint8_t *b = sha->block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint16_t)(b[2] << 8) | b[3];
    }
    memcpy(v, sha->state, sizeof v);
    for (uint8_t i = 0; i < 64; i += 8) {
#define TURN(n) \
    if (i >= 16) schedule(w, i + n); \
    turn(v, n, ROM_LONG(&ROUND[i + n]) + w[(i + n) & 15]);
        TURN(0) TURN(1) TURN(2) TURN(3) TURN(4) TURN(5) TURN(6) TURN(7)
#undef TURN
    }
    for (uint8_t i = 0; i < 8; i++) sha->state[i] += v[i];
    hal_alive();
}

void sha256_begin(sha256_t *sha) {
    for (uint8_t i = 0; i < 8; i++) sha->state[i] = ROM_LONG(&START[i]);
    sha->length = 0;
}

void sha256_add(sha256_t *sha, const void *bytes, uint8_t count) {
    const uint8_t *from = bytes;
    while (count--) {
        sha->block[sha->length++ & 63] = *from++;
        if (!(sha->length & 63)) compress(sha);
    }
}

/* The highest byte first; shifts by a variable are loops on an AVR. */
static void put_word(uint8_t *to, uint32_t word) {
    for (uint8_t i = 4; i--; word >>= 8) to[i] = (uint8_t)word;
}

void sha256_end(sha256_t *sha, uint8_t hash[HASH_SIZE]) {
    uint8_t used = sha->length & 63;
    sha->block[used++] = 0x80;
    if (used > 56) {
        memset(sha->block + used, 0, 64 - used);
        compress(sha);
        used = 0;
    }
    memset(sha->block + used, 0, 56 - used);
    put_word(sha->block + 56, sha->length >> 29);
    put_word(sha->block + 60, sha->length << 3);
    compress(sha);
    for (uint8_t i = 0; i < 8; i++) put_word(hash + 4 * i, sha->state[i]);
}

static void pad_key(uint32_t state[8], const uint8_t key[HASH_SIZE], uint8_t pad) {
    sha256_t sha;
    sha256_begin(&sha);
    for (uint8_t i = 0; i < 64; i++) {
        uint8_t byte = pad ^ (i < HASH_SIZE ? key[i] : 0);
        sha256_add(&sha, &byte, 1);
    }
    memcpy(state, sha.state, sizeof sha.state);
}

static void go_on_from(sha256_t *sha, const uint32_t state[8]) {
    memcpy(sha->state, state, sizeof sha->state);
    sha->length = 64;
}

void hmac_prepare(hmac_key_t *prepared, const uint8_t key[HASH_SIZE]) {
    pad_key(prepared->inner, key, 0x36);
    pad_key(prepared->outer, key, 0x5c);
}

void hmac_begin(sha256_t *sha, const hmac_key_t *key) { go_on_from(sha, key->inner); }

void hmac_end(sha256_t *sha, const hmac_key_t *key, uint8_t mac[HASH_SIZE]) {
    uint8_t inner[HASH_SIZE];
    sha256_end(sha, inner);
    go_on_from(sha, key->outer);
    sha256_add(sha, inner, HASH_SIZE);
    sha256_end(sha, mac);
}

uint8_t sha256_works(void) {
    static const uint8_t right[4] ROM = {0xba, 0x78, 0x16, 0xbf};
    sha256_t sha;
    uint8_t hash[HASH_SIZE];
    sha256_begin(&sha);
    sha256_add(&sha, "abc", 3);
    sha256_end(&sha, hash);
    for (uint8_t i = 0; i < sizeof right; i++)
        if (hash[i] != ROM_BYTE(&right[i])) return 0;
    return 1;
}
