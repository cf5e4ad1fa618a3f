/** The wording of the three cards around what agents wrote. */
import { line, shortened } from './wording.mjs';

const WORDS = {
  en: {
    placeholder:
      'Placeholder text: no language model is configured. Steps, checks and files are real, the wording is not.',
    direction: 'Direction',
    papers: (count, sample) => `${count} related papers${sample ? ' (bundled sample, not a search)' : ''}`,
    problem: 'What is stuck',
    idea: 'The idea',
    new: 'What is new',
    test: 'What would prove it wrong',
    cost: 'What a first test costs',
    rests: 'It rests on',
    audit: 'Audit',
    verdict: { advance: 'advance', revise: 'revise', abandon: 'abandon' },
    colon: ': ',
    stop: '. ',
  },
  zh: {
    placeholder: '占位文本：尚未配置语言模型。步骤、检查与文件都是真实的，文字内容不是。',
    direction: '方向',
    papers: (count, sample) => `相关论文 ${count} 篇${sample ? '（内置样例，并非检索结果）' : ''}`,
    problem: '卡在哪里',
    idea: '想法',
    new: '新在何处',
    test: '怎样证明它错了',
    cost: '首次验证的代价',
    rests: '依据',
    audit: '审查',
    verdict: { advance: '通过', revise: '需修改', abandon: '放弃' },
    colon: '：',
    stop: '。',
  },
};

/** The card for a reader from outside the field. */
export function plainCard(spark, language, placeholder) {
  const words = WORDS[language];
  const plain = spark.plain[language];
  const part = (name) => `**${words[name]}**${words.colon}${line(plain[name])}`;
  return page([
    mark(words, placeholder),
    `# ${line(plain.title)}`,
    `**${words.direction}**${words.colon}${direction(spark)} · ${words.papers(spark.papers.length, spark.sample)}`,
    line(plain.hook),
    part('problem'),
    plain.idea.map((step, place) => `${place + 1}. ${line(step)}`).join('\n'),
    part('new'),
    part('test'),
    part('cost'),
    `**${words.audit}**${words.colon}${words.verdict[spark.audit.verdict]}${words.stop}${line(spark.audit.summary)}`,
    citedPapers(spark, language).join('\n'),
  ]);
}

/** The card for a reader who wants to check everything. */
export function detailCard(spark, placeholder) {
  const { candidate, bottleneck, audit } = spark;
  const { falsification, budget } = candidate;
  const gap = new Map(bottleneck.unaddressed.map(({ id, gap: text }) => [id, text]));
  return page([
    mark(WORDS.en, placeholder),
    `# ${line(candidate.title)}`,
    `**Direction**: ${direction(spark)} · read as: ${line(spark.direction)}`,
    `**Hook**: ${line(candidate.hook)}`,
    `**Bottleneck**: ${line(bottleneck.statement)} (${bottleneck.cites.join(', ')})`,
    candidate.mechanism.map((step, place) => `${place + 1}. ${line(step)}`).join('\n'),
    candidate.closes
      .map((claim) => `- **${claim.gap}** ${line(gap.get(claim.gap))} → ${line(claim.by)} (${claim.papers.join(', ')})`)
      .join('\n'),
    `**Closest work**: ${bottleneck.closest.map(({ paper, does, leaves }) => `${paper}: ${line(does)} Leaves: ${line(leaves)}`).join(' ')}`,
    `**Almost had it**: ${candidate.missed.paper}. ${line(candidate.missed.what)}`,
    `**Falsification test**: ${line(falsification.test)}`,
    `**It fails if**: ${line(falsification.fails_if)}`,
    `**Baseline**: ${line(falsification.baseline)}`,
    `**Budget**: ${line(budget.compute)} (accelerator hours: ${budget.accelerator_hours}, person-weeks: ${budget.person_weeks}). ${line(budget.material)}`,
    `**Audit, ${audit.verdict}**: ${line(audit.summary)}`,
    Object.entries(audit.checks)
      .map(
        ([check, { level, finding, evidence }]) =>
          `- ${check.replace('_', ' ')}, ${level}: ${line(finding)}${inBrackets(evidence)}`,
      )
      .join('\n'),
    `**Nearest prior work**: ${audit.closest_prior.id}. ${line(audit.closest_prior.difference)}`,
    `**Searched for collisions**: ${[...candidate.signature_terms, ...candidate.aliases].map(line).join('; ')}`,
    spark.trail.map(({ round, verdict, summary }) => `- Round ${round}, ${verdict}: ${line(summary)}`).join('\n'),
    [...citedPapers(spark, 'en'), ...citedEvidence(spark)].join('\n'),
  ]);
}

function mark(words, placeholder) {
  return placeholder ? `> ${words.placeholder}` : '';
}

function direction(spark) {
  return shortened(spark.query, 600);
}

/** One line for each paper the candidate cites: what it is, and why it is here. */
function citedPapers(spark, language) {
  const { rests, colon } = WORDS[language];
  const cited = new Set(spark.candidate.cites);
  return spark.papers
    .filter(({ id }) => cited.has(id))
    .map(
      (paper) =>
        `- ${rests} ${paper.id}${colon}${linked(paper)} (${paper.byline}, ${paper.year ?? '?'}). ${line(paper.reason)}`,
    );
}

/** The papers that the audit names from its own search. */
function citedEvidence(spark) {
  const named = new Set([
    ...Object.values(spark.audit.checks).flatMap(({ evidence }) => evidence),
    spark.audit.closest_prior.id,
  ]);
  return spark.evidence
    .filter(({ id }) => named.has(id))
    .map((paper) => `- The audit found ${paper.id}: ${linked(paper)} (${paper.year ?? '?'})`);
}

function linked({ title, url }) {
  const name = line(title).replace(/[[\]]/g, '\\$&');
  return /^https?:\/\/[^\s()<>]+$/.test(url) ? `[${name}](${url})` : name;
}

function inBrackets(ids) {
  return ids.length > 0 ? ` (${ids.join(', ')})` : '';
}

function page(parts) {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
