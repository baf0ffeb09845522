import { secretContext } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { WebhookRow } from './rows.ts'
import { SECRET_PREFIX } from './schema.ts'

const SECRET_BYTES = 32
/** How long the secret before a rotation signs as well. */
const BOTH_MS = 86_400_000

type Sealed = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousUntil'>

type Needs = { cipher: Cipher; clock: Clock; entropy: Entropy }

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>

/** The signing secrets of webhooks: sealed at rest, for the webhook alone. */
export const createWebhookSecrets = ({ cipher, clock, entropy }: Needs) => ({
  make: (): string => SECRET_PREFIX + entropy(SECRET_BYTES).toString('base64url'),

  seal: (id: string, secret: string): Promise<string> => cipher.seal(secret, secretContext(id)),

  /** The fields of a webhook after a rotation to a sealed secret. */
  rotated: ({ secret: previous }: Sealed, secret: string): Sealed => ({
    secret,
    ...(previous === undefined ? {} : { previousSecret: previous, previousUntil: clock.now() + BOTH_MS }),
  }),

  /** Those that sign now, the newest first. */
  open: ({ id, secret, previousSecret, previousUntil = 0 }: Sealed & { id: string }): Promise<string[]> => {
    const sealed = [secret, clock.now() < previousUntil ? previousSecret : undefined]
    return Promise.all(
      sealed.filter((text) => text !== undefined).map((text) => cipher.open(text, secretContext(id))),
    )
  },
})
