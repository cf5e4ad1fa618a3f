/** Holds JSON against TypeScript types by compiling it as literals: a field that is missing, unknown or of another type is an error. */
import ts from 'typescript';

export interface Sample {
  /** For messages: what was run. */
  readonly of: string;
  readonly type: string;
  readonly json: string;
}

/**
 * @param declarations text of the types
 * @param root absolute folder that imports of `more` start from
 * @param more further text that is compiled with them
 * @returns what the compiler says, beginning with what was run
 */
export function shapeProblems(declarations: string, samples: readonly Sample[], root: string, more = ''): string[] {
  const literals = samples.map(({ type, json }, at) => `const sample${at}: ${type} = ${json.trim()};`);
  const lines = `${declarations}\n${more}\n`.split('\n').length - 1;
  const starts = literals.map(
    (_, at) => lines + literals.slice(0, at).join('\n').split('\n').length - (at === 0 ? 1 : 0),
  );
  const text = `${declarations}\n${more}\n${literals.join('\n')}\nexport {};\n`;
  const file = `${root}/shapes-under-test.ts`;
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
    noErrorTruncation: false,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile.call(host, name, ...rest);
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  host.readFile = (name) => (name === file ? text : readFile.call(host, name));
  const program = ts.createProgram([file], options, host);
  const own = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  return own.map((diagnostic) => {
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    const at = starts.findLastIndex((start) => start <= line);
    const said = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    const source = text.split('\n')[line]?.trim().slice(0, 100) ?? '';
    return `${samples[at]?.of ?? 'types'}: ${said}\n  at ${source}`;
  });
}
