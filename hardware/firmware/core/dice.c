#include "dice.h"

#include "hal.h"

#define FAIR 252 /* 42 * 6: of the byte values below it, 42 map to each face */

static void add_text(sha256_t *sha, const char *text) {
    for (char c; (c = (char)ROM_BYTE(text)); text++) sha256_add(sha, &c, 1);
}

static void add_number(sha256_t *sha, uint32_t number) {
    for (uint8_t i = 0; i < 4; i++, number >>= 8) {
        uint8_t byte = (uint8_t)number;
        sha256_add(sha, &byte, 1);
    }
}

uint8_t dice_is_kind(uint8_t what) {
    uint8_t kind = what & 3, player = what >> 2;
    return kind && player <= 2;
}

void dice_commitment(const uint8_t seed[HASH_SIZE], uint8_t commitment[HASH_SIZE]) {
    static const char text[] ROM = "tableside cup seed 1";
    sha256_t sha;
    sha256_begin(&sha);
    add_text(&sha, text);
    sha256_add(&sha, seed, HASH_SIZE);
    sha256_end(&sha, commitment);
}

void dice_key(const uint8_t seed[HASH_SIZE], const uint8_t nonces[HASH_SIZE],
              hmac_key_t *key) {
    static const char text[] ROM = "tableside cup key 1";
    uint8_t mac[HASH_SIZE];
    sha256_t sha;
    hmac_prepare(key, seed);
    hmac_begin(&sha, key);
    add_text(&sha, text);
    sha256_add(&sha, nonces, HASH_SIZE);
    hmac_end(&sha, key, mac);
    hmac_prepare(key, mac);
}

void dice_chain_start(const uint8_t commitment[HASH_SIZE], const uint8_t nonces[HASH_SIZE],
                      uint8_t chain[HASH_SIZE]) {
    static const char text[] ROM = "tableside cup chain 1";
    sha256_t sha;
    sha256_begin(&sha);
    add_text(&sha, text);
    sha256_add(&sha, commitment, HASH_SIZE);
    sha256_add(&sha, nonces, HASH_SIZE);
    sha256_end(&sha, chain);
}

static void draw(const hmac_key_t *key, const roll_t *roll, uint8_t round,
                 uint8_t drawn[HASH_SIZE]) {
    sha256_t sha;
    hmac_begin(&sha, key);
    add_number(&sha, roll->number);
    sha256_add(&sha, &roll->what, 1);
    sha256_add(&sha, roll->salt, SALT_SIZE);
    sha256_add(&sha, &round, 1);
    hmac_end(&sha, key, drawn);
}

void dice_roll(const hmac_key_t *key, roll_t *roll) {
    uint8_t wanted = (roll->what & 3) == KIND_ONE ? 1 : 2;
    uint8_t drawn[HASH_SIZE], thrown[2] = {0, 0}, found = 0;
    for (uint8_t round = 0; found < wanted; round++) {
        draw(key, roll, round, drawn);
        for (uint8_t i = 0; i < HASH_SIZE && found < wanted; i++)
            if (drawn[i] < FAIR) thrown[found++] = drawn[i] % 6 + 1;
    }
    roll->faces = (uint8_t)(8 * thrown[0] + thrown[1]);
}

void dice_chain(uint8_t chain[HASH_SIZE], const roll_t *roll) {
    sha256_t sha;
    sha256_begin(&sha);
    sha256_add(&sha, chain, HASH_SIZE);
    add_number(&sha, roll->number);
    sha256_add(&sha, &roll->what, 1);
    sha256_add(&sha, roll->salt, SALT_SIZE);
    sha256_add(&sha, &roll->faces, 1);
    sha256_end(&sha, chain);
}
