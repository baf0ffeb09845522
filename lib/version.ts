/** The version of the service: that of package.json, which as a whole would be in the bundle of each function. */
export const VERSION = '0.1.0'
