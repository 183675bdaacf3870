"""textwrap for Monty; see prelude.py."""

# mypy: ignore-errors


class _sandbox_textwrap:
    def wrap(text, width=70):
        lines = []
        line = ""
        for word in text.split():
            while len(word) > width:
                room = width - len(line) - 1 if line else width
                if room > 0:
                    line = (line + " " if line else "") + word[:room]
                    word = word[room:]
                lines.append(line)
                line = ""
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = line + " " + word if line else word
        return [*lines, line] if line else lines

    def fill(text, width=70):
        return "\n".join(_sandbox_textwrap.wrap(text, width))

    def shorten(text, width, placeholder=" [...]"):
        words = text.split()
        if len(" ".join(words)) <= width:
            return " ".join(words)
        while words and len(" ".join(words)) + len(placeholder) > width:
            words.pop()
        return (" ".join(words) + placeholder).lstrip()

    def indent(text, prefix, predicate=None):
        parts = text.splitlines(True)
        return "".join([prefix + part if part.strip() else part for part in parts])

    def dedent(text):
        lines = [line if line.strip() else "" for line in text.split("\n")]
        margins = [len(line) - len(line.lstrip()) for line in lines if line]
        margin = min(margins, default=0)
        return "\n".join([line[margin:] for line in lines])
