import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/browser/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          maxWorkers: 2,
          include: ['test/e2e/**/*.test.ts', 'test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
