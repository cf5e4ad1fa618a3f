/** The version of this program, put in by the build. */
declare const PIPELINE_VERSION: string | undefined;

export const version: string = typeof PIPELINE_VERSION === 'string' ? PIPELINE_VERSION : '0.0.0-source';
