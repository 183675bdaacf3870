"""The part that acts: a new code agent per instruction, in a sandbox, thrown away afterwards."""
