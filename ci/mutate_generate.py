"""Finds the mutants of a translation unit, and writes files that contain all of them.

A mutant replaces an expression or a statement by an alternative.  Alternatives consist of the text as written, so no
alternative contains another mutant.  See OPERATORS for what is changed, and SKIPPED_* for what is left alone.
"""
import collections
import dataclasses
import re

from mutate_syntax import Kind, Type, Unit, Uses, flat, shown

# For compiling mutants: no warnings, and gcc 14 makes an error of the mixture of a pointer and a number.
QUIET = ("-w", "-Wno-error=int-conversion")

OPERATORS = {
    "relational": "< and <=, > and >=, == and != are exchanged",
    "logical": "&& and || are exchanged, one of their operands decides alone, ! is removed",
    "condition": "the condition of if, while or ?: is negated",
    "literal": "an integer, a bound or a truth value is off by one",
    "call removed": "a statement that is a call is removed",
    "assignment removed": "a statement that assigns is removed",
    "return removed": "a return that statements follow is removed",
    "status": "a status of another code",
    "enumerator": "the next enumerator of the same type",
    "error becomes OK": "success instead of a status",
    "status ignored": "the function is called, but its status is dropped",
    "swapped arguments": "two neighbouring arguments of one type are exchanged",
    "jump": "break and continue are exchanged or removed",
    "first element lost": "a loop over numbers begins with 1 instead of 0",
    "last element lost": "a loop over numbers ends one earlier",
    "stale look-up": "a look-up returns what its first call returned",
    "value lost": "zero or null instead of a value that a rule's mark governs and that has no other mutant",
}

# Assertions, marks without effect, and events of the trace, which have tests of their own.
SKIPPED_MACROS = {"CHECK", "CHECK_IMPLIES", "CHECK_SLOW", "UNREACHABLE", "RT_TRACE", "RT_COMMAND_TRACE", "RT_TEXT_ARG",
                  "static_assert", "_Static_assert", "assert"}
# Constants of a configuration.  Without them in their conditions, calls would need functions that it does not have.
CONFIGURATIONS = re.compile(r"\bSIM_CHECKED\b")
# Calls whose arguments are messages; only the code of a status is changed in them.
MESSAGE_CALL = re.compile(r"(^|_)(fail|fail_naming|fail_prefixed|panic|v?f?printf|v?snprintf|warn|perror|fputs|puts)$"
                          r"|^(refuse|report)$|_report$")
# Calls that only give something back, only write a trace, or only let a test run another thread.
FREE_CALL = re.compile(r"(^|_)(free|destroy)$|^(rt_arena_reset|close|fclose|munmap|dlclose)$|Dispose|^rt_trace_"
                       r"|^rt_handover_point$"
                       r"|^__builtin|^va_(start|end)$")
SYMMETRIC_CALL = re.compile(r"(^|_)(equals?|same|is|min|max|add|and|or|xor|alloc_array|memcmp|strcmp|strncmp)$"
                            r"|^operator")
LOOKUP_CALL = re.compile(r"(^|_)(find|lookup|get)(_|$)")
STATUS_ENUM = "rt_code"
STATUS_TYPE = "rt_status"
MARK = re.compile(r"RULE\s*\(\s*(\w+)\s*,\s*")

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGICAL = {"&&": "||", "||": "&&"}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlL]*)")
ASSIGNMENTS = (Kind.COMPOUND_ASSIGNMENT_OPERATOR,)
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION,
             Kind.FUNCTION_TEMPLATE}
