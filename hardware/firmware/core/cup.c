#include "cup.h"

#include <string.h>

#include "frame.h"
#include "hal.h"
#include "journal.h"
#include "sensors.h"

#ifndef BUILD
#define BUILD 0
#endif

#define HEARTBEAT_MS 1000
#define GARBLED_MS 3 /* at most one complaint in this time */
#ifndef WEAK_MV
#define WEAK_MV 4600 /* the AVR's brown-out is at 4.3 V, give or take 0.2 */
#endif
#define CAPABILITIES \
    (HAS_SHAKE | HAS_LIFT | HAS_TILT | HAS_LAMP | HAS_FACES | HAS_BATTERY | HAS_RAW)
#define RAW_SAMPLES 32 /* in one message */

static journal_t journal;
static gathered_t gathered;
static sensors_t sensors;
static roll_t armed; /* what is 0 while nothing is */
static uint8_t fault, shown, is_weak;
static uint16_t starts, event_id, session, good, bad;
static uint32_t heartbeat_at, garbled_at;

/* The last answer, for a command that is sent again. */
static struct {
    uint16_t id, print;
    uint8_t is_there, type, count;
    uint8_t payload[PAYLOAD_MOST];
} answered;

typedef struct {
    uint8_t type, count;
    uint8_t bytes[PAYLOAD_MOST];
} reply_t;

/* Noise that is sent out to be assessed, and therefore used for nothing else. */
static struct {
    uint8_t source, count; /* source 0: none; else one more than its source_t */
    uint32_t first;        /* how many samples were sent before these */
    uint8_t samples[RAW_SAMPLES];
} raw;

static void put(reply_t *reply, const void *bytes, uint8_t count) {
    memcpy(reply->bytes + reply->count, bytes, count);
    reply->count += count;
}

static void put8(reply_t *reply, uint8_t value) { reply->bytes[reply->count++] = value; }

static void put16(reply_t *reply, uint16_t value) {
    put8(reply, (uint8_t)value);
    put8(reply, (uint8_t)(value >> 8));
}

static void put32(reply_t *reply, uint32_t value) {
    put16(reply, (uint16_t)value);
    put16(reply, (uint16_t)(value >> 16));
}

static void send(uint16_t id, const reply_t *reply) {
    uint8_t out[FRAME_MOST + 2];
    hal_send(out, frame_write(out, id, reply->type, reply->bytes, reply->count));
}

static void tell(reply_t *event, uint8_t type) {
    event->type = type;
    send(event_id++, event);
}

static void refuse(reply_t *reply, uint8_t why, uint8_t detail) {
    reply->type = REFUSED;
    reply->count = 0;
    put8(reply, why);
    put8(reply, detail);
}

/* A fault that another match does not end. */
static uint8_t is_unwell(void) { return fault && fault != FAULT_MATCH; }

static void fall_ill(uint8_t why) {
    reply_t event = {0};
    if (is_unwell()) return;
    fault = why;
    armed.what = 0;
    hal_lamp(1, 1);
    put8(&event, why);
    tell(&event, CAME_FAULT);
}

static void put_status(reply_t *reply) {
    uint8_t state = journal.phase | journal.is_prepared << 2 | (armed.what ? 8 : 0)
                    | (journal_is_busy() ? 16 : 0) | (is_weak ? 32 : 0)
                    | (entropy_health(SOURCE_NOISE)->tripped ? 64 : 0);
    put8(reply, state);
    put8(reply, fault);
    put8(reply, sensors.steady);
    put16(reply, hal_battery_mv());
    put32(reply, hal_millis() / 1000);
    put32(reply, journal.number);
    put16(reply, good);
    put16(reply, bad);
    put16(reply, hal_overruns());
}

static void put_hello(reply_t *reply) {
    uint8_t unit[UNIT_SIZE];
    journal_unit(unit);
    put8(reply, PROTOCOL_MAJOR);
    put8(reply, PROTOCOL_MINOR);
    put8(reply, FIRMWARE_MAJOR);
    put8(reply, FIRMWARE_MINOR);
    put32(reply, BUILD);
    put(reply, unit, UNIT_SIZE);
    put16(reply, CAPABILITIES);
    put8(reply, hal_reset_cause());
    put16(reply, starts);
    put16(reply, session);
}

