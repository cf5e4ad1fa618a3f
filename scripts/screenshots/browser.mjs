/** Chromium, for pages and for what a terminal shows. */
import { chromium } from 'playwright-core';

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium';

export async function openBrowser() {
  const browser = await chromium.launch({
    executablePath: PROGRAM,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  return {
    /** Two dots a pixel, unless `scale` says otherwise; a `close()` of the page closes all that is its own. */
    async page({ width = 1_200, height = 800, dark = false, scale = 2 } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        deviceScaleFactor: scale,
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: 'reduce',
      });
      return context.newPage();
    },
    close: () => browser.close(),
  };
}
