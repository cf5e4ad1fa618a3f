import path from 'node:path';
import { expect, it } from 'vitest';
import { findProject } from '../../src/load/project.js';
import { folder } from './arena.js';

it.each(['pipeline.config.yaml', 'skills/a/SKILL.md', '.git/HEAD'])('a parent with %s is the project', (file) => {
  const dir = folder({ [file]: '', 'deep/down/x': '' });
  expect(findProject(path.join(dir, 'deep/down'))).toBe(dir);
});

it('the nearest parent wins', () => {
  const dir = folder({ '.git/HEAD': '', 'inner/pipeline.config.yaml': '', 'inner/deep/x': '' });
  expect(findProject(path.join(dir, 'inner/deep'))).toBe(path.join(dir, 'inner'));
});

it('a file called skills makes no project', () => {
  const dir = folder({ '.git/HEAD': '', 'inner/skills': 'x' });
  expect(findProject(path.join(dir, 'inner'))).toBe(dir);
});
