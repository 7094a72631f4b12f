/* Frames of the line: COBS( version, id, type, payload, CRC-16/XMODEM ) 0x00. */
#ifndef CUP_FRAME_H
#define CUP_FRAME_H

#include <stdint.h>

#define FRAME_VERSION 1
#define FRAME_MOST 64 /* bytes of a frame before COBS */
#define FRAME_HEAD 4  /* version, id, id, type */
#define PAYLOAD_MOST (FRAME_MOST - FRAME_HEAD - 2)

typedef struct {
    uint16_t id;
    uint8_t type;
    uint8_t count;
    const uint8_t *payload;
} frame_t;

typedef struct {
    uint8_t bytes[FRAME_MOST + 2];
    uint8_t count;
    uint8_t is_lost; /* too long: dropped up to the next 0x00 */
} gathered_t;

typedef enum { FRAME_NONE, FRAME_GOOD, FRAME_BAD } found_t;

/* One byte of the line; FRAME_GOOD leaves `frame` pointing into `in` until the next call. */
found_t frame_take(gathered_t *in, uint8_t byte, frame_t *frame);

/* The bytes of a frame, its 0x00 included; `out` has room for FRAME_MOST + 2. */
uint8_t frame_write(uint8_t *out, uint16_t id, uint8_t type, const uint8_t *payload, uint8_t count);

uint16_t crc_xmodem(uint16_t crc, uint8_t byte);
/* CRC-16/ARC, the second checksum of commands that change state. */
uint16_t crc_arc(uint16_t crc, uint8_t byte);

#endif
