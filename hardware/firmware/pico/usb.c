#include "usb.h"

#include <string.h>

#include "registers.h"

/* Where the controller's RAM has what; its order is given, that of the buffers is not. */
#define SETUP ((const volatile uint8_t *)USB_RAM)
#define EP1_IN_CTRL AT(USB_RAM + 0x08)
#define EP2_IN_CTRL AT(USB_RAM + 0x10)
#define EP2_OUT_CTRL AT(USB_RAM + 0x14)
#define EP0_IN_BUFFER (USB_RAM + 0x80)
#define EP0_OUT_BUFFER (USB_RAM + 0x84)
#define EP2_IN_BUFFER (USB_RAM + 0x90)
#define EP2_OUT_BUFFER (USB_RAM + 0x94)
#define EP0_DATA 0x100u
#define EP1_DATA 0x180u
#define EP2_IN_DATA 0x1C0u
#define EP2_OUT_DATA 0x200u

#define ENDPOINT_ON (BIT(31) | BIT(29))
#define TYPE_BULK (2u << 26)
#define TYPE_INTERRUPT (3u << 26)

#define AVAILABLE BIT(10)
#define STALL BIT(11)
#define DATA1 BIT(13)
#define LAST BIT(14)
#define FULL BIT(15)
#define LENGTH 0x3FFu

#define DONE_EP0_IN BIT(0)
#define DONE_EP0_OUT BIT(1)
#define DONE_EP2_IN BIT(4)
#define DONE_EP2_OUT BIT(5)

#define PACKET 64u
/* One byte less than a packet: the host passes on at once what is not a full one. */
#define SENT_MOST (PACKET - 1)

#define RECEIVED 512u
#define SENDING 2048u

enum { GET_STATUS = 0x00, SET_ADDRESS = 0x05, GET_DESCRIPTOR = 0x06, SET_CONFIGURATION = 0x09,
       GET_CONFIGURATION = 0x08, SET_LINE_CODING = 0x20, GET_LINE_CODING = 0x21,
       SET_LINE_STATE = 0x22 };

static const uint8_t DEVICE[] = {
    18, 1, 0x00, 0x02, 2, 0, 0, PACKET,
    0x8A, 0x2E, 0x0A, 0x00, /* the Pico's serial line */
    0x02, 0x01, 1, 2, 3, 1,
};

static const uint8_t CONFIGURATION[] = {
    9, 2, 67, 0, 2, 1, 0, 0x80, 50,      /* two interfaces, 100 mA from the bus */
    9, 4, 0, 0, 1, 2, 2, 0, 0,           /* the line's control */
    5, 0x24, 0x00, 0x10, 0x01,           /* CDC 1.1 */
    5, 0x24, 0x01, 0x00, 1,
    4, 0x24, 0x02, 0x02,                 /* line coding and state can be set */
    5, 0x24, 0x06, 0, 1,
    7, 5, 0x81, 3, 8, 0, 255,            /* notices, of which there are none */
    9, 4, 1, 0, 2, 0x0A, 0, 0, 0,        /* the bytes */
    7, 5, 0x02, 2, PACKET, 0, 0,
    7, 5, 0x82, 2, PACKET, 0, 0,
};

static const char *const STRINGS[] = {"Tableside", "Dice cup", "1"};

/* What a control transfer still has to send, and whether it waits for bytes from the host. */
static struct {
    const uint8_t *from;
    uint16_t left;
    uint8_t is_data1, ends_with_empty;
    uint8_t new_address;
} control;
static uint8_t answer[PACKET];

static uint8_t line_coding[7] = {0x90, 0xD0, 0x03, 0x00, 0, 0, 8}; /* 250,000 baud, 8N1 */
static uint8_t is_configured, is_open, in_pid, out_pid, is_sending, is_receiving;
static uint8_t received[RECEIVED], sending[SENDING];
static uint32_t received_in, received_out, sending_in, sending_out;

/* The buffer is the controller's once AVAILABLE is set, which must come after all else. */
static void hand_over(uint32_t buffer, uint32_t control_word) {
    AT(buffer) = control_word;
    __asm volatile("nop; nop; nop; nop; nop; nop");
    AT(buffer) = control_word | AVAILABLE;
}

