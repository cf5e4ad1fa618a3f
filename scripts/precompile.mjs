/** Turns JSON Schemas into the source of a module that checks values without Ajv. */
import { createHash } from 'node:crypto';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import formats from 'ajv-formats';

const META = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};
const OPTIONS = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  logger: false,
  verbose: false,
  code: { source: true, lines: false },
};

/** Node gives the exports of a CommonJS module as `default`, a bundler as names. */
const COMMONJS = 'const commonJs = (names) => (names.default && names.default.__esModule ? names.default : names);';

/**
 * Source of an ES module that exports `precompiled`: the checks of these schemas by their hash, of both meta-schemas by their dialect.
 * @param {(boolean | object)[]} schemas
 * @returns {Promise<string>}
 */
export async function precompileSource(schemas) {
  const imports = new Map();
  const parts = [];
  const add = (ajv, entries) => {
    const names = Object.fromEntries(entries.map(([, id], index) => [`check${index}`, id]));
    const code = standalone.default(ajv, names).replace(/require\("([^"]+)"\)/g, (_, path) => imported(imports, path));
    const members = entries.map(([key], index) => `${JSON.stringify(key)}: exports.check${index}`);
    parts.push(`(() => { const exports = {};\n${code}\nreturn { ${members.join(', ')} }; })()`);
  };
  const draft7 = new Ajv.default(OPTIONS);
  const draft2020 = new Ajv2020.default(OPTIONS);
  add(draft7, [['meta:draft-07', META['draft-07']]]);
  add(draft2020, [['meta:2020-12', META['2020-12']]]);
  for (const schema of schemas) {
    const Dialect = String(schema.$schema ?? '').includes('draft-07') ? Ajv.default : Ajv2020.default;
    const ajv = formats.default(new Dialect({ ...OPTIONS, validateSchema: false }));
    ajv.addSchema(schema, 'schema');
    add(ajv, [[hashJson(schema), 'schema']]);
  }
  const lines = [...imports].map(([path, name]) => `import * as ${name} from ${JSON.stringify(path)};`);
  return `${lines.join('\n')}\n${COMMONJS}\nexport const precompiled = Object.assign({}, ${parts.join(',\n')});\n`;
}

function imported(imports, path) {
  const file = path.endsWith('.js') ? path : `${path}.js`;
  if (!imports.has(file)) imports.set(file, `module${imports.size}`);
  return `commonJs(${imports.get(file)})`;
}

/** As core/json.ts has it: RFC 8785. */
function hashJson(value) {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
    .join(',')}}`;
}
