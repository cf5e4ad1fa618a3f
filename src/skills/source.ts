/** What names a place that skills come from: a git address, `owner/repo`, a folder. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { Fault } from '../core/faults.js';

export type Source = GitSource | FolderSource;

export interface GitSource {
  readonly type: 'git';
  /** What git is given. */
  readonly url: string;
  /** As the lock file says it: `owner/repo` of GitHub, else the address. */
  readonly source: string;
  readonly sourceType: 'github' | 'git';
  /** A branch or a tag. */
  readonly ref?: string;
}

export interface FolderSource {
  readonly type: 'folder';
  /** Absolute. */
  readonly dir: string;
  /** As the lock file says it: from the project's folder. */
  readonly source: string;
  readonly sourceType: 'local';
}

const FORMS = 'Write https://…, ssh://…, git@host:path, owner/repo of GitHub, or a folder.';
const REF = /^(?!-)(?!.*\.\.)[\w./-]{1,200}$/;
const GITHUB = /^(?:https:\/\/github\.com\/)?([A-Za-z0-9][\w.-]{0,99})\/([A-Za-z0-9_.][\w.-]{0,99}?)(?:\.git)?\/?$/;
const SCP = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:(?!\/\/)[^\s]+$/;

/**
 * @param cwd where a folder's path starts
 * @param text `…#ref` names a branch or a tag
 */
export function readSource(text: string, cwd: string, projectDir: string): Source {
  if (/[\p{Cc}\p{Cs}]/u.test(text) || text.trim() === '' || text.startsWith('-')) {
    throw new Fault('input.invalid', `${JSON.stringify(text)} names no place that skills could come from.`, {
      hint: FORMS,
    });
  }
  const dir = path.resolve(cwd, text);
  if (existsSync(dir)) return folderAt(dir, text, projectDir);
  if (/^(\.{0,2}\/|\.{1,2}$)/.test(text)) {
    throw new Fault('input.unknown', `There is no folder ${JSON.stringify(text)}.`, { hint: FORMS });
  }
  const [address = '', ref] = splitRef(text);
  const github = GITHUB.exec(address);
  const named = ref === undefined ? {} : { ref };
  if (github) {
    const source = `${github[1]}/${github[2]}`;
    return { type: 'git', url: `https://github.com/${source}.git`, source, sourceType: 'github', ...named };
  }
  return { type: 'git', url: gitAddress(address), source: address, sourceType: 'git', ...named };
}

function folderAt(dir: string, text: string, projectDir: string): FolderSource {
  if (!statSync(dir).isDirectory())
    throw new Fault('input.invalid', `${JSON.stringify(text)} is a file, not a folder.`);
  return { type: 'folder', dir, source: path.relative(projectDir, dir) || '.', sourceType: 'local' };
}

function splitRef(text: string): [string, string?] {
  const at = text.indexOf('#');
  if (at < 0) return [text];
  const ref = text.slice(at + 1);
  if (REF.test(ref)) return [text.slice(0, at), ref];
  throw new Fault('input.invalid', `${JSON.stringify(ref)} is no name of a branch or a tag.`);
}

/** Only what is encrypted, or on this machine; `ext::` and its kin would be programs. */
function gitAddress(address: string): string {
  if (SCP.test(address)) return address;
  // As it is written: what git reads must be what was judged.
  const isWhole = /^[a-z]+:\/\/[^\s\\]+$/.test(address);
  const url = isWhole && URL.canParse(address) ? new URL(address) : undefined;
  const isKnown = url !== undefined && ['https:', 'ssh:', 'file:'].includes(url.protocol);
  if (!url || !isKnown || (url.protocol !== 'file:' && !/^[A-Za-z0-9[]/.test(url.hostname))) {
    const plain = url?.protocol === 'http:' || url?.protocol === 'git:';
    const why = plain ? `${url.protocol}// is not encrypted: anybody on the way could change what comes.` : FORMS;
    throw new Fault('input.invalid', `${JSON.stringify(address)} is no address that skills are fetched from.`, {
      hint: why,
    });
  }
  if (url.password !== '' || (url.protocol === 'https:' && url.username !== '')) {
    throw new Fault(
      'input.invalid',
      'The address holds a user name or a key, which the lock file would tell everybody.',
      {
        hint: "Leave it out, and let git's credential helper give it.",
      },
    );
  }
  return address;
}
