/* Which faces a roll shows, and the chain that binds all rolls of a match. PROTOCOL.md says why. */
#ifndef CUP_DICE_H
#define CUP_DICE_H

#include <stdint.h>

#include "sha256.h"

#define SALT_SIZE 4

enum { KIND_ONE = 1, KIND_TWO = 2, KIND_OPENING = 3 };

/* One roll as it was asked for and as it fell. */
typedef struct {
    uint32_t number; /* of the cup's whole life, 1 for the first */
    uint8_t what;    /* bits 0-1 the kind, bits 2-3 the player: 0 none, 1 light, 2 dark */
    uint8_t salt[SALT_SIZE];
    uint8_t faces; /* 8 * first + second; second is 0 where one die is rolled */
} roll_t;

uint8_t dice_is_kind(uint8_t what);
/* C = SHA-256("tableside cup seed 1" | seed) */
void dice_commitment(const uint8_t seed[HASH_SIZE], uint8_t commitment[HASH_SIZE]);
/* K = HMAC(seed, "tableside cup key 1" | nonces) */
void dice_key(const uint8_t seed[HASH_SIZE], const uint8_t nonces[HASH_SIZE],
              hmac_key_t *key);
/* h0 = SHA-256("tableside cup chain 1" | C | nonces) */
void dice_chain_start(const uint8_t commitment[HASH_SIZE], const uint8_t nonces[HASH_SIZE],
                      uint8_t chain[HASH_SIZE]);
/* Fills in the faces from the number, what and salt. */
void dice_roll(const hmac_key_t *key, roll_t *roll);
/* h = SHA-256(h | number | what | salt | faces) */
void dice_chain(uint8_t chain[HASH_SIZE], const roll_t *roll);

#endif
