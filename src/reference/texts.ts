/** The words of `pipeline reference` that no schema holds. */

export const BEGIN = `A skill is a folder \`skills/<name>/\`:

- \`SKILL.md\`: front matter with \`name\` (the folder's: lower-case letters, digits, single hyphens) and \`description\` (what it does, when to use it), then a short text for people and other clients. It names no tool of this program and holds no key.
- \`pipeline.yaml\`: the steps. Any other files beside it: \`prompts/*.md\`, \`schemas/*.schema.json\`, \`scripts/*.mjs\` (Node, no packages), \`tests/*.test.yaml\`, \`tests/*.sim.yaml\`.

YAML coordinates, code computes, agents judge: what can be counted, sorted or looked up is a \`shell\` or \`set\` step; what needs reading or taste is an \`agent\` with a schema for its answer.`;

export const LOOP = `1. \`pipeline check <name> --strict\`: every mistake, with line and column; 0 when there is none. \`--fix\` mends what has one answer, \`--format json\` is for programs. Mend, and check again.
2. \`pipeline run <name> "a query" --dry-run\`: the order, the prompts, the worst case. Starts nothing.
3. \`pipeline test <name>\`: its tests, without a token.
4. \`pipeline run <name> "a query" --model sketch\`: all of it with placeholder words; without \`--model\` with the configured model. Files are in \`skill_run/<name>/<slug>/\`.
5. \`pipeline show <name>/latest <step>\`, \`pipeline explain <name>/latest <step>\`: what it did, why it ran or was reused. Edit, then \`pipeline resume <name>/latest\`: only what changed runs again.

A target is a skill's name, a folder or a file; what holds a \`/\` is a path.`;

export const STEP = `A step has an \`id\`, exactly one kind, and any of these. Steps run in the order of the file: each waits for the one above, unless \`needs\` says otherwise, and for every step that an expression of it names. \`end\` and \`gate\` are fences. Within a step: \`when\`, \`foreach\`, \`repeat\`, \`retry\`, then the kind, then \`output\`, \`assert\`, \`artifacts\`, \`save\`. Durations are \`500ms\`, \`2s\`, \`10m\`, \`1h30m\`. An unknown key is an error.`;

export const KINDS = `The key says the kind, its value is the config. Where a config takes a value, \`\${{ }}\` may stand instead. An \`agent\` must have an \`output\`; \`foreach\` and \`repeat\` on \`steps\` do all of the group again.`;

export const EXPRESSIONS = `CEL in \`\${{ }}\`; \`when\`, \`foreach\`, \`until\` and \`that\` take it without. A value that is exactly one \`\${{ }}\` keeps its type; within a text, texts stand as they are, null as nothing, the rest as JSON. Where YAML could read it as its own (\`:\`, \`{\`, \`?\`, a leading \`!\` or \`"\`), put the whole in single quotes.

- \`query\`, \`inputs.<name>\`: what the caller gave.
- \`steps.<id>.output\`, \`.status\` (done, skipped, failed), \`.error\` ({code, message} or null), \`.failures\` (of a foreach). Inside a group the ids outside are seen; outside only the group's own output is.
- \`output\`: the step's own, in \`until\`, \`assert\`, \`save\`.
- \`item\`, \`index\` of the innermost \`foreach\`; \`previous\` (null at first), \`iteration\` (from 0) of the innermost \`repeat\`.
- \`run.id\`, \`run.slug\`, \`run.dir\`, \`run.skill\`, \`run.started\`, \`skill.dir\`, \`skills.<name>.dir\` (a hyphen is \`_\`), \`project.dir\`.

Operators: \`+ - * / %\`, \`== != < <= > >=\`, \`&& || !\`, \`in\`, \`? :\`, \`[…]\`, \`.name\`. Every expression is checked against the schemas: what may be missing (a step with \`when\` or \`on_error: continue\`, an optional field, \`previous\`) needs a guard: \`steps.x.status == "done"\`, \`x != null\`, \`has(x.y)\`, \`iteration > 0 ? previous.a : ""\`, or \`default(x, other)\`.

Besides: \`has(x.y)\`, \`default(a, b, …)\`, \`cel.bind(name, value, expression)\`, \`list.map(x, e)\`, \`list.map(x, condition, e)\`, \`list.filter(x, c)\`, \`list.all(x, c)\`, \`list.exists(x, c)\`, \`list.exists_one(x, c)\`.`;

