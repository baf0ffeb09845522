import { Problem } from './errors.ts'

/** A setting that the service cannot work with; the message names each variable at fault, for its operator alone. */
export const badSetting = (message: string) => new Problem('internal', 'bad_setting', message)
