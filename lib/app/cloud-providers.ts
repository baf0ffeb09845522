import { openSsm } from '../adapters/aws/clients.ts'
import { listSecrets } from '../adapters/aws/secrets.ts'
import {
  families,
  isConfigured,
  PROVIDER_KINDS,
  type ProviderSettings,
  variable,
} from '../config/families.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../ports/clock.ts'

/** A key that was stored or removed shows within this span. */
const LOOK_AGAIN_MS = 60_000

/** What makes a provider configured. The size of a context window does not. */
const FIELDS = Object.keys(families.providers.schema.shape).filter((field) => field !== 'contextTokens')

const variables: ReadonlySet<string> = new Set(
  PROVIDER_KINDS.flatMap((kind) => FIELDS.map((field) => variable(kind, field))),
)

const isNamed = ({ contextTokens: _, ...rest }: ProviderSettings): boolean => isConfigured(rest)

/**
 * Whether the worker function has a model provider, as functions that are not the worker can tell: by the settings that
 * all functions get, or by the names of the parameters whose values only the worker may read.
 */
export const createProviderCheck = (config: Config, clock: Pick<Clock, 'monotonic'>) => {
  const { SECRETS_PATH: path, AWS_REGION: region } = config
  // On emulators there is the demo model.
  const isGiven = config.DYNAMODB_ENDPOINT !== undefined || Object.values(config.providers).some(isNamed)
  let isStored = false
  let lookAgainAt = 0
  return {
    /** By what was found last. */
    configured: (): boolean => isGiven || isStored,
    /** Looks once a minute. Rejects when it cannot. */
    look: async (): Promise<void> => {
      if (isGiven || path === undefined || clock.monotonic() < lookAgainAt) return
      const names = await listSecrets(await openSsm({ region }), path)
      isStored = names.some((name) => variables.has(name))
      lookAgainAt = clock.monotonic() + LOOK_AGAIN_MS
    },
  }
}
