@ The first two vectors in flash; the program itself, which copies everything to RAM and runs there,
@ so that it goes on while the flash is being written; and the vectors in RAM.
        .syntax unified
        .cpu cortex-m0plus
        .thumb
        .section .start, "ax"
        .word stack_top
        .word start + 1
        .global start
        .thumb_func
start:
        ldr   r0, =ram_begin
        ldr   r1, =ram_end
        ldr   r2, =ram_load
1:      cmp   r0, r1
        bhs   2f
        ldm   r2!, {r3}
        stm   r0!, {r3}
        b     1b
2:      ldr   r1, =bss_end
        movs  r3, #0
3:      cmp   r0, r1
        bhs   4f
        stm   r0!, {r3}
        b     3b
4:      ldr   r0, =main
        bx    r0
        .ltorg

        .section .vectors, "a"
        .word stack_top
        .word 0                        @ never reset from here
        .rept 14                       @ faults: wait for the watchdog
        .word hang + 1
        .endr
        .word on_timer                 @ interrupt 0
        .rept 4
        .word hang + 1
        .endr
        .word on_usb                   @ interrupt 5
        .rept 26
        .word hang + 1
        .endr

        .section .text.hang, "ax"
        .thumb_func
hang:   b     hang
