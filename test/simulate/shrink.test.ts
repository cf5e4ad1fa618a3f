import { expect, it } from 'vitest';
import { countOf, givenChoices, seededChoices, type Taken } from '../../src/simulate/choices/choices.js';
import { shrink } from '../../src/simulate/found/shrink.js';

it('gives the same numbers at the same place for the same seed, whatever was asked elsewhere', () => {
  const numbersAt = (seed: string, before: readonly string[]) => {
    const choices = seededChoices(seed);
    for (const place of before) choices.at(place).rarely(1, 100);
    const draw = choices.at('audit@1.1');
    return [draw.rarely(0.9, 100), draw.rarely(0.9, 100), draw.rarely(0.9, 100)];
  };
  expect(numbersAt('a', [])).toEqual(numbersAt('a', ['x', 'y', 'audit@1.1']));
  expect(numbersAt('a', [])).not.toEqual(numbersAt('b', []));
});

it('says of a seed what the list of its choices says', () => {
  const seeded = seededChoices('seven');
  const numbers = ['a', 'b', 'c'].map((place) => [1, 2, 3].map(() => seeded.at(place).rarely(0.5, 9)));
  const given = givenChoices(seeded.taken());
  expect(['a', 'b', 'c'].map((place) => [1, 2, 3].map(() => given.at(place).rarely(0.5, 9)))).toEqual(numbers);
});

it('cuts choices down to those without which it does not break, with the smallest numbers', async () => {
  const taken: Taken = new Map(Array.from({ length: 60 }, (_, at) => [`place ${at}`, [at % 7, 3, at % 3]]));
  const isBroken = (one: Taken) => (one.get('place 41')?.[1] ?? 0) >= 2 && (one.get('place 7')?.[2] ?? 0) === 1;
  const least = await shrink(taken, async (one) => isBroken(one));
  expect(countOf(least)).toBe(2);
  expect([...least]).toEqual([
    ['place 7', [0, 0, 1]],
    ['place 41', [0, 2]],
  ]);
});