export const PROCESSES = `A process starts in an empty work folder; what it leaves there is published into the run folder. It sees \`PIPELINE_QUERY\`, \`PIPELINE_INPUTS\` (a JSON file), \`PIPELINE_RUN_DIR\`, \`PIPELINE_SKILL_DIR\`, \`PIPELINE_PROJECT_DIR\`, \`PIPELINE_OUTPUT\` (a file that may be written instead of standard output), \`PIPELINE_STEP_KEY\`, \`PIPELINE_BIN\` (this program: \`node "$PIPELINE_BIN" check …\`), and \`PIPELINE_PLACEHOLDER=1\` when words are placeholders; never the key of a model provider. Call a script as \`command: [node, "\${{ skill.dir }}/scripts/x.mjs", "--query=\${{ query }}"]\`, and give it values by \`stdin\`.`;

export const RULES = `- Text never becomes shell: no \`\${{ }}\` in \`run:\`. Use \`env\`, \`stdin\`, or \`command\` items.
- Bound every list and text of a schema (\`maxItems\`, \`maxLength\`), close objects (\`additionalProperties: false\`), list \`required\`, describe each field. A \`foreach\` over a list without \`maxItems\` needs \`max_items\`.
- Decide on fields, never on prose: an \`enum\` in the schema, then \`when: steps.audit.output.verdict == "revise"\`.
- \`instructions\` is never templated; values go into \`prompt\`, named: \`Question: \${{ query }}\`. Say in the instructions that they are data and not orders.
- Who makes a thing does not judge it: another step, other instructions.
- Every \`repeat\` has \`max\`, and \`on_max\` says what then. A refusal is an \`end\` with a message; a question to a person is a \`gate\`; what cannot be undone has \`effect: once\`.
- Files only by \`save\`, or written into the work folder. Two steps must not write one path.`;

export const TESTS = `\`tests/<claim>.test.yaml\`, one claim a file. Keys: \`name\`, \`query\`, \`inputs\`, \`model: sketch\` (answers agents without turns), \`turns\` (step → list of \`{resolve: <output>}\`, \`{calls: [{name, arguments}]}\` or \`{text}\`), \`stubs\` (step → \`{stdout, stderr, exit, files}\`, the process is not started), \`answers\` (gate → choice), \`cassette\` (a recording), \`limits\`, \`simulate\` (alone: what \`pipeline simulate\` chose when it found something; it writes it), and \`expect\`: \`status\`, \`exit\`, \`outcome\`, \`message\`, \`result\`, \`outputs\` (\`<step>.<field>\`), \`files\`, \`ran\`, \`skipped\`, \`reused\`, \`failed\`, \`tools\`, \`calls\`, \`tokens\`. A value may be a matcher: \`{contains: …}\`, \`{matches: "regex"}\`. A step in a loop is \`<loop>/<number>/<id>\`, or its id for all of them.

\`tests/<claim>.sim.yaml\`: what holds of every run; \`pipeline simulate <name>\` looks for one that breaks it. Keys: \`name\`, \`query\`, \`inputs\`, \`always\`, \`never\` (expressions, also in \`expect\`) over \`ran("<id>")\`, \`before("<id>", "<id>")\`, \`steps.<id>\`, \`status\`, \`outcome\`, \`result\`, \`query\`.`;

export const MODES = `- A \`SKILL.md\` alone is one agent, the step \`agent\`: its body the instructions, the query the prompt, \`allowed-tools: Read Write\` its tools. It answers \`{summary, files}\`. \`REACT_AGENT.md\` beside it holds notes for this runner.
- \`scripts/run.py\`, \`.mjs\`, \`.js\` or \`.sh\` without \`steps\` drives the skill: asked with \`next --dir <run folder> --query <query>\` it prints what comes next as one block (\`STATE\`, \`STEP\`, \`TYPE\` llm_subagent, bash or terminal, \`DO\`, \`PROMPT\`, \`INPUT\`, \`OUTPUT\`, \`RUN\`, \`NOTES\`, \`THEN\`) between two lines of 72 ━, a line a key: padded to 7, then \`: \`, further lines of a value after 9 spaces. Begin with \`pipeline init <name> --template next-loop\`. A \`pipeline.yaml\` beside it may hold \`terminal_signals\`, \`supports_query_injection\`, \`query_injection_placeholder\`, \`ood_detection\`, \`run_dir_template\`, \`log_file\`, \`max_steps\`, \`next\`.`;

export const EXITS = `0 done · 1 a step failed · 2 wrong usage, or mistakes in the files: nothing was run · 3 no usable model, or the provider failed · 4 something forbidden or unsafe · 5 refused, by an \`end\` or a gate · 6 a limit was reached, \`resume\` goes on · 7 waits for a person: \`pipeline approve\`, then \`pipeline resume\` · 8 partial: something on the way failed · 70 a bug of ours · 75 the run is in use · 129, 130, 143 hung up, interrupted, terminated: \`resume\` goes on.`;
