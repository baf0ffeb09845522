import type { Config } from '../config.ts'
import { SHORTEST_MASKED } from '../core/secret-forms.ts'
import type { Log } from '../ports/log.ts'

/** Names the settings whose secret is not masked in texts: a short one is found in ordinary words. */
export const warnOfShortSecrets = ({ tooShortToMask: settings }: Config, log: Log): void => {
  if (settings.length > 0)
    log.warn(
      { settings },
      `these secrets have fewer than ${SHORTEST_MASKED} characters: they are not masked in what agents write`,
    )
}
