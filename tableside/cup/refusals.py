"""Why the cup cannot do what is asked of it now."""

from typing import Final

NO_CUP: Final = "no cup is used in this match"
NOT_READY: Final = "the cup is not ready to roll"
NOT_THERE: Final = "the cup is not there to blink"
NO_ROLL_NOW: Final = "nobody rolls now"
ASIDE_ALREADY: Final = "the cup is set aside already"
NOT_ASIDE: Final = "the cup is not set aside"
NO_SEED: Final = "the cup has no seed to tell now"
NO_WORDS_NOW: Final = "words are said between the cup's commitment and its first roll"
