/** The pages that start a skill: which one, then the form of its inputs. */
import { cutTo } from '../core/columns.js';
import { hashJson } from '../core/json.js';
import { oneLine, plainText } from '../core/plain-text.js';
import type { Plan, Skill } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import { counted, duration } from '../core/words.js';
import { worstCase } from '../forecast/worst-case.js';
import { type Html, html, textOf } from '../report/html.js';
import { type MayDo, whatItMayDo } from '../skills/may-do.js';
import { type Field, fieldsOf } from './form-fields.js';
import { LIMIT_NAMES, type Typed } from './form-values.js';
import type { UiProject } from './known-runs.js';

export interface Offered {
  readonly at: number;
  readonly project: UiProject;
  readonly skills: readonly Skill[];
  readonly skipped: number;
}

export function skillsPage(offers: readonly Offered[]): Html {
  return html`<h1>Start a skill</h1>${offers.map((offer) => projectOf(offer, offers.length > 1))}`;
}

function projectOf({ at, project, skills, skipped }: Offered, isNamed: boolean): Html {
  const list = html`<ul class="ui-skills">${skills.map(
    ({ name, description = '' }) =>
      html`<li><a href="start/${at}/${encodeURIComponent(name)}">${plainText(name)}</a><p>${cutTo(oneLine(description), MOST_COLUMNS)}</p></li>`,
  )}</ul>`;
  return html`<section>${isNamed && html`<h2>${plainText(project.name)}</h2>`}
${skills.length === 0 ? html`<p>No skills were found. A skill is a folder with a SKILL.md in skills/, .agents/skills/ or .claude/skills/.</p>` : list}
${skipped > 0 && html`<p class="ui-small">${counted(skipped, 'problem')} with skills: <code>pipeline list</code> says which.</p>`}</section>`;
}

