"""What all tests need of the process they run in."""

import signal

# A run that a shell put into the background ignores interrupts, and so would everything that it starts: tests of
# interrupts are about programs that hear them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
