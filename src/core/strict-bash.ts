/** How a script is run: bash that stops at the first failure, without anybody's start-up files. The script is the argument behind it. */
export const STRICT_BASH: readonly string[] = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'];
