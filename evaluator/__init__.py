"""The part that decides: a prompt, one model call, and the reply read into a Decision."""
