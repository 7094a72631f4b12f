/* The flash, written by the functions in the chip's ROM; nothing else may read it meanwhile. */
#include "store.h"

#define STORE_OFFSET (2u * 1024 * 1024 - STORE_SECTORS * STORE_SECTOR)
#define BLOCK_SIZE 65536u
#define BLOCK_ERASE 0xD8u

const volatile uint8_t *flash_begin = (const volatile uint8_t *)(0x10000000u + STORE_OFFSET);

typedef void (*plain_t)(void);
typedef void (*erase_t)(uint32_t offset, uint32_t count, uint32_t block_size, uint8_t command);
typedef void (*program_t)(uint32_t offset, const uint8_t *bytes, uint32_t count);

/* A function of the ROM, by its two letters: the ROM says where its table and its search are. */
static void *rom(char first, char second) {
    typedef void *(*search_t)(const uint16_t *table, uint32_t code);
    const volatile uint16_t *pointers = (const volatile uint16_t *)0x14;
    search_t search = (search_t)(uintptr_t)pointers[2];
    return search((const uint16_t *)(uintptr_t)pointers[0], (uint32_t)second << 8 | (uint8_t)first);
}

/* The functions are looked up before the flash is gone. */
typedef struct {
    plain_t connect, leave, flush, enter;
} around_t;

static around_t find_around(void) {
    around_t around = {(plain_t)rom('I', 'F'), (plain_t)rom('E', 'X'), (plain_t)rom('F', 'C'),
                       (plain_t)rom('C', 'X')};
    return around;
}

static void begin(const around_t *around) {
    __asm volatile("cpsid i" ::: "memory");
    around->connect();
    around->leave();
}

static void end(const around_t *around) {
    around->flush();
    around->enter();
    __asm volatile("cpsie i" ::: "memory");
}

void flash_erase(uint32_t sector_offset) {
    around_t around = find_around();
    erase_t erase = (erase_t)rom('R', 'E');
    begin(&around);
    erase(STORE_OFFSET + sector_offset, STORE_SECTOR, BLOCK_SIZE, BLOCK_ERASE);
    end(&around);
}

void flash_program(uint32_t page_offset, const uint8_t page[STORE_PAGE]) {
    around_t around = find_around();
    program_t program = (program_t)rom('R', 'P');
    begin(&around);
    program(STORE_OFFSET + page_offset, page, STORE_PAGE);
    end(&around);
}
