/** Where the skills are that come with the program. */
import { fileURLToPath } from 'node:url';

/** Absolute. */
export const BUNDLED_SKILLS = fileURLToPath(new URL('../skills', import.meta.url));
