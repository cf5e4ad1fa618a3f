import { once } from 'node:events';
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDisk } from '../../src/simulate/disk/disk.js';
import { mounted } from './mounted.js';

const ROOT = '/.simulated';

describe('a disk in memory', () => {
  it('is what node:fs sees below its root, and nowhere else', async () => {
    mounted();
    fs.mkdirSync(`${ROOT}/a/b`, { recursive: true });
    fs.writeFileSync(`${ROOT}/a/b/one.txt`, 'one');
    fs.appendFileSync(`${ROOT}/a/b/one.txt`, ' two');
    fs.renameSync(`${ROOT}/a/b/one.txt`, `${ROOT}/a/two.txt`);
    fs.linkSync(`${ROOT}/a/two.txt`, `${ROOT}/a/three.txt`);
    fs.symlinkSync('a', `${ROOT}/latest`);

    expect(fs.readFileSync(`${ROOT}/latest/three.txt`, 'utf8')).toBe('one two');
    expect(fs.readdirSync(`${ROOT}/a`)).toEqual(['b', 'three.txt', 'two.txt']);
    expect(fs.realpathSync(`${ROOT}/latest/b`)).toBe(`${ROOT}/a/b`);
    expect(fs.existsSync(`${ROOT}/a/b/one.txt`)).toBe(false);
    expect(fs.existsSync(new URL(import.meta.url))).toBe(true);
    await rm(`${ROOT}/a`, { recursive: true });
    expect(fs.readdirSync(ROOT)).toEqual(['latest']);
  });

  it('says what is wrong as the system does', () => {
    mounted();
    const code = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    };
    fs.writeFileSync(`${ROOT}/file`, '');
    fs.mkdirSync(`${ROOT}/full/inner`, { recursive: true });
    expect(code(() => fs.readFileSync(`${ROOT}/none`))).toBe('ENOENT');
    expect(code(() => fs.mkdirSync(`${ROOT}/file`))).toBe('EEXIST');
    expect(code(() => fs.readdirSync(`${ROOT}/file`))).toBe('ENOTDIR');
    expect(code(() => fs.readFileSync(`${ROOT}/full`))).toBe('EISDIR');
    expect(code(() => fs.rmdirSync(`${ROOT}/full`))).toBe('ENOTEMPTY');
    expect(code(() => fs.writeFileSync(`${ROOT}/file`, '', { flag: 'wx' }))).toBe('EEXIST');
  });

  it('gives a folder by its descriptor, whatever has become of its path', () => {
    mounted();
    fs.mkdirSync(`${ROOT}/old`);
    const fd = fs.openSync(`${ROOT}/old`, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
    fs.renameSync(`${ROOT}/old`, `${ROOT}/new`);
    fs.writeFileSync(`/proc/self/fd/${fd}/file`, 'here');
    expect(fs.readFileSync(`${ROOT}/new/file`, 'utf8')).toBe('here');
    fs.closeSync(fd);
  });

  it.each<[string, (path: string, here: string) => unknown]>([
    ['writeFileSync', (path) => fs.writeFileSync(path, '')],
    ['writeFileSync of a URL', (path) => fs.writeFileSync(pathToFileURL(path), '')],
    ['appendFileSync', (path) => fs.appendFileSync(path, '')],
    ['openSync to write', (path) => fs.closeSync(fs.openSync(path, 'w'))],
    ['openSync by flags', (path) => fs.closeSync(fs.openSync(path, fs.constants.O_CREAT | fs.constants.O_WRONLY))],
    ['mkdirSync', (path) => fs.mkdirSync(path)],
    ['mkdtempSync', (path) => fs.mkdtempSync(path)],
    ['copyFileSync', (path, here) => fs.copyFileSync(here, path)],
    ['cpSync', (path, here) => fs.cpSync(here, path)],
    ['linkSync', (path, here) => fs.linkSync(here, path)],
    ['symlinkSync', (path, here) => fs.symlinkSync(here, path)],
    ['renameSync', (path, here) => fs.renameSync(here, path)],
    ['utimesSync', (_path, here) => fs.utimesSync(here, 1, 1)],
    ['promises.writeFile', (path) => fs.promises.writeFile(path, '')],
    ['promises.mkdir', (path) => fs.promises.mkdir(path)],
    ['promises.open to append', async (path) => (await fs.promises.open(path, 'a')).close()],
    ['promises.copyFile', (path, here) => fs.promises.copyFile(here, path)],
    ['promises.mkdtemp', (path) => fs.promises.mkdtemp(path)],
    ['writeFile', (path) => promisify(fs.writeFile)(path, '')],
    ['mkdir', (path) => promisify(fs.mkdir)(path)],
    ['open to write', async (path) => promisify(fs.close)(await promisify(fs.open)(path, 'w'))],
    ['a stream', async (path) => once(fs.createWriteStream(path).end('x'), 'close')],
  ])('refuses what would change the machine while a run is simulated: %s', async (_name, write) => {
    const dir = fs.mkdtempSync(join(tmpdir(), 'mount-'));
    onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
    const here = join(dir, 'here');
    fs.writeFileSync(here, 'what was here');
    const left = () => [fs.readdirSync(dir), fs.readFileSync(here, 'utf8'), fs.statSync(here).mtimeMs];
    const before = left();
    const disk = mounted();
    disk.isInUse = true;
    try {
      await expect((async () => write(join(dir, 'never'), here))()).rejects.toThrow('EROFS');
    } finally {
      disk.isInUse = false;
    }
    expect(left()).toEqual(before);
  });

  it('keeps of a torn write what came to be, and nothing changes any more once the process is dead', () => {
    const disk = createDisk(ROOT);
    const fd = disk.open(`${ROOT}/journal`, 'a');
    disk.write(fd, Buffer.from('whole\n'));
    disk.guard = () => ({ bytes: 3, error: new Error('killed') });
    expect(() => disk.write(fd, Buffer.from('second\n'))).toThrow('killed');
    disk.dead = new Error('dead');
    expect(() => disk.readFile(`${ROOT}/journal`)).toThrow('dead');
    disk.dead = undefined;
    expect(disk.readFile(`${ROOT}/journal`).toString()).toBe('whole\nsec');
  });

  it('holds zeros where nothing was written, also where something had been', () => {
    mounted();
    fs.writeFileSync(`${ROOT}/file`, 'what was there before');
    const fd = fs.openSync(`${ROOT}/file`, 'r+');
    fs.ftruncateSync(fd, 2);
    fs.writeSync(fd, Buffer.from('end'), 0, 3, 6);
    fs.closeSync(fd);
    expect(fs.readFileSync(`${ROOT}/file`, 'latin1')).toBe('wh\0\0\0\0end');
  });

  it('loses in a power cut what no sync has brought to it, and nothing else', () => {
    const disk = mounted();
    const sync = (path: string) => {
      const fd = fs.openSync(path, 'r');
      fs.fsyncSync(fd);
      fs.closeSync(fd);
    };
    const names = () => [...fs.readdirSync(ROOT), ...fs.readdirSync(`${ROOT}/kept`)];
    fs.mkdirSync(`${ROOT}/kept`);
    sync(ROOT);
    fs.writeFileSync(`${ROOT}/kept/file`, 'whole');
    sync(`${ROOT}/kept`);
    sync(`${ROOT}/kept/file`);
    fs.appendFileSync(`${ROOT}/kept/file`, ', and a tail');
    fs.renameSync(`${ROOT}/kept/file`, `${ROOT}/kept/moved`);
    fs.mkdirSync(`${ROOT}/lost`);
    fs.writeFileSync(`${ROOT}/lost/file`, 'x');
    disk.losePower(0, 0.5);
    expect(names()).toEqual(['kept', 'file']);
    expect(fs.readFileSync(`${ROOT}/kept/file`, 'utf8')).toBe('whole, and ');

    fs.renameSync(`${ROOT}/kept/file`, `${ROOT}/kept/moved`);
    fs.writeFileSync(`${ROOT}/kept/new`, 'x');
    disk.losePower(0.5, 0);
    expect(names()).toEqual(['kept', 'moved']);
    disk.losePower(0, 0);
    expect(fs.readFileSync(`${ROOT}/kept/moved`, 'utf8')).toBe('whole, and ');
  });
});
