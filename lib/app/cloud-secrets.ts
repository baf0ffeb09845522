import { openSsm } from '../adapters/aws/clients.ts'
import { asUnavailable } from '../adapters/aws/failure.ts'
import { readSecrets } from '../adapters/aws/secrets.ts'
import { createClock } from '../adapters/node/clock.ts'
import { createLog } from '../adapters/node/log.ts'
import { type Config, environmentSecrets, readConfig, readConfigWith } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { Clock } from '../ports/clock.ts'

/** A parameter that was changed is in use after this span, by the next call that follows. */
export const SECRETS_AGE_MS = 300_000
/** When changed parameters cannot be read, or not be used, the next look is after this span. */
const LOOK_AGAIN_MS = 60_000

type Variables = Readonly<Record<string, string>>

/** Throws Problem `unavailable` `secrets_unavailable` when SSM cannot be asked. */
const secretsOf = async ({ SECRETS_PATH: path, AWS_REGION: region }: Config): Promise<Variables> => {
  if (path === undefined) return {}
  try {
    return await readSecrets(await openSsm({ region }), path)
  } catch (thrown) {
    throw asUnavailable(thrown, 'secrets_unavailable', 'SSM')
  }
}

/** SSM answers parameters in no order that it promises. */
const textOf = (secrets: Variables): string => JSON.stringify(Object.entries(secrets).toSorted())

type Options = {
  /** The settings that say where the parameters are. */
  given?: () => Config
  clock?: Pick<Clock, 'now'>
  /** Whether work goes on that keeps what is open from being replaced. */
  isBusy?: () => boolean
}

/**
 * What is made of the settings and of the encrypted parameters below SECRETS_PATH, where the deployment names such a
 * place. It is opened by the first call; if that fails, the next call tries again. After 5 minutes a call reads the
 * parameters again, and where they differ, opens a new one in its place; if that fails, the one before stays in use.
 * The clock is the wall clock: a function that AWS freezes has no other that goes on.
 */
export const openedWithSecrets = <T>(
  open: (config: Config) => T | Promise<T>,
  { given = readConfig, clock = createClock(), isBusy = () => false }: Options = {},
): (() => Promise<T>) => {
  let current: { opened: T; secrets: string; lookAt: number } | undefined
  let opening: Promise<T> | undefined

  const openFirst = async (): Promise<T> => {
    const config = given()
    const isKept = config.SECRETS_PATH !== undefined
    const secrets = await secretsOf(config)
    const opened = await open(isKept ? readConfigWith(secrets) : config)
    const lookAt = isKept ? clock.now() + SECRETS_AGE_MS : Number.POSITIVE_INFINITY
    current = { opened, secrets: textOf(secrets), lookAt }
    return opened
  }

  const openChanged = async (before: NonNullable<typeof current>): Promise<T> => {
    try {
      const secrets = await secretsOf(given())
      const text = textOf(secrets)
      const opened = text === before.secrets ? before.opened : await open(readConfigWith(secrets))
      current = { opened, secrets: text, lookAt: clock.now() + SECRETS_AGE_MS }
      return opened
    } catch (thrown) {
      before.lookAt = clock.now() + LOOK_AGAIN_MS
      createLog({ level: 'error', masker: createMasker(environmentSecrets()) }).error(
        { reason: messageOf(thrown) },
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
