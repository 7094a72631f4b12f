/* The cup's core on the desk: an EEPROM in RAM, a clock that is set, a line that is an array. */
#include <stdint.h>
#include <string.h>

#include "cup.h"
#include "dice.h"
#include "hal.h"

uint8_t desk_eeprom[1024];
uint32_t desk_millis;
uint16_t desk_battery_mv = 5000;
uint8_t desk_sent[65536];
uint32_t desk_sent_count;
uint32_t desk_writes, desk_writes_left = 0xFFFFFFFFu; /* a power cut after so many */
uint8_t desk_is_cut;
/* The byte that the cut interrupts is left erased in part (all old bits and these) or written in
 * part (all new bits and these). */
uint8_t desk_stray_bits, desk_is_half_written;

uint32_t hal_millis(void) { return desk_millis; }
void hal_alive(void) {}
uint8_t hal_load(uint16_t address) { return desk_eeprom[address & 1023]; }
uint8_t hal_is_writing(void) { return 0; }
void hal_store(uint16_t address, uint8_t value) {
    if (desk_eeprom[address & 1023] == value) return;
    if (!desk_writes_left) {
        uint8_t *byte = &desk_eeprom[address & 1023];
        if (!desk_is_cut) *byte = (desk_is_half_written ? value : *byte) | desk_stray_bits;
        desk_is_cut = 1;
        return;
    }
    desk_writes_left--;
    desk_writes++;
    desk_eeprom[address & 1023] = value;
}
void hal_send(const uint8_t *bytes, uint8_t count) {
    if (desk_is_cut) return; /* a cup without power says nothing */
    if (desk_sent_count + count > sizeof desk_sent) desk_sent_count = 0;
    memcpy(desk_sent + desk_sent_count, bytes, count);
    desk_sent_count += count;
}
void hal_lamp(uint8_t colour, uint8_t blinks) { (void)colour, (void)blinks; }
void hal_show(uint8_t first, uint8_t second) { (void)first, (void)second; }
void hal_player(uint8_t player) { (void)player; }
uint16_t hal_battery_mv(void) { return desk_battery_mv; }
uint8_t hal_reset_cause(void) { return 1; }
uint16_t hal_overruns(void) { return 0; }

void desk_start(void) {
    memset(desk_eeprom, 0xFF, sizeof desk_eeprom);
    desk_writes_left = 0xFFFFFFFFu;
    desk_is_cut = desk_stray_bits = desk_is_half_written = 0;
    desk_sent_count = 0;
    desk_millis = 0;
}

void desk_feed(const uint8_t *bytes, uint32_t count) {
    while (count--) cup_byte(*bytes++);
}


void desk_hmac(const uint8_t key[32], const uint8_t *message, uint8_t count, uint8_t mac[32]) {
    hmac_key_t prepared;
    sha256_t sha;
    hmac_prepare(&prepared, key);
    hmac_begin(&sha, &prepared);
    sha256_add(&sha, message, count);
    hmac_end(&sha, &prepared, mac);
}

/* One roll of a match, from its seed on. */
void desk_match_roll(const uint8_t seed[32], const uint8_t nonces[32], roll_t *roll) {
    hmac_key_t key;
    dice_key(seed, nonces, &key);
    dice_roll(&key, roll);
}

/* The faces of `count` dice in their order, two a roll, as the firmware makes them. */
void desk_dice(const uint8_t key[32], uint32_t count, uint8_t faces[]) {
    hmac_key_t prepared;
    hmac_prepare(&prepared, key);
    for (uint32_t i = 0; i < count; i += 2) {
        roll_t roll = {i / 2 + 1, KIND_TWO, {1, 2, 3, 4}, 0};
        dice_roll(&prepared, &roll);
        faces[i] = roll.faces >> 3;
        faces[i + 1] = roll.faces & 7;
    }
}
