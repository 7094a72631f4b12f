#include "frame.h"

uint16_t crc_xmodem(uint16_t crc, uint8_t byte) {
    crc ^= (uint16_t)byte << 8;
    for (uint8_t i = 0; i < 8; i++) crc = crc & 0x8000 ? (uint16_t)(crc << 1) ^ 0x1021 : crc << 1;
    return crc;
}

uint16_t crc_arc(uint16_t crc, uint8_t byte) {
    crc ^= byte;
    for (uint8_t i = 0; i < 8; i++) crc = crc & 1 ? (crc >> 1) ^ 0xA001 : crc >> 1;
    return crc;
}

/* The bytes without COBS, in place; 0 if they are none. */
static uint8_t unstuffed(uint8_t *bytes, uint8_t count) {
    uint8_t from = 0, to = 0;
    while (from < count) {
        uint8_t code = bytes[from++];
        if (code - 1 > count - from) return 0;
        for (uint8_t i = 1; i < code; i++) bytes[to++] = bytes[from++];
        if (from < count) bytes[to++] = 0;
    }
    return to;
}

static found_t understood(gathered_t *in, frame_t *frame) {
    uint8_t count = unstuffed(in->bytes, in->count);
    uint16_t crc = 0;
    in->count = 0;
    if (count < FRAME_HEAD + 2) return FRAME_BAD;
    for (uint8_t i = 0; i < count; i++) crc = crc_xmodem(crc, in->bytes[i]);
    if (crc || in->bytes[0] != FRAME_VERSION) return FRAME_BAD;
    frame->id = in->bytes[1] | (uint16_t)in->bytes[2] << 8;
    frame->type = in->bytes[3];
    frame->payload = in->bytes + FRAME_HEAD;
    frame->count = count - FRAME_HEAD - 2;
    return FRAME_GOOD;
}

found_t frame_take(gathered_t *in, uint8_t byte, frame_t *frame) {
    if (byte) {
        if (in->count < FRAME_MOST + 1) in->bytes[in->count++] = byte;
        else in->is_lost = 1;
        return FRAME_NONE;
    }
    if (in->is_lost) {
        in->is_lost = in->count = 0;
        return FRAME_BAD;
    }
    return in->count ? understood(in, frame) : FRAME_NONE;
}

typedef struct {
    uint8_t *out;
    uint8_t at, code;
} stuffed_t;

static void stuff(stuffed_t *to, uint8_t byte) {
    if (byte) {
        to->out[to->at++] = byte;
        return;
    }
    to->out[to->code] = to->at - to->code;
    to->code = to->at++;
}

uint8_t frame_write(uint8_t *out, uint16_t id, uint8_t type, const uint8_t *payload,
                    uint8_t count) {
    /* A frame is far shorter than 254 bytes, so no block of COBS is ever full. */
    const uint8_t head[FRAME_HEAD] = {FRAME_VERSION, (uint8_t)id, (uint8_t)(id >> 8), type};
    stuffed_t to = {out, 1, 0};
    uint16_t crc = 0;
    for (uint8_t i = 0; i < FRAME_HEAD; i++) {
        stuff(&to, head[i]);
        crc = crc_xmodem(crc, head[i]);
    }
    for (uint8_t i = 0; i < count; i++) {
        stuff(&to, payload[i]);
        crc = crc_xmodem(crc, payload[i]);
    }
    stuff(&to, (uint8_t)(crc >> 8));
    stuff(&to, (uint8_t)crc);
    out[to.code] = to.at - to.code;
    out[to.at++] = 0;
    return to.at;
}