/* Sends what this source gives from now on, or ends that. No seed is credited with samples from
 * before: those next to samples that left may tell of them. */
static void send_raw(uint8_t source) {
    if (raw.source == source) return;
    entropy_uncredit();
    raw.source = source;
    raw.count = 0;
    raw.first = 0;
}

static void put_roll(reply_t *reply, const roll_t *roll) {
    put16(reply, (uint16_t)roll->number);
    put8(reply, roll->what);
    put8(reply, roll->faces);
    put(reply, journal.chain, 4);
}

static void make_roll(roll_t *roll) {
    armed.what = 0;
    journal_roll(&journal, roll);
    shown = roll->faces;
    hal_show(shown >> 3, shown & 7);
}

/* What HELLO etc. answer; `in` is as long as COMMANDS says. */
static void on_hello(const uint8_t *in, reply_t *reply) {
    send_raw(0); /* another program, which has not asked for it */
    if (in[0] != PROTOCOL_MAJOR) refuse(reply, NOT_IN_RANGE, PROTOCOL_MAJOR);
    else put_hello(reply);
}

static void on_status(const uint8_t *in, reply_t *reply) {
    (void)in;
    put_status(reply);
}

static void on_commit(const uint8_t *in, reply_t *reply) {
    (void)in;
    if (is_unwell()) return refuse(reply, NOT_WELL, fault);
    if (journal.phase == PHASE_SEALED) return refuse(reply, NOT_NOW, journal.phase);
    if (!journal.is_prepared || journal_is_busy()) return refuse(reply, NOT_YET, 0);
    armed.what = 0;
    if (!journal_commit(&journal)) {
        fall_ill(FAULT_EEPROM);
        return refuse(reply, NOT_WELL, fault);
    }
    if (fault) hal_lamp(0, 0);
    fault = 0;
    put16(reply, journal.match);
    put32(reply, journal.number);
    put(reply, journal.commitment, HASH_SIZE);
}

static void on_seal(const uint8_t *in, reply_t *reply) {
    if (fault) return refuse(reply, NOT_WELL, fault);
    if (journal_is_busy()) return refuse(reply, NOT_YET, 0);
    if (journal.phase != PHASE_COMMITTED) return refuse(reply, NOT_NOW, journal.phase);
    send_raw(0);
    journal_seal(&journal, in);
    put32(reply, journal.number);
    put(reply, journal.chain, 4);
}

/* Whether both are one request. */
static uint8_t is_same(const roll_t *one, const roll_t *other) {
    return one->what == other->what && !memcmp(one->salt, other->salt, SALT_SIZE);
}

/* Whether `roll` is the last one made: the same request again, as after a reset. */
static uint8_t is_last(const roll_t *wanted, roll_t *last) {
    return journal.number > journal.first && journal_find(journal.number, last)
           && is_same(last, wanted);
}

/* 1 if a new roll may be made now; else `reply` says why not, or repeats the roll. */
static uint8_t may_roll(const uint8_t *in, roll_t *wanted, reply_t *reply) {
    uint16_t after = in[5] | (uint16_t)(in[6] << 8), now = (uint16_t)journal.number;
    roll_t last;
    wanted->what = in[0];
    memcpy(wanted->salt, in + 1, SALT_SIZE);
    if (!dice_is_kind(wanted->what)) refuse(reply, NOT_IN_RANGE, wanted->what);
    else if (journal.phase == PHASE_SEALED && now == (uint16_t)(after + 1) && is_last(wanted, &last))
        put_roll(reply, &last);
    else if (fault) refuse(reply, NOT_WELL, fault);
    else if (journal.phase == PHASE_COMMITTED && journal_is_busy()) refuse(reply, NOT_YET, 0);
    else if (journal.phase != PHASE_SEALED) refuse(reply, NOT_NOW, journal.phase);
    else if (now != after) refuse(reply, NOT_THAT_NUMBER, (uint8_t)now);
    else return 1;
    return 0;
}

