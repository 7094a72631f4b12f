/* The cup: bytes of the line, beats of the clocks and noise in; frames and rolls out. */
#ifndef CUP_CUP_H
#define CUP_CUP_H

#include <stdint.h>

#include "entropy.h"

#define PROTOCOL_MAJOR 1
#define PROTOCOL_MINOR 2
#define FIRMWARE_MAJOR 1
#define FIRMWARE_MINOR 2

enum {
    HELLO = 0x01, STATUS = 0x02,
    COMMIT = 0x10, SEAL = 0x11, ARM = 0x12, DISARM = 0x13, ROLL = 0x14, LAST = 0x15,
    REVEAL = 0x16, LOG = 0x17, FACES = 0x18, MATCH = 0x19,
    LED = 0x20, PLAYER = 0x21, SELFTEST = 0x22, RAW = 0x23,
    ANSWER = 0x80, REFUSED = 0xFF,
    CAME_STATUS = 0x40, CAME_BOOT = 0x41, CAME_LIFT = 0x42, CAME_SHAKE = 0x43, CAME_POUR = 0x44,
    CAME_ROLL = 0x45, CAME_BATTERY = 0x46, CAME_FAULT = 0x47, CAME_GARBLED = 0x48,
    CAME_RAW = 0x49
};
enum {
    NOT_KNOWN = 1, NOT_THAT_LONG, NOT_IN_RANGE, NOT_NOW, NOT_YET, NOT_THAT_NUMBER, NOT_WELL,
    NOT_THE_SAME, NOT_CHECKED
};
enum { FAULT_REPEAT = 1, FAULT_PROPORTION = 2, FAULT_EEPROM = 5, FAULT_HASH = 6, FAULT_MATCH = 7 };
enum { HAS_SHAKE = 1, HAS_LIFT = 2, HAS_TILT = 4, HAS_LAMP = 8, HAS_FACES = 16, HAS_BATTERY = 32,
       HAS_RAW = 64 };

void cup_begin(void);
void cup_byte(uint8_t byte);
void cup_noise(source_t source, uint8_t sample);
/* One millisecond of the switches, bits PIN_ of sensors.h. */
void cup_pins(uint8_t pins);
/* Background work; call it in every pass of the main loop. */
void cup_work(void);

#endif
