import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { isInside, resolveInside, resolvePublished, resolveRead, resolveWrite } from '../../src/files/jail.js';

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'jail-')));
  root = join(base, 'a');
  mkdirSync(join(root, 'sub/deep'), { recursive: true });
  mkdirSync(join(base, 'ab'));
  writeFileSync(join(base, 'ab/secret.txt'), 'secret');
  writeFileSync(join(root, 'note.txt'), 'note');
});

function refusal(resolve: () => unknown): string {
  try {
    return `went through: ${resolve()}`;
  } catch (error) {
    if (error instanceof Fault && error.data.code === 'step.path') return `${error.message} ${error.data.hint ?? ''}`;
    throw error;
  }
}
const REFUSED = /leads out|not usable|may not|cannot be followed|does not exist|not a regular file/;

const ESCAPES = [
  '../x',
  'a/../../x',
  '/etc/passwd',
  '~/x',
  '~root/x',
  'file:///etc/passwd',
  './a/./../..',
  'a\0b',
  '',
  '//etc/passwd',
  '/proc/self/environ',
  '/dev/stdin',
  '..\\..\\x',
  'a/b/../../../x',
  '..',
  '../ab/secret.txt',
  'note.txt/../../ab/secret.txt',
  'x'.repeat(256),
  'x/'.repeat(3_000),
];

describe('a path that leads out', () => {
  it.each(ESCAPES)('is refused, whoever asks: %j', (path) => {
    expect(refusal(() => resolveInside(root, path))).toMatch(REFUSED);
    expect(refusal(() => resolveRead([root], path))).toMatch(REFUSED);
    expect(refusal(() => resolveWrite(root, path))).toMatch(REFUSED);
    expect(refusal(() => resolvePublished(root, path))).toMatch(REFUSED);
  });

  it('is refused although it begins with the same letters as the root', () => {
    expect(refusal(() => resolveRead([root], join(base, 'ab/secret.txt')))).toContain(`Allowed: ${root}`);
  });

  it('stays inside or is refused, for any parts in any order', () => {
    const part = fc.constantFrom('..', '.', '', 'sub', 'deep', 'note.txt', 'new', '~', '...', 'link', base, root, '/');
    symlinkSync(base, join(root, 'link'));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const path = parts.join('/');
        for (const resolve of [resolveInside, resolveWrite, (r: string, p: string) => resolveRead([r], p)]) {
          const result = refusal(() => {
            const real = resolve(root, path);
            expect(isInside(root, real)).toBe(true);
            return real;
          });
          if (!result.startsWith('went through')) expect(result).toMatch(REFUSED);
        }
      }),
    );
  });

  it('is what relative() says it is, for any two paths', () => {
    const path = fc
      .array(fc.constantFrom('a', 'ab', '..', '..a', 'b'), { maxLength: 5 })
      .map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(isInside(one, other)).toBe(relative(one, other).split('/')[0] !== '..');
      }),
    );
  });
});

describe('a link', () => {
  beforeEach(() => {
    symlinkSync('/etc', join(root, 'd'));
    symlinkSync('/etc/passwd', join(root, 'f'));
    symlinkSync(join(base, 'not-there'), join(root, 'dangling'));
    symlinkSync('circle', join(root, 'circle'));
    symlinkSync('note.txt', join(root, 'inner'));
    symlinkSync('sub', join(root, 'innerdir'));
    symlinkSync('../..', join(root, 'sub/up'));
  });

  it.each(['f', 'd/passwd', 'd', 'dangling', 'circle', 'sub/up/ab/secret.txt', 'd/new'])(
    'that leads out is never followed: %s',
    (path) => {
      expect(refusal(() => resolveRead([root], path))).toMatch(REFUSED);
      expect(refusal(() => resolveWrite(root, path))).toMatch(REFUSED);
      expect(refusal(() => resolveInside(root, path))).toMatch(REFUSED);
    },
  );

  it('whose target is inside may be read, not written', () => {
    expect(resolveRead([root], 'inner')).toBe(join(root, 'note.txt'));
    expect(refusal(() => resolveWrite(root, 'inner'))).toContain('through a link');
    expect(refusal(() => resolveWrite(root, 'innerdir/new'))).toContain('through a link');
  });

  it('on the way to the root itself does not matter', () => {
    symlinkSync(root, join(base, 'alias'));
    const alias = join(base, 'alias');
    expect(resolveRead([alias], 'note.txt')).toBe(join(root, 'note.txt'));
    expect(resolveWrite(alias, 'new/x')).toBe(join(root, 'new/x'));
    expect(resolveWrite(alias, join(alias, 'new'))).toBe(join(root, 'new'));
    expect(resolveWrite(alias, join(root, 'new'))).toBe(join(root, 'new'));
  });
});