static void on_roll(const uint8_t *in, reply_t *reply) {
    roll_t wanted;
    if (!may_roll(in, &wanted, reply)) return;
    make_roll(&wanted);
    put_roll(reply, &wanted);
}

static void on_arm(const uint8_t *in, reply_t *reply) {
    roll_t wanted;
    if (!may_roll(in, &wanted, reply)) return;
    /* Asked for again, as after a break of the line, it keeps the shake. */
    if (!is_same(&armed, &wanted)) sensors.is_shaken = 0;
    armed = wanted;
    hal_lamp(2, 1);
}

static void on_disarm(const uint8_t *in, reply_t *reply) {
    (void)in;
    (void)reply;
    armed.what = 0;
    hal_lamp(0, 0);
}

static void on_last(const uint8_t *in, reply_t *reply) {
    roll_t last = {0};
    (void)in;
    if (journal.number > journal.first) journal_find(journal.number, &last);
    put8(reply, journal.phase);
    put16(reply, journal.match);
    put32(reply, journal.number);
    put8(reply, last.what);
    put8(reply, last.faces);
    put(reply, last.salt, SALT_SIZE);
    put(reply, journal.chain, 4);
}

static void on_reveal(const uint8_t *in, reply_t *reply) {
    (void)in;
    if (journal_is_busy()) return refuse(reply, NOT_YET, 0);
    if (journal.phase != PHASE_SEALED && journal.phase != PHASE_REVEALED)
        return refuse(reply, NOT_NOW, journal.phase);
    armed.what = 0;
    if (journal.phase == PHASE_SEALED) journal_reveal(&journal);
    put16(reply, journal.match);
    put32(reply, journal.number);
    put(reply, journal.seed, HASH_SIZE);
}

static void on_log(const uint8_t *in, reply_t *reply) {
    roll_t roll;
    if (in[0] >= RING || in[0] >= journal.number || !journal_find(journal.number - in[0], &roll))
        return refuse(reply, NOT_IN_RANGE, in[0]);
    put32(reply, roll.number);
    put8(reply, roll.what);
    put8(reply, roll.faces);
    put(reply, roll.salt, SALT_SIZE);
}

static void on_faces(const uint8_t *in, reply_t *reply) {
    (void)in;
    put8(reply, shown);
}

static void on_match(const uint8_t *in, reply_t *reply) {
    (void)in;
    put8(reply, journal.phase);
    put16(reply, journal.match);
    put32(reply, journal.first);
    put(reply, journal.commitment, HASH_SIZE);
}

static void on_led(const uint8_t *in, reply_t *reply) {
    if (in[0] > 7 || in[1] > 1) refuse(reply, NOT_IN_RANGE, in[0]);
    else hal_lamp(in[0], in[1]);
}

static void on_player(const uint8_t *in, reply_t *reply) {
    if (in[0] > 2) refuse(reply, NOT_IN_RANGE, in[0]);
    else hal_player(in[0]);
}

static void on_selftest(const uint8_t *in, reply_t *reply) {
    (void)in;
    uint8_t parts = sha256_works() | journal_works() << 1;
    uint8_t tripped[SOURCES];
    for (uint8_t i = 0; i < SOURCES; i++) tripped[i] = entropy_health((source_t)i)->tripped;
    put8(reply, parts);
    for (uint8_t i = 0; i < SOURCES; i++) {
        put8(reply, tripped[i]);
        put16(reply, entropy_health((source_t)i)->taken);
    }
    put8(reply, journal.is_prepared);
    if (!(parts & 1)) return fall_ill(FAULT_HASH);
    if (!(parts & 2)) return fall_ill(FAULT_EEPROM);
    /* Repeat the start-up tests from the beginning: only they clear a failed source. */
    if (tripped[SOURCE_CLOCK]) entropy_begin();
    else if (tripped[SOURCE_NOISE]) entropy_retest(SOURCE_NOISE);
    if (is_unwell()) fault = 0; /* whether the match can be read was not tested */
}

static void on_raw(const uint8_t *in, reply_t *reply) {
    if (in[0] > SOURCES) return refuse(reply, NOT_IN_RANGE, in[0]);
    if (in[0] && journal.phase == PHASE_SEALED) return refuse(reply, NOT_NOW, journal.phase);
    send_raw(in[0]);
}

