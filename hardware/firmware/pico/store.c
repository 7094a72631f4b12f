#include "store.h"

#include <string.h>

#include "../core/frame.h"

/* A sector is an image of all bytes (pages 0-3), a log of later writes (pages 4-14), and a head
 * (page 15), written last: without it the sector does not count. The one with the highest serial is
 * in use. Each write takes a slot of the log, in two steps: what is written, then a mark. */
#define LOG_FIRST 4
#define HEAD_PAGE 15
#define SLOT 8
#define SLOTS ((HEAD_PAGE - LOG_FIRST) * STORE_PAGE / SLOT)
#define SLOT_MARK 7
#define MARKED 0x5A
#define MAGIC 0x31505543u /* CUP1 */

typedef struct {
    uint32_t magic, serial, not_serial;
    uint16_t check; /* of the serial and the image */
    uint16_t spare;
} head_t;

static uint8_t image[STORE_SIZE];
static uint32_t sector, serial, slot;
static uint8_t is_next_blank;

static const volatile uint8_t *at(uint32_t which, uint32_t offset) {
    return flash_begin + which * STORE_SECTOR + offset;
}

static void read(void *to, const volatile uint8_t *from, uint32_t count) {
    uint8_t *bytes = to;
    while (count--) *bytes++ = *from++;
}

static uint8_t is_blank(const volatile uint8_t *from, uint32_t count) {
    while (count--)
        if (*from++ != 0xFF) return 0;
    return 1;
}

static uint16_t check_of(uint32_t of_serial, const volatile uint8_t *of_image) {
    uint16_t crc = 0;
    for (uint8_t i = 0; i < 4; i++) crc = crc_xmodem(crc, (uint8_t)(of_serial >> 8 * i));
    for (uint32_t i = 0; i < STORE_SIZE; i++) crc = crc_xmodem(crc, of_image[i]);
    return crc;
}

static uint32_t serial_of(uint32_t which) {
    head_t head;
    read(&head, at(which, HEAD_PAGE * STORE_PAGE), sizeof head);
    if (head.magic != MAGIC || head.serial != ~head.not_serial) return 0;
    return head.check == check_of(head.serial, at(which, 0)) ? head.serial : 0;
}

static uint16_t check_of_slot(const uint8_t bytes[SLOT]) {
    return crc_xmodem(crc_xmodem(crc_xmodem(0, bytes[0]), bytes[1]), bytes[2]);
}

static uint32_t offset_of_slot(uint32_t which) { return LOG_FIRST * STORE_PAGE + which * SLOT; }

/* Applies the log; a slot that was cut off before its mark is passed over. */
static void replay(void) {
    for (slot = 0; slot < SLOTS; slot++) {
        uint8_t bytes[SLOT];
        const volatile uint8_t *from = at(sector, offset_of_slot(slot));
        if (is_blank(from, SLOT)) return;
        read(bytes, from, SLOT);
        if (bytes[SLOT_MARK] == 0xFF) continue;
        if ((bytes[3] | bytes[4] << 8) != check_of_slot(bytes)) continue;
        image[(bytes[0] | bytes[1] << 8) % STORE_SIZE] = bytes[2];
    }
}

/* Writes `count` bytes inside one page, and leaves the rest of it. */
static void program(uint32_t offset, const void *bytes, uint32_t count) {
    uint8_t page[STORE_PAGE];
    memset(page, 0xFF, sizeof page);
    memcpy(page + offset % STORE_PAGE, bytes, count);
    flash_program(offset - offset % STORE_PAGE, page);
}

static void open_sector(uint32_t which, uint32_t its_serial) {
    head_t head = {MAGIC, its_serial, ~its_serial, check_of(its_serial, image), 0xFFFF};
    uint32_t begin = which * STORE_SECTOR;
    if (!is_blank(at(which, 0), STORE_SECTOR)) flash_erase(begin);
    for (uint32_t i = 0; i < STORE_SIZE; i += STORE_PAGE) flash_program(begin + i, image + i);
    program(begin + HEAD_PAGE * STORE_PAGE, &head, sizeof head);
    sector = which;
    serial = its_serial;
    slot = 0;
    is_next_blank = 0;
}

void store_begin(void) {
    memset(image, 0xFF, sizeof image);
    serial = 0;
    for (uint32_t i = 0; i < STORE_SECTORS; i++) {
        uint32_t found = serial_of(i);
        if (found > serial) {
            serial = found;
            sector = i;
        }
    }
    if (!serial) return open_sector(0, 1);
    read(image, at(sector, 0), STORE_SIZE);
    replay();
    is_next_blank = 0;
}

uint8_t store_load(uint16_t address) { return image[address % STORE_SIZE]; }

void store_store(uint16_t address, uint8_t value) {
    address %= STORE_SIZE;
    uint8_t bytes[SLOT] = {(uint8_t)address, (uint8_t)(address >> 8), value, 0, 0, 0xFF, 0xFF, 0xFF};
    uint16_t check = check_of_slot(bytes);
    uint32_t offset;
    if (image[address] == value) return;
    if (slot == SLOTS) open_sector((sector + 1) % STORE_SECTORS, serial + 1);
    bytes[3] = (uint8_t)check;
    bytes[4] = (uint8_t)(check >> 8);
    offset = sector * STORE_SECTOR + offset_of_slot(slot++);
    program(offset, bytes, SLOT);
    bytes[SLOT_MARK] = MARKED;
    program(offset, bytes, SLOT);
    /* A flash that does not keep it leaves the old byte, which the self-test notices. */
    for (uint8_t i = 0; i < SLOT; i++)
        if (flash_begin[offset + i] != bytes[i]) return;
    image[address] = value;
}

void store_rest(void) {
    uint32_t next = (sector + 1) % STORE_SECTORS;
    if (is_next_blank) return;
    if (!is_blank(at(next, 0), STORE_SECTOR)) flash_erase(next * STORE_SECTOR);
    is_next_blank = 1;
}