describe('a read', () => {
  it('takes the first root that has the file, and names all of them if none has', () => {
    writeFileSync(join(base, 'ab/other.txt'), '');
    expect(resolveRead([root, join(base, 'ab')], 'other.txt')).toBe(join(base, 'ab/other.txt'));
    expect(refusal(() => resolveRead([root, join(base, 'ab')], 'no.txt'))).toContain(
      `Looked in: ${root}, ${join(base, 'ab')}`,
    );
  });

  it('takes an absolute path inside any root, which may be one file', () => {
    const file = join(base, 'ab/secret.txt');
    expect(resolveRead([root, join(base, 'ab')], file)).toBe(file);
    expect(resolveRead([root, file], file)).toBe(file);
    expect(resolveRead([join(base, 'gone'), root, file], 'note.txt')).toBe(join(root, 'note.txt'));
    expect(refusal(() => resolveRead([root, file], join(base, 'ab')))).toMatch(REFUSED);
  });

  it.each([
    '.env',
    '.env.local',
    'sub/.ENV',
    '.ssh/id',
    '.aws/credentials',
    '.gnupg/x',
    '.npmrc',
    '.git/config',
    '.docker/config.json',
    '.env/local',
    'id_rsa',
    'sub/id_ed25519',
    'server.pem',
    'server.KEY',
  ])('of %s is refused, also by a link with a harmless name', (path) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), 'secret');
    symlinkSync(join(root, path), join(root, 'harmless.txt'));
    expect(refusal(() => resolveRead([root], path))).toMatch(/may not be read/);
    expect(refusal(() => resolveRead([root], join(root, path)))).toMatch(/may not be read/);
    expect(refusal(() => resolveRead([root], 'harmless.txt'))).toMatch(/may not be read/);
    expect(refusal(() => resolveWrite(root, path))).toMatch(/may not be written/);
  });

  it('is not refused because of where the project happens to be', () => {
    const project = join(base, '.environments/p');
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'environment.md'), '');
    expect(resolveRead([project], 'environment.md')).toBe(join(project, 'environment.md'));
  });

  it('is of regular files only', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(refusal(() => resolveRead([root], 'pipe'))).toContain('a named pipe');
    expect(refusal(() => resolveRead([root], 'socket'))).toContain('a socket');
    expect(refusal(() => resolveRead([root], 'sub'))).toContain('a folder');
    expect(refusal(() => resolveRead(['/dev'], '/dev/zero'))).toContain('may not be read');
    expect(refusal(() => resolveWrite(root, 'pipe'))).toContain('a named pipe');
    expect(refusal(() => resolveWrite(root, 'note.txt/x'))).toMatch(REFUSED);
    server.close();
  });
});

describe('a write', () => {
  it('may make new folders and replace regular files', () => {
    linkSync(join(root, 'note.txt'), join(root, 'twin'));
    expect(resolveWrite(root, 'new/deep/file')).toBe(join(root, 'new/deep/file'));
    expect(resolveWrite(root, './sub/../note.txt')).toBe(join(root, 'note.txt'));
    expect(resolveWrite(root, 'twin')).toBe(join(root, 'twin'));
    expect(refusal(() => resolveWrite(root, '.'))).toMatch(REFUSED);
    expect(refusal(() => resolveWrite(root, '.git/hooks/pre-commit'))).toMatch(REFUSED);
  });

  it.each([
    'events.ndjson',
    'run.json',
    'REPORT.html',
    './run.json',
    '.steps/a/output.json',
    '.lock',
    'x/.hidden',
    'x/../run.json',
    '/abs',
    '.',
  ])('is never published as %s', (path) => {
    expect(refusal(() => resolvePublished(root, path))).toMatch(/may not be written/);
  });

  it('is published under any other name', () => {
    expect(resolvePublished(root, 'phase0/run.json')).toBe(join(root, 'phase0/run.json'));
    expect(resolvePublished(root, 'a b/量.md')).toBe(join(root, 'a b/量.md'));
  });
});
