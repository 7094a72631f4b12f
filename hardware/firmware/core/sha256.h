/* SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), one block of RAM, no tables in RAM. */
#ifndef CUP_SHA256_H
#define CUP_SHA256_H

#include <stdint.h>

#define HASH_SIZE 32

typedef struct {
    uint32_t state[8];
    uint8_t block[64];
    uint32_t length; /* bytes so far */
} sha256_t;

void sha256_begin(sha256_t *sha);
void sha256_add(sha256_t *sha, const void *bytes, uint8_t count);
void sha256_end(sha256_t *sha, uint8_t hash[HASH_SIZE]);

/* A key with its two pads hashed already: which halves the work for each code. Keys always
 * have 32 bytes: every key of the cup is a hash or a seed. */
typedef struct {
    uint32_t inner[8], outer[8];
} hmac_key_t;

void hmac_prepare(hmac_key_t *prepared, const uint8_t key[HASH_SIZE]);
void hmac_begin(sha256_t *sha, const hmac_key_t *key);
void hmac_end(sha256_t *sha, const hmac_key_t *key, uint8_t mac[HASH_SIZE]);

/* 1 if "abc" hashes to what FIPS 180-4 says. */
uint8_t sha256_works(void);

#endif
