/** The version in package.json, copied here so that the bundles of functions do not contain package.json. */
export const VERSION = '0.1.0'