typedef struct {
    uint8_t type, count;
    uint8_t is_checked; /* a second CRC follows: it changes something */
    void (*answer)(const uint8_t *in, reply_t *reply);
} command_t;

static const command_t COMMANDS[] ROM = {
    {HELLO, 2, 0, on_hello},     {STATUS, 0, 0, on_status},     {COMMIT, 0, 1, on_commit},
    {SEAL, 32, 1, on_seal},      {ARM, 7, 1, on_arm},           {DISARM, 0, 0, on_disarm},
    {ROLL, 7, 1, on_roll},       {LAST, 0, 0, on_last},         {REVEAL, 0, 1, on_reveal},
    {LOG, 1, 0, on_log},         {FACES, 0, 0, on_faces},       {MATCH, 0, 0, on_match},
    {LED, 2, 0, on_led},         {PLAYER, 1, 0, on_player},     {SELFTEST, 0, 0, on_selftest},
    {RAW, 1, 0, on_raw},
};

static uint8_t find_command(uint8_t type, command_t *command) {
    for (uint8_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
#ifdef __AVR__
        memcpy_P(command, &COMMANDS[i], sizeof *command);
#else
        *command = COMMANDS[i];
#endif
        if (command->type == type) return 1;
    }
    return 0;
}

/* CRC-16/ARC of type, id and payload. */
static uint16_t second_check(const frame_t *frame, uint8_t count) {
    uint16_t crc = crc_arc(crc_arc(0, frame->type), (uint8_t)frame->id);
    crc = crc_arc(crc, (uint8_t)(frame->id >> 8));
    for (uint8_t i = 0; i < count; i++) crc = crc_arc(crc, frame->payload[i]);
    return crc;
}

/* Of type and payload; not CRC-16/ARC, which is the same for all that end in their second check. */
static uint16_t print_of(const frame_t *frame) {
    uint16_t crc = crc_xmodem(0, frame->type);
    for (uint8_t i = 0; i < frame->count; i++) crc = crc_xmodem(crc, frame->payload[i]);
    return crc;
}

static void answer(const frame_t *frame, reply_t *reply) {
    command_t command;
    reply->type = frame->type | ANSWER;
    reply->count = 0;
    if (!find_command(frame->type, &command)) return refuse(reply, NOT_KNOWN, frame->type);
    if (frame->count != command.count + 2 * command.is_checked)
        return refuse(reply, NOT_THAT_LONG, frame->count);
    if (command.is_checked) {
        uint16_t check = second_check(frame, command.count);
        const uint8_t *sent = frame->payload + command.count;
        if (check != (sent[0] | (uint16_t)(sent[1] << 8))) return refuse(reply, NOT_CHECKED, 0);
    }
    command.answer(frame->payload, reply);
}

static void remember(const frame_t *frame, uint16_t print, const reply_t *reply) {
    answered.is_there = frame->type != HELLO;
    answered.id = frame->id;
    answered.print = print;
    answered.type = reply->type;
    answered.count = reply->count;
    memcpy(answered.payload, reply->bytes, reply->count);
}

static void obey(const frame_t *frame) {
    uint16_t print = print_of(frame);
    reply_t reply = {0};
    good++;
    if (frame->type >= CAME_STATUS) return; /* our own messages come back: the line is a loop */
    if (answered.is_there && answered.id == frame->id) {
        if (answered.print == print) {
            reply.type = answered.type;
            put(&reply, answered.payload, answered.count);
        } else refuse(&reply, NOT_THE_SAME, 0);
        return send(frame->id, &reply);
    }
    answer(frame, &reply);
    /* A refused command has changed nothing and may be repeated. */
    if (reply.type != REFUSED) remember(frame, print, &reply);
    send(frame->id, &reply);
}

static void complain(void) {
    reply_t event = {0};
    bad++;
    if (hal_millis() - garbled_at < GARBLED_MS) return;
    garbled_at = hal_millis();
    tell(&event, CAME_GARBLED);
}

void cup_byte(uint8_t byte) {
    frame_t frame;
    switch (frame_take(&gathered, byte, &frame)) {
    case FRAME_GOOD: obey(&frame); break;
    case FRAME_BAD: complain(); break;
    case FRAME_NONE: break;
    }
}

