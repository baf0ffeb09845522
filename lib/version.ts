import manifest from '../package.json' with { type: 'json' }

/** The version of the service, as package.json states it. */
export const VERSION = manifest.version
