"""The game: positions, dice, plays, rules, judgement, record. Imports nothing of ours."""
