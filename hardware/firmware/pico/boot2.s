@ The second stage of booting, which the chip's ROM copies to RAM and runs: it makes the flash
@ readable at 0x10000000, with the command 03h that every such flash knows, and starts what follows
@ it there. image.py adds the checksum that the ROM wants after its 252 bytes.
        .syntax unified
        .cpu cortex-m0plus
        .thumb
        .section .boot2, "ax"
        .global boot2
        .thumb_func
boot2:
        ldr   r0, =0x18000000          @ the flash's serial interface
        movs  r1, #0
        str   r1, [r0, #0x08]          @ SSIENR: off, so that it can be set up
        movs  r1, #4
        str   r1, [r0, #0x14]          @ BAUDR: a fourth of the system's clock
        ldr   r1, =0x001F0300          @ CTRLR0: one bit wide, 32 bits at once, command then data
        str   r1, [r0, #0x00]
        ldr   r1, =0x03000218          @ SPI_CTRLR0: command 03h of 8 bits, 24 bits of address
        movs  r2, #0xF4
        str   r1, [r0, r2]
        movs  r1, #0
        str   r1, [r0, #0x04]          @ CTRLR1: one word
        movs  r1, #1
        str   r1, [r0, #0x08]          @ SSIENR: on
        ldr   r0, =0x10000100          @ the stack pointer and the start of the program
        ldm   r0!, {r1, r2}
        msr   msp, r1
        bx    r2
        .ltorg