static void copy_out(uint32_t offset, const uint8_t *bytes, uint32_t count) {
    volatile uint8_t *to = (volatile uint8_t *)(USB_RAM + offset);
    while (count--) *to++ = *bytes++;
}

/* ---- control transfers ---- */

static void control_send(void) {
    uint16_t count = control.left < PACKET ? control.left : PACKET;
    copy_out(EP0_DATA, control.from, count);
    control.from += count;
    control.left -= count;
    if (!control.left && count < PACKET) control.ends_with_empty = 0;
    hand_over(EP0_IN_BUFFER, FULL | LAST | (control.is_data1 ? DATA1 : 0) | count);
    control.is_data1 ^= 1;
}

static void control_reply(const void *bytes, uint16_t count, uint16_t wanted) {
    control.from = bytes;
    control.left = count < wanted ? count : wanted;
    /* What is shorter than wanted but a whole number of packets needs an empty one at its end. */
    control.ends_with_empty = count < wanted && count % PACKET == 0;
    control.is_data1 = 1;
    control_send();
    hand_over(EP0_OUT_BUFFER, LAST | DATA1); /* the host's empty packet that ends it */
}

static void control_accept(void) {
    control.left = 0;
    control.ends_with_empty = 0;
    hand_over(EP0_IN_BUFFER, FULL | LAST | DATA1);
}

static void control_refuse(void) {
    AT(USB_STALL_ARM) = BIT(0) | BIT(1);
    AT(EP0_IN_BUFFER) = STALL;
    AT(EP0_OUT_BUFFER) = STALL;
}

static uint16_t put_string(uint8_t which) {
    if (!which) {
        static const uint8_t languages[] = {4, 3, 0x09, 0x04};
        memcpy(answer, languages, sizeof languages);
    } else {
        const char *text = STRINGS[which - 1];
        uint8_t count = 2;
        for (; *text; text++) {
            answer[count++] = (uint8_t)*text;
            answer[count++] = 0;
        }
        answer[0] = count;
        answer[1] = 3;
    }
    return answer[0];
}

static void describe(uint8_t kind, uint8_t which, uint16_t wanted) {
    if (kind == 1) control_reply(DEVICE, sizeof DEVICE, wanted);
    else if (kind == 2) control_reply(CONFIGURATION, sizeof CONFIGURATION, wanted);
    else if (kind == 3 && which <= sizeof STRINGS / sizeof *STRINGS)
        control_reply(answer, put_string(which), wanted);
    else control_refuse();
}

static void receive_more(void) {
    if (is_receiving || !is_configured || received_in - received_out > RECEIVED - PACKET) return;
    is_receiving = 1;
    hand_over(EP2_OUT_BUFFER, (out_pid ? DATA1 : 0) | PACKET);
    out_pid ^= 1;
}

static void configure(uint8_t which) {
    is_configured = which != 0;
    is_open = is_sending = is_receiving = in_pid = out_pid = 0;
    received_out = received_in;
    sending_out = sending_in;
    if (!is_configured) return;
    EP1_IN_CTRL = ENDPOINT_ON | TYPE_INTERRUPT | EP1_DATA;
    EP2_IN_CTRL = ENDPOINT_ON | TYPE_BULK | EP2_IN_DATA;
    EP2_OUT_CTRL = ENDPOINT_ON | TYPE_BULK | EP2_OUT_DATA;
    receive_more();
}

static void set_line_state(uint8_t state) {
    uint8_t was_open = is_open;
    is_open = state & 1;
    if (is_open && !was_open) sending_out = sending_in; /* said to nobody */
}

