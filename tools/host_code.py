"""Finds the smallest piece of host code around an error of a preprocessed CUDA source, and what to put in its place."""
import re

TOKEN = re.compile(r'R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\d[\w.\']*|<<<|>>>|::|->|\S', re.S)
ATTRIBUTE = re.compile(r"(?:__attribute__|__declspec|alignas)\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))")
# Also a texture reference, which a kernel reads.
DEVICE = re.compile(r"__attribute__\s*\(\(\s*(?:device|global|constant|shared)\s*\)\)|^texture\s*<")
LAUNCH = re.compile(r"([A-Za-z_]\w*(?:\s*::\s*\w+)*)\s*(<[^;{}]*?>)\s*<<<")
CLOSING = {"(": ")", "[": "]", "{": "}"}
CONTROL = {"if", "for", "while", "switch", "catch"}


class Item:
    """A declaration or statement: text[start:end], and where its parentheses (of a control statement) or its body are."""

    def __init__(self, start):
        self.start = start
        self.end = None
        self.body = None
        self.kind = "simple"
        self.parentheses = None


def _match(tokens, index):
    """Index of the token that closes the bracket at index."""
    stack = []
    while index < len(tokens):
        token = tokens[index].group()
        if token in CLOSING:
            stack.append(CLOSING[token])
        elif token in ")]}":
            while stack and stack.pop() != token:
                pass
            if not stack:
                return index
        index += 1
    return len(tokens) - 1


def _kind_of_braces(head, before):
    """What an opening brace after head begins."""
    if re.match(r'\s*(?:inline\s+)?namespace\b|\s*extern\s*"C"\s*$', head):
        return "scope"
    plain = re.sub(r"template\s*<[^{};]*?>(?=\s*[A-Za-z_])", "", ATTRIBUTE.sub("", head))
    if re.search(r"\benum\b", plain) and "(" not in plain:
        return "initializer"
    if re.search(r"\b(?:struct|class|union)\b", plain) and "(" not in plain and "=" not in plain:
        return "class"
    if re.search(r"\)[^:]*[^:]:[^:]", plain) and re.match(r"[\w>]", before) and before not in ("const", "noexcept", "override"):
        return "initializer"
    if "(" in plain and not re.search(r"(?<![=!<>])=(?!=)", re.sub(r"operator\s*\S+?\s*\(|\([^()]*\)", "(", plain)):
        return "function"
    return "initializer"


def items(text, tokens, first, last, inside_function):
    """The items of tokens[first:last]."""
    result = []
    index = first
    while index < last:
        item = Item(tokens[index].start())
        word = tokens[index].group()
        if inside_function and word in ("else", "do", "try", "{"):
            if word == "{":
                close = min(_match(tokens, index), last - 1)
                item.kind, item.body = "block", (index + 1, close)
                index = close
            item.end = tokens[index].end()
            index += 1
            result.append(item)
            continue
        if inside_function and word in CONTROL and index + 1 < last and tokens[index + 1].group() == "(":
            close = min(_match(tokens, index + 1), last - 1)
            item.kind, item.word = "control", word
            item.parentheses = (tokens[index + 1].start(), tokens[close].end())
            item.end = tokens[close].end()
            index = close + 1
            result.append(item)
            continue
        if not inside_function and word in ("public", "private", "protected") and tokens[min(index + 1, last - 1)].group() == ":":
            index += 2
            continue
        while index < last:
            token = tokens[index].group()
            if token in ("(", "["):
                index = min(_match(tokens, index), last - 1)
            elif token == "{":
                kind = "initializer" if inside_function else _kind_of_braces(
                    text[item.start : tokens[index].start()], tokens[index - 1].group())
                if inside_function and re.match(r"\s*(?:struct|class|union)\b", text[item.start : tokens[index].start()]):
                    kind = "class"
                close = min(_match(tokens, index), last - 1)
                if kind != "initializer" and item.body is None:
                    item.kind, item.body = kind, (index + 1, close)
                index = close
                if kind in ("scope", "function"):
                    break
            elif token == ";" or (inside_function and token == ":" and word in ("case", "default")):
                break
            index += 1
        index = min(index, last - 1)
        item.end = tokens[index].end()
        index += 1
        result.append(item)
    return result


def _instances(text):
    """Expressions that name the kernels which a piece of host code launches with template arguments."""
    return "".join(f"(void)&{name}{arguments};" for name, arguments in dict.fromkeys(LAUNCH.findall(text)))


def _replace(text, start, end, by):
    """An edit that keeps the number of lines."""
    return start, end, by.replace("\n", " ") + "\n" * text.count("\n", start, end)


def _edit_definition(text, item):
    """Takes out a function of the host, but not what it launches."""
    instances = _instances(text[item.start : item.end])
    by = f"static inline void lockstep_launches_{item.start}() {{ {instances} }}" if instances else ";"
    return _replace(text, item.start, item.end, by)


def _edit_statement(text, item):
    if item.kind == "control":
        by = {"for": "(;;)", "catch": "(...)"}.get(item.word, "(1)")
        if text[slice(*item.parentheses)].strip() == by:
            return None
        return _replace(text, *item.parentheses, by)
    statement = text[item.start : item.end]
    if item.kind != "simple" or statement == ";" or statement.startswith(("case", "default")):
        return None
    by = _instances(statement)
    return _replace(text, item.start, item.end, f"{{ {by} }}" if by else ";")


class Scanner:
    """Finds pieces of host code in one state of a source, of which lines whose place is None belong to others."""

    def __init__(self, text, places):
        self._text = text
        self._tokens = []
        self._items = {}
        start, begun = 0, None
        for line, place in zip([*text.split("\n"), ""], [*places, None]):
            if place is not None and begun is None:
                begun = start
            elif place is None and begun is not None:
                self._tokens.extend(TOKEN.finditer(text, begun, start))
                begun = None
            start += len(line) + 1

    def _items_of(self, first, last, inside_function):
        key = (first, last)
        if key not in self._items:
            self._items[key] = items(self._text, self._tokens, first, last, inside_function)
        return self._items[key]

    def edit_for(self, position):
        """(start, end, replacement) that takes the error at position out of the text, or None where it is device code."""
        text, tokens = self._text, self._tokens
        first, last = 0, len(tokens)
        function = None
        while True:
            item = next((item for item in self._items_of(first, last, function is not None)
                         if item.start <= position < item.end), None)
            if not item:
                return _edit_definition(text, function) if function else None
            head_end = tokens[item.body[0] - 1].start() if item.body else item.end
            if function is None and item.kind != "scope" and DEVICE.search(text[item.start : head_end]):
                return None
            if item.body and head_end < position < tokens[item.body[1]].start():
                function = None if item.kind == "class" else item if item.kind == "function" else function
                first, last = item.body
                continue
            if function:
                return _edit_statement(text, item) or _edit_definition(text, function)
            if DEVICE.search(text[item.start : item.end]):
                return None
            if item.kind == "function":
                return _edit_definition(text, item)
            return None if text[item.start : item.end] == ";" else _replace(text, item.start, item.end, ";")
