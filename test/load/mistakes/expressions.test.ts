import { describe, expect, it } from 'vitest';
import { CONDITION_SLOTS, FOREACH_SLOTS, VALUE_SLOTS } from './places.js';
import { everywhere, type Mistake, missed } from './table.js';

const type = (expression: string, says: string): Mistake => ({ rule: 'type', expression, says });

/** All are true or false but for their mistake, so that they can stand anywhere. */
const MISTAKES: Readonly<Record<string, Mistake>> = {
  'an unknown step': { rule: 'unknown-step', expression: 'steps.¦aa.output.ok', says: 'no step "aa"' },
  'an unknown step by its key': { rule: 'unknown-step', expression: 'steps[¦"aa"].output.ok', says: 'no step "aa"' },
  'a step inside of a group': {
    rule: 'hidden-step',
    expression: 'steps.¦inner.output == "x"',
    says: 'inside of the group "box"',
  },
  'a field of a step': type('steps.a.¦outptu.ok', 'no field "outptu"'),
  'a field of an output': type('steps.a.output.¦verdct == "go"', 'no field "verdct"'),
  'a field by its key': type('steps.a.output[¦"verdct"] == "go"', 'no field "verdct"'),
  'a field of a field': type('steps.a.output.author.¦nmae == "x"', 'no field "nmae"'),
  'a field in has()': type('has(steps.a.output.¦extar)', 'no field "extar"'),
  'a field of a field in has()': type('has(steps.a.output.author.¦nmae)', 'no field "nmae"'),
  'a path in has()': type('has(steps.a.output.¦autor.name)', 'no field "autor"'),
  'a field in default()': type('default(steps.a.output.¦extar, "x") == "x"', 'no field "extar"'),
  'a field compared with null': type('steps.a.output.¦nite != null', 'no field "nite"'),
  'a key that is never in a map': type('¦"extar" in steps.a.output', 'no field "extar"'),
  'a literal of an enum, ==': type('steps.a.output.verdict == ¦"og"', 'is never "og"'),
  'a literal of an enum, !=': type('steps.a.output.verdict != ¦"og"', 'is never "og"'),
  'a literal of an enum, on the left': type('¦"og" == steps.a.output.verdict', 'is never "og"'),
  'a literal of an enum, in': type('steps.a.output.verdict in ["go", ¦"sotp"]', 'is never "sotp"'),
  'a literal of an enum, !in': type('!(steps.a.output.verdict in [¦"og"])', 'is never "og"'),
  'a status': type('steps.maybe.status == ¦"don"', 'is never "don"'),
  'the tag of a union': type('steps.a.output.event.kind == ¦"fuond"', 'is never "fuond"'),
  'a field of no branch of a union': type('steps.a.output.event.¦ulr == "x"', 'no field "ulr"'),
  'a field of one branch of a union': type('steps.a.output.event.¦url == "x"', 'may be missing'),
  'a field of the other branch': type(
    'steps.a.output.event.kind == "lost" && steps.a.output.event.¦url == "x"',
    'no field "url"',
  ),
  'a field of an item': type('steps.a.output.list[0].¦txt == "x"', 'no field "txt"'),
  'a field of a variable': type('steps.a.output.list.all(i, i.¦txt != "")', 'no field "txt"'),
  'a field of what was mapped': type('steps.a.output.list.map(i, {"t": i.text})[0].¦u == "x"', 'no field "u"'),
  'a field of a bound name': type('cel.bind(v, steps.a.output.author, v.¦nmae == "x")', 'no field "nmae"'),
  'a field of a map that is written out': type('{"x": 1}.¦y == 1', 'no field "y"'),
  'a list by a key': type('steps.a.output.list[¦"x"] == 1', 'no field "x"'),
  'a list by a text': type('steps.a.output.list[¦query].year == 1', 'a number'),
  'a map by a number': type('steps.a.output[¦0] == 1', 'no item 0'),
  'an item that cannot be there': type('steps.a.output.list[¦-1].year == 1', 'no item -1'),
  'an item beyond a tuple': type('steps.a.output.pair[¦2] == 1', 'no item 2'),
  'a member of a number': type('steps.a.output.count.¦size == 1', 'no field "size"'),
  'what may be null': type('¦steps.a.output.note.size() > 0', 'may be null'),
  'what may be missing': type('steps.a.output.¦extra == "x"', 'may be missing'),
  'the output of a step that may be skipped': type('¦steps.maybe.output.ok', 'may be null'),
  'the output of a step that may fail': type('¦steps.risky.output.ok', 'may be null'),
  'the output of a step that was skipped': type('steps.maybe.status == "skipped" && ¦steps.maybe.output.ok', 'is null'),
  'the error of a step that may be done': type('¦steps.risky.error.code == "x"', 'may be null'),
  'the error of a step that is done': type('steps.risky.status == "done" && ¦steps.risky.error.code == "x"', 'is null'),
  'a field of an error': type('steps.risky.error != null && steps.risky.error.¦cod == "x"', 'no field "cod"'),
  'a field of a failure': type('steps.many.failures.all(f, f.error.¦cod == "x")', 'no field "cod"'),
  "a field of a failure's item": type('steps.many.failures.all(f, f.item.¦txt == "x")', 'no field "txt"'),
  'a guard of another step': type('steps.risky.status == "done" && ¦steps.maybe.output.ok', 'may be null'),
  'a guard on the wrong side of ||': type('steps.maybe.status == "done" || ¦steps.maybe.output.ok', 'is null'),
  'a guard in the wrong branch': type('steps.maybe.status == "done" ? true : ¦steps.maybe.output.ok', 'is null'),
  'an input that is not declared': type('inputs.¦tnoe == "x"', 'no field "tnoe"'),
  'a field of the run': type('run.¦sulg == "x"', 'no field "sulg"'),
  'an unknown root': type('¦qurey == "x"', 'qurey does not exist here'),
  'an unknown root in has()': type('has(¦imputs.tone)', 'imputs does not exist here'),
  'an item of no loop': type('¦itme == "x"', 'itme does not exist here'),
  'an unknown function': type('¦siez(query) > 0', 'no function siez()'),
  'an unknown method': type('query.¦startWith("x")', 'no method startWith()'),
  'a function as a method': type('steps.a.output.count.¦string() == "x"', 'no method string()'),
  'too few arguments': type('query.¦startsWith()', 'takes 1 argument, not 0'),
  'too many arguments': type('¦size(query, 1) > 0', 'takes 1 argument, not 2'),
  'an argument of the wrong type': type('query.contains(¦1)', 'takes a text'),
  'a receiver of the wrong type': type('¦steps.a.output.count.contains("x")', 'takes a text'),
  'types that are never equal': type('¦steps.a.output.count == query', 'never equal'),
  'a literal of another type': type('steps.a.output.count == ¦"3"', 'is never "3"'),
  'types that have no order': type('¦steps.a.output.count < query', 'no order'),
  'a text and a number together': type('¦query + 1 == "x"', '`+` does not take'),
  'a condition that is a text': type('¦query ? true : false', 'true or false'),
  'a text that is negated': type('!¦query', 'true or false'),
  'a text beside &&': type('steps.a.output.ok && ¦query', 'true or false'),
  'a body that is no condition': type('steps.a.output.list.exists(i, ¦i.text)', 'true or false'),
  'a loop over a text': type('¦query.all(c, c != "")', 'goes over a list'),
  'a part of a text with in': type('"x" in ¦query', 'looks into a list or a map'),
  'an item that is never in a list': type('¦"x" in steps.a.output.list.map(i, i.year)', 'never in a list'),
  'an unsafe pattern': { rule: 'expression', expression: 'query.matches(¦"^(a+)+$")', says: 'refused' },
  'a pattern that is computed': { rule: 'expression', expression: 'query.matches(¦inputs.tone)', says: 'written out' },
  'an unexpected character': { rule: 'expression', expression: 'query == ¦)', says: 'Unexpected' },
  'a number that is too large': {
    rule: 'expression',
    expression: '¦9007199254740993 == 1',
    says: 'more than a number can hold',
  },
  'has() of no path': { rule: 'expression', expression: '¦has(query)', says: 'has() takes one path' },
};

