import manifest from '../../package.json' with { type: 'json' };

/** The version of the command line, which is that of the gateway it comes with. */
export const { version } = manifest;