static void take_raw(uint8_t sample) {
    reply_t event = {0};
    raw.samples[raw.count++] = sample;
    if (raw.count < RAW_SAMPLES) return;
    put8(&event, raw.source);
    put32(&event, raw.first);
    put(&event, raw.samples, RAW_SAMPLES);
    tell(&event, CAME_RAW);
    raw.first += RAW_SAMPLES;
    raw.count = 0;
}

void cup_noise(source_t source, uint8_t sample) {
    uint8_t is_sent = raw.source == source + 1;
    if (is_sent) take_raw(sample);
    if (entropy_is_sick()) return;
    if (is_sent) entropy_test(source, sample);
    else entropy_take(source, sample);
    uint8_t tripped = entropy_health(SOURCE_CLOCK)->tripped;
    if (tripped) fall_ill(tripped & TRIPPED_REPEAT ? FAULT_REPEAT : FAULT_PROPORTION);
}

static void pour(void) {
    reply_t event = {0};
    roll_t roll = armed;
    tell(&event, CAME_POUR);
    if (!armed.what || fault) return;
    make_roll(&roll);
    put_roll(&event, &roll);
    tell(&event, CAME_ROLL);
    hal_lamp(0, 0);
}

void cup_pins(uint8_t pins) {
    uint8_t came = sensors_tick(&sensors, pins);
    reply_t event = {0};
    if (came & (CAME_LIFTED | CAME_DOWN)) {
        put8(&event, came & CAME_LIFTED ? 1 : 0);
        tell(&event, CAME_LIFT);
        event.count = 0;
    }
    if (came & CAME_SHAKEN) tell(&event, CAME_SHAKE);
    if (came & CAME_OUT) pour();
}

static void look_at_battery(void) {
    uint16_t millivolts = hal_battery_mv();
    reply_t event = {0};
    uint8_t was_weak = is_weak;
    is_weak = millivolts < WEAK_MV + (was_weak ? 100 : 0);
    if (is_weak == was_weak) return;
    put16(&event, millivolts);
    put8(&event, is_weak);
    tell(&event, CAME_BATTERY);
}

static void name_unit(void) {
    uint8_t drawn[HASH_SIZE];
    entropy_draw(drawn);
    journal_set_unit(drawn);
    memset(drawn, 0, sizeof drawn);
}

static void prepare(void) {
    uint8_t seed[HASH_SIZE];
    if (!entropy_is_ready() || is_unwell() || journal_is_busy()) return;
    if (!journal_has_unit()) return name_unit();
    if (journal.is_prepared) return;
    entropy_draw(seed);
    journal_prepare(&journal, seed);
    memset(seed, 0, sizeof seed);
}

void cup_work(void) {
    uint32_t now = hal_millis();
    if (!hal_is_writing()) journal_step(&journal); /* a command must not wait for a write */
    prepare();
    if (now - heartbeat_at >= HEARTBEAT_MS) {
        reply_t event = {0};
        heartbeat_at = now;
        put_status(&event);
        tell(&event, CAME_STATUS);
        look_at_battery();
    }
}

void cup_begin(void) {
    reply_t event = {0};
    roll_t last;
    memset(&gathered, 0, sizeof gathered);
    memset(&sensors, 0, sizeof sensors);
    memset(&armed, 0, sizeof armed);
    memset(&answered, 0, sizeof answered);
    memset(&raw, 0, sizeof raw);
    fault = shown = is_weak = 0;
    event_id = good = bad = 0;
    heartbeat_at = garbled_at = hal_millis();
    entropy_begin();
    starts = journal_count_start();
    session = (uint16_t)(starts * 40503u);
    if (!journal_load(&journal)) fault = FAULT_MATCH;
    if (!sha256_works()) fault = FAULT_HASH;
    if (journal_find(journal.number, &last)) shown = last.faces;
    hal_lamp(fault ? 1 : 0, fault ? 1 : 0);
    hal_show(shown >> 3, shown & 7);
    put_hello(&event);
    tell(&event, CAME_BOOT);
}