static void on_setup(void) {
    uint8_t kind = SETUP[0], request = SETUP[1];
    uint16_t value = (uint16_t)(SETUP[2] | SETUP[3] << 8), wanted = (uint16_t)(SETUP[6] | SETUP[7] << 8);
    if (kind == 0x80 && request == GET_DESCRIPTOR) describe(value >> 8, (uint8_t)value, wanted);
    else if (kind == 0x00 && request == SET_ADDRESS) {
        control.new_address = value & 0x7F; /* the answer still comes from the old one */
        control_accept();
    } else if (kind == 0x00 && request == SET_CONFIGURATION) {
        configure((uint8_t)value);
        control_accept();
    } else if (kind == 0x80 && request == GET_CONFIGURATION) {
        answer[0] = is_configured;
        control_reply(answer, 1, wanted);
    } else if ((kind & 0xE0) == 0x80 && request == GET_STATUS) {
        answer[0] = answer[1] = 0;
        control_reply(answer, 2, wanted);
    } else if (kind == 0x21 && request == SET_LINE_CODING && wanted == sizeof line_coding)
        hand_over(EP0_OUT_BUFFER, LAST | DATA1 | PACKET);
    else if (kind == 0xA1 && request == GET_LINE_CODING)
        control_reply(line_coding, sizeof line_coding, wanted);
    else if (kind == 0x21 && request == SET_LINE_STATE) {
        set_line_state((uint8_t)value);
        control_accept();
    } else control_refuse();
}

static void on_control_sent(void) {
    if (control.left || control.ends_with_empty) control_send();
    else if (control.new_address) {
        AT(USB_ADDRESS) = control.new_address;
        control.new_address = 0;
    }
}

/* Only the line's coding has bytes; it changes nothing, since there are no bits to time. */
static void on_control_received(void) {
    uint32_t count = AT(EP0_OUT_BUFFER) & LENGTH;
    if (count != sizeof line_coding) return;
    for (uint32_t i = 0; i < count; i++)
        line_coding[i] = ((const volatile uint8_t *)(USB_RAM + EP0_DATA))[i];
    control_accept();
}

/* ---- the line ---- */

static void on_received(void) {
    const volatile uint8_t *from = (const volatile uint8_t *)(USB_RAM + EP2_OUT_DATA);
    uint32_t count = AT(EP2_OUT_BUFFER) & LENGTH;
    while (count--) received[received_in++ % RECEIVED] = *from++;
    is_receiving = 0;
}

static void send_more(void) {
    volatile uint8_t *to = (volatile uint8_t *)(USB_RAM + EP2_IN_DATA);
    uint32_t count = 0;
    if (is_sending || !is_configured || sending_in == sending_out) return;
    while (count < SENT_MOST && sending_out != sending_in) to[count++] = sending[sending_out++ % SENDING];
    is_sending = 1;
    hand_over(EP2_IN_BUFFER, FULL | (in_pid ? DATA1 : 0) | count);
    in_pid ^= 1;
}

uint8_t usb_take(uint8_t *byte) {
    if (received_in == received_out) return 0;
    *byte = received[received_out++ % RECEIVED];
    return 1;
}

uint8_t usb_is_open(void) { return is_open; }

uint8_t usb_put(const uint8_t *bytes, uint16_t count) {
    if (sending_in - sending_out + count > SENDING) return 0;
    while (count--) sending[sending_in++ % SENDING] = *bytes++;
    return 1;
}

/* ---- the controller ---- */

void usb_poll(void) {
    uint32_t status = AT(USB_SIE_STATUS), done;
    if (status & SIE_BUS_RESET) {
        AT(USB_ADDRESS) = 0;
        configure(0);
        memset(&control, 0, sizeof control);
        AT(USB_SIE_STATUS) = SIE_BUS_RESET;
    }
    done = AT(USB_BUFF_STATUS);
    AT(USB_BUFF_STATUS) = done;
    if (done & DONE_EP0_IN) on_control_sent();
    if (done & DONE_EP0_OUT) on_control_received();
    if (done & DONE_EP2_IN) is_sending = 0;
    if (done & DONE_EP2_OUT) on_received();
    if (status & SIE_SETUP) {
        AT(USB_SIE_STATUS) = SIE_SETUP;
        on_setup();
    }
    receive_more();
    send_more();
}

void usb_begin(void) {
    for (uint32_t i = 0; i < 4096; i += 4) AT(USB_RAM + i) = 0;
    AT(USB_MUXING) = BIT(0) | BIT(3); /* to the chip's own pins */
    AT(USB_PWR) = BIT(2) | BIT(3);    /* the bus has power: no pin says so */
    AT(USB_MAIN_CTRL) = BIT(0);
    AT(USB_SIE_CTRL) = SIE_EP0_INTERRUPTS;
    AT(USB_INTE) = BIT(4) | BIT(12) | BIT(16); /* a buffer is done, the bus is reset, a request */
    SET(USB_SIE_CTRL) = SIE_PULL_UP;
}
