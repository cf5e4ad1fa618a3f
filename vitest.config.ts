import { defineConfig } from 'vitest/config';

/** Globs of files that this run leaves out, parted by blanks. */
const LEFT_OUT = (process.env.PIPELINE_TESTS_WITHOUT ?? '').split(' ').filter((glob) => glob !== '');

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/browser/**', ...LEFT_OUT],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          maxWorkers: 2,
          include: ['test/e2e/**/*.test.ts', 'test/browser/**/*.test.ts'],
          exclude: LEFT_OUT,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
