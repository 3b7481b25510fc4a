# Code without call frame information: one function that leaves the stack alone, one that keeps a frame pointer, and
# one that only calls on.
        .text

        .globl  bare_leaf
        .type   bare_leaf, @function
bare_leaf:
        leaq    (%rdi,%rdi,4), %rax
        addq    $7, %rax
        xorq    %rdi, %rax
        ret
        .size   bare_leaf, .-bare_leaf

        .globl  bare_frame
        .type   bare_frame, @function
bare_frame:
        pushq   %rbp
        movq    %rsp, %rbp
        subq    $32, %rsp
        movq    $0, (%rsp)
        call    *%rsi
        addq    $1, %rax
        leave
        ret
        .size   bare_frame, .-bare_frame

        .globl  bare_thin
        .type   bare_thin, @function
bare_thin:
        call    *%rsi
        ret
        .size   bare_thin, .-bare_thin

        .section .note.GNU-stack, "", @progbits