describe('a mistake in an expression is found at its place, and nothing else is said', () => {
  it.each(Object.entries(MISTAKES).map(([name, mistake], shift) => ({ name, mistake, shift })))(
    '$name',
    async ({ mistake, shift }) => {
      const written = everywhere(mistake, { ...VALUE_SLOTS, ...CONDITION_SLOTS }, shift);
      expect(written.length).toBeGreaterThan(12);
      expect(await missed(mistake, written)).toEqual([]);
    },
  );
});

describe('a value that is no condition', () => {
  it.each([
    ['an enum', type('¦steps.a.output.verdict', 'true or false')],
    ['a list', type('¦steps.a.output.list', 'true or false')],
    ['a sum', type('¦steps.a.output.count + 1', 'true or false')],
  ])('%s', async (_, mistake) => {
    expect(await missed(mistake, everywhere(mistake, CONDITION_SLOTS))).toEqual([]);
  });
});

describe('a value that is no list', () => {
  it.each([
    ['an enum', type('¦steps.a.output.verdict', 'a list')],
    ['a map', type('¦steps.a.output.author', 'a list')],
    ['a misspelled field', type('steps.a.output.¦lst', 'no field "lst"')],
    ['the output of a step that may be skipped', type('¦steps.maybe.output.list', 'may be null')],
  ])('%s', async (_, mistake) => {
    expect(await missed(mistake, everywhere(mistake, FOREACH_SLOTS))).toEqual([]);
  });
});
