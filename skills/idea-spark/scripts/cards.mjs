#!/usr/bin/env node
/** Writes the three cards into phase4/ once the checks of check-cards.mjs hold for each. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { detailCard, plainCard } from './card-text.mjs';
import { cardProblems } from './check-cards.mjs';

const spark = JSON.parse(await text(process.stdin));
const placeholder = process.env.PIPELINE_PLACEHOLDER === '1';

const cards = {
  'phase4/idea.en.md': plainCard(spark, 'en', placeholder),
  'phase4/idea.zh.md': plainCard(spark, 'zh', placeholder),
  'phase4/idea.detail.md': detailCard(spark, placeholder),
};

const problems = Object.entries(cards).flatMap(([path, card]) =>
  cardProblems(card, spark, placeholder).map((problem) => `${path}: ${problem}`),
);
if (problems.length > 0) {
  process.stderr.write(`The cards do not hold what they must:\n${problems.join('\n')}\n`);
  process.exit(1);
}

mkdirSync('phase4', { recursive: true });
for (const [path, card] of Object.entries(cards)) writeFileSync(path, card);
process.stdout.write(
  JSON.stringify({
    files: Object.keys(cards),
    title: spark.candidate.title,
    cites: spark.candidate.cites,
    placeholder,
  }),
);