export interface FormState {
  readonly skill: string;
  readonly plan: Plan;
  /** Absolute. */
  readonly projectDir: string;
  readonly formKey: string;
  /** Roles and models that are known by name. */
  readonly models: readonly string[];
  /** Undefined before anything was typed. */
  readonly typed?: Typed;
  /** By the name of the field, '' for what is about none. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

export function formPage(state: FormState): Html {
  const { skill, plan, formKey, problems, typed, models, projectDir } = state;
  const fields = fieldsOf(plan.inputs);
  const more = ['model', ...LIMIT_NAMES.map((name) => `limit.${name}`)];
  const isOpen = more.some((name) => problems.has(name) || (typed?.get(name) ?? '') !== '');
  const line = (name: string, label: string, about: string, list?: string) =>
    labelled({ name, label, about, isRequired: false, bounds: '' }, problems, (described) => {
      const choices = list !== undefined && html` list="${list}"`;
      return html`<input type="text" id="${idOf(name)}" name="${name}" value="${typed?.get(name) ?? ''}"${choices} autocomplete="off" spellcheck="false"${described}>`;
    });
  return html`<h1>${plainText(skill)}</h1><p>${oneLine(plan.description)}</p>
${problems.size > 0 && summaryOf(problems, fields)}
<form class="ui-form" method="post" novalidate>
<input type="hidden" name="key" value="${formKey}"><input type="hidden" name="terms" value="${termsOf(plan, projectDir)}">
${labelled(
  { name: 'query', label: 'Query', about: 'What the run is about.', isRequired: false, bounds: '' },
  problems,
  (described) => html`<textarea id="query" name="query" rows="3"${described}>
${typed?.get('query') ?? ''}</textarea>`,
)}
${fields.map((field) => labelled({ ...field, name: `input.${field.name}` }, problems, (described) => control(field, described, typed)))}
<details class="ui-more" id="ui-more"${isOpen && html` open`}><summary>Model and limits</summary>
${line('model', 'Model', 'Replaces every model of the skill: a role, provider/model-id, or sketch, which asks none.', 'ui-models')}
<datalist id="ui-models">${models.map((one) => html`<option value="${one}"></option>`)}</datalist>
${line('limit.tokens', 'Limit of tokens', 'As 500000.')}
${line('limit.usd', 'Limit of US dollars', 'As 2.50.')}
${line('limit.time', 'Limit of time', 'As 30m.')}
</details>
${mayDo(plan, projectDir)}
<p class="ui-buttons"><button type="submit" class="ui-primary">Start</button></p>
</form>`;
}

type Labelled = Pick<Field, 'name' | 'label' | 'about' | 'isRequired' | 'bounds'>;

/** @param inner is given the attributes that tie the texts around it to it */
function labelled(
  { name, label, about, isRequired, bounds }: Labelled,
  problems: FormState['problems'],
  inner: (described: Html) => Html,
): Html {
  const id = idOf(name);
  const wrong = problems.get(name) ?? [];
  const hints = [plainText(about), plainText(bounds)].filter((text) => text !== '');
  const ids = [...(wrong.length > 0 ? [`${id}-wrong`] : []), ...(hints.length > 0 ? [`${id}-about`] : [])];
  const described = html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${wrong.length > 0 && html` aria-invalid="true"`}${isRequired && html` required`}`;
  return html`<div class="ui-field"${wrong.length > 0 && html` data-wrong`}>
<label for="${id}">${plainText(label)}${isRequired && html`<span class="ui-needed"> needed</span>`}</label>
${hints.length > 0 && html`<p class="ui-hint" id="${id}-about">${hints.join(' · ')}</p>`}
${inner(described)}
${wrong.length > 0 && html`<p class="ui-wrong" id="${id}-wrong">${wrong.map(plainText).join(' ')}</p>`}</div>`;
}

function control({ name, type, first, isRequired }: Field, described: Html, typed: Typed | undefined): Html {
  const field = `input.${name}`;
  const id = idOf(field);
  const value = typed ? (typed.get(field) ?? '') : first;
  switch (type.type) {
    case 'switch': {
      const isOn = typed ? typed.has(field) : first === 'true';
      return html`<input type="checkbox" id="${id}" name="${field}" value="true"${isOn && html` checked`}${described}>`;
    }
    case 'choice':
      return html`<select id="${id}" name="${field}"${described}>${isRequired && html`<option value="">choose …</option>`}${type.choices.map(
        (choice) => html`<option value="${choice}"${choice === value && html` selected`}>${choice}</option>`,
      )}</select>`;
    case 'lines':
      return html`<textarea id="${id}" name="${field}" rows="4"${described}>
${value}</textarea>`;
    case 'json':
      return html`<textarea id="${id}" name="${field}" rows="4" class="ui-code" spellcheck="false" placeholder="JSON: ${type.of}"${described}>
${value}</textarea>`;
    case 'line': {
      const mode = type.of === 'integer' ? 'numeric' : type.of === 'number' ? 'decimal' : 'text';
      return html`<input type="text" inputmode="${mode}" id="${id}" name="${field}" value="${value}" autocomplete="off"${described}>`;
    }
  }
}

/** Says at once what is wrong, with the way to each field. */
function summaryOf(problems: FormState['problems'], fields: readonly Field[]): Html {
  const labels = new Map(fields.map(({ name, label }) => [`input.${name}`, label]));
  const lines = [...problems].flatMap(([name, messages]) =>
    messages.map((message) => {
      if (name === '') return html`<li>${plainText(message)}</li>`;
      return html`<li><a href="#${idOf(name)}">${plainText(labels.get(name) ?? name.replace('limit.', 'limit of '))}</a>: ${plainText(message)}</li>`;
    }),
  );
  return html`<div class="ui-problems" role="alert" tabindex="-1" id="ui-problems"><h2>Nothing was started</h2><ul>${lines}</ul></div>`;
}

/** Names what the page shows of a skill, its fields too: whoever starts it has seen just that. */
export function termsOf(plan: Plan, projectDir: string): string {
  return hashJson([plan.inputs, textOf(mayDo(plan, projectDir))]);
}

/** What `pipeline run` would do with it, before it does. */
function mayDo(plan: Plan, projectDir: string): Html {
  const { calls, processes, limits } = worstCase(plan);
  const does = whatItMayDo(plan, projectDir);
  const parts = [
    calls > 0 ? `at most ${counted(calls, 'model call')}` : 'no model call',
    processes > 0 ? `at most ${processes} ${processes === 1 ? 'process' : 'processes'}` : 'no process',
    `stops after ${duration(limits.timeMs)}`,
  ];
  return html`<details class="ui-more" id="ui-may"><summary>What it may do: ${parts.join(', ')}</summary>
<ul class="ui-may">${does.map(({ what, text, step }) => html`<li><strong>${VERBS[what]}</strong> <code>${cutTo(plainText(text), MOST_COLUMNS)}</code>${step !== undefined && html` <span class="ui-small">in ${plainText(step)}</span>`}</li>`)}</ul></details>`;
}

const VERBS: Readonly<Record<MayDo['what'], string>> = {
  runs: 'runs',
  tool: 'gives an agent the tool',
  model: 'asks the model',
  env: 'gives to processes the variable',
  network: 'uses the network:',
  reads: 'reads',
  writes: 'writes',
  publishes: 'publishes',
  skill: 'runs the skill',
};

/** For a skill that cannot be run: why. */
export function brokenPage(skill: string, problems: readonly Problem[]): Html {
  return html`<h1>${plainText(skill)}</h1><div class="ui-problems" role="alert"><h2>It cannot be started</h2><ul>${problems.map(
    ({ message, hint, at }) =>
      html`<li>${plainText(message)}${hint !== undefined && ` ${plainText(hint)}`} <span class="ui-small">${plainText(at.file)}:${at.line}</span></li>`,
  )}</ul></div>`;
}

/** Inputs are named by letters, digits and `_`. */
function idOf(name: string): string {
  return name.replace('.', '-');
}

/** Of a text among others; in columns of a terminal, so that wide letters count as two. */
const MOST_COLUMNS = 240;
