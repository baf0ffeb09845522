import { openSsm } from '../adapters/aws/clients.ts'
import { asUnavailable } from '../adapters/aws/failure.ts'
import { readSecrets } from '../adapters/aws/secrets.ts'
import { createClock } from '../adapters/node/clock.ts'
import { createLog } from '../adapters/node/log.ts'
import { type Config, environmentSecrets, readConfig, readConfigWith } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { Clock } from '../ports/clock.ts'

/** A changed parameter is in use after this time, at the next call. */
export const SECRETS_AGE_MS = 300_000
/** The next read after parameters could not be read, or not be used. */
const LOOK_AGAIN_MS = 60_000

type Variables = Readonly<Record<string, string>>

/** Throws Problem `unavailable` `secrets_unavailable` when SSM does not answer. */
const readParameters = async ({ SECRETS_PATH: path, AWS_REGION: region }: Config): Promise<Variables> => {
  if (path === undefined) return {}
  try {
    return await readSecrets(await openSsm({ region }), path)
  } catch (thrown) {
    throw asUnavailable(thrown, 'secrets_unavailable', 'SSM')
  }
}

/** SSM guarantees no order of parameters. */
const parametersText = (secrets: Variables): string => JSON.stringify(Object.entries(secrets).toSorted())

type Options = {
  /** The settings with the path of the parameters. */
  settings?: () => Config
  clock?: Pick<Clock, 'now'>
  /** Whether running work prevents a replacement. */
  isBusy?: () => boolean
}

/**
 * Opens something with the settings and the parameters below SECRETS_PATH, at the first call. After 5 minutes a call
 * reads the parameters again and opens a replacement if they differ; after a failure the earlier one stays in use. It
 * uses the wall clock: no other clock advances while AWS freezes a function.
 */
export const openedWithSecrets = <T>(
  open: (config: Config) => T | Promise<T>,
  { settings = readConfig, clock = createClock(), isBusy = () => false }: Options = {},
): (() => Promise<T>) => {
  let current: { opened: T; secrets: string; lookAt: number } | undefined
  let opening: Promise<T> | undefined

  const openFirst = async (): Promise<T> => {
    const config = settings()
    const isKept = config.SECRETS_PATH !== undefined
    const secrets = await readParameters(config)
    const opened = await open(isKept ? readConfigWith(secrets) : config)
    const lookAt = isKept ? clock.now() + SECRETS_AGE_MS : Number.POSITIVE_INFINITY
    current = { opened, secrets: parametersText(secrets), lookAt }
    return opened
  }

  const openChanged = async (before: NonNullable<typeof current>): Promise<T> => {
    try {
      const secrets = await readParameters(settings())
      const text = parametersText(secrets)
      const opened = text === before.secrets ? before.opened : await open(readConfigWith(secrets))
      current = { opened, secrets: text, lookAt: clock.now() + SECRETS_AGE_MS }
      return opened
    } catch (thrown) {
      before.lookAt = clock.now() + LOOK_AGAIN_MS
      createLog({ level: 'error', masker: createMasker(environmentSecrets()) }).error(
        { reason: errorMessage(thrown) },
        'secrets were not read again: those from before stay in use',
      )
      return before.opened
    }
  }

  return async () => {
    if (current !== undefined && (clock.now() < current.lookAt || isBusy())) return current.opened
    opening ??= (current === undefined ? openFirst() : openChanged(current)).finally(() => {
      opening = undefined
    })
    return opening
  }
}