SCOPES = {Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL, Kind.STRUCT_DECL, Kind.CLASS_DECL,
          Kind.CLASS_TEMPLATE, Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
# Calls that only free or release something, or only write to the trace.
CONSTANT = {Kind.CXX_UNARY_EXPR, Kind.STRUCT_DECL, Kind.UNION_DECL, Kind.CLASS_DECL, Kind.ENUM_DECL, Kind.TYPEDEF_DECL,
            Kind.STATIC_ASSERT, Kind.GENERIC_SELECTION_EXPR, Kind.ASM_STMT, Kind.TYPE_REF, Kind.TEMPLATE_REF,
            Kind.ADDR_LABEL_EXPR}
TRANSPARENT = {Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR}


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    function: str
    operator: str
    start: int       # the range that is replaced
    end: int
    is_statement: bool
    alternative: str  # on one line, in Latin-1
    line: int
    original: str    # these two for people
    mutated: str
    rules: tuple     # ids of the rule marks in the same condition, such as "DL_RESOLVE_09"
    mark: tuple = () # the innermost mark around it: its id and its place; empty: none
    nth: int = 1     # among the mutants of the function with the same operator and texts

    @property
    def key(self):
        """Identifies the mutant for as long as its function does not change."""
        return self.file, self.function, self.operator, self.original, self.mutated, self.nth


@dataclasses.dataclass(frozen=True)
class Context:
    """Where the walk is."""
    function: str
    follows: bool = False    # statements follow in the function
    in_loop: bool = False
    breaks: str = ""         # what a break leaves: "loop", "switch" or ""
    rules: tuple = ()
    is_message: bool = False

    def but(self, **changes):
        return dataclasses.replace(self, **changes)


class Generator:
    """The mutants of the wanted files that a unit includes.  `source_of(name)` returns the Source of a file."""

    def __init__(self, unit, source_of):
        self.unit = unit
        self.source_of = source_of
        self.found = {}
        uses = {}
        for cursor, (name, start, end) in unit.top():
            if cursor.kind == Kind.MACRO_INSTANTIATION:
                uses.setdefault(name, []).append((start, end, cursor.spelling))
        unit.uses = {(name, start): end for name, found in uses.items() for start, end, _ in found}
        self.uses_by_file = uses
        self.uses = {}
        self.marks = {}

    def mutants(self):
        for cursor, _ in self.unit.top():
            self.declaration(cursor)
        return list(self.found.values())

    # ---- Places --------------------------------------------------------------------------------

    def uses_in(self, name):
        if name not in self.uses:
            self.uses[name] = Uses(self.source_of(name).code, self.uses_by_file.get(name, ()))
        return self.uses[name]

    def spelled(self, cursor):
        """(name, start, end) if the text there is the node, or None."""
        where = self.unit.range_of(cursor)
        return where if where and self.uses_in(where[0]).hold(*where[1:]) else None

    def said(self, cursor):
        """The text of a node on one line, or None if it cannot be repeated elsewhere."""
        where = self.spelled(cursor) or self.use_of(cursor)
        if not where:
            return None
        name, start, end = where
        source = self.source_of(name)
        return None if re.search(r"^\s*#", source.code[start:end], re.MULTILINE) else source.said(start, end)

    def use_of(self, cursor):
        """(name, start, end) if the node is what a macro without arguments of its own stands for, or None."""
        where = self.unit.range_of(cursor)
        return where if where and where[1:] in self.uses_in(where[0]).ranges else None

    def rules_in(self, where):
        name, start, end = where
        code, uses = self.source_of(name).code, self.uses_in(name)
        found = []
        for s, e in uses.within(start, end, "RULE"):
            match = MARK.match(code, s, e)
            found += [match.group(1)] if match else []
        return tuple(sorted(set(found)))

    def marks_in(self, name):
        """[(start, end, id, place)] of the expressions of the rule marks of a file; `place` is that of the mark."""
        if name not in self.marks:
            code, found = self.source_of(name).code, []
            for start, end, macro in self.uses_in(name).uses:
                match = MARK.match(code, start, end) if macro == "RULE" else None
                if match:
                    last = len(code[:end - 1].rstrip())
                    found.append((match.end(), last, match.group(1), start))
            self.marks[name] = found
        return self.marks[name]

    def mark_of(self, name, start, end):
        """(id, place) of the innermost mark around a range, or ()."""
        around = [mark for mark in self.marks_in(name) if mark[0] <= start and end <= mark[1]]
        return max(around)[2:] if around else ()

    def add(self, where, context, operator, alternative, is_statement=False):
        name, start, end = where
        source = self.source_of(name)
        if SKIPPED_MACROS.intersection(self.uses_in(name).around(start, end)):
            return
        said = source.said(start, end)
        if not is_statement and CONFIGURATIONS.search(said):
            return
        mutant = Mutant(name, context.function, operator, start, end, is_statement, alternative, source.line_of(start),
                        shown(said), "removed" if alternative == ";" else shown(alternative), context.rules,
                        self.mark_of(name, start, end))
        if mutant.original != mutant.mutated:
            self.found.setdefault((name, start, end, alternative), mutant)

    # ---- Declarations --------------------------------------------------------------------------

    def declaration(self, cursor):
        if cursor.kind in SCOPES:
            for child in cursor.get_children():
                self.declaration(child)
        elif cursor.kind in FUNCTIONS and cursor.is_definition():
            tokens = self.head_of(cursor)
            if not re.search(r"\bconst(expr|eval)\b", tokens):
                for child in cursor.get_children():
                    if child.kind == Kind.COMPOUND_STMT:
                        self.statement(child, Context(cursor.spelling))

    def head_of(self, cursor):
        where = self.unit.range_of(cursor)
        if not where:
            return ""
        code = self.source_of(where[0]).code
        return code[where[1]:code.find("{", where[1]) + 1]

    # ---- Statements ----------------------------------------------------------------------------

    def statement(self, cursor, context):
        handler = STATEMENTS.get(cursor.kind)
        if handler:
            handler(self, cursor, context)
        elif cursor.kind not in CONSTANT:
            self.expression_statement(cursor, context)

    def compound(self, cursor, context):
        children = list(cursor.get_children())
        for i, child in enumerate(children):
            self.statement(child, context.but(follows=context.follows or i + 1 < len(children)))

    def last_child(self, cursor, context):
        """A label, or a case whose value is a constant."""
        children = list(cursor.get_children())
        if children:
            self.statement(children[-1], context)

    def if_statement(self, cursor, context):
        children = list(cursor.get_children())
        condition, branches = children[0], children[1:]
        rules = self.condition(condition, context)
        for branch in branches:
            is_block = branch.kind in (Kind.COMPOUND_STMT, Kind.IF_STMT)
            self.statement(branch, context if is_block else context.but(rules=context.rules + rules))

    def condition(self, cursor, context, negates=True):
        """Visits a condition; returns the rules in it."""
        if cursor.kind in (Kind.DECL_STMT, Kind.VAR_DECL):
            self.statement(cursor, context)
            return ()
        where = self.unit.range_of(cursor)
        rules = self.rules_in(where) if where else ()
        context = context.but(rules=rules)
        if negates:
            self.negate(cursor, context)
        self.expression(cursor, context)
        return rules

    def negate(self, cursor, context):
        inner = self.bare(cursor)
        where, said = self.spelled(cursor), self.said(cursor)
        # These conditions are negated as mutants of their operators.
        is_comparison = inner.kind == Kind.BINARY_OPERATOR and (self.operator_of(inner) or ("",))[0] in ("==", "!=")
        is_not = inner.kind == Kind.UNARY_OPERATOR and (self.said(inner) or "").startswith("!")
        if where and said and not is_comparison and not is_not and inner.kind != Kind.INTEGER_LITERAL:
            self.add(where, context, "condition", f"!({said})")

    def while_statement(self, cursor, context):
        children = list(cursor.get_children())
        is_do = cursor.kind == Kind.DO_STMT
        condition, body = (children[-1], children[0]) if is_do else (children[0], children[-1])
        if is_do and self.try_statement(cursor, context):
            return
        self.condition(condition, context, negates=not is_do)
        self.statement(body, context.but(in_loop=True, breaks="loop"))

    def try_statement(self, cursor, context):
        """RT_TRY(call) as a statement; true if it is a macro's, whose arguments are then visited."""
        where = self.use_of(cursor)
        if not where:
            return False
        name, start, end = where
        source = self.source_of(name)
        end_statement = self.end_of_statement(name, end)
        match = re.match(r"RT_TRY\s*\((.*)\)$", source.said(start, end), re.DOTALL)
        if match and end_statement:
            place = (name, start, end_statement)
            self.add(place, context, "status ignored", f"(void)({match.group(1)});", True)
            self.add(place, context, "call removed", ";", True)
        self.arguments_of_macro(cursor, context)
        return True

    def arguments_of_macro(self, cursor, context):
        """Visits the largest parts below a node that are written in the file."""
        for child in cursor.get_children():
            where = self.unit.range_of(child)
            if where and self.spelled(child):
                self.expression(child, context.but(rules=context.rules + self.rules_in(where)))
            else:
                self.arguments_of_macro(child, context)

    def for_statement(self, cursor, context):
        children = list(cursor.get_children())
        where = self.unit.range_of(cursor)
        body = children.pop()
        if self.only_frees(body):
            return
        inner = context.but(in_loop=True, breaks="loop")
        semicolons = self.semicolons(where) if where else None
        for child in children:
            place = self.unit.range_of(child)
            if not semicolons or not place:
                self.expression(child, context)
            elif place[1] < semicolons[0]:
                self.loop_begin(child, context)
            elif place[1] < semicolons[1]:
                self.loop_end(child, context)
            else:
                self.expression(child, context)
        self.statement(body, inner)

    def only_frees(self, cursor):
        """True if a statement consists of calls that free something."""
        inner = self.bare(cursor)
        if inner.kind in (Kind.COMPOUND_STMT, Kind.FOR_STMT) and not self.use_of(cursor):
            children = list(inner.get_children())
            statements = children if inner.kind == Kind.COMPOUND_STMT else children[-1:]
            return bool(statements) and all(self.only_frees(child) for child in statements)
        where = self.use_of(cursor)
        name = self.uses_in(where[0]).ranges[where[1:]] if where else \
            inner.spelling if inner.kind == Kind.CALL_EXPR else ""
        return FREE_CALL.search(name or "") is not None

    def semicolons(self, where):
        """Places of the two semicolons in the head of a for."""
        name, start, end = where
        code = self.source_of(name).code
        depth, found = 0, []
        for at in range(code.find("(", start), end):
            depth += (code[at] in "([{") - (code[at] in ")]}")
            if code[at] == ";" and depth == 1:
                found.append(at)
            if len(found) == 2:
                return found
        return None

    def loop_begin(self, cursor, context):
        for variable in cursor.get_children() if cursor.kind == Kind.DECL_STMT else ():
            initial = self.initialiser(variable)
            where = self.spelled(initial) if initial is not None else None
            if where and self.bare(initial).kind == Kind.INTEGER_LITERAL and self.said(initial) == "0":
                self.add(where, context, "first element lost", "1")
        if cursor.kind == Kind.DECL_STMT:
            self.declared(cursor, context)
        else:
            self.expression(cursor, context)

    def loop_end(self, cursor, context):
        self.condition(cursor, context, negates=False)
        inner = self.bare(cursor)
        operation = self.operator_of(inner) if inner.kind == Kind.BINARY_OPERATOR else None
        if not operation or operation[0] not in ("<", "<="):
            return
        left, right = inner.get_children()
        texts, where = (self.said(left), self.said(right)), self.spelled(inner)
        if where and all(texts) and self.is_integer(left.type):
            self.add(where, context.but(rules=self.rules_in(where)), "last element lost",
                     f"({texts[0]}) + 1 {operation[0]} {texts[1]}")

    @staticmethod
    def is_integer(given):
        canonical = given.get_canonical().kind
        return Type.BOOL.value < canonical.value <= Type.INT128.value or canonical == Type.ENUM

    def range_for(self, cursor, context):
        children = list(cursor.get_children())
        for child in children[:-1]:
            if child.kind != Kind.VAR_DECL:
                self.expression(child, context)
        self.statement(children[-1], context.but(in_loop=True, breaks="loop"))

    def switch_statement(self, cursor, context):
        children = list(cursor.get_children())
        self.expression(children[0], context)
        self.statement(children[-1], context.but(breaks="switch"))

    def end_of_statement(self, name, end):
        """The place after the semicolon that ends a statement, or None if it is not written there."""
        code = self.source_of(name).code
        match = re.compile(r"\s*;").match(code, end)
        return match.end() if match else None

    def statement_place(self, cursor):
        where = self.spelled(cursor)
        end = self.end_of_statement(where[0], where[2]) if where else None
        return (where[0], where[1], end) if end and self.said(cursor) else None

    def return_statement(self, cursor, context):
        place = self.statement_place(cursor)
        if place and context.follows:
            self.add(place, context, "return removed", ";", True)
        for child in cursor.get_children():
            where, said = self.unit.range_of(child), self.said(child)
            inner = context.but(rules=context.rules + (self.rules_in(where) if where else ()))
            if where and said and child.type.spelling == STATUS_TYPE and "RT_STATUS_OK" not in said:
                self.success(child, said, where, inner)
            self.expression(child, inner)

    def success(self, cursor, said, where, context):
        """A status that becomes RT_STATUS_OK.  The call that made it happens nevertheless, unless it made a failure."""
        call = self.bare(cursor)
        # A use of rt_fail is a call of rt_sink_fail.
        is_call = call.kind == Kind.CALL_EXPR and not MESSAGE_CALL.search(call.spelling)
        if where[1:] in self.uses_in(where[0]).ranges and is_call:
            return
        if is_call:
            self.add(where, context, "status ignored", f"((void)({said}), RT_STATUS_OK)")
        else:
            self.add(where, context, "error becomes OK", "RT_STATUS_OK")

    def jump(self, cursor, context):
        place = self.statement_place(cursor)
        if not place:
            return
        is_break = cursor.kind == Kind.BREAK_STMT
        if is_break and context.in_loop or not is_break:
            self.add(place, context, "jump", "continue;" if is_break else "break;", True)
        self.add(place, context, "jump", ";", True)

    def declared(self, cursor, context):
        for child in cursor.get_children():
            if child.kind != Kind.VAR_DECL or child.storage_class.name == "STATIC":
                continue
            if re.search(r"\bconstexpr\b|\bstatic\b", self.head_of_variable(child)):
                continue
            initial = self.initialiser(child)
            if initial is not None:
                where = self.unit.range_of(initial)
                self.expression(initial, context.but(rules=self.rules_in(where) if where else ()))

    def head_of_variable(self, cursor):
        where = self.unit.range_of(cursor)
        return self.source_of(where[0]).code[where[1]:where[2]].split("=")[0] if where else ""

    def initialiser(self, variable):
        """The expression after the = of a variable; sizes of arrays precede it."""
        children = [child for child in variable.get_children() if child.kind.is_expression()]
        where = self.unit.range_of(variable)
        if not children or not where:
            return None
        place = self.unit.range_of(children[-1])
        if not place or place[0] != where[0]:
            return None
        between = self.source_of(where[0]).code[where[1]:place[1]]
        is_written = "=" in between or place[1:] == where[1:] or between.rstrip().endswith(("(", "{")) \
            or children[-1].kind in (Kind.CALL_EXPR, Kind.INIT_LIST_EXPR)
        return children[-1] if is_written else None

    def expression_statement(self, cursor, context):
        place, where = self.statement_place(cursor), self.unit.range_of(cursor)
        context = context.but(rules=context.rules + (self.rules_in(where) if where else ()))
        if place:
            operator = self.removal(cursor)
            if operator:
                self.add(place, context, operator, ";", True)
        if self.use_of(cursor):
            self.arguments_of_macro(cursor, context)
        else:
            self.expression(cursor, context)

    def removal(self, cursor):
        """The operator that removes an expression that is a statement, or None."""
        inner = self.bare(cursor)
        if inner.kind == Kind.CSTYLE_CAST_EXPR and inner.type.kind == Type.VOID:
            inner = self.bare(list(inner.get_children())[-1])
        if inner.kind == Kind.CALL_EXPR:
            if inner.spelling == "operator=":
                return "assignment removed"
            return None if FREE_CALL.search(inner.spelling or "") or self.is_printed(inner) else "call removed"
        is_assignment = inner.kind in ASSIGNMENTS or \
            inner.kind == Kind.BINARY_OPERATOR and (self.operator_of(inner) or ("",))[0] == "=" or \
            inner.kind == Kind.UNARY_OPERATOR and re.search(r"^(\+\+|--)|(\+\+|--)$", self.said(inner) or "")
        return "assignment removed" if is_assignment else None

    @staticmethod
    def is_printed(cursor):
        return re.search(r"(^|_)(v?fprintf|printf|perror|fputs|puts)$", cursor.spelling or "")

    # ---- Expressions ---------------------------------------------------------------------------

    @staticmethod
    def bare(cursor):
        """The node without implicit conversions and parentheses."""
        while cursor.kind in TRANSPARENT:
            children = list(cursor.get_children())
            if len(children) != 1:
                break
            cursor = children[0]
        return cursor

    def operator_of(self, cursor):
        """(text, start, end) of a binary operator, or None if it is not written between its operands."""
        children = list(cursor.get_children())
        if len(children) != 2:
            return None
        left, right = self.unit.range_of(children[0]), self.unit.range_of(children[1])
        if not left or not right or left[0] != right[0]:
            return None
        between = self.source_of(left[0]).code[left[2]:right[1]]
        text = between.strip()
        if not re.fullmatch(r"[-+*/%<>=!&|^]+", text):
            return None
        start = left[2] + between.find(text)
        return text, start, start + len(text)

    def expression(self, cursor, context):
        if cursor.kind in CONSTANT:
            return
        if cursor.kind == Kind.COMPOUND_STMT:  # of a lambda or a statement expression
            self.statement(cursor, Context(context.function))
            return
        if cursor.kind == Kind.DECL_STMT:
            self.declared(cursor, context)
            return
        where = self.unit.range_of(cursor)
        is_marked = where is not None and any(mark[:2] == where[1:] for mark in self.marks_in(where[0]))
        if is_marked:
            self.marked(cursor, where, context)
        handler = EXPRESSIONS.get(cursor.kind)
        if not handler or not handler(self, cursor, context):
            for child in cursor.get_children():
                self.expression(child, context)
        if is_marked:
            self.marked_value(cursor, where, context)

    def marked(self, cursor, where, context):
        """The mutants of the whole expression of a rule's mark."""
        inner, said = self.bare(cursor), self.said(cursor)
        if said is None:
            return
        if self.is_truth(inner):
            operator = self.operator_of(inner) if inner.kind == Kind.BINARY_OPERATOR else None
            # These are negated as mutants of their operators.
            if not (operator and operator[0] in ("==", "!=")) and not said.startswith("!"):
                self.add(where, context, "condition", f"!({said})")
        elif inner.type.spelling == STATUS_TYPE:
            is_call = inner.kind == Kind.CALL_EXPR and not MESSAGE_CALL.search(inner.spelling)
            self.add(where, context, "call removed" if is_call else "error becomes OK", "RT_STATUS_OK")
        elif inner.type.get_canonical().kind == Type.VOID:
            self.add(where, context, "call removed", "(void)0")
        elif self.removal(inner) == "assignment removed":
            target = self.said(next(inner.get_children()))
            if target:
                self.add(where, context, "assignment removed", target)

    def marked_value(self, cursor, where, context):
        """A marked expression without any other mutant is a value, which is lost; so is what a look-up finds."""
        name, start, end = where
        said = self.said(cursor)
        if said and not any(mutant.operator != "stale look-up" and mutant.file == name and start <= mutant.start
                            and mutant.end <= end for mutant in self.found.values()):
            self.add(where, context, "value lost", f"MUTANT_ZERO({said})")

    def is_truth(self, cursor):
        """True for a condition: in C, most have the type int."""
        cursor = self.bare(cursor)
        children = list(cursor.get_children())
        if cursor.type.get_canonical().kind == Type.BOOL:
            return True
        if cursor.kind == Kind.BINARY_OPERATOR:
            operation = self.operator_of(cursor)
            return operation is not None and operation[0] in (*RELATIONS, *LOGICAL)
        if cursor.kind == Kind.CONDITIONAL_OPERATOR:
            return all(self.is_truth(child) for child in children[1:])
        return cursor.kind == Kind.UNARY_OPERATOR and (self.said(cursor) or "").startswith("!")

    def binary(self, cursor, context):
        where, operation = self.spelled(cursor), self.operator_of(cursor)
        if not where or not operation or context.is_message:
            return
        texts = [self.said(child) for child in cursor.get_children()]
        text = operation[0]
        if None in texts:
            return
        if text in RELATIONS:
            self.add(where, context, "relational", f"{texts[0]} {RELATIONS[text]} {texts[1]}")
        elif text in LOGICAL:
            self.add(where, context, "logical", f"{texts[0]} {LOGICAL[text]} {texts[1]}")
            for operand in texts:
                self.add(where, context, "logical", operand)

    def unary(self, cursor, context):
        where, said = self.spelled(cursor), self.said(cursor)
        children = list(cursor.get_children())
        operand = self.said(children[0]) if len(children) == 1 else None
        # A marked operand is negated as the mark's own mutant.
        if where and said and operand and said.startswith("!") and not context.is_message \
                and not re.match(r"RULE\b", operand):
            # The operand may be a pointer, which is not a truth value in every context.
            self.add(where, context, "logical", f"!!{operand}")

    def chosen(self, cursor, context):
        children = list(cursor.get_children())
        if len(children) == 3 and self.spelled(cursor) and not context.is_message:
            self.negate(children[0], context)

    def literal(self, cursor, context):
        where = self.spelled(cursor)
        if context.is_message:
            return
        if not where:
            use = self.use_of(cursor)
            name = self.uses_in(use[0]).ranges[use[1:]] if use else ""
            if name in ("true", "false"):
                self.add(use, context, "literal", "false" if name == "true" else "true")
            return
        match = INTEGER.fullmatch(self.said(cursor) or "")
        if not match:
            return
        digits, suffix = match.group(1).replace("'", ""), match.group(2)
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" and len(digits) > 1 else 10
        value = int(digits, base)
        for other in (value + 1, value - 1):
            if other >= 0:
                self.add(where, context, "literal", (f"{other:#x}" if base == 16 else str(other)) + suffix)

    def truth(self, cursor, context):
        where, said = self.spelled(cursor), self.said(cursor)
        if where and said in ("true", "false") and not context.is_message:
            self.add(where, context, "literal", "false" if said == "true" else "true")

    def name(self, cursor, context):
        named = cursor.referenced
        if named is None or named.kind != Kind.ENUM_CONSTANT_DECL:
            return
        where, said = self.spelled(cursor), self.said(cursor)
        kind = named.semantic_parent
        if not where or not said or not re.search(rf"(^|::\s*){re.escape(named.spelling)}$", said):
            return
        is_code = kind.spelling == STATUS_ENUM or kind.type.spelling == STATUS_ENUM
        if context.is_message and not is_code or named.spelling.startswith(("RT_RULE_", "memory_order")):
            return
        values = [child for child in kind.get_children() if child.kind == Kind.ENUM_CONSTANT_DECL]
        if self.is_bound(kind, values):
            for change in ("+ 1", "- 1") if named.enum_value > 0 else ("+ 1",):
                self.add(where, context, "literal", f"{said} {change}")
            return
        at = [value.spelling for value in values].index(named.spelling)
        others = [value for value in values[at + 1:] + values[:at]
                  if value.enum_value != named.enum_value and not re.search(r"_(COUNT|MAX|OK)$", value.spelling)]
        if others:
            prefix = said[:-len(named.spelling)]
            self.add(where, context, "status" if is_code else "enumerator", prefix + others[0].spelling)

    @staticmethod
    def is_bound(kind, values):
        """True for enumerators without a type, which are constants."""
        return len(values) == 1 or re.search(r"\(unnamed|\(anonymous", kind.type.spelling) is not None \
            and kind.semantic_parent.kind == Kind.TRANSLATION_UNIT and any(v.enum_value > len(values) for v in values)

    def call(self, cursor, context):
        """Visits a call; true, because it visits the arguments itself."""
        name = cursor.spelling or ""
        if FREE_CALL.search(name):
            return True
        arguments = list(cursor.get_arguments())
        is_message = bool(MESSAGE_CALL.search(name)) or context.is_message
        where = self.spelled(cursor)
        if where and not is_message:
            if not SYMMETRIC_CALL.search(name):
                self.swap(cursor, arguments, where, context)
            self.stale(cursor, name, where, context)
            if name in ("operator==", "operator!="):
                self.compared(cursor, where, context)
        inner = context.but(is_message=is_message)
        if not name.startswith("__"):
            for child in cursor.get_children():
                self.expression(child, inner)
        return True

    def compared(self, cursor, where, context):
        """An overloaded comparison, whose operands are the first and the last child."""
        children = list(cursor.get_children())
        left, right = self.said(children[0]), self.said(children[-1])
        if len(children) == 3 and left and right:
            other = "!=" if cursor.spelling == "operator==" else "=="
            self.add(where, context, "relational", f"{left} {other} {right}")

    def swap(self, cursor, arguments, where, context):
        texts = [self.said(argument) for argument in arguments]
        places = [self.spelled(argument) or self.use_of(argument) for argument in arguments]
        if None in texts or None in places:
            return
        name, start, end = where
        source = self.source_of(name)
        for i in range(len(arguments) - 1):
            first, second = arguments[i], arguments[i + 1]
            if first.type.get_canonical().spelling != second.type.get_canonical().spelling or texts[i] == texts[i + 1]:
                continue
            if not start <= places[i][1] < places[i][2] <= places[i + 1][1] < places[i + 1][2] <= end:
                continue  # a default argument, or an operand of an operator
            between = source.text[places[i][2]:places[i + 1][1]]
            self.add(where, context, "swapped arguments",
                     flat(source.text[start:places[i][1]] + texts[i + 1] + between + texts[i] +
                          source.text[places[i + 1][2]:end]))

    def stale(self, cursor, name, where, context):
        result = cursor.type.get_canonical().kind
        is_simple = result == Type.POINTER or self.is_integer(cursor.type) or \
            result == Type.RECORD and where[0].endswith((".c", ".h", ".inc"))
        said = self.said(cursor)
        if LOOKUP_CALL.search(name) and is_simple and said and list(cursor.get_arguments()):
            self.add(where, context, "stale look-up", f"MUTANT_FIRST({said})")

    def initialisers(self, cursor, context):
        """{0} is a way to write 'empty'."""
        said = self.said(cursor)
        return said is not None and re.fullmatch(r"\{\s*0?\s*\}", said) is not None

    def unexposed(self, cursor, context):
        """Conversions, null pointers, designated initialisers and shuffles, whose designators and lanes are constants."""
        said = self.said(cursor) or ""
        children = list(cursor.get_children())
        if said[:1] in ("[", ".") and len(children) > 1:
            self.expression(children[-1], context)
            return True
        if said.startswith("__builtin_shufflevector"):
            for vector in children[:2]:
                self.expression(vector, context)
            return True
        is_null = len(children) == 1 and cursor.type.get_canonical().kind in (Type.POINTER, Type.NULLPTR) and \
            self.bare(children[0]).kind == Kind.INTEGER_LITERAL
        return is_null


STATEMENTS = {
    Kind.COMPOUND_STMT: Generator.compound,
    Kind.IF_STMT: Generator.if_statement,
    Kind.WHILE_STMT: Generator.while_statement,
    Kind.DO_STMT: Generator.while_statement,
    Kind.FOR_STMT: Generator.for_statement,
    Kind.CXX_FOR_RANGE_STMT: Generator.range_for,
    Kind.SWITCH_STMT: Generator.switch_statement,
    Kind.CASE_STMT: Generator.last_child,
    Kind.DEFAULT_STMT: Generator.last_child,
    Kind.LABEL_STMT: Generator.last_child,
    Kind.RETURN_STMT: Generator.return_statement,
    Kind.BREAK_STMT: Generator.jump,
    Kind.CONTINUE_STMT: Generator.jump,
    Kind.DECL_STMT: Generator.declared,
    Kind.NULL_STMT: lambda *_: None,
    Kind.GOTO_STMT: lambda *_: None,
}
# Handlers return true if they have visited what is below, or nothing below is to be visited.
EXPRESSIONS = {
    Kind.BINARY_OPERATOR: Generator.binary,
    Kind.UNARY_OPERATOR: Generator.unary,
    Kind.CONDITIONAL_OPERATOR: Generator.chosen,
    Kind.INTEGER_LITERAL: Generator.literal,
    Kind.CXX_BOOL_LITERAL_EXPR: Generator.truth,
    Kind.DECL_REF_EXPR: Generator.name,
    Kind.CALL_EXPR: Generator.call,
    Kind.INIT_LIST_EXPR: Generator.initialisers,
    Kind.UNEXPOSED_EXPR: Generator.unexposed,
}


def generate(path, arguments, wanted, source_of):
    """The mutants in the wanted files of a translation unit."""
    return Generator(Unit(path, arguments, wanted), source_of).mutants()


# ---- Writing -----------------------------------------------------------------------------------

def without_repeats(mutants):
    """Drops mutants whose place and alternative other units have too; sorts by place, and counts equal keys."""
    found = {}
    for mutant in mutants:
        found.setdefault((mutant.file, mutant.start, mutant.end, mutant.alternative), mutant)
    counts, kept = collections.Counter(), []
    for mutant in sorted(found.values(), key=lambda m: (m.file, m.start, -m.end, m.is_statement, m.alternative)):
        counts[mutant.key] += 1
        kept.append(dataclasses.replace(mutant, nth=counts[mutant.key]))
    return kept


def instrumented(text, numbered):
    """The text (Latin-1) with the mutants in it: `numbered` is [(number, mutant)] of the file."""
    groups = {}
    for number, mutant in numbered:
        groups.setdefault((mutant.start, mutant.end, mutant.is_statement), []).append((number, mutant))
    inserted = []
    for (start, end, is_statement), rows in groups.items():
        if is_statement:
            head = "{ " + "".join(f"if (MUTANT({n})) {{ {m.alternative} }} else " for n, m in rows)
            tail = " }"
        else:
            head = "(" + "".join(f"MUTANT({n}) ? ({m.alternative}) : " for n, m in rows) + "("
            tail = "))"
        # Of what begins at one place the longest comes first, and of what ends at one place the shortest.
        inserted.append((start, 1, -end, not is_statement, head))
        inserted.append((end, 0, -start, is_statement, tail))
    parts, at = [], 0
    for place, _, _, _, added in sorted(inserted):
        parts += [text[at:place], added]
        at = place
    return "".join(parts) + text[at:]
