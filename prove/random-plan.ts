/** Pipelines of random steps of every kind that the language has, valid by their making; the same for the same numbers. */

type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
type Step = Record<string, Value>;

export interface RandomPlan {
  /** By path: the files of a project, with the pipeline in pipeline.yaml. */
  readonly files: Readonly<Record<string, string>>;
  /** The same with one thing changed, as an author changes it between two sessions. */
  readonly edited: Readonly<Record<string, string>>;
}

export function randomPlan(random: () => number): RandomPlan {
  const below = (count: number) => Math.floor(random() * count);
  const chance = (share: number) => random() < share;
  let ids = 0;

  /** Of the steps above in the same list: what each gives. */
  interface Given {
    readonly id: string;
    /** An object with these fields, or a list of such; undefined where nothing can be said of it. */
    readonly fields?: 'verdict' | 'list';
    readonly mayLack: boolean;
  }

  const verdict = {
    type: 'object',
    properties: {
      verdict: { enum: ['go', 'again', 'stop'] },
      score: { type: 'integer', minimum: 0, maximum: 10 },
      note: { type: ['string', 'null'], maxLength: 200 },
    },
    required: ['verdict', 'score'],
    additionalProperties: false,
  };
  const list = {
    type: 'object',
    properties: { names: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 30 }, maxItems: 4 } },
    required: ['names'],
    additionalProperties: false,
  };
  const schemaOf = (fields: 'verdict' | 'list'): Value => (fields === 'verdict' ? verdict : list);

  const told = (given: readonly Given[]) => given.map(({ id }) => `\${{ steps.${id}.output }}`).join(' ');

  const common = (step: Step): void => {
    if (chance(0.2)) step.retry = { attempts: 2 + below(2), backoff: '1s' };
    if (chance(0.2)) step.on_error = 'continue';
    if (chance(0.1)) step.cache = false;
    if (chance(0.1)) step.timeout = '2m';
  };

  const steps = (
    count: number,
    depth: number,
    outer: readonly Given[],
    isInLoop: boolean,
  ): { readonly list: Step[]; readonly given: Given[] } => {
    const made: Step[] = [];
    const given: Given[] = [];
    for (let at = 0; at < count; at++) {
      const id = `s${++ids}`;
      const seen = given.filter(() => chance(0.5));
      const sure = seen.filter(({ mayLack }) => !mayLack);
      const step: Step = { id };
      if (chance(0.35) && given.length > 0) step.needs = given.filter(() => chance(0.4)).map((one) => one.id);
      const decider = sure.find(({ fields }) => fields === 'verdict');
      let mayLack = false;
      if (decider && chance(0.4)) {
        step.when = chance(0.5)
          ? `steps.${decider.id}.output.verdict != "stop"`
          : `steps.${decider.id}.output.score > 0`;
        mayLack = true;
      }
      const fields = chance(0.5) ? 'verdict' : 'list';
      const around = isInLoop ? ' ${{ item }} ${{ index }}' : '';
      const shown = `${told([...seen, ...outer.filter(() => chance(0.3))])}${around}`;
      const kind = below(depth > 0 ? 9 : 12);
      let gives: Given['fields'] | undefined;
      if (kind < 3) {
        step.agent = {
          instructions: `You are ${id}.`,
          prompt: `Do ${id} with ${shown}`,
          ...(chance(0.3) ? { tools: ['read_file', 'write_file', 'list_files'] } : {}),
          max_rounds: 3 + below(6),
        };
        step.output = schemaOf(fields);
        gives = fields;
        if (fields === 'verdict' && chance(0.3)) step.assert = [{ that: 'output.score < 10', message: 'Not so much.' }];
        if (chance(0.3)) step.save = `${id}.json`;
        if (chance(0.1)) step.effect = 'once';
        common(step);
      } else if (kind < 6) {
        step.shell = { command: ['tool', id], stdin: shown };
        if (chance(0.7)) {
          step.output = schemaOf(fields);
          gives = fields;
        }
        if (chance(0.25)) step.artifacts = [`${id}.txt`];
        if (chance(0.25)) step.effect = 'once';
        common(step);
      } else if (kind === 6) step.set = { told: shown, number: at };
      else if (kind === 7 && decider && !isInLoop) {
        step.when = `steps.${decider.id}.output.verdict == "stop"`;
        step.end = {
          outcome: `ended_${id}`,
          status: ['done', 'refused', 'failed'][below(3)] ?? 'done',
          message: `It ended at ${id}.`,
        };
        made.push(step);
        continue;
      } else if (kind === 8 && !isInLoop) {
        step.gate = { ask: `Go on after ${shown}?`, ...(chance(0.3) ? { on_no_tty: 'approve' } : {}) };
      } else if (kind === 9) {
        const inner = steps(1 + below(3), depth + 1, given, isInLoop);
        step.steps = inner.list;
        if (chance(0.3)) step.on_error = 'continue';
      } else if (kind === 10) {
        const source = sure.find((one) => one.fields === 'list');
        step.foreach = source ? `steps.${source.id}.output.names` : ['red', 'green', 'blue'].slice(0, 1 + below(3));
        if (chance(0.4)) step.min_success = chance(0.5) ? 1 : '50%';
        if (chance(0.4)) step.max_parallel = 1 + below(3);
        if (chance(0.5)) {
          step.shell = { command: ['tool', id, '${{ item }}', '${{ index }}'] };
          step.output = schemaOf(fields);
          if (chance(0.3)) step.artifacts = ['part.txt'];
          common(step);
        } else if (below(2) === 0) {
          step.agent = { instructions: `You are ${id}.`, prompt: 'Do ${{ item }} ${{ index }}', max_rounds: 4 };
          step.output = schemaOf(fields);
          common(step);
        } else step.steps = steps(1 + below(2), depth + 1, given, true).list;
      } else if (kind === 11) {
        const agent = `s${++ids}`;
        step.repeat = {
          until: 'output.verdict != "again"',
          max: 2 + below(2),
          on_max: chance(0.6) ? 'accept' : 'fail',
        };
        step.steps = [
          {
            id: agent,
            agent: {
              instructions: `You are ${agent}.`,
              prompt: `Round \${{ iteration }}: ${shown} \${{ previous }}`,
              max_rounds: 4,
            },
            output: verdict,
            ...(chance(0.4) ? { save: `${agent}.json` } : {}),
          },
        ];
        step.result = `\${{ steps.${agent}.output }}`;
        gives = 'verdict';
      } else {
        step.shell = { command: ['tool', id, shown] };
        common(step);
      }
      if (step.on_error === 'continue') mayLack = true;
      given.push({ id, mayLack, ...(gives ? { fields: gives } : {}) });
      made.push(step);
    }
    return { list: made, given };
  };

  const { list: all, given } = steps(4 + below(6), 0, [], false);
  const plan = (listed: readonly Step[]): string =>
    `${JSON.stringify(
      {
        version: 1,
        name: 'random',
        limits: { tokens: chance(0.3) ? 1_500 + below(1_200) : 60_000 + below(400_000), max_parallel: 1 + below(4) },
        ...(chance(0.15) ? { on_failure: 'stop' } : {}),
        ...(chance(0.2) ? { accept_partial: true } : {}),
        steps: listed,
        result: Object.fromEntries(
          given
            .filter(({ mayLack }) => !mayLack)
            .slice(0, 4)
            .map(({ id }) => [id, `\${{ steps.${id}.output }}`]),
        ),
      },
      null,
      1,
    )}\n`;
  const text = plan(all);
  return { files: { 'pipeline.yaml': text }, edited: { 'pipeline.yaml': editedText(text, below) } };
}

/** One step is told something else, or its schema asks for more. */
function editedText(text: string, below: (count: number) => number): string {
  const plan = JSON.parse(text) as { readonly steps: Step[] };
  const all = everyStep(plan.steps);
  const withSchema = all.filter(({ output }) => output !== undefined);
  const step = below(3) > 0 ? withSchema[below(withSchema.length)] : all[below(all.length)];
  const { agent, shell, output } = (step ?? {}) as Record<string, Record<string, Value> | undefined>;
  if (output && below(4) > 0) {
    output.properties = { ...(output.properties as object), more: { type: 'integer', minimum: 0, maximum: 3 } };
    output.required = [...(output.required as Value[]), 'more'];
  } else if (agent) agent.instructions = `${agent.instructions} Be brief.`;
  else if (shell) shell.command = [...(shell.command as Value[]), '--other'];
  return `${JSON.stringify(plan, null, 1)}\n`;
}

function everyStep(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...everyStep((step.steps as Step[] | undefined) ?? [])]);
}
